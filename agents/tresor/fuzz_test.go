package tresor_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"outheis/agents"
	"outheis/agents/tresor"
	engine "outheis/tresor"
)

// Whatever is asked, the answer is valid and says nothing but claims.
func FuzzAnswer(f *testing.F) {
	s := open(f, genossenschaft)
	a := agents.Agent(newAgent(f, tresor.Tresor{ID: "lindenhof", Snapshot: s}))
	other := build(f, page{path: "a/hafen.md", title: "Hafen", claims: []string{
		"C-0001 S-0001 Wortlaut: Der Hafen öffnet um sieben Uhr.", "C-0002 S-0002 Auslegung: Die Gästewohnung kostet am Hafen 50 Euro je Nacht."}})
	snapshots := map[string]*engine.Snapshot{"lindenhof": s, "hafen": other, "notiz": other}
	several := newAgent(f, tresor.Tresor{ID: "lindenhof", Snapshot: s, Scope: tresor.Organisation},
		tresor.Tresor{ID: "hafen", Snapshot: other, Scope: tresor.Projekt}, tresor.Tresor{ID: "notiz", Snapshot: other, Scope: tresor.Persoenlich})
	before := agents.Turn{Question: "Wie viele Schlüssel bekomme ich?", Answer: agents.Ask("Welche Welt?")}
	for _, q := range []string{
		"Wann beginnt die Nachtruhe?", "Was kostet die Gästewohnung und wie hoch ist der Eiffelturm?", "C-0001 S-0009 B-0001 C-9999",
		"@lindenhof Wo?", "Haus und Verein", "und wie viele Nächte?", "BW-0001", "\x00\xff\u202e", "Hallo", "wo und wann und was?", "?!;;. . und wie", "hafen/C-0001 lindenhof/C-0001 x/C-0001", "@notiz Was kostet die Gästewohnung? Wann? Wo?",
	} {
		f.Add(q, "de", "")
		f.Add(q, "en", "@lindenhof")
	}
	f.Fuzz(func(t *testing.T, text, lang, scope string) {
		for _, turns := range [][]agents.Turn{nil, {before}} {
			for _, a := range []agents.Agent{a, several} {
				answer, err := a.Answer(t.Context(), agents.Request{Text: text, Lang: lang, Scope: scope, Turns: turns})
				var known *agents.Error
				if err != nil {
					if !errors.As(err, &known) {
						t.Fatalf("%q: %v", text, err)
					}
					continue
				}
				b, err := json.Marshal(answer)
				if err != nil {
					t.Fatalf("%q: %v", text, err)
				}
				var back agents.Answer
				if err := json.Unmarshal(b, &back); err != nil {
					t.Fatalf("%q: %v", text, err)
				}
				for _, st := range answer.Statements() {
					id, claim, named := strings.Cut(st.Citations[0], "/")
					if !named {
						id, claim = "lindenhof", id
					}
					if named != (a == agents.Agent(several)) {
						t.Fatalf("%q: cites %s of %d Tresore", text, st.Citations[0], len(several.Tresore()))
					}
					if c, _, ok := snapshots[id].Claim(claim); !ok || c.Text != st.Text {
						t.Fatalf("%q: %q is not the wording of %s", text, st.Text, st.Citations[0])
					}
				}
			}
		}
	})
}
