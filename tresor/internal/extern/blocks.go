package extern

import (
	"strings"
	"unicode"

	"outheis/tresor/internal/text"
)

// A block is a part of a document that no sentence crosses.
type block struct{ kind, content string }

// blocks splits a document by its lines (1-format section 10.2). Front matter and
// code blocks are left out.
func blocks(document string) []block {
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(document, "\r\n", "\n"), "\r", "\n"), "\n")
	b := blockBuilder{kind: Paragraph}
	code := false
	for _, line := range lines[frontMatter(lines):] {
		indent, rest := cutSpace(line)
		switch {
		case indent <= 3 && (strings.HasPrefix(rest, "```") || strings.HasPrefix(rest, "~~~")):
			b.flush()
			code = !code
		case code:
		case rest == "":
			b.start(Paragraph)
		case indent <= 3 && isHeading(rest):
			b.start(Heading)
			b.add(strings.TrimLeft(line, "# \t"))
			b.start(Paragraph)
		case rest[0] == '|':
			for cell := range strings.SplitSeq(strings.Trim(text.Trim(rest), "|"), "|") {
				if strings.ContainsFunc(cell, func(r rune) bool { return r != ':' && r != '-' && !text.IsSpace(r) }) {
					b.start(TableCell)
					b.add(cell)
				}
			}
			b.start(Paragraph)
		case listMarker(rest) > 0:
			b.start(ListItem)
			b.add(rest[listMarker(rest):])
		case indent <= 3 && rest[0] == '>':
			b.start(Quote)
			b.add(rest[1:])
		default:
			b.add(line)
		}
	}
	b.flush()
	return b.blocks
}

// frontMatter returns the number of lines that it takes; 0 if it is not closed.
func frontMatter(lines []string) int {
	if text.Trim(lines[0]) != "---" {
		return 0
	}
	for i, line := range lines[1:] {
		if text.Trim(line) == "---" {
			return i + 2
		}
	}
	return 0
}

type blockBuilder struct {
	kind   string
	pieces []string
	blocks []block
}

// start ends the present block and begins one of a kind.
func (b *blockBuilder) start(kind string) {
	b.flush()
	b.kind = kind
}

func (b *blockBuilder) add(piece string) {
	if piece = text.Trim(piece); piece != "" {
		b.pieces = append(b.pieces, piece)
	}
}

func (b *blockBuilder) flush() {
	if len(b.pieces) > 0 {
		b.blocks = append(b.blocks, block{b.kind, strings.Join(b.pieces, " ")})
	}
	b.pieces = nil
}

// cutSpace removes leading whitespace and says how many characters that were.
func cutSpace(line string) (n int, rest string) {
	for i, r := range line {
		if !text.IsSpace(r) {
			return n, line[i:]
		}
		n++
	}
	return n, ""
}

func isHeading(s string) bool {
	rest := strings.TrimLeft(s, "#")
	level := len(s) - len(rest)
	return level >= 1 && level <= 6 && text.LeadsWithSpace(rest)
}

// listMarker returns the length of the marker that s begins with, or 0.
func listMarker(s string) int {
	n := 1
	if strings.IndexByte("-*+", s[0]) < 0 {
		n = strings.IndexFunc(s, func(r rune) bool { return !unicode.Is(unicode.Nd, r) })
		if n <= 0 || s[n] != '.' && s[n] != ')' {
			return 0
		}
		n++
	}
	if !text.LeadsWithSpace(s[n:]) {
		return 0
	}
	return n
}
