// Package search finds, in a collection of short texts, the ones that fit a
// question, and says how well: it is the full review of a Bestand, made cheap
// by an index.
//
// [New] analyses a [Collection] of pages once; [Index.Rank] compares every text
// of it with a question, in German or English, and returns the best with a
// decision value. The method is that of a local ranker without embeddings:
// stems, compound parts and curated synonyms weighted by rarity, credit for
// question words that stand in the neighbouring texts, the title or the rest of
// the page, cosines over character n-grams, and the kind of answer that the
// question asks for.
//
// The package is pure: no files, no clock, no state; equal input gives equal
// output. It proves nothing: that a text fits does not say that a sentence made
// from it is supported. It knows nothing of claims, sources or notes.
package search

// A Collection is what an index is made of.
type Collection struct {
	Pages    []Page
	Concepts []Concept
}

// Words returns the words and numbers of a text in the spelling in which they
// are compared.
func Words(text string) []string {
	var out []string
	for _, t := range tokens(text) {
		out = append(out, t.form)
	}
	return out
}

// A Page is a run of texts about one thing.
type Page struct {
	Title  string
	Group  string   // the larger whole that the page belongs to, as its domain
	Labels []string // further expressions for what the page is about
	Texts  []string // the claims or lines, in reading order
}

// A Concept is something that several expressions name: a question that uses
// one of them finds the others.
type Concept struct {
	Labels []string
	// Defined reports whether the text with the number Text of the page with
	// the number Page says what the concept is.
	Defined    bool
	Page, Text int
}
