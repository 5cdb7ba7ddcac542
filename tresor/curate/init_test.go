package curate_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"outheis/tresor"
	"outheis/tresor/curate"
)

func TestANewTresorIsGreenAndAnswersWithNothing(t *testing.T) {
	dir := fresh(t)
	d, err := tresor.Diagnose(dir, may(1))
	if err != nil || d.Errors != nil || d.Warnings != nil || d.Hints != nil {
		t.Errorf("doctor says %v, %v, %v, %v", err, d.Errors, d.Warnings, d.Hints)
	}
	s, err := tresor.Open(dir, tresor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.Version(), "1.0.0"; got != want {
		t.Errorf("version %s, want %s", got, want)
	}
	if got, want := tresor.Query(dir, "Wann schließt das Tor?", tresor.QueryOptions{}, tresor.Options{}).State, tresor.NoCandidates; got != want {
		t.Errorf("state %s, want %s", got, want)
	}
	for _, path := range []string{"SKILL.md", "KONZEPT.md", "references/antworten.md", "references/befuellen.md", "references/multimodal.md",
		"references/begriffswelten.md", "references/externe-quellen.md", "references/lint.md", "references/mehrere-tresore.md",
		"references/export-okf.md", "schema/profil.md", "notes/dead-ends.md", "sources/EXTERN.md", "sources/quarantine/README.md",
		"sources/derived/README.md"} {
		if s := read(t, dir, path); strings.Contains(s, "{{") || strings.Contains(s, "vault.py") || !strings.HasSuffix(s, "\n") || strings.Contains(s, "\r") {
			t.Errorf("%s is not filled in or names another engine", path)
		}
	}
	want := "## [2026-05-01] note | Tresor „Hof“ angelegt mit outheis tresor init, Scope projekt\n" +
		"## [2026-05-01] release | v1.0.0 — 0 Seiten, 0 Claims, 0 Quellen (major)\n"
	if got := read(t, dir, "log.md"); got != want {
		t.Errorf("log %q, want %q", got, want)
	}
	if got, want := read(t, dir, "ROUTER.md"), "## hof\nschlagworte: hof\nseiten:\n"; !strings.HasSuffix(got, want) {
		t.Errorf("router %q does not end in %q", got, want)
	}
	if head, _, _ := strings.Cut(read(t, dir, "SKILL.md")[4:], "---\n"); strings.Count(head, "\n") != 2 ||
		!strings.HasPrefix(head, "name: wissenstresor-projekt-hof\ndescription: 'Hof: ") || !strings.Contains(head, "Scope Projekt") {
		t.Errorf("head of SKILL.md: %s", head)
	}
}

// What an init that was killed left beside it is named, and stays.
func TestInitNamesWhatAnotherLeft(t *testing.T) {
	parent := t.TempDir()
	left := filepath.Join(parent, ".hof-init-4711")
	if err := os.MkdirAll(filepath.Join(left, "hof"), 0o700); err != nil {
		t.Fatal(err)
	}
	done, err := curate.Init(context.Background(), filepath.Join(parent, "wissenstresor-projekt-hof"), curate.NewTresor{Title: "Hof", Scope: "projekt"}, may(1))
	if err != nil || !slices.ContainsFunc(done.Notes, func(note string) bool { return strings.HasPrefix(note, left+" ") }) {
		t.Errorf("notes %q, %v", done.Notes, err)
	}
	if _, err := os.Stat(left); err != nil {
		t.Error(err)
	}
}

func TestInitLeavesNothingElse(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "Inas_Tresor")
	if err := os.Mkdir(dir, 0o700); err != nil { // an empty folder is fine
		t.Fatal(err)
	}
	done, err := curate.Init(context.Background(), dir, curate.NewTresor{Title: "Ina's | Tresor"}, may(1))
	if err != nil {
		t.Fatal(err)
	}
	if s := read(t, dir, "SKILL.md"); !strings.Contains(s, "name: inas-tresor\ndescription: 'Ina''s | Tresor: ") || !strings.Contains(s, "\n# Ina's | Tresor\n") {
		t.Errorf("SKILL.md %s", s)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has become %v, %v", info.Mode(), err)
	}
	names, err := os.ReadDir(parent)
	if err != nil || len(names) != 1 {
		t.Errorf("beside it lies %v, %v", names, err)
	}
	if len(done.Notes) != 1 || !strings.Contains(done.Notes[0], "wissenstresor-persoenlich-inas-tresor") {
		t.Errorf("notes %q, want the usual name", done.Notes)
	}
	for _, path := range done.Files {
		read(t, dir, path)
	}
	if _, err := os.Stat(filepath.Join(dir, "knowledge", "allgemein")); err != nil {
		t.Error(err)
	}
}

func TestTheScopeOfAName(t *testing.T) {
	for folder, want := range map[string]string{"wissenstresor-organisation": "Organisation", "wissenstresor-fachbereich-recht": "Fachbereich",
		"wissenstresor-projekte": "Persönlich", "hof": "Persönlich", "wissenstresor-persoenlich-a": "Persönlich"} {
		dir := filepath.Join(t.TempDir(), folder)
		if _, err := curate.Init(context.Background(), dir, curate.NewTresor{}, may(1)); err != nil {
			t.Fatal(err)
		}
		if s := read(t, dir, "SKILL.md"); !strings.Contains(s, "Scope: **"+want+"**") {
			t.Errorf("%s: the scope is not %s", folder, want)
		}
	}
}

func TestInitRefuses(t *testing.T) {
	parent := t.TempDir()
	other := fresh(t)
	write(t, filepath.Join(parent, "datei"), "x")
	full := filepath.Join(parent, "voll")
	if err := os.Mkdir(full, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(full, "x"), "x")
	for name, target := range map[string]string{"link": full, "lose": "fehlt", "innen": filepath.Join(other, "knowledge")} {
		if err := os.Symlink(target, filepath.Join(parent, name)); err != nil {
			t.Fatal(err)
		}
	}
	before, beforeOther := tree(t, parent), tree(t, other)
	new := filepath.Join(parent, "neu")
	tests := []struct {
		name, dir string
		answers   curate.NewTresor
		field     string
	}{
		{"a file", filepath.Join(parent, "datei"), curate.NewTresor{}, ""},
		{"a full folder", full, curate.NewTresor{}, ""},
		{"a link", filepath.Join(parent, "link"), curate.NewTresor{}, ""},
		{"a loose link", filepath.Join(parent, "lose"), curate.NewTresor{}, ""},
		{"no parent", filepath.Join(parent, "fehlt", "neu"), curate.NewTresor{}, ""},
		{"below a file", filepath.Join(parent, "datei", "neu"), curate.NewTresor{}, ""},
		{"in a Tresor", filepath.Join(other, "neu"), curate.NewTresor{}, ""},
		{"deep in a Tresor", filepath.Join(other, "knowledge", "hof", "neu"), curate.NewTresor{}, ""},
		{"in a Tresor by a link", filepath.Join(parent, "innen", "neu"), curate.NewTresor{}, ""},
		{"a scope that is none", new, curate.NewTresor{Scope: "team"}, "scope"},
		{"a domain with blanks", new, curate.NewTresor{Domain: "Mein Hof"}, "domain"},
		{"a domain that leads out", new, curate.NewTresor{Domain: "../x"}, "domain"},
		{"a reserved domain", new, curate.NewTresor{Domain: "sources"}, "domain"},
		{"a title of two lines", new, curate.NewTresor{Title: "a\nb"}, "title"},
		{"a title that instructs", new, curate.NewTresor{Title: "system prompt"}, "title"},
		{"a title that is no UTF-8", new, curate.NewTresor{Title: "\xff"}, "title"},
	}
	for _, tt := range tests {
		_, err := curate.Init(context.Background(), tt.dir, tt.answers, may(1))
		if field, text := refusal(t, err); field != tt.field || text == "" {
			t.Errorf("%s: field %q, text %q; want field %q", tt.name, field, text, tt.field)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := curate.Init(ended, new, curate.NewTresor{}, may(1)); err == nil {
		t.Error("an ended context does not end it")
	}
	t.Chdir(mkdir(t, parent, "hier"))
	if _, err := curate.Init(context.Background(), ".", curate.NewTresor{}, may(1)); err == nil {
		t.Error("the current folder is replaced")
	}
	t.Chdir(parent)
	if err := os.Remove(filepath.Join(parent, "hier")); err != nil {
		t.Fatal(err)
	}
	if got := changed(before, tree(t, parent)); len(got) > 0 {
		t.Errorf("changed: %v", got)
	}
	if got := changed(beforeOther, tree(t, other)); len(got) > 0 {
		t.Errorf("changed in the other Tresor: %v", got)
	}
}

func mkdir(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSlug(t *testing.T) {
	for s, want := range map[string]string{"Bürgeramt Süd": "buergeramt-sued", "Größe": "groesse", "  --a__b--  ": "a-b", "Café №1": "cafe-1", "日本": "", "": "",
		"A\u0308pfel": "aepfel"} {
		if got := curate.Slug(s); got != want {
			t.Errorf("Slug(%q) = %q, want %q", s, got, want)
		}
	}
}

// As KONZEPT.md says, a Tresor in a sub-folder of a repository with "* -text" is
// the same after a clone where Git changes line ends, once its empty folders are
// there, which its findings name.
func TestATresorInGit(t *testing.T) {
	program, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git")
	}
	parent := t.TempDir()
	repository, clone := filepath.Join(parent, "a"), filepath.Join(parent, "b")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command(program, append([]string{"-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "core.autocrlf=true"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	if err := os.CopyFS(filepath.Join(repository, "tresor"), stages().withSource); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(repository, ".gitattributes"), "* -text\n")
	git("init", "-q", repository)
	git("-C", repository, "add", ".")
	git("-C", repository, "commit", "-q", "-m", "Stand")
	git("clone", "-q", repository, clone)
	dir := filepath.Join(clone, "tresor")
	for _, f := range tresor.Validate(dir, may(2)).Errors {
		if !strings.Contains(f.Text, "nlegen") || !strings.Contains(f.Text, "Git") {
			t.Errorf("%s names no remedy", f)
		}
	}
	for path, m := range stages().withSource {
		if m.Mode.IsDir() {
			if err := os.MkdirAll(filepath.Join(dir, path), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	valid(t, dir)
}

// Who was interrupted is told that nothing was changed.
func TestInitEndsWithItsContext(t *testing.T) {
	ended, cancel := context.WithCancel(ctx)
	cancel()
	dir := filepath.Join(t.TempDir(), "neu")
	_, err := curate.Init(ended, dir, curate.NewTresor{}, may(1))
	if _, text := refusal(t, err); text != "abgebrochen; nichts wurde verändert." {
		t.Errorf("text %q", text)
	}
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("it is there: %v", err)
	}
}
