package formatting

import "github.com/rivo/uniseg"

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
// budget. It looks at each border a bounded number of times.
func (f *flow) split(p *Profile, budget cost) [][2]int {
	stops := f.stops(p, budget)
	var pieces [][2]int
	last := len(stops) - 1
	for i := 0; i < last; {
		j := last
		if !takes(stops[i], stops[last]).within(budget) {
			j = choose(stops, i, budget)
		}
		if stops[i].start < stops[j].end {
			pieces = append(pieces, [2]int{stops[i].start, stops[j].end})
		}
		i = j
	}
	return pieces
}

func takes(from, to stop) cost {
	return to.until.minus(from.from).plus(from.open).plus(to.close)
}

// choose returns the stop at which the piece that begins at i ends.
func choose(stops []stop, i int, budget cost) int {
	var best [classes]int
	furthest := i
	for j := i + 1; j < len(stops); j++ {
		if !stops[j].until.minus(stops[i].from).within(budget) {
			break
		}
		if takes(stops[i], stops[j]).within(budget) {
			best[stops[j].class] = j
			furthest = j
		}
	}
	if furthest == i {
		return i + 1 // nothing fits: the limit is too small for even this
	}
	fill := func(j int) int { return stops[j].end - stops[i].start }
	for class := classes - 1; class > 0; class-- {
		if j := best[class]; j > i && fill(j)*100 >= minFill[class]*fill(furthest) {
			return j
		}
	}
	return furthest
}

// stops returns all borders of the flow, also those inside words where a word
// is too long, with their costs. The first is its start, the last its end.
func (f *flow) stops(p *Profile, budget cost) []stop {
	borders := f.allBorders()
	stops := make([]stop, 1, len(borders)+2)
	m := meter{d: p.Dialect, m: p.Measure}
	w := walk{f: f}
	add := func(b border) {
		s := stop{border: b}
		w.advance(b.end, &m)
		s.until = m.sum
		m.sum = cost{}
		w.suspend(&m)
		s.close = m.sum
		m.sum = s.until
		if b.start > b.end {
			w.advance(b.start, &m)
		}
		s.from = m.sum
		m.sum = cost{}
		w.resume(&m)
		s.open = m.sum
		m.sum = s.from
		stops = append(stops, s)
	}
	for _, b := range append(borders, border{end: len(f.text), start: len(f.text), class: blockEnd}) {
		from := stops[len(stops)-1].start
		if b.end < from {
			continue
		}
		if f.tooLong(w.f.spans[w.next:], from, b.end, p.Measure, budget) {
			f.insideWords(from, b.end, p.Measure, budget, add)
		}
		add(b)
	}
	return stops
}

// tooLong reports whether [from, to), in which no border lies, takes so much
// of a part that it may have to be cut. Spans are those that begin at from or
// later.
func (f *flow) tooLong(spans []span, from, to int, m Measure, budget cost) bool {
	if n := budget.seen / 4; n > 0 && to-from > n && m.Of(f.text[from:to]) > n { // no unit is smaller than a byte
		return true
	}
	n, size := 0, 0
	for _, s := range spans {
		if s.start >= to {
			break
		}
		n++
		size += 64 + len(s.arg)
	}
	return budget.spans > 0 && n > budget.spans/4 || budget.markup > 0 && size > budget.markup/4
}

// insideWords adds the borders between the grapheme clusters of [from, to), and
// those inside of a cluster that is too long itself.
func (f *flow) insideWords(from, to int, m Measure, budget cost, add func(border)) {
	most := max(budget.seen/4, 1)
	text := f.text[from:to]
	state := -1
	for text != "" {
		var cluster string
		cluster, text, _, state = uniseg.FirstGraphemeClusterInString(text, state)
		if budget.seen > 0 && m.Of(cluster) > most {
			for i := range cluster {
				if i > 0 {
					add(border{end: from + i, start: from + i, class: insideCluster})
				}
			}
		}
		from += len(cluster)
		if text != "" {
			add(border{end: from, start: from, class: insideWord})
		}
	}
}

// allBorders returns the borders of the layout and those at the white space
// between them.
func (f *flow) allBorders() []border {
	inside := f.insides()
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
			case inside[end] == uncut:
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

// What a cut would go through; the first two only in need, the last never at
// white space.
const (
	inLink = iota + 1
	inCode
	uncut
)

// insides says of each byte whether a cut there would go through something.
func (f *flow) insides() []byte {
	inside := make([]byte, len(f.text))
	for _, s := range f.spans {
		var v byte
		switch s.kind {
		case spanLink:
			v = inLink
		case spanCode, spanPre:
			v = inCode
		case spanCitation, spanAlt:
			v = uncut
		default:
			continue
		}
		for i := s.start; i < s.end; i++ {
			inside[i] = max(inside[i], v)
		}
	}
	for _, g := range f.glued {
		inside[g] = uncut
	}
	return inside
}
