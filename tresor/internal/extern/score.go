package extern

import (
	"slices"

	"outheis/tresor/internal/words"
)

// A Question is a question prepared for extern-zweistufig/v1 (5-extern section
// 6). It is immutable.
type Question struct {
	Norm   string
	Tokens []string // in order; a repeated word is there, and counts, again (D-52)
	bit    map[string]int
}

// NewQuestion prepares a question.
func NewQuestion(s string) *Question {
	q := &Question{Norm: words.Norm(s), bit: make(map[string]int)}
	q.Tokens = words.Tokens(words.Words(q.Norm))
	for _, t := range q.Tokens {
		if _, ok := q.bit[t]; !ok {
			q.bit[t] = len(q.bit)
		}
	}
	return q
}

// Distinct returns the distinct tokens, sorted.
func (q *Question) Distinct() []string {
	return slices.Compact(slices.Sorted(slices.Values(q.Tokens)))
}

// Score is the first stage: how well a catalogue's entry fits the question.
func (q *Question) Score(d Document) int {
	score := 0
	title := words.Norm(d.Title)
	if words.HasPhrase(title, q.Norm) {
		score += 80
	}
	for _, part := range []struct {
		points int
		texts  []string
	}{{30, []string{title}}, {24, d.Tags}, {12, []string{d.Summary}}, {12, d.TopTokens}} {
		in := make(map[string]bool)
		for _, s := range part.texts {
			for _, t := range words.Tokens(words.Words(words.Norm(s))) {
				in[t] = true
			}
		}
		for _, t := range q.Tokens {
			if in[t] {
				score += part.points
			}
		}
	}
	return score
}

// A Match is how well the text of a document fits the question.
type Match struct {
	Score    int
	Coverage int // percent of the question's tokens that occur
	Best     Sentence
}

// Match is the second stage, over all sentences of the text as it is now. Found
// is false for a document in which no token of the question occurs: it is no hit,
// whatever its catalogue says.
func (q *Question) Match(text string) (m Match, found bool) {
	union, seen := make([]bool, len(q.bit)), make([]bool, len(q.bit))
	most, full, phrase := -1, 0, false
	for _, s := range Sentences(text) {
		normal := words.Norm(s.Text)
		hits := 0
		clear(seen)
		for _, t := range words.Tokens(words.Words(normal)) {
			if i, ok := q.bit[t]; ok && !seen[i] {
				seen[i], union[i] = true, true
				hits++
			}
		}
		if hits > most {
			most, m.Best = hits, s
		}
		if hits == len(q.bit) && hits > 0 {
			full++
		}
		phrase = phrase || words.HasPhrase(normal, q.Norm)
	}
	distinct := 0
	for _, hit := range union {
		if hit {
			distinct++
		}
	}
	if len(q.Tokens) > 0 {
		m.Coverage = 100 * distinct / len(q.Tokens)
	}
	m.Score = 4*m.Coverage + 40*full + 20*distinct
	if phrase {
		m.Score += 80
	}
	return m, m.Coverage >= minCoverage && most >= 0
}

// minCoverage is the least coverage of a hit in percent; a question of more than
// a hundred words can have less with one word found (deviation D-52).
const minCoverage = 1

// Tokens returns the tokens of a document's sentences, with repetitions.
func Tokens(sentences []Sentence) []string {
	var tokens []string
	for _, s := range sentences {
		tokens = append(tokens, words.Tokens(words.Words(words.Norm(s.Text)))...)
	}
	return tokens
}
