package search

import "slices"

// A label is one expression for a concept, as terms.
type label struct {
	concept int32
	terms   []int32
	phrase  bool // has to stand in the question as it is; see [Index.content]
}

// concept is what is known of a concept besides its labels.
type concept struct {
	defined int32   // the text that says what it is, or -1
	names   []int32 // its labels of a single word
}

// A mention is a concept that the question names, with the words that do.
type mention struct {
	concept int32
	words   []int // of the query
}

// relate prepares the concepts, whose words the vocabulary has.
func (x *Index) relate(c Collection) {
	first := make([]int32, len(c.Pages)) // text of each page
	n := int32(0)
	for p, pg := range c.Pages {
		first[p] = n
		n += int32(len(pg.Texts))
	}
	x.labelsOf = map[int32][]label{}
	for k, cc := range c.Concepts {
		known := concept{defined: -1}
		if cc.Defined {
			known.defined = first[cc.Page] + int32(cc.Text)
		}
		for _, s := range cc.Labels {
			ts, phrase := x.content(tokens(s))
			if len(ts) == 0 {
				continue
			}
			l := label{concept: int32(k), phrase: phrase}
			for _, t := range ts {
				l.terms = append(l.terms, x.forms[x.byForm[t.form]].term)
			}
			if len(l.terms) == 1 {
				known.names = append(known.names, l.terms[0])
			}
			x.labelsOf[l.terms[0]] = append(x.labelsOf[l.terms[0]], l)
		}
		x.concepts = append(x.concepts, known)
	}
}

// content returns the words of an expression that a question must have to name
// it: its content words. An expression that has only words which say little, as
// "was kannst du" or "geht nicht", must stand there as it is.
func (x *Index) content(ts []token) (out []token, phrase bool) {
	lex := x.languages.speaks(ts)
	phrase = true
	for _, t := range ts {
		m := lex.marks[t.form]
		if m&stop == 0 {
			out = append(out, t)
		}
		phrase = phrase && m&(stop|filler|common) != 0
	}
	if phrase {
		return ts, true
	}
	return out, false
}

// phraseAt returns the longest phrase that ts begins with.
func (x *Index) phraseAt(ts []token) (found label, ok bool) {
	f, known := x.byForm[ts[0].form]
	if !known {
		return found, false
	}
	for _, l := range x.labelsOf[x.forms[f].term] {
		if l.phrase && len(l.terms) > len(found.terms) && x.begins(ts, l.terms) {
			found, ok = l, true
		}
	}
	return found, ok
}

func (x *Index) begins(ts []token, terms []int32) bool {
	if len(terms) > len(ts) {
		return false
	}
	for i, t := range terms {
		if f, ok := x.byForm[ts[i].form]; !ok || x.forms[f].term != t {
			return false
		}
	}
	return true
}

// addPhrase adds a phrase of the question as one word.
func (x *Index) addPhrase(q *query, l label, ts []token) {
	w := word{class: classNoun, token: ts[0], read: -1}
	lex := x.languages.speaks(ts)
	for i, t := range ts {
		if i > 0 {
			w.token.raw += " " + t.raw
		}
		if f, ok := x.byForm[t.form]; ok && !lex.is(t.form, stop) {
			w.mean(match{term: x.forms[f].term, similarity: similarRoot, cover: coverRoot})
		}
	}
	for _, t := range x.concepts[l.concept].names {
		w.mean(synonym(t))
	}
	q.mentions = append(q.mentions, mention{l.concept, []int{len(q.words)}})
	q.words = append(q.words, w)
}

// mentionConcepts finds the concepts that the question's words name, and lets
// these words mean the concept's other names as well.
func (x *Index) mentionConcepts(q *query) {
	said := map[int32]int{} // term to the word that is it
	for i, w := range q.words {
		for _, m := range w.matches {
			if m.similarity == 1 {
				said[m.term] = i
			}
		}
	}
	// The words are changed only after all mentions are found, so that a
	// synonym of a synonym is none.
	var found []mention
	for _, w := range q.words {
		for _, m := range w.matches {
			if m.similarity < 1 {
				continue
			}
			for _, l := range x.labelsOf[m.term] {
				if words, ok := wordsOf(l, said); ok {
					found = append(found, mention{l.concept, words})
				}
			}
		}
	}
	for _, m := range found {
		for _, t := range x.concepts[m.concept].names {
			for _, w := range m.words {
				q.words[w].mean(synonym(t))
			}
		}
	}
	q.mentions = append(q.mentions, found...)
}

func synonym(term int32) match {
	return match{term: term, similarity: similarSynonym, cover: 1, synonym: true}
}

// wordsOf returns the words of the question that say the label, if they say all
// of it.
func wordsOf(l label, said map[int32]int) (words []int, ok bool) {
	if l.phrase {
		return nil, false
	}
	for _, t := range l.terms {
		w, ok := said[t]
		if !ok {
			return nil, false
		}
		if !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words, true
}

// otherName is the factor for a definition that has the concept by another name
// than the question, where other texts have it by the question's.
const otherName = .3

// onlyElsewhere reports whether texts have the word itself, but not this one.
func (x *Index) onlyElsewhere(w *word, text int32) bool {
	elsewhere := false
	for _, m := range w.matches {
		if m.similarity < sure || m.synonym {
			continue
		}
		for _, p := range x.postings.at(m.term) {
			if p.text == text {
				return false
			}
			elsewhere = true
		}
	}
	return elsewhere
}

// definitions returns, by text, how much of the question names the concept that
// the text defines.
func (x *Index) definitions(q *query) map[int32]float64 {
	out := map[int32]float64{}
	for _, m := range q.mentions {
		d := x.concepts[m.concept].defined
		if d < 0 {
			continue
		}
		share := 0.0
		for _, w := range m.words {
			s := q.words[w].weight
			if x.onlyElsewhere(&q.words[w], d) {
				s *= otherName
			}
			share += s
		}
		out[d] = max(out[d], share)
	}
	return out
}
