package formatting_test

import (
	"reflect"
	"strings"
	"testing"

	. "outheis/formatting"
)

func TestParse(t *testing.T) {
	para := func(in ...Inline) Document { return Doc(Para(in...)) }
	text := func(s string) Document { return para(Text(s)) }
	tests := []struct {
		name, md string
		want     Document
	}{
		{"nothing", "", Document{}},
		{"blanks", " \n\t\n", Document{}},
		{"line ends", "a\nb  \nc\\\nd", para(Text("a"), Break{}, Text("b"), Break{}, Text("c"), Break{}, Text("d"))},
		{"styles", "**a** *b* ~~c~~ `d`", para(Bold("a"), Text(" "), Italic("b"), Text(" "), Strike{[]Inline{Text("c")}}, Text(" "), Code("d"))},
		{"nested styles", "***a***", para(Emphasis{[]Inline{Bold("a")}})},
		{"inside words", "fe**tt** snake_case_name", para(Text("fe"), Bold("tt"), Text(" snake_case_name"))},
		{"stars in words", "Nutzer*innen und Bürger*innen", text("Nutzer*innen und Bürger*innen")},
		{"sums", "2*3*4, 2**3**4, 3~5 bis 7~9", text("2*3*4, 2**3**4, 3~5 bis 7~9")},
		{"escapes", `a\*b\_c C:\Daten`, text(`a*b_c C:\Daten`)},
		{"references", "&lt;b&gt; &amp;amp; &#x27; &#0; &foo; &auml;", text("<b> &amp; ' \ufffd &foo; ä")},
		{"HTML inline", "<b>x</b> <a href='*y*'>", text("<b>x</b> <a href='*y*'>")},
		{"HTML block", "<div>\n**x**", para(Text("<div>"), Break{}, Bold("x"))},
		{"comment", "<!-- weg? -->", text("<!-- weg? -->")},
		{"citation", "Satz. [C-0012][hb/C-0001] [C-1]", para(Text("Satz. "), Citation("C-0012"), Citation("hb/C-0001"), Text(" [C-1]"))},
		{"citation that is a link", "[C-0012](https://e.example)", para(Link{"https://e.example", []Inline{Text("C-0012")}})},
		{"code with blanks", "a` b `c ` d ` e", para(Text("a "), Code("b"), Text(" c "), Code("d"), Text(" e"))},
		{"heading", "## a *b* ##", Doc(Heading{2, []Inline{Text("a "), Italic("b")}})},
		{"list", "3. a\n4. b", Doc(List{Ordered: true, Start: 3, Items: []Item{{Blocks: []Block{Para(Text("a"))}}, {Blocks: []Block{Para(Text("b"))}}}})},
		{"tasks", "- [ ] a\n- [x] b", Doc(List{Items: []Item{{TaskOpen, []Block{Para(Text("a"))}}, {TaskDone, []Block{Para(Text("b"))}}}})},
		{"quote", "> a\n> > b", Doc(Quote{Blocks: []Block{Para(Text("a")), Quoted(Para(Text("b")))}})},
		{"code", "```go\nx  y\n\nz\n```", Doc(CodeBlock{"go", "x  y\n\nz"})},
		{"code without end", "```\n**x**", Doc(CodeBlock{"", "**x**"})},
		{"code with words", "```go x=1\ny\n```", Doc(CodeBlock{"go x=1", "y"})},
		{"rule", "---", Doc(Rule{})},
		{"link", `[a](https://e.example "T")`, para(Link{"https://e.example", []Inline{Text("a")}}, Text(" (T)"))},
		{"addresses", "https://e.example/a_b, <ftp://x/y> a_b@c.example", para(
			Link{"https://e.example/a_b", []Inline{Text("https://e.example/a_b")}}, Text(", "),
			Link{"ftp://x/y", []Inline{Text("ftp://x/y")}}, Text(" "),
			Link{"mailto:a_b@c.example", []Inline{Text("a_b@c.example")}})},
		{"image", "![a](b.png)", para(Link{"b.png", []Inline{Text("a")}})},
		{"definition", "[a][1]\n\n[1]: <https://e.example>", para(Link{"https://e.example", []Inline{Text("a")}})},
		{"definition not used", "[1]: https://e.example", text("[1]: https://e.example")},
		{"definition twice", "[1]: /a\n[1]: /b\n\n[1]", Doc(Para(Text("[1]: /b")), Para(Link{"/a", []Inline{Text("1")}}))},
		{"footnote", "[^1]: Text", text("[^1]: Text")},
		{"table", "|a|b|\n|:-|-:|\n|1|`x\\|y`|z|\n|2|", Doc(Table{
			Head:  [][]Inline{{Text("a")}, {Text("b")}},
			Align: []Align{AlignLeft, AlignRight},
			Rows:  [][][]Inline{{{Text("1")}, {Code("x|y"), Text("|z")}}, {{Text("2")}}},
		})},
		{"table under text", "vor\n|a|\n|-|\n|1|", Doc(Para(Text("vor")), Table{
			Head: [][]Inline{{Text("a")}}, Align: []Align{AlignNone}, Rows: [][][]Inline{{{Text("1")}}},
		})},
		{"no table", "|a|b|\n|c|d|", para(Text("|a|b|"), Break{}, Text("|c|d|"))},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Parse(test.md); !reflect.DeepEqual(got, test.want) {
				t.Errorf("Parse(%q)\n got %#v\nwant %#v", test.md, got, test.want)
			}
		})
	}
}

func TestParseKeepsTheTextOfDeepNesting(t *testing.T) {
	doc := Parse(strings.Repeat("> ", 10_000) + "Boden")
	if got := doc.Text(); !strings.HasSuffix(got, "Boden") {
		t.Errorf("got %.100q", got)
	}
	depth := 0
	for blocks := doc.Blocks; len(blocks) == 1; depth++ {
		quote, ok := blocks[0].(Quote)
		if !ok {
			break
		}
		blocks = quote.Blocks
	}
	if depth == 0 || depth > 40 {
		t.Errorf("got %d nested quotes", depth)
	}
}
