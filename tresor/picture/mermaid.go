package picture

import (
	"bytes"
	"fmt"
	"strings"

	"outheis/tresor"
)

// Mermaid returns the graph as a flow chart of Mermaid. Equal pages give equal
// bytes. Most programs that show Mermaid refuse more than 500 relations.
func Mermaid(pages []tresor.Page) []byte {
	d := draw(pages)
	var b bytes.Buffer
	b.WriteString("flowchart LR\n")
	classes := map[look]string{}
	var order []look
	members := map[look][]string{}
	for i, g := range d.domains {
		fmt.Fprintf(&b, "  subgraph d%d[%s]\n", i+1, text(g.name))
		for _, n := range g.nodes {
			fmt.Fprintf(&b, "    %s[%s]\n", n.id, text(label(n)...))
			l := looks(n)
			if classes[l] == "" {
				classes[l] = fmt.Sprintf("c%d", len(classes)+1)
				order = append(order, l)
			}
			members[l] = append(members[l], n.id)
		}
		b.WriteString("  end\n")
	}
	for _, e := range d.edges {
		fmt.Fprintf(&b, "  %s -->|%s| %s\n", e.from, text(e.label), e.to)
	}
	for i, e := range d.edges {
		if c := colour(e.label); c != plain {
			fmt.Fprintf(&b, "  linkStyle %d stroke:%s\n", i, c)
		}
	}
	for _, l := range order {
		dashes := map[string]string{"dashed": ",stroke-dasharray:6 4", "dotted": ",stroke-dasharray:2 3"}[l.line]
		fmt.Fprintf(&b, "  classDef %s fill:%s,stroke:#555555,color:#000000%s\n", classes[l], l.fill, dashes)
		fmt.Fprintf(&b, "  class %s %s\n", strings.Join(members[l], ","), classes[l])
	}
	return b.Bytes()
}

// text returns lines as a quoted text of Mermaid. Whatever could mean something
// there, in the Markdown that it is read as or in the HTML that becomes of it, is
// written as the number of its character.
func text(lines ...string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, line := range lines {
		if i > 0 {
			b.WriteString("<br/>")
		}
		for _, r := range line {
			if r < 0x80 && !harmless(byte(r)) {
				fmt.Fprintf(&b, "#%d;", r)
			} else {
				b.WriteRune(r)
			}
		}
	}
	if b.Len() == 1 {
		b.WriteByte(' ') // Mermaid refuses an empty text
	}
	b.WriteByte('"')
	return b.String()
}

// harmless reports whether an ASCII character means nothing in a text.
func harmless(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == ' ' || c == ','
}
