package hybrid

import (
	"cmp"
	"slices"
	"strconv"

	"outheis/tresor/internal/words"
)

// collect turns the best claims and their pages into hits. Reasons are worked
// out only here, for the few that are shown.
func (x *Index) collect(q *question, s *scratch, r *Ranking) {
	var pages []int32
	for _, t := range s.top {
		p := x.claims[t.claim].page
		pages = append(pages, p)
		r.Claims = append(r.Claims, Hit{int(t.claim), int(t.score), x.claimReasons(q, s, t.claim)})
	}
	slices.Sort(pages)
	for _, p := range slices.Compact(pages) {
		r.Pages = append(r.Pages, Hit{int(p), int(s.pages[p]), x.pageReasons(q, s, p)})
	}
	slices.SortStableFunc(r.Pages, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
}

func (x *Index) pageReasons(q *question, s *scratch, p int32) []string {
	var reasons []string
	add := func(parts ...string) {
		reason := parts[0]
		for _, part := range parts[1:] {
			reason += part
		}
		reasons = append(reasons, reason)
	}
	for _, m := range q.direct {
		if has(x.concepts[m.index].pages, p) {
			add("concept:", m.Concept, ":direct")
		}
	}
	for _, e := range q.expanded {
		if has(x.concepts[e.index].pages, p) {
			add("concept:", e.Concept, ":expanded:", strconv.Itoa(e.Weight))
		}
	}
	for _, c := range q.claims {
		if x.claims[c].page == p {
			add("id:", x.claims[c].id)
		}
	}
	for _, source := range q.sources {
		for _, c := range x.bySource[source] {
			if x.claims[c].page == p {
				add("id:", source)
				break
			}
		}
	}
	if words.HasPhrase(x.pages[p].title, q.norm) {
		add("exact:title")
	}
	if slices.Contains(s.exact, p) {
		add("exact:claim")
	}
	for _, t := range q.tokens {
		w := x.words[t]
		if w == nil {
			continue
		}
		if has(w.titles, p) {
			add("token:", t, ":title")
		}
		if has(w.tags, p) {
			add("token:", t, ":tag")
		}
		if has(w.pages, p) {
			add("token:", t, ":claim")
		}
	}
	if s.boosted[p] {
		add("graph:one-hop")
	}
	return distinct(reasons)
}

func (x *Index) claimReasons(q *question, s *scratch, c int32) []string {
	var reasons []string
	if x.base(q, x.claims[c].page) != 0 {
		reasons = append(reasons, "concept-page")
	}
	if slices.Contains(q.claims, c) {
		reasons = append(reasons, "id:"+x.claims[c].id)
	}
	if source := x.claims[c].source; slices.Contains(q.sources, source) {
		reasons = append(reasons, "id:"+source)
	}
	if words.HasPhrase(x.hay(c), q.norm) {
		reasons = append(reasons, "exact:claim")
	}
	for _, t := range q.tokens {
		if w := x.words[t]; w != nil && has(w.claims, c) {
			reasons = append(reasons, "token:"+t)
		}
	}
	switch {
	case reasons != nil:
	case s.boosted[x.claims[c].page]:
		reasons = append(reasons, "graph:one-hop")
	default:
		reasons = append(reasons, "page-metadata")
	}
	return distinct(reasons)
}

func has(list []int32, n int32) bool {
	_, ok := slices.BinarySearch(list, n)
	return ok
}
