package relay_test

import (
	"strconv"
	"strings"
	"testing"

	"outheis/agents"
	"outheis/formatting"
	"outheis/relay"
)

func cite(t testing.TB, statements []agents.Statement, belege []agents.Beleg) agents.Answer {
	t.Helper()
	a, err := agents.Cite(statements, belege)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// laser is the example of spec/tresor/8-answering.md §1.3.
func laser(t testing.TB) agents.Answer {
	return cite(t,
		[]agents.Statement{
			{Text: "In Halle 3 ist eine Schutzbrille zu tragen.", Citations: []string{"C-0001"}},
			{Text: "Das gilt auch für Besucher.", Citations: []string{"C-0004", "C-0001"}, Auslegung: true},
			{Text: "Der Laser ist ohne Einweisung gesperrt, siehe `laser.md`.", Citations: []string{"C-0003"}},
		},
		[]agents.Beleg{
			{Kind: "claim", ID: "C-0001", Source: "S-0001", SourceTitle: "Laserordnung", Fundstelle: "Punkt 1", Art: "Wortlaut", Stand: "2026-05-02"},
			{Kind: "claim", ID: "C-0004", Source: "S-0001", SourceTitle: "Laserordnung", Fundstelle: "Punkt 1", Art: "Auslegung", Stand: "2026-05-02"},
			{Kind: "claim", ID: "C-0003", Source: "X-0001", Fundstelle: "A-0003", Art: "Wortlaut", Stand: "2026-05-02"},
		}).
		WithStand("2026-05-02", "hoch").
		WithNotes("Die Seite laser.md ist ungeprüft.").
		WithGaps("Öffnungszeiten des Laserraums")
}

func TestTextHasTheEnvelopeInItsOrder(t *testing.T) {
	for _, c := range []struct {
		name, lang string
		answer     agents.Answer
		want       string
	}{
		{"cited", "de", laser(t), `In Halle 3 ist eine Schutzbrille zu tragen. [C-0001]

Eigene Einordnung: Das gilt auch für Besucher. [C-0004] [C-0001]

Der Laser ist ohne Einweisung gesperrt, siehe laser.md. [C-0003]

Belege:
• C-0001 (S-0001 Laserordnung, Punkt 1, Wortlaut) — Stand 2026-05-02
• C-0004 (S-0001, Punkt 1, Auslegung) — eigene Einordnung
• C-0003 (X-0001, A-0003, Wortlaut) — Stand 2026-05-02

Stand: 2026-05-02; Konfidenz: hoch

Hinweis: Die Seite laser.md ist ungeprüft.

Nicht im Bestand: Öffnungszeiten des Laserraums`},
		{"cited, English", "en", cite(t,
			[]agents.Statement{{Text: "Der Laser ist gesperrt.", Citations: []string{"hb/C-0003"}}},
			[]agents.Beleg{{Kind: "claim", ID: "hb/C-0003", Source: "S-0002", Fundstelle: "Satz 2", Art: "Wortlaut"}},
		).WithStand("", "niedrig"), `Der Laser ist gesperrt. [hb/C-0003]

Evidence:
• hb/C-0003 (S-0002, Satz 2, Wortlaut)

Confidence: low`},
		{"one claim, whose Stand is that of the answer", "de", cite(t,
			[]agents.Statement{{Text: "Der Laser ist gesperrt.", Citations: []string{"C-0003"}}},
			[]agents.Beleg{{Kind: "claim", ID: "C-0003", Source: "S-0002", Fundstelle: "Satz 2", Art: "Wortlaut", Stand: "2026-05-02"}},
		).WithStand("2026-05-02", "hoch"), `Der Laser ist gesperrt. [C-0003]

Belege:
• C-0003 (S-0002, Satz 2, Wortlaut)

Stand: 2026-05-02; Konfidenz: hoch`},
		{"headings", "de", cite(t,
			[]agents.Statement{
				{Text: "Eins.", Citations: []string{"a/C-0001"}, Heading: "Aus dem Tresor „a“:"},
				{Text: "Zwei.", Citations: []string{"a/C-0001"}, Heading: "Aus dem Tresor „a“:"},
				{Text: "Drei.", Citations: []string{"b/C-0001"}, Heading: "Aus dem *Tresor* „b“:"},
				{Text: "Vier.", Citations: []string{"b/C-0001"}},
			},
			[]agents.Beleg{
				{Kind: "claim", ID: "a/C-0001", Tresor: "a", Source: "S-0001", SourceTitle: "Ordnung", Fundstelle: "Satz 2", Stand: "2026-05-02"},
				{Kind: "claim", ID: "b/C-0001", Tresor: "b", Source: "S-0001", SourceTitle: "Ordnung", Fundstelle: "Satz 2", Stand: "2026-05-03"},
			},
		), `Aus dem Tresor „a“:

Eins. [a/C-0001]

Zwei. [a/C-0001]

Aus dem *Tresor* „b“:

Drei. [b/C-0001]

Vier. [b/C-0001]

Belege:
• a/C-0001 (S-0001 Ordnung, Satz 2) — Stand 2026-05-02
• b/C-0001 (S-0001 Ordnung, Satz 2) — Stand 2026-05-03`},
		{"abstention", "de", agents.NichtImBestand(64, "Eiffelturm", "Höhe").WithNearest(
			agents.Pointer{ID: "C-0007", Text: "Die Halle ist neun Meter hoch."},
			agents.Pointer{ID: "C-0008", Text: strings.Repeat("Der Turm der Halle steht im Norden. ", 9)},
			agents.Pointer{ID: "C-0009", Text: "Drei."}, agents.Pointer{ID: "C-0010", Text: "Vier."},
		), `Nicht im Bestand. Alle 64 Claims wurden mit der Frage verglichen, keiner beantwortet sie.

Ohne Beleg: Eiffelturm; Höhe

Am nächsten liegt, ohne die Frage zu beantworten:
• C-0007: Die Halle ist neun Meter hoch.
• C-0008: Der Turm der Halle steht im Norden. Der Turm der Halle steht im Norden. Der Turm der Halle steht im Norden. Der Turm der Halle steht im Norden. Der Turm der …
• C-0009: Drei.`},
		{"abstention, one claim", "de", agents.NichtImBestand(1), `Nicht im Bestand. Der einzige Claim im Bestand wurde mit der Frage verglichen und beantwortet sie nicht.`},
		{"abstention, empty", "en", agents.NichtImBestand(0).WithNotes("A", "B"), "Nicht im Bestand. There is no claim yet to look at.\n\nNotes:\n• A\n• B"},
		{"question back", "de", agents.Ask("Welchen Laser meinen Sie?"), "Welchen Laser meinen Sie?"},
		{"nothing", "de", agents.Answer{}, ""},
	} {
		if got := relay.Text(c.answer, c.lang); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
	}
}

func TestComposeFoldsTheEvidenceWhereTheNetworkCan(t *testing.T) {
	target := relay.Target{Profile: formatting.TelegramHTML(), Lang: "de", Numbered: true, Remarks: []string{"Den Anhang <b> habe ich nicht gelesen."}}
	got := relay.Compose(laser(t), target)
	want := `In Halle 3 ist eine Schutzbrille zu tragen. [C-0001]

<i>Eigene Einordnung:</i> Das gilt auch für Besucher. [C-0004] [C-0001]

Der Laser ist ohne Einweisung gesperrt, siehe <code>laser.md</code>. [C-0003]

<blockquote expandable><b>Belege:</b>
1. C-0001 (S-0001 Laserordnung, Punkt 1, Wortlaut) — Stand 2026-05-02
2. C-0004 (S-0001, Punkt 1, Auslegung) — eigene Einordnung
3. C-0003 (X-0001, A-0003, Wortlaut) — Stand 2026-05-02</blockquote>

Stand: 2026-05-02; Konfidenz: hoch

<b>Hinweis:</b> Die Seite laser.md ist ungeprüft.

<b>Nicht im Bestand:</b> Öffnungszeiten des Laserraums

<i>Den Anhang &lt;b&gt; habe ich nicht gelesen.</i>`
	if len(got.Parts) != 1 || got.Parts[0].Text != want {
		t.Errorf("Compose = %+v\nwant:\n%s", got.Parts, want)
	}
	plain := relay.Compose(laser(t), relay.Target{Profile: formatting.Terminal(formatting.TerminalOptions{}), Lang: "de", Numbered: true})
	if len(plain.Parts) != 1 || !strings.Contains(plain.Parts[0].Text, "\nBelege:\n1. C-0001") {
		t.Errorf("a terminal that cannot fold gets %q", plain.Parts)
	}
}

// Whatever a claim holds is shown and never acts: not as markup of the
// channel, not as Markdown, not as a link.
func TestClaimsAreLiteral(t *testing.T) {
	for _, text := range []string{
		"<b>fett</b> & <script>", "**fett** _kursiv_ ~weg~", "[bank.example](http://evil.example)", "# Titel", "1. eins", "- Strich",
		"a ` b", "``", "> Zitat", "| a | b |", "snake_case_name und 2*3*4", "`` `code` ``", "![x](y)", "<!-- weg -->", "&lt;",
	} {
		a := cite(t, []agents.Statement{{Text: text, Citations: []string{"C-0001"}}},
			[]agents.Beleg{{Kind: "claim", ID: "C-0001", Source: "S-0001", Fundstelle: text}})
		words := strings.ReplaceAll(text, "`", "")
		for name, p := range map[string]formatting.Profile{"telegram": formatting.TelegramHTML(), "terminal": formatting.Terminal(formatting.TerminalOptions{})} {
			parts := relay.Compose(a, relay.Target{Profile: p, Lang: "de"}).Parts
			if len(parts) != 1 {
				t.Fatalf("%s: %q gives %d parts", name, text, len(parts))
			}
			first, _, _ := strings.Cut(parts[0].Plain, "\n")
			if got := strings.ReplaceAll(first, "`", ""); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(words+" [C-0001]"), " ") {
				t.Errorf("%s: %q is shown as %q", name, text, first)
			}
			if parts[0].Mode == "HTML" && strings.Contains(parts[0].Text, "<script>") || strings.Contains(parts[0].Text, "<a ") {
				t.Errorf("%s: %q acts: %q", name, text, parts[0].Text)
			}
		}
	}
}

// However long an answer is, each claim's mark stays with its statement and
// each has its line among the Belege, once.
func TestLongAnswersKeepTheirEvidence(t *testing.T) {
	var statements []agents.Statement
	var belege []agents.Beleg
	for i := range 40 {
		id := "C-" + string(rune('A'+i/10)) + "00" + string(rune('0'+i%10))
		statements = append(statements, agents.Statement{Text: strings.Repeat("Die Ziffer regelt die Ausnahme für Halle drei. ", 8) + "Ende " + id + ".", Citations: []string{id}})
		belege = append(belege, agents.Beleg{Kind: "claim", ID: id, Source: "S-0001", Fundstelle: "Absatz " + id, Art: "Wortlaut", Stand: "2026-01-02"})
	}
	parts := relay.Compose(cite(t, statements, belege), relay.Target{Profile: formatting.TelegramHTML(), Lang: "de", Numbered: true}).Parts
	if len(parts) < 4 {
		t.Fatalf("the answer has %d parts; the test needs several", len(parts))
	}
	for i, b := range belege {
		together, listed := 0, 0
		for _, p := range parts {
			together += strings.Count(p.Plain, "Ende "+b.ID+". ["+b.ID+"]")
			listed += strings.Count(p.Plain, strconv.Itoa(i+1)+". "+b.ID+" (S-0001, Absatz "+b.ID+", Wortlaut) — Stand 2026-01-02")
		}
		if together != 1 || listed != 1 {
			t.Errorf("%s: %d times with its statement, %d times among the Belege", b.ID, together, listed)
		}
	}
}

func TestSay(t *testing.T) {
	target := relay.Target{Profile: formatting.TelegramHTML(), Lang: "de"}
	got := relay.Say("Befehle für <Ada>:\n- `/help` zeigt _alles_\n- zwei\n\nEnde & Schluss.", target)
	want := "Befehle für &lt;Ada&gt;:\n• <code>/help</code> zeigt _alles_\n• zwei\n\nEnde &amp; Schluss."
	if len(got.Parts) != 1 || got.Parts[0].Text != want {
		t.Errorf("Say = %q, want %q", got.Parts, want)
	}
	if got := relay.Say(" \n", target); len(got.Parts) != 0 {
		t.Errorf("Say of nothing = %q", got.Parts)
	}
}

func BenchmarkCompose(b *testing.B) {
	a, target := laser(b), relay.Target{Profile: formatting.TelegramHTML(), Lang: "de"}
	b.ReportAllocs()
	for b.Loop() {
		relay.Compose(a, target)
	}
}
