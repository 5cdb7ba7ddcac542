package store

import (
	"testing"

	"golang.org/x/sys/unix"
)

// A process that is being started has copies of our descriptors for a moment;
// they must not keep a directory locked that was closed.
func TestCloseUnlocksWhateverHasACopy(t *testing.T) {
	dir := t.TempDir()
	h, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range []uintptr{h.lock.dir.Fd(), h.lock.file.Fd()} {
		c, err := unix.Dup(int(fd))
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(c)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	h, err = Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}
