package formatting_test

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"outheis/formatting"
)

// A documents generator draws documents whose words are all different, so
// that a test can find each of them again.
type documents struct {
	t     *rapid.T
	n     int // words drawn so far
	cited map[string]string
}

func (d *documents) intn(n int) int { return rapid.IntRange(0, n-1).Draw(d.t, "n") }

var spices = []string{"ä", "ß", "<b>", "&amp;", "*", "_", "`", "🙂", "👩‍👩‍👧‍👦", "é", "語", "\u202e", "\x1b[1m", "\"", "~", "\u200b", "</pre>", "https://", "[", "]("}

func (d *documents) word() string {
	d.n++
	w := fmt.Sprintf("w%dx", d.n)
	if d.intn(4) == 0 {
		w += spices[d.intn(len(spices))]
	}
	return w
}

func (d *documents) words() string {
	s := make([]string, 1+d.intn(8))
	for i := range s {
		s[i] = d.word()
	}
	return strings.Join(s, " ") + []string{"", ".", "!", ","}[d.intn(4)]
}

func (d *documents) inlines(depth int) []formatting.Inline {
	var list []formatting.Inline
	for range 1 + d.intn(4) {
		kind := d.intn(10)
		if depth == 0 {
			kind %= 4
		}
		switch kind {
		case 0, 1:
			list = append(list, formatting.Text(d.words()+" "))
		case 2:
			list = append(list, formatting.Code(d.words()), formatting.Text(" "))
		case 3:
			list = append(list, formatting.Break{})
		case 4:
			list = append(list, formatting.Strong{Inlines: d.inlines(depth - 1)}, formatting.Text(" "))
		case 5:
			list = append(list, formatting.Emphasis{Inlines: d.inlines(depth - 1)}, formatting.Text(" "))
		case 6:
			list = append(list, formatting.Strike{Inlines: d.inlines(depth - 1)}, formatting.Text(" "))
		case 7, 8:
			list = append(list, d.cite()...)
		case 9:
			d.n++
			url := fmt.Sprintf("https://h%d.example/w%dx", d.intn(9), d.n)
			list = append(list, formatting.Link{URL: url, Inlines: d.inlines(0)}, formatting.Text(" "))
		}
	}
	return list
}

// cite draws a sentence with its citation and remembers which word has to
// stand before which mark.
func (d *documents) cite() []formatting.Inline {
	d.n++
	last := fmt.Sprintf("z%dx", d.n)
	id := fmt.Sprintf("C-%04d", d.n)
	d.cited[id] = last
	return []formatting.Inline{formatting.Text(d.words() + " " + last + ". "), formatting.Citation(id), formatting.Text(" ")}
}

func (d *documents) blocks(depth int) []formatting.Block {
	var list []formatting.Block
	for range 1 + d.intn(5) {
		kind := d.intn(9)
		if depth == 0 {
			kind %= 5
		}
		switch kind {
		case 0, 1, 2:
			list = append(list, formatting.Para(d.inlines(2)...))
		case 3:
			list = append(list, formatting.Head(1+d.intn(6), d.inlines(1)...))
		case 4:
			lines := make([]string, 1+d.intn(12))
			for i := range lines {
				lines[i] = strings.Repeat(" ", d.intn(3)) + d.words()
			}
			list = append(list, formatting.CodeBlock{Lang: []string{"", "go", "c++"}[d.intn(3)], Text: strings.Join(lines, "\n")})
		case 5, 6:
			l := formatting.List{Ordered: d.intn(2) == 0, Start: d.intn(100)}
			for range 1 + d.intn(4) {
				l.Items = append(l.Items, formatting.Item{Task: formatting.Task(d.intn(3)), Blocks: d.blocks(depth - 1)})
			}
			list = append(list, l)
		case 7:
			list = append(list, formatting.Quote{Blocks: d.blocks(depth - 1), Expandable: d.intn(2) == 0})
		case 8:
			t := formatting.Table{}
			columns := 1 + d.intn(4)
			for range columns {
				t.Head = append(t.Head, d.inlines(0))
			}
			for range d.intn(4) {
				var row [][]formatting.Inline
				for range columns {
					row = append(row, d.inlines(d.intn(2)))
				}
				t.Rows = append(t.Rows, row)
			}
			list = append(list, t)
		}
	}
	return list
}

// A citedDocument is one with, for each citation in it, the last word of its
// sentence.
type citedDocument struct {
	doc   formatting.Document
	cited map[string]string
}

func drawDocument(t *rapid.T) (formatting.Document, map[string]string) {
	drawn := rapid.Custom(func(t *rapid.T) citedDocument {
		d := &documents{t: t, cited: make(map[string]string)}
		return citedDocument{formatting.Document{Blocks: d.blocks(3)}, d.cited}
	}).Draw(t, "document")
	return drawn.doc, drawn.cited
}

// drawProfile returns one of the ready profiles, often with a smaller limit.
func drawProfile(t *rapid.T) formatting.Profile {
	p := rapid.SampledFrom(profiles()).Draw(t, "profile")
	p.Limit = rapid.SampledFrom([]int{0, p.Limit, 120, 250, 700}).Draw(t, "limit")
	p.Measure = rapid.SampledFrom([]formatting.Measure{formatting.Runes, formatting.Bytes, formatting.UTF16, formatting.RunesOrUTF16}).Draw(t, "measure")
	p.Reserve = rapid.SampledFrom([]int{0, 30}).Draw(t, "reserve")
	p.Numbered = rapid.Bool().Draw(t, "numbered")
	p.TableWidth = rapid.SampledFrom([]int{0, 30, 100}).Draw(t, "table width")
	return p
}
