package formatting

// lists keeps the lists of a part apart, where their marks and indentation are
// markup. A part that begins inside a list has to begin at the margin: the
// indentation of its first line is dropped there, and from all lines that have
// it. A block of code, which stands at the margin, begins the lists anew.
type lists struct {
	dedent  [levels]int  // blanks to drop; one for each quote around the list
	rebase  [levels]bool // take those of the next line
	level   int32        // of the indentation in hand: how many quotes are around it; or what the prefix in hand is
	column  int          // bytes of prefix in this line
	quotes  int          // marks of quotes in this line
	awaits  int          // the level whose indentation may come next in this line, or -1
	midway  bool         // the part began inside a line, and no list or quote since
	shifted bool         // what follows are items of another list than those before
}

// levels is how many quotes inside each other have an indentation of their own.
const levels = maxIndent + 1

// A listGap is what has to be put before a line so that its number begins a list.
type listGap int

const (
	noGap   listGap = iota
	oneGap          // an empty line: a number does not end a paragraph
	wideGap         // a line of nothing: the list before it would count on
)

// What a spanPrefix is, in span.n.
const (
	listMark  int32 = iota
	apartMark       // of a list that is another than the one before it
	quoteMark
	emptyMark // of an empty line
)

func (l *lists) enter(s span) {
	l.level = s.n
	l.shifted = l.shifted || s.kind == spanPrefix && s.n == apartMark
}

// end tells that a block at the margin has ended all lists.
func (l *lists) end() {
	for i := range l.rebase {
		l.rebase[i] = true
	}
}

// line tells that a line begins.
func (l *lists) line() { l.awaits, l.quotes, l.column = 0, 0, 0 }

// write takes all[from:to], which is to be written at p, and returns what is
// left of it and what has to be put before its line.
func (l *lists) write(p *place, all string, from, to int) (int, listGap) {
	switch {
	case p.in == spanIndent:
		l.indent(int(l.level), to-from)
		l.awaits = -1
		return from + l.dedent[min(l.level, levels-1)], noGap
	case p.in == spanPrefix && p.fresh && l.level == emptyMark:
	case p.in == spanPrefix && p.fresh && l.level == quoteMark:
		l.margin()
		l.quotes++
		l.awaits, l.midway = l.quotes, false
	case p.in == spanPrefix && p.fresh:
		l.margin()
		return from, l.mark(all[from:to])
	case p.fresh && p.in != spanPre && all[from] != '\n':
		l.margin()
	}
	return from, noGap
}

// margin tells that what comes next in the line is no indentation.
func (l *lists) margin() {
	if l.awaits >= 0 {
		l.indent(l.awaits, 0)
		l.awaits = -1
	}
}

// mark takes the mark of a list and returns what has to be before its line. A
// bare dash below a paragraph would make that a heading.
func (l *lists) mark(mark string) listGap {
	midway := l.midway
	l.midway = false
	number := isDigit(mark[0])
	switch {
	case number && l.shifted:
		l.shifted = false
		return wideGap
	case midway && number, mark == "-":
		return oneGap
	}
	return noGap
}

// indent tells that a line has blanks blanks at level.
func (l *lists) indent(level, blanks int) {
	level = min(level, levels-1)
	if l.rebase[level] {
		l.dedent[level], l.rebase[level] = blanks, false
	}
	if l.dedent[level] > blanks {
		l.dedent[level] = blanks
		l.shifted = true
	}
}
