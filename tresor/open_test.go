package tresor_test

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"outheis/tresor"
)

func TestOpenRefuses(t *testing.T) {
	tests := []struct {
		name   string
		damage func(t *testing.T, dir string)
		state  tresor.State
		rules  string
	}{
		{"lock", func(t *testing.T, dir string) { put(t, dir, ".vault-release.lock", "pid=1\n") }, tresor.VaultBusy, "LD-1"},
		{"dangling lock", func(t *testing.T, dir string) { link(t, "nowhere", filepath.Join(dir, ".vault-release.lock")) }, tresor.VaultBusy, "LD-1"},
		{"no manifest", func(t *testing.T, dir string) { remove(t, dir, "MANIFEST.sha256") }, tresor.InvalidVault, "LD-2"},
		{"manifest is a link", func(t *testing.T, dir string) {
			remove(t, dir, "MANIFEST.sha256")
			link(t, "VERSION", filepath.Join(dir, "MANIFEST.sha256"))
		}, tresor.InvalidVault, "LD-2"},
		{"drift", func(t *testing.T, dir string) {
			put(t, dir, "notes/neu.md", "x")
			put(t, dir, "ROUTER.md", "x")
			remove(t, dir, "VERSION")
		}, tresor.InvalidVault, "MF-12 MF-13 MF-14"},
		{"pinned with an error", func(t *testing.T, dir string) {
			put(t, dir, "knowledge/werkstatt/leer.md", "leer")
			manifestOnly(t, dir)
		}, tresor.InvalidVault, "FM-1 PG-3 PG-3 PG-3 PG-3 PG-3 PG-3 PG-3 PG-3 PG-3 PG-9 PG-10 PG-11 PG-12 PG-13"},
		{"index from another state", func(t *testing.T, dir string) {
			put(t, dir, "INDEX.md", "# INDEX\n")
			put(t, dir, "graph/graph.json", "{}\n")
			manifestOnly(t, dir)
		}, tresor.InvalidVault, "LD-4 LD-5"},
		{"index with CRLF", func(t *testing.T, dir string) {
			b, _ := os.ReadFile(filepath.Join(dir, "INDEX.md"))
			put(t, dir, "INDEX.md", strings.ReplaceAll(string(b), "\n", "\r\n"))
			manifestOnly(t, dir)
		}, tresor.InvalidVault, "LD-4"},
		{"no version", func(t *testing.T, dir string) {
			put(t, dir, "VERSION", "eins\n")
			manifestOnly(t, dir)
		}, tresor.InvalidVault, "LD-7"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := halle3(t)
			tt.damage(t, dir)
			s, err := tresor.Open(dir, tresor.Options{})
			var invalid *tresor.InvalidError
			if !errors.As(err, &invalid) {
				t.Fatalf("got %v, %v", s, err)
			}
			var rules []string
			for _, f := range invalid.Findings {
				rules = append(rules, f.Rule)
				if f.Text == "" || f.Path == "" {
					t.Errorf("finding %+v", f)
				}
			}
			if got := strings.Join(rules, " "); invalid.State != tt.state || got != tt.rules {
				t.Errorf("state %s, rules %s; want %s, %s", invalid.State, got, tt.state, tt.rules)
			}
			if !strings.HasPrefix(err.Error(), "tresor: open halle3: "+string(tt.state)+": ") {
				t.Errorf("error %q", err)
			}
		})
	}
}

func TestOpenOfNoFolder(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "datei", "x")
	for path, want := range map[string]error{"fehlt": fs.ErrNotExist, "datei": nil} {
		_, err := tresor.Open(filepath.Join(dir, path), tresor.Options{Lang: "en"})
		var invalid *tresor.InvalidError
		if !errors.As(err, &invalid) || invalid.State != tresor.InvalidVault || invalid.Findings[0].Rule != "LD-10" {
			t.Errorf("%s: got %v", path, err)
		}
		if want != nil && !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", path, err, want)
		}
		if r := tresor.Validate(filepath.Join(dir, path), tresor.Options{}); r.OK() || r.Errors[0].Rule != "LD-10" {
			t.Errorf("%s: report %+v", path, r)
		}
	}
}

func TestOpenThroughALinkToTheRoot(t *testing.T) {
	dir := halle3(t)
	alias := filepath.Join(t.TempDir(), "alias")
	link(t, dir, alias)
	if s := open(t, alias); s.Name() != "halle3" {
		t.Errorf("name %q", s.Name())
	}
}

// changing is a file system that somebody writes to while it is read: before
// VERSION, the last file, is hashed for the first time.
type changing struct {
	fstest.MapFS
	change func(fstest.MapFS)
	done   bool
}

func (c *changing) Open(name string) (fs.File, error) {
	if name == "VERSION" && !c.done {
		c.done = true
		c.change(c.MapFS)
	}
	return c.MapFS.Open(name)
}

// ReadDir hides that of MapFS, which would open names by itself.
func (c *changing) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(c.MapFS, name) }

// D-40: the checks of the loader, with the bytes that were hashed (D-34).
func TestOpenNoticesAChangeWhileReading(t *testing.T) {
	edit := func(m fstest.MapFS) {
		m["ROUTER.md"] = &fstest.MapFile{Data: append(slices.Clone(m["ROUTER.md"].Data), '\n'), Mode: 0o444}
	}
	lock := func(m fstest.MapFS) { m[".vault-release.lock"] = &fstest.MapFile{Mode: 0o444} }
	dir := halle3(t)
	small := memory(t, dir)
	put(t, dir, "ROUTER.md", string(small["ROUTER.md"].Data)+strings.Repeat("Ein Satz, den niemand liest.\n", 4000))
	pin(t, dir)
	large := memory(t, dir) // ROUTER.md is not kept between hashing and parsing
	tests := []struct {
		name     string
		released fstest.MapFS
		change   func(fstest.MapFS)
		state    tresor.State
		rule     string
	}{
		{"between hashing and parsing", large, edit, tresor.InvalidVault, "RD-4"},
		{"after hashing", small, edit, tresor.SnapshotChanged, "MF-14"},
		{"release begins", small, lock, tresor.SnapshotChanged, "LD-9"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := &changing{MapFS: maps.Clone(tt.released), change: tt.change}
			_, err := tresor.OpenFS(c, "x", tresor.Options{})
			var invalid *tresor.InvalidError
			if !errors.As(err, &invalid) {
				t.Fatalf("got %v", err)
			}
			if invalid.State != tt.state || invalid.Findings[0].Rule != tt.rule {
				t.Errorf("state %s, %v", invalid.State, invalid.Findings)
			}
		})
	}
}

func memory(t *testing.T, dir string) fstest.MapFS {
	t.Helper()
	m := fstest.MapFS{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(filepath.Join(dir, p))
		m[p] = &fstest.MapFile{Data: b, Mode: 0o444}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestOpenFSAnswersLikeOpen(t *testing.T) {
	dir := halle3(t)
	disk := open(t, dir)
	for name, fsys := range map[string]fs.FS{"memory": memory(t, dir), "os.DirFS": os.DirFS(dir)} {
		s, err := tresor.OpenFS(fsys, "halle3", tresor.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		q := "Was gilt für die Schutzbrille?"
		if got, want := s.Query(q, tresor.QueryOptions{}), disk.Query(q, tresor.QueryOptions{}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
		if r := tresor.ValidateFS(fsys, tresor.Options{}); !r.OK() || r.Pages != 2 || r.External != 3 {
			t.Errorf("%s: report %+v", name, r)
		}
	}
}

func TestQueryRefusesQuestions(t *testing.T) {
	s := open(t, halle3(t))
	tests := []struct {
		question string
		options  tresor.QueryOptions
		exit     int
		text     string
	}{
		{"", tresor.QueryOptions{}, 1, "leer"},
		{" \u00a0\u2003", tresor.QueryOptions{}, 1, "leer"},
		{strings.Repeat("ü", 1001), tresor.QueryOptions{}, 1, "1000 Zeichen"},
		{"a\nb", tresor.QueryOptions{}, 1, "Steuerzeichen"},
		{"a\x7fb", tresor.QueryOptions{}, 1, "Steuerzeichen"},
		{"a\xffb", tresor.QueryOptions{}, 1, "UTF-8"},
		{"laser", tresor.QueryOptions{Limit: 21}, 2, "--limit"},
		{"", tresor.QueryOptions{Limit: -1}, 2, "--limit"},
		{"laser", tresor.QueryOptions{World: "BW-0009"}, 2, "BW-0009"},
	}
	for _, tt := range tests {
		r := s.Query(tt.question, tt.options)
		if r.State != tresor.InvalidQuery || r.ExitCode() != tt.exit || len(r.Errors) != 1 || !strings.Contains(r.Errors[0], tt.text) {
			t.Errorf("%.20q: state %s, exit %d, errors %q", tt.question, r.State, r.ExitCode(), r.Errors)
		}
		if r.Evidence != nil || r.PagePaths != nil || r.Complete || r.Fingerprint != "" {
			t.Errorf("%.20q: %+v", tt.question, r)
		}
	}
	if r := s.Query("a\xffb", tresor.QueryOptions{}); r.Query != "a\ufffdb" {
		t.Errorf("query %q", r.Query)
	}
	if r := s.Query(strings.Repeat("ü", 1000), tresor.QueryOptions{Limit: 20}); r.State != tresor.NoCandidates {
		t.Errorf("1000 characters: %s", r.State)
	}
}

func TestSnapshotIsSafeForManyGoroutines(t *testing.T) {
	s := open(t, halle3(t))
	list := []string{"Was gilt für die Schutzausrüstung im Laserraum?", "psa", "c-0003", "Muss", "", "laser S-0001"}
	var want [][]byte
	for _, q := range list {
		want = append(want, s.Query(q, tresor.QueryOptions{}).JSON())
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				k := (i + j) % len(list)
				if got := s.Query(list[k], tresor.QueryOptions{}).JSON(); string(got) != string(want[k]) {
					t.Errorf("%s: got %s", list[k], got)
					return
				}
				s.Route(list[k])
			}
		})
	}
	wg.Wait()
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, dir, path string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, path)); err != nil {
		t.Fatal(err)
	}
}

func manifestOnly(t *testing.T, dir string) {
	t.Helper()
	if _, err := tresor.WriteManifest(t.Context(), dir, tresor.Options{}); err != nil {
		t.Fatal(err)
	}
}
