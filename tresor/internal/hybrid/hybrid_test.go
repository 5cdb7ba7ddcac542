package hybrid_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"outheis/tresor/internal/hybrid"
)

func example() ([]hybrid.Page, []hybrid.Concept) {
	return []hybrid.Page{
		{Path: "a", Title: "Alpha Lager", Tags: []string{"beta"}, Concepts: []string{"B-0001"}, Relations: []string{"b"}, Claims: []hybrid.Claim{
			{ID: "C-0001", Source: "S-0001", Text: "Alpha und Beta.", Fundstelle: "S. 1"},
			{ID: "C-0002", Source: "S-0001", Text: "Gamma.", Fundstelle: "S. 2"}}},
		{Path: "b", Title: "Delta", Claims: []hybrid.Claim{{ID: "C-0003", Source: "X-0001", Text: "Delta.", Fundstelle: "A-0001"}}},
		{Path: "c", Title: "Beta Dinge", Claims: []hybrid.Claim{{ID: "C-0004", Source: "S-0001", Text: "Epsilon.", Fundstelle: "S. 9"}}},
	}, []hybrid.Concept{{ID: "B-0001", World: "BW-0001", Labels: []string{"Alpha"}}}
}

func show(pages []hybrid.Page, r hybrid.Ranking) string {
	var ids []string
	for _, p := range pages {
		for _, c := range p.Claims {
			ids = append(ids, c.ID)
		}
	}
	var out []string
	for _, h := range r.Pages {
		out = append(out, fmt.Sprint(pages[h.Index].Path, " ", h.Score))
	}
	for _, h := range r.Claims {
		out = append(out, fmt.Sprint(ids[h.Index], " ", h.Score))
	}
	return strings.Join(out, ", ")
}

func TestVectorOfTheSpecification(t *testing.T) {
	pages, concepts := example()
	x := hybrid.New(pages, concepts, []string{"BW-0001"})
	r := x.Rank("Alpha Beta?", "", 8)
	if got, want := show(pages, r), "a 198, c 30, b 10, C-0001 140, C-0002 100, C-0004 10, C-0003 5"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want := [][]string{{"concept-page", "token:alpha", "token:beta"}, {"concept-page"}, {"page-metadata"}, {"graph:one-hop"}}
	for i, h := range r.Claims {
		if !slices.Equal(h.Reasons, want[i]) {
			t.Errorf("claim %d: reasons %q, want %q", i, h.Reasons, want[i])
		}
	}
	if got, want := r.Pages[0].Reasons, []string{"concept:B-0001:direct", "token:alpha:claim", "token:alpha:title", "token:beta:claim", "token:beta:tag"}; !slices.Equal(got, want) {
		t.Errorf("reasons of a: %q, want %q", got, want)
	}
	if got, want := x.Fingerprint(r, strings.Repeat("0", 64), ""), "5108190b7fd5e5b14eac593b8e8ffb0a0658501f45e76576fa680e12b174820b"; got != want {
		t.Errorf("fingerprint %s, want %s", got, want)
	}
}

func TestConceptsWidenByOneHop(t *testing.T) {
	pages := []hybrid.Page{{Path: "a", Title: "x", Claims: []hybrid.Claim{{ID: "C-0001", Source: "S-0001", Text: "x", Fundstelle: "x"}}}}
	x := hybrid.New(pages, []hybrid.Concept{
		{ID: "B-0001", World: "BW-0001", Labels: []string{"Auto", "PKW"}, Broader: []string{"B-0003"}, Related: []string{"B-0004"}},
		{ID: "B-0002", World: "BW-0001", Labels: []string{"Rad"}, Broader: []string{"B-0003"}, Related: []string{"B-0003"}},
		{ID: "B-0003", World: "BW-0001", Labels: []string{"Fahrzeug"}},
		{ID: "B-0004", World: "BW-0001", Labels: []string{"Straße"}, Related: []string{"B-0001"}},
		{ID: "B-0005", World: "BW-0001", Labels: []string{"Sport Auto"}, Broader: []string{"B-0001"}},
		{ID: "B-0006", World: "BW-0002", Labels: []string{"Auto"}},
	}, []string{"BW-0001", "BW-0002"})

	r := x.Rank("Mein Auto, ein PKW, und mein Rad", "BW-0001", 8)
	if got, want := fmt.Sprint(r.Matched), "[{B-0001 [Auto PKW] 0} {B-0002 [Rad] 1}]"; got != want {
		t.Errorf("matched %s, want %s", got, want)
	}
	// B-0003 is reached from both at the same weight: the higher ID wins.
	if got, want := fmt.Sprint(r.Expanded), "[{B-0003 B-0002 broader 55 2} {B-0004 B-0001 related 35 3} {B-0005 B-0001 narrower 55 4}]"; got != want {
		t.Errorf("expanded %s, want %s", got, want)
	}
	if r := x.Rank("auto", "", 8); len(r.Ambiguous) != 1 || r.Ambiguous[0].Phrase != "auto" || !slices.Equal(r.Ambiguous[0].Concepts, []string{"B-0001", "B-0006"}) {
		t.Errorf("ambiguous %v", r.Ambiguous)
	}
	if r := x.Rank("b-0004 und B-0009", "", 8); fmt.Sprint(r.Matched) != "[{B-0004 [B-0004] 3}]" {
		t.Errorf("by ID: %v", r.Matched)
	}
	if r := x.Rank("Automat", "BW-0001", 8); r.Matched != nil {
		t.Errorf("inside of a word: %v", r.Matched)
	}
}

func TestLimitCutsAfterSorting(t *testing.T) {
	pages, concepts := example()
	x := hybrid.New(pages, concepts, nil)
	all := x.Rank("Alpha Beta?", "", 20)
	for limit := 1; limit <= 4; limit++ {
		r := x.Rank("Alpha Beta?", "", limit)
		if !reflect.DeepEqual(r.Claims, all.Claims[:limit]) {
			t.Errorf("limit %d: %v", limit, r.Claims)
		}
	}
	if r := x.Rank("Alpha Beta?", "", 2); len(r.Pages) != 1 {
		t.Errorf("pages without evidence are shown: %v", r.Pages)
	}
}

// The posting lists give the same scores as looking at every page.
func TestRankAgreesWithPlainScoring(t *testing.T) {
	word := rapid.SampledFrom([]string{"Alpha", "beta", "der", "Größe", "x", "7", "C-0001", "S-0001", "B-0001", "gamma-delta", "und"})
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(word, 1, 5).Draw(t, "words"), " ")
	})
	rapid.Check(t, func(t *rapid.T) {
		var pages []hybrid.Page
		n := rapid.IntRange(1, 5).Draw(t, "pages")
		id := 0
		for i := range n {
			p := hybrid.Page{Path: string(rune('a' + i)), Title: text.Draw(t, "title"), Tags: rapid.SliceOfN(text, 0, 2).Draw(t, "tags")}
			if rapid.Bool().Draw(t, "concept") {
				p.Concepts = []string{"B-0001"}
			}
			for range rapid.IntRange(0, 2).Draw(t, "relations") {
				p.Relations = append(p.Relations, string(rune('a'+rapid.IntRange(0, n).Draw(t, "target"))))
			}
			for range rapid.IntRange(0, 3).Draw(t, "claims") {
				id++
				p.Claims = append(p.Claims, hybrid.Claim{ID: fmt.Sprintf("C-%04d", id), Source: rapid.SampledFrom([]string{"S-0001", "S-0002"}).Draw(t, "source"),
					Text: text.Draw(t, "text"), Fundstelle: text.Draw(t, "fundstelle")})
			}
			pages = append(pages, p)
		}
		concepts := []hybrid.Concept{{ID: "B-0001", Labels: []string{"Alpha", "beta beta"}}}
		question := text.Draw(t, "question")
		x := hybrid.New(pages, concepts, nil)
		got := show(pages, x.Rank(question, "", 20))
		if want := plain(pages, concepts, question); got != want {
			t.Fatalf("%q over %+v:\n got %s\nwant %s", question, pages, got, want)
		}
		if again := show(pages, x.Rank(question, "", 20)); again != got {
			t.Fatalf("second answer %s, first %s", again, got)
		}
	})
}

func TestRankFromManyGoroutines(t *testing.T) {
	pages, concepts := example()
	x := hybrid.New(pages, concepts, nil)
	questions := []string{"Alpha Beta?", "delta", "c-0004", "nichts davon"}
	var want []hybrid.Ranking
	for _, q := range questions {
		want = append(want, x.Rank(q, "", 8))
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 200 {
				k := (i + j) % len(questions)
				if got := x.Rank(questions[k], "", 8); !reflect.DeepEqual(got, want[k]) {
					t.Errorf("%s: got %v", questions[k], got)
					return
				}
			}
		})
	}
	wg.Wait()
}
