package begriffe_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"outheis/tresor/internal/begriffe"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/pjson"
)

func parse(t *testing.T, concepts string) (begriffe.Registry, []check.Finding) {
	t.Helper()
	v, err := pjson.Parse([]byte(`{"schema": "skillsafe.begriffswelten/v1",
		"worlds": [{"id": "BW-0001", "name": "a", "description": "b"}, {"id": "BW-0002", "name": "c", "description": "d"}],
		"concepts": [` + concepts + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	var f check.Findings
	r := begriffe.Parse(v, &f)
	return r, f.Errors
}

func concept(id, world, preferred, aliases, broader string) string {
	return `{"id": "` + id + `", "world": "` + world + `", "preferred": "` + preferred + `", "aliases": [` + aliases +
		`], "broader": [` + broader + `], "related": [], "definition_claim": "C-0001"}`
}

func TestParse(t *testing.T) {
	r, errs := parse(t, concept("B-0002", "BW-0001", "Schutzausrüstung", `"PSA"`, "")+","+
		concept("B-0001", "BW-0001", "Schutzbrille", "", `"B-0002"`)+","+concept("B-0003", "BW-0002", "PSA", "", ""))
	if errs != nil {
		t.Errorf("errors %v", errs)
	}
	if got, want := r.IDs(), []string{"B-0001", "B-0002", "B-0003"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := r.Concepts["B-0002"].Labels(), []string{"Schutzausrüstung", "PSA"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEdgesAndLabels(t *testing.T) {
	tests := []struct {
		name, concepts, rules string
	}{
		{"self edge", concept("B-0001", "BW-0001", "a", "", `"B-0001"`), "CO-19"},
		{"unknown target", concept("B-0001", "BW-0001", "a", "", `"B-0009"`), "CO-20"},
		{"other world", concept("B-0001", "BW-0001", "a", "", `"B-0002"`) + "," + concept("B-0002", "BW-0002", "b", "", ""), "CO-21"},
		{"label without a letter", concept("B-0001", "BW-0001", "…", "", ""), "CO-22"},
		{"label twice", concept("B-0001", "BW-0001", "Gießkanne", `"GIESSKANNE"`, ""), "CO-23"},
		{"label of another one", concept("B-0001", "BW-0001", "a-b", "", "") + "," + concept("B-0002", "BW-0001", "c", `"A  B"`, ""), "CO-24"},
		{"cycle", concept("B-0001", "BW-0001", "a", "", `"B-0002"`) + "," + concept("B-0002", "BW-0001", "b", "", `"B-0003"`) + "," +
			concept("B-0003", "BW-0001", "c", "", `"B-0001"`), "CO-25"},
		{"instruction", concept("B-0001", "BW-0001", "System prompt", `"x", "developer message"`, ""), "CO-12 CO-17"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, errs := parse(t, tt.concepts)
			var rules []string
			for _, e := range errs {
				rules = append(rules, e.Key)
			}
			if got := strings.Join(rules, " "); got != tt.rules {
				t.Errorf("got %s, want %s", got, tt.rules)
			}
		})
	}
}

// D-21: what broader edges lead to from a cycle is named with it.
func TestCycleNamesWhatIsBelowIt(t *testing.T) {
	_, errs := parse(t, concept("B-0001", "BW-0001", "a", "", `"B-0002"`)+","+concept("B-0002", "BW-0001", "b", "", `"B-0001", "B-0003"`)+","+
		concept("B-0003", "BW-0001", "c", "", "")+","+concept("B-0004", "BW-0001", "d", "", `"B-0001"`))
	if len(errs) != 1 || errs[0].Key != "CO-25" || !slices.Equal(errs[0].Args[0].([]string), []string{"B-0001", "B-0002", "B-0003"}) {
		t.Errorf("got %v", errs)
	}
}

// A document without errors is written and reads back the same.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"schema": "skillsafe.begriffswelten/v1", "worlds": [{"id": "BW-0001", "name": "a", "description": "b"}],
		"concepts": [` + concept("B-0001", "BW-0001", "a", `"b"`, "") + `]}`))
	f.Add([]byte(`{"schema": 1, "worlds": [3], "concepts": [{"id": "B-0001", "world": [], "preferred": {}, "aliases": [1], "broader": "x", "related": [null], "definition_claim": 0}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := pjson.Parse(b)
		if err != nil {
			return
		}
		var found check.Findings
		r := begriffe.Parse(v, &found)
		if found.Errors != nil {
			return
		}
		rendered, err := r.Render()
		if err != nil {
			t.Fatalf("%s is accepted but not written: %v", b, err)
		}
		v, err = pjson.Parse(rendered)
		if err != nil {
			t.Fatal(err)
		}
		if again := begriffe.Parse(v, &found); found.Errors != nil || !reflect.DeepEqual(r.Document(), again.Document()) {
			t.Fatalf("%s became %s with %v", b, rendered, found.Errors)
		}
	})
}

func TestAdd(t *testing.T) {
	empty, err := begriffe.Registry{}.Render()
	if want := "{\n  \"concepts\": [],\n  \"schema\": \"skillsafe.begriffswelten/v1\",\n  \"worlds\": []\n}\n"; string(empty) != want || err != nil {
		t.Fatalf("got %s, %v; want %s", empty, err, want)
	}
	world := begriffe.World{ID: "BW-0001", Name: "Werkstatt", Description: "Fachsprache."}
	b, err := begriffe.AddWorld(empty, world)
	if err != nil {
		t.Fatal(err)
	}
	brille := begriffe.Concept{ID: "B-0002", World: "BW-0001", Preferred: "Brille", Aliases: []string{"Augenschutz"}, DefinitionClaim: "C-0001"}
	if b, err = begriffe.AddConcept(b, brille); err != nil {
		t.Fatal(err)
	}
	again := brille
	again.ID, again.Preferred, again.Aliases, again.Broader = "B-0001", "Laser", nil, []string{"B-0002"}
	if b, err = begriffe.AddConcept(b, again); err != nil {
		t.Fatal(err)
	}
	v, _ := pjson.Parse(b)
	r := begriffe.Parse(v, &check.Findings{})
	if got := r.Concepts["B-0002"]; got == nil || got.Preferred != "Brille" || !slices.Equal(got.Aliases, brille.Aliases) || r.Worlds["BW-0001"] != world ||
		!slices.Equal(r.Concepts["B-0001"].Broader, []string{"B-0002"}) {
		t.Errorf("got %s", b)
	}
	for name, tt := range map[string]struct {
		change func(*begriffe.Concept)
		want   string
	}{
		"taken":       {func(c *begriffe.Concept) {}, "CO-10"},
		"label taken": {func(c *begriffe.Concept) { c.ID = "B-0003" }, "CO-24"},
		"no world":    {func(c *begriffe.Concept) { c.ID, c.World = "B-0003", "BW-0009" }, "CO-11"},
		"no label":    {func(c *begriffe.Concept) { c.ID, c.Preferred = "B-0003", "" }, "PT-2"},
		"instruction": {func(c *begriffe.Concept) { c.ID, c.Preferred = "B-0003", "system prompt" }, "CO-12"},
		"no UTF-8":    {func(c *begriffe.Concept) { c.ID, c.Preferred = "B-0003", "\xff" }, "JS-2"},
		"unknown broader": {func(c *begriffe.Concept) {
			c.ID, c.Preferred, c.Aliases, c.Broader = "B-0003", "x", nil, []string{"B-0009"}
		}, "CO-20"},
		"no ID":            {func(c *begriffe.Concept) { c.ID = "B-3" }, "CO-9"},
		"no definition ID": {func(c *begriffe.Concept) { c.ID, c.Preferred, c.Aliases, c.DefinitionClaim = "B-0003", "x", nil, "" }, "CO-13"},
	} {
		c := brille
		tt.change(&c)
		var refusal *check.Refusal
		if _, err := begriffe.AddConcept(b, c); !errors.As(err, &refusal) || refusal.Key != tt.want {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
	var refusal *check.Refusal
	if _, err := begriffe.AddWorld(b, world); !errors.As(err, &refusal) || refusal.Key != "CO-6" {
		t.Errorf("got %v, want CO-6", err)
	}
	if _, err := begriffe.AddWorld([]byte("{"), world); !errors.As(err, &refusal) || refusal.Key != "JS-2" {
		t.Errorf("got %v, want JS-2", err)
	}
}
