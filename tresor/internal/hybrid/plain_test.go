package hybrid_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"outheis/tresor/internal/hybrid"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/words"
)

// plain scores every page and claim by the words of the specification, without
// an index and without expansion.
func plain(pages []hybrid.Page, concepts []hybrid.Concept, question string) string {
	query := words.Norm(question)
	tokens := set(tokensOf(question))
	claimIDs, sourceIDs := profil.Mentions('C', question, true), profil.Mentions('S', question, true)
	direct := map[string]bool{}
	for _, c := range concepts {
		for _, l := range c.Labels {
			if words.HasPhrase(query, words.Norm(l)) {
				direct[c.ID] = true
			}
		}
	}
	for _, id := range profil.Mentions('B', question, true) {
		if slices.ContainsFunc(concepts, func(c hybrid.Concept) bool { return c.ID == id }) {
			direct[id] = true
		}
	}
	scores := map[string]int{}
	onPage := func(p hybrid.Page) (n int) {
		for _, c := range p.Concepts {
			if direct[c] {
				n++
			}
		}
		return n
	}
	for _, p := range pages {
		score := 120 * onPage(p)
		var text []string
		sources := map[string]bool{}
		for _, c := range p.Claims {
			text = append(text, c.Text+" "+c.Fundstelle)
			sources[c.Source] = true
			if slices.Contains(claimIDs, c.ID) {
				score += 180
			}
		}
		for s := range sources {
			if slices.Contains(sourceIDs, s) {
				score += 100
			}
		}
		all := strings.Join(text, " ")
		if words.HasPhrase(words.Norm(p.Title), query) {
			score += 80
		}
		if words.HasPhrase(words.Norm(all), query) {
			score += 60
		}
		tags := map[string]bool{}
		for _, tag := range p.Tags {
			for t := range set(tokensOf(tag)) {
				tags[t] = true
			}
		}
		title, claims := set(tokensOf(p.Title)), set(tokensOf(all))
		for t := range tokens {
			score += 30*one(title[t]) + 24*one(tags[t]) + 12*one(claims[t])
		}
		if score != 0 {
			scores[p.Path] = score
		}
	}
	boosted := map[string]bool{}
	for _, p := range pages {
		for _, target := range p.Relations {
			exists := slices.ContainsFunc(pages, func(o hybrid.Page) bool { return o.Path == target })
			if exists && scores[p.Path] != 0 {
				boosted[target] = true
			}
			if exists && scores[target] != 0 {
				boosted[p.Path] = true
			}
		}
	}
	for p := range boosted {
		scores[p] += 10
	}
	type hit struct {
		id, page string
		score    int
	}
	var hits []hit
	for _, p := range pages {
		if scores[p.Path] == 0 {
			continue
		}
		for _, c := range p.Claims {
			hay := words.Norm(c.Text + " " + c.Fundstelle)
			score := 100*onPage(p) + 240*one(slices.Contains(claimIDs, c.ID)) + 140*one(slices.Contains(sourceIDs, c.Source)) +
				80*one(words.HasPhrase(hay, query))
			own := set(tokensOf(hay))
			for t := range tokens {
				score += 20 * one(own[t])
			}
			if score == 0 {
				score = 10
				if boosted[p.Path] {
					score = 5
				}
			}
			hits = append(hits, hit{c.ID, p.Path, score})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(b.score-a.score, cmp.Compare(a.id, b.id), cmp.Compare(a.page, b.page))
	})
	hits = hits[:min(20, len(hits))]
	var shown []hybrid.Page
	for _, p := range pages {
		if slices.ContainsFunc(hits, func(h hit) bool { return h.page == p.Path }) {
			shown = append(shown, p)
		}
	}
	slices.SortStableFunc(shown, func(a, b hybrid.Page) int { return scores[b.Path] - scores[a.Path] })
	var out []string
	for _, p := range shown {
		out = append(out, fmt.Sprint(p.Path, " ", scores[p.Path]))
	}
	for _, h := range hits {
		out = append(out, fmt.Sprint(h.id, " ", h.score))
	}
	return strings.Join(out, ", ")
}

func set(list []string) map[string]bool {
	m := map[string]bool{}
	for _, s := range list {
		m[s] = true
	}
	return m
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// tokensOf is tokens(v) of the specification (4-retrieval section 1).
func tokensOf(s string) []string { return words.Tokens(words.Words(words.Norm(s))) }
