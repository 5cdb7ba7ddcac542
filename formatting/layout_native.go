package formatting

import (
	"slices"
	"strings"
)

// nativeTable writes a table of the dialect's own, row by row, and reports
// whether it did. It does not where Markdown knows no tables, in lists and
// quotes, nor where a row is so long that it might have to be cut, nor for a
// table that is mostly empty, which its pipes would make many times longer.
func (l *layout) nativeTable(t Table) bool {
	if !l.p.Dialect.draws(spanTable) || l.depth > 0 || l.quoted || l.hasFirst || len(t.Head) == 0 || len(t.Rows) == 0 {
		return false
	}
	filled := 0
	for _, cells := range t.Rows {
		filled += len(cells)
		if len(cells) > len(t.Head) {
			return false
		}
	}
	if len(t.Rows)*len(t.Head) > 4*filled+2*maxColumns {
		return false
	}
	head := l.row(t.Head, len(t.Head))
	rows := make([]*run, len(t.Rows))
	for i, cells := range t.Rows {
		rows[i] = l.row(cells, len(t.Head))
	}
	rule := delimiterRow(t)
	above := string(head.text) + "\n" + rule + "\n"
	for _, r := range rows {
		if l.p.mayCut(above + string(r.text)) {
			return false
		}
	}
	// Head, rule and first row stay together.
	first := head
	first.join(&run{text: []byte(rule), spans: []span{{end: len(rule), kind: spanRow}, {end: len(rule), kind: spanPrefix}}})
	first.join(rows[0])
	l.open(span{kind: spanTable, arg: l.plainCells(t.Head) + "\n" + rule})
	l.place(first)
	for _, r := range rows[1:] {
		l.separate(separator{class: lineEnd})
		l.place(r)
	}
	l.close()
	return true
}

// mayCut reports whether text is so long that the splitter looks for places
// inside it; see tooLong.
func (p *Profile) mayCut(text string) bool {
	const long = 1 << 20
	n := int(p.budget(p.markerSize(long)).seen / 4)
	return n > 0 && (len(text) > n || p.Measure.ofBytes(p.Dialect.escape(nil, snippet{all: text, to: len(text)})) > n)
}

// row returns a line of a table with n cells.
func (l *layout) row(cells [][]Inline, n int) *run {
	r := &run{p: l.p, numbers: l.numbers, flat: true}
	pipe := func(s string) {
		i := r.open(spanPrefix, "")
		r.text = append(r.text, s...)
		r.close(i)
	}
	row := r.open(spanRow, "")
	for j := range n {
		pipe("| ")
		from := len(r.text)
		if j < len(cells) {
			r.inlines(cells[j])
		}
		r.trimTo(from)
		pipe(" ")
	}
	pipe("|")
	r.close(row)
	return r
}

// join adds the lines of next. The text is not cut where they meet.
func (r *run) join(next *run) {
	r.glued = append(r.glued, len(r.text))
	r.text = append(r.text, '\n')
	base := len(r.text)
	r.text = append(r.text, next.text...)
	for _, s := range next.spans {
		s.start, s.end = s.start+base, s.end+base
		r.spans = append(r.spans, s)
	}
	for _, g := range next.glued {
		r.glued = append(r.glued, g+base)
	}
}

// plainCells returns the text of cells, for a spanTable to repeat.
func (l *layout) plainCells(cells [][]Inline) string {
	var b strings.Builder
	for _, cell := range cells {
		r := run{p: l.p, numbers: l.numbers, flat: true}
		r.inlines(cell)
		r.trim()
		b.Write(r.text)
		b.WriteString(cellEnd)
	}
	return b.String()
}

func delimiterRow(t Table) string {
	marks := make([]string, len(t.Head))
	for j := range marks {
		switch align(t, j) {
		case AlignLeft:
			marks[j] = ":---"
		case AlignCenter:
			marks[j] = ":---:"
		case AlignRight:
			marks[j] = "---:"
		default:
			marks[j] = "---"
		}
	}
	return "| " + strings.Join(marks, " | ") + " |"
}

// fit takes back markup that Markdown would not see as such where it stands,
// from the spans of one paragraph: those of the flow from base on. Its readers
// differ in what they take for a delimiter; the rules here satisfy CommonMark's
// and those of the chat clients that search for the nearest end.
func (l *layout) fit(base int) {
	spans := l.flow.spans[base:]
	styled, coded := -1, -1 // where the last style and the last code ended
	for i := range spans {
		s := &spans[i]
		switch s.kind {
		case spanHeading:
			if s.start > 0 && l.text[s.start-1] != '\n' {
				s.kind = spanStrong
			}
		case spanCode:
			if s.start == coded || s.start > 0 && l.text[s.start-1] == '`' {
				s.kind = 0
			} else {
				coded = s.end
			}
			continue
		}
		mark := delimiter(s.kind)
		if mark == 0 {
			continue
		}
		l.shrink(s, spans[i+1:])
		if s.start == styled || !l.delimits(s, spans[i+1:], mark) {
			if s.kind == spanStrike {
				s.kind = spanSigns
			} else {
				s.kind = 0
			}
			continue
		}
		styled = s.end
	}
	kept := slices.DeleteFunc(spans, func(s span) bool { return s.kind == 0 })
	l.flow.spans = l.flow.spans[:base+len(kept)]
}

// delimiter returns the character that marks a style up, or 0.
func delimiter(kind spanKind) byte {
	switch kind {
	case spanStrong:
		return '*'
	case spanEmphasis:
		return '_'
	case spanStrike:
		return '~'
	}
	return 0
}

// shrink takes the blanks at its ends out of s, unless they belong to one of
// the spans inside.
func (l *layout) shrink(s *span, inside []span) {
	for s.end > s.start && l.text[s.end-1] == ' ' {
		s.end--
	}
	for s.start < s.end && l.text[s.start] == ' ' && (len(inside) == 0 || inside[0].start > s.start) {
		s.start++
	}
}

// delimits reports whether mark, around s, will be taken for a delimiter.
func (l *layout) delimits(s *span, inside []span, mark byte) bool {
	text := l.text[s.start:s.end]
	if len(text) == 0 || text[0] == ' ' || strings.IndexByte(string(text), mark) >= 0 {
		return false
	}
	starts, ends := false, false // whether another mark stands there
	for _, in := range inside {
		if in.start >= s.end {
			break
		}
		starts = starts || in.start == s.start
		ends = ends || in.end >= s.end
		if in.end > s.end || strings.IndexByte(in.arg, mark) >= 0 {
			return false
		}
	}
	before, first := runesAround(l.text, s.start)
	last, after := runesAround(l.text, s.end)
	if inWord(before) && (mark == '_' || starts || !inWord(first)) {
		return false
	}
	return !inWord(after) || mark != '_' && !ends && inWord(last)
}
