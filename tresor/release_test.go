package tresor_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"outheis/tresor"
	"outheis/tresor/internal/disk"
)

// day is the date that the specification's golden values were made on.
var day = tresor.Options{Now: func() time.Time { return time.Date(2026, 5, 6, 12, 0, 0, 0, time.Local) }}

// unreleased lays the example Tresor of the specification to a fresh folder.
func unreleased(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "halle3")
	must(t, os.CopyFS(dir, os.DirFS("testdata/halle3")))
	must(t, os.Mkdir(filepath.Join(dir, "graph"), 0o755))
	put(t, dir, "VERSION", "0.4.2\n")
	return dir
}

// content returns all files below dir by path.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		all[filepath.ToSlash(rel)] = string(b)
		return err
	}))
	return all
}

// difference names the first path that differs.
func difference(a, b map[string]string) string {
	for path := range a {
		if b[path] != a[path] {
			return path
		}
	}
	for path := range b {
		if _, ok := a[path]; !ok {
			return path
		}
	}
	return ""
}

// besides lists what lies beside the Tresor in dir.
func besides(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(filepath.Dir(dir))
	must(t, err)
	var names []string
	for _, e := range list {
		if e.Name() != filepath.Base(dir) {
			names = append(names, e.Name())
		}
	}
	return strings.Join(names, " ")
}

// The golden values of 3-artefacts section 9.
func TestReleaseOfTheExample(t *testing.T) {
	dir := unreleased(t)
	r, err := tresor.Release(t.Context(), dir, tresor.Major, day)
	if err != nil {
		t.Fatal(err)
	}
	if r.Version != "1.0.0" || r.Pages != 2 || r.Nodes != 2 || r.Edges != 1 || r.Files != 16 || r.Claims != 5 || r.Sources != 2 || len(r.Warnings) != 2 {
		t.Errorf("released %+v", r)
	}
	if want := "7d4a875e25f06602ccb713fc46a1269120eafd18ca7888c9d6b8dca400e3a530"; digest(t, filepath.Join(dir, "MANIFEST.sha256")) != want {
		t.Error("another manifest")
	}
	b, err := os.ReadFile(filepath.Join(dir, "log.md"))
	if want := "## [2026-05-06] release | v1.0.0 — 2 Seiten, 5 Claims, 2 Quellen (major)\n"; err != nil || string(b) != want {
		t.Errorf("log %q, %v", b, err)
	}
	if s := open(t, dir); s.Version() != "1.0.0" {
		t.Errorf("opened version %s", s.Version())
	}
	if left := besides(t, dir); left != "" {
		t.Errorf("left beside the Tresor: %s", left)
	}
}

// What is released twice from the same files is the same twice, and what the
// single commands derive from a release is what the release holds.
func TestReleasesAreReproducible(t *testing.T) {
	a, b := unreleased(t), unreleased(t)
	for _, level := range []tresor.Level{tresor.Major, tresor.Minor, tresor.Patch} {
		for _, dir := range []string{a, b} {
			if _, err := tresor.Release(t.Context(), dir, level, day); err != nil {
				t.Fatal(err)
			}
		}
		if d := difference(content(t, a), content(t, b)); d != "" {
			t.Errorf("%s: %s differs", level, d)
		}
	}
	released := content(t, a)
	for _, path := range []string{"INDEX.md", "graph/graph.json", "MANIFEST.sha256"} {
		remove(t, a, path)
	}
	pin(t, a)
	if d := difference(released, content(t, a)); d != "" {
		t.Errorf("%s differs when derived alone", d)
	}
	if open(t, a).Version() != "1.1.1" {
		t.Error("another version")
	}
}

func TestReleaseRefuses(t *testing.T) {
	tests := []struct {
		name   string
		damage func(t *testing.T, dir string)
		text   string
	}{
		{"errors", func(t *testing.T, dir string) { put(t, dir, "ROUTER.md", "") }, "ROUTER.md: "},
		{"quarantine", func(t *testing.T, dir string) { put(t, dir, "sources/quarantine/x.md", "x") }, "sources/quarantine/x.md"},
		{"link", func(t *testing.T, dir string) { link(t, "ROUTER.md", filepath.Join(dir, "x.md")) }, "x.md: "},
		{"lock", func(t *testing.T, dir string) { put(t, dir, ".vault-release.lock", "pid=1\n") }, ".vault-release.lock: "},
		{"no version", func(t *testing.T, dir string) { remove(t, dir, "VERSION") }, "VERSION"},
		{"bad version", func(t *testing.T, dir string) { put(t, dir, "VERSION", "1.0") }, "“1.0”"},
		{"D-32", func(t *testing.T, dir string) { put(t, dir, "VERSION", "1.0.9007199254740993") }, "“1.0.9007199254740993”"},
		{"D-32 overflow", func(t *testing.T, dir string) { put(t, dir, "VERSION", "99999999999999999999.0.0") }, "“99999999999999999999.0.0”"},
		{"D-63 no folder", func(t *testing.T, dir string) { must(t, os.RemoveAll(filepath.Join(dir, "graph"))) }, "graph: the folder is missing"},
		{"log is a folder", func(t *testing.T, dir string) { must(t, os.Mkdir(filepath.Join(dir, "log.md"), 0o755)) }, "log.md "},
		{"D-04 log", func(t *testing.T, dir string) { put(t, dir, "log.md", "a\xff\n") }, "log.md is not valid UTF-8 (byte 1)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := unreleased(t)
			tt.damage(t, dir)
			before := content(t, dir)
			_, err := tresor.Release(t.Context(), dir, tresor.Patch, tresor.Options{Lang: "en"})
			if err == nil || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("got %v", err)
			}
			if d := difference(before, content(t, dir)); d != "" {
				t.Errorf("%s changed", d)
			}
			if left := besides(t, dir); left != "" {
				t.Errorf("left beside the Tresor: %s", left)
			}
		})
	}
}

// D-32: leading zeros are accepted and vanish.
func TestNextVersion(t *testing.T) {
	for former, want := range map[string]string{"1.2.3": "1.2.4", " 01.002.0 \n": "1.2.1", "0.0.9007199254740991": "0.0.9007199254740992"} {
		dir := unreleased(t)
		put(t, dir, "VERSION", former)
		if r, err := tresor.Release(t.Context(), dir, tresor.Patch, day); err != nil || r.Version != want {
			t.Errorf("after %q: %q, %v", former, r.Version, err)
		}
	}
}

// D-32: no release writes a version that the next one would not read.
func TestAfterTheLastVersion(t *testing.T) {
	for former, level := range map[string]tresor.Level{"0.0.9007199254740992": tresor.Patch, "0.9007199254740992.0": tresor.Minor, "9007199254740992.0.0": tresor.Major} {
		dir := unreleased(t)
		put(t, dir, "VERSION", former)
		_, err := tresor.Release(t.Context(), dir, level, day)
		if err == nil || !strings.Contains(err.Error(), former) || readFile(t, dir, "VERSION") != former {
			t.Errorf("after %q: %v", former, err)
		}
	}
}

// Without VERSION the remedy is the last version of the log, not the first one.
func TestTheRemedyForAMissingVersion(t *testing.T) {
	dir := released(t)
	version := strings.TrimSpace(readFile(t, dir, "VERSION"))
	remove(t, dir, "VERSION")
	_, err := tresor.Release(t.Context(), dir, tresor.Patch, day)
	if err == nil || !strings.Contains(err.Error(), version) {
		t.Errorf("release: %v", err)
	}
	d := diagnose(t, dir)
	if !strings.Contains(d.Errors[0].Text, version) {
		t.Errorf("doctor: %v", d.Errors)
	}
}

// meanwhile does something once, when the new contents are prepared and nothing
// is in place yet.
func meanwhile(o tresor.Options, do func()) tresor.Options {
	return o.WithHook(func(c disk.Call) error {
		if c.Op == "sync" && filepath.Base(c.Path) == "TARGETS" {
			do()
		}
		return nil
	})
}

// afterwards does something once, when everything is in place.
func afterwards(o tresor.Options, do func()) tresor.Options {
	return o.WithHook(func(c disk.Call) error {
		if c.Op == "rename" && filepath.Base(c.To) == "MANIFEST.sha256" {
			do()
		}
		return nil
	})
}

func TestReleaseNoticesChanges(t *testing.T) {
	tests := []struct {
		name   string
		when   func(tresor.Options, func()) tresor.Options
		change func(t *testing.T, dir string)
		text   string
	}{
		{"page", meanwhile, func(t *testing.T, dir string) { put(t, dir, "neu.md", "x") }, "the content of the Tresor changed meanwhile"},
		{"log", meanwhile, func(t *testing.T, dir string) { put(t, dir, "log.md", "## [2026-01-01] note | von Hand\n") }, "the content of the Tresor changed meanwhile"},
		{"quarantine", meanwhile, func(t *testing.T, dir string) { put(t, dir, "sources/quarantine/x.md", "x") }, "the quarantine is not empty"},
		{"link", meanwhile, func(t *testing.T, dir string) { link(t, "ROUTER.md", filepath.Join(dir, "x.md")) }, "x.md: "},
		{"page afterwards", afterwards, func(t *testing.T, dir string) { put(t, dir, "neu.md", "x") }, "NEU neu.md"},
		{"error afterwards", afterwards, func(t *testing.T, dir string) { put(t, dir, "ROUTER.md", "") }, "ROUTER.md: "},
		{"index afterwards", afterwards, func(t *testing.T, dir string) { put(t, dir, "INDEX.md", "x") }, "INDEX.md: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := unreleased(t)
			before := content(t, dir)
			o := tt.when(tresor.Options{Lang: "en"}, func() { tt.change(t, dir) })
			_, err := tresor.Release(t.Context(), dir, tresor.Patch, o)
			var failed *tresor.WriteError
			if !errors.As(err, &failed) || failed.Recovery || !strings.Contains(err.Error(), tt.text) {
				t.Fatalf("got %v", err)
			}
			after := content(t, dir)
			for _, path := range []string{"VERSION", "MANIFEST.sha256", "graph/graph.json"} {
				if after[path] != before[path] {
					t.Errorf("%s changed", path)
				}
			}
		})
	}
}

// D-62: where nothing can be made beside the Tresor, nothing is begun, and the
// reason is said.
func TestNoPlaceForStaging(t *testing.T) {
	dir := unreleased(t)
	before := content(t, dir)
	_, err := tresor.Release(t.Context(), dir, tresor.Patch, tresor.Options{}.WithHook(func(c disk.Call) error {
		if c.Op == "mkdir" && strings.Contains(c.Path, ".halle3-release-") {
			return fs.ErrPermission
		}
		return nil
	}))
	if err == nil || !strings.Contains(err.Error(), "neben dem Tresor lässt sich nichts vorbereiten") {
		t.Errorf("got %v", err)
	}
	if d := difference(before, content(t, dir)); d != "" {
		t.Errorf("%s changed", d)
	}
}

// A context that ends before the first file is in place leaves everything as it
// was; later it is too late.
func TestReleaseStops(t *testing.T) {
	for name, when := range map[string]func(tresor.Options, func()) tresor.Options{"before": meanwhile, "after": afterwards} {
		t.Run(name, func(t *testing.T) {
			dir := unreleased(t)
			before := content(t, dir)
			ctx, cancel := context.WithCancel(t.Context())
			_, err := tresor.Release(ctx, dir, tresor.Patch, when(day, cancel))
			if stopped := errors.Is(err, context.Canceled); stopped != (name == "before") {
				t.Errorf("got %v", err)
			}
			if d := difference(before, content(t, dir)); (d == "") != (name == "before") {
				t.Errorf("%q changed", d)
			}
			if left := besides(t, dir); left != "" {
				t.Errorf("left beside the Tresor: %s", left)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tresor.Release(ctx, filepath.Join(t.TempDir(), "none"), tresor.Patch, day); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// D-64: new files are for everybody to read, existing ones keep their mode.
func TestModes(t *testing.T) {
	dir := unreleased(t)
	must(t, os.Chmod(filepath.Join(dir, "VERSION"), 0o600))
	if _, err := tresor.Release(t.Context(), dir, tresor.Patch, day); err != nil {
		t.Fatal(err)
	}
	probe := filepath.Join(t.TempDir(), "probe")
	must(t, os.WriteFile(probe, nil, 0o644))
	info, err := os.Stat(probe)
	must(t, err)
	for path, want := range map[string]fs.FileMode{"VERSION": 0o600, "INDEX.md": info.Mode(), "log.md": info.Mode(), "MANIFEST.sha256": info.Mode()} {
		if got, err := os.Stat(filepath.Join(dir, path)); err != nil || got.Mode() != want {
			t.Errorf("%s: %v, %v", path, got.Mode(), err)
		}
	}
}

// Of several releases at once each is one of its own or refuses; the versions
// are without a gap and nothing is mixed.
func TestReleasesAtOnce(t *testing.T) {
	dir := unreleased(t)
	var wg sync.WaitGroup
	results := make([]error, 6)
	for i := range results {
		wg.Go(func() { _, results[i] = tresor.Release(t.Context(), dir, tresor.Patch, day) })
	}
	wg.Wait()
	done := 0
	for _, err := range results {
		var invalid *tresor.InvalidError
		switch {
		case err == nil:
			done++
		case !errors.As(err, &invalid) || invalid.State != tresor.VaultBusy:
			t.Errorf("got %v", err)
		}
	}
	s := open(t, dir)
	if want := fmt.Sprintf("0.4.%d", 2+done); done == 0 || s.Version() != want {
		t.Errorf("%d released, version %s", done, s.Version())
	}
	if got := strings.Count(content(t, dir)["log.md"], "\n"); got != done {
		t.Errorf("%d entries for %d releases", got, done)
	}
	if left := besides(t, dir); left != "" {
		t.Errorf("left beside the Tresor: %s", left)
	}
}
