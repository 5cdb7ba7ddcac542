package formatting

import (
	"sync"

	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Parse reads Markdown: CommonMark with the tables, strikethrough, task lists
// and bare addresses of GitHub. It takes any bytes and never fails: what is no
// markup is text, and no word of it gets lost. It differs from CommonMark
// where a chat does:
//
//   - a line end is a line end, as in every chat, not a blank;
//   - HTML, also as a block, is literal text;
//   - a single star or tilde inside a word is one ("Nutzer*innen", "2*3*4");
//   - marks such as [C-0001] become a [Citation] unless they are links;
//   - titles of links, link definitions that nothing refers to and surplus
//     cells of a table are shown;
//   - markup beyond what people write (lists more than 16 or quotes more than
//     33 levels deep, tables of more than 32 columns, a heading of more than
//     2,000 bytes, a paragraph of more than 16 KiB or 1,024 marks) is partly
//     left as text. So the time stays linear in the length of the text.
func Parse(markdown string) Document {
	source := []byte(markdown)
	pc := parser.NewContext()
	tree := markdownParser().Parse(text.NewReader(source), parser.WithContext(pc))
	return newConverter(source, pc, tree).document(tree)
}

// markdownParser is safe for use by many goroutines.
var markdownParser = sync.OnceValue(func() parser.Parser {
	shallow := func(_ text.Reader, pc parser.Context) bool { return len(pc.OpenedBlocks()) < maxBlocks }
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(bounded{parser.NewSetextHeadingParser(), shortParagraph}, 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(bounded{parser.NewListParser(), shallow}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(bounded{parser.NewATXHeadingParser(), shortLine}, 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(bounded{parser.NewBlockquoteParser(), shallow}, 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(definitions{}, 100),
			util.Prioritized(tables{}, 200),
			util.Prioritized(windows{}, 300),
		),
		parser.WithInlineParsers(
			util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
			util.Prioritized(wordMarks{}, 450),
			util.Prioritized(parser.NewEmphasisParser(), 500),
			util.Prioritized(extension.NewStrikethroughParser(), 500),
			util.Prioritized(extension.NewLinkifyParser(), 999),
		),
	)
})
