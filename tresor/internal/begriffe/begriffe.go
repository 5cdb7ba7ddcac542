// Package begriffe reads and writes the registry of Begriffswelten and Begriffe,
// schema/begriffswelten.json: the controlled terms that widen a question by
// their aliases and by one hop to broader, narrower and related terms. A label
// finds claims and never supports one (1-format section 8).
package begriffe

import (
	"maps"
	"slices"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
	"outheis/tresor/internal/words"
)

// The limits of the registry.
const (
	maxWorlds      = 128
	maxConcepts    = 10_000
	maxList        = 32
	maxLabel       = 160
	maxName        = 120
	maxDescription = 500
)

// A World is a Begriffswelt.
type World struct {
	ID          string
	Name        string
	Description string
}

// A Concept is a Begriff. A faulty registry can hold IDs that lead nowhere.
type Concept struct {
	ID              string
	World           string
	Preferred       string
	Aliases         []string
	Broader         []string
	Related         []string
	DefinitionClaim string

	labels []string // preferred and aliases as far as they are texts
}

// Labels returns the preferred label, then the aliases.
func (c *Concept) Labels() []string { return c.labels }

// A Registry holds worlds and concepts by ID.
type Registry struct {
	Worlds   map[string]World
	Concepts map[string]*Concept
}

// IDs returns the IDs of the concepts in order.
func (r Registry) IDs() []string { return slices.Sorted(maps.Keys(r.Concepts)) }

// Load reads the registry, which must exist.
func Load(t *tree.Tree, f *check.Findings) Registry {
	v, ok := f.JSON(t, profil.ConceptsFile)
	if !ok {
		return Registry{}
	}
	return Parse(v, f)
}

// Parse checks the registry's JSON document.
func Parse(v any, f *check.Findings) Registry {
	where := check.File(profil.ConceptsFile)
	r := Registry{Worlds: map[string]World{}, Concepts: map[string]*Concept{}}
	o, ok := f.Object(where, v, []string{"schema", "worlds", "concepts"})
	if !ok {
		return r
	}
	if o["schema"] != profil.SchemaConcepts {
		f.Error(where, "CO-1", profil.SchemaConcepts)
	}
	for i, v := range list(where.Field(".worlds"), o["worlds"], maxWorlds, f) {
		r.parseWorld(where.Field(".worlds").Item(i+1), v, f)
	}
	for i, v := range list(where.Field(".concepts"), o["concepts"], maxConcepts, f) {
		r.parseConcept(where.Field(".concepts").Item(i+1), v, f)
	}
	r.checkEdges(where, f)
	return r
}

func list(where check.Where, v any, limit int, f *check.Findings) []any {
	l, ok := v.([]any)
	if !ok {
		f.Error(where, "CO-2")
	}
	if len(l) > limit {
		f.Error(where, "CO-3", limit)
	}
	return l
}

func (r Registry) parseWorld(where check.Where, v any, f *check.Findings) {
	o, ok := f.Object(where, v, []string{"id", "name", "description"})
	if !ok {
		return
	}
	id, ok := o["id"].(string)
	if !ok || !profil.IsID("BW", id) {
		f.Error(where.Field(".id"), "CO-5")
		return
	}
	if _, twice := r.Worlds[id]; twice {
		f.Error(where.Field(".id"), "CO-6", id)
		return
	}
	w := World{ID: id}
	w.Name, _ = f.Plain(where.Field(".name"), o["name"], maxName)
	w.Description, _ = f.Plain(where.Field(".description"), o["description"], maxDescription)
	r.Worlds[id] = w
}

func (r Registry) parseConcept(where check.Where, v any, f *check.Findings) {
	o, ok := f.Object(where, v, []string{"id", "world", "preferred", "aliases", "broader", "related", "definition_claim"})
	if !ok {
		return
	}
	id, ok := o["id"].(string)
	if !ok || !profil.IsID("B", id) {
		f.Error(where.Field(".id"), "CO-9")
		return
	}
	if _, twice := r.Concepts[id]; twice {
		f.Error(where.Field(".id"), "CO-10", id)
		return
	}
	c := &Concept{ID: id}
	r.Concepts[id] = c
	c.World, _ = o["world"].(string)
	if _, known := r.Worlds[c.World]; !known {
		f.Error(where.Field(".world"), "CO-11", c.World)
	}
	c.Preferred = c.label(where.Field(".preferred"), o["preferred"], "CO-12", f)
	c.DefinitionClaim, _ = o["definition_claim"].(string)
	if !profil.IsID("C", c.DefinitionClaim) {
		f.Error(where.Field(".definition_claim"), "CO-13")
	}
	for i, v := range entries(where.Field(".aliases"), o["aliases"], f) {
		c.label(where.Field(".aliases").Item(i+1), v, "CO-17", f)
	}
	if _, ok := o["preferred"].(string); ok {
		c.Aliases = c.labels[1:]
	} else {
		c.Aliases = c.labels
	}
	c.Broader = targets(where.Field(".broader"), o["broader"], f)
	c.Related = targets(where.Field(".related"), o["related"], f)
}

// label checks a label and keeps it if it is a text at all: what else is wrong
// with it is found only once labels are compared.
func (c *Concept) label(where check.Where, v any, signature string, f *check.Findings) string {
	s, ok := f.Plain(where, v, maxLabel)
	if ok && text.Signature(s) {
		f.Error(where, signature)
	}
	if _, isText := v.(string); isText {
		c.labels = append(c.labels, s)
	}
	return s
}

// entries checks the list rules that aliases, broader and related share.
func entries(where check.Where, v any, f *check.Findings) []any {
	l, ok := v.([]any)
	if !ok {
		f.Error(where, "CO-14")
		return nil
	}
	if len(l) > maxList {
		f.Error(where, "CO-15", maxList)
	}
	distinct := make(map[string]bool)
	for _, v := range l {
		if s, ok := v.(string); ok {
			distinct[s] = true
		}
	}
	if len(distinct) != len(l) {
		f.Error(where, "CO-16")
	}
	return l
}

func targets(where check.Where, v any, f *check.Findings) []string {
	var ids []string
	for i, v := range entries(where, v, f) {
		s, ok := v.(string)
		if !ok || !profil.IsID("B", s) {
			f.Error(where.Item(i+1), "CO-18")
		}
		if ok {
			ids = append(ids, s)
		}
	}
	return ids
}

// checkEdges checks what needs all concepts: where broader and related lead,
// that a label belongs to one concept of its world, and that broader has no
// cycle.
func (r Registry) checkEdges(where check.Where, f *check.Findings) {
	type worldLabel struct{ world, label string }
	owner := make(map[worldLabel]string)
	for _, id := range r.IDs() {
		c := r.Concepts[id]
		r.checkTargets(where, c, "broader", c.Broader, f)
		r.checkTargets(where, c, "related", c.Related, f)
		own := make(map[string]bool)
		for _, l := range c.Labels() {
			n := words.Norm(l)
			switch first, taken := owner[worldLabel{c.World, n}]; {
			case n == "":
				f.Error(where, "CO-22", id)
			case own[n]:
				f.Error(where, "CO-23", id, n)
			case taken:
				f.Error(where, "CO-24", n, c.World, first, id)
			default:
				owner[worldLabel{c.World, n}] = id
			}
			own[n] = true
		}
	}
	if cycle := r.cycle(); len(cycle) > 20 {
		f.Error(where, "CO-25", append(cycle[:20], "…"))
	} else if cycle != nil {
		f.Error(where, "CO-25", cycle)
	}
}

func (r Registry) checkTargets(where check.Where, c *Concept, name string, targets []string, f *check.Findings) {
	for _, to := range targets {
		switch target := r.Concepts[to]; {
		case to == c.ID:
			f.Error(where, "CO-19", c.ID, name)
		case target == nil:
			f.Error(where, "CO-20", c.ID, name, to)
		case target.World != c.World:
			f.Error(where, "CO-21", c.ID, name, to)
		}
	}
}

// cycle returns the concepts that broader edges leave without an order: those
// of a cycle and those above one.
func (r Registry) cycle() []string {
	indegree := make(map[string]int)
	edges := func(c *Concept, visit func(string)) {
		for _, to := range c.Broader {
			if to != c.ID && r.Concepts[to] != nil {
				visit(to)
			}
		}
	}
	for _, c := range r.Concepts {
		edges(c, func(to string) { indegree[to]++ })
	}
	var ready []string
	for id := range r.Concepts {
		if indegree[id] == 0 {
			ready = append(ready, id)
		}
	}
	left := len(r.Concepts)
	for ; len(ready) > 0; left-- {
		c := r.Concepts[ready[len(ready)-1]]
		ready = ready[:len(ready)-1]
		edges(c, func(to string) {
			if indegree[to]--; indegree[to] == 0 {
				ready = append(ready, to)
			}
		})
	}
	if left == 0 {
		return nil
	}
	var cycle []string
	for id, n := range indegree {
		if n > 0 {
			cycle = append(cycle, id)
		}
	}
	slices.Sort(cycle)
	return cycle
}
