package formatting

import (
	"strings"
)

// separate asks for an end of line before whatever is written next. Of
// several requests the strongest counts.
func (l *layout) separate(s separator) {
	s.prefix, s.set = l.rest, true
	if l.sep.set {
		s.class = max(s.class, l.sep.class)
		s.blank = s.blank || l.sep.blank
		s.prefix = l.sep.prefix
	}
	l.sep = s
}

// open asks for a span around the lines that follow, until close. A span that
// the dialect draws begins on a line of its own.
func (l *layout) open(s span) {
	if l.hasFirst && l.p.Dialect.draws(s.kind) {
		l.startLine(false)
		l.trimPrefix()
		l.separate(separator{class: wordEnd})
	}
	l.opening = append(l.opening, s)
}

func (l *layout) close() {
	if n := len(l.opening); n > 0 { // nothing was written in it
		l.opening = l.opening[:n-1]
		return
	}
	n := len(l.opened) - 1
	l.flow.spans[l.opened[n]].end = len(l.text)
	l.opened = l.opened[:n]
}

// trimPrefix removes the blanks at the end of a prefix that nothing follows.
func (l *layout) trimPrefix() {
	for len(l.text) > 0 && l.text[len(l.text)-1] == ' ' {
		l.text = l.text[:len(l.text)-1]
	}
	if n := len(l.flow.spans); n > 0 {
		last := &l.flow.spans[n-1]
		last.end = min(last.end, len(l.text))
		if l.native && strings.HasPrefix(string(l.text[min(last.start, last.end):]), "- - -") { // a rule, in Markdown
			last.kind = spanAlt
			last.arg = string(l.text[last.start:last.end])
		}
	}
}

// startLine writes what is due before a line, and the line's prefix. A line
// of code keeps its white space also where a part begins with it.
func (l *layout) startLine(code bool) {
	b := border{end: -1}
	if l.sep.set && len(l.text) > 0 {
		b = border{end: len(l.text), class: l.sep.class}
		l.text = append(l.text, '\n')
		if l.sep.blank {
			if l.native {
				l.prefix(strings.TrimRight(l.sep.prefix, " "), true)
			} else {
				l.text = append(l.text, strings.TrimRight(l.sep.prefix, " ")...)
			}
			l.text = append(l.text, '\n')
		}
	}
	l.sep = separator{}
	from := len(l.text)
	for _, s := range l.opening {
		s.start = from
		l.opened = append(l.opened, len(l.flow.spans))
		l.flow.spans = append(l.flow.spans, s)
	}
	l.opening = l.opening[:0]
	prefix := l.rest
	if l.hasFirst {
		prefix, l.hasFirst = l.first, false
		if l.native {
			l.flow.hanging = append(l.flow.hanging, hanging{from, l.rest})
		}
	}
	blanks := 0
	if !code {
		blanks = indentation(prefix)
	}
	l.prefix(prefix, false)
	if b.end >= 0 {
		b.start = from + blanks
		l.flow.borders = append(l.flow.borders, b)
	}
}

// prefix writes the prefix of a line, which may be empty behind it.
func (l *layout) prefix(prefix string, empty bool) {
	from := len(l.text)
	l.text = append(l.text, prefix...)
	if !l.native {
		if strings.TrimSpace(prefix) != "" {
			l.flow.spans = append(l.flow.spans, span{start: from, end: len(l.text), kind: spanPrefix})
		}
		return
	}
	for level := int32(0); from < len(l.text); level++ {
		blanks := indentation(prefix)
		if blanks > 0 {
			l.flow.spans = append(l.flow.spans, span{start: from, end: from + blanks, kind: spanIndent, n: level})
		}
		from, prefix = from+blanks, prefix[blanks:]
		end, mark := l.p.quoteMark(prefix), quoteMark
		if end == 0 {
			end, mark = len(prefix), listMark
			switch {
			case empty:
				mark = emptyMark
			case l.apart && end > 0:
				mark, l.apart = apartMark, false
			}
		}
		if end > 0 {
			l.flow.spans = append(l.flow.spans, span{start: from, end: from + end, kind: spanPrefix, n: mark})
		}
		from, prefix = from+end, prefix[end:]
	}
}

// quoteMark returns the length of the mark of a quote that line begins with.
func (p *Profile) quoteMark(line string) int {
	for _, mark := range [...]string{p.Looks.Quote, p.Looks.Inner} {
		if strings.HasPrefix(line, mark+" ") {
			return len(mark) + 1
		}
	}
	return 0
}

// indentations returns the blanks that prefix begins with, and those behind
// the mark of each quote in it.
func (p *Profile) indentations(prefix string) (blanks [levels]int) {
	for i := range blanks {
		blanks[i] = indentation(prefix)
		n := p.quoteMark(prefix[blanks[i]:])
		if n == 0 {
			break
		}
		prefix = prefix[blanks[i]+n:]
	}
	return blanks
}
