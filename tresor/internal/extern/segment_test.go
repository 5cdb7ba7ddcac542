package extern_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"outheis/tresor/internal/extern"
)

// show writes sentences as "kind|text" with the default kind left out.
func show(list []extern.Sentence) []string {
	var got []string
	for _, s := range list {
		got = append(got, strings.TrimPrefix(s.Block+"|"+s.Text, extern.Paragraph+"|"))
	}
	return got
}

// D-24: the test vectors of the format, measured, and the properties that stay
// as they are.
func TestSentencesD24(t *testing.T) {
	for in, want := range map[string][]string{
		"Die Halle hat z. B. drei Tore. Danach kommt der Hof.": {"Die Halle hat z. B. drei Tore.", "Danach kommt der Hof."},
		"Die Halle hat z.B. drei Tore.":                        {"Die Halle hat z.B.", "drei Tore."},
		"Kostet es 5? Ja. Nein! Gut":                           {"Kostet es 5? Ja.", "Nein!", "Gut"},
		"Siehe Art. 5 Abs. 2 DSGVO. Danach Nr. 7. Ende.":       {"Siehe Art. 5 Abs. 2 DSGVO.", "Danach Nr. 7. Ende."},
		"„Ja. Nein.“ gut. Max. drei":                           {"„Ja.", "Nein.“ gut.", "Max. drei"},
		"Hm... Ja.":                                            {"Hm...", "Ja."},
		"Plan B. Danach":                                       {"Plan B. Danach"},
		"> zitat eins\n> zitat zwei\nlazy":                     {"zitat|zitat eins", "zitat|zitat zwei lazy"},
		"* * *\n---":                                           {"listenpunkt|* * ---"},
		"##\n####### x\n# ":                                    {"## ####### x"},
		"```\nx\n~~~\ny. Z":                                    {"y. Z"},
		"Hallo ! Welt":                                         {"Hallo !", "Welt"},
		"Im Jahr 2026. Danach ²! Und ①. Mit v1.2? So":          {"Im Jahr 2026. Danach ²! Und ①. Mit v1.2? So"},
		"Siehe §5. Und § 5. Ende x.\u00a0Y":                    {"Siehe §5. Und § 5. Ende x. Y"},
		"(vgl. oben) „Vgl. unten»usw. DR. x":                   {"(vgl. oben) „Vgl. unten»usw.", "DR. x"},
		"Siehe 'Abb. 3'. Neu":                                  {"Siehe 'Abb.", "3'. Neu"},
		"İNKL. x INKL. y İ. z":                                 {"İNKL.", "x INKL. y İ. z"},
		"Er sagt (ja.) Dann. Ende.) Neu":                       {"Er sagt (ja.) Dann.", "Ende.) Neu"},
		"a\\|b\n| a \\| b. C | :-- | - |  | \u00a0:- |x":       {"a\\|b", "tabellenzelle|a \\", "tabellenzelle|b. C", "tabellenzelle|x"},
		"---\ntitel: x\n --- \n# K #\nText":                    {"ueberschrift|K #", "Text"},
		"---\noffen":                                           {"--- offen"},
		"\ufeff---\na\n---":                                    {"\ufeff--- a ---"},
		"x\n---\ny":                                            {"x --- y"},
		"- a. B\n  weiter\n\n1) c\n٢. d\n-e\n12.f":             {"listenpunkt|a. B weiter", "listenpunkt|c", "listenpunkt|d -e 12.f"},
		"- eins\n```\ncode\n```\nnach":                         {"listenpunkt|eins", "listenpunkt|nach"},
		"    ```\n   # H\n    # kein\n   > z\n    > kein":      {"```", "ueberschrift|H", "# kein", "zitat|z > kein"},
		"a\r\nb\rc\r\n\r\nd":                                   {"a b c", "d"},
		"u\u0308ber   alles.\tUnd":                             {"über alles.", "Und"},
		"# Eins. Zwei\n\u00a0# Drei":                           {"ueberschrift|Eins.", "ueberschrift|Zwei", "ueberschrift|# Drei"},
		"```\noffen. Zaun\n\nalles weg":                        nil,
		"":                                                     nil,
		" \n\u2003\n":                                          nil,
		"<!-- kein Kommentar. Text -->":                        {"<!-- kein Kommentar.", "Text -->"},
		"Unter- streichung *ist*. `Text` [a](b.md).\u2028Neuer Absatz": {"Unter- streichung *ist*.", "`Text` [a](b.md).", "Neuer Absatz"},
	} {
		got := extern.Sentences(in)
		if !slices.Equal(show(got), want) {
			t.Errorf("%q\n got %q\nwant %q", in, show(got), want)
		}
		for i, s := range got {
			if s.Index != i+1 {
				t.Errorf("%q: sentence %d has the index %d", in, i+1, s.Index)
			}
		}
	}
}

// plainSentences is the format's definition, written with its patterns and
// without a thought of speed.
func plainSentences(document string) []extern.Sentence {
	const ws = `[\x09-\x0d\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]`
	match := func(pattern, s string) []int {
		return regexp.MustCompile(strings.ReplaceAll(pattern, "W", ws)).FindStringIndex(s)
	}
	trim := func(s string) string {
		s = s[match(`^W*`, s)[1]:]
		return s[:match(`W*$`, s)[0]]
	}
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(document), "\n")
	if trim(lines[0]) == "---" {
		for i := 1; i < len(lines); i++ {
			if trim(lines[i]) == "---" {
				lines = lines[i+1:]
				break
			}
		}
	}
	type block struct{ kind, content string }
	var blocks []block
	var buffer []string
	kind, code := "absatz", false
	flush := func() {
		var kept []string
		for _, b := range buffer {
			if trim(b) != "" {
				kept = append(kept, trim(b))
			}
		}
		if s := strings.Join(kept, " "); s != "" {
			blocks = append(blocks, block{kind, s})
		}
		buffer = nil
	}
	for _, line := range lines {
		switch {
		case match("^W{0,3}(```|~~~)", line) != nil:
			flush()
			code = !code
		case code:
		case trim(line) == "":
			flush()
			kind = "absatz"
		case match(`^W{0,3}#{1,6}W`, line) != nil:
			flush()
			blocks = append(blocks, block{"ueberschrift", trim(strings.TrimLeft(line, "# \t"))})
			kind = "absatz"
		case match(`^W*\|`, line) != nil:
			flush()
			for _, cell := range strings.Split(strings.Trim(trim(line), "|"), "|") {
				if match(`^(W|[:-])*$`, cell) == nil {
					blocks = append(blocks, block{"tabellenzelle", trim(cell)})
				}
			}
			kind = "absatz"
		case match(`^W*([-*+]|\p{Nd}+[.)])W+`, line) != nil:
			flush()
			kind, buffer = "listenpunkt", []string{line[match(`^W*([-*+]|\p{Nd}+[.)])W+`, line)[1]:]}
		case match(`^W{0,3}>`, line) != nil:
			flush()
			kind, buffer = "zitat", []string{line[match(`^W{0,3}>`, line)[1]:]}
		default:
			buffer = append(buffer, line)
		}
	}
	flush()
	var list []extern.Sentence
	for _, b := range blocks {
		emit := func(s string) {
			s = trim(regexp.MustCompile(ws+"+").ReplaceAllString(norm.NFC.String(s), " "))
			if s != "" {
				list = append(list, extern.Sentence{Index: len(list) + 1, Block: b.kind, Text: s})
			}
		}
		pos := 0
		for _, at := range regexp.MustCompile(`[.!?]`+ws).FindAllStringIndex(b.content, -1) {
			pieces := regexp.MustCompile(ws+`|\(`).Split(b.content[pos:at[0]], -1)
			last := strings.Trim(pieces[len(pieces)-1], "„»‚'\"")
			abbreviation := regexp.MustCompile(`(?i)^(z|b|u|a|d|h|vgl|bzw|ca|etc|ff|abs|nr|bspw|ggf|evtl|inkl|exkl|max|min|sog|usw|s|vs|dr|prof|ebd|bzgl|o|`+
				`art|lit|rn|bd|hrsg|aufl|approx|resp|no|fig|pp|cf|e|i|g)$`).MatchString(last) && !strings.Contains(last, "ſ")
			if abbreviation || utf8.RuneCountInString(last) == 1 || regexp.MustCompile(`^[\p{Nd}²³¹①]+$|\p{Nd}$`).MatchString(last) {
				continue
			}
			emit(b.content[pos : at[0]+1])
			pos = at[1]
		}
		emit(b.content[pos:])
	}
	return list
}

// pieces are what documents are drawn from: everything that a rule looks at.
var pieces = []string{"\n", "\n", "\n", "\r", " ", " ", "\t", "\u00a0", "\u2003", ".", "!", "?", "#", "##", "|", "- ", "* ", "1. ", "3) ", ">", "```", "~~~", "---",
	"(", "„", "»", "'", "z", "B", "vgl", "Dr", "5", "²", "٣", "§", "über", "u\u0308ber", "Wort", "wort.", "K", "ſ", ":-", "\u200b"}

func TestSentencesAgreeWithTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(t, "pieces"), "")
		if got, want := extern.Sentences(in), plainSentences(in); !slices.Equal(got, want) {
			t.Fatalf("%q\n got %q\nwant %q", in, show(got), show(want))
		}
	})
}

// Whatever the document, its sentences are counted without a gap, are their own
// quote form, and hold nothing that the document does not.
func FuzzSentences(f *testing.F) {
	f.Add("# Titel\n\nEin Satz, z. B. dieser. Noch einer!\n\n- a\n- b\n\n| x | y |\n|---|---|\n\n> Zitat\n\n```\ncode\n```\n")
	f.Add("---\na: b\n---\n\u00a01. x\r\nu\u0308. \x00\xff")
	f.Fuzz(func(t *testing.T, in string) {
		if len(in) > 1<<16 {
			return
		}
		list := extern.Sentences(in)
		size := 0
		for i, s := range list {
			if s.Index != i+1 || s.Text == "" || extern.QuoteForm(s.Text) != s.Text {
				t.Fatalf("%q: sentence %+v", in, s)
			}
			if !slices.Contains([]string{extern.Paragraph, extern.ListItem, extern.TableCell, extern.Heading, extern.Quote}, s.Block) {
				t.Fatalf("%q: block %q", in, s.Block)
			}
			size += len(s.Text)
		}
		if size > 3*len(norm.NFC.String(in)) {
			t.Fatalf("%q: %d bytes of sentences", in, size)
		}
		if utf8.ValidString(in) && !slices.Equal(list, plainSentences(in)) && !strings.ContainsAny(in, "İ\u212a") && !strings.ContainsFunc(in, beyondTest) {
			t.Fatalf("%q\n got %q\nwant %q", in, show(list), show(plainSentences(in)))
		}
	})
}

// beyondTest reports a digit that the pattern of plainSentences leaves out.
func beyondTest(r rune) bool { return r > 0x1300 && r < 0x1ffff && r != '①' }

func BenchmarkSentences(b *testing.B) {
	for name, unit := range map[string]string{
		"prose":     "Die Halle hat z. B. drei Tore. Danach kommt der Hof! Und dann?\n\n",
		"one block": "Nr. 5. ",
		"one word":  "x.",
		"cells":     "|a",
		"fences":    "```\n",
		"marks":     ". ",
		"quotes":    ">>>>",
	} {
		for _, size := range []int{64 << 10, 1 << 20} {
			s := strings.Repeat(unit, size/len(unit))
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				b.SetBytes(int64(len(s)))
				for b.Loop() {
					extern.Sentences(s)
				}
			})
		}
	}
}
