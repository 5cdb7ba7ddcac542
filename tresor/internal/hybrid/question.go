package hybrid

import (
	"cmp"
	"slices"
	"strings"

	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/words"
)

// A question is a question made ready for ranking.
type question struct {
	norm     string
	tokens   []string // distinct, sorted
	claims   []int32  // mentioned, by ID
	sources  []string // mentioned, sorted
	direct   []Match  // by concept
	expanded []Expansion
}

// A Match is a concept that the question names.
type Match struct {
	Concept string
	Labels  []string
	index   int32
}

// An Expansion is a concept one hop from a matched one.
type Expansion struct {
	Concept  string
	Via      string // the matched concept
	Relation string // broader, narrower or related
	Weight   int
	index    int32
}

// An Ambiguity is a phrase that is a label of several concepts.
type Ambiguity struct {
	Phrase   string // normalised
	Concepts []string
}

// The weights of an expansion.
const (
	weightHierarchy = 55
	weightRelated   = 35
	maxExpansions   = 32
)

func (x *Index) read(text, world string) (question, []Ambiguity) {
	q := question{norm: words.Norm(text)}
	all := words.Words(q.norm)
	q.tokens = distinct(words.Tokens(all))
	for _, id := range distinct(profil.Mentions('C', text, true)) {
		if c, ok := x.byClaim[id]; ok {
			q.claims = append(q.claims, c)
		}
	}
	q.sources = distinct(profil.Mentions('S', text, true))
	ambiguous := x.match(&q, all, world, profil.Mentions('B', text, true))
	if ambiguous == nil {
		q.expanded = x.expand(q.direct)
	}
	return q, ambiguous
}

func distinct(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }

// match finds the concepts whose labels stand in the question, and those that
// it mentions by ID.
func (x *Index) match(q *question, all []string, world string, mentioned []string) []Ambiguity {
	labels := make(map[int32][]string)
	var ambiguous []Ambiguity
	for _, phrase := range x.phrases(all) {
		var owners []string
		for _, l := range x.byLabel[phrase] {
			if c := x.concepts[l.concept]; world == "" || c.World == world {
				labels[l.concept] = append(labels[l.concept], l.label)
				owners = append(owners, c.ID)
			}
		}
		if owners = distinct(owners); len(owners) > 1 {
			ambiguous = append(ambiguous, Ambiguity{phrase, owners})
		}
	}
	if ambiguous != nil {
		return ambiguous
	}
	for _, id := range mentioned {
		i, ok := x.byConcept[id]
		if ok && labels[i] == nil && (world == "" || x.concepts[i].World == world) {
			labels[i] = []string{id}
		}
	}
	for i, list := range labels {
		slices.SortFunc(list, func(a, b string) int {
			return cmp.Or(cmp.Compare(words.Norm(a), words.Norm(b)), cmp.Compare(a, b))
		})
		q.direct = append(q.direct, Match{x.concepts[i].ID, slices.Compact(list), i})
	}
	slices.SortFunc(q.direct, func(a, b Match) int { return cmp.Compare(a.Concept, b.Concept) })
	return nil
}

// phrases returns the labels that the words of a question contain side by side,
// each once, sorted.
func (x *Index) phrases(all []string) []string {
	var found []string
	for i := range all {
		for n := 1; n <= x.longest && i+n <= len(all); n++ {
			if phrase := strings.Join(all[i:i+n], " "); x.byLabel[phrase] != nil {
				found = append(found, phrase)
			}
		}
	}
	return distinct(found)
}

// expand goes one hop from the direct concepts to broader, narrower and related
// ones. A concept that several lead to keeps the greatest weight, then the
// highest way there.
func (x *Index) expand(direct []Match) []Expansion {
	best := make(map[int32]Expansion)
	for _, m := range direct {
		offer := func(to int32, relation string, weight int) {
			e := Expansion{x.concepts[to].ID, m.Concept, relation, weight, to}
			old, ok := best[to]
			if !ok || cmp.Or(cmp.Compare(e.Weight, old.Weight), cmp.Compare(e.Via, old.Via), cmp.Compare(e.Relation, old.Relation)) > 0 {
				best[to] = e
			}
		}
		c := x.concepts[m.index]
		for _, id := range c.Broader {
			if to, ok := x.byConcept[id]; ok {
				offer(to, "broader", weightHierarchy)
			}
		}
		for _, to := range x.narrowerOf[m.index] {
			offer(to, "narrower", weightHierarchy)
		}
		for _, id := range c.Related {
			if to, ok := x.byConcept[id]; ok {
				offer(to, "related", weightRelated)
			}
		}
	}
	for _, m := range direct {
		delete(best, m.index)
	}
	var list []Expansion
	for _, e := range best {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b Expansion) int { return cmp.Compare(a.Concept, b.Concept) })
	return list[:min(len(list), maxExpansions)]
}
