package tresor

import (
	"fmt"
	"slices"

	"outheis/agents"
	engine "outheis/tresor"
)

const (
	mostStatements = 3   // for a plain question
	mostOfParts    = 5   // for a question of several parts
	closeTo        = .85 // a further claim's score and coverage against the best one's
	closeElsewhere = .95 // the same for a claim of another domain
	closeAlone     = .5  // the same for what the claim covers without title and neighbours
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
		if len(out) > 0 && (f.Coverage < closeTo*out[0].Coverage || f.Own < closeAlone*out[0].Own) {
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

// An entry is a claim that answers a part of the question.
type entry struct {
	segment    int
	tresor     Tresor
	assessment engine.Assessment
	fit        engine.Fit
	byID       bool
	disputed   bool     // another claim of its Tresor contradicts it
	notes      []string // what has to be said with it
}

// A composition is an answer being written.
type composition struct {
	*exchange
	entries    []*entry
	statements []agents.Statement
	belege     []agents.Beleg
	notes      []string
	looked     map[string]engine.Assessment // of texts of claims, by Tresor and text
}

// compose writes the answer from the Tresore that cover the question or parts of
// it: each by itself, and then, where several speak, by their scopes.
func (e *exchange) compose(results []*result, missing []Tresor) (agents.Answer, error) {
	c := &composition{exchange: e, looked: make(map[string]engine.Assessment)}
	for i := range len(e.segments) + 1 {
		for _, r := range results {
			for _, p := range r.found {
				if p.segment == i {
					c.takePart(r, p)
				}
			}
		}
	}
	c.seekNarrower(results)
	c.settle()
	c.group()
	for _, one := range c.entries {
		c.add(one)
	}
	for _, one := range c.entries {
		for _, n := range one.notes {
			c.addNote(n)
		}
	}
	c.noteReliability()
	c.noteTresore(results, missing)
	sure, open := e.gaps(results, len(missing) == 0 && !slices.ContainsFunc(results, (*result).asksBack))
	for _, gap := range open {
		if len(missing) > 0 {
			c.note("answer.gap_open", gap)
		} else {
			c.note("answer.gap_unsure", gap)
		}
	}
	answer, err := agents.Cite(c.statements, c.belege)
	if err != nil {
		return agents.Answer{}, fmt.Errorf("tresor agent: cite: %w", err)
	}
	stand, confidence := c.standing()
	return answer.WithStand(stand, confidence).WithNotes(c.notes...).WithGaps(sure...), nil
}

// takePart takes the claims that a Tresor has for a part of the question.
func (c *composition) takePart(r *result, p part) {
	c.noteReadings(p.assessment)
	limit := mostStatements
	if len(r.found) > 1 {
		limit = max(1, mostOfParts/len(r.found))
	}
	for _, f := range p.fits[:min(len(p.fits), limit)] {
		c.state(&entry{segment: p.segment, tresor: r.tresor, assessment: p.assessment, fit: f, byID: p.byID})
	}
}

// state takes a claim into the answer. What is outdated gives way to its
// successor and is named; what is contradicted is stated with its
// contradiction.
func (c *composition) state(one *entry) {
	f, snapshot := one.fit, one.tresor.Snapshot
	if c.has(one) {
		return
	}
	note := func(key string, args ...any) { one.notes = append(one.notes, c.t.Say(key, args...)) }
	id := c.cite(one.tresor, f.Claim.ID)
	if successors := inForce(snapshot, f.Page.Path); len(successors) > 0 || f.Page.Status == "veraltet" {
		if one.byID { // it is shown, and so is its successor
			likely := snapshot.Assess(f.Claim.Text, engine.AssessOptions{Limit: reviewed})
			if current, ok := onPages(likely, successors, f); ok {
				note("answer.superseded_by", id, f.Page.Title, f.Page.Stand, c.cite(one.tresor, current.Claim.ID))
				c.take(one)
				c.take(one.beside(current))
				return
			}
		}
		if current, ok := onPages(one.assessment, successors, f); ok {
			now := c.cite(one.tresor, current.Claim.ID)
			note("answer.superseded", id, f.Page.Title, f.Page.Stand, f.Claim.Text, now)
			one.fit, f, id = current, current, now
		} else if len(successors) > 0 {
			note("answer.superseded_silent", id, f.Page.Title, f.Page.Stand, c.titles(successors))
		} else {
			note("answer.outdated", id, f.Page.Title, f.Page.Stand)
		}
	}
	for _, old := range replaced(snapshot, f.Page) { // what they said is named, though it is not stated
		if before, ok := onPages(one.assessment, []engine.Page{old}, f); ok {
			note("answer.superseded", c.cite(one.tresor, before.Claim.ID), old.Title, old.Stand, before.Claim.Text, id)
		}
	}
	against := snapshot.Contradictions(f.Page.Path)
	one.disputed = len(against) > 0
	c.take(one)
	if other, ok := onPages(one.assessment, against, f); ok && other.Value >= engine.Threshold {
		note("answer.contradiction", c.named(one.tresor, f), c.named(one.tresor, other))
		second := one.beside(other)
		second.disputed = true
		c.take(second)
	} else if len(against) > 0 {
		note("answer.contradiction_page", f.Page.Title, c.titles(against))
	}
}

// inForce returns what has become of a page that was replaced: the pages at the
// end of all relations ersetzt that lead from it. Where they lead in a circle,
// these are all of the circle.
func inForce(s *engine.Snapshot, path string) []engine.Page {
	var last, all []engine.Page
	for open := s.Successors(path); len(open) > 0; open = open[1:] {
		p := open[0]
		if p.Path == path || slices.ContainsFunc(all, func(q engine.Page) bool { return q.Path == p.Path }) {
			continue
		}
		all = append(all, p)
		next := s.Successors(p.Path)
		if len(next) == 0 {
			last = append(last, p)
		}
		open = append(open, next...)
	}
	if last == nil {
		return all
	}
	return last
}

// replaced returns the pages that a page replaces, also by way of others.
func replaced(s *engine.Snapshot, p engine.Page) []engine.Page {
	all := []engine.Page{p}
	for i := 0; i < len(all); i++ {
		for _, r := range all[i].Relations {
			old, ok := s.Page(r.Target)
			if ok && r.Type == "ersetzt" && !slices.ContainsFunc(all, func(q engine.Page) bool { return q.Path == old.Path }) {
				all = append(all, old)
			}
		}
	}
	return all[1:]
}

// beside is an entry for another claim of the same Tresor and part.
func (e *entry) beside(f engine.Fit) *entry {
	return &entry{segment: e.segment, tresor: e.tresor, assessment: e.assessment, fit: f, byID: e.byID}
}

// take takes an entry, unless its claim is there; then what has to be said with
// it goes there.
func (c *composition) take(one *entry) {
	i := slices.IndexFunc(c.entries, one.repeats(c.ownParts()))
	if i < 0 {
		c.entries = append(c.entries, one)
		return
	}
	c.entries[i].notes = append(c.entries[i].notes, one.notes...)
}

func (c *composition) has(one *entry) bool {
	return slices.ContainsFunc(c.entries, one.repeats(c.ownParts()))
}

// repeats returns whether another entry is of the same claim. Among questions
// with answers of their own, each can have it.
func (e *entry) repeats(ownParts bool) func(*entry) bool {
	return func(o *entry) bool {
		return o.tresor.ID == e.tresor.ID && o.fit.Claim.ID == e.fit.Claim.ID && (!ownParts || o.segment == e.segment)
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
