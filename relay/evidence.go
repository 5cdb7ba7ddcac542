package relay

import (
	"strings"

	"outheis/agents"
	"outheis/config/texts"
	"outheis/formatting"
)

// An Exhibit is a Beleg of an answer that somebody wants to see in full.
type Exhibit struct {
	// Number is the Beleg's place in [agents.Answer.Belege], from 1.
	Number int
	// Proof is what has become of it; nil when it was not compared, and then Why
	// may say the reason in a finished sentence.
	Proof *agents.Proof
	Why   string
}

// Evidence words Belege of an answer in full: the exact wording, source,
// Fundstelle, kind, Stand and release, and whether the present release says the
// same. An Exhibit whose number the answer does not have is left out.
func Evidence(a agents.Answer, exhibits []Exhibit, t Target) Reply {
	w := newWording(t.Lang)
	var d formatting.Document
	for _, x := range exhibits {
		if x.Number >= 1 && x.Number <= len(a.Belege()) {
			w.exhibit(&d, a, x)
		}
	}
	return t.render(d)
}

func (w wording) exhibit(d *formatting.Document, a agents.Answer, x Exhibit) {
	b := a.Belege()[x.Number-1]
	d.Add(formatting.Para(formatting.Bold(w.t.Say("relay.exhibit", x.Number, b.ID))))
	for _, s := range a.Statements() {
		for _, id := range s.Citations {
			if id == b.ID {
				d.Add(formatting.Quoted(formatting.Para(literal(s.Text)...)))
				break
			}
		}
	}
	d.Add(facts(w.facts(b)...))
	if p := x.Proof; p != nil {
		w.proof(d, b, *p)
	} else if x.Why != "" {
		d.Add(formatting.Para(literal(x.Why)...))
	}
}

// facts are the lines below the wording of a Beleg.
func (w wording) facts(b agents.Beleg) []string {
	lines := []string{w.t.Say("relay.exhibit_source", strings.TrimSpace(b.Source+" "+b.SourceTitle), b.Fundstelle)}
	add := func(key, value string) {
		if value != "" {
			lines = append(lines, w.t.Say(key, value))
		}
	}
	kind := b.Art
	if kind == "Auslegung" {
		kind += " (" + w.t.Say("relay.own_classification") + ")"
	}
	add("relay.exhibit_kind", kind)
	add("relay.oldest_stand", b.Stand)
	if b.Confidence != "" {
		lines = append(lines, w.t.Say("relay.confidence", w.confidence(b.Confidence)))
	}
	if b.Version != "" {
		lines = append(lines, w.t.Say("relay.exhibit_release", b.Version, b.Tresor))
	}
	if b.Manifest != "" {
		lines = append(lines, w.t.Say("relay.exhibit_digest")+" `"+b.Manifest+"`")
	}
	return lines
}

// proof says what has become of a Beleg in the present release.
func (w wording) proof(d *formatting.Document, b agents.Beleg, p agents.Proof) {
	now := p.Now.Version
	if now == "" {
		now = w.t.Say("relay.release_unnamed")
	}
	var sentence string
	switch {
	case p.State == agents.ProofGone:
		sentence = w.t.Say("relay.proof_gone", now, b.ID)
	case p.State == agents.ProofChanged:
		sentence = w.t.Say("relay.proof_changed", now)
	case p.Now.Manifest == b.Manifest:
		sentence = w.t.Say("relay.proof_current")
	default:
		sentence = w.t.Say("relay.proof_same", now)
	}
	if p.Outdated {
		sentence += " " + w.t.Say("relay.proof_outdated")
	}
	d.Add(formatting.Para(formatting.Bold(w.t.Say("relay.proof")), formatting.Text(" "+sentence)))
	if p.State == agents.ProofChanged {
		d.Add(formatting.Quoted(formatting.Para(literal(p.Wording)...)))
		d.Add(facts(
			w.t.Say("relay.exhibit_source", strings.TrimSpace(p.Now.Source+" "+p.Now.SourceTitle), p.Now.Fundstelle),
			w.t.Say("relay.oldest_stand", p.Now.Stand),
		))
	}
}

// facts makes a paragraph of one line a fact.
func facts(lines ...string) formatting.Paragraph {
	all := make([][]formatting.Inline, len(lines))
	for i, line := range lines {
		all[i] = literal("• " + line)
	}
	return broken(all)
}

// NoExhibit words that an answer has no Beleg of that number: there is how many it
// has.
func NoExhibit(number, there int, t Target) Reply {
	return Say(texts.For(t.Lang).Say("relay.exhibit_missing", there, number), t)
}
