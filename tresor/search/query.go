package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A query is an analysed question.
type query struct {
	kind     kind
	words    []word
	mentions []mention
	tri      []gram
	quad     []gram
	named    []bool // by term of the collection: the question says it or a synonym
}

// A word is a content word of the question.
type word struct {
	token   token
	class   float64 // how much a word of its class matters
	base    float64 // the rarity that counts for it
	alone   float64 // its rarity, if compounds with it do not count
	weight  float64 // its share of the question in the score
	need    float64 // its share of the question in the coverage
	matches []match // what it may mean, best first
	read    int32   // the form that it is compared by, if it is not its own; else -1
	typo    bool    // read is its spelling without a mistake
}

// The classes of words.
const (
	classFiller = .3  // heißen, Name, Art: words that a question is built with
	classCommon = .5  // everyday words
	classAsked  = .6  // the noun of "welcher Ort": an answer names the place instead
	classNoun   = 1.0 // capitalised words and numbers
	classOther  = .9
)

// everyday is the share of texts that have fillers and common words at least:
// that a small collection happens not to have one does not make it rare. It
// counts as one text in the smallest.
const everyday = .02

// What counts for coverage otherwise than for the score.
const (
	needOther = .6  // verbs and adjectives: the paraphrase is in them
	needName  = 1.5 // factor for names and numbers that the collection does not have
	needAsked = .9  // the noun of "welche Marke", if the collection does not have it
	needPlain = 1.2 // factor for words that it does not have, in a language whose nouns do not show
)

// analyse takes a question apart.
func (x *Index) analyse(question string) *query {
	ts := tokens(question)
	lex := x.languages.speaks(ts)
	kind, measure := kindOf(ts)
	q := &query{kind: kind, named: make([]bool, len(x.terms))}
	asked := askedNoun(ts)
	at := map[string]int{}
	for i := 0; i < len(ts); i++ {
		t := ts[i]
		if l, ok := x.phraseAt(ts[i:]); ok {
			x.addPhrase(q, l, ts[i:i+len(l.terms)])
			i += len(l.terms) - 1
			continue
		}
		if x.isStop(t, lex) {
			continue
		}
		if isLetter(t) {
			continue
		}
		class := classOf(t, i == asked, i == measure, lex)
		if w, again := at[t.form]; again {
			q.words[w].class = max(q.words[w].class, class)
			continue
		}
		w := word{token: t, class: class, read: -1}
		x.lookUp(&w, lex)
		if len(w.matches) == 0 && !t.number && len(t.form) <= 2 {
			continue // a slip of the finger more likely than a word
		}
		at[t.form] = len(q.words)
		q.words = append(q.words, w)
	}
	x.mentionConcepts(q)
	x.weigh(q, lex)
	for i := range q.words {
		w := &q.words[i]
		for _, m := range w.matches {
			q.named[m.term] = true
		}
		form := w.token.form
		if w.read >= 0 {
			form = x.forms[w.read].text
		}
		q.tri = x.tri.weighted(q.tri, form, w.class)
		q.quad = x.quad.weighted(q.quad, form, w.class)
	}
	return q
}

// isStop reports whether the word is a function word of the question's language,
// or of another that the collection has no content word for: an English question
// may hold "Nicht im Bestand".
func (x *Index) isStop(t token, lex *lexicon) bool {
	if lex.is(t.form, stop) {
		return true
	}
	if _, known := x.postedForm(t.form); known {
		return false
	}
	for _, l := range x.languages.all() {
		if l.is(t.form, stop) {
			return true
		}
	}
	return false
}

// postedForm returns the term of a form, if a text has it.
func (x *Index) postedForm(form string) (term int32, ok bool) {
	f, ok := x.byForm[form]
	if !ok {
		return 0, false
	}
	return x.forms[f].term, x.terms[x.forms[f].term].df > 0
}

func classOf(t token, asked, measure bool, lex *lexicon) float64 {
	switch m := lex.marks[t.form]; {
	case measure || m&filler != 0:
		return classFiller
	case m&common != 0:
		return classCommon
	case asked:
		return classAsked
	case t.upper || t.number:
		return classNoun
	}
	return classOther
}

// askedNoun returns the index of the noun that follows welche(r/s) or "was
// für", or -1.
func askedNoun(ts []token) int {
	for i, t := range ts {
		at := -1
		switch t.form {
		case "welche", "welcher", "welches", "welchem", "welchen", "which":
			at = i + 1
		case "fur":
			if i > 0 && ts[i-1].form == "was" {
				at = i + 1
				if at < len(ts) {
					switch ts[at].form {
					case "ein", "eine", "einen", "einem", "einer":
						at++
					}
				}
			}
		}
		if at >= 0 && at < len(ts) {
			return at
		}
	}
	return -1
}

// identifies reports whether the token is a name that cannot be paraphrased: it
// has a digit, or a capital letter that is not its first.
func (t token) identifies() bool {
	return t.number || strings.IndexFunc(strings.TrimLeftFunc(t.raw, unicode.IsUpper), unicode.IsUpper) >= 0 ||
		len(t.raw) > 1 && strings.ToUpper(t.raw) == t.raw
}

// weigh sets the words' weights and the form that stands for them among the
// n-grams: a misspelt word's right one, a synonym's if no text has the word.
func (x *Index) weigh(q *query, lex *lexicon) {
	capitals := slices.ContainsFunc(q.words, func(w word) bool { return w.token.upper && !w.token.first })
	var weights, needs float64
	for i := range q.words {
		w := &q.words[i]
		var best *match
		synonyms := 0.0 // the rarity of the synonyms, for a word that no text has
		for k := range w.matches {
			m := &w.matches[k]
			if x.terms[m.term].df == 0 {
				continue
			}
			if m.synonym {
				synonyms = max(synonyms, x.idf(m.term))
			} else {
				w.base = max(w.base, x.idf(m.term))
			}
			if m.piece == whole && m.similarity >= sure && (best == nil || m.similarity > best.similarity) {
				best = m
			}
		}
		if w.base == 0 {
			w.base = synonyms
		}
		if w.base == 0 {
			w.base = x.rarity(0)
		}
		w.alone = w.base
		if m := w.matches; len(m) > 0 && m[0].similarity == 1 && x.terms[m[0].term].df > 0 {
			w.alone = x.idf(m[0].term)
		}
		if w.class <= classCommon {
			w.base = min(w.base, x.rarity(max(1, everyday*float64(x.vocabulary.texts))))
		}
		if best != nil && best.similarity < 1 {
			w.read = x.terms[best.term].form
		}
		w.weight = w.class * w.base
		w.need = w.weight
		switch {
		case w.class == classOther && capitals:
			w.need *= needOther / classOther
		case w.class == classAsked && len(w.matches) == 0:
			w.need *= needAsked / classAsked
		}
		switch {
		case len(w.matches) > 0:
		case w.token.identifies():
			w.need *= needName
		case lex == x.languages.en && w.class > classCommon:
			w.need *= needPlain
		}
		weights += w.weight
		needs += w.need
	}
	for i := range q.words {
		q.words[i].weight /= weights
		q.words[i].need /= needs
	}
}

// isLetter reports whether t is a single small letter: what is left of an
// abbreviation, of "e-mail" or of a word with a broken character. A capital one
// can be a name, as in "Raum C".
func isLetter(t token) bool {
	r, n := utf8.DecodeRuneInString(t.raw)
	return n == len(t.raw) && unicode.IsLower(r)
}
