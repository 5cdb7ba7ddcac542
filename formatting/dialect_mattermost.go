package formatting

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MattermostDialect is the Markdown of Mattermost: GitHub's, with emoji names,
// mentions, channel links, tags and formulas in it. Three programs read a post:
// the server to find mentions, the web client, whose parser looks for the
// nearest end of what a mark begins and takes a backslash before some marks
// only, and the mobile client. What no backslash can escape for all of them is
// written as a character reference, or parted by a zero-width space.
func MattermostDialect() Dialect { return mattermostDialect{} }

type mattermostDialect struct{}

func (mattermostDialect) mode() string { return "Markdown" }

func (mattermostDialect) draws(kind spanKind) bool {
	switch kind {
	case spanHeading, spanStrong, spanEmphasis, spanStrike, spanCode, spanLink, spanAddress, spanPre, spanTable, spanPrefix:
		return true
	}
	return false
}

func (mattermostDialect) escape(dst []byte, s snippet) []byte {
	switch s.in {
	case spanCode:
		if s.row {
			return append(dst, strings.ReplaceAll(s.text(), "|", `\|`)...)
		}
		return append(dst, s.text()...)
	case spanPre, spanAddress, spanIndent, spanPrefix:
		return append(dst, s.text()...)
	}
	from := s.from
	starts := lineStart{fresh: s.fresh}
	for i := s.from; i < s.to; i++ {
		c := s.all[i]
		before, instead, after := "", "", ""
		if starts.marks(s.all, i) {
			before = `\`
		}
		switch c {
		case '*', '`', '|':
			before = `\`
		case '~':
			before = `\`
			if n := next(s.all, i); isWordByte(n) || n == '.' || n == '-' || n == '_' {
				after = gap // a link to a channel
			}
		case '_':
			if !isWordByte(previous(s.all, i)) || !isWordByte(next(s.all, i)) {
				before = `\`
			}
		case '[':
			if opensLink(s.all, i) {
				before = `\`
			}
		case '#':
			switch n := next(s.all, i); {
			case isWordByte(n) || n >= utf8.RuneSelf:
				after = gap // a tag
			case i > 0 && s.all[i-1] == ' ':
				before = `\` // the end of a heading
			}
		case '@':
			if n := next(s.all, i); !isWordByte(previous(s.all, i)) && (isWordByte(n) || n == '.' || n == '-' || n == '_') {
				after = gap
			}
		case '.':
			if strings.HasSuffix(s.all[:i], "www") || endsHost(s.all[i+1:]) {
				before = `\`
			}
		default:
			instead = asReference(s.all, i, before != "")
		}
		switch {
		case instead != "":
			dst = append(append(dst, s.all[from:i]...), instead...)
			from = i + 1
		case before != "":
			dst = append(append(dst, s.all[from:i]...), before...)
			from = i
		}
		if after != "" {
			dst = append(append(dst, s.all[from:i+1]...), after...)
			from = i + 1
		}
	}
	return append(dst, s.all[from:s.to]...)
}

// asReference returns the character reference for all[i], or "" where it can
// stand as it is. Starts says that it would mark up its line.
func asReference(all string, i int, starts bool) string {
	n := next(all, i)
	switch all[i] {
	case '\\':
		if !isWordByte(n) && n != ' ' {
			return "&#92;"
		}
	case '<':
		if n == '3' || strings.HasPrefix(all[i:], "</3") {
			return "&lt;" + gap // a heart, to the mobile client even so
		}
		if n != ' ' && n != '=' {
			return "&lt;"
		}
	case '&':
		if n == '#' || n == 0 || isWordByte(n) {
			return "&amp;"
		}
	case '$':
		return "&#36;"
	case '=':
		if starts {
			return "&#61;"
		}
	case ':':
		p := previous(all, i)
		switch {
		case n == ' ' || n == '\n' || n == 0, isDigit(p) && isDigit(n) && !namesEmoji(all, i):
		case n == '/', n == '%', isWordByte(n), n >= utf8.RuneSelf, namesEmoji(all, i), !isWordByte(p):
			return "&#58;" // an address, the name of an emoji, or a face
		}
	case ';':
		if (n == ')' || n == '-') && !isWordByte(previous(all, i)) {
			return "&#59;"
		}
	}
	return ""
}

// endsHost reports whether rest goes on like the end of a host name with a
// path behind it, which the web client makes a link.
func endsHost(rest string) bool {
	for n := 0; n <= 4; n++ {
		r, size := utf8.DecodeRuneInString(rest)
		if r == '/' {
			return n >= 2
		}
		if !unicode.IsLetter(r) {
			return false
		}
		rest = rest[size:]
	}
	return false
}

func (mattermostDialect) open(dst []byte, s span, _ []span) []byte {
	switch s.kind {
	case spanHeading: // the greater ones are too loud for a chat
		return append(append(dst, "######"[:min(max(s.n, 1)+3, 6)]...), ' ')
	case spanLink:
		return append(dst, '[')
	case spanPre:
		return append(append(appendTicks(dst, s.n), s.arg...), '\n')
	}
	return openMarkdown(dst, s)
}

func (mattermostDialect) close(dst []byte, s span, _ []span) []byte {
	switch s.kind {
	case spanLink:
		return append(appendTarget(append(dst, "]("...), s.arg), ')')
	case spanPre:
		return appendTicks(append(dst, '\n'), s.n)
	}
	return closeMarkdown(dst, s)
}
