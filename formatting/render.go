package formatting

import (
	"fmt"
	"strconv"
	"strings"
)

// Render lays d out for p and cuts it into parts, each of which stands by
// itself. A document without anything to see has no parts. The time is linear
// in the length of the document.
func Render(d Document, p Profile) []Part {
	p = p.withDefaults()
	d, buttons := d.buttons(p.Buttons)
	f := lay(d, &p)
	pieces := [][2]int{{0, len(f.text)}}
	if !f.cost(&p).within(p.budget(0)) {
		pieces = f.split(&p, p.budget(p.markerSize(len(f.text))))
	}
	parts := make([]Part, 0, len(pieces))
	w := walk{f: &f}
	native := p.Dialect.draws(spanPrefix)
	line, at, hung := 0, 0, 0 // where the line of at begins; how many hang before it
	for _, piece := range pieces {
		pr := newPrinter(p.Dialect)
		w.skip(piece[0])
		if native {
			if i := strings.LastIndexByte(f.text[at:piece[0]], '\n'); i >= 0 {
				line = at + i + 1
			}
			at = piece[0]
			pr.lists.midway = at > line+indentation(f.text[line:])
			for hung < len(f.hanging) && f.hanging[hung].at < line {
				hung++
			}
			prefix := f.text[line:]
			if pr.lists.midway && hung < len(f.hanging) && f.hanging[hung].at == line {
				prefix = f.hanging[hung].prefix
			}
			pr.lists.dedent = p.indentations(prefix)
		}
		w.resume(&pr)
		w.advance(piece[1], &pr)
		w.suspend(&pr)
		if part := pr.part(); !isBlank(part.Plain) {
			parts = append(parts, part)
		}
	}
	if p.Numbered && len(parts) > 1 {
		for i := range parts {
			m := fmt.Sprintf("(%d/%d)", i+1, len(parts))
			parts[i].Text += p.Looks.Number + m
			parts[i].Plain += "\n" + m
		}
	}
	if n := len(parts); n > 0 && len(buttons) > 0 {
		parts[n-1].Buttons = buttons
	}
	return parts
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// cost returns what the whole flow costs as one part.
func (f *flow) cost(p *Profile) cost {
	m := newMeter(p)
	w := walk{f: f}
	w.advance(len(f.text), &m)
	return m.sum
}

// budget returns what a part may cost when marker units are kept free for its
// number. Reserve and marker never take more than half of the limit.
func (p *Profile) budget(marker int) cost {
	var b cost
	if p.Limit > 0 {
		if p.LimitMarked {
			marker += freshCost
		}
		b.seen = int32(max(p.Limit-p.reserve()-marker, p.Limit/2))
		b.plain = b.seen
	}
	if p.RawLimit > 0 {
		// A reserved unit takes at most six bytes with its escape.
		b.raw = int32(max(p.RawLimit-6*(p.reserve()+marker)-64, p.RawLimit/2))
	}
	if p.EntityBytes > 0 {
		b.markup = int32(max(p.EntityBytes-64, p.EntityBytes/2))
	}
	if p.Entities > 0 {
		b.spans = int32(max(p.Entities-1, 1)) // one is the notice's
	}
	return b
}

// reserve returns the units that a notice may take.
func (p *Profile) reserve() int {
	if p.Limit == 0 {
		return p.Reserve
	}
	return min(p.Reserve, p.Limit/4)
}

// markerSize returns the units to keep free for the numbers of the parts of a
// text of n bytes.
func (p *Profile) markerSize(n int) int {
	if !p.Numbered {
		return 0
	}
	most := len("99")
	if p.Limit > 0 {
		parts := 32 * n / p.Limit
		if p.LimitMarked {
			parts *= maxEscape
		}
		most = max(most, len(strconv.Itoa(parts)))
	}
	return 2*most + len("(/)") + len(p.Looks.Number)
}

// Notice puts text in a line of its own before part, such as a hint that the
// part may arrive a second time. The text is escaped, and clipped to the
// profile's Reserve, so that the part stays within the limit; a profile that
// has a limit and reserves nothing gets its part back unchanged.
func (p Profile) Notice(part Part, text string) Part {
	p = p.withDefaults()
	text = strings.TrimSpace(oneLine(text))
	dialect, gap := p.Dialect, "\n"
	if part.Mode != dialect.mode() {
		dialect = PlainDialect()
	}
	if dialect.draws(spanPrefix) { // the part may begin with what needs an empty line before it
		gap = "\n\n"
	}
	for room := p.reserve() - len(gap); ; {
		if p.Limit > 0 {
			text = strings.TrimSpace(p.Measure.clip(text, room))
		}
		if isBlank(text) {
			return part
		}
		marked := markedNotice(dialect, text)
		if over := p.Measure.Of(marked) + len(gap) - p.reserve(); p.LimitMarked && p.Limit > 0 && over > 0 {
			room = min(room, p.Measure.Of(text)) - 1 - over/6
			continue
		}
		part.Text = marked + gap + part.Text
		part.Plain = text + "\n" + part.Plain
		return part
	}
}

// markedNotice returns the line of a notice in a dialect.
func markedNotice(d Dialect, text string) string {
	pr := newPrinter(d)
	s := span{end: len(text), kind: spanEmphasis}
	emphasised := d.draws(spanEmphasis) && !(d.draws(spanPrefix) && strings.Contains(text, "_"))
	if emphasised {
		pr.open(s, nil, false)
	}
	pr.print(text)
	if emphasised {
		pr.close(s, nil)
	}
	return string(pr.marked)
}
