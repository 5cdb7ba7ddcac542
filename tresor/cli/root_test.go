package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"outheis/tresor/cli"
)

// needing are command lines of every command that needs a Tresor and prints for
// people.
func needing() [][]string {
	return [][]string{
		{"validate"}, {"index"}, {"graph"}, {"graph", "--format", "dot"}, {"checksum"}, {"checksum", "--verify"}, {"log", "note", "x"},
		{"release"}, {"add", "a.md", "--stand", "1", "--trust", "T1", "--rights", "frei"}, {"new", "domain", "hof", "--keyword", "hof"},
		{"recover"}, {"recover", "--apply"}, {"search", "x"}, {"route", "x"}, {"stats"}, {"eval", "fragen.jsonl"}, {"watch"}, {"doctor"},
		{"export", "--okf", "--out", "aus"}, {"source", "a.md"}, {"extern", "list"}, {"extern", "bind", "X-0001", "."}, {"extern", "unbind", "X-0001"},
	}
}

// A folder that is something else is refused before anything in it is read, or
// written: by one line that says what to do.
func TestAFolderThatIsNoTresor(t *testing.T) {
	for _, c := range cli.Commands() {
		if !c.Anywhere && !c.Document && !slices.ContainsFunc(needing(), func(args []string) bool { return args[0] == c.Name }) {
			t.Errorf("%s is not tried", c.Name)
		}
	}
	for _, args := range needing() {
		dir := t.TempDir()
		for _, name := range []string{"log.md", "VERSION", "MANIFEST.sha256", "a.md"} {
			file(t, dir, name, "fremd\n")
		}
		code, stdout, stderr := curated(dir, "-", args...)
		if code != 1 || strings.Count(stdout, "\n") != 1 || !strings.HasPrefix(stdout, "🔴 "+args[0]+": "+dir+" ist kein Tresor. ") ||
			!strings.Contains(stdout, "--root") || !strings.Contains(stdout, "init ORDNER") || stderr != "" {
			t.Errorf("%q: exit %d, %s%s", args, code, stdout, stderr)
		}
		if names, err := os.ReadDir(dir); err != nil || len(names) != 4 || content(t, dir, "log.md") != "fremd\n" {
			t.Errorf("%q wrote: %v, %v", args, names, err)
		}
		var doc struct {
			Exit   int
			Errors []string
		}
		_, stdout, _ = curated(dir, "-", append(args, "--json")...)
		if err := json.Unmarshal([]byte(stdout), &doc); err != nil || doc.Exit != 1 || len(doc.Errors) != 1 || !strings.Contains(doc.Errors[0], "ist kein Tresor") {
			t.Errorf("%q --json: %v, %s", args, err, stdout)
		}
	}
	if _, stdout, _ := curated(t.TempDir(), "-", "query", "x"); !strings.Contains(stdout, `"state": "invalid_vault"`) || !strings.Contains(stdout, "kein Tresor") ||
		strings.Contains(stdout, "release") {
		t.Errorf("query: %s", stdout)
	}
}

// One of the three folders is enough: what the others lack is told in full.
func TestAPartOfATresorIsOne(t *testing.T) {
	for _, name := range []string{"knowledge", "sources", "schema"} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if code, stdout, _ := curated(dir, "-", "validate"); code != 1 || !strings.Contains(stdout, "FEHLER") {
			t.Errorf("%s: exit %d, %s", name, code, stdout)
		}
	}
}

// An empty --root, as of a variable that is not set, is no folder.
func TestAnEmptyRootIsAMistake(t *testing.T) {
	dir := begun(t)
	before := content(t, dir, "log.md")
	for _, args := range [][]string{
		{"--root", "", "log", "note", "x"}, {"--root=", "log", "note", "x"}, {"log", "--root", "", "note", "x"}, {"log", "note", "x", "--root="},
		{"release", "--root="}, {"--root=", "recover", "--apply"}, {"query", "x", "--root="}, {"doctor", "--root", "", "--json"},
	} {
		code, _, stderr := curated(dir, "-", args...)
		if code != 2 || !strings.HasPrefix(stderr, "--root braucht einen Ordner.\n") {
			t.Errorf("%q: exit %d, %s", args, code, stderr)
		}
	}
	if got := content(t, dir, "log.md"); got != before {
		t.Errorf("log.md is %s", got)
	}
}

// A remedy is a command line that reaches the same Tresor, from where the person
// is and in a shell.
func TestRemediesReachTheTresor(t *testing.T) {
	whole := os.DirFS(begun(t))
	for root, typed := range map[string]string{
		"":             "",
		".":            " --root .",
		"./höfe/tor":   " --root ./höfe/tor",
		"mit leer":     " --root 'mit leer'",
		"a$(id)":       " --root 'a$(id)'",
		"o'hara":       ` --root 'o'\''hara'`,
		"~tor":         " --root '~tor'",
		"a{1}b; rm -r": " --root 'a{1}b; rm -r'",
	} {
		dir := t.TempDir()
		at := filepath.Join(dir, root)
		if err := os.CopyFS(at, whole); err != nil {
			t.Fatal(err)
		}
		given := func(args ...string) []string {
			if root == "" {
				return args
			}
			return append([]string{"--root", root}, args...)
		}
		says := func(remedy string, args ...string) {
			t.Helper()
			want := "outheis tresor" + typed + " " + remedy
			_, stdout, _ := curated(dir, "-", given(args...)...)
			if !strings.Contains(stdout, want) {
				t.Errorf("%q: %s lacks %s", args, stdout, want)
			}
			_, stdout, _ = curated(dir, "-", given(append(args, "--json")...)...)
			var doc any
			if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
				t.Errorf("%q --json: %v, %s", args, err, stdout)
			}
		}
		says("release\n", "new", "domain", "garten", "--keyword", "beet")
		says("search WORT\n", "route", "kommtnichtvor")
		says("release", "doctor")
		for _, name := range []string{"INDEX.md", "MANIFEST.sha256"} {
			if err := os.Remove(filepath.Join(at, name)); err != nil {
				t.Fatal(err)
			}
		}
		says("release", "eval", questions(t, outside))
		if _, stdout, _ := curated(dir, "-", given("query", "Tor")...); !strings.Contains(stdout, strings.ReplaceAll("outheis tresor"+typed+" release", `\`, `\\`)) {
			t.Errorf("query: %s", stdout)
		}
		says("index\n", "doctor")
		file(t, at, ".vault-release.lock", "pid=1\n")
		says("recover\n", "release")
		says("recover\n", "log", "note", "x")
		says("recover --apply --gone\n", "recover")
		says("recover", "export", "--okf", "--out", filepath.Join(t.TempDir(), "aus"))
		if _, stdout, _ := curated(dir, "-", given("validate", "--help")...); strings.Contains(stdout, "--root "+root+" ") && root != "" {
			t.Errorf("help: %s", stdout)
		}
	}
}

// What is only quoted is not changed.
func TestAQuotedCommandStaysAsItIs(t *testing.T) {
	dir := begun(t)
	_, stdout, _ := curated(filepath.Dir(dir), "-", "--root", filepath.Base(dir), "log", "note", "nach outheis tresor release")
	if !strings.HasSuffix(stdout, " | nach outheis tresor release\n") {
		t.Errorf("got %s", stdout)
	}
}

func TestInitTellsHowToGoOn(t *testing.T) {
	for name, typed := range map[string]string{"neu": "neu", "mit leer": "'mit leer'", "a$(id)": "'a$(id)'", "./x/": "x"} {
		if out := mustRun(t, t.TempDir(), "init", name); !strings.Contains(out, "outheis tresor --root "+typed+" add ") {
			t.Errorf("%s: %s", name, out)
		}
	}
}

// Whoever reads documents gets one for a mistake on the command line too.
func TestUsageErrorsAsDocuments(t *testing.T) {
	dir := begun(t)
	for _, tt := range []struct {
		args    []string
		command any
	}{
		{[]string{"foo", "--json"}, nil},
		{[]string{"--json", "doctor"}, nil},
		{[]string{"--root", "", "validate", "--json"}, nil},
		{[]string{"log", "note", "--json"}, "log"},
		{[]string{"validate", "x", "--json"}, "validate"},
		{[]string{"validate", "--json", "--schnell"}, "validate"},
		{[]string{"query", "--json"}, "query"},
		{[]string{"query", "x", "--limit", "viele", "--json"}, "query"},
		{[]string{"media-template", "--json"}, "media-template"},
		{[]string{"release", "groß", "--json"}, "release"},
		{[]string{"graph", "--format", "png", "--json"}, "graph"},
		{[]string{"eval", "x", "--misses", "--json"}, "eval"},
		{[]string{"watch", "x", "--json"}, "watch"},
		{[]string{"export", "--json"}, "export"},
		{[]string{"extern", "x", "--json"}, "extern"},
		{[]string{"new", "ding", "--json"}, "new"},
		{[]string{"new", "domain", "x", "--json"}, "new domain"},
		{[]string{"add", "../ordnung.md", "--json"}, "add"},
		{[]string{"init", "--json"}, "init"},
	} {
		code, stdout, stderr := curated(dir, "-", tt.args...)
		var doc map[string]any
		if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
			t.Errorf("%q: %v in %s", tt.args, err, stdout)
			continue
		}
		said, _ := doc["errors"].([]any)
		if code != 2 || doc["exit"] != 2.0 || doc["command"] != tt.command || len(said) != 1 || !strings.HasPrefix(stderr, said[0].(string)) ||
			!strings.HasSuffix(stderr, "--help\n") {
			t.Errorf("%q: exit %d, %s%s", tt.args, code, stdout, stderr)
		}
	}
	if _, stdout, _ := curated(dir, "-", "foo", "--", "--json"); stdout != "" {
		t.Errorf("--json as a word: %s", stdout)
	}
}
