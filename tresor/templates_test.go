package tresor_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"outheis/tresor"
	"outheis/tresor/internal/abruf"
)

// A refusal is what a refused template prints.
type refusal struct {
	Schema, State string
	Errors        []string
}

func refusalOf(t *testing.T, tm tresor.Template) refusal {
	t.Helper()
	var r refusal
	d := json.NewDecoder(strings.NewReader(string(tm.JSON)))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil || tm.OK || len(r.Errors) == 0 {
		t.Fatalf("no refusal: %s, %v", tm.JSON, err)
	}
	return r
}

func TestAnchorTemplateRefuses(t *testing.T) {
	dir, root := halle3(t), regelwerk(t)
	bindSource(t, dir, "X-0001", root)
	put(t, root, "viele.md", strings.Repeat("Ja. ", 9999))
	put(t, root, "zu-viele.md", strings.Repeat("Ja. ", 10000))
	put(t, root, "b.MD", "x")
	put(t, root, "latin1.md", "gr\xfc\xdfe")
	for _, tt := range []struct{ id, document, state, prefix string }{
		{"X-0009", "a.md", "invalid_source", "X-0009 "},
		{"X-0002", "a.md", "not_bound", "X-0002 "},
		{"X-0003", "a.md", "unreachable", "a.md: "},
		{"X-0001", "fehlt.md", "unreachable", "fehlt.md: "},
		{"X-0001", "../a.md", "unreachable", "../a.md: "},
		{"X-0001", "latin1.md", "unreachable", "latin1.md: "},
		{"X-0001", "b.MD", "unreachable", "b.MD: "},                   // D-55
		{"X-0001", "zu-viele.md", "budget_exceeded", "zu-viele.md: "}, // D-55
	} {
		r := refusalOf(t, tresor.AnchorTemplate(t.Context(), dir, tt.id, tt.document, nil, tresor.Options{}))
		if r.Schema != "skillsafe.anchors/v1" || r.State != tt.state || len(r.Errors) != 1 || !strings.HasPrefix(r.Errors[0], tt.prefix) {
			t.Errorf("%s %s: %+v", tt.id, tt.document, r)
		}
	}
	if tm := tresor.AnchorTemplate(t.Context(), dir, "X-0001", "viele.md", nil, tresor.Options{}); !tm.OK || !strings.Contains(string(tm.JSON), `"id": "A-9999"`) {
		t.Error("9999 sentences are too many")
	}
	if r := refusalOf(t, tresor.AnchorTemplate(t.Context(), "fehlt", "X-0001", "a.md", nil, tresor.Options{})); r.State != "invalid_source" {
		t.Errorf("no Tresor: %+v", r)
	}
	put(t, dir, "sources/EXTERN.md", "| X-0001 | kurz |\n| X-0002 | kurz |\n")
	if r := refusalOf(t, tresor.AnchorTemplate(t.Context(), dir, "X-0001", "a.md", nil, tresor.Options{})); r.State != "invalid_source" || len(r.Errors) != 2 {
		t.Errorf("broken register: %+v", r)
	}
}

// The sentence that the example cites is in the template as the example has it:
// what a person makes of a template is valid.
func TestAnchorTemplateIsWhatValidationAccepts(t *testing.T) {
	dir, root := halle3(t), regelwerk(t)
	bindSource(t, dir, "X-0001", root)
	tm := tresor.AnchorTemplate(t.Context(), dir, "X-0001", "regeln/laser.md", nil, tresor.Options{})
	if !tm.OK || tm.Note != "" {
		t.Fatalf("%s %s", tm.JSON, tm.Note)
	}
	filled := strings.NewReplacer("AUSFÜLLEN", "Absatz 1", `"verified": false`, `"verified": true`).Replace(string(tm.JSON))
	put(t, dir, "sources/derived/X-0001__anchors.json", filled)
	if r := tresor.Validate(dir, tresor.Options{}); !r.OK() {
		t.Errorf("errors %v", r.Errors)
	}
}

// D-49: a fetch for a template is logged too, and what goes wrong with that is
// said beside the document.
func TestAnchorTemplateLogsItsFetchD49(t *testing.T) {
	dir := halle3(t)
	net := &shelf{documents: map[string]string{"X-0003:a.md": "Laser an.", "X-0003:b.md": "\xff", "X-0003:alt.md": "Laser aus."},
		kept: map[string]int{"X-0003:alt.md": 5}, refuse: map[string]*abruf.Refusal{"X-0003:b.md": abruf.Refuse(abruf.NotUTF8, nil, 0)}}
	if tm := tresor.AnchorTemplate(t.Context(), dir, "X-0003", "a.md", net, day); !tm.OK || tm.Note != "" {
		t.Fatalf("%s %s", tm.JSON, tm.Note)
	}
	if tm := tresor.AnchorTemplate(t.Context(), dir, "X-0003", "alt.md", net, day); !tm.OK {
		t.Fatalf("%s", tm.JSON)
	}
	if r := refusalOf(t, tresor.AnchorTemplate(t.Context(), dir, "X-0003", "b.md", net, day)); r.State != "unreachable" {
		t.Errorf("got %+v", r)
	}
	got := logOf(t, dir)
	if len(got) != 2 || !strings.Contains(got[0], "/a.md sha256=") || !strings.Contains(got[1], "/b.md sha256=") {
		t.Errorf("log %q", got)
	}
	put(t, dir, ".vault-release.lock", "pid=1\n")
	if tm := tresor.AnchorTemplate(t.Context(), dir, "X-0003", "a.md", net, day); !tm.OK || !strings.Contains(tm.Note, ".vault-release.lock") {
		t.Errorf("locked: %v, note %q", tm.OK, tm.Note)
	}
}

func TestOrchestratorTemplate(t *testing.T) {
	dir, root := halle3(t), regelwerk(t)
	for id, state := range map[string]string{"X-0009": "invalid_source", "X-0002": "invalid_source", "X-0003": "not_bound", "X-0001": "not_bound"} {
		if r := refusalOf(t, tresor.OrchestratorTemplate(dir, id, tresor.Options{})); r.State != state || r.Schema != "skillsafe.orchestrator/v1" {
			t.Errorf("%s: %+v", id, r)
		}
	}
	bindSource(t, dir, "X-0001", root)
	want, err := os.ReadFile(filepath.Join(dir, "sources/derived/X-0001__orchestrator.json"))
	if err != nil {
		t.Fatal(err)
	}
	var example, made any
	tm := tresor.OrchestratorTemplate(dir, "X-0001", tresor.Options{})
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(tm.JSON), "AUSFÜLLEN", "Laserraum")), &made); err != nil || !tm.OK {
		t.Fatal(err)
	}
	if err := json.Unmarshal(want, &example); err != nil {
		t.Fatal(err)
	}
	if g, w := encoded(t, made), encoded(t, example); g != w {
		t.Errorf("got %s\nwant %s", g, w)
	}
	put(t, dir, "sources/derived/X-0001__orchestrator.json", string(tm.JSON))
	if r := tresor.Validate(dir, tresor.Options{}); !r.OK() {
		t.Errorf("validation refuses the template: %v", r.Errors)
	}

	// D-55: what the format refuses in a catalogue is not put there
	put(t, root, "b.MD", "Noch etwas.")
	put(t, root, "a.md", "Noch etwas.")
	var doc struct {
		Count     int `json:"document_count"`
		Documents []struct{ Path string }
	}
	if err := json.Unmarshal(tresor.OrchestratorTemplate(dir, "X-0001", tresor.Options{}).JSON, &doc); err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, d := range doc.Documents {
		paths = append(paths, d.Path)
	}
	if !slices.Equal(paths, []string{"a.md", "regeln/laser.md"}) || doc.Count != 2 {
		t.Errorf("%d documents: %q", doc.Count, paths)
	}
	put(t, root, "c.md", "\xff")
	if r := refusalOf(t, tresor.OrchestratorTemplate(dir, "X-0001", tresor.Options{})); r.State != "budget_exceeded" || !strings.HasPrefix(r.Errors[0], "c.md: ") {
		t.Errorf("got %+v", r)
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A catalogue that validation would not read is made all the same, with a note:
// a person takes documents out of it.
func TestOrchestratorTemplateBeyondItsFile(t *testing.T) {
	dir, root := halle3(t), regelwerk(t)
	bindSource(t, dir, "X-0001", root)
	var words []string
	for i := range 12 {
		words = append(words, strings.Repeat(string(rune('a'+i)), 60))
	}
	for i := range 2000 {
		if err := os.WriteFile(filepath.Join(root, "d"+strings.Repeat("0", i/100)+strconv.Itoa(i)+".md"), []byte(strings.Join(words, " ")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	steps := 0
	o := tresor.Options{Progress: func(stage tresor.Stage, done, total int) {
		if stage == tresor.StageLookup && total == 2001 {
			steps++
		}
	}}
	tm := tresor.OrchestratorTemplate(dir, "X-0001", o)
	if !tm.OK || len(tm.JSON) <= 2<<20 || tm.Note == "" || steps != 2001 {
		t.Errorf("%v, %d bytes, note %q, %d steps", tm.OK, len(tm.JSON), tm.Note, steps)
	}
}
