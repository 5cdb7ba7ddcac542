package formatting_test

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"outheis/formatting"
	"outheis/formatting/formattest"
)

// markedWord finds the words that drawDocument draws, also in capitals.
var markedWord = regexp.MustCompile(`[wWzZ][0-9]+[xX]`)

func TestRenderKeepsWordsAndLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, _ := drawDocument(t)
		p := drawProfile(t)
		parts := formatting.Render(doc, p)
		checkParts(t, p, parts)
		got := markedWord.FindAllString(strings.ToLower(joinPlain(parts)), -1)
		want := docWords(doc)
		if hasTable(doc.Blocks) { // heads are repeated row by row
			if missing := formattest.Missing(want, got); len(missing) > 0 {
				t.Fatalf("lost %q", missing)
			}
			return
		}
		if !slices.Equal(got, want) {
			t.Fatalf("words\n got %q\nwant %q", got, want)
		}
	})
}

func hasTable(blocks []formatting.Block) bool {
	return slices.ContainsFunc(blocks, func(b formatting.Block) bool {
		switch b := b.(type) {
		case formatting.Table:
			return true
		case formatting.Quote:
			return hasTable(b.Blocks)
		case formatting.List:
			return slices.ContainsFunc(b.Items, func(i formatting.Item) bool { return hasTable(i.Blocks) })
		}
		return false
	})
}

func TestCitationsStayWithTheirSentence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, cited := drawDocument(t)
		p := drawProfile(t)
		for _, part := range formatting.Render(doc, p) {
			for _, m := range citationInText.FindAllStringSubmatch(part.Plain, -1) {
				if m[2] == "" || strings.ToLower(m[1]) != cited[m[2]] {
					t.Fatalf("%s stands behind %q, not %q, in\n%s", m[2], m[1], cited[m[2]], part.Plain)
				}
			}
			if n, m := strings.Count(part.Plain, "[C-"), len(citationInText.FindAllString(part.Plain, -1)); n != m {
				t.Fatalf("%d of %d citations stand alone in\n%s", n-m, n, part.Plain)
			}
		}
	})
}

// citationInText finds a citation behind the last word of its sentence; a
// line end and the marks of a quote may lie between in wrapped text.
var citationInText = regexp.MustCompile(`([zZ][0-9]+[xX])\.[\s»│]+\[(C-[0-9]{4,})\]`)

func TestCitationsOfLongSentences(t *testing.T) {
	p := formatting.TelegramHTML()
	for n := range 40 {
		long := strings.Repeat("wort ", 800+n) + "ende."
		parts := formatting.Render(formatting.Doc(formatting.Para(
			formatting.Text(long), formatting.Citation("C-0001"), formatting.Text(" "), formatting.Citation("C-0002"), formatting.Text(" Weiter."),
		)), p)
		ok := slices.ContainsFunc(parts, func(part formatting.Part) bool {
			return strings.Contains(part.Plain, "ende. [C-0001] [C-0002]")
		})
		if !ok {
			t.Fatalf("sentence of %d words: citations apart from its end", 801+n)
		}
	}
}

func TestClustersStayWhole(t *testing.T) {
	clusters := []string{"🙂", "👩‍👩‍👧‍👦", "🇩🇪", "é", "👍🏽", "❤️‍🔥", "क्षि", "a", "𝔘", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "한", "\u0e01\u0e33"}
	rapid.Check(t, func(t *rapid.T) {
		var want []string
		for range rapid.IntRange(100, 600).Draw(t, "n") {
			want = append(want, rapid.SampledFrom(clusters).Draw(t, "cluster"))
		}
		text := strings.Join(want, "")
		p := drawProfile(t)
		p.Numbered = false
		var got []string
		for _, part := range formatting.Render(formatting.Doc(formatting.Para(formatting.Text(text))), p) {
			got = append(got, clustersOf(strings.ReplaceAll(part.Plain, "\n", ""))...)
		}
		if all := clustersOf(text); !slices.Equal(got, all) {
			t.Fatalf("clusters\n got %q\nwant %q", got, all)
		}
	})
}

func clustersOf(s string) []string {
	var list []string
	for g := uniseg.NewGraphemes(s); g.Next(); {
		list = append(list, g.Str())
	}
	return list
}

func TestOneHugeClusterIsCutBetweenCodePoints(t *testing.T) {
	text := strings.Repeat("👩\u200d", 3000) + "👩"
	p := formatting.TelegramHTML()
	parts := formatting.Render(formatting.Doc(formatting.Para(formatting.Text(text))), p)
	checkParts(t, p, parts)
	if got, want := strings.Count(joinPlain(parts), "👩"), 3001; got != want {
		t.Errorf("got %d of %d code points", got, want)
	}
}

func TestCodeContinuesInItsLanguage(t *testing.T) {
	var lines []string
	for i := range 600 {
		lines = append(lines, fmt.Sprintf("%szeile %d { a < b }", strings.Repeat(" ", i%5), i))
	}
	doc := formatting.Doc(formatting.Para(formatting.Text("vor")), formatting.CodeBlock{Lang: "go", Text: strings.Join(lines, "\n")}, formatting.Para(formatting.Text("nach")))
	p := formatting.TelegramHTML()
	parts := formatting.Render(doc, p)
	checkParts(t, p, parts)
	var got []string
	for _, part := range parts {
		text, entities, err := formattest.ParseHTML(part.Text)
		if err != nil {
			t.Fatal(err)
		}
		if len(entities) != 1 || entities[0].Type != "pre" || entities[0].Arg != "go" {
			t.Fatalf("got entities %v", entities)
		}
		e := entities[0] // the text is ASCII but for what stands around the code
		got = append(got, strings.Split(text[e.Offset:e.Offset+e.Length], "\n")...)
	}
	if !slices.Equal(got, lines) {
		t.Errorf("lines of code\n got %q\nwant %q", got, lines)
	}
}

func TestLongTokensKeepEveryCharacter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(1, 20).Draw(t, "tokens") {
			b.WriteString(strings.Repeat(rapid.SampledFrom([]string{"ab", "https://e.example/a/", "&", "\"<", "語", "x_"}).Draw(t, "token"), rapid.IntRange(1, 200).Draw(t, "times")))
			b.WriteString(rapid.SampledFrom([]string{" ", "", ". "}).Draw(t, "gap"))
		}
		p := drawProfile(t)
		p.Numbered = false
		doc := formatting.Doc(formatting.Para(formatting.Text(b.String())))
		parts := formatting.Render(doc, p)
		checkParts(t, p, parts)
		if got, want := strings.Join(strings.Fields(joinPlain(parts)), ""), strings.Join(strings.Fields(b.String()), ""); got != want {
			t.Fatalf("got %d characters of %d", len(got), len(want))
		}
	})
}

func TestEntityLimits(t *testing.T) {
	p := formatting.TelegramHTML()
	var bold, links []formatting.Inline
	for i := range 500 {
		bold = append(bold, formatting.Bold(fmt.Sprint("b", i)))
		links = append(links, formatting.Link{URL: "https://e.example/" + strings.Repeat("p", 300), Inlines: []formatting.Inline{formatting.Text("hier")}}, formatting.Text(" "))
	}
	for name, inlines := range map[string][]formatting.Inline{"bold": bold, "links": links} {
		parts := formatting.Render(formatting.Doc(formatting.Para(inlines...)), p)
		checkParts(t, p, parts)
		for i, part := range parts {
			_, entities, err := formattest.ParseHTML(p.Notice(part, "Hinweis").Text)
			if err != nil || len(entities) > p.Entities {
				t.Errorf("%s: part %d: %d entities, %v", name, i+1, len(entities), err)
			}
			size := 0
			for _, e := range entities {
				size += len(e.Arg)
			}
			if size > p.EntityBytes {
				t.Errorf("%s: part %d: %d bytes of entities", name, i+1, size)
			}
		}
	}
}

func TestNoMarkupFromText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("<>&\"'/ab=*_`[]()~|\\\x1b[31m;#!\u202e\n"))).Draw(t, "text")
		doc := formatting.Doc(formatting.Para(formatting.Text(s)), formatting.CodeBlock{Lang: s, Text: s}, formatting.Para(formatting.Code(s)))
		p := formatting.TelegramHTML()
		for _, part := range formatting.Render(doc, p) {
			_, entities, err := formattest.ParseHTML(part.Text)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entities {
				if e.Type != "code" && e.Type != "pre" {
					t.Fatalf("%q became %v", s, e)
				}
			}
		}
		for _, part := range formatting.Render(doc, formatting.Terminal(formatting.TerminalOptions{})) {
			if strings.Contains(part.Text, "\x1b") {
				t.Fatalf("%q reached the terminal as %q", s, part.Text)
			}
		}
		for _, part := range formatting.Render(doc, formatting.Terminal(formatting.TerminalOptions{Color: true})) {
			if rest := sgr.ReplaceAllString(part.Text, ""); strings.Contains(rest, "\x1b") {
				t.Fatalf("%q reached the terminal as %q", s, part.Text)
			}
		}
	})
}

func TestRenderNothing(t *testing.T) {
	docs := []formatting.Document{
		{},
		formatting.Doc(formatting.Para()),
		formatting.Doc(formatting.Para(formatting.Text(" \n\u200b\u00a0\u2060"), formatting.Break{})),
		formatting.Doc(formatting.CodeBlock{Text: "\n \n"}, formatting.Quoted(), formatting.List{Items: []formatting.Item{{}}}, formatting.Table{}),
		formatting.Doc(formatting.Head(1, formatting.Strong{}), formatting.Quoted(formatting.Para(formatting.Code("")))),
	}
	for i, doc := range docs {
		for _, p := range profiles() {
			if parts := formatting.Render(doc, p); len(parts) > 0 {
				t.Errorf("document %d for %s: got %q", i, p.Name, parts)
			}
		}
	}
}

func TestEmptyBlocksLeaveNoTrace(t *testing.T) {
	empty := []formatting.Block{formatting.Para(), formatting.CodeBlock{}, formatting.Quoted(formatting.Para()), formatting.List{Items: []formatting.Item{{}}}}
	want := formatting.Doc(formatting.Para(formatting.Text("a")), formatting.Para(formatting.Text("b")))
	got := formatting.Doc(want.Blocks[0])
	got.Add(empty...)
	got.Add(want.Blocks[1])
	got.Add(empty...)
	for _, p := range profiles() {
		if g, w := formatting.Render(got, p), formatting.Render(want, p); !reflect.DeepEqual(g, w) {
			t.Errorf("%s: got %q, want %q", p.Name, g, w)
		}
	}
}

func TestNotice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, _ := drawDocument(t)
		p := drawProfile(t)
		p.Reserve = rapid.SampledFrom([]int{8, 30, 64}).Draw(t, "reserve")
		text := rapid.SampledFrom([]string{"(möglicherweise doppelt)", "<b>&\n\x1b[1m", strings.Repeat("👩‍👩‍👧‍👦", 40)}).Draw(t, "text")
		var noted []formatting.Part
		for _, part := range formatting.Render(doc, p) {
			noted = append(noted, p.Notice(part, text))
			if got := noted[len(noted)-1]; !reflect.DeepEqual(got, part) && !strings.HasSuffix(got.Text, "\n"+part.Text) {
				t.Fatalf("notice changed %q to %q", part.Text, noted[len(noted)-1].Text)
			}
		}
		checkParts(t, p, noted)
	})
}

func TestNoticeText(t *testing.T) {
	part := formatting.Part{Text: "<b>a</b>", Plain: "a", Mode: "HTML"}
	got := formatting.TelegramHTML().Notice(part, "(möglicherweise <doppelt>)")
	want := formatting.Part{Text: "<i>(möglicherweise &lt;doppelt&gt;)</i>\n<b>a</b>", Plain: "(möglicherweise <doppelt>)\na", Mode: "HTML"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (formatting.Profile{Limit: 100}).Notice(part, "x"); !reflect.DeepEqual(got, part) {
		t.Errorf("without reserve: got %q", got)
	}
}

func TestDocumentText(t *testing.T) {
	doc := formatting.Doc(
		formatting.Head(2, formatting.Text("Titel")),
		formatting.Para(formatting.Bold("Fett"), formatting.Text(" und "), formatting.Italic("schräg"), formatting.Text(". "), formatting.Citation("C-0001")),
		formatting.Bullets(formatting.Line(formatting.Text("eins")), formatting.Line(formatting.Text("zwei"))),
		formatting.Numbered(formatting.Line(formatting.Text("drei"))),
	)
	if got, want := doc.Text(), "Titel\nFett und schräg. [C-0001]\n\n• eins\n• zwei\n\n1. drei"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
