package curate

import (
	"bytes"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"outheis/tresor/internal/text"
	"outheis/tresor/internal/wording"
)

const (
	window  = 256 << 10 // bytes of cleaned text that are looked through at once
	overlap = 4 << 10   // of them, those that are looked through again with what follows
	maxHead = 1 << 20   // bytes of the beginning in which a title is looked for
)

// A scan looks through the text that is written to it, of any length, for what
// reads like an instruction. It sees the words as a reader does: UTF-16 and UTF-32
// with a byte order mark are decoded, what is no UTF-8 counts as Latin-1, and
// invisible characters, emphasis and tags are left out.
type scan struct {
	decode  func(s *scan, end bool) // the encoding, known from the first bytes
	raw     []byte                  // not decoded yet
	head    strings.Builder         // of the text, as it is
	clean   strings.Builder         // not looked through yet
	line    int                     // of its first character, from 0
	later   bool                    // it begins with what was looked through before
	last    rune
	found   map[int]string // excerpt by line
	total   int            // characters
	odd     int            // those of them that no text in this encoding has
	nul     bool
	visible bool // there is something to read
}

func newScan() *scan { return &scan{found: map[int]string{}, last: ' '} }

// Write takes the next bytes. It never fails.
func (s *scan) Write(b []byte) (int, error) {
	s.raw = append(s.raw, b...)
	if s.decode == nil && len(s.raw) >= 4 {
		s.decode = encodingOf(&s.raw)
	}
	if s.decode != nil {
		s.decode(s, false)
	}
	return len(b), nil
}

// close takes what is left.
func (s *scan) close() {
	if s.decode == nil {
		s.decode = encodingOf(&s.raw)
	}
	s.decode(s, true)
	s.look(0)
}

// suspicions returns what was found, in order, the first twenty.
func (s *scan) suspicions() (list []Suspicion) {
	for _, line := range slices.Sorted(maps.Keys(s.found)) {
		if len(list) < maxSuspicions {
			list = append(list, Suspicion{line + 1, s.found[line]})
		}
	}
	return list
}

// opaque reports whether the bytes are not the text that they were taken for, so
// that nothing found says little.
func (s *scan) opaque() bool { return s.nul || s.odd*10 > s.total }

// encodingOf drops a byte order mark and returns how the rest is decoded.
func encodingOf(raw *[]byte) func(*scan, bool) {
	for _, e := range []struct {
		mark   string
		decode func(*scan, bool)
	}{
		{"\xff\xfe\x00\x00", func(s *scan, end bool) { s.wide(4, false, end) }},
		{"\x00\x00\xfe\xff", func(s *scan, end bool) { s.wide(4, true, end) }},
		{"\xff\xfe", func(s *scan, end bool) { s.wide(2, false, end) }},
		{"\xfe\xff", func(s *scan, end bool) { s.wide(2, true, end) }},
		{"\xef\xbb\xbf", (*scan).narrow},
	} {
		if bytes.HasPrefix(*raw, []byte(e.mark)) {
			*raw = (*raw)[len(e.mark):]
			return e.decode
		}
	}
	return (*scan).narrow
}

// narrow decodes UTF-8.
func (s *scan) narrow(end bool) {
	b := s.raw
	for len(b) > 0 && (end || utf8.FullRune(b)) {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			r = rune(b[0])
			s.odd++
		}
		s.nul = s.nul || r == 0
		s.take(r)
		b = b[size:]
	}
	s.raw = append(s.raw[:0], b...)
}

// wide decodes UTF-16 and UTF-32 by their bytes per unit.
func (s *scan) wide(width int, big, end bool) {
	unit := func(b []byte) (r rune) {
		for i := range width {
			at := width - 1 - i
			if big {
				at = i
			}
			r = r<<8 | rune(b[at])
		}
		return r
	}
	b := s.raw
	for len(b) >= width {
		r, size := unit(b), width
		if width == 2 && utf16.IsSurrogate(r) {
			if len(b) < 4 && !end {
				break
			}
			r2 := rune(0)
			if len(b) >= 4 {
				r2 = unit(b[2:])
			}
			if r = utf16.DecodeRune(r, r2); r != utf8.RuneError {
				size = 4
			}
		}
		if !utf8.ValidRune(r) || r == utf8.RuneError || r == 0 {
			r = utf8.RuneError
			s.odd++
		}
		s.take(r)
		b = b[size:]
	}
	if end && len(b) > 0 {
		s.odd++
		b = nil
	}
	s.raw = append(s.raw[:0], b...)
}

// take takes a character. Those that words are broken with are left out.
func (s *scan) take(r rune) {
	s.total++
	last := s.last
	s.last = r
	switch {
	case r == '\n' && last == '\r':
		return
	case r == '\r':
		r = '\n'
	}
	if s.head.Len() < maxHead {
		s.head.WriteRune(r)
	}
	if r < 32 && !text.IsSpace(r) {
		s.odd++
	}
	switch {
	case r == 0, strings.ContainsRune("*`~\\", r), isInvisible(r):
		return
	}
	s.visible = s.visible || !text.IsSpace(r)
	s.clean.WriteRune(r)
	if s.clean.Len() >= window {
		s.look(overlap)
	}
}

func isInvisible(r rune) bool {
	return r >= 0x80 && unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// look looks through the text so far and keeps that many bytes of its end.
func (s *scan) look(keep int) {
	all := s.clean.String()
	cut := max(0, len(all)-keep)
	for cut > 0 && cut < len(all) && !utf8.RuneStart(all[cut]) {
		cut--
	}
	if len(s.found) < maxSuspicions {
		before := ' '
		if s.later {
			before = 'x' // what begins here was seen
		}
		s.search(readable(all), before)
	}
	s.line += strings.Count(all[:cut], "\n")
	s.later = true
	s.clean.Reset()
	s.clean.WriteString(all[cut:])
}

// emphasis is what stands around a word without being one: tags of HTML, except
// those that are looked for, and underscores.
var emphasis = regexp.MustCompile(`</?[A-Za-z][A-Za-z0-9]*(?:[ \t][^<>\n]{0,200})?/?>|\b_+|_+\b`)

// readable leaves out the emphasis and composes letters as they are usually
// spelled. Line breaks stay.
func readable(s string) string {
	if strings.ContainsAny(s, "<_") {
		s = emphasis.ReplaceAllStringFunc(s, func(tag string) string {
			if name := strings.ToLower(strings.Trim(tag, "</> \t")); oneOf(name, "system", "assistant", "instruction", "instructions") {
				return tag
			}
			return ""
		})
	}
	if strings.Contains(s, "&") {
		lines := strings.Split(s, "\n")
		for i, line := range lines {
			lines[i] = strings.ReplaceAll(html.UnescapeString(line), "\n", " ")
		}
		s = strings.Join(lines, "\n")
	}
	return strings.Map(func(r rune) rune {
		if isInvisible(r) {
			return -1
		}
		return r
	}, norm.NFKC.String(s))
}

// search notes the lines in which something reads like an instruction; before is
// the character in front.
func (s *scan) search(clean string, before rune) {
	lines := strings.Split(clean, "\n")
	for i, line := range lines {
		if len(s.found) >= maxSuspicions {
			return
		}
		if text.Signature(line) {
			s.note(i, line, lastSignature(line))
		}
	}
	low := strings.ToLower(clean) // character by character
	line, column := 0, 0
	for at := 0; at < len(low) && len(s.found) < 2*maxSuspicions; column++ {
		r, size := utf8.DecodeRuneInString(low[at:])
		if !unicode.IsLetter(before) && begins(low[at:], r) {
			s.note(line, lines[line], column)
		}
		if r == '\n' {
			line, column = line+1, -1
		}
		at, before = at+size, r
	}
}

// lastSignature returns the character of a line from which on it has the last
// [text.Signature].
func lastSignature(line string) int {
	runes := []rune(line)
	low, high := 0, len(runes)
	for high-low > 1 {
		if middle := (low + high) / 2; text.Signature(string(runes[middle:])) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// note notes what begins at a character of a line, unless it has something.
func (s *scan) note(line int, content string, column int) {
	if _, known := s.found[s.line+line]; !known {
		s.found[s.line+line] = excerpt(content, column)
	}
}

// excerpt returns what stands around a character of a line.
func excerpt(line string, column int) string {
	const limit, before = 120, 20
	runes := []rune(line)
	if len(runes) <= limit {
		return wording.Printable(text.Trim(line))
	}
	start := max(0, min(column-before, len(runes)-limit))
	s := text.Trim(string(runes[start : start+limit]))
	if start > 0 {
		s = "…" + s
	}
	if start+limit < len(runes) {
		s += "…"
	}
	return wording.Printable(s)
}
