package tresor

import (
	"slices"
	"strings"
	"sync"

	"outheis/tresor/search"
)

// Threshold is the decision value from which on a claim covers a question; see
// [search.Threshold] for what it means and how it was found.
const Threshold = search.Threshold

// AssessOptions narrow an assessment. The zero value asks for all worlds and
// for [DefaultLimit] claims.
type AssessOptions struct {
	World string // BW-nnnn, or "" for all
	Limit int    // 1 to MaxLimit claims; 0 for DefaultLimit
}

// An Assessment is the full review that must come before "Nicht im Bestand":
// the query, whose state says whether there is anything to review, and every
// claim of the Bestand compared with the question.
type Assessment struct {
	Query     Result      // as [Snapshot.Query] gives it, for the same options
	Ambiguous []Ambiguity // why Query is ambiguous
	Compared  int         // number of claims compared: all of them, or 0 without a review
	Named     []string    // IDs of claims, sources and concepts in the question, in their order
	Words     []Word      // the content words of the question
	Fits      []Fit       // the best claims, best first
}

// Covered reports whether a claim covers the question. If none does, the
// answer is "Nicht im Bestand", provided that the review took place.
func (a Assessment) Covered() bool { return len(a.Fits) > 0 && a.Fits[0].Value >= Threshold }

// A Word is a content word of a question.
type Word = search.Word

// A Fit says how well a claim covers a question.
type Fit struct {
	Claim    Claim
	Page     Page
	Source   Source    // zero but for its ID where no register has it
	Score    float64   // what the order is by
	Coverage float64   // share of the question's content words that are covered
	Own      float64   // the same for the claim alone, without title and neighbours
	Value    float64   // the decision value, 0 to 1; see [Threshold]
	Covered  []float64 // of each of the assessment's words
}

// An Ambiguity is an expression of the question that belongs to several
// concepts; naming a Begriffswelt settles it.
type Ambiguity struct {
	Phrase   string // normalised
	Concepts []Concept
}

// Assess queries the Tresor and compares all of its claims with the question:
// by words, stems, compound parts, concept labels, neighbouring claims and
// n-grams, weighted by rarity. It is a pure function of the snapshot and its
// arguments. Where the query has another state than the two of a ranking, there
// is no review and no claim.
//
// The first assessment of a snapshot builds the index, in time and memory
// linear in the length of its claims. Assess may be called by many goroutines.
func (s *Snapshot) Assess(question string, o AssessOptions) Assessment {
	a := Assessment{Query: s.Query(question, QueryOptions{World: o.World, Limit: o.Limit})}
	switch a.Query.State {
	case CandidatesFound, NoCandidates:
	case Ambiguous:
		for _, found := range s.index.Rank(question, o.World, 1).Ambiguous {
			a.Ambiguous = append(a.Ambiguous, Ambiguity{found.Phrase, s.conceptsByID(found.Concepts)})
		}
		return a
	default:
		return a
	}
	if o.Limit == 0 {
		o.Limit = DefaultLimit
	}
	a.Named = s.named(question)
	x := s.review.index(s)
	limit := o.Limit
	if o.World != "" {
		limit = x.Len() // pages of another world are sorted out below
	}
	ranking := x.Rank(question, limit)
	a.Compared, a.Words = ranking.Compared, ranking.Words
	for _, h := range ranking.Hits {
		page := s.pages[h.Page]
		if o.World != "" && s.elsewhere(page, question, o.World) {
			continue
		}
		c := page.Claims[h.Text]
		source, ok := s.Source(c.Source)
		if !ok {
			source = Source{ID: c.Source}
		}
		a.Fits = append(a.Fits, Fit{Claim: c, Page: page, Source: source, Score: h.Score, Coverage: h.Coverage, Own: h.Own, Value: h.Fit, Covered: h.Covered})
		if len(a.Fits) == o.Limit {
			break
		}
	}
	return a
}

// elsewhere reports whether the page is about what the question names in
// another world: it carries concepts that the question names, all of them of
// other worlds.
func (s *Snapshot) elsewhere(p Page, question, world string) bool {
	other := false
	folded := " " + strings.Join(search.Words(question), " ") + " "
	for _, c := range s.conceptsByID(p.Concepts) {
		named := slices.ContainsFunc(append([]string{c.Preferred}, c.Aliases...), func(label string) bool {
			return strings.Contains(folded, " "+strings.Join(search.Words(label), " ")+" ")
		})
		switch {
		case named && c.World == world:
			return false
		case named:
			other = true
		}
	}
	return other
}

// Successors returns the pages that replace the page with the given path, by
// path: those with a relation ersetzt to it.
func (s *Snapshot) Successors(path string) []Page {
	return s.related(path, func(r Relation) bool { return r.Type == "ersetzt" })
}

// Contradictions returns the pages that contradict the page with the given
// path, by path; the relation counts in both directions.
func (s *Snapshot) Contradictions(path string) []Page {
	contradicts := func(r Relation) bool { return r.Type == "widerspricht" }
	pages := s.related(path, contradicts)
	p, _ := s.Page(path)
	for _, r := range p.Relations {
		if !contradicts(r) || slices.ContainsFunc(pages, func(q Page) bool { return q.Path == r.Target }) {
			continue
		}
		if q, ok := s.Page(r.Target); ok {
			pages = append(pages, q)
		}
	}
	slices.SortFunc(pages, func(a, b Page) int { return strings.Compare(a.Path, b.Path) })
	return pages
}

// related returns the pages with a relation of the kind to the given path.
func (s *Snapshot) related(path string, kind func(Relation) bool) []Page {
	var pages []Page
	for _, p := range s.pages {
		if slices.ContainsFunc(p.Relations, func(r Relation) bool { return r.Target == path && kind(r) }) {
			pages = append(pages, p)
		}
	}
	return pages
}

// named returns the IDs of claims, sources and concepts that the text names, in
// upper case, each once, whether they exist or not.
func (s *Snapshot) named(text string) []string {
	var ids []string
	alphanumeric := func(i int) bool {
		if i < 0 || i >= len(text) {
			return false
		}
		c := text[i] | 0x20
		return 'a' <= c && c <= 'z' || '0' <= text[i] && text[i] <= '9'
	}
	for i := 0; i+6 <= len(text); i++ {
		id := strings.ToUpper(text[i : i+6])
		if !strings.ContainsRune("CSB", rune(id[0])) || id[1] != '-' || strings.Trim(id[2:], "0123456789") != "" {
			continue
		}
		if !alphanumeric(i-1) && !alphanumeric(i+6) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (s *Snapshot) conceptsByID(ids []string) []Concept {
	var found []Concept
	for _, c := range s.concepts {
		if slices.Contains(ids, c.ID) {
			found = append(found, c)
		}
	}
	return found
}

// A review is the index that assessments need, built by the first one.
type review struct {
	once sync.Once
	x    *search.Index
}

func (r *review) index(s *Snapshot) *search.Index {
	r.once.Do(func() { r.x = search.New(s.collection()) })
	return r.x
}

// collection is the Bestand as the search takes it: texts are claims, labels
// are the tags of a page and the labels of its concepts.
func (s *Snapshot) collection() search.Collection {
	var c search.Collection
	at := make(map[string]int, len(s.concepts))
	for _, k := range s.concepts {
		at[k.ID] = len(c.Concepts)
		concept := search.Concept{Labels: append([]string{k.Preferred}, k.Aliases...)}
		if p, ok := s.claimByID[k.DefinitionClaim]; ok {
			concept.Defined, concept.Page, concept.Text = true, p.page, p.claim
		}
		c.Concepts = append(c.Concepts, concept)
	}
	for _, p := range s.pages {
		page := search.Page{Title: p.Title, Group: p.Domain, Labels: slices.Clone(p.Tags)}
		for _, id := range p.Concepts {
			if k, ok := at[id]; ok {
				page.Labels = append(page.Labels, c.Concepts[k].Labels...)
			}
		}
		for _, claim := range p.Claims {
			page.Texts = append(page.Texts, claim.Text)
		}
		c.Pages = append(c.Pages, page)
	}
	return c
}
