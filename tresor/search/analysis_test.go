package search_test

import (
	"slices"
	"testing"

	"outheis/tresor/search"
)

func TestFoldSpellings(t *testing.T) {
	for _, same := range [][]string{
		{"Kündigungsfrist", "Kuendigungsfrist", "KÜNDIGUNGSFRIST", "kundigungsfrist"},
		{"Größe", "Groesse", "GRÖSSE", "GROẞE", "große"},
		{"Müller", "Mueller", "Mu\u0308ller"},
		{"Öl", "Oel"},
		{"Café", "cafe"},
		{"Łódź", "lodz"},
		{"säen", "saeen"},
	} {
		want := search.Fold(same[0])
		for _, w := range same[1:] {
			if got := search.Fold(w); got != want {
				t.Errorf("Fold(%q) = %q, want %q as of %q", w, got, want, same[0])
			}
		}
	}
	for _, w := range []string{"neue", "bauer", "quelle", "feuer", "treue"} {
		if got := search.Fold(w); got != w {
			t.Errorf("Fold(%q) = %q, want it unchanged", w, got)
		}
	}
}

func TestWordsOfNumbersAndDates(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"E-Mail-Adresse", []string{"e", "mail", "adresse"}},
		{"Version v2.7.1.", []string{"version", "v2.7.1"}},
		{"1.250 Euro", []string{"1250", "euro"}},
		{"1,250 dollars", []string{"1250", "dollars"}},
		{"6,85 Euro", []string{"6.85", "euro"}},
		{"ab 08:00 Uhr", []string{"ab", "8", "uhr"}},
		{"um 21:30", []string{"um", "21:30"}},
		{"007", []string{"7"}},
		{"am 2. Mai 2026", []string{"am", "05-02", "mai", "2026"}},
		{"am 2.5.2026", []string{"am", "05-02", "2026"}},
		{"Stand 2026-05-02", []string{"stand", "2026", "05-02"}},
		{"on May 2, 2026", []string{"on", "may", "05-02", "2026"}},
		{"im Mai 2026", []string{"im", "mai", "2026"}},
		{"2026-13-02", []string{"2026", "13", "2"}},
		{"Nutzer:innen und Lehrer*innen", []string{"nutzer", "und", "lehrer"}},
		{"Nutzer_innen", []string{"nutzer"}},
		{"der Status `not_found`, _kursiv_", []string{"der", "status", "not_found", "kursiv"}},
		{"C-0001", []string{"c", "1"}},
		{"\u0301 \u0301", nil},
		{"", nil},
	}
	for _, tt := range tests {
		if got := search.Words(tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("Words(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestRootsOfFamilies(t *testing.T) {
	for _, family := range [][]string{
		{"öffnen", "geöffnet", "Öffnung", "öffnet"},
		{"austreten", "Austritt", "ausgetreten", "auszutreten"},
		{"abholen", "Abholung", "abgeholt", "abzuholen"},
		{"beginnen", "beginnt", "begann", "begonnen"},
		{"verlieren", "Verlust", "verloren"},
		{"wechseln", "gewechselt", "wechselt"},
		{"grillen", "gegrillt"},
		{"arbeiten", "arbeitet", "Arbeit", "gearbeitet"},
		{"einwerfen", "eingeworfen", "Einwurf"},
	} {
		want := search.Root(search.Fold(family[0]))
		if want == "" {
			t.Errorf("Root(%q) is empty", family[0])
		}
		for _, w := range family[1:] {
			if got := search.Root(search.Fold(w)); got != want {
				t.Errorf("Root(%q) = %q, want %q as of %q", w, got, want, family[0])
			}
		}
	}
	// Roots that are too short to say anything are none.
	if got := search.Root("tat"); got != "" {
		t.Errorf("Root(tat) = %q, want none", got)
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b        string
		limit, want int
	}{
		{"telegram", "telegram", 2, 0},
		{"telegram", "telegrm", 2, 1},
		{"telegram", "telegarm", 2, 1}, // neighbours exchanged
		{"nachtruhe", "nachtrhue", 2, 1},
		{"signal", "sigmal", 1, 1},
		{"signal", "matrix", 1, 2},
		{"", "ab", 2, 2},
	}
	for _, tt := range tests {
		if got := search.Distance(tt.a, tt.b, tt.limit); got != tt.want {
			t.Errorf("Distance(%q, %q, %d) = %d, want %d", tt.a, tt.b, tt.limit, got, tt.want)
		}
	}
}

func TestKindsThatMeasure(t *testing.T) {
	for q, want := range map[string]bool{
		"Wann beginnt die Nachtruhe?":         true,
		"Wie hoch ist die Gebühr?":            true,
		"Was kostet ein Bootsplatz?":          true,
		"In welchem Jahr war das?":            true,
		"How much is it?":                     true,
		"Wie verbinde ich Telegram?":          false,
		"Wer entscheidet, wann begonnen wird": false, // the first question word decides
		"Was ist das?":                        false,
		"Telegram":                            false,
	} {
		if got := search.Measures(q); got != want {
			t.Errorf("Measures(%q) = %v, want %v", q, got, want)
		}
	}
}
