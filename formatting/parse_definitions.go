package formatting

import (
	"regexp"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// definitions is the paragraph transformer for link definitions such as
// [1]: https://example.org "Titel". It knows those that take one line, and
// leaves footnotes alone. It keeps what it found in the tree, so that a
// definition that nothing refers to can be shown.
type definitions struct{}

var (
	definitionLine = regexp.MustCompile(`^ {0,3}\[((?:[^\[\]\\]|\\.){1,999})\]:[ \t]*(<[^<>\n]*>|[^\s<]\S*)(?:[ \t]+("[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?\s*$`)
	kindDefinition = ast.NewNodeKind("Definition")
)

// A definition is a line that defines a link.
type definition struct {
	ast.BaseBlock
	label string // normalised
}

func (d *definition) Kind() ast.NodeKind            { return kindDefinition }
func (d *definition) IsRaw() bool                   { return true }
func (d *definition) Dump(source []byte, level int) { ast.DumpHelper(d, source, level, nil, nil) }

func (definitions) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines := node.Lines()
	source := reader.Source()
	n := 0
	for ; n < lines.Len(); n++ {
		s := lines.At(n)
		if s.Len() > 2*maxURL {
			break
		}
		m := definitionLine.FindSubmatch(s.Value(source))
		if m == nil || m[1][0] == '^' || util.IsBlank(m[1]) {
			break
		}
		destination := m[2]
		if destination[0] == '<' {
			destination = destination[1 : len(destination)-1]
		}
		var title []byte
		if len(m[3]) > 0 {
			title = m[3][1 : len(m[3])-1]
		}
		pc.AddReference(parser.NewReference(m[1], destination, title))
		d := &definition{label: util.ToLinkReference(m[1])}
		d.Lines().Append(s)
		node.Parent().InsertBefore(node.Parent(), node, d)
	}
	switch {
	case n == 0:
	case n == lines.Len():
		node.Parent().RemoveChild(node.Parent(), node)
	default:
		lines.SetSliced(n, lines.Len())
	}
}
