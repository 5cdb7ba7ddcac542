package formatting

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
	// hanging are the lines that begin with the mark of a list, where that is
	// markup.
	hanging []hanging
}

// hanging is the prefix of the lines that go on with the line at at.
type hanging struct {
	at     int
	prefix string
}

// A span marks up the text in [start, end).
type span struct {
	start, end int
	kind       spanKind
	n          int32
	arg        string
}

type spanKind uint8

const (
	spanHeading spanKind = iota + 1 // n: level
	spanStrong
	spanEmphasis
	spanStrike
	spanSigns    // as spanStrike, where that cannot be marked up: shown by signs
	spanCode     // n: how many backticks enclose it in Markdown
	spanLink     // arg: URL
	spanAddress  // arg: URL, which is also the text
	spanCitation // never cut
	spanAlt      // arg: what stands here in Part.Plain; never cut
	spanPre      // arg: language; n: as of spanCode
	spanQuote
	spanFolded
	spanTable  // rows of a native table; arg: its head, repeated where it is cut
	spanGrid   // rows of a monospaced table; arg: the lines above them, repeated as those
	spanRow    // one of them, or its head; never cut
	spanLine   // arg: the line's prefix, repeated where a line is cut
	spanIndent // the blanks that a line begins with, where they are markup
	spanPrefix // a line's prefix: decoration, not the author's words
	spanKinds
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

// A pen receives what a walk over a flow meets: text[from:to], and the spans
// around it. Open gets the spans around the new one, close those that stay
// open.
type pen interface {
	write(text string, from, to int)
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
		p.write(w.f.text, w.pos, stop)
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
