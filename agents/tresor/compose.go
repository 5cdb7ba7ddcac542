package tresor

import (
	"fmt"
	"slices"
	"strings"

	"outheis/agents"
	engine "outheis/tresor"
)

const (
	mostStatements = 3   // for a plain question
	mostOfParts    = 5   // for a question of several parts
	closeTo        = .85 // a further claim's score and coverage against the best one's
	closeElsewhere = .95 // the same for a claim of another domain
	sameWords      = .75 // share of words from which on two claims say the same
)

// fitting returns the claims that answer: the best, and those that are nearly
// as good and say something else.
func fitting(a engine.Assessment) []engine.Fit {
	var out []engine.Fit
	for _, f := range a.Fits {
		if len(out) == mostStatements || len(out) > 0 && f.Score < closeTo*out[0].Score {
			break
		}
		if len(out) > 0 && f.Coverage < closeTo*out[0].Coverage {
			continue
		}
		if f.Value < engine.Threshold || len(out) > 0 && f.Page.Domain != out[0].Page.Domain && f.Score < closeElsewhere*out[0].Score {
			continue
		}
		if !slices.ContainsFunc(out, func(o engine.Fit) bool { return saysSame(o.Claim.Text, f.Claim.Text) }) {
			out = append(out, f)
		}
	}
	return out
}

// saysSame reports whether two claims have most words in common.
func saysSame(a, b string) bool {
	wa, wb := words(a), words(b)
	common := 0
	for _, w := range wa {
		if slices.Contains(wb, w) {
			common++
		}
	}
	return float64(common) >= sameWords*float64(max(len(wa), len(wb)))
}

// A composition is an answer being written.
type composition struct {
	*exchange
	tresor     Tresor
	snapshot   *engine.Snapshot
	statements []agents.Statement
	belege     []agents.Beleg
	fits       []engine.Fit
	notes      []string
}

// compose writes the answer from the Tresor that covers the question best.
func (e *exchange) compose(best *result, results []*result, missing []Tresor) (agents.Answer, error) {
	c := &composition{exchange: e, tresor: best.tresor, snapshot: best.tresor.Snapshot}
	limit := mostStatements
	if len(best.covered) > 1 {
		limit = mostOfParts
	}
	for _, p := range best.covered {
		c.noteReadings(p.assessment)
		for _, f := range p.fits[:min(len(p.fits), max(1, limit/len(best.covered)))] {
			c.state(p.assessment, f)
		}
	}
	c.byDomain()
	for _, f := range c.fits {
		c.add(f)
	}
	c.noteReliability()
	c.noteOthers(best, results, missing)
	answer, err := agents.Cite(c.statements, c.belege)
	if err != nil {
		return agents.Answer{}, fmt.Errorf("tresor agent: cite from %s: %w", c.tresor.ID, err)
	}
	stand, confidence := c.standing()
	return answer.WithStand(stand, confidence).WithNotes(c.notes...).WithGaps(best.gaps...), nil
}

// state takes a claim into the answer. What is outdated gives way to its
// successor and is named; what is contradicted is stated with its
// contradiction.
func (c *composition) state(a engine.Assessment, f engine.Fit) {
	if slices.ContainsFunc(c.fits, func(o engine.Fit) bool { return o.Claim.ID == f.Claim.ID }) {
		return
	}
	if successors := c.snapshot.Successors(f.Page.Path); len(successors) > 0 || f.Page.Status == "veraltet" {
		if f.Score == 0 { // asked for by its ID: it is shown, and so is its successor
			same := c.snapshot.Assess(f.Claim.Text, engine.AssessOptions{Limit: reviewed})
			if current, ok := onPages(same, successors, f); ok {
				c.note("answer.superseded_by", c.cite(c.tresor, f.Claim.ID), f.Page.Title, f.Page.Stand, c.cite(c.tresor, current.Claim.ID))
				c.take(f)
				c.take(current)
				return
			}
		}
		if current, ok := onPages(a, successors, f); ok {
			c.note("answer.superseded", c.cite(c.tresor, f.Claim.ID), f.Page.Title, f.Page.Stand, f.Claim.Text, c.cite(c.tresor, current.Claim.ID))
			c.take(current)
			return
		}
		if len(successors) > 0 {
			c.note("answer.superseded_silent", c.cite(c.tresor, f.Claim.ID), f.Page.Title, f.Page.Stand, c.titles(successors))
		} else {
			c.note("answer.outdated", c.cite(c.tresor, f.Claim.ID), f.Page.Title, f.Page.Stand)
		}
	}
	c.take(f)
	against := c.snapshot.Contradictions(f.Page.Path)
	if other, ok := onPages(a, against, f); ok && other.Value >= engine.Threshold {
		c.note("answer.contradiction", c.named(f), c.named(other))
		c.take(other)
	} else if len(against) > 0 {
		c.note("answer.contradiction_page", f.Page.Title, c.titles(against))
	}
}

func (c *composition) take(f engine.Fit) {
	if !slices.ContainsFunc(c.fits, func(o engine.Fit) bool { return o.Claim.ID == f.Claim.ID }) {
		c.fits = append(c.fits, f)
	}
}

// onPages returns the best claim of the assessment that stands on one of the
// pages and is not much worse than f.
func onPages(a engine.Assessment, pages []engine.Page, f engine.Fit) (engine.Fit, bool) {
	for _, o := range a.Fits {
		if o.Claim.ID != f.Claim.ID && o.Value >= .6*f.Value && o.Value >= sureGap &&
			slices.ContainsFunc(pages, func(p engine.Page) bool { return p.Path == o.Page.Path }) {
			return o, true
		}
	}
	return engine.Fit{}, false
}

// byDomain puts claims of one domain together, the domain of the best first,
// and says so if there are several.
func (c *composition) byDomain() {
	var domains []string
	for _, f := range c.fits {
		if !slices.Contains(domains, f.Page.Domain) {
			domains = append(domains, f.Page.Domain)
		}
	}
	if len(domains) < 2 {
		return
	}
	slices.SortStableFunc(c.fits, func(a, b engine.Fit) int {
		return slices.Index(domains, a.Page.Domain) - slices.Index(domains, b.Page.Domain)
	})
	c.note("answer.mixed", strings.Join(domains, ", "))
}

// add writes a claim word for word, with its Beleg.
func (c *composition) add(f engine.Fit) {
	id := c.cite(c.tresor, f.Claim.ID)
	place := f.Claim.Fundstelle
	if place == "" {
		place = c.t.Say("answer.no_place")
	}
	c.statements = append(c.statements, agents.Statement{Text: f.Claim.Text, Citations: []string{id}, Auslegung: f.Claim.Art == "Auslegung"})
	c.belege = append(c.belege, agents.Beleg{
		Kind: "claim", ID: id, Tresor: c.tresor.ID, Version: c.snapshot.Version(), Manifest: c.snapshot.Manifest(),
		Page: f.Page.Path, Source: f.Claim.Source, SourceTitle: f.Source.Title, Fundstelle: place, Art: f.Claim.Art,
		Stand: f.Page.Stand, Confidence: f.Page.Confidence,
	})
}

// standing returns the oldest Stand and the lowest confidence of the pages.
func (c *composition) standing() (stand, confidence string) {
	grades := []string{"niedrig", "mittel", "hoch"}
	for i, f := range c.fits {
		if i == 0 || f.Page.Stand < stand {
			stand = f.Page.Stand
		}
		if i == 0 || slices.Index(grades, f.Page.Confidence) < slices.Index(grades, confidence) {
			confidence = f.Page.Confidence
		}
	}
	return stand, confidence
}

func (c *composition) note(key string, args ...any) {
	n := c.t.Say(key, args...)
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
	for _, f := range c.fits {
		id := c.cite(c.tresor, f.Claim.ID)
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

// noteOthers says which Tresor answers, which others have something to say and
// which could not be asked.
func (c *composition) noteOthers(best *result, results []*result, missing []Tresor) {
	if c.several {
		c.note("answer.from", c.tresor.ID)
	}
	for _, r := range results {
		if r == best || len(r.covered) == 0 {
			continue
		}
		var ids []string
		for _, p := range r.covered {
			for _, f := range p.fits {
				ids = append(ids, c.cite(r.tresor, f.Claim.ID))
			}
		}
		c.note("answer.also", r.tresor.ID, strings.Join(ids, ", "))
	}
	for _, m := range missing {
		c.note("answer.not_asked", m.ID)
	}
}

// named names a claim with its source and Stand.
func (c *composition) named(f engine.Fit) string {
	return c.t.Say("answer.claim_of", c.cite(c.tresor, f.Claim.ID), title(f.Source), f.Page.Stand)
}

func title(s engine.Source) string {
	if s.Title == "" {
		return s.ID
	}
	return s.Title
}

func (c *composition) titles(pages []engine.Page) string {
	all := make([]string, len(pages))
	for i, p := range pages {
		all[i] = p.Title
	}
	return quoted(c.t, all)
}
