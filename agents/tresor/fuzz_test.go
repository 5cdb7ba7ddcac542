package tresor_test

import (
	"encoding/json"
	"errors"
	"testing"

	"outheis/agents"
	"outheis/agents/tresor"
)

// Whatever is asked, the answer is valid and says nothing but claims.
func FuzzAnswer(f *testing.F) {
	s := open(f, genossenschaft)
	a := newAgent(f, tresor.Tresor{ID: "lindenhof", Snapshot: s})
	before := agents.Turn{Question: "Wie viele Schlüssel bekomme ich?", Answer: agents.Ask("Welche Welt?")}
	for _, q := range []string{
		"Wann beginnt die Nachtruhe?", "Was kostet die Gästewohnung und wie hoch ist der Eiffelturm?", "C-0001 S-0009 B-0001 C-9999",
		"@lindenhof Wo?", "Haus und Verein", "und wie viele Nächte?", "BW-0001", "\x00\xff\u202e", "Hallo", "wo und wann und was?", "?!;;. . und wie",
	} {
		f.Add(q, "de", "")
		f.Add(q, "en", "@lindenhof")
	}
	f.Fuzz(func(t *testing.T, text, lang, scope string) {
		for _, turns := range [][]agents.Turn{nil, {before}} {
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
				if c, _, ok := s.Claim(st.Citations[0]); !ok || c.Text != st.Text {
					t.Fatalf("%q: %q is not the wording of %s", text, st.Text, st.Citations[0])
				}
			}
		}
	})
}
