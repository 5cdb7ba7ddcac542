package search

import (
	"cmp"
	"slices"
)

// How much a match counts, by what makes it one.
const (
	similarSynonym = .9
	similarNumber  = .8 // zwei and 2
	similarRoot    = .9
	sure           = .8 // from here on a match is the word, or stands for it
	coverRoot      = .85
	similarPair    = .8 // a word of the other language
	coverPair      = .95
	longPair       = 6 // letters that such a word needs to be sought in compounds
)

// mean adds a match, or makes the one with its term stronger.
func (w *word) mean(m match) {
	i := slices.IndexFunc(w.matches, func(o match) bool { return o.term == m.term })
	if i < 0 {
		w.matches = append(w.matches, m)
		return
	}
	o := &w.matches[i]
	o.similarity = max(o.similarity, m.similarity)
	if o.piece != whole || o.cover < m.cover {
		o.cover, o.piece = m.cover, m.piece
	}
}

// lookUp finds what the word may mean in the collection.
func (x *Index) lookUp(w *word, lex *lexicon) {
	seen := map[int32]bool{}
	add := func(m match) {
		if !seen[m.term] {
			seen[m.term] = true
			w.matches = append(w.matches, m)
		}
	}
	t := w.token
	if f, ok := x.byForm[t.form]; ok {
		add(match{term: x.forms[f].term, similarity: 1, cover: 1})
	}
	x.lookUpNumber(t.form, add)
	if t.number {
		return
	}
	for _, l := range x.languages.all() {
		if id, ok := x.byStem[l.stem(t.form)]; ok {
			add(match{term: id, similarity: 1, cover: 1})
		}
	}
	if r := lex.root(t.form); r != "" {
		for _, id := range x.byRoot[r] {
			add(match{term: id, similarity: similarRoot, cover: coverRoot})
		}
	}
	for _, m := range x.parts(lex.stem(t.form)) {
		add(m)
	}
	if lex == x.languages.en || !slices.ContainsFunc(w.matches, func(m match) bool { return m.similarity >= sure && x.terms[m.term].df > 0 }) {
		x.translate(t.form, lex, add)
	}
	if !slices.ContainsFunc(w.matches, func(m match) bool { return m.piece == whole }) {
		for _, m := range x.misspelt(t.form) {
			add(m)
			w.typo = true
		}
	}
	slices.SortStableFunc(w.matches, func(a, b match) int { return cmp.Compare(b.similarity, a.similarity) })
}

// translate adds what the word is called in the other language, by texts in that
// language: "found" in a German one is not what founding is about.
func (x *Index) translate(form string, lex *lexicon, add func(match)) {
	other := x.languages.de
	if lex == other {
		other = x.languages.en
	}
	mean := func(id int32) {
		if x.terms[id].in&other.bit != 0 {
			add(match{term: id, similarity: similarPair, cover: coverPair, synonym: true})
		}
	}
	for _, word := range x.languages.pairs[lex.stem(form)] {
		if id, ok := x.byStem[other.stem(word)]; ok {
			mean(id)
		}
		for _, id := range x.byRoot[other.root(word)] {
			mean(id)
		}
		if len(word) < longPair || other == x.languages.en {
			continue // English has few compounds
		}
		for _, m := range x.parts(other.stem(word)) {
			if m.piece == whole {
				m.similarity *= similarPair
				add(m)
			}
		}
	}
}

// lookUpNumber adds 2 for zwei and zwei for 2.
func (x *Index) lookUpNumber(form string, add func(match)) {
	for _, l := range x.languages.all() {
		if digits, ok := l.numbers[form]; ok {
			if id, ok := x.byStem[digits]; ok {
				add(match{term: id, similarity: similarNumber, cover: 1})
			}
		}
		if f, ok := x.byForm[l.cardinals[form]]; ok {
			add(match{term: x.forms[f].term, similarity: similarNumber, cover: 1})
		}
	}
}
