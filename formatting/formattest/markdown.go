package formattest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tableast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// ParseMattermost reads text as GitHub does and returns what a reader sees: the
// text with its line ends, marks of lists as "-", numbers and boxes, tables
// with pipes, code as it stands, and nothing for quotes; and what is marked up.
// It refuses HTML, images, definitions and code that is only set in, which a
// careful renderer escapes.
func ParseMattermost(s string) (string, []Entity, error) {
	return parseMarkdown(s, true, extension.Table, extension.Strikethrough, extension.TaskList)
}

// ParseDiscord is as [ParseMattermost], without what Discord does not know:
// tables, tasks and character references.
func ParseDiscord(s string) (string, []Entity, error) {
	return parseMarkdown(s, false)
}

// discordParser is goldmark's without code that is set in, which Discord does
// not know.
func discordParser() parser.Parser {
	var blocks []util.PrioritizedValue
	for _, b := range parser.DefaultBlockParsers() {
		switch b.Value {
		case parser.NewCodeBlockParser():
		case parser.NewParagraphParser():
			blocks = append(blocks, util.Prioritized(setIn{parser.NewParagraphParser()}, b.Priority))
		default:
			blocks = append(blocks, b)
		}
	}
	return parser.NewParser(
		parser.WithBlockParsers(blocks...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
}

// setIn is a block parser that also takes lines that are set in.
type setIn struct{ parser.BlockParser }

func (setIn) CanAcceptIndentedLine() bool { return true }

func parseMarkdown(s string, references bool, extensions ...goldmark.Extender) (string, []Entity, error) {
	source := []byte(s)
	md := goldmark.New(goldmark.WithExtensions(extensions...))
	if !references {
		md.SetParser(discordParser())
		extension.Strikethrough.Extend(md)
	}
	r := markdownReader{source: source, references: references}
	tree := md.Parser().Parse(text.NewReader(source))
	if err := ast.Walk(tree, r.visit); err != nil {
		return "", nil, err
	}
	return r.text.String(), r.entities, nil
}

type markdownReader struct {
	source     []byte
	references bool // it knows character references
	text       strings.Builder
	units      int
	open       []int
	entities   []Entity
}

func (r *markdownReader) write(s string) {
	r.text.WriteString(s)
	for _, c := range s {
		r.units += utf16.RuneLen(c)
	}
}

// line ends the line in hand.
func (r *markdownReader) line() {
	if s := r.text.String(); s != "" && !strings.HasSuffix(s, "\n") {
		r.write("\n")
	}
}

func (r *markdownReader) mark(entering bool, kind, arg string) {
	if entering {
		r.open = append(r.open, len(r.entities))
		r.entities = append(r.entities, Entity{Type: kind, Offset: r.units, Arg: arg})
		return
	}
	n := len(r.open) - 1
	e := &r.entities[r.open[n]]
	e.Length = r.units - e.Offset
	r.open = r.open[:n]
}

func (r *markdownReader) visit(n ast.Node, entering bool) (ast.WalkStatus, error) {
	switch n := n.(type) {
	case *ast.Document:
	case *ast.Paragraph, *ast.TextBlock:
		if !entering {
			r.line()
		}
	case *ast.Heading:
		r.mark(entering, "h", strconv.Itoa(n.Level))
		if !entering {
			r.line()
		}
	case *ast.Blockquote:
		r.mark(entering, "blockquote", "")
	case *ast.List:
	case *ast.ListItem:
		list := n.Parent().(*ast.List)
		switch {
		case !entering:
			r.line()
		case list.IsOrdered():
			i := 0
			for before := n.PreviousSibling(); before != nil; before = before.PreviousSibling() {
				i++
			}
			r.write(strconv.Itoa(list.Start+i) + ". ")
		default:
			r.write("- ")
		}
	case *tableast.TaskCheckBox:
		if entering {
			r.write(map[bool]string{true: "[x] ", false: "[ ] "}[n.IsChecked])
		}
	case *ast.FencedCodeBlock:
		if entering {
			r.mark(true, "pre", string(n.Language(r.source)))
			r.write(string(n.Lines().Value(r.source)))
			r.mark(false, "pre", "")
		}
	case *ast.ThematicBreak:
		if entering {
			r.write("***\n")
		}
	case *tableast.Table:
		r.mark(entering, "table", "")
	case *tableast.TableHeader:
		if !entering {
			r.write("|\n")
			for range n.ChildCount() {
				r.write("|---")
			}
			r.write("|\n")
		}
	case *tableast.TableRow:
		if !entering {
			r.write("|\n")
		}
	case *tableast.TableCell:
		if entering {
			r.write("|")
		}
	case *ast.Emphasis:
		r.mark(entering, []string{"i", "b"}[n.Level-1], "")
	case *tableast.Strikethrough:
		r.mark(entering, "s", "")
	case *ast.CodeSpan:
		r.mark(entering, "code", "")
	case *ast.Link:
		r.mark(entering, "a", string(n.Destination))
	case *ast.AutoLink:
		if entering {
			r.mark(true, "a", string(n.URL(r.source)))
			r.write(string(n.Label(r.source)))
			r.mark(false, "a", "")
		}
	case *ast.Text:
		if !entering {
			break
		}
		value := n.Segment.Value(r.source)
		if _, code := n.Parent().(*ast.CodeSpan); !code && !n.IsRaw() {
			value = unescapeMarkdown(value, r.references)
		}
		r.write(string(value))
		if n.SoftLineBreak() || n.HardLineBreak() {
			r.write("\n")
		}
	case *ast.String:
		if entering {
			r.write(string(n.Value))
		}
	default:
		where := r.source
		if n.Type() == ast.TypeBlock && n.Lines().Len() > 0 {
			where = where[n.Lines().At(0).Start:]
		}
		return ast.WalkStop, fmt.Errorf("%s at %.80q", n.Kind(), where)
	}
	return ast.WalkContinue, nil
}

var characterReference = regexp.MustCompile(`^&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)

// unescapeMarkdown resolves backslashes and, where they count, character
// references, in one go: what one of them gives is no part of another.
func unescapeMarkdown(s []byte, references bool) []byte {
	var out []byte
	for i := 0; i < len(s); i++ {
		switch end := len(characterReference.Find(s[i:])) - 1; {
		case s[i] == '\\' && i+1 < len(s) && util.IsPunct(s[i+1]):
			i++
			out = append(out, s[i])
		case s[i] == '&' && references && end > 0:
			value := util.ResolveEntityNames(util.ResolveNumericReferences(s[i : i+end+1]))
			out = append(out, value...)
			i += end
		default:
			out = append(out, s[i])
		}
	}
	return out
}
