package formatting_test

import (
	"slices"
	"strings"
	"testing"

	"outheis/formatting"
)

// splitPlain splits plain text at a limit of 100 code points, without numbers.
func splitPlain(blocks ...formatting.Block) []string {
	p := formatting.Profile{Limit: 100}
	var parts []string
	for _, part := range formatting.Render(formatting.Doc(blocks...), p) {
		parts = append(parts, part.Text)
	}
	return parts
}

func words(n int) string { return strings.TrimSpace(strings.Repeat("wort ", n)) }

func TestWhereTextIsSplit(t *testing.T) {
	text := func(s string) formatting.Block { return formatting.Para(formatting.Text(s)) }
	tests := []struct {
		name   string
		blocks []formatting.Block
		want   []string
	}{
		{"whole if it fits", []formatting.Block{text(words(20))}, []string{words(20)}},
		{"blocks first", []formatting.Block{text(words(10)), text(words(6) + ". " + words(6))}, []string{words(10), words(6) + ". " + words(6)}},
		{"not at a block that leaves too little", []formatting.Block{text("kurz"), text(words(30))}, []string{"kurz\n\n" + words(19), words(11)}},
		{"then lines", []formatting.Block{formatting.Para(formatting.Text(words(12)), formatting.Break{}, formatting.Text(words(12)))}, []string{words(12), words(12)}},
		{"then sentences", []formatting.Block{text(words(12) + ". Und " + words(12))}, []string{words(12) + ".", "Und " + words(12)}},
		{"then words", []formatting.Block{text(words(25))}, []string{words(20), words(5)}},
		{"no sentence after an abbreviation", []formatting.Block{text(words(12) + " z. B. Und " + words(12))}, []string{words(12) + " z. B. Und " + words(6), words(6)}},
		{"no sentence after an ordinal", []formatting.Block{text(words(12) + " am 3. Mai " + words(12))}, []string{words(12) + " am 3. Mai " + words(6), words(6)}},
		{"heading with its text", []formatting.Block{text(words(15)), formatting.Head(2, formatting.Text("Titel")), text(words(8))}, []string{words(15), "Titel\n" + words(8)}},
		{"long word after short one", []formatting.Block{text("wort " + strings.Repeat("x", 150))}, []string{"wort " + strings.Repeat("x", 95), strings.Repeat("x", 55)}},
		{"ideographic sentence", []formatting.Block{text(strings.Repeat("語", 60) + "。" + strings.Repeat("文", 60))}, []string{strings.Repeat("語", 60) + "。", strings.Repeat("文", 60)}},
		{"quote marks in each part", []formatting.Block{formatting.Quoted(text(words(30)))}, []string{"» " + words(19), "» " + words(11)}},
		{"not in code", []formatting.Block{formatting.Para(formatting.Text(words(12)+" "), formatting.Code(words(12)))}, []string{words(12), words(12)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := splitPlain(test.blocks...); !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n---\n"), strings.Join(test.want, "\n---\n"))
			}
		})
	}
}

// A word, an address or a citation is cut only when it would not go into a part
// of its own, however small the parts are and wherever in a part it would begin.
func TestWhatGoesIntoAPartStaysWhole(t *testing.T) {
	for _, p := range profiles() {
		for _, limit := range []int{100, 120, 250, 1000} {
			p.Limit, p.Reserve, p.Width = limit, limit/4, 0
			word := strings.Repeat("w", limit/2-len("[C-0001]"))
			address := "https://h.example/" + strings.Repeat("z", limit/2-2*len("https://h.example/"))
			for n := 0; n < limit/2; n += 1 + limit/200 {
				before := formatting.Text(strings.Repeat("x", n) + " ")
				parts := formatting.Render(formatting.Doc(
					formatting.Para(before, formatting.Text(word+" ende."), formatting.Citation("C-0001"), formatting.Text(" "), before, formatting.Text(address)),
				), p)
				checkParts(t, p, parts)
				for _, whole := range []string{word, "ende. [C-0001]", address} {
					if !slices.ContainsFunc(parts, func(part formatting.Part) bool { return strings.Contains(part.Plain, whole) }) {
						t.Fatalf("%s with a limit of %d: %q was cut, behind %d characters, in %q", p.Name, limit, whole, n, joinPlain(parts))
					}
				}
			}
		}
	}
}

// The line below a heading goes rather than the citation in it.
func TestCitationInARuledHeading(t *testing.T) {
	p := formatting.Terminal(formatting.TerminalOptions{Width: 80})
	p.Limit = 90
	doc := formatting.Doc(formatting.Head(1, formatting.Text(words(18)+" ende."), formatting.Citation("C-0001")))
	parts := formatting.Render(doc, p)
	if all := joinPlain(parts); !strings.Contains(all, "ENDE. [C-0001]") || strings.Contains(all, "─") {
		t.Errorf("got %q", all)
	}
}

func TestStylesContinueInTheNextPart(t *testing.T) {
	p := formatting.Profile{Limit: 100, Dialect: formatting.HTMLDialect(), Numbered: true}
	doc := formatting.Doc(formatting.Quoted(formatting.Para(formatting.Bold(words(30)))))
	var got []string
	for _, part := range formatting.Render(doc, p) {
		got = append(got, part.Text)
	}
	want := []string{
		"<blockquote><b>" + words(18) + "</b></blockquote>\n(1/2)",
		"<blockquote><b>" + words(12) + "</b></blockquote>\n(2/2)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMeasures(t *testing.T) {
	const s = "aä€🙂e\u0301"
	for m, want := range map[formatting.Measure]int{formatting.Runes: 6, formatting.Bytes: 13, formatting.UTF16: 7, formatting.RunesOrUTF16: 7} {
		if got := m.Of(s); got != want {
			t.Errorf("%s: got %d, want %d", m, got, want)
		}
	}
}

func TestTelegramLimitIsExact(t *testing.T) {
	p := formatting.TelegramHTML()
	p.Reserve = 0
	for n, want := range map[int]int{4096: 1, 4097: 2, 8000: 2} {
		if got := len(formatting.Render(formatting.Doc(formatting.Para(formatting.Text(strings.Repeat("x", n)))), p)); got != want {
			t.Errorf("%d letters: got %d parts, want %d", n, got, want)
		}
	}
	for n, want := range map[int]int{2048: 1, 2049: 2} {
		if got := len(formatting.Render(formatting.Doc(formatting.Para(formatting.Text(strings.Repeat("🙂", n)))), p)); got != want {
			t.Errorf("%d emoji: got %d parts, want %d", n, got, want)
		}
	}
}
