package search

import "slices"

// Threshold is the decision value from which on a text covers a question. It
// stands for a score of 1.2 and a coverage of 0.45, both at least, by words that
// do not stand everywhere; see [fitScore], [fitCoverage] and [leastSaid]. On the 636 questions of XQuAD-de, of which 282
// are on subjects that the collection does not have, it covers 91 % of the
// others and less than 2 % of these; on questions that miss the claims of a
// curated collection by a word, about 5 %. At .55 these near misses halve, and
// 6 % fewer of XQuAD-de and 2 % fewer of the curated collection are covered.
const Threshold = .5

const (
	fitScore    = 2.4 // the score that is a full fit
	fitCoverage = .9  // the coverage that is a full fit
)

// What covers a word that the text itself does not have.
const (
	coverAbout   = .9  // title or labels have it
	coverNear    = .75 // the text before or after has it
	coverPassage = .5  // another text of the passage has it
	loneFront    = .7  // factor for Kündigung alone where Kündigungsfrist is asked for
	bothPieces   = .95 // Kündigung and Frist apart
	mostLetters  = .65 // the share of the word that the two must have
	leastContent = .2  // below it, a question says too little to be answered
	withoutSlot  = .44 // factor where an amount or date is asked for and none is there
	leastSaid    = .25 // what has to be covered, measured by a word that one text has
)

// cover computes how much of the question the hits cover, and their fit.
func (x *Index) cover(q *query, items []candidate, hits []Hit) {
	for h := range hits {
		hits[h].Covered = make([]float64, len(q.words))
	}
	var by [pieces][]float64
	for p := range by {
		by[p] = make([]float64, len(x.texts))
	}
	said := make([]float64, len(hits)) // how much is covered, by its own rarity
	for k := range q.words {
		w := &q.words[k]
		for p := range by {
			clear(by[p])
		}
		for _, v := range w.matches {
			for _, p := range x.postings.at(v.term) {
				by[v.piece][p.text] = max(by[v.piece][p.text], v.cover)
			}
		}
		for h, c := range items {
			covered, own := x.covered(w, c.text, &by)
			hits[h].Covered[k] = covered
			hits[h].Coverage += w.need * covered
			hits[h].Own += w.need * own
			if w.class > classCommon {
				said[h] += w.class * w.alone * covered
			}
		}
	}
	content := 0.0 // the share of the question in words that say something
	for _, w := range q.words {
		if w.class > classCommon {
			content += w.need
		}
	}
	defined := x.definitions(q)
	least := leastSaid * x.rarity(1)
	for h, c := range items {
		hit := &hits[h]
		if q.kind.measures() {
			evidence := x.slot(q, &x.texts[c.text]).evidence
			hit.Coverage *= withoutSlot + (1-withoutSlot)*evidence
		}
		if content < leastContent {
			continue // "Wie geht es dir?" says nothing to look for
		}
		hit.Fit = max(0, min(1, hit.Score/fitScore, hit.Coverage/fitCoverage))
		if defined[c.text] == 0 {
			// A name that stands everywhere covers nothing by itself, unless it is
			// asked what it means: "Wer macht outheis?" is no question about all
			// that outheis does.
			hit.Fit = min(hit.Fit, Threshold*said[h]/least)
		}
	}
}

// covered says how much of a word a text and its surroundings cover, and how
// much the text alone; by holds what each text has of it.
func (x *Index) covered(w *word, i int32, by *[pieces][]float64) (covered, own float64) {
	t := &x.texts[i]
	var c, alone [pieces]float64
	for p := range by {
		alone[p] = by[p][i]
		c[p] = alone[p]
		for j := t.first; j <= t.last; j++ {
			share := 0.0
			switch {
			case j == i-1 || j == i+1:
				share = coverNear
			case x.texts[j].passage == t.passage:
				share = coverPassage
			}
			c[p] = max(c[p], share*by[p][j])
		}
	}
	for _, v := range w.matches {
		if _, ok := slices.BinarySearch(x.pages[t.page].about, v.term); ok {
			c[v.piece] = max(c[v.piece], coverAbout*v.cover)
		}
	}
	return together(c), together(alone)
}

// together says how much of a word is covered by it as a whole, its front and
// its rear.
func together(c [pieces]float64) float64 {
	if c[front]+c[rear] > mostLetters && c[front] > 0 && c[rear] > 0 {
		return max(c[whole], bothPieces)
	}
	return max(c[whole], loneFront*c[front], c[rear])
}
