//go:build peers

package render

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"outheis/formatting"
)

// TestTelegramShowsWhatTheDocumentMeans renders random documents and asks
// Telegram's parser what people see of them. Each word of a document is there
// once, in order, and wears what the document means it to: the oracle is the
// document, not the markup that was made of it.
func TestTelegramShowsWhatTheDocumentMeans(t *testing.T) {
	const documents, batch = 102_000, 400
	td := startTDLib(t)
	p := formatting.TelegramHTML()
	parts, words := 0, 0
	for first := 0; first < documents; first += batch {
		var drawn []*drawing
		var rendered [][]formatting.Part
		var texts []string
		for i := range batch {
			d := draw(uint64(first + i))
			list := formatting.Render(d.doc, p)
			drawn, rendered = append(drawn, d), append(rendered, list)
			for _, part := range list {
				texts = append(texts, part.Text)
			}
		}
		answers := td.parse(texts)
		parts += len(answers)
		for i, d := range drawn {
			mine := answers[:len(rendered[i])]
			answers = answers[len(rendered[i]):]
			words += len(d.words)
			if problem := d.judge(p, rendered[i], mine); problem != "" {
				t.Fatalf("document %d: %s\n%.2000q", d.seed, problem, rendered[i])
			}
		}
	}
	t.Logf("%d documents, %d parts, %d words: none refused, lost, doubled or dressed otherwise", documents, parts, words)
}

// A drawing is a random document, and what each of its words wears.
type drawing struct {
	seed  uint64
	r     *rand.Rand
	doc   formatting.Document
	words []string
	wears map[string]string // by word: the kinds of entity, sorted; "?" leaves them open
}

func draw(seed uint64) *drawing {
	d := &drawing{seed: seed, r: rand.New(rand.NewPCG(seed, 1)), wears: make(map[string]string)}
	depth, most := 2, 2
	if d.r.IntN(100) == 0 {
		most = 120 // several parts
	}
	d.doc.Blocks = d.blocks(depth, most, nil)
	return d
}

// marks are what documents hold beside words, to be taken for markup.
var marks = []string{"<b>", "</b>", "&amp;", "&lt", "*", "_", "`", "😀", "👩‍👩‍👧‍👦", "🇩🇪", "é", "語", "\u202e", "\x1b[1m", "\"", "~", "\u200b",
	"</pre>", "</blockquote>", "[", "](", "<a href=", "&#60;", "\\", "#", ">", "שלום"}

// word draws a word that is nowhere else, with what it wears.
func (d *drawing) word(wears []string) string {
	w := fmt.Sprintf("w%dx", len(d.words))
	d.words = append(d.words, w)
	sorted := slices.Sorted(slices.Values(wears))
	d.wears[w] = strings.Join(slices.Compact(sorted), " ")
	if d.r.IntN(4) == 0 {
		w += marks[d.r.IntN(len(marks))]
	}
	return w
}

func (d *drawing) line(wears []string) string {
	s := make([]string, 1+d.r.IntN(3))
	for i := range s {
		s[i] = d.word(wears)
	}
	return strings.Join(s, " ")
}

// with returns wears and one more, in a slice of its own.
func with(wears []string, kind string) []string { return append(slices.Clone(wears), kind) }

func (d *drawing) inlines(depth int, wears []string) []formatting.Inline {
	var list []formatting.Inline
	for range 1 + d.r.IntN(3) {
		kind := d.r.IntN(9)
		if depth == 0 {
			kind %= 4
		}
		switch kind {
		case 0, 1:
			list = append(list, formatting.Text(d.line(wears)+" "))
		case 2:
			list = append(list, formatting.Code(d.line([]string{"Code"})), formatting.Text(" "))
		case 3:
			list = append(list, formatting.Break{}, formatting.Text(d.line(wears)+" "))
		case 4:
			list = append(list, formatting.Strong{Inlines: d.inlines(depth-1, with(wears, "Bold"))}, formatting.Text(" "))
		case 5:
			list = append(list, formatting.Emphasis{Inlines: d.inlines(depth-1, with(wears, "Italic"))}, formatting.Text(" "))
		case 6:
			list = append(list, formatting.Strike{Inlines: d.inlines(depth-1, with(wears, "Strikethrough"))}, formatting.Text(" "))
		case 7:
			list = append(list, formatting.Text(d.line(wears)+". "), formatting.Citation(fmt.Sprintf("C-%04d", d.r.IntN(9999))), formatting.Text(" "))
		case 8:
			url := fmt.Sprintf("https://h%d.example/pfad?a=%d&b=<ü>", d.r.IntN(9), d.r.IntN(9))
			list = append(list, formatting.Link{URL: url, Inlines: []formatting.Inline{formatting.Text(d.line(with(wears, "TextUrl")))}}, formatting.Text(" "))
		}
	}
	return list
}

func (d *drawing) blocks(depth, most int, wears []string) []formatting.Block {
	var list []formatting.Block
	for range 1 + d.r.IntN(most) {
		kind := d.r.IntN(10)
		if depth == 0 {
			kind %= 4
		}
		switch kind {
		case 0, 1, 2:
			list = append(list, formatting.Paragraph{Inlines: d.inlines(2, wears)})
		case 3:
			list = append(list, formatting.Heading{Level: 1 + d.r.IntN(6), Inlines: []formatting.Inline{formatting.Text(d.line(with(wears, "Bold")))}})
		case 4:
			lines := make([]string, 1+d.r.IntN(3))
			lang := []string{"", "go", "c++", `"><b>`}[d.r.IntN(4)]
			for i := range lines {
				lines[i] = strings.Repeat(" ", d.r.IntN(3)) + d.line([]string{"Pre"})
			}
			list = append(list, formatting.CodeBlock{Lang: lang, Text: strings.Join(lines, "\n")})
		case 5, 6:
			l := formatting.List{Ordered: d.r.IntN(2) == 0, Start: d.r.IntN(100)}
			for range 1 + d.r.IntN(3) {
				l.Items = append(l.Items, formatting.Item{Task: formatting.Task(d.r.IntN(3)), Blocks: d.blocks(depth-1, 2, wears)})
			}
			list = append(list, l)
		case 7, 8:
			list = append(list, d.quote(depth, wears))
		case 9:
			list = append(list, d.table(), formatting.Rule{})
		}
	}
	return list
}

// quote draws a quotation. Telegram knows none inside of another, nor beside
// code, so that its words may lose what they wear around them.
func (d *drawing) quote(depth int, wears []string) formatting.Block {
	q := formatting.Quote{Expandable: d.r.IntN(2) == 0}
	kind := "BlockQuote"
	if q.Expandable {
		kind = "ExpandableBlockQuote"
	}
	if len(wears) > 0 {
		kind = "?"
	}
	q.Blocks = d.blocks(min(depth-1, 0), 3, with(wears, kind))
	return q
}

// table draws a table: the profile decides whether it is a grid or a list.
func (d *drawing) table() formatting.Table {
	var t formatting.Table
	open := []string{"?"}
	columns := 1 + d.r.IntN(3)
	for range columns {
		t.Head = append(t.Head, []formatting.Inline{formatting.Text(d.word(open))})
	}
	for range 1 + d.r.IntN(3) {
		var row [][]formatting.Inline
		for range columns {
			row = append(row, []formatting.Inline{formatting.Text(d.line(open))})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

var anyWord = regexp.MustCompile(`w[0-9]+x`)

// judge returns what is wrong with what people see of the document.
func (d *drawing) judge(p formatting.Profile, parts []formatting.Part, seen []answer) string {
	found := make(map[string]int)
	for i, a := range seen {
		if a.Error != "" {
			return "refused: " + a.Error
		}
		if n := p.Measure.Of(a.Text); n > p.Limit || len(parts[i].Text) > 32<<10 {
			return fmt.Sprintf("part %d has %d units and %d bytes", i, n, len(parts[i].Text))
		}
		if strings.TrimSpace(a.Text) == "" || strings.ContainsRune(a.Text, '\ufffd') {
			return fmt.Sprintf("part %d is empty or holds half a character", i)
		}
		units := utf16Offsets(a.Text)
		for _, at := range anyWord.FindAllStringIndex(a.Text, -1) {
			w := a.Text[at[0]:at[1]]
			found[w]++
			want, known := d.wears[w]
			if !known {
				return "a word that was never written: " + w
			}
			if got := wornAt(a.Entities, units[at[0]], units[at[1]]); !allowed(got, want) {
				return fmt.Sprintf("%s wears %q, want %q", w, got, want)
			}
		}
		if !slices.Equal(anyWord.FindAllString(parts[i].Plain, -1), anyWord.FindAllString(a.Text, -1)) {
			return fmt.Sprintf("the plain form of part %d has other words", i)
		}
	}
	for _, w := range d.words {
		// The head of a table that is shown as a list stands before each value.
		if n := found[w]; n == 0 || n > 1 && !strings.Contains(d.wears[w], "?") {
			return fmt.Sprintf("%s is there %d times", w, n)
		}
	}
	return ""
}

// utf16Offsets returns the offset in UTF-16 units of each byte at which a
// character begins, and of the end.
func utf16Offsets(s string) map[int]int {
	at := make(map[int]int, len(s)+1)
	n := 0
	for i, r := range s {
		at[i] = n
		if n++; r >= 0x10000 {
			n++
		}
	}
	at[len(s)] = n
	return at
}

// wornAt returns the kinds of the entities that cover a range, sorted; one
// that covers a part of it counts as "half".
func wornAt(entities []entity, from, to int) string {
	var all []string
	for _, e := range entities {
		switch end := e.Offset + e.Length; {
		case e.Offset <= from && end >= to:
			all = append(all, strings.TrimSuffix(e.Type, "Code")+codeOf(e.Type))
		case e.Offset < to && end > from:
			all = append(all, "half "+e.Type)
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " ")
}

// codeOf keeps "Code" as it is and makes "PreCode" a "Pre".
func codeOf(kind string) string {
	if kind == "Code" {
		return "Code"
	}
	return ""
}

// allowed reports whether a word wears what it should. Code stands alone for
// Telegram but for the quote around it; "?" leaves the rest open.
func allowed(got, want string) bool {
	if strings.Contains(got, "half") {
		return false
	}
	if strings.Contains(want, "?") {
		return true
	}
	if want == "Code" || want == "Pre" {
		return slices.Contains(strings.Fields(got), want)
	}
	return got == want
}
