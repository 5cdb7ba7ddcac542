package curate_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"outheis/tresor"
	"outheis/tresor/curate"
)

// may is a day in May 2026.
func may(day int) tresor.Options {
	return tresor.Options{Now: func() time.Time { return time.Date(2026, 5, day, 12, 0, 0, 0, time.UTC) }}
}

// fresh returns a new Tresor with the domain "hof".
func fresh(t testing.TB) string { return copied(t, stages().fresh) }

// withSource returns a new Tresor with one source, S-0001.
func withSource(t testing.TB) string { return copied(t, stages().withSource) }

// withPage returns a new Tresor with one source and the page hof/tor, which has
// no claim yet.
func withPage(t testing.TB) string { return copied(t, stages().withPage) }

// Tresore that most tests begin with, made once.
var stages = sync.OnceValue(func() (s struct{ fresh, withSource, withPage fstest.MapFS }) {
	parent, err := os.MkdirTemp("", "curate")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(parent)
	dir := filepath.Join(parent, "wissenstresor-projekt-hof")
	if _, err := curate.Init(context.Background(), dir, curate.NewTresor{Title: "Hof", Domain: "hof"}, may(1)); err != nil {
		panic(err)
	}
	s.fresh = inMemory(dir)
	file := filepath.Join(parent, "hofordnung.md")
	if err := os.WriteFile(file, []byte("# Hofordnung\n\n1. Das Tor ist nachts geschlossen.\n"), 0o644); err != nil {
		panic(err)
	}
	source := curate.Source{File: file, Stand: "2026-01-01", Trust: "T1", Rights: "eigenes Dokument"}
	if _, _, err := curate.Add(context.Background(), dir, []curate.Source{source}, may(2)); err != nil {
		panic(err)
	}
	s.withSource = inMemory(dir)
	page := curate.Page{Domain: "hof", Name: "tor", Title: "Das Tor", Type: "regel", Sources: []string{"S-0001"}}
	if _, err := curate.NewPage(context.Background(), dir, page, may(2)); err != nil {
		panic(err)
	}
	s.withPage = inMemory(dir)
	return s
})

func inMemory(dir string) fstest.MapFS {
	m := fstest.MapFS{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		if d.IsDir() {
			m[path] = &fstest.MapFile{Mode: fs.ModeDir | 0o755}
			return nil
		}
		b, err := os.ReadFile(filepath.Join(dir, path))
		m[path] = &fstest.MapFile{Data: b, Mode: 0o644}
		return err
	})
	if err != nil {
		panic(err)
	}
	return m
}

func copied(t testing.TB, m fstest.MapFS) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "wissenstresor-projekt-hof")
	if err := os.CopyFS(dir, m); err != nil {
		t.Fatal(err)
	}
	return dir
}

func textSource(t testing.TB, name, content string) curate.Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	write(t, path, content)
	return curate.Source{File: path, Stand: "2026-01-01", Trust: "T1", Rights: "eigenes Dokument"}
}

func add(t testing.TB, dir string, sources ...curate.Source) []curate.Added {
	t.Helper()
	_, added, err := curate.Add(context.Background(), dir, sources, may(2))
	if err != nil {
		t.Fatal(err)
	}
	return added
}

func claim(t testing.TB, dir string) curate.Done {
	t.Helper()
	done, err := curate.NewClaim(context.Background(), dir, goodClaim(), may(6))
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func goodClaim() curate.Claim {
	return curate.Claim{Page: "hof/tor", Source: "S-0001", Fundstelle: "Punkt 1", Art: "Wortlaut", Text: "Das Tor ist nachts geschlossen."}
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, dir, path string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// change replaces a piece of a file.
func change(t testing.TB, dir, path, old, new string) {
	t.Helper()
	s := read(t, dir, path)
	if !strings.Contains(s, old) {
		t.Fatalf("%s has no %q", path, old)
	}
	write(t, filepath.Join(dir, path), strings.Replace(s, old, new, 1))
}

// tree returns every file and folder below dir with its content and mode.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		info, err := d.Info()
		if err != nil {
			return err
		}
		all[rel] = info.Mode().String()
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all[rel] += " " + string(b)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// changed returns the paths that differ, the removed ones with "-" before them.
func changed(before, after map[string]string) map[string]bool {
	paths := make(map[string]bool)
	for path, content := range after {
		if before[path] != content {
			paths[path] = true
		}
	}
	for path := range before {
		if _, ok := after[path]; !ok {
			paths["-"+path] = true
		}
	}
	return paths
}

// refusal returns the field and text of a refusal; any other error fails.
func refusal(t testing.TB, err error) (field, text string) {
	t.Helper()
	var r *curate.Refusal
	if !errors.As(err, &r) {
		t.Fatalf("got %v, want a refusal", err)
	}
	return r.Field, r.Text
}

// valid fails unless the Tresor has no errors.
func valid(t testing.TB, dir string) tresor.Report {
	t.Helper()
	r := tresor.Validate(dir, tresor.Options{})
	if !r.OK() {
		t.Fatalf("not valid: %v", r.Errors)
	}
	return r
}
