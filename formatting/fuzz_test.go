package formatting_test

import (
	"strings"
	"testing"

	"outheis/formatting"
	"outheis/formatting/formattest"
)

// fuzzSeeds returns short documents of the corpus.
func fuzzSeeds(seed uint64) []string {
	var seeds []string
	for _, d := range formattest.Corpus(seed, 12) {
		if len(d.Markdown) < 1000 {
			seeds = append(seeds, d.Markdown)
		}
	}
	return seeds
}

// fuzzProfile turns two bytes into one of the ready profiles and a limit.
func fuzzProfile(kind, limit byte) formatting.Profile {
	all := profiles()
	p := all[int(kind)%len(all)]
	if limit > 0 {
		p.Limit = 100 + 4*int(limit)
	}
	p.Numbered = kind&0x80 != 0
	return p
}

func FuzzRender(f *testing.F) {
	for i, md := range fuzzSeeds(1) {
		f.Add(md, byte(i), byte(i*7))
	}
	f.Fuzz(func(t *testing.T, md string, kind, limit byte) {
		p := fuzzProfile(kind, limit)
		doc := formatting.Parse(md)
		parts := formatting.Render(doc, p)
		checkParts(t, p, parts)
		for _, part := range parts {
			checkParts(t, p, []formatting.Part{p.Notice(part, md)})
		}
		if again := formatting.Render(doc, p); len(again) != len(parts) {
			t.Errorf("%d parts, then %d", len(parts), len(again))
		}
	})
}

// FuzzSplit renders literal text, of which no visible character may get lost
// and nothing may become markup.
func FuzzSplit(f *testing.F) {
	for i, md := range fuzzSeeds(2) {
		f.Add(md, byte(i), byte(i*7))
	}
	f.Fuzz(func(t *testing.T, text string, kind, limit byte) {
		p := fuzzProfile(kind, limit)
		p.Numbered = false
		doc := formatting.Doc(formatting.Para(formatting.Text(text)))
		parts := formatting.Render(doc, p)
		checkParts(t, p, parts)
		visible := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got, want := visible(joinPlain(parts)), visible(formatting.Clean(text)); got != want && len(parts) > 0 {
			t.Errorf("\n got %q\nwant %q", got, want)
		}
		if p.Dialect == formatting.HTMLDialect() {
			for _, part := range parts {
				if strings.Contains(part.Text, "<") {
					t.Errorf("%q became markup: %q", text, part.Text)
				}
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, md := range fuzzSeeds(3) {
		f.Add(md)
	}
	for _, md := range hostileInputs(200) {
		f.Add(md)
	}
	f.Fuzz(func(t *testing.T, md string) {
		// Prose without any mark comes back word by word.
		prose := strings.Map(func(r rune) rune {
			if strings.ContainsRune("*_~`[]<>&#|\\!-+=:().@/0123456789", r) || r < ' ' {
				return ' '
			}
			return r
		}, md)
		got := strings.Fields(formatting.Clean(formatting.Parse(prose).Text()))
		want := strings.Fields(formatting.Clean(prose))
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("words\n got %q\nwant %q", got, want)
		}
		formatting.Parse(md)
	})
}
