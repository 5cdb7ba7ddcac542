package tresor

import (
	"slices"

	"outheis/agents"
)

// group puts together what belongs together: the claims for a question of its
// own, in them those of a Tresor, in them those of a domain. What came first
// leads. It says so where a Tresor has something in several domains.
func (c *composition) group() {
	var keys []string
	key := func(one *entry, depth int) string {
		k := ""
		if c.ownParts() {
			k = string(rune('A' + one.segment))
		}
		if depth > 0 {
			k += "\x00" + one.tresor.ID
		}
		if depth > 1 {
			k += "\x00" + one.fit.Page.Domain
		}
		return k
	}
	for _, one := range c.entries {
		for depth := range 3 {
			if k := key(one, depth); !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	slices.SortStableFunc(c.entries, func(a, b *entry) int {
		for depth := range 3 {
			if d := slices.Index(keys, key(a, depth)) - slices.Index(keys, key(b, depth)); d != 0 {
				return d
			}
		}
		return 0
	})
	for i := 0; i < len(c.entries); {
		end := i + 1
		for end < len(c.entries) && key(c.entries[end], 1) == key(c.entries[i], 1) {
			end++
		}
		if key(c.entries[i], 2) != key(c.entries[end-1], 2) {
			var titles []string
			for _, one := range c.entries[i:end] {
				if !slices.Contains(titles, one.fit.Page.Title) {
					titles = append(titles, one.fit.Page.Title)
				}
			}
			c.note("answer.mixed", quoted(c.t, titles))
		}
		i = end
	}
}

// add writes a claim word for word, with its Beleg.
func (c *composition) add(one *entry) {
	f := one.fit
	id := c.cite(one.tresor, f.Claim.ID)
	place := f.Claim.Fundstelle
	if place == "" {
		place = c.t.Say("answer.no_place")
	}
	c.statements = append(c.statements, agents.Statement{
		Text: f.Claim.Text, Citations: []string{id}, Auslegung: f.Claim.Art == "Auslegung", Heading: c.heading(one),
	})
	if slices.ContainsFunc(c.belege, func(b agents.Beleg) bool { return b.ID == id }) {
		return
	}
	c.belege = append(c.belege, agents.Beleg{
		Kind: "claim", ID: id, Tresor: one.tresor.ID, Version: one.tresor.Snapshot.Version(), Manifest: one.tresor.Snapshot.Manifest(),
		Page: f.Page.Path, Source: f.Claim.Source, SourceTitle: f.Source.Title, Fundstelle: place, Art: f.Claim.Art,
		Stand: f.Page.Stand, Confidence: f.Page.Confidence,
	})
}

// heading is what an entry stands under: the question, where the message has
// several, and the Tresor, where several answer.
func (c *composition) heading(one *entry) string {
	question := ""
	if c.ownParts() && one.segment < len(c.segments) {
		question = c.t.Say("answer.heading_question", c.segments[one.segment].text)
	}
	several := slices.ContainsFunc(c.entries, func(o *entry) bool { return o.tresor.ID != one.tresor.ID })
	switch {
	case several && question != "":
		return c.t.Say("answer.heading_both", question, nameOf(c.t, one.tresor))
	case several:
		return c.t.Say("answer.heading_tresor", nameOf(c.t, one.tresor))
	}
	return question
}

// standing returns the oldest Stand and the lowest confidence of the pages.
func (c *composition) standing() (stand, confidence string) {
	grades := []string{"niedrig", "mittel", "hoch"}
	for i, one := range c.entries {
		p := one.fit.Page
		if i == 0 || p.Stand < stand {
			stand = p.Stand
		}
		if i == 0 || slices.Index(grades, p.Confidence) < slices.Index(grades, confidence) {
			confidence = p.Confidence
		}
	}
	return stand, confidence
}
