//go:build unix

package test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// guideFile is a file that docs/tresor.md shows: its path in backticks, alone in
// a line, and the block that follows.
var guideFile = regexp.MustCompile("(?m)^`([^`\n]+)`\n\n```text\n((?s:.*?))```$")

// guide writes the files that docs/tresor.md shows, and returns the folder and
// the sessions.
func guide(t *testing.T) (dir string, session []string) {
	t.Helper()
	dir = t.TempDir()
	session = sessions(t, "docs/tresor.md")
	if !strings.HasPrefix(session[0], "mkdir ") {
		t.Fatalf("the first command is %q", session[0])
	}
	shell(t, dir, session[0])
	files := guideFile.FindAllStringSubmatch(read(t, "docs/tresor.md"), -1)
	if len(files) != 9 {
		t.Fatalf("%d files", len(files))
	}
	for _, m := range files {
		if err := os.WriteFile(filepath.Join(dir, m[1]), []byte(m[2]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, session[1:]
}

// shell runs a command line of the guide in dir.
func shell(t *testing.T, dir, line string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "OUTHEIS_HUMAN="+filepath.Join(dir, "human"), "OUTHEIS_LANG=de", "LANG=", "LC_ALL=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}

// The Tresor of docs/tresor.md, written by hand, validates without a warning,
// releases and answers.
func TestATresorWrittenByHand(t *testing.T) {
	lookAtSources(t)
	dir, session := guide(t)
	for i, want := range []string{
		"🟢 validate: 0 Fehler, 0 Warnungen — 1 Seite, 4 Claims, 1 Quelle.\n",
		"🟢 release: v1.0.0 ",
		"Werkzeug wird für höchstens sieben Tage ausgeliehen. [C-0001]",
		"Die Kettensäge bekommt nur, wer einen Motorsägenschein vorlegt. [C-0003]",
	} {
		if got := shell(t, dir, session[i]); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", session[i], got, want)
		}
	}
	if code, out, _ := outheis(t, "ask", "--lang", "de", "--tresor", filepath.Join(dir, "verleih"), "Was kostet eine Leiter?"); code != 3 || !strings.Contains(out, "Nicht im Bestand") {
		t.Errorf("exit %d, %s", code, out)
	}
	// What it says about the other commands holds for this Tresor as well.
	for _, line := range session[4:] {
		switch {
		case strings.Contains(line, " doctor"):
			if got := shell(t, dir, line); !strings.Contains(got, "🟢 doctor: 0 Fehler, 0 Warnungen") {
				t.Errorf("%s: %s", line, got)
			}
		case strings.Contains(line, " graph "):
			if got := shell(t, dir, line); !strings.HasPrefix(got, "flowchart LR\n") {
				t.Errorf("%s: %s", line, got)
			}
		case strings.Contains(line, " eval "):
			shell(t, dir, line)
			var report map[string]float64
			if err := json.Unmarshal([]byte(shell(t, dir, line+" --json")), &report); err != nil || len(report) != 9 {
				t.Fatalf("%s: %v, %v", line, report, err)
			}
			for name := range report {
				if name != "answerable" && name != "unanswerable" && !strings.Contains(read(t, "docs/tresor.md"), "`"+name+"`") {
					t.Errorf("the guide does not explain %s", name)
				}
			}
		}
	}
}

// The commands of docs/tresor.md, one after the other, give a Tresor that
// answers as well.
func TestATresorWrittenWithCommands(t *testing.T) {
	lookAtSources(t)
	dir, session := guide(t)
	source, err := os.ReadFile(filepath.Join(dir, "verleih/sources/raw/S-0001__ausleihordnung.md"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "verleih")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "ausleihordnung.md"), source, 0o644); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, line := range session {
		if strings.Contains(line, " init ") || strings.Contains(line, " add ") || strings.Contains(line, " new ") || strings.Contains(line, " release minor") {
			shell(t, dir, line)
			n++
		}
	}
	if n != 6 {
		t.Errorf("%d commands", n)
	}
	if got := shell(t, dir, session[2]); !strings.Contains(got, "Werkzeug wird für höchstens sieben Tage ausgeliehen. [C-0001]") {
		t.Errorf("got %s", got)
	}
}
