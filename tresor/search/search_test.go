package search_test

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"outheis/tresor/search"
)

// house is a small collection that reads like a curated one.
func house() search.Collection {
	return search.Collection{
		Pages: []search.Page{
			{Title: "Hausordnung", Group: "wohnen", Labels: []string{"Ruhezeit", "Nachtruhe"}, Texts: []string{
				"Die Nachtruhe beginnt um 22:00 Uhr und endet um 6:00 Uhr.",
				"Das Rauchen im Treppenhaus ist untersagt.",
				"Gegrillt wird ausschließlich auf dem Hofplatz.",
			}},
			{Title: "Gästewohnung buchen", Group: "wohnen", Texts: []string{
				"Die Gästewohnung kostet 38 Euro je Nacht.",
				"Eine Buchung ist für höchstens sieben Nächte am Stück möglich.",
				"Absagen sind bis 48 Stunden vor der Anreise kostenfrei.",
			}},
			{Title: "Dauernutzungsvertrag", Group: "wohnen", Labels: []string{"Nutzungsgebühr", "Miete"}, Texts: []string{
				"Die Nutzungsgebühr beträgt 6,85 Euro je Quadratmeter.",
				"Das Mitglied kann mit einer Frist von drei Monaten zum Monatsende kündigen.",
				"Der Vertrag wurde am 2. Mai 2026 geändert.",
			}},
			{Title: "Arbeitsschutz", Group: "labor", Texts: []string{
				"Kittel und Schutzbrille gehören zur Schutzausrüstung.",
				"Das Laborjournal wird zehn Jahre aufbewahrt.",
				"Umgefüllt wird nur unter dem Abzug.",
			}},
			{Title: "Releases", Group: "operations", Texts: []string{
				"A new version is rolled out on Tuesdays.",
				"The database is backed up before every rollout.",
			}},
		},
		Concepts: []search.Concept{
			{Labels: []string{"Nutzungsgebühr", "Nutzungsentgelt", "Miete"}, Defined: true, Page: 2, Text: 0},
			{Labels: []string{"Schutzausrüstung", "PSA", "persönliche Schutzausrüstung"}},
		},
	}
}

func TestRankPutsTheAnswerFirst(t *testing.T) {
	c := house()
	x := search.New(c)
	tests := []struct{ name, question, want string }{
		{"same words", "Wann beginnt die Nachtruhe?", "Die Nachtruhe beginnt um 22:00"},
		{"ae for ä, lower case", "was kostet die gaestewohnung", "Die Gästewohnung kostet"},
		{"inflection", "Darf man in den Treppenhäusern rauchen?", "Das Rauchen im Treppenhaus"},
		{"participle", "Wo darf ich grillen?", "Gegrillt wird"},
		{"compound apart", "Welche Kündigungsfrist habe ich?", "Das Mitglied kann mit einer Frist"},
		{"synonym", "Wie hoch ist die Miete?", "Die Nutzungsgebühr beträgt"},
		{"synonym of two words", "Was gehört zur persönlichen Schutzausrüstung?", "Kittel und Schutzbrille"},
		{"abbreviation", "Welche PSA gibt es?", "Kittel und Schutzbrille"},
		{"typing error", "Wie lange wird das Laborjuornal aufbewahrt?", "Das Laborjournal wird zehn Jahre"},
		{"number word", "Für 7 Nächte buchen?", "Eine Buchung ist für höchstens sieben"},
		{"date in another notation", "Was geschah am 2.5.2026 mit dem Vertrag?", "Der Vertrag wurde am 2. Mai"},
		{"English", "When is a new version rolled out?", "A new version is rolled out"},
		{"negated question", "Darf im Treppenhaus nicht geraucht werden, Rauchen?", "Das Rauchen im Treppenhaus"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := x.Rank(tt.question, 3)
			if len(r.Hits) == 0 {
				t.Fatalf("Rank(%q) has no hit", tt.question)
			}
			h := r.Hits[0]
			if got := c.Pages[h.Page].Texts[h.Text]; !strings.HasPrefix(got, tt.want) {
				t.Errorf("Rank(%q) begins with %q, want %q", tt.question, got, tt.want)
			}
			if h.Fit < search.Threshold {
				t.Errorf("Rank(%q): fit %.2f is below the threshold", tt.question, h.Fit)
			}
			if r.Compared != x.Len() || x.Len() != 14 {
				t.Errorf("Rank(%q) compared %d of %d texts, want 14", tt.question, r.Compared, x.Len())
			}
		})
	}
}

func TestRankDoesNotFitWhatIsNotThere(t *testing.T) {
	x := search.New(house())
	for _, q := range []string{
		"Wie hoch ist der Eiffelturm?",
		"Wer ist Bundeskanzler?",
		"Wie wird das Wetter?",
		"Wo kann ich mein Auto parken?",
		"Wie groß ist die Gästewohnung?", // its price is known, its size is not
		"Was kostet ein Kinobesuch?",
		"Wie installiere ich Kubernetes?",
		"Was steht im Mietspiegel?",
		"What is the capital of France?",
		"Wann ist das Sommerfest?",
	} {
		r := x.Rank(q, 3)
		if len(r.Hits) > 0 && r.Hits[0].Fit >= search.Threshold {
			t.Errorf("Rank(%q): fit %.2f of %v, want less than the threshold", q, r.Hits[0].Fit, r.Hits[0])
		}
	}
}

// A question about something that is not there is not answered by what has its
// words in another sense, nor by the name of what everything is about.
func TestRankDoesNotFitOtherSenses(t *testing.T) {
	c := search.Collection{Pages: []search.Page{
		{Title: "Die Ablage", Group: "ablage", Texts: []string{
			"Eine beschädigte Zeile kostet nur diese Zeile: Die Ablage legt davon eine Kopie an.",
			"Die Ablage macht weiter, sobald wieder Platz ist.",
			"Auf jede Frage gibt die Ablage eine Antwort.",
			"Die Ablage zeigt `not_found`, wenn nichts da ist.",
		}},
		{Title: "Scanner verbinden", Group: "ablage", Labels: []string{"connect scanner"}, Texts: []string{
			"Den Scanner verbinden Sie in vier Schritten mit der Ablage.",
			"Ohne fremde Hilfe finden Sie die Nummer des Scanners auf der Rückseite.",
			"Jede Person darf unter `per_user` 20 Seiten am Tag einlesen.",
			"Der Scanner zieht ein Blatt nach dem anderen ein.",
		}},
	}}
	for i := range 20 {
		c.Pages = append(c.Pages, search.Page{Title: "Ablage", Group: "ablage", Texts: []string{
			fmt.Sprintf("Im Fach %d der Ablage liegen die Briefe an Abteilung %c.", i+1, 'A'+i),
			fmt.Sprintf("Die Ablage leert das Fach %d nach der Vorschrift %c.", i+1, 'A'+i),
		}})
	}
	c.Concepts = []search.Concept{{Labels: []string{"Scanner", "connect scanner"}}}
	x := search.New(c)
	for _, q := range []string{
		"Was kostet die Ablage?",           // a line costs itself
		"Was kostet ein Scanner?",          // four steps are no price
		"Wann wurde die Ablage gegründet?", // found
		"When was it founded?",
		"Wie viele Nutzer hat die Ablage?", // user
		"Wie heißt der Erfinder der Ablage?",
		"Wer macht die Ablage?",
		"Wann gibt es die Ablage?",
		"How do I connect my headphones?",
	} {
		if r := x.Rank(q, 1); len(r.Hits) > 0 && r.Hits[0].Fit >= search.Threshold {
			t.Errorf("Rank(%q): fit %.2f of %q, want less than the threshold", q, r.Hits[0].Fit, c.Pages[r.Hits[0].Page].Texts[r.Hits[0].Text])
		}
	}
	for q, want := range map[string]string{
		"Wie verbinde ich den Scanner?":       "Den Scanner verbinden",
		"How do I connect the scanner?":       "Den Scanner verbinden",
		"Was heißt not_found?":                "Die Ablage zeigt",
		"Wie viele Seiten darf ich einlesen?": "Jede Person darf",
	} {
		r := x.Rank(q, 1)
		if got := c.Pages[r.Hits[0].Page].Texts[r.Hits[0].Text]; !strings.HasPrefix(got, want) || r.Hits[0].Fit < search.Threshold {
			t.Errorf("Rank(%q): fit %.2f of %q, want %q", q, r.Hits[0].Fit, got, want)
		}
	}
}

func TestRankNamesTheWords(t *testing.T) {
	x := search.New(house())
	r := x.Rank("Welche Farbe hat die Schutzbirlle?", 1)
	if len(r.Words) != 2 {
		t.Fatalf("got words %v, want two", r.Words)
	}
	farbe, brille := r.Words[0], r.Words[1]
	if farbe.Text != "Farbe" || farbe.Read != "" {
		t.Errorf("got %+v, want Farbe as it stands", farbe)
	}
	if brille.Text != "Schutzbirlle" || brille.Read != "Schutzbrille" {
		t.Errorf("got %+v, want Schutzbirlle read as Schutzbrille", brille)
	}
	if got := r.Hits[0].Covered; got[0] != 0 || got[1] < .8 {
		t.Errorf("covered %v, want Farbe not and Schutzbrille nearly whole", got)
	}
	if need := farbe.Need + brille.Need; need < .999 || need > 1.001 {
		t.Errorf("needs add up to %v, want 1", need)
	}
}

func TestRankOfNothing(t *testing.T) {
	empty := search.New(search.Collection{})
	if r := empty.Rank("Wann?", 8); r.Compared != 0 || len(r.Hits) != 0 {
		t.Errorf("empty collection: got %+v", r)
	}
	x := search.New(house())
	for _, q := range []string{"", "   ", "?", "der die das", "\x00\xff\u202e"} {
		if r := x.Rank(q, 8); len(r.Hits) != 0 || r.Compared != 14 {
			t.Errorf("Rank(%q) = %+v, want no hit and all compared", q, r)
		}
	}
	if r := x.Rank("Nachtruhe", 0); len(r.Hits) != 0 {
		t.Errorf("limit 0: got %d hits", len(r.Hits))
	}
	lone := search.New(search.Collection{Pages: []search.Page{{Texts: []string{"", "…"}}, {Title: "Nur Titel"}}})
	if r := lone.Rank("Titel", 8); r.Compared != 2 {
		t.Errorf("texts without words: compared %d, want 2", r.Compared)
	}
}

func TestRankOfLettersThatAreNoWords(t *testing.T) {
	c := house()
	c.Pages[0].Texts = append(c.Pages[0].Texts, "Der Schalter -v e schaltet Raum C frei.")
	x := search.New(c)
	for _, question := range []string{"e", "v", "Gr\ufffd\ufffde", "Was ist e?"} {
		if words := x.Rank(question, 3).Words; len(words) != 0 {
			t.Errorf("Rank(%q).Words = %v, want none", question, words)
		}
	}
	if words := x.Rank("Was schaltet Raum C frei?", 3).Words; len(words) < 3 {
		t.Errorf("Words = %v, want C among them", words)
	}
}

func TestRankIsDeterministic(t *testing.T) {
	const q = "Was kostet eine Nacht in der Gästewohnung und wie lange geht das?"
	want := search.New(house()).Rank(q, 20)
	x := search.New(house())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := x.Rank(q, 20); !reflect.DeepEqual(got, want) {
				t.Errorf("got another ranking")
			}
		})
	}
	wg.Wait()
}

func TestRankProperties(t *testing.T) {
	words := strings.Fields("Nachtruhe beginnt Frist Kündigung Miete 22:00 7 Mai der die nicht wann wie hoch PSA version rolled Gebühr, C-0001 ä ß é 1.250")
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 12).Draw(t, "words"), " ")
	})
	rapid.Check(t, func(t *rapid.T) {
		var c search.Collection
		n := 0
		for p := range rapid.IntRange(0, 6).Draw(t, "pages") {
			pg := search.Page{Title: text.Draw(t, "title"), Group: fmt.Sprint(p % 3), Texts: rapid.SliceOfN(text, 0, 20).Draw(t, "texts")}
			n += len(pg.Texts)
			c.Pages = append(c.Pages, pg)
		}
		c.Concepts = []search.Concept{{Labels: []string{text.Draw(t, "a"), text.Draw(t, "b")}}}
		limit := rapid.IntRange(0, 10).Draw(t, "limit")
		r := search.New(c).Rank(rapid.OneOf(text, rapid.String()).Draw(t, "question"), limit)
		if r.Compared != n {
			t.Fatalf("compared %d of %d", r.Compared, n)
		}
		if len(r.Hits) > limit {
			t.Fatalf("%d hits, limit %d", len(r.Hits), limit)
		}
		for i, h := range r.Hits {
			if h.Fit < 0 || h.Fit > 1 || h.Coverage < 0 || h.Coverage > 1.0001 || len(h.Covered) != len(r.Words) {
				t.Fatalf("hit %+v out of bounds", h)
			}
			if h.Text >= len(c.Pages[h.Page].Texts) {
				t.Fatalf("hit %+v does not exist", h)
			}
			if i > 0 && h.Score > r.Hits[i-1].Score {
				t.Fatalf("hits are out of order")
			}
		}
	})
}

func FuzzRank(f *testing.F) {
	for _, q := range []string{"Wann beginnt die Nachtruhe?", "C-0001", "2026-05-02", "\x00\xff", "was für ein", "welche", "ä\u0308ß", "1.1.1.1,,:", "Nutzer:in*"} {
		f.Add(q, "Die Frist endet am 2. Mai 2026 um 18:00 Uhr.")
	}
	f.Fuzz(func(t *testing.T, question, claim string) {
		c := house()
		c.Pages[0].Texts = append(c.Pages[0].Texts, claim)
		c.Pages[0].Labels = append(c.Pages[0].Labels, claim)
		c.Concepts = append(c.Concepts, search.Concept{Labels: []string{claim, question}})
		r := search.New(c).Rank(question, 20)
		for _, h := range r.Hits {
			if !(h.Fit >= 0 && h.Fit <= 1) || !(h.Coverage >= 0 && h.Coverage <= 1.0001) {
				t.Fatalf("hit %+v out of bounds", h)
			}
		}
	})
}

// In the smallest collection the word that only completes the question is no
// reason to abstain.
func TestRankOfOneText(t *testing.T) {
	x := search.New(search.Collection{Pages: []search.Page{{Title: "Arbeitszeiten", Texts: []string{"Die Probezeit beträgt sechs Monate."}}}})
	for question, fits := range map[string]bool{
		"Wie lang ist die Probezeit?": true, "Wie lange ist die Probezeit?": true, "Probezeit": true,
		"Was kostet die Probezeit?": false, "Wie hoch ist der Urlaub?": false, "Wer genehmigt die Probezeit?": false,
	} {
		hits := x.Rank(question, 1).Hits
		if got := len(hits) > 0 && hits[0].Fit >= search.Threshold; got != fits {
			t.Errorf("%s: fits is %v in %+v", question, got, hits)
		}
	}
}
