package formatting

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A run is the text of one paragraph with its spans, before it is broken into
// lines. Forced line ends are line feeds. Spans are sorted by start, outer
// ones first; empty ones may be among them.
type run struct {
	p     *Profile
	text  []byte
	spans []span
	// closed are the indexes of the spans that have an end, in the order of their
	// ends.
	closed []int
	glued  []int
	on     [spanKinds]bool // the kinds of span that are open
	// numbers are those of the notes that citations refer to.
	numbers map[string]int
	caps    bool
	flat    bool // in a cell of a native table, which has no line ends
}

func (r *run) inlines(list []Inline) {
	for _, in := range list {
		switch in := in.(type) {
		case Text:
			r.words(string(in))
		case Strong:
			r.within(spanStrong, "", in.Inlines)
		case Emphasis:
			r.within(spanEmphasis, "", in.Inlines)
		case Strike:
			r.strike(in)
		case Code:
			r.code(string(in))
		case Link:
			r.link(in)
		case Break:
			if r.flat {
				r.words(" / ")
				continue
			}
			r.trim()
			if len(r.text) > 0 {
				r.text = append(r.text, '\n')
			}
		case Citation:
			r.citation(string(in))
		}
	}
}

// within adds list with a span around it. Bold in bold, and whatever else is
// open already, adds no span: that bounds how deep spans nest.
func (r *run) within(kind spanKind, arg string, list []Inline) {
	if r.on[kind] {
		r.inlines(list)
		return
	}
	i := r.open(kind, arg)
	r.inlines(list)
	r.close(i)
}

// strike adds text that is crossed out. Where the dialect cannot show that, it
// gets signs: unmarked it would say the opposite.
func (r *run) strike(s Strike) {
	mark := ""
	if !r.p.Dialect.draws(spanStrike) && !r.on[spanStrike] {
		mark = "~~"
	}
	from := len(r.text)
	r.text = append(r.text, mark...)
	r.within(spanStrike, "", s.Inlines)
	if len(r.text) == from+len(mark) {
		r.text = r.text[:from]
		return
	}
	r.text = append(r.text, mark...)
}

func (r *run) open(kind spanKind, arg string) int {
	r.on[kind] = true
	r.spans = append(r.spans, span{start: len(r.text), kind: kind, arg: arg})
	return len(r.spans) - 1
}

func (r *run) close(i int) {
	r.on[r.spans[i].kind] = false
	r.spans[i].end = len(r.text)
	r.closed = append(r.closed, i)
}

// words adds literal text. Runs of white space count as one blank, and vanish
// at the start of a line.
func (r *run) words(s string) {
	s = Clean(s)
	if r.caps {
		s = strings.ToUpper(s)
	}
	addresses := r.p.Dialect.draws(spanAddress) && !r.on[spanLink] && !r.caps && strings.Contains(s, "://")
	word := func(w string) {
		if addresses && strings.Contains(w, "://") {
			r.address(w)
			return
		}
		r.text = append(r.text, w...)
	}
	for s != "" {
		i := strings.IndexAny(s, " \t\n")
		if i < 0 {
			word(s)
			return
		}
		word(s[:i])
		if n := len(r.text); n > 0 && r.text[n-1] != ' ' && r.text[n-1] != '\n' {
			r.text = append(r.text, ' ')
		}
		s = s[i+1:]
	}
}

func (r *run) code(s string) {
	s = oneLine(s)
	if s == "" {
		return
	}
	i := r.open(spanCode, "")
	r.spans[i].n = int32(backticks(s) + 1)
	r.text = append(r.text, s...)
	r.close(i)
}

func oneLine(s string) string {
	return strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' {
			return ' '
		}
		return c
	}, Clean(s))
}

// citation adds the mark and glues it to what stands before it.
func (r *run) citation(id string) {
	r.glue()
	if last, _ := utf8.DecodeLastRune(r.text); len(r.text) > 0 && !unicode.IsSpace(last) && !unicode.In(last, unicode.Ps, unicode.Pi) {
		r.glued = append(r.glued, len(r.text))
		r.text = append(r.text, ' ')
	}
	i := r.open(spanCitation, "")
	r.text = append(r.text, '[')
	if n := r.numbers[id]; n > 0 {
		id = strconv.Itoa(n)
	}
	r.text = append(r.text, strings.TrimSpace(oneLine(id))...)
	r.text = append(r.text, ']')
	r.close(i)
}

// glue forbids cutting the text at the white space that it ends with.
func (r *run) glue() {
	from := len(r.text)
	for from > 0 && (r.text[from-1] == ' ' || r.text[from-1] == '\n') {
		from--
	}
	for ; from < len(r.text); from++ {
		if n := len(r.glued); n == 0 || r.glued[n-1] < from {
			r.glued = append(r.glued, from)
		}
	}
}

// backticks returns the length of the longest run of backticks in s.
func backticks(s string) int {
	longest, n := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			n = 0
			continue
		}
		n++
		longest = max(longest, n)
	}
	return longest
}

// trim removes the white space at the end.
func (r *run) trim() { r.trimTo(0) }

// trimTo removes the white space at the end, but nothing before from, and
// reports whether there was any.
func (r *run) trimTo(from int) bool {
	n := len(r.text)
	for n > from && (r.text[n-1] == ' ' || r.text[n-1] == '\n') {
		n--
	}
	trimmed := n < len(r.text)
	r.text = r.text[:n]
	for i := len(r.spans) - 1; i >= 0 && r.spans[i].start > n; i-- {
		r.spans[i].start = n
	}
	for i := len(r.closed) - 1; i >= 0 && r.spans[r.closed[i]].end > n; i-- {
		r.spans[r.closed[i]].end = n
	}
	for len(r.glued) > 0 && r.glued[len(r.glued)-1] >= n {
		r.glued = r.glued[:len(r.glued)-1]
	}
	return trimmed
}

// blank adds a blank at which the text is not cut.
func (r *run) blank() {
	r.glue()
	if n := len(r.text); n > 0 && r.text[n-1] != ' ' && r.text[n-1] != '\n' {
		r.glued = append(r.glued, n)
		r.text = append(r.text, ' ')
	}
}
