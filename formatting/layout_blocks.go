package formatting

import (
	"strconv"
	"strings"
)

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
