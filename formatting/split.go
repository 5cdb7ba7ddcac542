package formatting

import (
	"slices"

	"github.com/rivo/uniseg"
)

// minFill is how full a part has to be, in per cent of what would fit, to end
// at a border of the class rather than at a worse one.
var minFill = [classes]int{wordEnd: 10, sentenceEnd: 50, lineEnd: 50, blockEnd: 40}

// A stop is a border with what it costs to get there.
type stop struct {
	border
	until cost // of everything before end
	from  cost // of everything before start
	close cost // of ending a part here
	open  cost // of beginning one
}

// split cuts a flow into pieces [from, to) of which each stays within the
// budget.
func (f *flow) split(p *Profile, budget cost) [][2]int {
	s := splitter{budget: budget, window: make([]stop, 1, 1024)}
	f.stops(p, budget, s.add)
	for len(s.window) > 1 {
		if last := &s.window[len(s.window)-1]; takes(&s.window[0], last).within(budget) {
			s.cut(len(s.window) - 1)
		} else {
			s.cut(s.choose())
		}
	}
	return s.pieces
}

// A splitter is handed the stops of a flow in order. It keeps those of the
// piece in hand, so it needs no more memory than a part has words.
type splitter struct {
	budget cost
	window []stop // the first is where the piece begins
	pieces [][2]int
}

func (s *splitter) add(next stop) {
	s.window = append(s.window, next)
	for len(s.window) > 1 && !next.until.minus(s.window[0].from).within(s.budget) {
		s.cut(s.choose())
	}
}

// cut ends the piece at window[j], where the next one begins.
func (s *splitter) cut(j int) {
	if from, to := s.window[0].start, s.window[j].end; from < to {
		s.pieces = append(s.pieces, [2]int{from, to})
	}
	s.window = s.window[:copy(s.window, s.window[j:])]
}

func takes(from, to *stop) cost {
	return to.until.minus(from.from).plus(from.open).plus(to.close)
}

// choose returns the index of the stop at which the piece should end.
func (s *splitter) choose() int {
	var best [classes]int
	furthest := 0
	for j := 1; j < len(s.window); j++ {
		if takes(&s.window[0], &s.window[j]).within(s.budget) {
			best[s.window[j].class] = j
			furthest = j
		}
	}
	if furthest == 0 {
		return 1 // nothing fits: the limit is too small for even this
	}
	fill := func(j int) int { return s.window[j].end - s.window[0].start }
	for class := classes - 1; class > insideCluster; class-- {
		if j := best[class]; j > 0 && fill(j)*100 >= minFill[class]*fill(furthest) {
			return j
		}
	}
	return furthest
}

// stops hands all borders of the flow to yield, also those inside words where
// a word is too long, with their costs. The last is the flow's end.
func (f *flow) stops(p *Profile, budget cost, yield func(stop)) {
	m := newMeter(p)
	w := walk{f: f}
	reached := 0
	var last stop
	add := func(b border) {
		s := stop{border: b}
		w.advance(b.end, &m)
		s.until = m.sum
		if len(w.active) > 0 {
			m.sum = cost{}
			w.suspend(&m)
			s.close = m.sum
			m.sum = s.until
		}
		if b.start > b.end {
			w.advance(b.start, &m)
		}
		s.from = m.sum
		if len(w.active) > 0 {
			m.sum = cost{}
			w.resume(&m)
			s.open = m.sum
			m.sum = s.from
		}
		reached, last = b.start, s
		yield(s)
	}
	inside := f.insides()
	for _, b := range append(f.allBorders(inside), border{end: len(f.text), start: len(f.text), class: blockEnd}) {
		if b.end < reached {
			continue
		}
		long, dense := f.tooLong(f.spans[w.next:], reached, b.end, p, budget)
		if (long || dense) && !w.fits(m, b.end, &last, budget) {
			step := budget.seen / 64
			if dense {
				step = 1
			}
			for {
				end, next := glueIn(inside, reached, b.end)
				if !w.fits(m, end, &last, budget) {
					f.insideWords(reached, end, p.Measure, budget, step, inside, add)
				}
				if end == b.end {
					break
				}
				add(border{end: end, start: next, class: insideBond})
			}
		}
		add(b)
	}
}

// glueIn returns where the first white space lies in [from, to) at which the
// text must not be cut, or to.
func glueIn(inside []byte, from, to int) (start, end int) {
	for start = from; start < to && inside[start] != glue; start++ {
	}
	for end = start; end < to && inside[end] == glue; end++ {
	}
	return start, end
}

// fits reports whether what lies between from and to would go into one part. It
// goes there with a walk and meter of its own.
func (w walk) fits(m meter, to int, from *stop, budget cost) bool {
	w.active = slices.Clone(w.active)
	w.advance(to, &m)
	end := stop{until: m.sum}
	m.sum = cost{}
	w.suspend(&m)
	end.close = m.sum
	return takes(from, &end).within(budget)
}

// tooLong reports whether [from, to), in which no border lies, takes so much
// of a part that it may have to be cut, and whether that is because its markup
// is so dense. Spans are those that begin at from or later.
func (f *flow) tooLong(spans []span, from, to int, p *Profile, budget cost) (long, dense bool) {
	n := int(budget.seen / 4)
	switch {
	case n == 0:
	case to-from > n: // no unit is smaller than a byte
		long = p.LimitMarked || p.Measure.Of(f.text[from:to]) > n
	case p.LimitMarked && (to-from)*maxEscape > n:
		marked := p.Dialect.escape(nil, snippet{all: f.text, from: from, to: to})
		long = p.Measure.ofBytes(marked) > n
	}
	return long, f.dense(spans, to, budget)
}

// maxEscape is how many units an escaped one takes at most.
const maxEscape = 6

// dense reports whether the spans that begin before to take a great part of
// what the budget has for markup.
func (f *flow) dense(spans []span, to int, budget cost) bool {
	if budget.spans == 0 && budget.markup == 0 {
		return false
	}
	n, size := int32(0), int32(0)
	for _, s := range spans {
		if s.start >= to {
			break
		}
		n++
		size += int32(64 + len(s.arg))
	}
	return budget.spans > 0 && n > budget.spans/4 || budget.markup > 0 && size > budget.markup/4
}

// insideWords adds borders between the grapheme clusters of [from, to), at
// least step units apart, and those inside of a cluster that is too long
// itself.
func (f *flow) insideWords(from, to int, m Measure, budget cost, step int32, inside []byte, add func(border)) {
	most := max(int(budget.seen/4), 1)
	text := f.text[from:to]
	state, since := -1, 0
	for text != "" {
		var cluster string
		cluster, text, _, state = uniseg.FirstGraphemeClusterInString(text, state)
		size := m.Of(cluster)
		since += size
		if budget.seen > 0 && size > most {
			for i := range cluster {
				if i > 0 {
					add(border{end: from + i, start: from + i, class: insideCluster})
				}
			}
		}
		from += len(cluster)
		if text != "" && since >= int(step) {
			since = 0
			class := insideWord
			if before, after := inside[from-1], inside[from]; before >= uncut || after >= uncut || before == inAddress && after == inAddress {
				class = insideBond
			}
			add(border{end: from, start: from, class: class})
		}
	}
}

// allBorders returns the borders of the layout and those at the white space
// between them.
func (f *flow) allBorders(inside []byte) []border {
	borders := make([]border, 0, len(f.text)/6)
	from := 0
	words := func(to int) {
		for i := from; i < to; i++ {
			if f.text[i] != ' ' && f.text[i] != '\t' {
				if n := ideographicStop(f.text[i:to]); n > 0 && inside[i] == 0 {
					borders = append(borders, border{i + n, i + n, sentenceEnd})
					i += n - 1
				}
				continue
			}
			end := i
			for i+1 < to && (f.text[i+1] == ' ' || f.text[i+1] == '\t') {
				i++
			}
			b := border{end: end, start: i + 1, class: wordEnd}
			switch {
			case end == from || i+1 == to: // indentation, or before a line end
				continue
			case inside[end] >= uncut:
				continue
			case inside[end] == inCode:
				b.class = insideCode
				b.start = b.end // white space counts in code
			case inside[end] == inLink:
				b.class = insideCode
			case endsSentence(f.text[from:end], f.text[i+1:to]):
				b.class = sentenceEnd
			}
			borders = append(borders, b)
		}
	}
	for _, b := range f.borders {
		words(b.end)
		borders = append(borders, b)
		from = b.start
	}
	words(len(f.text))
	return borders
}

// What a cut would go through; up to inCode only in need, from uncut on only
// where the whole is too long for a part.
const (
	inLink = iota + 1
	inAddress
	inCode
	uncut
	glue // white space that belongs to what stands around it
)

// insides says of each byte whether a cut there would go through something.
func (f *flow) insides() []byte {
	inside := make([]byte, len(f.text))
	for _, s := range f.spans {
		var v byte
		switch s.kind {
		case spanLink:
			v = inLink
		case spanAddress:
			v = inAddress
		case spanCode, spanPre:
			v = inCode
		case spanCitation, spanAlt, spanRow:
			v = uncut
		default:
			continue
		}
		for i := s.start; i < s.end; i++ {
			inside[i] = max(inside[i], v)
		}
	}
	for _, g := range f.glued {
		inside[g] = glue
	}
	return inside
}
