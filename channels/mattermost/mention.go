package mattermost

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A reading is what a text says beside its words.
type reading struct {
	text      string // without mentions of us
	mentioned bool
}

// read takes a text apart for the account that is called name. Only what the
// server takes for a mention counts: the whole name, in any case, outside of
// code. Nothing else of the text is changed.
func read(text, name string) reading {
	var r reading
	at := mentions(text, name)
	r.mentioned = len(at) > 0
	from := 0
	for {
		from += len(text[from:]) - len(strings.TrimLeftFunc(text[from:], unicode.IsSpace))
		if len(at) == 0 || at[0] != from {
			break
		}
		at = at[1:]
		from += 1 + len(name)
		from += len(text[from:]) - len(strings.TrimLeft(text[from:], ",:"))
	}
	var b strings.Builder
	for _, start := range at {
		b.WriteString(strings.TrimSuffix(strings.TrimRight(text[from:start], " \t"), ","))
		from = start + 1 + len(name)
	}
	b.WriteString(text[from:])
	r.text = strings.TrimSpace(b.String())
	return r
}

// mentions returns the places of @name in a text.
func mentions(text, name string) []int {
	if name == "" || len(text) <= len(name) || !strings.Contains(text, "@") {
		return nil
	}
	var found []int
	code := codeSpans(text)
	for i := 0; i < len(text); {
		j := strings.IndexByte(text[i:], '@')
		if j < 0 {
			break
		}
		i += j
		if end, in := code.end(i); in {
			i = end
			continue
		}
		if isMention(text, i, name) {
			found = append(found, i)
			i += len(name)
		}
		i++
	}
	return found
}

// isMention reports whether @name stands at a byte. The server cuts a text
// into words of letters, digits and ":.-_@", and lets dots, dashes, colons and
// underscores at the ends of one go.
func isMention(text string, at int, name string) bool {
	end := at + 1 + len(name)
	if end > len(text) || !strings.EqualFold(text[at+1:end], name) {
		return false
	}
	before := strings.TrimRight(text[:at], "_")
	if r, _ := utf8.DecodeLastRuneInString(before); unicode.IsLetter(r) || unicode.IsNumber(r) || r == '@' {
		return false
	}
	rest := text[end:]
	for rest != "" {
		r, n := utf8.DecodeRuneInString(rest)
		if unicode.IsLetter(r) || unicode.IsNumber(r) || r == '@' {
			return false // the name goes on, or it is an address
		}
		if !strings.ContainsRune(".-:_", r) {
			return true
		}
		rest = rest[n:]
	}
	return true
}

// spans are parts of a text, in order, each from its first byte to behind its
// last.
type spans [][2]int

// end returns where the part ends that a byte is in.
func (s spans) end(at int) (int, bool) {
	for _, one := range s {
		if one[0] <= at && at < one[1] {
			return one[1], true
		}
	}
	return 0, false
}

// codeSpans finds code: fenced blocks, and what stands between equal runs of
// backticks.
func codeSpans(text string) spans {
	if !strings.ContainsAny(text, "`~") {
		return nil
	}
	var all spans
	for i := 0; i < len(text); {
		if atLineStart(text, i) {
			if fence := fenceAt(text, i); fence != "" {
				end := fenceEnd(text, i, fence)
				all = append(all, [2]int{i, end})
				i = end
				continue
			}
		}
		if text[i] != '`' {
			i++
			continue
		}
		n := run(text[i:], '`')
		end := closing(text, i+n, n)
		if end < 0 {
			i += n
			continue
		}
		all = append(all, [2]int{i, end})
		i = end
	}
	return all
}

// run returns how often a byte stands at the beginning.
func run(s string, b byte) int {
	n := 0
	for n < len(s) && s[n] == b {
		n++
	}
	return n
}

// closing returns where a run of exactly n backticks ends, or -1.
func closing(text string, from, n int) int {
	for i := from; i < len(text); {
		if text[i] != '`' {
			i++
			continue
		}
		m := run(text[i:], '`')
		i += m
		if m == n {
			return i
		}
	}
	return -1
}

func atLineStart(text string, i int) bool { return i == 0 || text[i-1] == '\n' }

// fenceAt returns the marks of a fence that begins in the line at i, or "".
func fenceAt(text string, i int) string {
	indent := run(text[i:], ' ')
	if indent > 3 || i+indent >= len(text) {
		return ""
	}
	i += indent
	if b := text[i]; b == '`' || b == '~' {
		if n := run(text[i:], b); n >= 3 {
			line, _, _ := strings.Cut(text[i+n:], "\n")
			if b == '~' || !strings.Contains(line, "`") {
				return text[i : i+n]
			}
		}
	}
	return ""
}

// fenceEnd returns where the block ends that a fence begins in the line at i.
func fenceEnd(text string, i int, fence string) int {
	for {
		next := strings.IndexByte(text[i:], '\n')
		if next < 0 {
			return len(text)
		}
		i += next + 1
		line, _, _ := strings.Cut(text[i:], "\n")
		mark := strings.TrimSpace(line)
		if len(mark) >= len(fence) && run(mark, fence[0]) == len(mark) && run(line, ' ') <= 3 {
			return i + len(line)
		}
	}
}

// joiner is invisible, and no part of a name; wideAt looks like an at sign and
// is none.
const (
	joiner = "\u2060"
	wideAt = "＠"
)

// harmless returns a text in which @all, @channel and @here call nobody: an
// invisible joiner stands behind the at sign. It also takes out NUL, which the
// server's database cannot keep.
func harmless(s string) string {
	return breakMentions(s, func(at string) string { return at + joiner })
}

// harmlessWithin is harmless for a text that has no room for joiners within a
// number of runes: another at sign then takes the place of the first.
func harmlessWithin(s string, runes int) string {
	if broken := harmless(s); utf8.RuneCountInString(broken) <= runes {
		return broken
	}
	return breakMentions(s, func(string) string { return wideAt })
}

// breakMentions replaces the at sign of whatever the server may take for a
// mention of everybody. It and the letters may be written as character
// references.
func breakMentions(s string, instead func(at string) string) string {
	s = strings.ReplaceAll(s, "\x00", "")
	if !strings.ContainsAny(s, "@&") {
		return s
	}
	var b strings.Builder
	from := 0
	for i := 0; i < len(s); {
		r, n := character(s[i:])
		if r == '@' && callsAll(s[i+n:]) {
			b.WriteString(s[from:i] + instead(s[i:i+n]))
			from = i + n
		}
		i += n
	}
	b.WriteString(s[from:])
	return b.String()
}

// callsAll reports whether a text begins with one of the names of everybody.
func callsAll(s string) bool {
	for _, name := range []string{"all", "channel", "here"} {
		rest, ok := s, true
		for i := 0; i < len(name) && ok; i++ {
			r, n := character(rest)
			ok = n > 0 && r|0x20 == rune(name[i])
			rest = rest[n:]
		}
		if ok {
			return true
		}
	}
	return false
}

// longestReference bounds a reference to an ASCII character, with leading
// zeros; longer ones are none for the server either.
const longestReference = 16

// character returns the first character of a text and how many bytes it takes,
// be it written out or as a reference.
func character(s string) (rune, int) {
	if strings.HasPrefix(s, "&") {
		if end := strings.IndexByte(s[:min(len(s), longestReference)], ';'); end > 0 {
			if r, ok := reference(s[1:end]); ok {
				return r, end + 1
			}
		}
	}
	return utf8.DecodeRuneInString(s)
}

// reference returns what a character reference stands for, without its signs.
func reference(name string) (rune, bool) {
	digits, base := "", 10
	switch {
	case name == "commat":
		return '@', true
	case strings.HasPrefix(name, "#x"), strings.HasPrefix(name, "#X"):
		digits, base = name[2:], 16
	case strings.HasPrefix(name, "#"):
		digits = name[1:]
	}
	n, err := strconv.ParseUint(digits, base, 31)
	return rune(n), err == nil
}
