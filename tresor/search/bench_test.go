package search_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"outheis/tresor/search"
)

// generated returns a collection of n texts on pages of six with words of a
// long-tailed vocabulary, and questions on it.
func generated(n int) (search.Collection, []string) {
	r := rand.New(rand.NewPCG(1, 2))
	syllables := strings.Fields("ba be bo da de du fa fe ga ge ha he ka ke la le li lo ma me mi mo na ne no pa pe ra re ri ro sa se si so ta te ti to wa we wo za ze ung schaft keit licht stein berg haus werk")
	words := make([]string, 4*n)
	for i := range words {
		var b strings.Builder
		for range 2 + r.IntN(4) {
			b.WriteString(syllables[r.IntN(len(syllables))])
		}
		w := b.String()
		if r.IntN(3) == 0 {
			w = strings.ToUpper(w[:1]) + w[1:]
		}
		words[i] = w
	}
	zipf := rand.NewZipf(r, 1.1, 8, uint64(len(words)-1))
	sentence := func(n int) string {
		s := make([]string, n)
		for i := range s {
			s[i] = words[zipf.Uint64()]
			if r.IntN(4) == 0 {
				s[i] = []string{"der", "die", "ist", "und", "nicht", "mit", "von"}[r.IntN(7)]
			}
		}
		return strings.Join(s, " ") + "."
	}
	var c search.Collection
	for i := 0; i < n; i += 6 {
		p := search.Page{Title: sentence(3), Group: words[i/600], Labels: []string{sentence(1)}}
		for range min(6, n-i) {
			p.Texts = append(p.Texts, sentence(10+r.IntN(12)))
		}
		c.Pages = append(c.Pages, p)
	}
	questions := make([]string, 64)
	for i := range questions {
		questions[i] = "Wie ist " + sentence(6+r.IntN(5)) + "?"
	}
	return c, questions
}

func BenchmarkNew(b *testing.B) {
	c, _ := generated(5000)
	b.ReportAllocs()
	for b.Loop() {
		search.New(c)
	}
}

func BenchmarkRank(b *testing.B) {
	c, qs := generated(5000)
	x := search.New(c)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		x.Rank(qs[i%len(qs)], 16)
		i++
	}
}
