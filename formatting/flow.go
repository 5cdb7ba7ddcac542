package formatting

import "strings"

// A flow is a laid-out document: the text as people will see it, and spans
// over it that say what the dialect has to mark up. Spans are sorted by start
// and nest properly; offsets are bytes. All text in it went through [Clean].
type flow struct {
	text  string
	spans []span
	// borders are the places where the layout itself ended a line or block, in
	// order.
	borders []border
	// glued are offsets of white space at which the text must not be cut
	// although a word ends there.
	glued []int
}

// A span marks up the text in [start, end).
type span struct {
	start, end int
	kind       spanKind
	arg        string
}

type spanKind uint8

const (
	spanHeading spanKind = iota + 1
	spanStrong
	spanEmphasis
	spanStrike
	spanCode
	spanLink     // arg: URL
	spanCitation // never cut
	spanAlt      // arg: what stands here in Part.Plain; never cut
	spanPre      // arg: language
	spanQuote
	spanFolded
	spanLine   // arg: the line's prefix, repeated where a line is cut
	spanPrefix // a line's prefix: decoration, not the author's words
)

// A border is a place where a part may end. What lies in [end, start) is white
// space and decoration, and is dropped when the text is cut there.
type border struct {
	end, start int
	class      class
}

// class is how good a border is, worst first.
type class uint8

const (
	insideCluster class = iota
	insideBond          // between a sentence and its citation, or inside of that
	insideWord
	insideCode
	wordEnd
	sentenceEnd
	lineEnd
	blockEnd
	classes
)

// A pen receives what a walk over a flow meets. Open gets the spans around
// the new one, close those that stay open.
type pen interface {
	write(text string)
	open(s span, around []span, again bool)
	close(s span, around []span)
}

// A walk goes over a flow once, from its start to its end. Parts are made by
// turns of resume, advance and suspend, with skip between them.
type walk struct {
	f      *flow
	pos    int
	next   int    // index of the first span that does not begin before pos
	active []span // the spans around pos, outermost first
}

// advance hands [pos, to) to the pen.
func (w *walk) advance(to int, p pen) {
	for w.pos < to {
		w.enter(p)
		stop := to
		if n := len(w.active); n > 0 {
			stop = min(stop, w.active[n-1].end)
		}
		if w.next < len(w.f.spans) {
			stop = min(stop, w.f.spans[w.next].start)
		}
		p.write(w.f.text[w.pos:stop])
		w.pos = stop
		for n := len(w.active) - 1; n >= 0 && w.active[n].end <= w.pos; n-- {
			s := w.active[n]
			w.active = w.active[:n]
			p.close(s, w.active)
		}
	}
}

// enter opens the spans that begin at pos.
func (w *walk) enter(p pen) {
	for ; w.next < len(w.f.spans) && w.f.spans[w.next].start <= w.pos; w.next++ {
		s := w.f.spans[w.next]
		if s.end <= w.pos {
			continue
		}
		p.open(s, w.active, false)
		w.active = append(w.active, s)
	}
}

// skip goes to a later position without telling the pen.
func (w *walk) skip(to int) {
	w.pos = max(w.pos, to)
	for n := len(w.active) - 1; n >= 0 && w.active[n].end <= w.pos; n-- {
		w.active = w.active[:n]
	}
	for ; w.next < len(w.f.spans) && w.f.spans[w.next].start < w.pos; w.next++ {
		if s := w.f.spans[w.next]; s.end > w.pos {
			w.active = append(w.active, s)
		}
	}
}

// suspend closes the spans around pos for the end of a part.
func (w *walk) suspend(p pen) {
	for n := len(w.active) - 1; n >= 0; n-- {
		p.close(w.active[n], w.active[:n])
	}
}

// resume opens them again at the start of the next.
func (w *walk) resume(p pen) {
	for n, s := range w.active {
		p.open(s, w.active[:n], true)
	}
}

// A printer is the pen that writes a part.
type printer struct {
	d      Dialect
	marked []byte
	plain  []byte
	mute   int // open spans whose text does not go to plain
}

func (p *printer) write(text string) {
	p.marked = p.d.escape(p.marked, text)
	if p.mute == 0 {
		p.plain = append(p.plain, text...)
	}
}

func (p *printer) open(s span, around []span, again bool) {
	switch s.kind {
	case spanAlt:
		if p.mute == 0 && !again {
			p.plain = append(p.plain, s.arg...)
		}
		p.mute++
	case spanLine:
		if again {
			p.write(s.arg)
		}
	default:
		p.marked = p.d.open(p.marked, s, around)
	}
}

func (p *printer) close(s span, around []span) {
	switch s.kind {
	case spanAlt:
		p.mute--
	case spanLine:
	default:
		p.marked = p.d.close(p.marked, s, around)
	}
}

func (p *printer) part() Part {
	return Part{Text: string(p.marked), Plain: strings.Clone(string(p.plain)), Mode: p.d.mode()}
}

// cost is what a piece of a flow takes of each budget. There is one for each
// word, so its numbers are small.
type cost struct {
	seen   int32 // units of the text that is seen
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

// A meter is the pen that adds up costs.
type meter struct {
	d       Dialect
	m       Measure
	sum     cost
	mute    int
	scratch []byte
}

func (m *meter) write(text string) {
	n := int32(m.m.Of(text))
	m.sum.seen += n
	if m.mute == 0 {
		m.sum.plain += n
	}
	m.scratch = m.d.escape(m.scratch[:0], text)
	m.sum.raw += int32(len(m.scratch))
}

func (m *meter) open(s span, around []span, again bool) {
	switch s.kind {
	case spanAlt:
		if m.mute == 0 && !again {
			m.sum.plain += int32(m.m.Of(s.arg))
		}
		m.mute++
	case spanLine:
		if again {
			m.write(s.arg)
		}
	default:
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
	case spanLine:
	default:
		m.scratch = m.d.close(m.scratch[:0], s, around)
		m.mark()
	}
}

func (m *meter) mark() {
	m.sum.raw += int32(len(m.scratch))
	m.sum.markup += int32(len(m.scratch))
}
