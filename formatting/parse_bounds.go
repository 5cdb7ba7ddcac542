package formatting

import (
	"bytes"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// The parser's time is quadratic in how deep blocks nest, and in how many
// marks one paragraph, heading or cell holds. These bounds keep both small.
const (
	maxBlocks   = 33 // blocks open at a time; a level of a list takes two
	maxHeading  = 2000
	maxMarkup   = 1024 // bytes in a paragraph that may be markup
	maxText     = 16 << 10
	maxColumns  = 32
	maxTableRow = 4 << 10
)

// bounded is a block parser that opens its block only when may says so.
type bounded struct {
	parser.BlockParser
	may func(reader text.Reader, pc parser.Context) bool
}

func (b bounded) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if !b.may(reader, pc) {
		return nil, parser.NoChildren
	}
	return b.BlockParser.Open(parent, reader, pc)
}

func shortLine(reader text.Reader, _ parser.Context) bool {
	line, _ := reader.PeekLine()
	return len(line) <= maxHeading
}

func shortParagraph(_ text.Reader, pc parser.Context) bool {
	last := pc.LastOpenedBlock().Node
	if last == nil {
		return true
	}
	lines := last.Lines()
	return lines.Len() == 0 || lines.At(lines.Len()-1).Stop-lines.At(0).Start <= maxHeading
}

// continued holds the offsets at which a paragraph begins that is the
// continuation of the one before it, and whether it begins on a line of its
// own.
var continued = parser.NewContextKey()

// windows is the paragraph transformer that cuts a paragraph with too much
// markup into several. The converter puts them together again.
type windows struct{}

func (windows) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines := node.Lines()
	source := reader.Source()
	if !overfull(lines, source) {
		return
	}
	cuts := pc.ComputeIfAbsent(continued, func() any { return make(map[int]bool) }).(map[int]bool)
	for i, w := range cutWindows(lines, source) {
		if i == 0 {
			node.SetLines(w.lines)
			continue
		}
		next := ast.NewParagraph()
		next.SetPos(w.lines.At(0).Start)
		next.SetLines(w.lines)
		cuts[w.lines.At(0).Start] = w.ownLine
		node.Parent().InsertAfter(node.Parent(), node, next)
		node = next
	}
}

// A window is a piece of a paragraph; ownLine says that it begins where a line
// does.
type window struct {
	lines   *text.Segments
	ownLine bool
}

func mayBeMarkup(c byte) bool {
	switch c {
	case '*', '_', '~', '[', ']', '<', '`':
		return true
	}
	return false
}

func overfull(lines *text.Segments, source []byte) bool {
	size, marks := 0, 0
	for i := range lines.Len() {
		s := lines.At(i)
		size += s.Len()
		for _, c := range source[s.Start:s.Stop] {
			if mayBeMarkup(c) {
				marks++
			}
		}
	}
	return size > maxText || marks > maxMarkup
}

// cutWindows distributes lines over windows, each within the bounds: at the
// end of a line, else before a blank, else between two code points.
func cutWindows(lines *text.Segments, source []byte) []window {
	var windows []window
	w := window{text.NewSegments(), true}
	size, marks := 0, 0
	finish := func(ownLine bool) {
		windows = append(windows, w)
		w, size, marks = window{text.NewSegments(), ownLine}, 0, 0
	}
	for i := range lines.Len() {
		rest := lines.At(i)
		for rest.Len() > 0 {
			n, m := fitting(rest.Value(source), maxText-size, maxMarkup-marks)
			if n == rest.Len() {
				w.lines.Append(rest)
				size, marks = size+n, marks+m
				break
			}
			if w.lines.Len() > 0 { // rather begin a window with this line
				finish(true)
				continue
			}
			n = max(n-rest.Padding, 1)
			cut := n
			if b := bytes.LastIndexByte(source[rest.Start+1:rest.Start+n], ' '); b > 0 {
				cut = b + 1
			} else {
				for cut > 1 && !utf8.RuneStart(source[rest.Start+cut]) {
					cut--
				}
			}
			w.lines.Append(rest.WithStop(rest.Start + cut))
			rest = text.NewSegment(rest.Start+cut, rest.Stop)
			finish(false)
		}
	}
	if w.lines.Len() > 0 {
		windows = append(windows, w)
	}
	return windows
}

// fitting returns how many bytes of s stay within size and marks, and how many
// marks are among them.
func fitting(s []byte, size, marks int) (int, int) {
	m := 0
	for i, c := range s {
		if i >= size {
			return i, m
		}
		if mayBeMarkup(c) {
			if m++; m > marks {
				return i, m - 1
			}
		}
	}
	return len(s), m
}
