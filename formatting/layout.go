package formatting

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
