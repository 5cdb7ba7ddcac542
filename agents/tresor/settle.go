package tresor

import (
	"slices"

	engine "outheis/tresor"
)

// seekNarrower takes in what a narrower Tresor says on the subject of a claim
// from a wider one, where it was not found by the question alone: how well a
// claim covers a question depends on what else its Tresor holds, which area it
// is for does not.
func (c *composition) seekNarrower(results []*result) {
	for _, wide := range slices.Clone(c.entries) {
		for _, r := range results {
			if wide.byID || r.asksBack() || !r.tresor.Scope.overrides(wide.tresor.Scope) {
				continue
			}
			text := c.textOf(wide.segment)
			o := engine.AssessOptions{World: c.worlds[r.tresor.ID], Limit: reviewed}
			found := r.tresor.Snapshot.Assess(text, o)
			likely := c.lookUp(r.tresor, wide.fit.Claim.Text).Fits
			for _, l := range likely[:min(len(likely), mostStatements)] {
				at := slices.IndexFunc(found.Fits, func(f engine.Fit) bool { return f.Claim.ID == l.Claim.ID })
				if at < 0 {
					continue
				}
				narrow := &entry{segment: wide.segment, tresor: r.tresor, assessment: found, fit: found.Fits[at]}
				lost, _ := c.lacking(wide, narrow)
				if like := c.liken(text, wide, narrow); like == same || like == unsure && len(lost) < 2 {
					c.state(narrow)
				}
			}
		}
	}
	slices.SortStableFunc(c.entries, func(a, b *entry) int {
		if a.segment != b.segment {
			return a.segment - b.segment
		}
		return inOrder(a.tresor, b.tresor)
	})
	c.inForceFirst()
}

// inForceFirst puts what is outdated or in review behind what other Tresore say
// on the same part: it goes before nothing, whatever its scope.
func (c *composition) inForceFirst() {
	doubtful := func(one *entry) int {
		for _, o := range c.entries {
			if o.segment == one.segment && o.tresor.ID == one.tresor.ID && o.inForce() {
				return 0
			}
		}
		return 1
	}
	behind := make(map[*entry]int, len(c.entries))
	for _, one := range c.entries {
		behind[one] = doubtful(one)
	}
	slices.SortStableFunc(c.entries, func(a, b *entry) int {
		if a.segment != b.segment {
			return a.segment - b.segment
		}
		return behind[a] - behind[b]
	})
}

// settle decides, for each part of the question, between the claims of several
// Tresore by their scopes. A claim of a narrower scope goes before one of a
// wider scope where both speak of the same: the wider one is taken out and
// named. Where that is not certain both stay. What is personal takes out
// nothing; where it contradicts another Tresor, that is said. Nothing else is
// ever taken out: Tresore of one scope, or without one, stand side by side.
func (c *composition) settle() {
	out := make(map[*entry]*entry) // the narrowest claim that goes before
	type pair struct{ narrow, wide string }
	var open []pair
	for _, wide := range c.entries {
		for _, narrow := range c.entries {
			if narrow.segment != wide.segment || narrow.byID || wide.byID || !narrow.tresor.Scope.overrides(wide.tresor.Scope) {
				continue
			}
			switch c.liken(c.textOf(wide.segment), wide, narrow) {
			case different:
			case same:
				if first := out[wide]; first == nil || narrow.tresor.Scope.overrides(first.tresor.Scope) {
					out[wide] = narrow
				}
			case unsure:
				if p := (pair{nameOf(c.t, narrow.tresor), nameOf(c.t, wide.tresor)}); !slices.Contains(open, p) {
					open = append(open, p)
				}
			}
		}
	}
	for _, wide := range c.entries {
		if narrow := out[wide]; narrow != nil {
			c.note("answer.overridden", c.named(wide.tresor, wide.fit), nameOf(c.t, wide.tresor), wide.fit.Claim.Text,
				c.cite(narrow.tresor, narrow.fit.Claim.ID), nameOf(c.t, narrow.tresor))
		}
	}
	c.notePersonal()
	c.entries = slices.DeleteFunc(c.entries, func(one *entry) bool { return out[one] != nil })
	for _, p := range open {
		if c.speaks(p.narrow) && c.speaks(p.wide) {
			c.note("answer.precedence", p.narrow, p.wide)
		}
	}
}

// textOf returns the text of a part of the question.
func (c *composition) textOf(segment int) string {
	if segment < len(c.segments) {
		return c.segments[segment].text
	}
	return c.question
}

// speaks reports whether a claim of the Tresor with that name is in the answer.
func (c *composition) speaks(name string) bool {
	return slices.ContainsFunc(c.entries, func(one *entry) bool { return nameOf(c.t, one.tresor) == name })
}

// notePersonal says where a personal claim contradicts one of another scope, or
// may do so. That it adds something needs no remark.
func (c *composition) notePersonal() {
	for _, own := range c.entries {
		for _, other := range c.entries {
			if own.segment != other.segment || own.byID || other.byID || own.tresor.Scope != Persoenlich || other.tresor.Scope == Persoenlich {
				continue
			}
			switch c.oppose(c.textOf(own.segment), own, other) {
			case contradicts:
				c.note("answer.conflict", c.named(own.tresor, own.fit), c.named(other.tresor, other.fit))
			case mayOppose:
				c.note("answer.conflict_open", c.cite(own.tresor, own.fit.Claim.ID), c.cite(other.tresor, other.fit.Claim.ID))
			}
		}
	}
}
