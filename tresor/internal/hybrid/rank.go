package hybrid

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sort"
	"strconv"

	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/words"
)

// Points of a page.
const (
	pageDirect     = 120
	pageClaimID    = 180
	pageSourceID   = 100
	pageExactTitle = 80
	pageExactClaim = 60
	pageTokenTitle = 30
	pageTokenTag   = 24
	pageTokenClaim = 12
	pageOneHop     = 10
	claimDirect    = 100
	claimID        = 240
	claimSourceID  = 140
	claimExact     = 80
	claimToken     = 20
	claimOneHop    = 5
	claimOfItsPage = 10
)

// A Hit is a page or claim with its score and the reasons, sorted.
type Hit struct {
	Index   int // of the page, or of the claim over all pages, as given to New
	Score   int
	Reasons []string
}

// A Ranking is the result for one question.
type Ranking struct {
	Matched   []Match
	Expanded  []Expansion
	Pages     []Hit // that have a claim among Claims: score descending, then path
	Claims    []Hit // score descending, then ID, then page; cut to the limit
	Ambiguous []Ambiguity
	question  string // normalised
}

// HasWorld reports whether there is a Begriffswelt with the ID.
func (x *Index) HasWorld(id string) bool { return x.worlds[id] }

// scratch holds the scores of one question; its pages and claims are zero
// between questions.
type scratch struct {
	pages, claims []int32
	table         []int32 // pages with a score
	boosted       []bool
	exact         []int32 // pages with the question as a phrase of their claims
	top           []scored
}

type scored struct{ claim, score int32 }

// Rank ranks the claims for a question and keeps the best up to limit. World
// restricts the concepts; "" does not. Where a label is ambiguous only Ambiguous
// is set.
func (x *Index) Rank(text, world string, limit int) Ranking {
	q, ambiguous := x.read(text, world)
	if ambiguous != nil {
		return Ranking{Ambiguous: ambiguous}
	}
	s := x.scratch.Get().(*scratch)
	defer x.scratch.Put(s)
	s.boosted = append(s.boosted[:0], make([]bool, len(x.pages))...)
	s.table, s.exact, s.top = s.table[:0], s.exact[:0], s.top[:0]

	x.scorePages(&q, s)
	x.hop(s)
	x.scoreClaims(&q, s, limit)
	r := Ranking{Matched: q.direct, Expanded: q.expanded, question: q.norm}
	x.collect(&q, s, &r)
	for _, p := range s.table {
		s.pages[p] = 0
		clear(s.claims[x.pages[p].first:x.pages[p].last])
	}
	return r
}

func (s *scratch) add(p int32, points int32) {
	if s.pages[p] == 0 {
		s.table = append(s.table, p)
	}
	s.pages[p] += points
}

func (s *scratch) addAll(pages []int32, points int32) {
	for _, p := range pages {
		s.add(p, points)
	}
}

func (x *Index) scorePages(q *question, s *scratch) {
	for _, m := range q.direct {
		s.addAll(x.concepts[m.index].pages, pageDirect)
	}
	for _, e := range q.expanded {
		s.addAll(x.concepts[e.index].pages, int32(e.Weight))
	}
	for _, c := range q.claims {
		s.add(x.claims[c].page, pageClaimID)
	}
	for _, source := range q.sources {
		last := int32(-1)
		for _, c := range x.bySource[source] {
			if p := x.claims[c].page; p != last {
				s.add(p, pageSourceID)
				last = p
			}
		}
	}
	for _, p := range x.rarest(q.norm, func(w *posting) []int32 { return w.titles }) {
		if words.HasPhrase(x.pages[p].title, q.norm) {
			s.add(p, pageExactTitle)
		}
	}
	for _, p := range x.rarest(q.norm, func(w *posting) []int32 { return w.pages }) {
		if words.HasPhrase(x.pages[p].hay, q.norm) {
			s.add(p, pageExactClaim)
			s.exact = append(s.exact, p)
		}
	}
	for _, t := range q.tokens {
		if w := x.words[t]; w != nil {
			s.addAll(w.titles, pageTokenTitle)
			s.addAll(w.tags, pageTokenTag)
			s.addAll(w.pages, pageTokenClaim)
		}
	}
}

// rarest returns the shortest list of the words of a phrase: where the phrase
// can be at all.
func (x *Index) rarest(phrase string, list func(*posting) []int32) []int32 {
	var best []int32
	for i, w := range words.Words(phrase) {
		p := x.words[w]
		if p == nil {
			return nil
		}
		if l := list(p); i == 0 || len(l) < len(best) {
			best = l
		}
	}
	return best
}

// hop gives the neighbours of all pages in the table their points, once.
func (x *Index) hop(s *scratch) {
	direct := len(s.table)
	for _, p := range s.table[:direct] {
		for _, n := range x.pages[p].neighbours {
			s.boosted[n] = true
		}
	}
	for p, boosted := range s.boosted {
		if boosted {
			s.add(int32(p), pageOneHop)
		}
	}
}

func (x *Index) scoreClaims(q *question, s *scratch, limit int) {
	for _, c := range q.claims {
		s.claims[c] += claimID
	}
	for _, source := range q.sources {
		for _, c := range x.bySource[source] {
			s.claims[c] += claimSourceID
		}
	}
	for _, p := range s.exact {
		for c := x.pages[p].first; c < x.pages[p].last; c++ {
			if words.HasPhrase(x.hay(c), q.norm) {
				s.claims[c] += claimExact
			}
		}
	}
	for _, t := range q.tokens {
		if w := x.words[t]; w != nil {
			for _, c := range w.claims {
				s.claims[c] += claimToken
			}
		}
	}
	for _, p := range s.table {
		base := x.base(q, p)
		for c := x.pages[p].first; c < x.pages[p].last; c++ {
			score := base + s.claims[c]
			switch {
			case score != 0:
			case s.boosted[p]:
				score = claimOneHop
			default:
				score = claimOfItsPage
			}
			x.offer(s, c, score, limit)
		}
	}
}

// base is what the concepts of a page give each of its claims.
func (x *Index) base(q *question, p int32) int32 {
	var sum int32
	for _, m := range q.direct {
		if has(x.concepts[m.index].pages, p) {
			sum += claimDirect
		}
	}
	for _, e := range q.expanded {
		if has(x.concepts[e.index].pages, p) {
			sum += int32(e.Weight)
		}
	}
	return sum
}

// offer keeps the best limit claims, sorted.
func (x *Index) offer(s *scratch, c, score int32, limit int) {
	before := func(t scored) bool {
		return score > t.score || score == t.score && x.claims[c].rank < x.claims[t.claim].rank
	}
	n := len(s.top)
	if n == limit {
		if !before(s.top[n-1]) {
			return
		}
		s.top = s.top[:n-1]
	}
	i := sort.Search(len(s.top), func(i int) bool { return before(s.top[i]) })
	s.top = slices.Insert(s.top, i, scored{c, score})
}

// Fingerprint identifies the result for the release with the given manifest
// digest: same fingerprint, same evidence.
func (x *Index) Fingerprint(r Ranking, manifest, world string) string {
	b := append([]byte(nil), `{"algorithm":`...)
	b = pjson.AppendString(b, profil.Retrieval)
	b = append(b, `,"evidence":[`...)
	for i, h := range r.Claims {
		if i > 0 {
			b = append(b, ',')
		}
		b = pjson.AppendString(append(b, '['), x.claims[h.Index].id)
		b = strconv.AppendInt(append(b, ','), int64(h.Score), 10)
		b = append(b, ']')
	}
	b = pjson.AppendString(append(b, `],"manifest":`...), manifest)
	b = pjson.AppendString(append(b, `,"query":`...), r.question)
	b = append(b, `,"world":`...)
	if world == "" {
		b = append(b, "null"...)
	} else {
		b = pjson.AppendString(b, world)
	}
	sum := sha256.Sum256(append(b, '}'))
	return hex.EncodeToString(sum[:])
}
