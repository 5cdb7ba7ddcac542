package begriffe_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"outheis/tresor/internal/begriffe"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/profil"
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

// No document makes the parser panic; one without errors reads back the same.
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
		again := begriffe.Parse(mustParse(t, pjson.Encode(document(r))), &found)
		if found.Errors != nil || !reflect.DeepEqual(document(r), document(again)) {
			t.Fatalf("%s read back with %v", b, found.Errors)
		}
	})
}

func mustParse(t *testing.T, b []byte) any {
	v, err := pjson.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// document returns the registry as the JSON document that Parse reads.
func document(r begriffe.Registry) pjson.Object {
	worlds, concepts := []any{}, []any{}
	for _, id := range slices.Sorted(maps.Keys(r.Worlds)) {
		w := r.Worlds[id]
		worlds = append(worlds, pjson.Object{"id": w.ID, "name": w.Name, "description": w.Description})
	}
	for _, id := range r.IDs() {
		c := r.Concepts[id]
		concepts = append(concepts, pjson.Object{"id": c.ID, "world": c.World, "preferred": c.Preferred, "aliases": c.Aliases,
			"broader": c.Broader, "related": c.Related, "definition_claim": c.DefinitionClaim})
	}
	return pjson.Object{"schema": profil.SchemaConcepts, "worlds": worlds, "concepts": concepts}
}
