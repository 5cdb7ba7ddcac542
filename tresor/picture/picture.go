// Package picture draws the knowledge graph of a Tresor: its pages, grouped by
// domain, and the relations between them.
//
// [DOT] writes it for Graphviz and [Mermaid] for the many programs that show
// Mermaid; [SVG] has Graphviz make an image. The package lays out nothing
// itself. What stands in a page is text and stays text: no title can end a
// label, add an element or turn the direction of writing.
package picture

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"outheis/tresor"
	"outheis/tresor/internal/wording"
)

// The size of a label: longer titles are wrapped, and cut in the end.
const (
	lineWidth = 28
	maxTitle  = 120
)

// A drawing is what both languages draw.
type drawing struct {
	domains []domain
	edges   []edge
}

type domain struct {
	name  string
	nodes []node
}

type node struct {
	id                         string // of the node in the picture, as "n3"
	lines                      []string
	path                       string
	status, confidence, remark string
}

type edge struct{ from, to, label string }

// draw numbers the pages, in their order, and gathers them by domain, by name.
// Each relation is drawn once; one that leads to no page is left out.
func draw(pages []tresor.Page) drawing {
	var d drawing
	ids := map[string]string{}
	at := map[string]int{}
	for _, p := range pages {
		if _, ok := at[p.Domain]; !ok {
			at[p.Domain] = 0
			d.domains = append(d.domains, domain{name: p.Domain})
		}
	}
	slices.SortFunc(d.domains, func(a, b domain) int { return strings.Compare(a.name, b.name) })
	for i, g := range d.domains {
		at[g.name] = i
	}
	for i, p := range pages {
		n := node{id: "n" + strconv.Itoa(i+1), lines: wrap(visible(p.Title)), path: visible(p.Path), status: p.Status, confidence: p.Confidence}
		var remarks []string
		if p.Status != "aktiv" {
			remarks = append(remarks, p.Status)
		}
		if p.Confidence != "hoch" {
			remarks = append(remarks, "Konfidenz "+p.Confidence)
		}
		n.remark = visible(strings.Join(remarks, ", "))
		ids[p.Path] = n.id
		g := &d.domains[at[p.Domain]]
		g.nodes = append(g.nodes, n)
	}
	for i := range d.domains {
		d.domains[i].name = visible(d.domains[i].name)
	}
	drawn := map[edge]bool{}
	for _, p := range pages {
		for _, r := range p.Relations {
			e := edge{ids[p.Path], ids[r.Target], visible(r.Type)}
			if e.to != "" && !drawn[e] {
				drawn[e] = true
				d.edges = append(d.edges, e)
			}
		}
	}
	return d
}

// visible returns s as it can be shown in one line: blanks of all kinds are one
// blank, and what is not printed is written out.
func visible(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Zs, r) {
			return ' '
		}
		return r
	}, s)
	return wording.Printable(strings.Join(strings.Fields(s), " "))
}

// wrap breaks a title into lines at its blanks.
func wrap(title string) []string {
	if r := []rune(title); len(r) > maxTitle {
		title = string(r[:maxTitle-1]) + "…"
	}
	lines := []string{""}
	width := 0
	for _, word := range strings.Fields(title) {
		n := len([]rune(word))
		last := len(lines) - 1
		switch {
		case width == 0:
			lines[last], width = word, n
		case width+1+n <= lineWidth:
			lines[last], width = lines[last]+" "+word, width+1+n
		default:
			lines, width = append(lines, word), n
		}
	}
	return lines
}

// A look is how a status or a confidence shows.
type look struct{ line, fill string }

// looks returns the border of a status and the colour of a confidence. They
// never say anything alone: the label has both in words.
func looks(n node) look {
	l := look{line: "solid", fill: "#e3f1df"}
	switch n.status {
	case "veraltet":
		l.line = "dashed"
	case "in-pruefung":
		l.line = "dotted"
	}
	switch n.confidence {
	case "mittel":
		l.fill = "#fdf3d0"
	case "niedrig":
		l.fill = "#f8dcd4"
	}
	return l
}

// plain is the colour of most lines.
const plain = "#555555"

// colour is that of a relation.
func colour(relation string) string {
	return cmp.Or(map[string]string{"widerspricht": "#b3261e", "ersetzt": "#1f4e8c"}[relation], plain)
}
