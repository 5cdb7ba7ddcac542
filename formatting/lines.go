package formatting

import (
	"slices"
	"strings"
)

// A line of a run: the text in [from, to), and where it went in the flow.
type line struct{ from, to, at int }

// place writes a run, line by line.
func (l *layout) place(r *run) {
	r.trim()
	if len(r.text) == 0 {
		return
	}
	width := 0
	if l.p.Width > 0 {
		width = max(20, l.p.Width-cells(l.rest))
	}
	lines := breakLines(string(r.text), width)
	// Spans must not lie over the marks of a quote, nor over what is repeated
	// where a line is cut; in Markdown none may cross a line end.
	marked := strings.TrimSpace(l.rest) != ""
	repeat := marked && (l.p.Limit == 0 || l.p.Measure.Of(l.rest) <= l.p.Limit/4)
	repeated := l.rest
	if l.native && repeat {
		repeated = strings.Join(strings.Fields(repeated), " ") + " "
	}
	base := len(l.flow.spans)
	for i := range lines {
		ln := &lines[i]
		if i > 0 {
			class := lineEnd
			if r.text[lines[i-1].to] == ' ' {
				class = wordEnd
			}
			l.separate(separator{class: class})
		}
		l.startLine(false)
		if i == 0 {
			base = len(l.flow.spans)
		}
		ln.at = len(l.text)
		if i > 0 {
			if _, glued := slices.BinarySearch(r.glued, lines[i-1].to); glued {
				l.flow.borders = l.flow.borders[:len(l.flow.borders)-1]
				for g := lines[i-1].at + lines[i-1].to - lines[i-1].from; g < ln.at; g++ {
					l.flow.glued = append(l.flow.glued, g)
				}
			}
		}
		l.text = append(l.text, r.text[ln.from:ln.to]...)
		if repeat {
			l.flow.spans = append(l.flow.spans, span{start: ln.at, end: len(l.text), kind: spanLine, arg: repeated})
		}
	}
	l.moveSpans(r, lines, marked || l.native)
	slices.SortStableFunc(l.flow.spans[base:], func(a, b span) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	if l.native {
		l.fit(base)
	}
	i := 0
	for _, g := range r.glued {
		for i+1 < len(lines) && lines[i].to <= g {
			i++
		}
		if g >= lines[i].from {
			l.flow.glued = append(l.flow.glued, lines[i].at+g-lines[i].from)
		}
	}
}

// moveSpans adds the spans of r where its lines went.
func (l *layout) moveSpans(r *run, lines []line, perLine bool) {
	i := 0
	for _, s := range r.spans {
		if s.kind == 0 || s.end <= s.start {
			continue
		}
		for i+1 < len(lines) && lines[i].to <= s.start {
			i++
		}
		j := i
		for j+1 < len(lines) && lines[j+1].from < s.end {
			j++
		}
		at := func(line, pos int) int {
			return lines[line].at + min(max(pos, lines[line].from), lines[line].to) - lines[line].from
		}
		if !perLine {
			s.start, s.end = at(i, s.start), at(j, s.end)
			l.flow.spans = append(l.flow.spans, s)
			continue
		}
		for k := i; k <= j; k++ {
			part := s
			part.start, part.end = at(k, s.start), at(k, s.end)
			l.flow.spans = append(l.flow.spans, part)
		}
	}
}

// breakLines breaks s at its line feeds and, with a width, at blanks so that
// no line takes more columns unless a single word does.
func breakLines(s string, width int) []line {
	var lines []line
	from := 0
	for from <= len(s) {
		end := len(s)
		if i := strings.IndexByte(s[from:], '\n'); i >= 0 {
			end = from + i
		}
		if width > 0 {
			used := 0
			for pos := from; pos < end; {
				word := end
				if i := strings.IndexByte(s[pos:end], ' '); i >= 0 {
					word = pos + i
				}
				w := cells(s[pos:word])
				if pos > from && used+1+w > width {
					lines = append(lines, line{from: from, to: pos - 1})
					from, used = pos, 0
				}
				if used += w; pos > from {
					used++
				}
				pos = word + 1
			}
		}
		lines = append(lines, line{from: from, to: end})
		from = end + 1
	}
	return lines
}
