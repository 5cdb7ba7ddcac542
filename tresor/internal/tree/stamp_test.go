package tree_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"outheis/tresor/internal/tree"
)

// Whatever changes a file that counts changes the stamp, also where size and
// time of change are put back, and also if it is undone.
func TestStampTellsChangesApart(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(dir string) error
		same   bool
	}{
		{"nothing", func(string) error { return nil }, true},
		{"rewritten with the same bytes", func(dir string) error { return os.WriteFile(filepath.Join(dir, "a/b.md"), []byte("eins\n"), 0o644) }, false},
		{"other bytes, same size and time", func(dir string) error {
			path := filepath.Join(dir, "a/b.md")
			info, err := os.Stat(path)
			if err != nil {
				return err
			}
			if err := os.WriteFile(path, []byte("zwei\n"), 0o644); err != nil {
				return err
			}
			return os.Chtimes(path, info.ModTime(), info.ModTime())
		}, false},
		{"put in place of the file", func(dir string) error {
			path := filepath.Join(dir, "a/b.md")
			if err := os.WriteFile(path+".new", []byte("eins\n"), 0o644); err != nil {
				return err
			}
			return os.Rename(path+".new", path)
		}, false},
		{"moved away and back", func(dir string) error {
			path := filepath.Join(dir, "a/b.md")
			if err := os.Rename(path, path+".x"); err != nil {
				return err
			}
			return os.Rename(path+".x", path)
		}, false},
		{"removed", func(dir string) error { return os.Remove(filepath.Join(dir, "a/b.md")) }, false},
		{"added", func(dir string) error { return os.WriteFile(filepath.Join(dir, "a/c.md"), nil, 0o644) }, false},
		{"added and removed", func(dir string) error {
			path := filepath.Join(dir, "a/c.md")
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				return err
			}
			return os.Remove(path)
		}, true},
		{"a folder", func(dir string) error { return os.Mkdir(filepath.Join(dir, "a/d"), 0o755) }, false},
		{"linked a second time", func(dir string) error { return os.Link(filepath.Join(dir, "a/b.md"), filepath.Join(t.TempDir(), "b")) }, false},
		{"what does not count", func(dir string) error { return os.WriteFile(filepath.Join(dir, "log.md"), []byte("mehr\n"), 0o644) }, true},
		{"what does not count, removed", func(dir string) error { return os.Remove(filepath.Join(dir, "log.md")) }, false},
		{"what does not count, a link", func(dir string) error {
			if err := os.Remove(filepath.Join(dir, "log.md")); err != nil {
				return err
			}
			return os.Symlink("a/b.md", filepath.Join(dir, "log.md"))
		}, false},
		{"another folder with the same bytes", func(dir string) error {
			if err := os.Rename(dir, dir+".old"); err != nil {
				return err
			}
			return os.CopyFS(dir, os.DirFS(dir+".old"))
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "x")
			if err := os.MkdirAll(filepath.Join(dir, "a"), 0o755); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"a/b.md", "log.md"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte("eins\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			before := settled(t, dir)
			if err := tt.change(dir); err != nil {
				t.Fatal(err)
			}
			if got := stamp(t, dir).Same(before); got != tt.same {
				t.Errorf("same stamp: %t, want %t", got, tt.same)
			}
		})
	}
}

func TestYoungStamp(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.md"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if !stamp(t, dir).Young() {
		t.Error("a stamp right behind a change is not young")
	}
	settled(t, dir)
}

func stamp(t *testing.T, dir string) tree.Stamp {
	t.Helper()
	x, err := tree.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	return x.Stamp(func(p string) bool { return p != "log.md" })
}

// settled looks at a tree until its stamp is not young.
func settled(t *testing.T, dir string) tree.Stamp {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if s := stamp(t, dir); !s.Young() {
			return s
		}
		<-tick.C
	}
}
