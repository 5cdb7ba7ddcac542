package extern_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"outheis/tresor/internal/extern"
	"outheis/tresor/internal/words"
)

// The test vectors of the format, measured.
func TestMatch(t *testing.T) {
	const text = "Alpha beta. Alpha. Gamma beta alpha."
	for _, tt := range []struct {
		question               string
		score, coverage, index int
		found                  bool
	}{
		{"alpha beta", 600, 100, 1, true},
		{"alpha alpha beta", 384, 66, 1, true}, // D-52
		{"gamma beta alpha delta", 360, 75, 3, true},
		{"delta", 0, 0, 1, false},
		{"der die das", 0, 0, 1, false},
		{"alpha" + strings.Repeat(" delta", 100), 20, 0, 1, false}, // D-52: one of 101 words rounds to 0 %
		{"alpha" + strings.Repeat(" delta", 99), 24, 1, 1, true},
		{"ALPHA—Beta", 600, 100, 1, true},
	} {
		m, found := extern.NewQuestion(tt.question).Match(text)
		if m.Score != tt.score || m.Coverage != tt.coverage || m.Best.Index != tt.index || found != tt.found {
			t.Errorf("%.40s: %+v, %v; want %+v", tt.question, m, found, tt)
		}
	}
	if _, found := extern.NewQuestion("alpha").Match(""); found {
		t.Error("an empty document is found")
	}
}

func TestScore(t *testing.T) {
	d := extern.Document{Title: "Alpha Lager", Tags: []string{"beta gamma", "der"}, Summary: "Alpha und Delta", TopTokens: []string{"delta-Epsilon"}}
	for question, want := range map[string]int{
		"alpha": 80 + 30 + 12, "lager alpha": 30 + 12 + 30, "alpha lager": 80 + 30 + 12 + 30, "beta": 24, "gamma": 24, "delta": 24, "epsilon": 12,
		"beta beta": 48, "der": 0, "zeta": 0, "und": 0,
	} {
		if got := extern.NewQuestion(question).Score(d); got != want {
			t.Errorf("%s: %d, want %d", question, got, want)
		}
	}
}

// plainMatch is the format's definition over sets.
func plainMatch(question, text string) (m extern.Match, found bool) {
	set := func(list []string) map[string]bool {
		m := map[string]bool{}
		for _, s := range list {
			m[s] = true
		}
		return m
	}
	tokens := func(s string) []string { return words.Tokens(strings.Fields(words.Norm(s))) }
	asked := set(tokens(question))
	union := map[string]bool{}
	full, phrase, most := 0, 0, -1
	sentences := extern.Sentences(text)
	for _, s := range sentences {
		hit := map[string]bool{}
		for t := range set(tokens(s.Text)) {
			if asked[t] {
				hit[t], union[t] = true, true
			}
		}
		if len(asked) > 0 && len(hit) == len(asked) {
			full++
		}
		if q := words.Norm(question); q != "" && strings.Contains(" "+words.Norm(s.Text)+" ", " "+q+" ") {
			phrase = 80
		}
		if len(hit) > most {
			most, m.Best = len(hit), s
		}
	}
	if n := len(tokens(question)); n > 0 {
		m.Coverage = 100 * len(union) / n
	}
	m.Score = 4*m.Coverage + 40*full + 20*len(union) + phrase
	return m, m.Coverage >= 1 && len(sentences) > 0
}

func TestMatchAgreesWithTheDefinition(t *testing.T) {
	word := rapid.SampledFrom([]string{"alpha", "Beta", "gamma", "der", "5", "x", "Straße", "STRASSE", "Über", "ueber", "a-b", ".", ". ", "\n\n", "- "})
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(word, 0, 30).Draw(t, "words"), " ")
	})
	rapid.Check(t, func(t *rapid.T) {
		question, doc := text.Draw(t, "question"), text.Draw(t, "text")
		got, ok := extern.NewQuestion(question).Match(doc)
		want, wantOK := plainMatch(question, doc)
		if got != want || ok != wantOK {
			t.Fatalf("%q in %q: %+v, %v; want %+v, %v", question, doc, got, ok, want, wantOK)
		}
	})
}

func TestDistinct(t *testing.T) {
	if got, want := extern.NewQuestion("Beta alpha der BETA").Distinct(), []string{"alpha", "beta"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func BenchmarkMatch(b *testing.B) {
	text := strings.Repeat("Die Halle hat z. B. drei Tore. Über den Hof geht man zur Schutzausrüstung!\n\n- Und dann? Weiter.\n\n", 10_000)
	q := extern.NewQuestion("Wo liegt die Schutzausrüstung der Halle?")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		q.Match(text)
	}
}
