package formatting

import (
	"strings"
)

// table writes a table as one of the dialect's own where it has such; else as
// a monospaced grid if that fits into the profile's width and shows no link,
// which a grid could not lead anywhere; else row by row.
func (l *layout) table(t Table) {
	if l.nativeTable(t) {
		return
	}
	if grid := l.grid(t); grid != nil {
		l.preGrid(grid)
		return
	}
	complete := t.headsShow()
	if !complete {
		l.place(l.headline(t))
	}
	for i, row := range t.Rows {
		if i > 0 || !complete {
			l.separate(separator{class: lineEnd, blank: true})
		}
		for j, cell := range row {
			if len(cell) == 0 {
				continue
			}
			r := run{p: l.p, numbers: l.numbers}
			if j < len(t.Head) {
				r.within(spanStrong, "", t.Head[j])
			}
			r.trim()
			if n := len(r.text); n > 0 && r.text[n-1] != ':' {
				r.text = append(r.text, ':')
			}
			r.words(" ")
			r.inlines(cell)
			l.place(&r)
			l.separate(separator{class: lineEnd})
		}
	}
}

// preGrid writes the lines of a grid: its head, the rule and the rows. Where
// the dialect marks code up, a part that begins inside the rows begins with the
// head again, unless that takes more than a quarter of a part.
func (l *layout) preGrid(lines []string) {
	if len(lines) < 4 || !l.p.Dialect.draws(spanPre) {
		l.pre(lines, "", "")
		return
	}
	head := lines[0] + "\n" + lines[1] + "\n"
	if l.p.Limit > 0 && l.p.Measure.Of(head) > l.p.Limit/4 {
		l.pre(lines, "", "")
		return
	}
	l.pre(append([]string{head + lines[2]}, lines[3:]...), "", "")
	pre := len(l.flow.spans) - 1
	for l.flow.spans[pre].kind != spanPre {
		pre--
	}
	rows := span{start: l.flow.spans[pre].start + len(head) + len(lines[2]) + 1, end: len(l.text), kind: spanGrid, arg: head}
	l.flow.spans = append(l.flow.spans, rows)
}

// headsShow reports whether each column has a cell beside which its head will
// be shown.
func (t Table) headsShow() bool {
	seen, n := make([]bool, len(t.Head)), 0
	for _, row := range t.Rows {
		for j, cell := range row {
			if j < len(seen) && !seen[j] && len(cell) > 0 {
				seen[j] = true
				if n++; n == len(seen) {
					return true
				}
			}
		}
	}
	return len(seen) == 0
}

// headline is a table that has nothing but a head.
func (l *layout) headline(t Table) *run {
	r := run{p: l.p, numbers: l.numbers}
	for i, cell := range t.Head {
		if i > 0 {
			r.text = append(r.text, " · "...)
		}
		r.within(spanStrong, "", cell)
	}
	return &r
}

// grid returns the lines of the table, or nil if it does not fit.
func (l *layout) grid(t Table) []string {
	max := l.p.TableWidth
	if max <= 0 || len(t.Head) == 0 {
		return nil
	}
	if !l.p.Dialect.draws(spanPre) {
		max -= cells(l.rest)
	}
	rows := make([][]string, 0, len(t.Rows)+1)
	widths := make([]int, len(t.Head))
	for _, cells := range append([][][]Inline{t.Head}, t.Rows...) {
		row, ok := l.gridRow(cells, widths, max)
		if !ok {
			return nil
		}
		rows = append(rows, row)
	}
	most := int(l.p.budget(l.p.markerSize(0)).seen)
	lines := make([]string, 0, len(rows)+1)
	for i, row := range rows {
		var b strings.Builder
		for j, cell := range row {
			if j > 0 {
				b.WriteString(" │ ")
			}
			pad(&b, cell, widths[j], align(t, j))
		}
		line := strings.TrimRight(b.String(), " ")
		if most > 0 && 2*l.p.Measure.Of(line) > most {
			return nil // it might be cut, between a sentence and its citation too
		}
		lines = append(lines, line)
		if i == 0 {
			lines = append(lines, gridRule(widths))
		}
	}
	return lines
}

// gridRow returns the cells of a row as text and widens widths, or false if
// the row does not fit into a grid of max columns.
func (l *layout) gridRow(row [][]Inline, widths []int, max int) ([]string, bool) {
	if len(row) > len(widths) {
		return nil, false
	}
	texts := make([]string, len(widths))
	for j, cell := range row {
		r := run{p: l.p, numbers: l.numbers}
		r.inlines(cell)
		r.trim()
		for _, s := range r.spans {
			if (s.kind == spanLink || s.kind == spanAddress) && l.p.Dialect.draws(spanLink) {
				return nil, false
			}
		}
		texts[j] = string(r.text)
		if strings.Contains(texts[j], "\n") {
			return nil, false
		}
		if w := cells(texts[j]); w > widths[j] {
			widths[j] = w
		}
	}
	sum := 3 * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	return texts, sum <= max
}

func gridRule(widths []int) string {
	var b strings.Builder
	for j, w := range widths {
		if j > 0 {
			b.WriteString("─┼─")
		}
		b.WriteString(strings.Repeat("─", w))
	}
	return b.String()
}

func align(t Table, column int) Align {
	if column < len(t.Align) {
		return t.Align[column]
	}
	return AlignNone
}

func pad(b *strings.Builder, s string, width int, a Align) {
	free := width - cells(s)
	left := 0
	switch a {
	case AlignRight:
		left = free
	case AlignCenter:
		left = free / 2
	}
	b.WriteString(strings.Repeat(" ", left))
	b.WriteString(s)
	b.WriteString(strings.Repeat(" ", free-left))
}
