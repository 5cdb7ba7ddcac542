// Package hybrid ranks claims by hybrid-local/v1: controlled terms with their
// aliases, exact words and phrases, and one hop along relations. Scores, reasons
// and order are part of the format, oddities included (4-retrieval sections 7 to
// 10, deviation D-35).
//
// [New] prepares once what every question needs; [Index.Rank] then touches only
// the pages and claims that a question's words lead to.
package hybrid

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"outheis/tresor/internal/words"
)

// A Page is what ranking needs of a page.
type Page struct {
	Path      string
	Title     string
	Tags      []string
	Concepts  []string
	Relations []string // paths of targets
	Claims    []Claim
}

// A Claim is what ranking needs of a claim.
type Claim struct {
	ID         string
	Source     string
	Text       string
	Fundstelle string
}

// A Concept is what ranking needs of a concept.
type Concept struct {
	ID      string
	World   string
	Labels  []string // preferred first
	Broader []string
	Related []string
}

// An Index is prepared for ranking. It is immutable and safe for use by many
// goroutines.
type Index struct {
	pages    []page
	claims   []claim
	concepts []concept // by ID

	words      map[string]*posting
	byClaim    map[string]int32   // claim by ID
	bySource   map[string][]int32 // claims by source
	byConcept  map[string]int32
	byLabel    map[string][]labelled // by normalised label
	longest    int                   // label, in words
	scratch    sync.Pool
	worlds     map[string]bool
	narrowerOf [][]int32 // concepts that list this one as broader
}

type page struct {
	path        string
	title       string // normalised
	hay         string // normalised text of all claims
	concepts    []string
	first, last int32   // its claims are claims[first:last]
	neighbours  []int32 // along relations, in both directions
}

type claim struct {
	id, source string
	page       int32
	from, to   int32 // its normalised text is page.hay[from:to]
	rank       int32 // by ID, then by page
}

type concept struct {
	Concept
	pages []int32
}

type labelled struct {
	concept int32
	label   string
}

// A posting says where a word stands; all lists are sorted and without
// repetitions.
type posting struct {
	titles, tags, pages []int32 // pages by title, by tag, by the text of a claim
	claims              []int32
}

// New prepares pages in path order with their claims, and concepts in any
// order.
func New(pages []Page, concepts []Concept, worlds []string) *Index {
	x := &Index{
		words:     make(map[string]*posting),
		byClaim:   make(map[string]int32),
		bySource:  make(map[string][]int32),
		byConcept: make(map[string]int32),
		byLabel:   make(map[string][]labelled),
		worlds:    make(map[string]bool),
	}
	for _, w := range worlds {
		x.worlds[w] = true
	}
	for _, p := range pages {
		x.addPage(p)
	}
	x.addRelations(pages)
	x.rankClaims()
	x.addConcepts(concepts)
	x.scratch.New = func() any { return &scratch{pages: make([]int32, len(x.pages)), claims: make([]int32, len(x.claims))} }
	return x
}

func (x *Index) addPage(in Page) {
	n := int32(len(x.pages))
	p := page{path: in.Path, title: words.Norm(in.Title), concepts: in.Concepts, first: int32(len(x.claims))}
	x.post(p.title, func(w *posting) *[]int32 { return &w.titles }, n)
	for _, tag := range in.Tags {
		x.post(words.Norm(tag), func(w *posting) *[]int32 { return &w.tags }, n)
	}
	var hay strings.Builder
	for _, c := range in.Claims {
		text := words.Norm(c.Text + " " + c.Fundstelle)
		if hay.Len() > 0 && text != "" {
			hay.WriteByte(' ')
		}
		from := int32(hay.Len())
		hay.WriteString(text)
		id := int32(len(x.claims))
		x.claims = append(x.claims, claim{id: c.ID, source: c.Source, page: n, from: from, to: int32(hay.Len())})
		x.byClaim[c.ID] = id
		x.bySource[c.Source] = append(x.bySource[c.Source], id)
		x.post(text, func(w *posting) *[]int32 { return &w.claims }, id)
		x.post(text, func(w *posting) *[]int32 { return &w.pages }, n)
	}
	p.hay, p.last = hay.String(), int32(len(x.claims))
	x.pages = append(x.pages, p)
}

// post adds n to a list of each word of a normalised text. Numbers come in
// rising order, so a repetition can only be the last one.
func (x *Index) post(text string, list func(*posting) *[]int32, n int32) {
	for _, w := range words.Words(text) {
		p := x.words[w]
		if p == nil {
			p = new(posting)
			x.words[strings.Clone(w)] = p
		}
		if l := list(p); len(*l) == 0 || (*l)[len(*l)-1] != n {
			*l = append(*l, n)
		}
	}
}

func (x *Index) addRelations(pages []Page) {
	byPath := make(map[string]int32, len(pages))
	for i, p := range pages {
		byPath[p.Path] = int32(i)
	}
	for i, p := range pages {
		for _, target := range p.Relations {
			if j, ok := byPath[target]; ok {
				x.pages[i].neighbours = append(x.pages[i].neighbours, j)
				x.pages[j].neighbours = append(x.pages[j].neighbours, int32(i))
			}
		}
	}
}

// rankClaims numbers the claims in the order that breaks ties of a score.
func (x *Index) rankClaims() {
	order := make([]int32, len(x.claims))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(x.claims[a].id, x.claims[b].id), cmp.Compare(a, b))
	})
	for rank, i := range order {
		x.claims[i].rank = int32(rank)
	}
}

func (x *Index) addConcepts(concepts []Concept) {
	for _, c := range concepts {
		x.concepts = append(x.concepts, concept{Concept: c})
	}
	slices.SortFunc(x.concepts, func(a, b concept) int { return cmp.Compare(a.ID, b.ID) })
	for i := range x.concepts {
		c := &x.concepts[i]
		x.byConcept[c.ID] = int32(i)
		for _, label := range c.Labels {
			n := words.Norm(label)
			if n == "" {
				continue
			}
			x.byLabel[n] = append(x.byLabel[n], labelled{int32(i), label})
			x.longest = max(x.longest, strings.Count(n, " ")+1)
		}
	}
	x.narrowerOf = make([][]int32, len(x.concepts))
	for i, c := range x.concepts {
		for _, id := range c.Broader {
			if j, ok := x.byConcept[id]; ok {
				x.narrowerOf[j] = append(x.narrowerOf[j], int32(i))
			}
		}
	}
	for i, p := range x.pages {
		for _, id := range p.concepts {
			if j, ok := x.byConcept[id]; ok {
				if l := &x.concepts[j].pages; len(*l) == 0 || (*l)[len(*l)-1] != int32(i) {
					*l = append(*l, int32(i))
				}
			}
		}
	}
}

func (x *Index) hay(c int32) string {
	return x.pages[x.claims[c].page].hay[x.claims[c].from:x.claims[c].to]
}
