package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"outheis/store"
)

func TestState(t *testing.T) {
	dir := t.TempDir()
	h, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	const name = "channels/discord-main.json"
	if _, err := h.ReadState(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before the first: %v, want fs.ErrNotExist", err)
	}
	for _, want := range []string{"{}\n", "", "\x00\xff no text\r\n"} {
		if err := h.WriteState(name, []byte(want)); err != nil {
			t.Fatal(err)
		}
		if got, err := h.ReadState(name); err != nil || string(got) != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	for path, want := range map[string]fs.FileMode{"channels": 0o700 | fs.ModeDir, name: 0o600} {
		fi, err := os.Stat(filepath.Join(dir, path))
		if err != nil || fi.Mode() != want {
			t.Errorf("%s: mode %v, %v, want %v", path, fi.Mode(), err, want)
		}
	}
	for _, bad := range []string{"../x", "/x", "a/../../x"} {
		if err := h.WriteState(bad, nil); err == nil {
			t.Errorf("%s was written", bad)
		}
	}
	if entries, err := os.ReadDir(filepath.Join(dir, "channels")); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// A reader without the lock can read it and cannot write it.
func TestStateOfAReader(t *testing.T) {
	dir := t.TempDir()
	h, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if err := h.WriteState("channels/a.json", []byte("x")); err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(dir, store.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, err := r.ReadState("channels/a.json"); err != nil || string(got) != "x" {
		t.Errorf("got %q, %v", got, err)
	}
	if err := r.WriteState("channels/a.json", []byte("y")); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("got %v, want ErrReadOnly", err)
	}
}
