package formatting

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// gap is what parts a sign from the word behind it where nothing else keeps
// both from acting. No text of a document holds one; see [Clean].
const gap = "\u200b"

// openMarkdown appends the marks that the Markdown dialects share.
func openMarkdown(dst []byte, s span) []byte {
	switch s.kind {
	case spanStrong:
		return append(dst, "**"...)
	case spanEmphasis:
		return append(dst, '_')
	case spanStrike:
		return append(dst, "~~"...)
	case spanSigns:
		return append(dst, `\~\~`...)
	case spanAddress:
		return append(dst, '<')
	case spanCode:
		if dst = appendTicks(dst, s.n); s.n > 1 {
			dst = append(dst, ' ')
		}
	}
	return dst
}

func closeMarkdown(dst []byte, s span) []byte {
	switch s.kind {
	case spanAddress:
		return append(dst, '>')
	case spanCode:
		if s.n > 1 {
			dst = append(dst, ' ')
		}
		return appendTicks(dst, s.n)
	}
	return openMarkdown(dst, s)
}

func appendTicks(dst []byte, n int32) []byte {
	for range max(n, 1) {
		dst = append(dst, '`')
	}
	return dst
}

// appendTarget appends the URL of a link between brackets.
func appendTarget(dst []byte, url string) []byte {
	for i := range len(url) {
		switch c := url[i]; c {
		case '(':
			dst = append(dst, "%28"...)
		case ')':
			dst = append(dst, "%29"...)
		case '<':
			dst = append(dst, "%3C"...)
		case '>':
			dst = append(dst, "%3E"...)
		case '"':
			dst = append(dst, "%22"...)
		case '\'':
			dst = append(dst, "%27"...)
		case '\\':
			dst = append(dst, "%5C"...)
		case '|':
			dst = append(dst, "%7C"...)
		case '`':
			dst = append(dst, "%60"...)
		case '&':
			if dst = append(dst, c); i+1 < len(url) && (isWordByte(url[i+1]) || url[i+1] == '#') && strings.IndexByte(url[i:], ';') > 0 {
				dst = append(dst, "amp;"...)
			}
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// A lineStart knows whether a character would mark up the line that it begins.
type lineStart struct {
	fresh  bool
	digits int // of a number that the line begins with
}

// marks takes the next character, all[i].
func (l *lineStart) marks(all string, i int) bool {
	c := all[i]
	if !l.fresh && l.digits == 0 {
		l.fresh = c == '\n'
		return false
	}
	n := next(all, i)
	ends := n == ' ' || n == '\n' || n == 0
	if l.digits > 0 {
		number := l.digits
		l.digits, l.fresh = 0, c == '\n'
		if isDigit(c) {
			l.digits = number + 1
			return false
		}
		return (c == '.' || c == ')') && ends && number < 10
	}
	switch c {
	case ' ', '\n':
		return false
	}
	l.fresh = false
	switch {
	case isDigit(c):
		l.digits = 1
	case c == '>':
		return true
	case c == '-':
		return ends || n == '-' || n == '#'
	case c == '+':
		return ends
	case c == '#', c == '=':
		return ends || n == c
	}
	return false
}

// opensLink reports whether the bracket all[i] could begin a link, a
// definition of one, a footnote or a task.
func opensLink(all string, i int) bool {
	rest := all[i+1:]
	end := strings.IndexAny(rest, "[]\n")
	if end < 1 || rest[end] != ']' || rest[0] == '^' || end == 1 && (rest[0] == ' ' || rest[0]|0x20 == 'x') {
		return true
	}
	n := next(rest, end)
	return n == '(' || n == '[' || n == ':' || i > 0 && all[i-1] == '!'
}

// namesEmoji reports whether the colon all[i] begins a name such as :bell:.
func namesEmoji(all string, i int) bool {
	const longest = 64
	for j := i + 1; j < len(all) && j <= i+longest; j++ {
		switch c := all[j]; {
		case c == ':':
			return j > i+1
		case !isWordByte(c) && c != '_' && c != '+' && c != '-':
			return false
		}
	}
	return false
}

// next returns the byte behind all[i], or 0.
func next(all string, i int) byte {
	if i+1 < len(all) {
		return all[i+1]
	}
	return 0
}

// previous returns the byte before all[i], or 0.
func previous(all string, i int) byte {
	if i > 0 {
		return all[i-1]
	}
	return 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordByte(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || isDigit(c) }

// runesAround returns the runes before and behind text[i], 0 where there is
// none.
func runesAround(text []byte, i int) (before, after rune) {
	if i > 0 {
		before, _ = utf8.DecodeLastRune(text[:i])
	}
	if i < len(text) {
		after, _ = utf8.DecodeRune(text[i:])
	}
	return before, after
}

// inWord reports whether r is neither white space nor punctuation for
// Markdown.
func inWord(r rune) bool {
	return r != 0 && !unicode.IsSpace(r) && !unicode.IsPunct(r) && !unicode.IsSymbol(r)
}
