package search

import "slices"

// passageSize is the largest number of texts whose n-grams are taken together;
// longer pages are cut into passages of about equal size. The weights were
// found on pages of about five texts.
const passageSize = 8

// An Index is an analysed collection. It is immutable and safe for use by many
// goroutines. Its memory is linear in the length of the collection.
type Index struct {
	vocabulary
	languages languages

	texts    []text
	pages    []page
	groups   int
	postings lists[posting] // by term: the texts that have it
	about    lists[int32]   // by term: the pages with it in title or labels

	claims   space // trigrams of each text
	passages space // 4-grams of each passage
	domains  space // 4-grams of each group

	concepts []concept
	labelsOf map[int32][]label // by their first term
}

// A text is what is known of a text besides its postings.
type text struct {
	page, passage, group int32
	position             int32   // on its page
	first, last          int32   // texts of its page
	subject              int32   // the term of its first content word; -1 if it has none
	capitals             []int32 // distinct terms that are written with a capital
	numbers              []int32 // distinct terms that are numbers
	offers               offers
}

// A page is what is known of a page besides its texts.
type page struct {
	about []int32 // distinct terms of title and labels, sorted
}

type posting struct {
	text int32
	tf   float32 // saturated: 1 for one occurrence, at most 1.3
}

// New analyses a collection. It keeps no reference to it.
func New(c Collection) *Index {
	x := &Index{vocabulary: newVocabulary(), languages: lexicons()}
	occurrences := x.read(c)
	x.complete()
	x.post(occurrences)
	x.embed(occurrences)
	x.relate(c)
	return x
}

// Len returns the number of texts, which every [Index.Rank] compares.
func (x *Index) Len() int { return len(x.texts) }

// read fills the vocabulary, the texts and the pages, and returns the forms of
// each text's content words.
func (x *Index) read(c Collection) (occurrences [][]int32) {
	groups := map[string]int32{}
	passages := int32(0)
	for p, pg := range c.Pages {
		group, ok := groups[pg.Group]
		if !ok {
			group = int32(len(groups))
			groups[pg.Group] = group
		}
		analysed := make([][]token, len(pg.Texts))
		about := tokens(pg.Title)
		all := about
		for i, s := range pg.Texts {
			analysed[i] = tokens(s)
			all = append(all, analysed[i]...)
		}
		lex := x.languages.speaks(all)
		for _, l := range pg.Labels {
			about = append(about, tokens(l)...)
		}
		first := int32(len(x.texts))
		parts := (len(pg.Texts) + passageSize - 1) / passageSize
		for i, ts := range analysed {
			t := text{
				page: int32(p), group: group, passage: passages + int32(i*parts/len(pg.Texts)),
				position: int32(i), first: first, last: first + int32(len(pg.Texts)) - 1,
				offers: offersOf(pg.Texts[i], ts, lex),
			}
			occurrences = append(occurrences, x.words(&t, ts, lex))
			x.texts = append(x.texts, t)
		}
		passages += int32(parts)
		x.pages = append(x.pages, page{about: x.bag(about, lex)})
	}
	x.groups = len(groups)
	for _, cc := range c.Concepts {
		for _, l := range cc.Labels {
			ts := tokens(l)
			lex := x.languages.speaks(ts)
			ts, _ = x.content(ts)
			for _, t := range ts {
				x.form(t, lex)
			}
		}
	}
	x.vocabulary.texts = len(x.texts)
	return occurrences
}

// words returns the forms of a text's content words and sets its names and
// numbers.
func (x *Index) words(t *text, ts []token, lex *lexicon) []int32 {
	forms := make([]int32, 0, len(ts))
	for _, tk := range ts {
		if lex.is(tk.form, stop) {
			continue
		}
		f := x.form(tk, lex)
		forms = append(forms, f)
		switch {
		case tk.number:
			t.numbers = append(t.numbers, x.forms[f].term)
		case tk.upper:
			t.capitals = append(t.capitals, x.forms[f].term)
		}
	}
	t.subject = -1
	if len(forms) > 0 {
		t.subject = x.forms[forms[0]].term
	}
	t.numbers, t.capitals = distinct(t.numbers), distinct(t.capitals)
	return forms
}

// bag returns the distinct terms of the content words, sorted.
func (x *Index) bag(ts []token, lex *lexicon) []int32 {
	var out []int32
	for _, t := range ts {
		if !lex.is(t.form, stop) {
			out = append(out, x.forms[x.form(t, lex)].term)
		}
	}
	return distinct(out)
}

func distinct(ids []int32) []int32 {
	slices.Sort(ids)
	return slices.Compact(ids)
}

// post builds the postings of the terms.
func (x *Index) post(occurrences [][]int32) {
	counts := make([]int32, len(x.terms))
	var present []int32
	each := func(do func(text int, term int32, tf float32)) {
		for i, forms := range occurrences {
			present = present[:0]
			for _, f := range forms {
				t := x.forms[f].term
				if counts[t] == 0 {
					present = append(present, t)
				}
				counts[t]++
			}
			for _, t := range present {
				tf := float32(counts[t])
				do(i, t, 1.3*tf/(tf+.3))
				counts[t] = 0
			}
		}
	}
	df := make([]int32, len(x.terms))
	each(func(_ int, t int32, _ float32) { df[t]++ })
	x.postings = newLists[posting](df)
	each(func(i int, t int32, tf float32) { x.postings.add(t, posting{int32(i), tf}) })
	for t := range x.terms {
		x.terms[t].df = df[t]
	}

	sizes := make([]int32, len(x.terms))
	for _, p := range x.pages {
		for _, t := range p.about {
			sizes[t]++
		}
	}
	x.about = newLists[int32](sizes)
	for i, p := range x.pages {
		for _, t := range p.about {
			x.about.add(t, int32(i))
		}
	}
}

// embed builds the n-gram spaces.
func (x *Index) embed(occurrences [][]int32) {
	n, passages := len(x.texts), 0
	if n > 0 {
		passages = int(x.texts[n-1].passage) + 1
	}
	x.claims = newSpace(occurrences, &x.tri, func(i int) int32 { return int32(i) }, n)
	x.passages = newSpace(occurrences, &x.quad, func(i int) int32 { return x.texts[i].passage }, passages)
	x.domains = newSpace(occurrences, &x.quad, func(i int) int32 { return x.texts[i].group }, x.groups)
}

// lists are many lists in one array.
type lists[T any] struct {
	start []int32 // list i is all[start[i]:start[i+1]]
	next  []int32 // where to add
	all   []T
}

// newLists makes lists of the given sizes, to be filled by add.
func newLists[T any](sizes []int32) lists[T] {
	l := lists[T]{start: make([]int32, len(sizes)+1)}
	for i, n := range sizes {
		l.start[i+1] = l.start[i] + n
	}
	l.next = slices.Clone(l.start[:len(sizes)])
	l.all = make([]T, l.start[len(sizes)])
	return l
}

func (l *lists[T]) add(i int32, v T) {
	l.all[l.next[i]] = v
	l.next[i]++
}

func (l *lists[T]) at(i int32) []T { return l.all[l.start[i]:l.start[i+1]] }
