package agents_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"outheis/agents"
)

func beleg(id string) agents.Beleg {
	return agents.Beleg{Kind: "claim", ID: id, Source: "S-0001", Fundstelle: "Punkt 1", Art: "Wortlaut", Stand: "2026-05-02", Confidence: "hoch"}
}

func statement(text string, ids ...string) agents.Statement {
	return agents.Statement{Text: text, Citations: ids}
}

func TestCiteRefusesWhatIsNotBound(t *testing.T) {
	broken := func(change func(*agents.Beleg)) []agents.Beleg {
		b := beleg("C-0001")
		change(&b)
		return []agents.Beleg{b}
	}
	one := []agents.Statement{statement("Es gilt.", "C-0001")}
	tests := []struct {
		name       string
		statements []agents.Statement
		belege     []agents.Beleg
		uncited    bool // errors.Is ErrUncited
	}{
		{"no statement", nil, nil, true},
		{"no citation", []agents.Statement{statement("Es gilt.")}, []agents.Beleg{beleg("C-0001")}, true},
		{"unknown citation", []agents.Statement{statement("Es gilt.", "C-0002")}, []agents.Beleg{beleg("C-0001")}, true},
		{"empty text", []agents.Statement{statement(" \n", "C-0001")}, []agents.Beleg{beleg("C-0001")}, true},
		{"Beleg without kind", one, broken(func(b *agents.Beleg) { b.Kind = "" }), true},
		{"Beleg without id", one, broken(func(b *agents.Beleg) { b.ID = "" }), true},
		{"Beleg without source", one, broken(func(b *agents.Beleg) { b.Source = "" }), true},
		{"Beleg without Fundstelle", one, broken(func(b *agents.Beleg) { b.Fundstelle = "" }), true},
		{"two Belege with one id", one, []agents.Beleg{beleg("C-0001"), beleg("C-0001")}, true},
		{"Beleg that nothing cites", one, []agents.Beleg{beleg("C-0001"), beleg("C-0002")}, true},
		{"one of two statements uncited", append(one, statement("Und das.")), []agents.Beleg{beleg("C-0001")}, true},
		{"Auslegung without mark", one, broken(func(b *agents.Beleg) { b.Art = "Auslegung" }), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := agents.Cite(tt.statements, tt.belege)
			if err == nil {
				t.Fatal("got an answer, want an error")
			}
			if !a.IsZero() {
				t.Error("got an answer beside the error")
			}
			if got := errors.Is(err, agents.ErrUncited); got != tt.uncited {
				t.Errorf("errors.Is(%v, ErrUncited) = %v, want %v", err, got, tt.uncited)
			}
		})
	}
}

func TestCiteCopies(t *testing.T) {
	st := []agents.Statement{statement("Es gilt.", "C-0001")}
	bel := []agents.Beleg{beleg("C-0001")}
	a, err := agents.Cite(st, bel)
	if err != nil {
		t.Fatal(err)
	}
	st[0].Text, st[0].Citations[0], bel[0].ID = "Es gilt nicht.", "C-0666", "C-0666"
	if got := a.Statements()[0]; got.Text != "Es gilt." || got.Citations[0] != "C-0001" {
		t.Errorf("statement changed from outside: %+v", got)
	}
	if got := a.Belege()[0].ID; got != "C-0001" {
		t.Errorf("Beleg changed from outside: %s", got)
	}
}

func TestWithReturnsACopy(t *testing.T) {
	base := agents.NichtImBestand(7).WithNotes("a")
	one := base.WithNotes("b").WithGaps("x").WithNearest(agents.Pointer{ID: "C-0001"})
	two := base.WithNotes("c")
	if got := base.Notes(); !reflect.DeepEqual(got, []string{"a"}) {
		t.Errorf("base notes %v", got)
	}
	if got := one.Notes(); !reflect.DeepEqual(got, []string{"a", "b"}) {
		t.Errorf("notes of one %v", got)
	}
	if got := two.Notes(); !reflect.DeepEqual(got, []string{"a", "c"}) {
		t.Errorf("notes of two %v", got)
	}
	if len(base.Gaps()) != 0 || len(base.Nearest()) != 0 || len(one.Gaps()) != 1 || len(one.Nearest()) != 1 {
		t.Error("gaps or nearest leak between copies")
	}
	if base.Reviewed() != 7 || base.Status() != agents.StatusNotFound {
		t.Errorf("got %d, %s", base.Reviewed(), base.Status())
	}
}

func TestJSONRoundTrip(t *testing.T) {
	cited, err := agents.Cite(
		[]agents.Statement{statement("Es gilt.", "C-0001"), {Text: "Auch für Gäste.", Citations: []string{"C-0002"}, Auslegung: true}},
		[]agents.Beleg{beleg("C-0001"), {Kind: "claim", ID: "C-0002", Source: "S-0001", Fundstelle: "2", Art: "Auslegung"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []agents.Answer{
		cited.WithStand("2026-05-02", "hoch").WithNotes("Hinweis.").WithGaps("Rest"),
		agents.NichtImBestand(322, "Eiffelturm").WithNearest(agents.Pointer{ID: "C-0001", Text: "Es gilt.", Page: "knowledge/a/b.md"}),
		agents.Ask("Welche Welt?"),
	} {
		b, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		var back agents.Answer
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(back)
		if err != nil || string(again) != string(b) {
			t.Errorf("got %s, want %s (error %v)", again, b, err)
		}
	}
}

func TestJSONHasListsAndNoNull(t *testing.T) {
	b, err := json.Marshal(agents.NichtImBestand(3))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"status":"not_found","statements":[],"citations":[],"notes":[],"gaps":[],"reviewed":3}`
	if string(b) != want {
		t.Errorf("got %s, want %s", b, want)
	}
}

func TestUnmarshalRefusesWhatCannotBeBuilt(t *testing.T) {
	for name, in := range map[string]string{
		"statement without citation": `{"status":"ok","statements":[{"text":"x","citations":[]}],"citations":[]}`,
		"ok without statements":      `{"status":"ok"}`,
		"unknown citation":           `{"status":"ok","statements":[{"text":"x","citations":["C-1"]}],"citations":[]}`,
		"abstention with statement":  `{"status":"not_found","statements":[{"text":"x","citations":["C-1"]}]}`,
		"abstention with citation":   `{"status":"not_found","citations":[{"kind":"claim","id":"C-1"}]}`,
		"question without question":  `{"status":"ambiguous"}`,
		"failure as answer":          `{"status":"failed"}`,
		"no status":                  `{}`,
		"no object":                  `[]`,
		"null":                       `null`,
		"wrong type":                 `{"status":1}`,
	} {
		var a agents.Answer
		if err := json.Unmarshal([]byte(in), &a); name != "null" && err == nil {
			t.Errorf("%s: read back as %s", name, a.Status())
		}
		if !a.IsZero() {
			t.Errorf("%s: left an answer", name)
		}
	}
	if _, err := json.Marshal(agents.Answer{}); err == nil {
		t.Error("the zero Answer was marshalled")
	}
}

// Whatever is read back could have been built by Cite.
func FuzzUnmarshalAnswer(f *testing.F) {
	f.Add([]byte(`{"status":"ok","statements":[{"text":"Es gilt.","citations":["C-0001"]}],"citations":[{"kind":"claim","id":"C-0001","source":"S-0001","locator":"1"}]}`))
	f.Add([]byte(`{"status":"not_found","reviewed":3,"gaps":["x"]}`))
	f.Add([]byte(`{"status":"ambiguous","question":"?"}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var a agents.Answer
		if err := json.Unmarshal(in, &a); err != nil || a.IsZero() {
			return
		}
		if a.Status() == agents.StatusOK {
			if _, err := agents.Cite(a.Statements(), a.Belege()); err != nil {
				t.Fatalf("read back, but cannot be built: %v", err)
			}
		} else if len(a.Statements())+len(a.Belege()) > 0 {
			t.Fatalf("%s with statements or Belege", a.Status())
		}
		if _, err := json.Marshal(a); err != nil {
			t.Fatalf("read back, but cannot be written: %v", err)
		}
	})
}

func TestCiteProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.StringMatching(`C-[0-9]{4}`), 1, 5, rapid.ID[string]).Draw(t, "ids")
		var belege []agents.Beleg
		for _, id := range ids {
			belege = append(belege, beleg(id))
		}
		var statements []agents.Statement
		for range rapid.IntRange(1, 6).Draw(t, "n") {
			cites := rapid.SliceOfN(rapid.SampledFrom(append(ids, "C-none")), 0, 3).Draw(t, "cites")
			statements = append(statements, agents.Statement{Text: rapid.String().Draw(t, "text"), Citations: cites})
		}
		a, err := agents.Cite(statements, belege)
		if err != nil {
			return
		}
		for _, s := range a.Statements() {
			if strings.TrimSpace(s.Text) == "" || len(s.Citations) == 0 {
				t.Fatalf("accepted %+v", s)
			}
			for _, id := range s.Citations {
				if id == "C-none" {
					t.Fatal("accepted an unknown citation")
				}
			}
		}
	})
}

func TestErrorUnwraps(t *testing.T) {
	cause := errors.New("manifest differs")
	var err error = &agents.Error{Status: agents.StatusUnavailable, Text: "Bestand nicht prüfbar.", Err: cause}
	if !errors.Is(err, cause) {
		t.Error("the cause is lost")
	}
	if got := err.Error(); !strings.Contains(got, "unavailable") || !strings.Contains(got, "manifest differs") {
		t.Errorf("got %q", got)
	}
}
