package tree_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"outheis/tresor/internal/tree"
)

func TestCopy(t *testing.T) {
	dir := t.TempDir()
	large := bytes.Repeat([]byte("0123456789abcdef"), 20_000)
	for name, content := range map[string][]byte{"gross.bin": large, "leer.bin": nil, "zwei.bin": []byte("x")} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(dir, "zwei.bin"), filepath.Join(dir, "drei.bin")); err != nil {
		t.Fatal(err)
	}
	tr, err := tree.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	for name, want := range map[string][]byte{"gross.bin": large, "leer.bin": nil} {
		var got bytes.Buffer
		if err := tr.Copy(&got, name); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s: %d bytes, %v", name, got.Len(), err)
		}
	}
	for name, want := range map[string]error{"zwei.bin": tree.ErrUnsafe, "fehlt.bin": fs.ErrNotExist} {
		if err := tr.Copy(&bytes.Buffer{}, name); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := tr.Copy(full{}, "gross.bin"); !errors.Is(err, errFull) {
		t.Errorf("to a full disk: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "gross.bin"), bytes.ToUpper(large), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := tr.Copy(&bytes.Buffer{}, "gross.bin"); !errors.Is(err, tree.ErrChanged) {
		t.Errorf("other bytes: %v", err)
	}
}

// A file that grows as fast as it is read ends all the same.
func TestCopyOfAGrowingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.md")
	if err := os.WriteFile(path, []byte("eins\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tr, err := tree.Open(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	w := &feeder{path: path}
	if err := tr.Copy(w, "log.md"); !errors.Is(err, tree.ErrChanged) || w.writes > 2 {
		t.Errorf("%v after %d writes", err, w.writes)
	}
}

// A feeder makes a file longer whenever it gets bytes, up to a limit.
type feeder struct {
	path   string
	writes int
}

func (w *feeder) Write(b []byte) (int, error) {
	if w.writes++; w.writes > 100 {
		return 0, errFull
	}
	f, err := os.OpenFile(w.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if _, err := f.Write(b); err != nil {
		return 0, err
	}
	return len(b), nil
}

var errFull = errors.New("no space left")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
