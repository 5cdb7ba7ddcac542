package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"outheis/tresor"
)

// DOT returns the graph in the language of Graphviz. Equal pages give equal
// bytes.
func DOT(pages []tresor.Page) []byte {
	d := draw(pages)
	var b bytes.Buffer
	b.WriteString(`digraph tresor {
  charset="UTF-8"
  rankdir="LR"
  fontname="Helvetica"
  node [shape="box", fontname="Helvetica", fontsize="11", color="#555555", margin="0.14,0.08"]
  edge [fontname="Helvetica", fontsize="9"]
`)
	for i, g := range d.domains {
		fmt.Fprintf(&b, "  subgraph cluster_%d {\n    label=%s\n    style=\"rounded\"\n    color=\"#aaaaaa\"\n", i+1, quoted(g.name))
		for _, n := range g.nodes {
			l := looks(n)
			fmt.Fprintf(&b, "    %s [label=%s, tooltip=%s, style=\"filled,%s\", fillcolor=\"%s\"]\n",
				n.id, quoted(label(n)...), quoted(n.path), l.line, l.fill)
		}
		b.WriteString("  }\n")
	}
	for _, e := range d.edges {
		c := colour(e.label)
		fmt.Fprintf(&b, "  %s -> %s [label=%s, color=\"%s\", fontcolor=\"%s\"]\n", e.from, e.to, quoted(e.label), c, c)
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// label returns the lines of a node.
func label(n node) []string {
	if n.remark == "" {
		return n.lines
	}
	return append(append([]string(nil), n.lines...), "("+n.remark+")")
}

// quoted returns lines as a string of DOT. In one, a backslash begins an escape
// and an ampersand an entity; no other character means anything.
func quoted(lines ...string) string {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`, "\n", `\n`)
	return `"` + escape.Replace(strings.Join(lines, "\n")) + `"`
}

// ErrNoGraphviz says that there is no Graphviz to make an image with.
var ErrNoGraphviz = errors.New("picture: there is no program dot")

// SVG has the program dot of a local Graphviz lay out what [DOT] returned. The
// error is [ErrNoGraphviz], that of ctx, or what the program said.
//
// Graphviz is not built in: as a library it adds 7 to 24 MiB to the program and
// up to 0.7 s to every start of it.
func SVG(ctx context.Context, dot []byte) ([]byte, error) {
	program, err := exec.LookPath("dot")
	if err != nil {
		return nil, ErrNoGraphviz
	}
	cmd := exec.CommandContext(ctx, program, "-Tsvg")
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(dot), &out, &said
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		first, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		return nil, fmt.Errorf("picture: run dot: %w: %s", err, first)
	case !bytes.Contains(out.Bytes(), []byte("</svg>")):
		return nil, errors.New("picture: run dot: it made no image")
	}
	return out.Bytes(), nil
}
