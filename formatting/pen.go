package formatting

import (
	"bytes"
	"slices"
	"strings"
)

// A snippet is literal text on its way into a part: all[from:to].
type snippet struct {
	all      string // what the text is a piece of, to look at its neighbours
	from, to int
	place
}

func (s *snippet) text() string { return s.all[s.from:s.to] }

// A place is where a pen writes.
type place struct {
	fresh bool     // nothing but prefixes stands before it in its line
	in    spanKind // the innermost span whose text is not escaped as usual, or 0
	row   bool     // in a row of a native table
	lists lists
}

// enter tells that s opens.
func (p *place) enter(s span) {
	switch s.kind {
	case spanCode, spanPre, spanLink, spanAddress, spanIndent, spanPrefix:
		p.in = s.kind
		p.lists.enter(s)
	case spanRow:
		p.row = true
	}
}

// leave tells that s closes and that the spans of around stay open.
func (p *place) leave(s span, around []span) {
	switch s.kind {
	case spanCode, spanPre, spanLink, spanAddress, spanIndent, spanPrefix:
		p.in = 0
		for _, a := range around {
			p.enter(a)
		}
		if s.kind == spanPre {
			p.lists.end()
		}
	case spanRow:
		p.row = false
	}
}

// wrote tells what was written there.
func (p *place) wrote(text string) {
	if p.in == spanIndent || p.in == spanPrefix {
		p.lists.column += len(text)
		return
	}
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		p.fresh, text = true, text[i+1:]
		p.lists.line()
	}
	p.fresh = p.fresh && strings.TrimLeft(text, " ") == ""
}

// cellEnd ends a cell of the head that a spanTable repeats.
const cellEnd = "\x1f"

// repeat writes again, at the start of a part, what s begins with: the prefix
// of a line or the head of a table.
func (p *place) repeat(s span, write func(all string, from, to int)) {
	before := *p
	put := func(in spanKind, text string) {
		if p.in = in; text != "" {
			write(text, 0, len(text))
		}
	}
	switch s.kind {
	case spanLine:
		put(spanPrefix, s.arg)
		p.in = before.in
		return
	case spanGrid:
		write(s.arg, 0, len(s.arg))
		return
	}
	head, rule, _ := strings.Cut(s.arg, "\n")
	p.row = true
	for cell := range strings.SplitSeq(strings.TrimSuffix(head, cellEnd), cellEnd) {
		put(spanPrefix, "| ")
		put(0, cell)
		put(spanPrefix, " ")
	}
	put(spanPrefix, "|\n"+rule+"\n")
	*p = before
}

// A printer is the pen that writes a part.
type printer struct {
	place
	d      Dialect
	marked []byte
	plain  []byte
	mute   int // open spans whose text does not go to plain
}

func newPrinter(d Dialect) printer {
	return printer{d: d, place: place{fresh: true, lists: lists{awaits: -1}}}
}

func (p *printer) write(all string, from, to int) {
	from, gap := p.lists.write(&p.place, all, from, to)
	if gap != noGap {
		p.apart(gap)
	}
	text := all[from:to]
	p.marked = p.d.escape(p.marked, snippet{all, from, to, p.place})
	if p.mute == 0 {
		p.plain = append(p.plain, text...)
	}
	p.wrote(text)
}

// apart puts what g says before the line in hand.
func (p *printer) apart(g listGap) {
	line := bytes.LastIndexByte(p.marked, '\n') + 1
	if line == 0 {
		return
	}
	prefix := string(p.marked[line:])
	blank := strings.TrimRight(prefix, " ") + "\n"
	lines := blank
	if g == wideGap {
		lines += prefix + gap + "\n" + blank
	}
	p.marked = slices.Insert(p.marked, line, []byte(lines)...)
}

// print writes text that is no piece of a flow.
func (p *printer) print(text string) {
	if text != "" {
		p.write(text, 0, len(text))
	}
}

func (p *printer) open(s span, around []span, again bool) {
	switch s.kind {
	case spanAlt:
		if p.mute == 0 && !again {
			p.plain = append(p.plain, s.arg...)
		}
		p.mute++
	case spanLine, spanTable, spanGrid:
		if again {
			p.repeat(s, p.write)
		}
	default:
		p.enter(s)
		p.marked = p.d.open(p.marked, s, around)
	}
}

func (p *printer) close(s span, around []span) {
	switch s.kind {
	case spanAlt:
		p.mute--
	case spanLine, spanTable, spanGrid:
	default:
		p.marked = p.d.close(p.marked, s, around)
		p.leave(s, around)
	}
}

func (p *printer) part() Part {
	return Part{Text: string(p.marked), Plain: strings.Clone(string(p.plain)), Mode: p.d.mode()}
}

// cost is what a piece of a flow takes of each budget. There is one for each
// word, so its numbers are small.
type cost struct {
	seen   int32 // units that count towards the limit
	plain  int32 // units of the text without markup
	raw    int32 // bytes with markup
	markup int32 // bytes of markup
	spans  int32 // spans that the dialect marks up
}

func (c cost) plus(d cost) cost {
	return cost{c.seen + d.seen, c.plain + d.plain, c.raw + d.raw, c.markup + d.markup, c.spans + d.spans}
}

func (c cost) minus(d cost) cost {
	return cost{c.seen - d.seen, c.plain - d.plain, c.raw - d.raw, c.markup - d.markup, c.spans - d.spans}
}

// within reports whether c stays inside the budget, in which 0 means no limit.
func (c cost) within(b cost) bool {
	in := func(n, max int32) bool { return max == 0 || n <= max }
	return in(c.seen, b.seen) && in(c.plain, b.plain) && in(c.raw, b.raw) && in(c.markup, b.markup) && in(c.spans, b.spans)
}

// A meter is the pen that adds up costs. Where a part begins in the middle of
// a line, or of a list, the printer may write a little less than it says, and
// at most [freshCost] more.
type meter struct {
	place
	d       Dialect
	m       Measure
	marked  bool // the markup counts towards the limit
	sum     cost
	mute    int
	scratch []byte
}

// freshCost is how many units the first characters of a part may take more
// than the same characters in the middle of a line.
const freshCost = 32

func newMeter(p *Profile) meter {
	return meter{d: p.Dialect, m: p.Measure, marked: p.LimitMarked, place: place{fresh: true}}
}

func (m *meter) write(all string, from, to int) {
	from, gap := m.lists.write(&m.place, all, from, to)
	text := all[from:to]
	if gap != noGap {
		m.sum.seen += int32(3*m.lists.column + 4)
		m.sum.raw += int32(3*m.lists.column + 8)
	}
	n := int32(m.m.Of(text))
	if m.mute == 0 {
		m.sum.plain += n
	}
	m.scratch = m.d.escape(m.scratch[:0], snippet{all, from, to, m.place})
	m.sum.raw += int32(len(m.scratch))
	if m.marked {
		n = int32(m.m.ofBytes(m.scratch))
	}
	m.sum.seen += n
	m.wrote(text)
}

func (m *meter) open(s span, around []span, again bool) {
	switch s.kind {
	case spanAlt:
		if m.mute == 0 && !again {
			m.sum.plain += int32(m.m.Of(s.arg))
		}
		m.mute++
	case spanLine, spanTable, spanGrid:
		if again {
			m.repeat(s, m.write)
		}
	default:
		m.enter(s)
		if m.scratch = m.d.open(m.scratch[:0], s, around); len(m.scratch) > 0 {
			m.sum.spans++
			m.mark()
		}
	}
}

func (m *meter) close(s span, around []span) {
	switch s.kind {
	case spanAlt:
		m.mute--
	case spanLine, spanTable, spanGrid:
	default:
		m.scratch = m.d.close(m.scratch[:0], s, around)
		m.leave(s, around)
		m.mark()
	}
}

func (m *meter) mark() {
	m.sum.raw += int32(len(m.scratch))
	m.sum.markup += int32(len(m.scratch))
	if m.marked {
		m.sum.seen += int32(m.m.ofBytes(m.scratch))
	}
}
