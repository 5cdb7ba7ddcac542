//go:build unix

package tree_test

import (
	"os"
	"path/filepath"
	"testing"

	"outheis/tresor/internal/tree"
)

// A folder is opened as one, or not at all: what waits for its other end, or
// hangs, must not be waited for.
func TestOpenFolder(t *testing.T) {
	base := t.TempDir()
	if err := os.Mkdir(filepath.Join(base, "hof"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(base, "datei"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(base, "hof", "blatt"), []byte("y"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := mkfifo(filepath.Join(base, "rohr")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("datei", filepath.Join(base, "link")); err != nil {
		t.Fatal(err)
	}
	root, err := tree.OpenFolder(base)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, name := range []string{"datei", "rohr", "link", "fehlt"} {
		if _, err := tree.OpenFolder(filepath.Join(base, name)); err == nil {
			t.Errorf("%s was opened by its path", name)
		}
		if _, err := tree.EnterFolder(root, name); err == nil {
			t.Errorf("%s was entered", name)
		}
	}
	hof, err := tree.EnterFolder(root, "hof")
	if err != nil {
		t.Fatal(err)
	}
	defer hof.Close()
	if b, err := hof.ReadFile("blatt"); err != nil || string(b) != "y" {
		t.Errorf("read %q, %v", b, err)
	}
	for _, name := range []string{"hof", "rohr", "fehlt", "link"} {
		if _, _, err := tree.OpenFileIn(root, name); err == nil {
			t.Errorf("%s was opened as a file", name)
		}
	}
	f, info, err := tree.OpenFileIn(root, "datei")
	if err != nil || info.Size() != 1 {
		t.Fatalf("%v, %v", info, err)
	}
	f.Close()
}
