package tresor_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"outheis/agents"
	"outheis/agents/agenttest"
	"outheis/agents/tresor"
	engine "outheis/tresor"
)

func TestScopeOf(t *testing.T) {
	for folder, want := range map[string]tresor.Scope{
		"wissenstresor-organisation": tresor.Organisation, "wissenstresor-fachbereich-labor": tresor.Fachbereich,
		"Wissenstresor-Projekt-Nord": tresor.Projekt, "wissenstresor-persoenlich": tresor.Persoenlich, "wissenstresor-persönlich-ole": tresor.Persoenlich,
		"wissenstresor": "", "wissenstresor-": "", "wissenstresor-projekte": "", "projekt": "", "mein-wissenstresor-projekt": "", "": "",
	} {
		if got := tresor.ScopeOf(folder); got != want {
			t.Errorf("%q: got %q, want %q", folder, got, want)
		}
	}
}

// one is a Tresor with one claim.
func one(t testing.TB, id string, scope tresor.Scope, claim string) tresor.Tresor {
	t.Helper()
	return tresor.Tresor{ID: id, Scope: scope, Snapshot: build(t,
		page{path: "a/a.md", title: "Regeln", reviewed: true, stand: "2026-01-0" + fmt.Sprint(len(scope)%9+1), claims: []string{"C-0001 S-0001 Wortlaut: " + claim}})}
}

// What is shown where two Tresore have a claim: which are stated, and what the
// remarks say.
func TestTwoScopes(t *testing.T) {
	t.Parallel()
	const (
		night22   = "Die Nachtruhe beginnt um 22 Uhr."
		night23   = "Die Nachtruhe beginnt um 23 Uhr."
		nightBoth = "Die Nachtruhe beginnt um 22 Uhr und endet um sechs Uhr."
		whenNight = "Wann beginnt die Nachtruhe?"
	)
	for _, tt := range []struct {
		name, question         string
		wideScope, narrowScope tresor.Scope
		wide, narrow           string
		stated                 string   // of the Tresore "wide" and "narrow"
		says                   []string // in one remark
		silent                 string   // in no remark
	}{
		{"project over organisation", whenNight, tresor.Organisation, tresor.Projekt, night22, night23, "narrow",
			[]string{"Überlagert", "wide/C-0001", "„wide“ (Organisation)", "Stand 2026-01-04", night22, "narrow/C-0001"}, "Soweit"},
		{"department over organisation", whenNight, tresor.Organisation, tresor.Fachbereich, night22, night23, "narrow", []string{"Überlagert", "wide/C-0001"}, ""},
		{"project over department", whenNight, tresor.Fachbereich, tresor.Projekt, night22, night23, "narrow", []string{"Überlagert", "„wide“ (Fachbereich)"}, ""},
		{"the same said twice", whenNight, tresor.Organisation, tresor.Projekt, night22, night22, "narrow", []string{"Überlagert", "wide/C-0001"}, ""},
		{"a ban", "Dürfen Besucher fotografieren?", tresor.Organisation, tresor.Projekt, "Besucher dürfen fotografieren.", "Im Projekt dürfen Besucher nicht fotografieren.",
			"narrow", []string{"Überlagert", "Besucher dürfen fotografieren."}, ""},
		{"another number of days", "Wie viele Tage Homeoffice sind erlaubt?", tresor.Organisation, tresor.Projekt,
			"Homeoffice ist an zwei Tagen pro Woche erlaubt.", "Im Projekt sind drei Tage Homeoffice pro Woche erlaubt.", "narrow", []string{"Überlagert"}, ""},
		{"of its own area", whenNight, tresor.Organisation, tresor.Projekt, night22, "Im Projekt narrow beginnt die Nachtruhe um 23 Uhr.", "narrow", []string{"Überlagert"}, ""},
		{"who holds an office", "Wer ist der Hausmeister?", tresor.Organisation, tresor.Projekt,
			"Der Hausmeister ist Frau Meier.", "Der Hausmeister ist Kunz.", "narrow", []string{"Überlagert", "Meier"}, ""},
		{"a price", "Was kostet der Parkplatz?", tresor.Organisation, tresor.Projekt, "Der Parkplatz kostet 10 Euro.", "Der Parkplatz kostet 5 Euro.", "narrow", []string{"Überlagert"}, ""},
		{"a date", "Wann ist Betriebsversammlung?", tresor.Organisation, tresor.Projekt,
			"Die Betriebsversammlung ist am 3. Mai.", "Die Betriebsversammlung ist am 5. Juni.", "narrow", []string{"Überlagert"}, ""},
		{"a rhythm", "Wie oft wird der Kran geprüft?", tresor.Organisation, tresor.Projekt, "Der Kran wird jährlich geprüft.", "Der Kran wird monatlich geprüft.", "narrow", []string{"Überlagert"}, ""},
		{"of one name", "Wie lang ist Seil 12?", tresor.Organisation, tresor.Projekt, "Seil 12 ist 30 Meter lang.", "Seil 12 ist 40 Meter lang.", "narrow", []string{"Überlagert"}, ""},
		{"in English", "Is smoking allowed in the hall?", tresor.Organisation, tresor.Projekt,
			"Smoking is allowed in the hall.", "Smoking is not allowed in the hall.", "narrow", []string{"Überlagert"}, ""},

		{"the wider says more", whenNight, tresor.Organisation, tresor.Projekt, nightBoth, night23, "narrow wide", []string{"Soweit", "„narrow“ (Projekt)", "„wide“ (Organisation)"}, "Überlagert"},
		{"another gate", "Wann öffnet das Tor?", tresor.Organisation, tresor.Projekt, "Das Tor Nord öffnet um sechs Uhr.", "Das Tor Süd öffnet um sieben Uhr.",
			"narrow wide", []string{"Soweit"}, "Überlagert"},
		{"another gate and who", "Wer öffnet das Tor?", tresor.Organisation, tresor.Projekt, "Das Tor Nord öffnet der Hausmeister.", "Das Tor Süd öffnet der Pförtner.",
			"narrow wide", []string{"Soweit"}, "Überlagert"},
		{"the wider covers more of the question", "Wann beginnt die Nachtruhe am Sonntag?", tresor.Organisation, tresor.Projekt,
			"Am Sonntag beginnt die Nachtruhe um 21 Uhr.", "Im Lindenhof beginnt die Nachtruhe um 23 Uhr.", "wide", nil, "Überlagert"},
		{"one scope", whenNight, tresor.Projekt, tresor.Projekt, night22, night23, "narrow wide", []string{"mehreren Tresoren", "„narrow“ (Projekt)", "„wide“ (Projekt)"}, "Überlagert"},
		{"no scope over organisation", whenNight, tresor.Organisation, "", night22, night23, "wide narrow", []string{"„narrow“", "„wide“ (Organisation)"}, "Überlagert"},
		{"project over no scope", whenNight, "", tresor.Projekt, night22, night23, "narrow wide", []string{"mehreren Tresoren"}, "Überlagert"},

		{"personal against organisation", whenNight, tresor.Organisation, tresor.Persoenlich, night22, night23, "wide narrow",
			[]string{"Widerspruch", "narrow/C-0001 (Quelle S-0001, Stand", "wide/C-0001 (Quelle S-0001, Stand"}, "Überlagert"},
		{"personal against project", whenNight, tresor.Projekt, tresor.Persoenlich, night22, "Die Nachtruhe beginnt nicht um 22 Uhr.", "wide narrow", []string{"Widerspruch"}, "Überlagert"},
		{"personal against none", whenNight, "", tresor.Persoenlich, night22, night23, "wide narrow", []string{"Widerspruch"}, "Überlagert"},
		{"personal says the same", whenNight, tresor.Organisation, tresor.Persoenlich, night22, night22, "wide narrow", nil, "iderspr"},
		{"personal adds", whenNight, tresor.Organisation, tresor.Persoenlich, night22, "Die Nachtruhe beginnt um 22 Uhr, was im Sommer kaum jemand einhält.", "wide narrow", nil, "iderspr"},
		{"personal, perhaps against", whenNight, tresor.Organisation, tresor.Persoenlich, nightBoth, "Die Nachtruhe beginnt nach dem Läuten um 22 Uhr.", "wide narrow",
			[]string{"nicht sicher", "narrow/C-0001", "wide/C-0001"}, "Überlagert"},
		{"only the wider", whenNight, tresor.Organisation, tresor.Projekt, night22, "Der Keller ist feucht.", "wide", []string{"„wide“ (Organisation)"}, "Überlagert"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel() // writing Tresore waits for the disk
			wide, narrow := one(t, "wide", tt.wideScope, tt.wide), one(t, "narrow", tt.narrowScope, tt.narrow)
			answer := ask(t, newAgent(t, wide, narrow), tt.question)
			want := ""
			for _, id := range strings.Fields(tt.stated) {
				want += " " + id + "/C-0001"
			}
			if got := cited(answer); got != strings.TrimSpace(want) {
				t.Errorf("states %s, want %s\n%q", got, want, answer.Notes())
			}
			if tt.says != nil && !hasNote(answer, tt.says...) {
				t.Errorf("no remark with %q in %q", tt.says, answer.Notes())
			}
			if tt.silent != "" && hasNote(answer, tt.silent) {
				t.Errorf("a remark with %q in %q", tt.silent, answer.Notes())
			}
		})
	}
}

// A narrower Tresor that speaks of something else, or perhaps does, takes nothing
// away: both are shown.
func TestNoOverrideOfAnotherSubject(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ question, wide, narrow string }{
		// A number or a letter behind a noun is a name.
		{"Wo gilt Schutzbrillenpflicht?", "In Halle 3 gilt Schutzbrillenpflicht.", "In Halle 4 gilt Schutzbrillenpflicht."},
		{"Gilt Schutzbrillenpflicht?", "In Halle 3 gilt Schutzbrillenpflicht.", "In Halle 4 gilt Schutzbrillenpflicht."},
		{"Welcher Raum ist gesperrt?", "Raum 101 ist gesperrt.", "Raum 102 ist gesperrt."},
		{"Welche Räume sind gesperrt?", "Raum 101 ist gesperrt.", "Raum 102 ist gesperrt."},
		{"Wie viele Räume sind gesperrt?", "Raum 101 ist gesperrt.", "Raum 102 ist gesperrt."},
		{"Welche Maschine ist gesperrt?", "Maschine A ist gesperrt.", "Maschine B ist gesperrt."},
		{"Welche Maschine ist gesperrt?", "Maschine 2a ist gesperrt.", "Maschine 2 ist gesperrt."},
		{"Wie oft wird der Kran geprüft?", "Der Kran wird jährlich geprüft.", "Der Kran 7 wird monatlich geprüft."},
		{"Wie oft wird der Kran geprüft?", "Der Kran 5 wird jährlich geprüft.", "Der Kran 7 wird monatlich geprüft."},
		{"Wie lang sind die Seile?", "Seil 12 ist 30 Meter lang.", "Seil 13 ist 40 Meter lang."},
		{"Wie hoch ist die Miete für die Wohnung?", "Die Miete für Wohnung 3 beträgt 300 Euro.", "Die Miete für Wohnung 4 beträgt 400 Euro."},
		{"Wie hoch ist das Budget?", "Das Budget 2025 beträgt 100 Euro.", "Das Budget 2026 beträgt 500 Euro."},
		{"Which room is locked?", "Room 12 is locked.", "Room 14 is locked."},
		{"How often is the crane checked?", "The crane five is checked yearly.", "The crane six is checked monthly."},
		// A word that looks like a number is a word.
		{"Was gehört in die Küche?", "Das Sieb gehört in die Küche.", "Der Topf gehört in die Küche."},
		{"Was gehört in die Küche?", "Das Sieb gehört in die Küche.", "Die Elf gehört in die Küche."},
		// What may have several answers.
		{"Wo gilt Helmpflicht?", "Helmpflicht gilt im Lager.", "Helmpflicht gilt auf dem Kran."},
		{"Wo steht der Feuerlöscher?", "Der Feuerlöscher steht im Flur.", "Der Feuerlöscher steht im Keller."},
		{"Wer ist Ersthelfer?", "Ersthelfer ist Meier.", "Ersthelfer ist Kunz."},
		{"Wer ist der Ersthelfer?", "Ersthelfer ist Meier.", "Ersthelfer ist Kunz."},
		{"Wer genehmigt Dienstreisen?", "Dienstreisen genehmigt die Personalabteilung.", "Dienstreisen genehmigt die Projektleitung."},
		{"Wie werden Reisen gebucht?", "Reisen werden über das Reisebüro gebucht.", "Reisen werden direkt gebucht."},
		{"Wo liegt der Schlüssel?", "Der Schlüssel liegt bei Peter.", "Der Schlüssel liegt bei Peters."},
		{"Wer vertritt Meier?", "Meier vertritt Kunz.", "Kunz vertritt Meier."},
		// The narrower says more, or denies something else than the verb.
		{"Darf man im Hof parken?", "Im Hof darf man nicht parken.", "Im Hof darf man mit Sondergenehmigung parken."},
		{"Is smoking allowed?", "Smoking is not allowed in the hall.", "Smoking is allowed in the hall of the annex."},
		{"Dürfen Besucher warten?", "Angemeldete Besucher dürfen warten.", "Nicht angemeldete Besucher dürfen warten."},
		{"Darf man die Halle betreten?", "Mit Helm darf man die Halle betreten.", "Ohne Helm darf man die Halle nicht betreten."},
		{"Bis wie viel Euro werden Reisekosten erstattet?", "Reisekosten werden bis 100 Euro erstattet.", "Reisekosten externer Berater werden bis 500 Euro erstattet."},
		{"Wie lang ist die Probezeit?", "Die Probezeit beträgt sechs Monate.", "Die Probezeit für Azubis beträgt vier Monate."},
		{"Wann ist Sitzung?", "Die Sitzung des Vorstands ist montags.", "Die Sitzung des Vorstands im Projekt Nord ist dienstags."},
		{"Wer ist der Hausmeister?", "Der Hausmeister ist Meier.", "Der Hausmeister der Baustelle ist Kunz."},
		{"Was passiert bei Alarm?", "Bei Alarm verlassen alle das Gebäude.", "Bei Alarm in Halle 2 verlassen alle Besucher das Gebäude."},
		// Another value than the one that is asked for.
		{"Was kostet Parken?", "Parken kostet 3 Euro für 10 Minuten.", "Parken kostet 3 Euro für 20 Minuten."},
		{"Was kostet Parken?", "Parken kostet bis 8 Uhr 3 Euro.", "Parken kostet bis 9 Uhr 5 Euro."},
		{"Was kostet Parken?", "Parken kostet montags 3 Euro.", "Parken kostet dienstags 5 Euro."},
		{"Wie alt ist der Kran?", "Der Kran ist 3 Jahre alt.", "Er ist 5 Jahre alt."},
	} {
		t.Run(tt.question, func(t *testing.T) {
			t.Parallel()
			answer := ask(t, newAgent(t, one(t, "wide", tresor.Organisation, tt.wide), one(t, "narrow", tresor.Projekt, tt.narrow)), tt.question)
			if hasNote(answer, "Überlagert") {
				t.Errorf("%q overrides %q", tt.narrow, tt.wide)
			}
		})
	}
}

// What is outdated or in review stands behind what holds, and goes before nothing.
func TestOutdatedHasNoPrecedence(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"veraltet", "in-pruefung"} {
		narrow := tresor.Tresor{ID: "nord", Scope: tresor.Projekt, Snapshot: build(t,
			page{path: "a/a.md", title: "Alt", status: status, claims: []string{"C-0001 S-0001 Wortlaut: Der Parkplatz kostet 5 Euro."}})}
		answer := ask(t, newAgent(t, one(t, "haus", tresor.Organisation, "Der Parkplatz kostet 10 Euro."), narrow), "Was kostet der Parkplatz?")
		if got := cited(answer); got != "haus/C-0001 nord/C-0001" || hasNote(answer, "geht der Tresor") || hasNote(answer, "Vorrang") {
			t.Errorf("%s: states %s with %q, want what holds first and no precedence", status, got, answer.Notes())
		}
	}
}

// A personal claim that names nobody, or nowhere, contradicts one that names
// somebody.
func TestPersonalNobody(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ question, other, own string }{
		{"Wer haftet für Schäden?", "Für Schäden haftet der Verein.", "Für Schäden haftet niemand."},
		{"Wo gilt Helmpflicht?", "Helmpflicht gilt im Lager.", "Helmpflicht gilt nirgends."},
		{"Wer haftet für Schäden?", "Für Schäden haftet keiner.", "Für Schäden haftet der Verein."},
		{"Who covers damages?", "The club covers damages.", "Nobody covers damages."},
	} {
		answer := ask(t, newAgent(t, one(t, "haus", tresor.Organisation, tt.other), one(t, "ich", tresor.Persoenlich, tt.own)), tt.question)
		if got := cited(answer); got != "haus/C-0001 ich/C-0001" || !hasNote(answer, "Widerspruch: ", "haus/C-0001", "ich/C-0001") {
			t.Errorf("%q: states %s with %q, want both and the contradiction", tt.question, got, answer.Notes())
		}
	}
}

// Of three levels the narrowest answers and both others are named.
func TestThreeScopes(t *testing.T) {
	t.Parallel()
	all := []tresor.Tresor{
		one(t, "haus", tresor.Organisation, "Die Nachtruhe beginnt um 22 Uhr."),
		one(t, "nord", tresor.Projekt, "Die Nachtruhe beginnt um 24 Uhr."),
		one(t, "labor", tresor.Fachbereich, "Die Nachtruhe beginnt um 23 Uhr."),
	}
	answer := ask(t, newAgent(t, all...), "Wann beginnt die Nachtruhe?")
	if got := cited(answer); got != "nord/C-0001" {
		t.Errorf("states %s, want the project alone", got)
	}
	for _, id := range []string{"haus", "labor"} {
		if !hasNote(answer, "Überlagert", id+"/C-0001", "Vorrang hat nord/C-0001") {
			t.Errorf("%s is not named as overridden by the project in %q", id, answer.Notes())
		}
	}
	if s := answer.Statements()[0]; s.Heading != "" {
		t.Errorf("heading %q over the answer of one Tresor", s.Heading)
	}
}

// A narrower Tresor is heard where the question alone does not find it there.
func TestNarrowerIsSought(t *testing.T) {
	t.Parallel()
	wide := tresor.Tresor{ID: "haus", Scope: tresor.Organisation, Snapshot: build(t,
		page{path: "a/a.md", title: "Haus", claims: []string{
			"C-0001 S-0001 Wortlaut: Die Nachtruhe beginnt um 22 Uhr.",
			"C-0002 S-0001 Wortlaut: Dienstreisen genehmigt die Personalabteilung."}},
		page{path: "b/a.md", title: "Passwörter", claims: []string{
			"C-0003 S-0001 Wortlaut: Passwörter haben mindestens zwölf Zeichen.",
			"C-0004 S-0001 Wortlaut: Passwörter werden jährlich gewechselt."}})}
	const q = "Wie beantrage ich Dienstreisen?"
	for _, tt := range []struct{ claim, stated, says string }{
		{"Dienstreisen genehmigt im Projekt Nord die Personalabteilung.", "nord/C-0002", "Überlagert"},
		{"Dienstreisen genehmigt im Projekt Nord die Personalabteilung nur vorab.", "nord/C-0002 haus/C-0002", "Soweit"},
		{"Dienstreisen genehmigt im Projekt Nord die Projektleitung.", "nord/C-0002 haus/C-0002", "Soweit"},
		{"Dienstreisen sind im Projekt Nord selten.", "haus/C-0002", "„haus“"},
	} {
		narrow := tresor.Tresor{ID: "nord", Scope: tresor.Projekt, Snapshot: build(t, page{path: "a/a.md", title: "Nord", claims: []string{
			"C-0001 S-0001 Wortlaut: Passwörter haben im Projekt Nord mindestens 16 Zeichen.", "C-0002 S-0001 Wortlaut: " + tt.claim,
		}})}
		if got := ask(t, newAgent(t, narrow), q); got.Status() == agents.StatusOK {
			t.Fatalf("%q is found by itself: the test shows nothing", tt.claim)
		}
		answer := ask(t, newAgent(t, wide, narrow), q)
		if got := cited(answer); got != tt.stated || !hasNote(answer, tt.says, "haus") {
			t.Errorf("%q: states %s with %q, want %s", tt.claim, got, answer.Notes(), tt.stated)
		}
	}
}

// What is not in force, or disputed in its own Tresor, overrides nothing.
func TestDoubtfulOverridesNothing(t *testing.T) {
	t.Parallel()
	wide := one(t, "haus", tresor.Organisation, "Der Parkplatz am Hafen hat vierzig Plätze.")
	claims := []string{"C-0001 S-0001 Wortlaut: Der Parkplatz am Hafen hat fünfzig Plätze."}
	for name, pages := range map[string][]page{
		"outdated":  {{path: "a/a.md", title: "Parkplatz", status: "veraltet", claims: claims}},
		"in review": {{path: "a/a.md", title: "Parkplatz", status: "in-pruefung", claims: claims}},
		"disputed": {{path: "a/a.md", title: "Parkplatz", relations: []string{"widerspricht -> a/b.md"}, claims: claims},
			{path: "a/b.md", title: "Zählung", claims: []string{"C-0002 S-0001 Wortlaut: Der Parkplatz am Hafen hat sechzig Plätze."}}},
	} {
		a := newAgent(t, wide, tresor.Tresor{ID: "nord", Scope: tresor.Projekt, Snapshot: build(t, pages...)})
		answer := ask(t, a, "Wie viele Plätze hat der Parkplatz am Hafen?")
		if got := cited(answer); !strings.Contains(got, "haus/C-0001") || !strings.Contains(got, "nord/C-0001") || hasNote(answer, "Überlagert") {
			t.Errorf("%s: states %s with %q, want both", name, got, answer.Notes())
		}
	}
}

// A part is missing only if no Tresor has it.
func TestPartsFromSeveralTresore(t *testing.T) {
	house := one(t, "haus", tresor.Organisation, "Die Nachtruhe beginnt um 22 Uhr.")
	harbour := one(t, "hafen", tresor.Projekt, "Der Kran hebt vierzig Tonnen.")
	a := newAgent(t, house, harbour)
	answer := ask(t, a, "Wann beginnt die Nachtruhe und wie viele Tonnen hebt der Kran?")
	if got := cited(answer); got != "haus/C-0001 hafen/C-0001" || len(answer.Gaps()) > 0 {
		t.Errorf("states %s with gaps %q, want a part of each", got, answer.Gaps())
	}
	if h := answer.Statements()[0].Heading; !strings.Contains(h, "„haus“ (Organisation)") {
		t.Errorf("heading %q, want the Tresor", h)
	}
	const half = "Wann beginnt die Nachtruhe und wie hoch ist der Eiffelturm?"
	if g := ask(t, a, half).Gaps(); len(g) != 1 || !strings.Contains(g[0], "Eiffelturm") {
		t.Errorf("gaps %q, want the Eiffelturm", g)
	}
	// As long as one is missing, nothing is known to be missing from the Bestand.
	a.SetUnavailable("hafen", nil)
	answer = ask(t, a, half)
	if len(answer.Gaps()) > 0 || !hasNote(answer, "Eiffelturm", "offen") {
		t.Errorf("gaps %q with %q, want the question left open", answer.Gaps(), answer.Notes())
	}
	if !hasNote(answer, "„hafen“ (Projekt)", "nicht verfügbar", "vorgehen") {
		t.Errorf("%q does not say that a narrower Tresor is missing", answer.Notes())
	}
}

func TestClaimNamedWithItsTresor(t *testing.T) {
	a := newAgent(t, one(t, "haus", "", "Die Nachtruhe beginnt um 22 Uhr."), one(t, "hafen", "", "Der Kran hebt vierzig Tonnen."))
	for q, want := range map[string]string{
		"Was sagt hafen/C-0001?":         "hafen/C-0001",
		"hafen/C-0001 und haus/c-0001":   "hafen/C-0001 haus/C-0001",
		"[Haus/C-0001]":                  "haus/C-0001",
		"C-0001":                         "hafen/C-0001 haus/C-0001",
		"Was steht bei hafen in S-0001?": "hafen/C-0001 haus/C-0001",
	} {
		if got := cited(ask(t, a, q)); got != want {
			t.Errorf("%q: states %s, want %s", q, got, want)
		}
	}
	if got := ask(t, a, "hafen/C-0002"); got.Status() != agents.StatusNotFound {
		t.Errorf("got %s, want an abstention", got.Status())
	}
}

func TestAmbiguousInOneTresor(t *testing.T) {
	a := newAgent(t, tresor.Tresor{ID: "lindenhof", Snapshot: open(t, genossenschaft)},
		one(t, "hafen", "", "Bei der Übergabe bekommt man drei Schlüssel."))
	const q = "Wie viele Schlüssel bekomme ich bei der Übergabe?"
	answer := ask(t, a, q)
	if got := cited(answer); got != "hafen/C-0001" || !hasNote(answer, "„lindenhof“", "Schlüssel", "Haus und Verein", "nicht gesucht") {
		t.Errorf("states %s with %q, want the other Tresor named", got, answer.Notes())
	}
	before := agents.Turn{Question: q, Answer: agents.Ask("Welche meinen Sie?")}
	if got := cited(ask(t, a, "Haus und Verein", before)); !strings.Contains(got, "hafen/C-0001") || !strings.Contains(got, "lindenhof/C-0040") {
		t.Errorf("states %s, want the question answered from both", got)
	}
}

func TestAudience(t *testing.T) {
	open := one(t, "haus", "", "Die Nachtruhe beginnt um 22 Uhr.")
	closed := one(t, "vorstand", "", "Die Nachtruhe beginnt um 24 Uhr.")
	closed.Audience = []string{"admin"}
	a := newAgent(t, open, closed)
	for _, tt := range []struct {
		r    agents.Request
		want string
	}{
		{agents.Request{Role: agents.RoleAdmin}, "haus/C-0001 vorstand/C-0001"},
		{agents.Request{Role: agents.RoleAdmin, Public: true}, "C-0001"},
		{agents.Request{Role: agents.RoleUser}, "C-0001"},
		{agents.Request{}, "C-0001"},
	} {
		tt.r.Text, tt.r.Lang = "Wann beginnt die Nachtruhe?", "de"
		answer, err := a.Answer(t.Context(), tt.r)
		if err != nil || cited(answer) != tt.want || tt.want == "C-0001" && answer.Belege()[0].Tresor != "haus" {
			t.Errorf("%+v: states %s, %v; want %s", tt.r, cited(answer), err, tt.want)
		}
	}
	var known *agents.Error
	a = newAgent(t, closed)
	if _, err := a.Answer(t.Context(), agents.Request{Text: "Wann?", Role: agents.RoleUser}); !asError(err, &known) || known.Status != agents.StatusDenied {
		t.Errorf("got %v, want a refusal", err)
	}
	a.Declare(tresor.Tresor{ID: "vorstand", Audience: []string{"all"}})
	if answer := ask(t, a, "Wann beginnt die Nachtruhe?"); answer.Status() != agents.StatusOK {
		t.Errorf("got %s after the audience changed, want an answer", answer.Status())
	}
}

// The suite of every agent holds with several Tresore as well, kept in folders.
func TestSeveralCiteOrAbstain(t *testing.T) {
	t.Parallel()
	house, err := filepath.Abs(genossenschaft)
	if err != nil {
		t.Fatal(err)
	}
	dirs := map[string]string{"haus": house,
		"hafen": write(t, page{path: "a/hafen.md", title: "Hafen", claims: []string{
			"C-0001 S-0001 Wortlaut: Der Hafen öffnet um sieben Uhr.", "C-0002 S-0001 Wortlaut: Die Gästewohnung kostet am Hafen 50 Euro je Nacht."}}),
		"notiz": write(t, page{path: "a/n.md", title: "Notiz", claims: []string{"C-0001 S-0002 Auslegung: Die Nachtruhe beginnt um 23 Uhr."}})}
	scopes := map[string]tresor.Scope{"haus": tresor.Organisation, "hafen": tresor.Projekt, "notiz": tresor.Persoenlich}
	agenttest.Run(t, func(t *testing.T) agents.Agent {
		a := newAgent(t)
		k := tresor.NewKeeper(a, tresor.KeeperOptions{})
		for id, dir := range dirs {
			a.Declare(tresor.Tresor{ID: id, Scope: scopes[id], Err: tresor.ErrNotLoaded})
			if err := k.Keep(t.Context(), id, dir); err != nil {
				t.Fatal(err)
			}
		}
		return k
	}, agenttest.Cases{
		Inside: []string{
			"Wann beginnt die Nachtruhe?", "Was kostet die Gästewohnung?", "Wann öffnet der Hafen? Wie oft werden Augenduschen gespült?", "hafen/C-0001",
		},
		Outside: []string{"Wie hoch ist der Eiffelturm?", "Wer ist Bundeskanzler?", "Was steht in hafen/C-9999?"},
		Evidence: func(b agents.Beleg) (string, bool) {
			s, err := engine.Open(dirs[b.Tresor], engine.Options{})
			if err != nil {
				return "", false
			}
			c, _, ok := s.Claim(strings.TrimPrefix(b.ID, b.Tresor+"/"))
			return c.Text, ok && b.ID != c.ID && b.Manifest == s.Manifest()
		},
	})
}

// pool are Tresore that speak of the same things, more or less.
func pool(t testing.TB) []*engine.Snapshot {
	var all []*engine.Snapshot
	for _, claims := range [][]string{
		{"Die Nachtruhe beginnt um 22 Uhr.", "Dienstreisen genehmigt die Personalabteilung."},
		{"Die Nachtruhe beginnt um 23 Uhr.", "Gäste melden sich am Empfang."},
		{"Im Lindenhof beginnt die Nachtruhe um 24 Uhr und endet um sechs Uhr.", "Dienstreisen genehmigt die Projektleitung."},
		{"Die Nachtruhe beginnt nie.", "Dienstreisen nach Asien genehmigt der Vorstand.", "Gäste tragen eine Weste."},
		{"Der Keller ist feucht.", "Gäste melden sich nicht am Empfang."},
		{"Die Nachtruhe beginnt um 22 Uhr.", "Gäste zahlen zehn Euro.", "Der Keller ist trocken."},
	} {
		p := page{path: "a/a.md", title: "Regeln"}
		for i, c := range claims {
			p.claims = append(p.claims, fmt.Sprintf("C-%04d S-0001 Wortlaut: %s", i+1, c))
		}
		all = append(all, build(t, p))
	}
	return all
}

// said returns the statements of an answer as Tresor/claim.
func said(a agents.Answer) []string {
	var ids []string
	for _, b := range a.Belege() {
		ids = append(ids, b.Tresor+"/"+b.ID[strings.LastIndex(b.ID, "/")+1:])
	}
	return ids
}

// Whatever Tresore with whatever scopes are loaded, in whatever order: the answer
// is the same, every statement names its Tresor, nothing that one of them would
// say alone is lost without a word, and what is personal takes nothing away.
func TestScopesProperty(t *testing.T) {
	t.Parallel()
	snapshots := pool(t)
	questions := []string{
		"Wann beginnt die Nachtruhe?", "Wer genehmigt Dienstreisen?", "Was gilt für Gäste?", "Ist der Keller feucht?",
		"Wann beginnt die Nachtruhe und wer genehmigt Dienstreisen?", "Wer genehmigt Dienstreisen? Was zahlen Gäste? Wie hoch ist der Eiffelturm?", "C-0001",
	}
	scopes := []tresor.Scope{"", tresor.Organisation, tresor.Fachbereich, tresor.Projekt, tresor.Persoenlich}
	rapid.Check(t, func(r *rapid.T) {
		var all []tresor.Tresor
		for i, s := range snapshots {
			if rapid.Bool().Draw(r, "loaded") {
				all = append(all, tresor.Tresor{ID: fmt.Sprintf("t%d", i), Scope: rapid.SampledFrom(scopes).Draw(r, "scope"), Snapshot: s})
			}
		}
		if len(all) == 0 {
			return
		}
		q := rapid.SampledFrom(questions).Draw(r, "question")
		answerOf := func(some []tresor.Tresor) agents.Answer {
			a, err := tresor.New(tresor.Options{Tresore: some})
			if err != nil {
				r.Fatal(err)
			}
			answer, err := a.Answer(t.Context(), agents.Request{Text: q, Lang: "de"})
			if err != nil {
				r.Fatal(err)
			}
			return answer
		}
		got := answerOf(all)
		if other := answerOf(rapid.Permutation(all).Draw(r, "order")); !reflect.DeepEqual(got, other) {
			r.Fatalf("another order gives another answer:\n%v %q\n%v %q", said(got), got.Notes(), said(other), other.Notes())
		}
		for _, s := range got.Statements() {
			if len(all) > 1 && !strings.Contains(s.Citations[0], "/C-") {
				r.Fatalf("%q is stated without its Tresor", s.Text)
			}
		}
		notes := strings.Join(got.Notes(), "\n")
		for _, t := range all {
			for _, id := range said(answerOf([]tresor.Tresor{t})) {
				if !slices.Contains(said(got), id) && !strings.Contains(notes, id) {
					r.Fatalf("%s is neither stated nor named: %v %q", id, said(got), got.Notes())
				}
				if !slices.Contains(said(got), id) && (t.Scope == "" || t.Scope == tresor.Persoenlich || t.Scope == tresor.Projekt) {
					r.Fatalf("%s of scope %q is taken out: %v %q", id, t.Scope, said(got), got.Notes())
				}
			}
		}
		others := slices.DeleteFunc(slices.Clone(all), func(t tresor.Tresor) bool { return t.Scope == tresor.Persoenlich })
		if len(others) == 0 {
			return
		}
		for _, id := range said(answerOf(others)) {
			if !slices.Contains(said(got), id) {
				r.Fatalf("%s is not stated any more beside what is personal: %v %q", id, said(got), got.Notes())
			}
		}
	})
}
