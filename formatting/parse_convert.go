package formatting

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	tableast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/util"
)

// A converter turns goldmark's tree into a Document.
type converter struct {
	source    []byte
	continued map[int]bool
	// used are the labels of link definitions that links refer to, unaffordable
	// the links that do not get their target: a long target in a definition and
	// many short references would make a text grow without bounds.
	used         map[string]bool
	unaffordable map[ast.Node]bool
	inTable      bool
}

func newConverter(source []byte, pc parser.Context, tree ast.Node) *converter {
	c := &converter{source: source, used: make(map[string]bool), unaffordable: make(map[ast.Node]bool)}
	c.continued, _ = pc.Get(continued).(map[int]bool)
	if len(pc.References()) == 0 {
		return c
	}
	budget := 64<<10 + len(source)
	_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		var reference *ast.ReferenceLink
		var size int
		switch n := n.(type) {
		case *ast.Link:
			reference, size = n.Reference, len(n.Destination)+len(n.Title)
		case *ast.Image:
			reference, size = n.Reference, len(n.Destination)+len(n.Title)
		}
		if !entering || reference == nil {
			return ast.WalkContinue, nil
		}
		if budget -= size; budget < 0 {
			c.unaffordable[n] = true
		} else {
			c.used[util.ToLinkReference(reference.Value)] = true
		}
		return ast.WalkContinue, nil
	})
	return c
}

func (c *converter) document(n ast.Node) Document { return Document{Blocks: c.blocks(n)} }

func (c *converter) blocks(parent ast.Node) []Block {
	var blocks []Block
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Paragraph, *ast.TextBlock:
			inlines := c.inlines(n)
			if c.continues(blocks, n, inlines) {
				continue
			}
			if len(inlines) > 0 {
				blocks = append(blocks, Paragraph{Inlines: inlines})
			}
		case *ast.Heading:
			blocks = append(blocks, Heading{Level: n.Level, Inlines: c.inlines(n)})
		case *ast.Blockquote:
			blocks = append(blocks, Quote{Blocks: c.blocks(n)})
		case *ast.List:
			blocks = append(blocks, c.list(n))
		case *ast.FencedCodeBlock:
			lang := ""
			if n.Info != nil {
				lang = c.literal(n.Info.Segment.Value(c.source))
			}
			blocks = append(blocks, CodeBlock{Lang: lang, Text: c.lines(n)})
		case *ast.CodeBlock:
			blocks = append(blocks, CodeBlock{Text: c.lines(n)})
		case *ast.ThematicBreak:
			blocks = append(blocks, Rule{})
		case *tableast.Table:
			blocks = append(blocks, c.table(n))
		case *definition:
			if !c.used[n.label] {
				blocks = append(blocks, Para(Text(strings.TrimSpace(c.lines(n)))))
			}
			c.used[n.label] = false // a second definition of the same label has no effect
		}
	}
	return blocks
}

// continues adds inlines to the last block if the paragraph n is a
// continuation of it.
func (c *converter) continues(blocks []Block, n ast.Node, inlines []Inline) bool {
	if len(blocks) == 0 || n.Lines().Len() == 0 {
		return false
	}
	ownLine, ok := c.continued[n.Lines().At(0).Start]
	p, isParagraph := blocks[len(blocks)-1].(Paragraph)
	if !ok || !isParagraph {
		return false
	}
	if _, broken := p.Inlines[len(p.Inlines)-1].(Break); ownLine && !broken {
		p.Inlines = append(p.Inlines, Break{})
	}
	p.Inlines = append(p.Inlines, inlines...)
	blocks[len(blocks)-1] = p
	return true
}

func (c *converter) lines(n ast.Node) string {
	return strings.TrimSuffix(string(n.Lines().Value(c.source)), "\n")
}

func (c *converter) list(n *ast.List) List {
	list := List{Ordered: n.IsOrdered(), Start: n.Start}
	for i := n.FirstChild(); i != nil; i = i.NextSibling() {
		item := Item{Blocks: c.blocks(i)}
		if first := i.FirstChild(); first != nil {
			if box, ok := first.FirstChild().(*tableast.TaskCheckBox); ok {
				item.Task = TaskOpen
				if box.IsChecked {
					item.Task = TaskDone
				}
			}
		}
		list.Items = append(list.Items, item)
	}
	return list
}

func (c *converter) table(n *tableast.Table) Table {
	c.inTable = true
	defer func() { c.inTable = false }()
	var t Table
	for _, a := range n.Alignments {
		switch a {
		case tableast.AlignLeft:
			t.Align = append(t.Align, AlignLeft)
		case tableast.AlignCenter:
			t.Align = append(t.Align, AlignCenter)
		case tableast.AlignRight:
			t.Align = append(t.Align, AlignRight)
		default:
			t.Align = append(t.Align, AlignNone)
		}
	}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells [][]Inline
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, c.inlines(cell))
		}
		if _, ok := row.(*tableast.TableHeader); ok {
			t.Head = cells
		} else {
			t.Rows = append(t.Rows, cells)
		}
	}
	return t
}

// inlines converts the children of a node.
func (c *converter) inlines(parent ast.Node) []Inline {
	var list []Inline
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			list = appendText(list, text.String())
			text.Reset()
		}
	}
	add := func(in Inline) {
		flush()
		list = append(list, in)
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			if value := n.Segment.Value(c.source); n.IsRaw() {
				text.Write(value)
			} else {
				text.WriteString(c.literal(value))
			}
			if n.HardLineBreak() || n.SoftLineBreak() {
				add(Break{})
			}
		case *ast.String:
			text.Write(n.Value)
		case *ast.RawHTML:
			text.Write(n.Segments.Value(c.source))
		case *ast.CodeSpan:
			before, after := c.strippedBlanks(n)
			if before && endsInWord(text.String()) {
				text.WriteByte(' ')
			}
			add(Code(c.codeSpan(n)))
			if after {
				text.WriteByte(' ')
			}
		case *ast.Emphasis:
			if n.Level == 2 {
				add(Strong{Inlines: c.inlines(n)})
			} else {
				add(Emphasis{Inlines: c.inlines(n)})
			}
		case *tableast.Strikethrough:
			add(Strike{Inlines: c.inlines(n)})
		case *ast.AutoLink:
			label, url := string(n.Label(c.source)), string(n.URL(c.source))
			if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(url), "mailto:") {
				url = "mailto:" + url
			}
			add(Link{URL: url, Inlines: []Inline{Text(label)}})
		case *ast.Link:
			flush()
			list = append(list, c.link(n, n.Destination, n.Title)...)
		case *ast.Image:
			flush()
			list = append(list, c.link(n, n.Destination, n.Title)...)
		}
	}
	flush()
	return list
}

// link converts a link or an image; a title is shown behind it.
func (c *converter) link(n ast.Node, destination, title []byte) []Inline {
	label := c.inlines(n)
	if c.unaffordable[n] {
		return label
	}
	list := []Inline{Link{URL: c.literal(destination), Inlines: label}}
	if len(bytes.TrimSpace(title)) > 0 {
		list = append(list, Text(" ("+c.literal(title)+")"))
	}
	return list
}

func (c *converter) codeSpan(n *ast.CodeSpan) string {
	var b strings.Builder
	for t := n.FirstChild(); t != nil; t = t.NextSibling() {
		if t, ok := t.(*ast.Text); ok {
			b.Write(t.Segment.Value(c.source))
		}
	}
	code := strings.ReplaceAll(b.String(), "\n", " ")
	if c.inTable {
		code = strings.ReplaceAll(code, `\|`, "|")
	}
	return code
}

// strippedBlanks reports whether CommonMark took a blank from the start of a
// code span, and whether it took one from its end that kept its last word from
// the one behind it. Such blanks have to come back, or words would be glued.
func (c *converter) strippedBlanks(n *ast.CodeSpan) (before, after bool) {
	first, ok1 := n.FirstChild().(*ast.Text)
	last, ok2 := n.LastChild().(*ast.Text)
	if !ok1 || !ok2 {
		return false, false
	}
	isBlank := func(i int) bool { return i >= 0 && i < len(c.source) && (c.source[i] == ' ' || c.source[i] == '\n') }
	before = isBlank(first.Segment.Start - 1)
	if i := last.Segment.Stop; isBlank(i) {
		rest := bytes.TrimLeft(c.source[i+1:min(len(c.source), i+64)], "`")
		r, _ := utf8.DecodeRune(rest)
		after = unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	return before, after
}

func endsInWord(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// literal resolves backslash escapes and character references.
func (c *converter) literal(s []byte) string {
	if bytes.IndexByte(s, '\\') < 0 && bytes.IndexByte(s, '&') < 0 {
		return string(s)
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && util.IsPunct(s[i+1]):
			i++
			b.WriteByte(s[i])
		case s[i] == '&':
			r, n := reference(s[i:])
			b.WriteString(r)
			i += n - 1
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// reference resolves the character reference that s begins with, and returns
// how many bytes it takes; it returns "&" where there is none.
func reference(s []byte) (string, int) {
	const longest = 34
	end := bytes.IndexByte(s[:min(len(s), longest)], ';')
	if end < 2 {
		return "&", 1
	}
	if s[1] == '#' {
		if r := util.ResolveNumericReferences(s[:end+1]); len(r) <= 4 && !bytes.HasPrefix(r, []byte("&#")) {
			return string(r), end + 1
		}
		return "&", 1
	}
	if e, ok := util.LookUpHTML5EntityByName(string(s[1:end])); ok {
		return string(e.Characters), end + 1
	}
	return "&", 1
}

var citationMark = regexp.MustCompile(`\[(?:[\pL\pN._-]{1,64}/)?C-[0-9]{4,}\]`)

// appendText adds s, in which marks such as [C-0001] become citations.
func appendText(list []Inline, s string) []Inline {
	for strings.Contains(s, "C-") {
		m := citationMark.FindStringIndex(s)
		if m == nil {
			break
		}
		if m[0] > 0 {
			list = append(list, Text(s[:m[0]]))
		}
		list = append(list, Citation(s[m[0]+1:m[1]-1]))
		s = s[m[1]:]
	}
	if s != "" {
		list = append(list, Text(s))
	}
	return list
}
