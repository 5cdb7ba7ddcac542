package search

import (
	"cmp"
	"math"
	"slices"
)

// A Ranking is the result of comparing every text with a question.
type Ranking struct {
	Compared int    // number of texts: all of them
	Words    []Word // the content words of the question
	Hits     []Hit  // the best texts
}

// A Word is a content word of a question.
type Word struct {
	Text string
	Need float64 // its share of the question's weight
	Read string  // what a misspelt word was taken for, else ""
}

// A Hit is a text that was compared with a question.
type Hit struct {
	Page, Text int       // places in the collection
	Score      float64   // what the order is by; only comparable within a collection
	Coverage   float64   // share of the question that the text and its surroundings cover, 0 to 1
	Own        float64   // the same for the text alone, without what surrounds it
	Covered    []float64 // of each word of the ranking
	Fit        float64   // decision value, 0 to 1; see [Threshold]
}

// The weights of the score; what earns them is said in [Index.Rank].
const (
	weightBefore   = .8
	weightBack     = .3
	weightAfter    = .3
	weightPassage  = .35
	weightGroup    = .15
	weightAbout    = .3
	weightDefined  = .7
	weightClaims   = 1
	weightPassages = 2
	weightDomains  = 1
	weightCover    = .5
)

// closely is the number of texts, best first, whose coverage is looked at.
const closely = 24

// Rank compares every text with the question and returns the best, at most
// limit of them. The order is by score, then by place in the collection.
//
// A text scores for each content word of the question, by its share of the
// question's weight: how strongly the text has it; what the text before, the
// text after, the passage and the group add; and its standing in the title or
// labels. Further it scores for the cosines of the question's n-grams with the
// text, its passage and its group, for holding an answer of the kind that is
// asked for, and for saying what a concept is that the question names. The best
// are then ordered with regard to how much of the question they cover.
func (x *Index) Rank(question string, limit int) Ranking {
	n := len(x.texts)
	q := x.analyse(question)
	r := Ranking{Compared: n}
	for _, w := range q.words {
		rw := Word{Text: w.token.raw, Need: w.need}
		if w.typo && w.read >= 0 {
			rw.Read = x.forms[w.read].raw
		}
		r.Words = append(r.Words, rw)
	}
	if n == 0 || len(q.words) == 0 {
		return r
	}
	score, cover := x.wordScores(q)
	claims := x.claims.cosines(q.tri)
	passages := x.passages.cosines(q.quad)
	domains := x.domains.cosines(q.quad)
	defined := x.definitions(q)
	best := newBest(max(limit, closely))
	for i := range x.texts {
		t := &x.texts[i]
		s := x.slot(q, t)
		z := score[i] + weightClaims*claims[i] + weightPassages*passages[t.passage] + weightDomains*domains[t.group] +
			cover[i]*(q.kind.evidenceWeight()*s.evidence+q.kind.nameWeight()*float64(min(s.names, 4))/4)
		if !q.kind.measures() || s.evidence > 0 {
			z += weightDefined * defined[int32(i)]
		}
		best.add(int32(i), rounded(z))
	}
	for _, c := range best.items {
		t := &x.texts[c.text]
		r.Hits = append(r.Hits, Hit{Page: int(t.page), Text: int(t.position), Score: c.score})
	}
	x.cover(q, best.items, r.Hits)
	for h := range r.Hits {
		r.Hits[h].Score = rounded(r.Hits[h].Score + weightCover*r.Hits[h].Coverage)
	}
	slices.SortStableFunc(r.Hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	r.Hits = r.Hits[:max(0, min(limit, len(r.Hits)))]
	return r
}

// rounded lets machines that fuse multiplication and addition order alike.
func rounded(score float64) float64 { return math.Round(score*1e6) / 1e6 }

// wordScores returns the part of each text's score that comes from words, and
// the coverage that weighs the evidence of its kind.
func (x *Index) wordScores(q *query) (score, cover []float64) {
	n := len(x.texts)
	score, cover = make([]float64, n), make([]float64, n)
	m := make([]float64, n)
	byPassage := make([]float64, x.passages.docs)
	byGroup := make([]float64, x.groups)
	about := make([]bool, len(x.pages))
	for k := range q.words {
		w := &q.words[k]
		clear(m)
		clear(byPassage)
		clear(byGroup)
		clear(about)
		for _, v := range w.matches {
			strength := v.similarity * min(1, x.idf(v.term)/w.base)
			for _, p := range x.postings.at(v.term) {
				m[p.text] = max(m[p.text], min(1.2, strength*float64(p.tf)))
			}
			for _, p := range x.about.at(v.term) {
				about[p] = true
			}
		}
		for i, here := range m {
			if here > 0 {
				t := &x.texts[i]
				byPassage[t.passage] = max(byPassage[t.passage], here)
				byGroup[t.group] = max(byGroup[t.group], here)
			}
		}
		for i, here := range m {
			t := &x.texts[i]
			var before, after float64
			if int32(i) > t.first {
				before = m[i-1]
			}
			if int32(i) < t.last {
				after = m[i+1]
			}
			addBefore := max(0, before-here)
			near := max(here, before)
			addAfter := max(0, after-near)
			near = max(near, after)
			addPassage := max(0, byPassage[t.passage]-near)
			addGroup := max(0, byGroup[t.group]-max(near, byPassage[t.passage]))
			z := here + (weightBefore+weightBack*t.offers.back)*addBefore + weightAfter*addAfter +
				weightPassage*addPassage + weightGroup*addGroup
			if about[t.page] {
				z += weightAbout
			}
			score[i] += w.weight * z
			cover[i] += w.weight * (here + .5*(addBefore+addAfter) + .3*(addPassage+addGroup))
		}
	}
	return score, cover
}

// best keeps the items with the highest scores, in order.
type best struct {
	items []candidate
	limit int
}

type candidate struct {
	text  int32
	score float64
}

func newBest(limit int) *best { return &best{limit: max(0, limit)} }

// add offers an item; of equal scores the one that was offered first wins.
func (b *best) add(text int32, score float64) {
	full := len(b.items) == b.limit
	if full && (b.limit == 0 || score <= b.items[len(b.items)-1].score) {
		return
	}
	if full {
		b.items = b.items[:len(b.items)-1]
	}
	at, _ := slices.BinarySearchFunc(b.items, score, func(c candidate, score float64) int {
		if c.score == score {
			return -1
		}
		return cmp.Compare(score, c.score)
	})
	b.items = slices.Insert(b.items, at, candidate{text, score})
}
