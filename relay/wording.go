package relay

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"outheis/agents"
	"outheis/config/texts"
	"outheis/formatting"
)

const (
	mostNearest = 3   // claims that are named beside an abstention
	longNearest = 160 // code points of each
)

// A wording lays out answers for one reader. The layout is made for a phone:
// the answer first, in paragraphs of one statement; the evidence as one short
// line a claim, folded where the channel can do so.
type wording struct {
	t        *texts.Texts
	fold     bool
	numbered bool // the Belege have numbers by which people can ask for them
}

func newWording(lang string) wording { return wording{t: texts.For(lang)} }

func (w wording) answer(a agents.Answer) formatting.Document {
	var d formatting.Document
	switch a.Status() {
	case agents.StatusOK:
		w.cited(&d, a)
	case agents.StatusNotFound:
		w.abstention(&d, a)
	case agents.StatusAmbiguous:
		d.Add(formatting.Para(literal(a.Question())...))
		w.notes(&d, a.Notes())
	}
	return d
}

// cited lays out statements, each group of them under its heading, and their
// evidence.
func (w wording) cited(d *formatting.Document, a agents.Answer) {
	heading := ""
	for _, s := range a.Statements() {
		if s.Heading != heading && s.Heading != "" {
			d.Add(formatting.Para(formatting.Bold(s.Heading)))
		}
		heading = s.Heading
		d.Add(w.statement(s))
	}
	w.belege(d, a)
	w.standing(d, a)
	w.notes(d, a.Notes())
	if gaps := a.Gaps(); len(gaps) > 0 {
		d.Add(formatting.Para(
			formatting.Bold(w.t.Say("common.not_in_stock")+":"),
			formatting.Text(" "+strings.Join(gaps, "; ")),
		))
	}
	w.nearest(d, a.Nearest())
}

// statement shows a statement as it stands, with its citations behind it. The
// curator's own classification says so in words: it is never shown as the
// wording of the source.
func (w wording) statement(s agents.Statement) formatting.Paragraph {
	var p formatting.Paragraph
	if s.Auslegung {
		p.Inlines = append(p.Inlines, formatting.Italic(w.t.Say("relay.auslegung")), formatting.Text(" "))
	}
	p.Inlines = append(p.Inlines, literal(s.Text)...)
	for _, id := range s.Citations {
		p.Inlines = append(p.Inlines, formatting.Citation(id))
	}
	return p
}

// belege lists the evidence, one line a claim: its number or a bullet, its id, then source, Fundstelle
// and kind in brackets, then the Stand, which a single claim leaves to the line
// below. The title of a source stands at its first mention.
func (w wording) belege(d *formatting.Document, a agents.Answer) {
	belege := a.Belege()
	lines := [][]formatting.Inline{{formatting.Bold(w.t.Say("relay.belege"))}}
	named := make(map[string]bool)
	for i, b := range belege {
		source := b.Source
		if key := b.Tresor + "\x00" + b.Source; b.SourceTitle != "" && !named[key] {
			named[key] = true
			source += " " + b.SourceTitle
		}
		facts := []string{source, b.Fundstelle}
		if b.Art != "" {
			facts = append(facts, b.Art)
		}
		mark := "• "
		if w.numbered {
			mark = strconv.Itoa(i+1) + ". "
		}
		line := mark + b.ID + " (" + strings.Join(facts, ", ") + ")"
		switch {
		case b.Art == "Auslegung":
			line += " — " + w.t.Say("relay.own_classification")
		case b.Stand != "" && (len(belege) > 1 || b.Stand != a.Stand()):
			line += " — " + w.t.Say("relay.stand", b.Stand)
		}
		lines = append(lines, []formatting.Inline{formatting.Text(line)})
	}
	p := broken(lines)
	if w.fold {
		d.Add(formatting.Quote{Expandable: true, Blocks: []formatting.Block{p}})
		return
	}
	d.Add(p)
}

// standing is the line with the oldest Stand and the lowest confidence.
func (w wording) standing(d *formatting.Document, a agents.Answer) {
	var facts []string
	if a.Stand() != "" {
		facts = append(facts, w.t.Say("relay.oldest_stand", a.Stand()))
	}
	if a.Confidence() != "" {
		facts = append(facts, w.t.Say("relay.confidence", w.confidence(a.Confidence())))
	}
	if len(facts) > 0 {
		d.Add(formatting.Para(formatting.Text(strings.Join(facts, "; "))))
	}
}

// confidence names a confidence of the format in the reader's language.
func (w wording) confidence(value string) string {
	switch value {
	case "hoch":
		return w.t.Say("relay.confidence_high")
	case "mittel":
		return w.t.Say("relay.confidence_medium")
	case "niedrig":
		return w.t.Say("relay.confidence_low")
	}
	return value
}

func (w wording) notes(d *formatting.Document, notes []string) {
	switch len(notes) {
	case 0:
	case 1:
		d.Add(formatting.Para(append(
			[]formatting.Inline{formatting.Bold(w.t.Say("relay.note")), formatting.Text(" ")},
			literal(notes[0])...)...))
	default:
		lines := [][]formatting.Inline{{formatting.Bold(w.t.Say("relay.notes"))}}
		for _, n := range notes {
			lines = append(lines, append([]formatting.Inline{formatting.Text("• ")}, literal(n)...))
		}
		d.Add(broken(lines))
	}
}

// abstention begins with the literal words and says what was compared. What
// lies near is named as such, and apart.
func (w wording) abstention(d *formatting.Document, a agents.Answer) {
	d.Add(formatting.Para(
		formatting.Bold(w.t.Say("common.not_in_stock")+"."),
		formatting.Text(" "+w.t.Say("relay.reviewed", a.Reviewed())),
	))
	if gaps := a.Gaps(); len(gaps) > 0 {
		d.Add(formatting.Para(formatting.Text(w.t.Say("relay.gaps", strings.Join(gaps, "; ")))))
	}
	w.nearest(d, a.Nearest())
	w.notes(d, a.Notes())
}

// nearest names claims that are near the question and answer nothing.
func (w wording) nearest(d *formatting.Document, all []agents.Pointer) {
	if len(all) == 0 {
		return
	}
	lines := [][]formatting.Inline{{formatting.Italic(w.t.Say("relay.nearest"))}}
	for _, p := range all[:min(len(all), mostNearest)] {
		line := append([]formatting.Inline{formatting.Text("• " + p.ID + ": ")}, literal(shorten(p.Text, longNearest))...)
		lines = append(lines, line)
	}
	d.Add(broken(lines))
}

// shorten cuts s at a word, so that at most n code points are left.
func shorten(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	i := 0
	for range n - 1 {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	if blank := strings.LastIndexByte(s[:i], ' '); blank > i/2 {
		i = blank
	}
	return strings.TrimRight(s[:i], " ,;:–-") + " …"
}

// broken makes one paragraph of lines.
func broken(lines [][]formatting.Inline) formatting.Paragraph {
	var p formatting.Paragraph
	for i, line := range lines {
		if i > 0 {
			p.Inlines = append(p.Inlines, formatting.Break{})
		}
		p.Inlines = append(p.Inlines, line...)
	}
	return p
}

// literal makes inlines of a text that is data: no markup in it counts, but
// what stands between two backticks is shown as code.
func literal(s string) []formatting.Inline {
	var all []formatting.Inline
	for {
		before, rest, ok := strings.Cut(s, "`")
		code, after, closed := strings.Cut(rest, "`")
		if !ok || !closed || strings.TrimSpace(code) == "" || strings.Contains(code, "\n") {
			break
		}
		if before != "" {
			all = append(all, formatting.Text(before))
		}
		all = append(all, formatting.Code(code))
		s = after
	}
	if s != "" {
		all = append(all, formatting.Text(s))
	}
	return all
}

// paragraphs lays out a text of the program.
func paragraphs(text string) []formatting.Block {
	var blocks []formatting.Block
	for block := range strings.SplitSeq(text, "\n\n") {
		var lines [][]formatting.Inline
		for line := range strings.SplitSeq(strings.TrimSpace(block), "\n") {
			if rest, ok := strings.CutPrefix(line, "- "); ok {
				line = "• " + rest
			}
			lines = append(lines, literal(line))
		}
		blocks = append(blocks, broken(lines))
	}
	return blocks
}
