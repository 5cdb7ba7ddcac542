package search

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// A vocabulary holds the words of a collection: forms are folded words, terms
// are what their stems have in common.
type vocabulary struct {
	forms  []form
	terms  []term
	byForm map[string]int32
	byStem map[string]int32
	byRoot map[string][]int32
	tri    grammar // of the forms
	quad   grammar

	texts    int              // number of texts
	forward  []int32          // terms in the order of their stems
	backward []int32          // terms in the order of their reversed stems
	reversed []string         // reversed stem by term
	initial  map[byte][]int32 // forms by their first byte
}

type form struct {
	text string
	raw  string // as the collection spells it first
	term int32
}

type term struct {
	stem string
	form int32 // the first form
	df   int32 // number of texts with it; 0 if only titles and labels have it
	in   uint8 // the languages of what has it, see [lexicon.bit]
}

func newVocabulary() vocabulary {
	return vocabulary{
		byForm: map[string]int32{}, byStem: map[string]int32{}, byRoot: map[string][]int32{},
		tri: newGrammar(3), quad: newGrammar(4),
	}
}

// form returns the number of a token's form, which it adds if it is new.
func (v *vocabulary) form(t token, lex *lexicon) int32 {
	if f, ok := v.byForm[t.form]; ok {
		v.terms[v.forms[f].term].in |= lex.bit
		return f
	}
	stem := t.form
	if !t.number {
		stem = lex.stem(t.form)
	}
	f := int32(len(v.forms))
	id, ok := v.byStem[stem]
	if !ok {
		id = int32(len(v.terms))
		v.terms = append(v.terms, term{stem: stem, form: f})
		v.byStem[stem] = id
	}
	v.terms[id].in |= lex.bit
	v.forms = append(v.forms, form{text: t.form, raw: strings.Clone(t.raw), term: id})
	v.byForm[t.form] = f
	v.tri.add(t.form)
	v.quad.add(t.form)
	if r := lex.root(t.form); r != "" && !t.number && !slices.Contains(v.byRoot[r], id) {
		v.byRoot[r] = append(v.byRoot[r], id)
	}
	return f
}

// complete builds the orders that look-ups by a part of a word need.
func (v *vocabulary) complete() {
	v.reversed = make([]string, len(v.terms))
	v.forward = make([]int32, len(v.terms))
	v.backward = make([]int32, len(v.terms))
	for i, t := range v.terms {
		v.forward[i], v.backward[i] = int32(i), int32(i)
		v.reversed[i] = reverse(t.stem)
	}
	slices.SortFunc(v.forward, func(a, b int32) int { return strings.Compare(v.terms[a].stem, v.terms[b].stem) })
	slices.SortFunc(v.backward, func(a, b int32) int { return strings.Compare(v.reversed[a], v.reversed[b]) })
	v.initial = map[byte][]int32{}
	for i, f := range v.forms {
		v.initial[f.text[0]] = append(v.initial[f.text[0]], int32(i))
	}
}

func (v *vocabulary) idf(t int32) float64 { return v.rarity(float64(v.terms[t].df)) }

// rarity is the idf of something that df texts have.
func (v *vocabulary) rarity(df float64) float64 {
	return math.Log(1 + (float64(v.texts)-df+.5)/(df+.5))
}

// A match is a term of the collection that a word of a question may mean.
type match struct {
	term       int32
	similarity float64 // for the score
	cover      float64 // how much of the word it accounts for
	piece      piece
	synonym    bool // by a concept, not by spelling
}

// piece says which piece of the question's word the term is.
type piece uint8

const (
	whole piece = iota
	front       // Kündigung of Kündigungsfrist
	rear        // Frist of Kündigungsfrist
	pieces
)

const (
	minPart   = 4   // letters of the shortest part of a compound that counts
	minRest   = 3   // bytes before a part at the end: reich is no part of Bereich
	coverPart = .85 // what a compound covers of a word that is a part of it

	coverEnding = .5 // the same for a word that only ends otherwise: benutzt is no Benutzer
)

// parts returns the terms that stem is the beginning or the end of, and those
// that are its beginning or end: Frist and Kündigungsfrist, in both directions.
func (v *vocabulary) parts(stem string) []match {
	n := utf8.RuneCountInString(stem)
	if n < minPart {
		return nil
	}
	var out []match
	add := func(t int32, p piece) {
		if v.terms[t].stem == stem || strings.Contains(v.terms[t].stem, "_") {
			return
		}
		m := utf8.RuneCountInString(v.terms[t].stem)
		ratio := float64(min(n, m)) / float64(max(n, m))
		cover := ratio
		switch {
		case p == whole && len(v.terms[t].stem)-len(stem) < minRest:
			cover = coverEnding
		case p == whole:
			cover = coverPart
		case p == rear && len(stem)-len(v.terms[t].stem) < minRest:
			cover = 0 // an Erfinder is not found
		}
		out = append(out, match{term: t, similarity: .9 * math.Sqrt(ratio), cover: cover, piece: p})
	}
	from, _ := slices.BinarySearchFunc(v.forward, stem, func(t int32, s string) int { return strings.Compare(v.terms[t].stem, s) })
	for _, t := range v.forward[from:] {
		if !strings.HasPrefix(v.terms[t].stem, stem) {
			break
		}
		add(t, whole)
	}
	mirrored := reverse(stem)
	from, _ = slices.BinarySearchFunc(v.backward, mirrored, func(t int32, s string) int { return strings.Compare(v.reversed[t], s) })
	for _, t := range v.backward[from:] {
		if !strings.HasPrefix(v.reversed[t], mirrored) {
			break
		}
		if len(v.terms[t].stem)-len(stem) >= minRest {
			add(t, whole)
		}
	}
	letters := 0
	for i := range stem {
		if letters >= minPart {
			if t, ok := v.byStem[stem[:i]]; ok {
				add(t, front)
			}
		}
		if letters > 0 && n-letters >= minPart {
			if t, ok := v.byStem[stem[i:]]; ok {
				add(t, rear)
			}
		}
		letters++
	}
	return out
}

// misspelt returns the terms whose forms differ from the word by one letter or,
// in long words, two. Their first letters agree. A changed letter makes another
// word of a short one too often, so that counts in long ones only.
func (v *vocabulary) misspelt(word string) []match {
	w := []rune(word)
	if len(w) < 5 {
		return nil
	}
	limit := 1
	if len(w) >= 8 {
		limit = 2
	}
	var out []match
	for _, f := range v.initial[word[0]] {
		other := v.forms[f].text
		if d := len(other) - len(word); d > 2*limit || -d > 2*limit {
			continue
		}
		o := []rune(other)
		if len(w) < 8 && len(w) == len(o) && !exchanged(w, o) {
			continue // Wetter is not weiter
		}
		if d := distance(w, o, limit); d <= limit {
			likeness := 1 - .1*float64(d)
			out = append(out, match{term: v.forms[f].term, similarity: likeness, cover: likeness})
		}
	}
	return out
}

// exchanged reports whether b is a with two neighbours exchanged.
func exchanged(a, b []rune) bool {
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && slices.Equal(a[i+2:], b[i+2:])
}

// distance is the number of letters that are inserted, dropped, changed or
// exchanged with their neighbour between a and b; limit+1 if it is more than
// limit.
func distance(a, b []rune, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	older := make([]int, len(b)+1)
	old := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range old {
		old[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		best := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(old[j]+1, row[j-1]+1, old[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
			best = min(best, row[j])
		}
		if best > limit {
			return limit + 1
		}
		older, old, row = old, row, older
	}
	return old[len(b)]
}

func reverse(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}
