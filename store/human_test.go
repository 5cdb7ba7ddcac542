//go:build linux || darwin

package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"outheis/store"
)

// openHuman opens a new human directory for the test.
func openHuman(t *testing.T, o store.Options) *store.Human {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "human"), o)
}

func openAt(t *testing.T, dir string, o store.Options) *store.Human {
	t.Helper()
	h, err := store.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	fi, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return fi.Mode().Perm()
}

func TestOpenMakesPrivateDirectoriesUnderAnyUmask(t *testing.T) {
	for _, umask := range []int{0, 0o022, 0o077, 0o777} {
		func() {
			base := t.TempDir()
			defer syscall.Umask(syscall.Umask(umask))
			dir := filepath.Join(base, ".outheis", "human")
			h, err := store.Open(dir, store.Options{})
			if err != nil {
				t.Fatalf("umask %03o: %v", umask, err)
			}
			defer h.Close()
			if err := h.WriteAtomic("cache/agenda.json", []byte("{}")); err != nil {
				t.Fatalf("umask %03o: %v", umask, err)
			}
			f, err := h.OpenFile("messages.jsonl", os.O_CREATE|os.O_WRONLY|os.O_APPEND)
			if err != nil {
				t.Fatalf("umask %03o: %v", umask, err)
			}
			f.Close()
			err = filepath.WalkDir(filepath.Join(base, ".outheis"), func(path string, e fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				want := fs.FileMode(0o600)
				if e.IsDir() {
					want = 0o700
				}
				if got := mode(t, path); got != want {
					t.Errorf("umask %03o: %s has mode %04o, want %04o", umask, path, got, want)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}()
	}
}

func TestOpenRefusesWhatOthersCanWrite(t *testing.T) {
	for _, name := range []string{"human", "human/archive", "human/blobs", "human/quarantine", "human/.lock"} {
		for _, perm := range []fs.FileMode{0o720, 0o702, 0o777} {
			dir := filepath.Join(t.TempDir(), "human")
			h, err := store.Open(dir, store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := h.Close(); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(filepath.Dir(dir), name)
			if err := os.Chmod(path, perm); err != nil {
				t.Fatal(err)
			}
			_, err = store.Open(dir, store.Options{})
			var pe *store.PermissionError
			if !errors.As(err, &pe) {
				t.Errorf("%s %04o: got %v, want a PermissionError", name, perm, err)
				continue
			}
			if pe.Path != path || pe.Mode != perm {
				t.Errorf("%s %04o: error names %s %04o", name, perm, pe.Path, pe.Mode)
			}
			if !strings.Contains(err.Error(), pe.Remedy()) || !strings.Contains(pe.Remedy(), path) {
				t.Errorf("%s: %q does not name the remedy %q", name, err, pe.Remedy())
			}
		}
	}
}

func TestOpenWarnsOfWhatOthersCanRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "human")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	h := openAt(t, dir, store.Options{})
	i := slices.IndexFunc(h.Warnings(), func(w store.Warning) bool { return w.Key == "store.warn_readable_by_others" })
	if i < 0 {
		t.Fatalf("no warning among %v", h.Warnings())
	}
	if got := h.Warnings()[i].Args[0]; got != dir {
		t.Errorf("the warning names %s, want %s", got, dir)
	}
	if got := mode(t, dir); got != 0o755 {
		t.Errorf("Open changed the mode to %04o", got)
	}
}

func TestOpenRefusesWhatIsNoDirectory(t *testing.T) {
	base := t.TempDir()
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(file, store.Options{}); err == nil {
		t.Error("Open accepted a file")
	}
	dir := filepath.Join(base, "human")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "archive")); err != nil {
		t.Fatal(err)
	}
	var ue *store.UnsafeError
	if _, err := store.Open(dir, store.Options{}); !errors.As(err, &ue) || ue.Reason != store.NotDirectory {
		t.Errorf("archive is a symbolic link: got %v, want an UnsafeError", err)
	}
	if _, err := store.Open("", store.Options{}); err == nil {
		t.Error("Open accepted an empty name")
	}
}

func TestOpenSweepsUnfinishedFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "human")
	h, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"rules", "vault/Agenda", "imports/calendar", "blobs/sha256/ab"} {
		if err := h.MkdirAll(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	gone := []string{".tmp-A", "rules/.tmp-B", "imports/calendar/.tmp-C", "blobs/.tmp-D"}
	kept := []string{"vault/Agenda/.tmp-E", "rules/tmp-F.md", "blobs/sha256/ab/.tmp-G"}
	for _, name := range slices.Concat(gone, kept) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "rules/.swap-H"), []byte("von Hand"), 0o600); err != nil {
		t.Fatal(err)
	}
	h = openAt(t, dir, store.Options{})
	swapped := filepath.Join(dir, "quarantine/edit-H")
	if b, err := os.ReadFile(swapped); err != nil || string(b) != "von Hand" {
		t.Errorf("what a swap left behind: %q, %v", b, err)
	}
	if w := h.Warnings(); len(w) != 1 || w[0].Key != "store.warn_cut_edit" || w[0].Args[0] != swapped {
		t.Errorf("warnings %v", w)
	}
	gone = append(gone, "rules/.swap-H")
	for _, name := range gone {
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
	for _, name := range kept {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReadOnlyWritesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "human")
	if _, err := store.Open(dir, store.Options{ReadOnly: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing directory: got %v, want fs.ErrNotExist", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	h := openAt(t, dir, store.Options{ReadOnly: true})
	if !h.ReadOnly() {
		t.Error("ReadOnly() = false")
	}
	if err := h.WriteAtomic("x", nil); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("writeAtomic: %v", err)
	}
	if _, err := h.OpenFile("x", os.O_CREATE|os.O_WRONLY); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("openFile: %v", err)
	}
	if err := h.MkdirAll("x"); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("mkdirAll: %v", err)
	}
	if _, err := h.PutBlob(strings.NewReader("x"), 9); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("PutBlob: %v", err)
	}
	if err := h.Doc("x.md", store.DocOptions{}).Edit(func([]byte) ([]byte, error) { return []byte("x"), nil }); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Edit: %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 0 {
		t.Errorf("the directory has %v (%v), want nothing", entries, err)
	}
}

func TestReadOnlyBesideAWriter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "human")
	w := openAt(t, dir, store.Options{})
	if err := w.WriteAtomic("rules/x.md", nil); err == nil {
		t.Error("writeAtomic made a directory")
	}
	if err := w.WriteAtomic("x.md", []byte("Text")); err != nil {
		t.Fatal(err)
	}
	r := openAt(t, dir, store.Options{ReadOnly: true})
	text, _, err := r.Doc("x.md", store.DocOptions{}).Read()
	if err != nil || string(text) != "Text" {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestCloseTwice(t *testing.T) {
	h := openHuman(t, store.Options{})
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if err := h.Close(); err != nil {
		t.Error("second Close:", err)
	}
}
