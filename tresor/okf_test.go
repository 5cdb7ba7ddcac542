//go:build unix

package tresor_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"outheis/tresor"
	"outheis/tresor/internal/disk"
)

// exportTo exports the Tresor in dir to a folder.
func exportTo(t *testing.T, dir, out string, withSources bool) (tresor.Exported, error) {
	t.Helper()
	return tresor.Export(t.Context(), dir, tresor.ExportOptions{Out: out, Sources: withSources}, tresor.Options{})
}

// filesBelow returns the files below a folder by path; links and the like by their
// kind.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() {
			files[rel] = d.Type().String()
			return nil
		}
		b, err := os.ReadFile(p)
		files[rel] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// hiddenIn returns the hidden names in a folder.
func hiddenIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}

// refusedExport checks that an export was refused by the rule and that the
// target's parent holds no rest.
func refusedExport(t *testing.T, err error, part string) *tresor.ExportError {
	t.Helper()
	var refused *tresor.ExportError
	if !errors.As(err, &refused) || !strings.Contains(refused.Text, part) {
		t.Fatalf("got %v, want one with %q", err, part)
	}
	return refused
}

// The golden values of 7-export section 10.
func TestExportOfTheExample(t *testing.T) {
	dir := halle3(t)
	before := filesBelow(t, dir)
	out := filepath.Join(t.TempDir(), "neu", "paket")
	done, err := exportTo(t, dir, out, false)
	if err != nil {
		t.Fatal(err)
	}
	if done != (tresor.Exported{Dir: out, Documents: 5}) {
		t.Errorf("got %+v", done)
	}
	want := map[string]string{
		"index.md":               "981d04fa7d9381d9a30c1ad721ad493734084cd549c591369cf0b39077aa502e",
		"log.md":                 "c0cdcdb5ab2c1e2174514615df8e76e2e5ae32551bc41a80d820b3c59c106abb",
		"werkstatt/halle3.md":    "6024836ba0a53582f62dabc2a9a0bf02032337ef515fa73b37b8b7f4f7dc0dcc",
		"werkstatt/index.md":     "cd9a6910c70bf3f8995caed9e79158ea6e326fb0f621339153691b05c9da6e09",
		"werkstatt/laserraum.md": "132de50b7b4b586b87dad1eb0cd52c61115cd826e9d52dc7439bae154583678a",
	}
	got := filesBelow(t, out)
	for path, sum := range want {
		if digest(t, filepath.Join(out, path)) != sum {
			t.Errorf("%s differs:\n%s", path, got[path])
		}
	}
	if len(got) != len(want) {
		t.Errorf("files %v", slices.Sorted(maps.Keys(got)))
	}
	if info, err := os.Stat(out); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode of the folder: %v, %v", info.Mode(), err)
	}
	if !maps.Equal(before, filesBelow(t, dir)) {
		t.Error("the Tresor was changed")
	}
	if rest := hiddenIn(t, filepath.Dir(out)); rest != nil {
		t.Errorf("left behind: %v", rest)
	}
}

func TestExportWithSources(t *testing.T) {
	dir, out := halle3(t), filepath.Join(t.TempDir(), "paket")
	done, err := exportTo(t, dir, out, true)
	if err != nil || done.Documents != 5 || done.Raw != 2 {
		t.Fatalf("got %+v, %v", done, err)
	}
	for _, name := range []string{"sources/raw/S-0001__werkstattordnung.md", "sources/raw/S-0002__hallenplan.png"} {
		if digest(t, filepath.Join(out, name)) != digest(t, filepath.Join(dir, name)) {
			t.Errorf("%s differs", name)
		}
	}
	page := filesBelow(t, out)["werkstatt/halle3.md"]
	if !strings.Contains(page, "    resource: /sources/raw/S-0001__werkstattordnung.md\n") || strings.Contains(page, "not exported\n    title: Werk") {
		t.Errorf("page %s", page)
	}
}

// Two exports are the same bytes; the earlier one is kept under its own name
// (D-78).
func TestExportTwice(t *testing.T) {
	dir, parent := halle3(t), t.TempDir()
	out := filepath.Join(parent, "paket")
	if _, err := exportTo(t, dir, out, true); err != nil {
		t.Fatal(err)
	}
	first := filesBelow(t, out)
	if err := os.WriteFile(filepath.Join(out, "eigenes.md"), []byte("von Hand"), 0o600); err != nil {
		t.Fatal(err)
	}
	done, err := exportTo(t, dir, out, true)
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(first, filesBelow(t, out)) {
		t.Error("the second export differs")
	}
	if filepath.Dir(done.Former) != parent || !strings.HasPrefix(filepath.Base(done.Former), ".paket.okf-alt-") {
		t.Fatalf("former export in %q", done.Former)
	}
	first["eigenes.md"] = "von Hand"
	if !maps.Equal(first, filesBelow(t, done.Former)) {
		t.Errorf("former export: %v", slices.Sorted(maps.Keys(filesBelow(t, done.Former))))
	}
	if rest := hiddenIn(t, parent); len(rest) != 1 {
		t.Errorf("beside the target: %v", rest)
	}
}

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
		}, "nicht valide", 10},
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

// A Tresor without VERSION cannot be released, but what is pinned is exported.
func TestExportWithoutVersionAndLog(t *testing.T) {
	dir, out := halle3(t), filepath.Join(t.TempDir(), "paket")
	for _, name := range []string{"VERSION", "log.md"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	pin(t, dir)
	if done, err := exportTo(t, dir, out, false); err != nil || done.Documents != 4 {
		t.Fatalf("got %+v, %v", done, err)
	}
	if got := filesBelow(t, out)["index.md"]; !strings.Contains(got, "Bestand v?)") {
		t.Errorf("index %s", got)
	}
	put(t, dir, "log.md", "## [2026-05-06] note | gr\xfc\xdfe\n")
	if done, err := exportTo(t, dir, filepath.Join(t.TempDir(), "b"), false); err != nil || done.Documents != 4 {
		t.Errorf("a log that is no UTF-8: %+v, %v", done, err)
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
		}, "kein Verzeichnis"},
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

// D-84: a domain in the way of the bundle's own files.
func TestExportCollision(t *testing.T) {
	dir := halle3(t)
	for _, name := range []string{"INDEX.md", "ROUTER.md", "knowledge/werkstatt/halle3.md", "knowledge/werkstatt/laserraum.md"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		s := strings.NewReplacer("## werkstatt", "## sources", "/werkstatt/", "/sources/", "domain: werkstatt", "domain: sources", "-> werkstatt/", "-> sources/").Replace(string(b))
		put(t, dir, strings.Replace(name, "werkstatt", "sources", 1), s)
	}
	if err := os.RemoveAll(filepath.Join(dir, "knowledge/werkstatt")); err != nil {
		t.Fatal(err)
	}
	pin(t, dir)
	parent := t.TempDir()
	_, err := exportTo(t, dir, filepath.Join(parent, "paket"), true)
	refusedExport(t, err, "sources")
	if entries, err := os.ReadDir(parent); err != nil || len(entries) > 0 {
		t.Errorf("written: %v, %v", entries, err)
	}
	if _, err := exportTo(t, dir, filepath.Join(parent, "paket"), false); err != nil {
		t.Error(err)
	}
}

// D-80: a Tresor that changes while the bundle is prepared is not exported.
func TestExportNoticesAChange(t *testing.T) {
	for name, change := range map[string]func(dir string) error{
		"page": func(dir string) error { return os.WriteFile(filepath.Join(dir, "notes.md"), nil, 0o644) },
		"lock": func(dir string) error { return os.WriteFile(filepath.Join(dir, ".vault-release.lock"), nil, 0o600) },
		"raw": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "sources/raw/S-0001__werkstattordnung.md"), nil, 0o644)
		},
		"moved": func(dir string) error {
			return os.Rename(filepath.Join(dir, "MANIFEST.sha256"), filepath.Join(dir, "evals.md"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, parent := halle3(t), t.TempDir()
			done := false
			o := tresor.Options{}.WithHook(func(c disk.Call) error {
				if c.Op != "create" || done {
					return nil
				}
				done = true
				return change(dir)
			})
			_, err := tresor.Export(t.Context(), dir, tresor.ExportOptions{Out: filepath.Join(parent, "paket"), Sources: true}, o)
			var refused *tresor.ExportError
			if !errors.As(err, &refused) {
				t.Fatalf("got %v", err)
			}
			if entries, err := os.ReadDir(parent); err != nil || len(entries) > 0 {
				t.Errorf("left behind: %v, %v", entries, err)
			}
		})
	}
}

// Whatever call fails, the Tresor and the earlier export are whole afterwards,
// and the error says where the latter is (D-79).
func TestExportFailsAnywhere(t *testing.T) {
	dir := halle3(t)
	vault := filesBelow(t, dir)
	run := func(t *testing.T, kind string, fail func(n int, c disk.Call) error) (calls int, parent string, before map[string]string, done tresor.Exported, err error) {
		t.Helper()
		parent = t.TempDir()
		out := filepath.Join(parent, "paket")
		switch kind {
		case "earlier":
			put(t, out, "index.md", "---\nokf_version: \"0.2\"\n---\n")
			put(t, out, "eigenes.md", "von Hand")
		case "empty":
			if err := os.Mkdir(out, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		before = map[string]string{}
		if kind == "earlier" {
			before = filesBelow(t, out)
		}
		o := tresor.Options{}.WithHook(func(c disk.Call) error {
			calls++
			return fail(calls, c)
		})
		done, err = tresor.Export(t.Context(), dir, tresor.ExportOptions{Out: out, Sources: true}, o)
		return calls, parent, before, done, err
	}
	for _, kind := range []string{"absent", "empty", "earlier"} {
		total, _, _, _, err := run(t, kind, func(int, disk.Call) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		for one := 1; one <= total; one++ {
			for _, all := range []bool{false, true} {
				var failed disk.Call
				_, parent, before, done, err := run(t, kind, func(n int, c disk.Call) error {
					if n == one || all && n > one {
						if n == one {
							failed = c
						}
						return syscall.EIO
					}
					return nil
				})
				where := fmt.Sprintf("%s, call %d (%s %s), all further %v", kind, one, failed.Op, filepath.Base(failed.Path), all)
				out := filepath.Join(parent, "paket")
				if err == nil {
					if done.Former != "" {
						out = done.Former
					} else if kind == "earlier" {
						t.Errorf("%s: no former export", where)
					}
					if kind != "earlier" {
						continue
					}
				} else {
					var refused *tresor.ExportError
					if !errors.As(err, &refused) {
						t.Fatalf("%s: %v", where, err)
					}
					if rest := hiddenIn(t, parent); kind == "earlier" && len(rest) > 0 && strings.Contains(rest[0], ".okf-alt-") {
						out = filepath.Join(parent, rest[0])
						if !strings.Contains(refused.Text, out) {
							t.Errorf("%s: says %q, the former export is in %s", where, refused.Text, out)
						}
					}
					if kind == "absent" {
						if _, err := os.Lstat(out); err == nil {
							t.Errorf("%s: something is at the target", where)
						}
						continue
					}
					if rest := hiddenIn(t, parent); !all && len(rest) > 0 {
						t.Errorf("%s: left behind %v", where, rest)
					}
				}
				if !maps.Equal(before, filesBelow(t, out)) {
					t.Errorf("%s: the former export is no longer whole (%v)", where, err)
				}
			}
		}
		t.Logf("%s: %d calls", kind, total)
	}
	if !maps.Equal(vault, filesBelow(t, dir)) {
		t.Error("the Tresor was changed")
	}
}

// A program that is killed at any call leaves the earlier export whole: at its
// place or under its other name.
func TestExportKilledAnywhere(t *testing.T) {
	dir := halle3(t)
	type killed struct{}
	for n := 1; ; n++ {
		parent := t.TempDir()
		out := filepath.Join(parent, "paket")
		put(t, out, "index.md", "---\nokf_version: \"0.2\"\n---\n")
		put(t, out, "eigenes.md", "von Hand")
		before := filesBelow(t, out)
		calls := 0
		dead := func() (dead bool) {
			defer func() {
				if p := recover(); p != nil {
					if _, dead = p.(killed); !dead {
						panic(p)
					}
				}
			}()
			o := tresor.Options{}.WithHook(func(disk.Call) error {
				if calls++; calls == n {
					panic(killed{})
				}
				return nil
			})
			if _, err := tresor.Export(t.Context(), dir, tresor.ExportOptions{Out: out}, o); err != nil {
				t.Fatal(err)
			}
			return false
		}()
		if !dead {
			break
		}
		whole := false
		for _, name := range append(hiddenIn(t, parent), "paket") {
			if _, err := os.Stat(filepath.Join(parent, name)); err == nil {
				whole = whole || maps.Equal(before, filesBelow(t, filepath.Join(parent, name)))
			}
		}
		if !whole {
			t.Errorf("killed at call %d: the former export is lost", n)
		}
	}
}

// Nothing that others put into the staging folder is removed with it.
func TestExportRemovesOnlyItsOwn(t *testing.T) {
	dir, parent := halle3(t), t.TempDir()
	o := tresor.Options{}.WithHook(func(c disk.Call) error {
		if c.Op != "rename" {
			return nil
		}
		if err := os.WriteFile(filepath.Join(c.Path, "fremd.md"), []byte("fremd"), 0o644); err != nil {
			t.Error(err)
		}
		return syscall.EIO
	})
	_, err := tresor.Export(t.Context(), dir, tresor.ExportOptions{Out: filepath.Join(parent, "paket")}, o)
	refusedExport(t, err, "Ziel ist unverändert")
	rest := hiddenIn(t, parent)
	if len(rest) != 1 {
		t.Fatalf("left behind %v", rest)
	}
	if got := filesBelow(t, filepath.Join(parent, rest[0])); len(got) != 1 || got["fremd.md"] != "fremd" {
		t.Errorf("left behind %v", got)
	}
}

// What appears at the target while the bundle is prepared is not replaced.
func TestExportDoesNotReplaceWhatCameMeanwhile(t *testing.T) {
	for _, kind := range []string{"absent", "empty", "earlier"} {
		dir, parent := halle3(t), t.TempDir()
		out := filepath.Join(parent, "paket")
		switch kind {
		case "empty":
			if err := os.Mkdir(out, 0o755); err != nil {
				t.Fatal(err)
			}
		case "earlier":
			put(t, out, "index.md", "---\nokf_version: \"0.2\"\n---\n")
		}
		done := false
		o := tresor.Options{}.WithHook(func(c disk.Call) error {
			if c.Op != "create" || done {
				return nil
			}
			done = true
			if kind == "earlier" {
				if err := os.Rename(out, out+".weg"); err != nil {
					return err
				}
			}
			if err := os.MkdirAll(out, 0o755); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(out, "fremd.md"), []byte("fremd"), 0o644)
		})
		_, err := tresor.Export(t.Context(), dir, tresor.ExportOptions{Out: out}, o)
		refusedExport(t, err, "Ziel ist unverändert")
		if got := filesBelow(t, out); len(got) != 1 || got["fremd.md"] != "fremd" {
			t.Errorf("%s: at the target: %v", kind, got)
		}
		if rest := hiddenIn(t, parent); rest != nil {
			t.Errorf("%s: left behind %v", kind, rest)
		}
	}
}

// D-86: folders made on the way to the target stay.
func TestExportLeavesFoldersAbove(t *testing.T) {
	dir, parent := halle3(t), t.TempDir()
	o := tresor.Options{}.WithHook(func(c disk.Call) error {
		if c.Op == "mkdir" {
			return syscall.ENOSPC
		}
		return nil
	})
	_, err := tresor.Export(t.Context(), dir, tresor.ExportOptions{Out: filepath.Join(parent, "neu/tief/paket")}, o)
	refusedExport(t, err, "neben dem Ziel")
	if entries, err := os.ReadDir(filepath.Join(parent, "neu/tief")); err != nil || len(entries) > 0 {
		t.Errorf("above the target: %v, %v", entries, err)
	}
}

func TestExportIsStopped(t *testing.T) {
	dir, parent := halle3(t), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	o := tresor.Options{}.WithHook(func(c disk.Call) error {
		if c.Op == "write" {
			cancel()
		}
		return nil
	})
	_, err := tresor.Export(ctx, dir, tresor.ExportOptions{Out: filepath.Join(parent, "paket")}, o)
	if refusedExport(t, err, "abgebrochen"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if entries, err := os.ReadDir(parent); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
