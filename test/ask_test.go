//go:build unix

package test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// outheis runs the program on a human directory of its own.
func outheis(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.Command("outheis", args...)
	cmd.Env = append(cmd.Environ(), "OUTHEIS_HUMAN="+filepath.Join(t.TempDir(), "human"), "OUTHEIS_LANG=", "LANG=", "LC_ALL=")
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	var exit *exec.ExitError
	if e := cmd.Run(); errors.As(e, &exit) {
		code = exit.ExitCode()
	} else if e != nil {
		t.Fatal(e)
	}
	return code, out.String(), err.String()
}

// The JSON of ask has the same fields whatever comes, each of one type, so that
// a program can read it without looking at the status first.
func TestAskJSON(t *testing.T) {
	lookAtSources(t)
	missing := filepath.Join(t.TempDir(), "nirgends")
	tests := []struct {
		name   string
		args   []string
		status string
		code   int
	}{
		{"answered", []string{"Wie verbinde ich Telegram?"}, "ok", 0},
		{"not in the Bestand", []string{"Wie hoch ist der Eiffelturm?"}, "not_found", 3},
		{"in English", []string{"--lang", "en", "How do I connect Telegram?"}, "ok", 0},
		{"asks back", []string{"Hallo!"}, "ambiguous", 4},
		{"nobody in charge", []string{"@niemand", "Wer?"}, "unavailable", 5},
		{"missing Tresor", []string{"--tresor", missing, "Wer?"}, "unavailable", 5},
		{"broken configuration", []string{"--human", "testdata/kaputt", "Wer?"}, "failed", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, stdout, _ := outheis(t, append([]string{"ask", "--json"}, tt.args...)...)
			if code != tt.code || strings.Count(stdout, "\n") != 1 {
				t.Fatalf("exit %d, want %d, and one line: %s", code, tt.code, stdout)
			}
			var got answer
			dec := json.NewDecoder(strings.NewReader(stdout))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&got); err != nil {
				t.Fatal(err)
			}
			if got.V != 1 || got.Status != tt.status || got.Text == "" {
				t.Errorf("version %d, status %q, text %q", got.V, got.Status, got.Text)
			}
			got.check(t)
			haveFields(t, stdout)
		})
	}
}

// answer is the form of ask --json.
type answer struct {
	V          int    `json:"v"`
	Status     string `json:"status"`
	Text       string `json:"text"`
	Statements []struct {
		Text      string   `json:"text"`
		Citations []string `json:"citations"`
	} `json:"statements"`
	Citations []struct {
		Kind        string `json:"kind"`
		ID          string `json:"id"`
		Tresor      string `json:"tresor"`
		Version     string `json:"version"`
		Manifest    string `json:"manifest"`
		Page        string `json:"page"`
		Source      string `json:"source"`
		SourceTitle string `json:"source_title"`
		Locator     string `json:"locator"`
		Art         string `json:"art"`
		Stand       string `json:"stand"`
		Confidence  string `json:"confidence"`
	} `json:"citations"`
	Stand      string   `json:"stand"`
	Confidence string   `json:"confidence"`
	Notes      []string `json:"notes"`
	Gaps       []string `json:"gaps"`

	// Only where nothing was found.
	Nearest  []json.RawMessage `json:"nearest"`
	Reviewed int               `json:"reviewed"`
}

// check holds an answer to what makes it one: statements with citations that are
// there, or neither.
func (a answer) check(t *testing.T) {
	t.Helper()
	cited := make(map[string]bool)
	for _, c := range a.Citations {
		cited[c.ID] = true
		for field, value := range map[string]string{
			"kind": c.Kind, "tresor": c.Tresor, "page": c.Page, "source": c.Source, "source_title": c.SourceTitle,
			"locator": c.Locator, "art": c.Art, "stand": c.Stand, "confidence": c.Confidence,
		} {
			if value == "" {
				t.Errorf("citation %s has no %s", c.ID, field)
			}
		}
	}
	for _, s := range a.Statements {
		if len(s.Citations) == 0 || slices.ContainsFunc(s.Citations, func(id string) bool { return !cited[id] }) {
			t.Errorf("statement %q cites %q of %q", s.Text, s.Citations, slices.Sorted(maps.Keys(cited)))
		}
	}
	if ok := a.Status == "ok"; ok != (len(a.Statements) > 0) || ok != (a.Stand != "") || ok != (a.Confidence != "") {
		t.Errorf("status %s with %d statements, Stand %q, confidence %q", a.Status, len(a.Statements), a.Stand, a.Confidence)
	}
	if (a.Status == "not_found") != strings.HasPrefix(a.Text, "Nicht im Bestand") {
		t.Errorf("status %s with text %q", a.Status, a.Text)
	}
}

// haveFields checks that no field of the form is left out or null.
func haveFields(t *testing.T, object string) {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"v", "status", "text", "statements", "citations", "stand", "confidence", "notes", "gaps"} {
		if value, ok := fields[name]; !ok || string(value) == "null" {
			t.Errorf("field %q is %q", name, value)
		}
	}
}
