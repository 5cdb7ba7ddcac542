package search

import (
	"math"
	"slices"
	"unicode/utf8"
)

// eachGram calls do with the n-grams of a folded word that has a mark at both
// ends. A word shorter than that is its own n-gram.
func eachGram(form string, n int, do func(gram string)) {
	s := "_" + form + "_"
	end := 0
	for range n {
		if end == len(s) {
			break
		}
		end += width(s, end)
	}
	for start := 0; ; {
		do(s[start:end])
		if end == len(s) {
			return
		}
		start += width(s, start)
		end += width(s, end)
	}
}

func width(s string, i int) int {
	if s[i] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	return n
}

// A grammar numbers the n-grams of a vocabulary's forms.
type grammar struct {
	n     int
	ids   map[string]int32
	start []int32 // the grams of form f are all[start[f]:start[f+1]]
	all   []int32
}

func newGrammar(n int) grammar {
	return grammar{n: n, ids: map[string]int32{}, start: []int32{0}}
}

// add appends the grams of the next form.
func (g *grammar) add(form string) {
	eachGram(form, g.n, func(s string) {
		id, ok := g.ids[s]
		if !ok {
			id = int32(len(g.ids))
			g.ids[s] = id
		}
		g.all = append(g.all, id)
	})
	g.start = append(g.start, int32(len(g.all)))
}

func (g *grammar) of(form int32) []int32 { return g.all[g.start[form]:g.start[form+1]] }

// A space compares questions with documents (texts, passages or groups) by the
// cosine of their n-gram vectors. A gram that no text has lengthens a question's
// vector and so lowers every cosine; abstention lives on that.
type space struct {
	docs     int
	idf      []float64 // by gram; 0 for one that no text has
	unknown  float64   // the idf of a gram that no text has
	postings lists[component]
}

type component struct {
	doc    int32
	weight float32 // in the document's unit vector
}

// newSpace builds the vectors of all documents; doc tells which one a text
// belongs to. Rarity is counted over texts, whatever a document is.
func newSpace(occurrences [][]int32, g *grammar, doc func(text int) int32, docs int) space {
	size := len(g.ids)
	s := space{docs: docs, idf: make([]float64, size)}
	df := make([]int32, size)
	seen := make([]int32, size) // the last text with the gram, from 1
	for i, forms := range occurrences {
		for _, f := range forms {
			for _, id := range g.of(f) {
				if seen[id] != int32(i)+1 {
					seen[id] = int32(i) + 1
					df[id]++
				}
			}
		}
	}
	n := float64(len(occurrences))
	for id := range df {
		if df[id] > 0 {
			s.idf[id] = math.Log(1 + n/float64(df[id]))
		}
	}
	s.unknown = math.Log(1 + n/.5)
	s.fill(occurrences, g, doc)
	return s
}

// fill computes the unit vectors and turns them into postings.
func (s *space) fill(occurrences [][]int32, g *grammar, doc func(text int) int32) {
	sizes := make([]int32, s.docs)
	for i := range occurrences {
		sizes[doc(i)]++
	}
	members := newLists[int32](sizes)
	for i := range occurrences {
		members.add(doc(i), int32(i))
	}
	type entry struct {
		gram int32
		component
	}
	total := 0
	for _, forms := range occurrences {
		for _, f := range forms {
			total += len(g.of(f))
		}
	}
	var (
		entries = make([]entry, 0, total)
		present []int32
		counts  = make([]int32, len(s.idf))
		lengths = make([]int32, len(s.idf))
	)
	for d := range s.docs {
		present = present[:0]
		for _, i := range members.at(int32(d)) {
			for _, f := range occurrences[i] {
				for _, id := range g.of(f) {
					if counts[id] == 0 {
						present = append(present, id)
					}
					counts[id]++
				}
			}
		}
		sum, first := 0.0, len(entries)
		for _, id := range present {
			w := s.idf[id]
			if counts[id] > 1 {
				w *= 1 + math.Log(float64(counts[id]))
			}
			sum += w * w
			counts[id] = 0
			lengths[id]++
			entries = append(entries, entry{id, component{int32(d), float32(w)}})
		}
		norm := float32(math.Sqrt(sum))
		for i := first; i < len(entries); i++ {
			entries[i].weight /= norm
		}
	}
	s.postings = newLists[component](lengths)
	for _, e := range entries {
		s.postings.add(e.gram, e.component)
	}
}

// A gram is one dimension of a question: the number of an n-gram, -1 for one
// that the collection does not have, with the weight of its word.
type gram struct {
	id     int32
	weight float64
}

// weighted adds the grams of a form to those of a question.
func (g *grammar) weighted(question []gram, form string, weight float64) []gram {
	eachGram(form, g.n, func(s string) {
		id, ok := g.ids[s]
		if !ok {
			question = append(question, gram{-1, weight})
			return
		}
		if i := slices.IndexFunc(question, func(o gram) bool { return o.id == id }); i >= 0 {
			question[i].weight = max(question[i].weight, weight)
			return
		}
		question = append(question, gram{id, weight})
	})
	return question
}

// cosines returns the cosine of the question with every document.
func (s *space) cosines(question []gram) []float64 {
	out := make([]float64, s.docs)
	sum := 0.0
	for _, g := range question {
		v := s.unknown
		if g.id >= 0 && s.idf[g.id] > 0 {
			v = s.idf[g.id]
		}
		v *= g.weight
		sum += v * v
		if g.id < 0 {
			continue
		}
		for _, c := range s.postings.at(g.id) {
			out[c.doc] += v * float64(c.weight)
		}
	}
	if sum == 0 {
		return out
	}
	length := math.Sqrt(sum)
	for d := range out {
		out[d] /= length
	}
	return out
}
