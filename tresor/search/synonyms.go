package search

// A synonym is one expression of a group, as the terms of its content words.
type synonym struct {
	group int32
	terms []int32
}

// relate prepares the groups of synonyms, whose words the vocabulary has.
func (x *Index) relate(groups [][]string) {
	x.synonymsOf = map[int32][]synonym{}
	var all []synonym
	sizes := make([]int32, len(groups))
	for g, expressions := range groups {
		for _, e := range expressions {
			ts := tokens(e)
			lex := x.languages.speaks(ts)
			s := synonym{group: int32(g)}
			for _, t := range ts {
				if !lex.is(t.form, stop) {
					s.terms = append(s.terms, x.forms[x.byForm[t.form]].term)
				}
			}
			if len(s.terms) == 0 {
				continue
			}
			all = append(all, s)
			sizes[g]++
			x.synonymsOf[s.terms[0]] = append(x.synonymsOf[s.terms[0]], s)
		}
	}
	x.synonyms = newLists[synonym](sizes)
	for _, s := range all {
		x.synonyms.add(s.group, s)
	}
}

// applySynonyms lets the words that make up an expression mean the other
// expressions of its group as well: of each its last word, which in German
// carries the meaning.
func (x *Index) applySynonyms(words []word) {
	said := map[int32]int{} // term to the word that is it
	for i, w := range words {
		for _, m := range w.matches {
			if m.similarity == 1 {
				said[m.term] = i
			}
		}
	}
	// The matches are extended only after the words were looked up, so that a
	// synonym of a synonym is none.
	type addition struct{ word, term int32 }
	var found []addition
	for _, w := range words {
		for _, m := range w.matches {
			if m.similarity < 1 {
				continue
			}
			for _, s := range x.synonymsOf[m.term] {
				if !saysAll(said, s.terms) {
					continue
				}
				for _, other := range x.synonyms.at(s.group) {
					for _, t := range s.terms {
						found = append(found, addition{int32(said[t]), other.terms[len(other.terms)-1]})
					}
				}
			}
		}
	}
	for _, a := range found {
		words[a.word].mean(match{a.term, similarSynonym, 1, whole})
	}
}

func saysAll(said map[int32]int, terms []int32) bool {
	for _, t := range terms {
		if _, ok := said[t]; !ok {
			return false
		}
	}
	return true
}
