package tresor_test

import (
	"encoding/json"
	"strings"
	"testing"

	"outheis/agents"
	"outheis/agents/tresor"
)

// Who may be answered from a Tresor, where.
func TestWhoMayRead(t *testing.T) {
	t.Parallel()
	const room, space = "net/main/-5", "net/main/space:9"
	for _, c := range []struct {
		name     string
		audience []string
		request  agents.Request
		want     bool
	}{
		{"no audience", nil, agents.Request{Role: agents.RoleUser, Public: true}, true},
		{"all", []string{"all"}, agents.Request{Role: agents.RoleUser, Public: true}, true},
		{"users", []string{"user"}, agents.Request{Role: agents.RoleUser, Public: true}, true},
		{"administrators, a user", []string{"admin"}, agents.Request{Role: agents.RoleUser}, false},
		{"administrators, one of them", []string{"admin"}, agents.Request{Role: agents.RoleAdmin}, true},
		{"administrators, one of them before others", []string{"admin"}, agents.Request{Role: agents.RoleAdmin, Public: true}, false},
		{"administrators, before others in a room", []string{"admin"}, agents.Request{Role: agents.RoleAdmin, Public: true, Audience: []string{room}}, false},
		{"a room, there", []string{room}, agents.Request{Role: agents.RoleUser, Public: true, Audience: []string{room}}, true},
		{"a room, elsewhere", []string{room}, agents.Request{Role: agents.RoleUser, Public: true, Audience: []string{"net/main/-6"}}, false},
		{"a room, elsewhere, an administrator", []string{room}, agents.Request{Role: agents.RoleAdmin, Public: true, Audience: []string{"net/main/-6"}}, false},
		{"a room, directly", []string{room}, agents.Request{Role: agents.RoleUser, Audience: []string{"net/main/7"}}, false},
		{"a room, directly, an administrator", []string{room}, agents.Request{Role: agents.RoleAdmin, Audience: []string{"net/main/7"}}, true},
		{"a room that begins like it", []string{room}, agents.Request{Public: true, Audience: []string{"net/main/-55"}}, false},
		{"another account's room", []string{room}, agents.Request{Public: true, Audience: []string{"net/second/-5"}}, false},
		{"a space, in a room of it", []string{space}, agents.Request{Public: true, Audience: []string{"net/main/-6", space}}, true},
		{"a space, in a room that is called like it", []string{space}, agents.Request{Public: true, Audience: []string{"net/main/9"}}, false},
		{"a chat of two", []string{"net/main/7"}, agents.Request{Role: agents.RoleUser, Audience: []string{"net/main/7"}}, true},
		{"a place that is called like a role", []string{"admin"}, agents.Request{Public: true, Audience: []string{"admin"}}, false},
		{"a place without a name", []string{""}, agents.Request{Public: true, Audience: []string{""}}, false},
		{"a word that names nothing", []string{"vorstand"}, agents.Request{Role: agents.RoleUser, Public: true, Audience: []string{room}}, false},
	} {
		one := one(t, "geheim", "", "Die Losung heißt Kanarienvogel.")
		one.Audience = c.audience
		c.request.Text, c.request.Lang = "Wie heißt die Losung?", "de"
		answer, err := newAgent(t, one).Answer(t.Context(), c.request)
		if got := err == nil && answer.Status() == agents.StatusOK; got != c.want {
			t.Errorf("%s: answered %v (%v), want %v", c.name, got, err, c.want)
		}
	}
}

// The canary: nothing of a Tresor that not everybody in the room may read stands
// in anything that an agent says there: no answer, nearest claim, remark, gap,
// question back, error or comparison of a Beleg. It reads as if the Tresor were
// not there.
func TestCanaryOfARestrictedTresor(t *testing.T) {
	t.Parallel()
	secret := tresor.Tresor{ID: "vorstand", Audience: []string{"admin", "net/main/-5"}, Scope: tresor.Projekt, Snapshot: build(t,
		page{path: "a/losung.md", title: "Kanarienseite", reviewed: true, claims: []string{
			"C-0901 S-0002 Wortlaut: Die Losung heißt Kanarienvogel.", "C-0902 S-0002 Wortlaut: Die Nachtruhe beginnt für den Kanarienvogel um 23 Uhr.",
			"C-0903 S-0002 Wortlaut: Der Hausmeister Kanari öffnet das Tor um sieben Uhr."}},
		page{path: "b/alt.md", title: "Kanarienarchiv", status: "veraltet", claims: []string{"C-0904 S-0001 Wortlaut: Der Parkplatz des Kanarienvogels kostet 5 Euro."}})}
	open := one(t, "haus", tresor.Organisation, "Die Nachtruhe beginnt um 22 Uhr.")
	agent, without := newAgent(t, secret, open), newAgent(t, open)
	questions := []string{
		"Wie heißt die Losung?", "Wann beginnt die Nachtruhe?", "Wann beginnt die Nachtruhe, und wie heißt die Losung?", "Wer öffnet das Tor?",
		"Was kostet der Parkplatz?", "Was steht in C-0901?", "Was steht in vorstand/C-0901?", "C-0902", "vorstand/C-0902", "Was sagt S-0002?", "S-0002", "vorstand/S-0002",
		"@vorstand Wie heißt die Losung?", "vorstand: Wie heißt die Losung?", "Losung", "losunk", "Danke", "Hallo", "", "Welche Tresore gibt es?", "Was weißt du alles?",
		"Gibt es noch mehr?", "Wie heißt der Vogel?", "Wer ist der Hausmeister?",
	}
	var before []agents.Turn
	admin := agents.Request{Role: agents.RoleAdmin, Lang: "de", Audience: []string{"net/main/7"}}
	for _, q := range questions[:5] { // what an administrator was told elsewhere is no way in
		admin.Text = q
		if a, err := agent.Answer(t.Context(), admin); err == nil {
			before = append(before, agents.Turn{Question: q, Answer: a})
		}
	}
	if len(before) == 0 || !strings.Contains(before[0].Answer.Statements()[0].Text, "Kanarienvogel") {
		t.Fatal("the administrator is not told; the test shows nothing")
	}
	for _, r := range []agents.Request{
		{Role: agents.RoleUser}, {Role: agents.RoleUser, Public: true}, {Role: agents.RoleAdmin, Public: true},
		{Role: agents.RoleAdmin, Public: true, Audience: []string{"net/main/-6", "net/main/space:5"}},
		{Role: agents.RoleUser, Audience: []string{"net/main/7"}}, {Role: agents.RoleUser, Scope: "vorstand"}, {Role: agents.RoleAdmin, Public: true, Scope: "vorstand"},
	} {
		for _, turns := range [][]agents.Turn{nil, before} {
			for _, lang := range []string{"de", "en"} {
				for _, q := range questions {
					r.Text, r.Lang, r.Turns = q, lang, turns
					got, want := told(t, agent, r), told(t, without, r)
					if strings.Contains(got, "anari") {
						t.Errorf("%+v is told %s", r, got)
					}
					if got != want {
						t.Errorf("%q (%s, public %v, scope %q) reads\n%s\nand without that Tresor\n%s", q, r.Role, r.Public, r.Scope, got, want)
					}
				}
			}
			beleg := before[0].Answer.Belege()[0]
			if beleg.Tresor != "vorstand" {
				t.Fatalf("the Beleg is of %q", beleg.Tresor)
			}
			if proof, err := agent.Prove(t.Context(), r, beleg, "Die Losung heißt Kanarienvogel."); err == nil {
				t.Errorf("%s, public %v: Prove = %+v", r.Role, r.Public, proof)
			}
		}
	}
	r := agents.Request{Text: questions[0], Lang: "de", Role: agents.RoleUser, Public: true, Audience: []string{"net/main/-5"}}
	if got := told(t, agent, r); !strings.Contains(got, "Kanarienvogel") {
		t.Errorf("in the room that is named: %s", got)
	}
}

// told is everything that an agent says to r.
func told(t *testing.T, a agents.Agent, r agents.Request) string {
	t.Helper()
	answer, err := a.Answer(t.Context(), r)
	if err != nil {
		return "error: " + err.Error()
	}
	b, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
