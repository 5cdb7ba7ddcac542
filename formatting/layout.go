package formatting

import (
	"strconv"
	"strings"
)

// maxIndent is the depth from which lists and quotes are not set in further.
const maxIndent = 8

// A layout turns a document into a flow. It writes line by line; each line
// begins with the prefix of the lists and quotes that it stands in.
type layout struct {
	p    *Profile
	text []byte
	flow flow

	first    string // the prefix of the next line, if hasFirst
	hasFirst bool
	boxed    bool   // first ends with the box of a task
	rest     string // the prefix of the lines after it
	depth    int    // of lists and quotes
	quoted   bool   // inside a quote that the dialect draws
	quotes   int    // depth of those that it does not
	native   bool   // the marks of lines are the dialect's own
	numbers  map[string]int
	noted    int  // notes written so far
	apart    bool // the next list is another than the one before it

	// What has to be written before the next line. It is written only when
	// there is one, so that empty blocks leave no trace.
	sep     separator
	opening []span
	opened  []int // indexes of the block spans that are open
}

type separator struct {
	class  class
	blank  bool   // with an empty line
	prefix string // of the empty line
	set    bool
}

func lay(d Document, p *Profile) flow {
	l := &layout{p: p, native: p.Dialect.draws(spanPrefix), numbers: numbers(d)}
	l.blocks(d.Blocks, separator{class: blockEnd, blank: true})
	l.flow.text = string(l.text)
	return l.flow
}

// blocks writes siblings with between between them.
func (l *layout) blocks(bs []Block, between separator) {
	var last Block // that left a trace
	for i, b := range bs {
		if i > 0 {
			sep := between
			_, heading := bs[i-1].(Heading)
			list, ok := b.(List)
			announced := ok && len(l.text) > 0 && l.text[len(l.text)-1] == ':'
			switch {
			case l.native && (ok && !list.interrupts() || ends(last, b)):
				sep.blank = true
			case heading || announced: // stays close to what it announces, as "Belege:"
				sep = separator{class: wordEnd}
			}
			l.separate(sep)
			l.apart = l.apart || l.native && sameList(last, b)
		}
		from := len(l.text)
		l.block(b)
		if len(l.text) > from {
			last = b
		}
	}
}

func (l *layout) block(b Block) {
	switch b := b.(type) {
	case Paragraph:
		r := run{p: l.p, numbers: l.numbers}
		r.inlines(b.Inlines)
		l.place(&r)
	case Heading:
		l.heading(b)
	case List:
		l.list(b)
	case Quote:
		l.quote(b)
	case CodeBlock:
		l.code(b)
	case Table:
		l.table(b)
	case Footnotes:
		l.blocks(b.blocks(l.numbers, l.p.Dialect.draws(spanFolded), l.noted), separator{class: lineEnd})
		l.noted = max(l.noted, b.last(l.numbers))
	case Rule:
		l.startLine(false)
		from := len(l.text)
		l.text = append(l.text, l.p.Looks.Rule...)
		if l.native {
			l.flow.spans = append(l.flow.spans, span{start: from, end: len(l.text), kind: spanPrefix})
		}
	}
}

// interrupts reports whether Markdown sees the list when it follows a paragraph
// on the next line.
func (list List) interrupts() bool {
	if list.Ordered && list.Start != 1 || len(list.Items) == 0 || len(list.Items[0].Blocks) == 0 {
		return false
	}
	_, ok := list.Items[0].Blocks[0].(Paragraph)
	return ok
}

// endBox ends the line of a task whose text would be a list or quote: Markdown
// sees one behind the mark of a list, but not behind the box of a task.
func (l *layout) endBox() {
	if l.native && l.hasFirst && l.boxed {
		l.startLine(false)
		l.trimPrefix()
		l.separate(separator{class: lineEnd, blank: true})
	}
}

// ends reports whether Markdown needs an empty line to see that b is no more of
// the list or quote before it.
func ends(before, b Block) bool {
	switch before.(type) {
	case List, Quote:
		switch b.(type) {
		case Paragraph, Heading, Table, Quote:
			return true
		}
	}
	return false
}

// sameList reports whether Markdown would take the numbers of the list b for
// more of the list before it.
func sameList(before, b Block) bool {
	first, ok1 := before.(List)
	second, ok2 := b.(List)
	return ok1 && ok2 && first.Ordered && second.Ordered
}

func (l *layout) heading(h Heading) {
	r := run{p: l.p, numbers: l.numbers, caps: l.p.Looks.Heading != HeadingMarked}
	r.on[spanStrong] = true
	i := r.open(spanHeading, "")
	r.spans[i].n = int32(h.Level)
	r.inlines(h.Inlines)
	r.close(i)
	from := len(l.text)
	l.place(&r)
	if l.p.Looks.Heading != HeadingRuled || h.Level > 2 || len(l.text) == from {
		return
	}
	width := 0
	for line := range strings.SplitSeq(string(r.text), "\n") {
		width = max(width, cells(line))
	}
	if l.p.Width > 0 {
		width = min(width, l.p.Width)
	}
	end := len(l.text)
	l.text = append(l.text, '\n')
	l.text = append(l.text, l.rest...)
	l.text = append(l.text, strings.Repeat("─", width)...)
	l.flow.borders = append(l.flow.borders, border{end: end, start: len(l.text), class: insideBond})
}

func (l *layout) list(list List) {
	l.endBox()
	first, had, boxed, rest := l.first, l.hasFirst, l.boxed, l.rest
	inset := ""
	if l.depth == 0 {
		inset = l.p.Looks.Inset
	}
	l.depth++
	number := list.Start
	for i, item := range list.Items {
		if i > 0 {
			l.rest = rest
			l.separate(separator{class: lineEnd})
		}
		var marks []string
		if list.Ordered {
			marks = append(marks, strconv.Itoa(number)+".")
		} else if item.Task == NoTask || l.p.Looks.TaskBullet {
			marks = append(marks, l.p.Looks.Bullet)
		}
		switch item.Task {
		case TaskOpen:
			marks = append(marks, l.p.Looks.TaskOpen)
		case TaskDone:
			marks = append(marks, l.p.Looks.TaskDone)
		}
		mark := inset + strings.Join(marks, " ") + " "
		l.first, l.hasFirst, l.boxed = rest+mark, true, item.Task != NoTask
		if had { // the list is the first thing in an item of another
			l.first = first + mark
		}
		l.rest = rest
		if l.depth <= maxIndent {
			hang := mark
			if l.native { // what Markdown takes for the mark
				hang = inset + marks[0] + " "
			}
			l.rest += strings.Repeat(" ", cells(hang))
		}
		from := len(l.text)
		l.blocks(item.Blocks, separator{class: lineEnd})
		if len(l.text) == from && item.Task != NoTask {
			l.startLine(false)
			l.trimPrefix()
		}
		if len(l.text) > from || !l.native { // Markdown counts what it sees
			number++
		}
		had = had && len(l.text) == from
		l.hasFirst = false
	}
	l.depth--
	l.first, l.hasFirst, l.boxed, l.rest = first, had, boxed, rest
}

func (l *layout) quote(q Quote) {
	between := separator{class: lineEnd, blank: true}
	if l.p.Dialect.draws(spanQuote) && !l.quoted {
		kind := spanQuote
		if q.Expandable {
			kind = spanFolded
		}
		l.open(span{kind: kind})
		rest := l.rest
		l.quoted, l.rest = true, ""
		l.blocks(q.Blocks, between)
		l.quoted, l.rest = false, rest
		l.close()
		return
	}
	l.endBox()
	first, rest := l.first, l.rest
	l.depth++
	if l.depth <= maxIndent {
		mark := l.p.Looks.Quote + " "
		if l.quotes > 0 {
			mark = l.p.Looks.Inner + " "
		}
		l.first, l.rest = first+mark, rest+mark
	}
	l.quotes++
	l.blocks(q.Blocks, between)
	l.quotes--
	l.depth--
	l.first, l.rest = first, rest
}

func (l *layout) code(c CodeBlock) {
	text := strings.TrimRight(Clean(c.Text), " \t\n")
	lang := language(c.Lang)
	if lang == "" || text == "" {
		// What is no language, or has no code to belong to, are words that
		// must not get lost.
		text = strings.TrimRight(strings.TrimSpace(oneLine(c.Lang))+"\n"+text, "\n")
		text = strings.TrimPrefix(text, "\n")
		lang = ""
	}
	if text == "" {
		return
	}
	l.pre(strings.Split(text, "\n"), lang, l.p.Looks.CodeIndent)
}

// language returns the info string of a fence if it is the name of a language
// and nothing else, or "".
func language(info string) string {
	if len(info) > 32 {
		return ""
	}
	for _, c := range []byte(info) {
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("+-_.#", c) >= 0 {
			continue
		}
		return ""
	}
	return info
}

// pre writes lines that keep their white space.
func (l *layout) pre(lines []string, lang, indent string) {
	ticks := 2
	for _, line := range lines {
		ticks = max(ticks, backticks(line))
	}
	l.open(span{kind: spanPre, arg: lang, n: int32(ticks + 1)})
	rest := l.rest
	drawn := l.p.Dialect.draws(spanPre)
	if !drawn {
		l.rest += indent
		l.first += indent
	}
	for i, line := range lines {
		if i > 0 {
			l.separate(separator{class: lineEnd})
		}
		if drawn {
			l.rest = ""
		}
		l.startLine(true)
		l.text = append(l.text, line...)
	}
	l.close()
	l.rest = rest
}

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
