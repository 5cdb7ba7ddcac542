package tresor_test

import (
	"slices"
	"strings"
	"testing"

	"outheis/agents"
	"outheis/agents/tresor"
	"outheis/tresor/handbuch"
)

// Each question of a message is answered, or named as missing, however the
// questions are put together.
func TestPartsOfAMessage(t *testing.T) {
	t.Parallel()
	house := tresor.Tresor{ID: "haus", Snapshot: build(t, page{path: "a/a.md", title: "Regeln", claims: []string{
		"C-0001 S-0001 Wortlaut: Parken kostet 10 Euro.", "C-0002 S-0001 Wortlaut: Der Laser ist ohne Einweisung gesperrt."}})}
	harbour := tresor.Tresor{ID: "hafen", Snapshot: build(t, page{path: "b/b.md", title: "Leute", claims: []string{
		"C-0001 S-0001 Wortlaut: Ersthelfer ist Kunz."}})}
	const both = "haus/C-0001 hafen/C-0001"
	a := newAgent(t, house, harbour)
	for _, tt := range []struct{ text, cited, missing string }{
		{"Was kostet Parken, wer ist Ersthelfer?", both, ""},
		{"Was kostet Parken, und wer ist Ersthelfer?", both, ""},
		{"Was kostet Parken, wer ist Ersthelfer und wie alt ist der Kran?", both, "wie alt ist der Kran"},
		{"Was kostet Parken, wie alt ist der Kran, wer ist Ersthelfer?", both, "wie alt ist der Kran"},
		{"Was kostet Parken; wer ist Ersthelfer; wie alt ist der Kran?", both, "wie alt ist der Kran"},
		{"1. Was kostet Parken\n2. Wer ist Ersthelfer", both, ""},
		{"- Was kostet Parken\r\n- Wer ist Ersthelfer\r\n", both, ""},
		{"Was kostet Parken\nWer ist Ersthelfer\nWie alt ist der Kran", both, "Wie alt ist der Kran"},
		{"Was kostet Parken?\nWer ist Ersthelfer?\n\n- Wie alt ist der Kran?", both, "Wie alt ist der Kran"},
		{"Was kostet\nParken?", "haus/C-0001", ""},
		{"Was kostet Parken und Benzin?", "haus/C-0001", "Benzin"},
		{"Was kosten Parken, Benzin und Strom?", "haus/C-0001", "Strom"},
		{"Wer ist Ersthelfer und was kostet Parken und Benzin?", "hafen/C-0001 haus/C-0001", "Benzin"},
		{"Was kostet Parken, wenn es regnet?", "haus/C-0001", ""},
		{strings.Repeat("Was kostet Parken? ", 12), "haus/C-0001", ""},
		{"Was kostet Parken? Was kostet parken?? Wer ist Ersthelfer?", both, ""},
		{"Was kostet Parken und was kostet Parken?", "haus/C-0001", ""},
	} {
		answer := ask(t, a, tt.text)
		if got := cited(answer); got != tt.cited {
			t.Errorf("%q: states %s, want %s", tt.text, got, tt.cited)
		}
		named := func(g string) bool { return strings.Contains(g, tt.missing) }
		if tt.missing == "" && len(answer.Gaps()) > 0 || tt.missing != "" && !slices.ContainsFunc(answer.Gaps(), named) && !hasNote(answer, tt.missing) {
			t.Errorf("%q: gaps %q with %q, want %q", tt.text, answer.Gaps(), answer.Notes(), tt.missing)
		}
	}
	// A clause with its verb at the end belongs to the question before it.
	if answer := ask(t, a, "Was kostet Parken, wenn man weiß, wer Ersthelfer ist?"); cited(answer) == both {
		t.Errorf("states %s, want one question", cited(answer))
	}
}

// What is asked of a Tresor that is not there is not answered from another.
func TestUnknownTresorAnswersNothing(t *testing.T) {
	t.Parallel()
	handbook := tresor.Tresor{ID: handbuch.Name, Snapshot: openHandbook(t), OnRequest: true}
	house := one(t, "haus", "", "Parken kostet 10 Euro.")
	single, several := newAgent(t, house, handbook), newAgent(t, house, one(t, "lager", "", "Ersthelfer ist Kunz."))
	for _, a := range []agents.Agent{single, several} {
		for _, text := range []string{"hafen/C-0001", "Was sagt hafen/C-0001?", "[hafen/c-0001]", "Was sagt @hafen/C-0001 und pr/S-0001?", "http://x/C-0001"} {
			answer := ask(t, a, text)
			if answer.Status() == agents.StatusOK || !strings.Contains(answer.Question(), "gibt es hier nicht") {
				t.Errorf("%q: got %s %q, want that there is no such Tresor", text, answer.Status(), answer.Question())
			}
		}
	}
	for text, want := range map[string]string{
		"haus/C-0001 und hafen/C-0001":              "haus/C-0001",
		"hafen/C-0001 oder LAGER/c-0001":            "lager/C-0001",
		"Was kostet Parken? hafen/C-0001":           "haus/C-0001",
		"Was sagt hafen/C-0002? Was kostet Parken?": "haus/C-0001",
	} {
		answer := ask(t, several, text)
		if got := cited(answer); got != want || !hasNote(answer, "„hafen“", "gibt es hier nicht") {
			t.Errorf("%q: states %s with %q, want %s and the name that is unknown", text, got, answer.Notes(), want)
		}
	}
	if got := cited(ask(t, single, "handbuch/C-0301")); got != "handbuch/C-0301" {
		t.Errorf("states %s, want the handbook, which is asked for by name", got)
	}
	for _, text := range []string{"lager: C-0001", "lager/ C-0001", "Lager / C-0001", "@lager C-0001"} {
		if got := cited(ask(t, several, text)); got != "lager/C-0001" {
			t.Errorf("%q: states %s, want lager/C-0001", text, got)
		}
	}
	if got := cited(ask(t, several, "Frage: C-0001")); got != "haus/C-0001 lager/C-0001" {
		t.Errorf("states %s, want the claims of both", got)
	}
	if got := cited(ask(t, single, "C-0001/C-0001")); got != "C-0001" {
		t.Errorf("states %s, want a claim that is listed twice", got)
	}
	// A name in front of the question does not lend another Tresor's claim.
	answer, err := several.Answer(t.Context(), agents.Request{Text: "lager/C-0001", Scope: "haus", Lang: "de"})
	if err != nil || cited(answer) != "lager/C-0001" {
		t.Errorf("states %s (%v), want lager/C-0001", cited(answer), err)
	}
}

// An ambiguous word in one question of a message leaves the others answered, and
// a reply that names a meaning settles it.
func TestAmbiguousPart(t *testing.T) {
	t.Parallel()
	lindenhof := tresor.Tresor{ID: "lindenhof", Snapshot: open(t, genossenschaft)}
	const keys = "Wie viele Schlüssel bekomme ich bei der Übergabe?"
	for _, all := range [][]tresor.Tresor{{lindenhof}, {lindenhof, one(t, "hafen", "", "Der Kran hebt vierzig Tonnen.")}} {
		a := newAgent(t, all...)
		for _, q := range []string{"Wann beginnt die Nachtruhe? " + keys, keys + " Wann beginnt die Nachtruhe?", "Wann beginnt die Nachtruhe und wie viele Schlüssel bekomme ich bei der Übergabe?"} {
			first := ask(t, a, q)
			if got := cited(first); !strings.HasSuffix(got, "C-0001") || len(first.Gaps()) > 0 || !hasNote(first, "Schlüssel", "Haus und Verein", "nicht gesucht") {
				t.Errorf("%q: states %s with gaps %q and %q, want the other part and the ambiguity", q, got, first.Gaps(), first.Notes())
			}
			for _, reply := range []string{"Haus und Verein", "Ich meine Haus und Verein, bitte", "BW-0001"} {
				if got := cited(ask(t, a, reply, agents.Turn{Question: q, Answer: first})); !strings.Contains(got, "C-0040") || !strings.Contains(got, "C-0001") {
					t.Errorf("%q after %q: states %s, want both parts", reply, q, got)
				}
			}
			if got := cited(ask(t, a, "Was kostet die Gästewohnung?", agents.Turn{Question: q, Answer: first})); !strings.HasSuffix(got, "C-0035") {
				t.Errorf("another question after %q: states %s", q, got)
			}
		}
	}
	// What only the ambiguous part could cover is asked back, not denied.
	if got := ask(t, newAgent(t, lindenhof), "Wie hoch ist der Eiffelturm? "+keys); got.Status() != agents.StatusAmbiguous {
		t.Errorf("got %s, want the question back", got.Status())
	}
}
