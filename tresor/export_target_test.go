//go:build unix

package tresor_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"outheis/tresor"
)

// An empty folder is taken as it is; nothing is kept of it.
func TestExportToAnEmptyFolder(t *testing.T) {
	dir, parent := halle3(t), t.TempDir()
	out := filepath.Join(parent, "paket")
	if err := os.Mkdir(out, 0o755); err != nil {
		t.Fatal(err)
	}
	if done, err := exportTo(t, dir, out, false); err != nil || done.Former != "" {
		t.Fatalf("got %+v, %v", done, err)
	}
	if got, rest := filesBelow(t, out), hiddenIn(t, parent); len(got) != 5 || rest != nil {
		t.Errorf("%d files, beside %v", len(got), rest)
	}
}

// The gates: only a valid release is exported, and nobody may be writing it.
func TestExportGates(t *testing.T) {
	tests := map[string]struct {
		prepare  func(t *testing.T, dir string)
		part     string
		findings int
	}{
		"locked": {func(t *testing.T, dir string) { put(t, dir, ".vault-release.lock", "pid=1\n") }, ".vault-release.lock", 0}, // D-80
		"invalid": {func(t *testing.T, dir string) {
			for i := range 12 {
				put(t, dir, fmt.Sprintf("knowledge/werkstatt/x%d.md", i), "kaputt")
			}
		}, "der Tresor hat Fehler", 10},
		"changed": {func(t *testing.T, dir string) {
			for i := range 12 {
				put(t, dir, fmt.Sprintf("notes/%d.md", i), "neu")
			}
		}, "Manifest", 10},
		"never released": {func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "MANIFEST.sha256")); err != nil {
				t.Fatal(err)
			}
		}, "Manifest", 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir, parent := halle3(t), t.TempDir()
			tt.prepare(t, dir)
			_, err := exportTo(t, dir, filepath.Join(parent, "neu", "paket"), false)
			if refused := refusedExport(t, err, tt.part); len(refused.Findings) != tt.findings {
				t.Errorf("findings %v", refused.Findings)
			}
			if entries, err := os.ReadDir(parent); err != nil || len(entries) > 0 {
				t.Errorf("written: %v, %v", entries, err)
			}
		})
	}
	_, err := exportTo(t, filepath.Join(t.TempDir(), "fehlt"), t.TempDir(), false)
	var invalid *tresor.InvalidError
	if !errors.As(err, &invalid) {
		t.Errorf("no folder: %v", err)
	}
}

// D-77, D-81: every folder that is not the export's own is refused, and stays.
func TestExportTargets(t *testing.T) {
	earlier := func(t *testing.T, dir string) {
		put(t, dir, "index.md", "---\nokf_version: \"0.2\"\n---\n")
	}
	link := func(t *testing.T, target, at string) {
		if err := os.Symlink(target, at); err != nil {
			t.Fatal(err)
		}
	}
	tests := map[string]struct {
		target func(t *testing.T, base, dir string) string // base/halle3 is the Tresor
		part   string                                      // "" if it is accepted
	}{
		"the Tresor": {func(t *testing.T, _, dir string) string { return dir }, "innerhalb"},
		"inside":     {func(t *testing.T, _, dir string) string { return filepath.Join(dir, "a/b/c") }, "innerhalb"},
		"inside through a link": {func(t *testing.T, base, dir string) string {
			link(t, dir, filepath.Join(base, "link"))
			return filepath.Join(base, "link/paket")
		}, "innerhalb"},
		"above": {func(t *testing.T, base, _ string) string { earlier(t, base); return base }, "enthält den Tresor"},
		"above through a link": {func(t *testing.T, base, _ string) string {
			earlier(t, base)
			elsewhere := t.TempDir()
			link(t, filepath.Dir(base), filepath.Join(elsewhere, "link"))
			return filepath.Join(elsewhere, "link", filepath.Base(base))
		}, "enthält den Tresor"},
		"the root of everything": {func(t *testing.T, _, _ string) string { return "/" }, "enthält den Tresor"},
		"home": {func(t *testing.T, base, _ string) string {
			home := filepath.Join(base, "home")
			put(t, home, "index.md", "---\nokf_version: \"0.2\"\n---\n")
			return home
		}, "kein eigener Ordner"},
		"home through a link": {func(t *testing.T, base, _ string) string {
			put(t, base, "home/index.md", "---\nokf_version: \"0.2\"\n---\n")
			link(t, base, filepath.Join(base, "hier"))
			return filepath.Join(base, "hier/home")
		}, "kein eigener Ordner"},
		"below home": {func(t *testing.T, base, _ string) string { return filepath.Join(base, "home/paket") }, ""},
		"a link": {func(t *testing.T, base, _ string) string {
			link(t, t.TempDir(), filepath.Join(base, "link"))
			return filepath.Join(base, "link")
		}, "Symlink"},
		"a link to nowhere": {func(t *testing.T, base, _ string) string {
			link(t, "nirgends", filepath.Join(base, "link"))
			return filepath.Join(base, "link")
		}, "Symlink"},
		"below a link to nowhere": {func(t *testing.T, base, _ string) string {
			link(t, "nirgends", filepath.Join(base, "link"))
			return filepath.Join(base, "link/paket")
		}, "nicht prüfen"},
		"below a loop": {func(t *testing.T, base, _ string) string {
			link(t, "b", filepath.Join(base, "a"))
			link(t, "a", filepath.Join(base, "b"))
			return filepath.Join(base, "a/paket")
		}, "nicht prüfen"},
		"below a file": {func(t *testing.T, base, _ string) string {
			put(t, base, "datei", "")
			return filepath.Join(base, "datei/paket")
		}, "nicht prüfen"},
		"skill": {func(t *testing.T, base, _ string) string { return filepath.Join(base, ".CLAUDE/x/.codex/paket") }, "(.CLAUDE, .codex)"},
		"skill through a link": {func(t *testing.T, base, _ string) string {
			if err := os.Mkdir(filepath.Join(base, ".Codex"), 0o755); err != nil {
				t.Fatal(err)
			}
			link(t, ".Codex", filepath.Join(base, "x"))
			return filepath.Join(base, "x/paket")
		}, "(.Codex)"},
		"no skill": {func(t *testing.T, base, _ string) string { return filepath.Join(base, ".claude-export") }, ""},
		"a file": {func(t *testing.T, base, _ string) string {
			put(t, base, "datei", "")
			return filepath.Join(base, "datei")
		}, "kein Ordner. "},
		"a dot in the path": {func(t *testing.T, base, _ string) string { return base + "/x/../paket/." }, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			dir := filepath.Join(base, "halle3")
			if err := os.Rename(halle3(t), dir); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Join(base, "home"), 0o755); err != nil {
				t.Fatal(err)
			}
			out := tt.target(t, base, dir)
			before := filesBelow(t, base)
			_, err := tresor.Export(t.Context(), dir, tresor.ExportOptions{Out: out, Home: filepath.Join(base, "home")}, tresor.Options{})
			if tt.part == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			refusedExport(t, err, tt.part)
			if !maps.Equal(before, filesBelow(t, base)) {
				t.Error("something was changed")
			}
		})
	}
}

// An earlier export is known by the head of its index, nothing else.
func TestExportRecognisesAnEarlierOne(t *testing.T) {
	dir := halle3(t)
	for index, accepted := range map[string]bool{
		"---\nokf_version: \"0.2\"\n---\n":            true,
		" --- \r\nokf_version:\r\n---\r\n":            true,
		"---\nx: y\nokf_version: 9\n":                 true,
		"---\n okf_version: \"0.2\"\n---\n":           false,
		"---\nx: y\n ---\nokf_version: \"0.2\"\n":     false,
		"# Eigenes\n---\nokf_version: \"0.2\"\n---\n": false,
		"\n---\nokf_version: \"0.2\"\n---\n":          false,
		"":                                            false,
		"---\nokf_version: \"\xff\"\n":                false,
	} {
		out := filepath.Join(t.TempDir(), "paket")
		put(t, out, "index.md", index)
		if _, err := exportTo(t, dir, out, false); (err == nil) != accepted {
			t.Errorf("%q: %v", index, err)
		}
	}
	for name, prepare := range map[string]func(index string) error{
		"link": func(index string) error {
			if err := os.WriteFile(index+".alt", []byte("---\nokf_version: 0.2\n---\n"), 0o644); err != nil {
				return err
			}
			return os.Symlink("index.md.alt", index)
		},
		"hard link": func(index string) error {
			if err := os.WriteFile(index+".alt", []byte("---\nokf_version: 0.2\n---\n"), 0o644); err != nil {
				return err
			}
			return os.Link(index+".alt", index)
		},
		"pipe":   func(index string) error { return syscall.Mkfifo(index, 0o644) },
		"folder": func(index string) error { return os.Mkdir(index, 0o755) },
		"none":   func(index string) error { return os.WriteFile(index+"x", nil, 0o644) },
	} {
		out := filepath.Join(t.TempDir(), "paket")
		if err := os.Mkdir(out, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := prepare(filepath.Join(out, "index.md")); err != nil {
			t.Fatal(err)
		}
		_, err := exportTo(t, dir, out, false)
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		refusedExport(t, err, "kein früherer OKF-Export")
	}
}
