package tresor

import (
	"slices"
	"strings"

	engine "outheis/tresor"
)

func (c *composition) note(key string, args ...any) { c.addNote(c.t.Say(key, args...)) }

func (c *composition) addNote(n string) {
	if !slices.Contains(c.notes, n) {
		c.notes = append(c.notes, n)
	}
}

// noteReadings says what a misspelt word was taken for.
func (c *composition) noteReadings(a engine.Assessment) {
	for _, w := range a.Words {
		if w.Read != "" && !strings.EqualFold(w.Read, w.Text) {
			c.note("answer.read_as", w.Text, w.Read)
		}
	}
}

// noteReliability says where caution is due. The confidence of a page, the trust
// in a source and the review of a page are independent; each is named.
func (c *composition) noteReliability() {
	var low, weak, both, external, inReview, unreviewed grouped
	for _, one := range c.entries {
		f, id := one.fit, c.cite(one.tresor, one.fit.Claim.ID)
		isLow, isWeak := f.Page.Confidence == "niedrig", f.Source.Trust == "T3"
		switch {
		case isLow && isWeak:
			both.add(title(f.Source), id)
		case isLow:
			low.add(title(f.Source), id)
		case isWeak:
			weak.add(title(f.Source), id)
		}
		if f.Claim.Anchor != "" {
			external.add(title(f.Source), id)
		}
		if f.Page.Status == "in-pruefung" {
			inReview.add(f.Page.Title, id)
		}
		if f.Page.Confidence == "hoch" && f.Page.TrustTier == "unverified" {
			unreviewed.add(f.Page.Title, id)
		}
	}
	for _, g := range both {
		c.note("answer.low_and_weak", strings.Join(g.ids, ", "), g.name)
	}
	for _, g := range low {
		c.note("answer.low_confidence", strings.Join(g.ids, ", "), g.name)
	}
	for _, g := range weak {
		c.note("answer.weak_source", strings.Join(g.ids, ", "), g.name)
	}
	for _, g := range external {
		c.note("answer.external", strings.Join(g.ids, ", "), g.name)
	}
	if len(inReview) > 0 {
		c.note("answer.in_review", quoted(c.t, inReview.names()))
	}
	if len(unreviewed) > 0 {
		c.note("answer.unreviewed", quoted(c.t, unreviewed.names()))
	}
}

// grouped are IDs by what they have in common, in order of first appearance.
type grouped []struct {
	name string
	ids  []string
}

func (g *grouped) add(name, id string) {
	for i := range *g {
		if (*g)[i].name == name {
			(*g)[i].ids = append((*g)[i].ids, id)
			return
		}
	}
	*g = append(*g, struct {
		name string
		ids  []string
	}{name, []string{id}})
}

func (g grouped) names() []string {
	all := make([]string, len(g))
	for i, e := range g {
		all[i] = e.name
	}
	return all
}

// noteTresore says which Tresore answer, which could not be asked, and in which
// the question is ambiguous.
func (c *composition) noteTresore(results []*result, missing []Tresor) {
	var from []Tresor
	for _, one := range c.entries {
		if !slices.ContainsFunc(from, func(t Tresor) bool { return t.ID == one.tresor.ID }) {
			from = append(from, one.tresor)
		}
	}
	switch {
	case len(from) > 1:
		names := make([]string, len(from))
		for i, t := range from {
			names[i] = nameOf(c.t, t)
		}
		c.note("answer.from_several", strings.Join(names, ", "))
	case c.several:
		c.note("answer.from", nameOf(c.t, from[0]))
	}
	for _, r := range results {
		for _, a := range r.ambiguities() {
			c.note("answer.ambiguous_there", nameOf(c.t, r.tresor), asSpelled(a), c.meanings(r, a))
		}
	}
	for _, m := range missing {
		if slices.ContainsFunc(from, func(t Tresor) bool { return m.Scope.overrides(t.Scope) }) {
			c.note("answer.missing_narrower", nameOf(c.t, m))
		} else {
			c.note("answer.missing", nameOf(c.t, m))
		}
	}
}

// named names a claim with its source and Stand.
func (c *composition) named(t Tresor, f engine.Fit) string {
	return c.t.Say("answer.claim_of", c.cite(t, f.Claim.ID), title(f.Source), f.Page.Stand)
}

func title(s engine.Source) string {
	if s.Title == "" {
		return s.ID
	}
	return s.Title
}

// titles names pages with their Stand.
func (c *composition) titles(pages []engine.Page) string {
	all := make([]string, len(pages))
	for i, p := range pages {
		all[i] = c.t.Say("answer.page_of", p.Title, p.Stand)
	}
	return strings.Join(all, ", ")
}
