package formatting

import (
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// wordMarks is the inline parser for stars and tildes that are no markup
// though CommonMark takes them for it: a single one between two letters or
// digits, as in "Nutzer*innen", "2*3*4" and "3~5", and any number between
// digits, as in "2**3**4". Marks inside a word, as in "fe**tt**", stay markup.
type wordMarks struct{}

func (wordMarks) Trigger() []byte { return []byte{'*', '~'} }

func (wordMarks) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	if !unicode.IsLetter(before) && !unicode.IsDigit(before) {
		return nil
	}
	line, segment := block.PeekLine()
	n := 1
	for n < len(line) && line[n] == line[0] {
		n++
	}
	after, _ := utf8.DecodeRune(line[n:])
	digits := unicode.IsDigit(before) && unicode.IsDigit(after)
	if !digits && (n > 1 || !unicode.IsLetter(after) && !unicode.IsDigit(after)) {
		return nil
	}
	block.Advance(n)
	return ast.NewTextSegment(segment.WithStop(segment.Start + n))
}
