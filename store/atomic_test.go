//go:build linux || darwin

package store_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"outheis/store"
)

func TestOpenFileRefusesWhatIsNotOurs(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		make   func(path string) error
		reason store.Reason
	}{
		{"symlink out", func(p string) error { return os.Symlink(outside, p) }, store.Symlink},
		{"symlink inside", func(p string) error { return os.Symlink(".lock", p) }, store.Symlink},
		{"symlink to nothing", func(p string) error { return os.Symlink("nothing", p) }, store.Symlink},
		{"hard link", func(p string) error { return os.Link(outside, p) }, store.HardLink},
		{"directory", func(p string) error { return os.Mkdir(p, 0o700) }, store.NotRegular},
		{"fifo", func(p string) error { return syscall.Mkfifo(p, 0o600) }, store.NotRegular},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := openHuman(t, store.Options{})
			if err := tt.make(filepath.Join(h.Dir(), "x")); err != nil {
				t.Fatal(err)
			}
			for _, flag := range []int{os.O_RDONLY, os.O_RDWR | os.O_CREATE, os.O_WRONLY | os.O_APPEND, os.O_WRONLY | os.O_TRUNC} {
				var ue *store.UnsafeError
				if _, err := h.OpenFile("x", flag); !errors.As(err, &ue) || ue.Reason != tt.reason {
					t.Errorf("flag %#x: got %v, want an UnsafeError %q", flag, err, tt.reason)
				}
			}
			var ue *store.UnsafeError
			if err := h.WriteAtomic("x", []byte("new")); !errors.As(err, &ue) || ue.Reason != tt.reason {
				t.Errorf("writeAtomic: got %v, want an UnsafeError %q", err, tt.reason)
			}
		})
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != "secret" {
		t.Errorf("the file outside is %q, %v", b, err)
	}
}

func TestNoPathLeavesTheDirectory(t *testing.T) {
	h := openHuman(t, store.Options{})
	out := t.TempDir()
	if err := os.Symlink(out, filepath.Join(h.Dir(), "link")); err != nil {
		t.Fatal(err)
	}
	names := []string{
		"../x", "a/../../x", "/etc/passwd", "", ".", "..", "link/x", "link/", "archive/../../x",
		"x\x00y", "archive/", "./../x", out + "/x", "link", "C:/x", "//x", "x/", "archive//../../x", "\\\\?\\x",
	}
	for _, up := range []string{"..", "../..", "archive/..", "link/..", "link/../..", "archive/../link", "./link/.", "../human/../" + filepath.Base(out)} {
		for _, sep := range []string{"/", "//", "/./", "/\x00"} {
			for _, end := range []string{"x", "etc/passwd", "..", "link/x", "/x"} {
				names = append(names, up+sep+end)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(out, "secret"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := listing(t, filepath.Dir(h.Dir()))
	for _, name := range names {
		if f, err := h.OpenFile(name, os.O_RDWR|os.O_CREATE); err == nil {
			t.Errorf("openFile(%q) = %s", name, f.Name())
			f.Close()
		}
		if err := h.WriteAtomic(name, []byte("x")); err == nil {
			t.Errorf("writeAtomic(%q) = nil", name)
		}
		if _, _, err := h.Doc(name, store.DocOptions{}).Read(); err == nil {
			t.Errorf("Doc(%q).Read = nil", name)
		}
	}
	if got := listing(t, out); got != "[secret]" {
		t.Errorf("outside there is %s", got)
	}
	if got := listing(t, filepath.Dir(h.Dir())); got != before {
		t.Errorf("beside the directory there is %s, before %s", got, before)
	}
}

func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return fmt.Sprint(names)
}

// Somebody exchanges the file for a link out of the directory and back while
// we open it: we get the file or an error, never what the link leads to.
func TestOpenFileAgainstSwappedLinks(t *testing.T) {
	h := openHuman(t, store.Options{})
	outside := filepath.Join(t.TempDir(), "outside")
	path := filepath.Join(h.Dir(), "x")
	write(t, outside, "secret")
	write(t, path, "")
	swapped := make(chan struct{})
	go func() {
		defer close(swapped)
		for i := range 1500 {
			tmp := path + "-next"
			var err error
			if i%2 == 0 {
				err = os.Symlink(outside, tmp)
			} else {
				err = os.WriteFile(tmp, nil, 0o600) // without content, since ext4 flushes that on a rename
			}
			if err := errors.Join(err, os.Rename(tmp, path)); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	tried, opened := 0, 0
	for done := false; !done; tried++ {
		select {
		case <-swapped:
			done = true
		default:
		}
		f, err := h.OpenFile("x", os.O_RDWR)
		if err != nil {
			continue
		}
		b, err := io.ReadAll(f)
		if err != nil || strings.Contains(string(b), "secret") {
			t.Errorf("read %q, %v", b, err)
		}
		opened++
		f.Close()
	}
	if got := read(t, outside); got != "secret" {
		t.Errorf("the file outside is %q", got)
	}
	t.Logf("opened %d of %d times", opened, tried)
}

func TestWriteAtomic(t *testing.T) {
	h := openHuman(t, store.Options{})
	path := filepath.Join(h.Dir(), "state.json")
	for _, content := range []string{"first", "", strings.Repeat("long ", 100_000)} {
		if err := h.WriteAtomic("state.json", []byte(content)); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != content {
			t.Errorf("got %d bytes, %v; want %d", len(b), err, len(content))
		}
	}
	for _, perm := range []fs.FileMode{0o400, 0o640, 0o600} {
		if err := os.Chmod(path, perm); err != nil {
			t.Fatal(err)
		}
		if err := h.WriteAtomic("state.json", []byte("x")); err != nil {
			t.Fatal(err)
		}
		if got := mode(t, path); got != perm {
			t.Errorf("mode %04o became %04o", perm, got)
		}
	}
	noTemps(t, h.Dir())
}

func TestOpenFileCreateExclusive(t *testing.T) {
	h := openHuman(t, store.Options{})
	f, err := h.OpenFile("x", os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, err := h.OpenFile("x", os.O_WRONLY|os.O_CREATE|os.O_EXCL); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want fs.ErrExist", err)
	}
	if _, err := h.OpenFile("y", os.O_RDONLY); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
}

func TestOpenFileTruncates(t *testing.T) {
	h := openHuman(t, store.Options{})
	if err := h.WriteAtomic("x", []byte("content")); err != nil {
		t.Fatal(err)
	}
	f, err := h.OpenFile("x", os.O_WRONLY|os.O_TRUNC)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if fi, err := h.Root().Stat("x"); err != nil || fi.Size() != 0 {
		t.Errorf("size %d, %v; want 0", fi.Size(), err)
	}
}

// noTemps fails the test when an unfinished file lies below dir.
func noTemps(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && (strings.HasPrefix(e.Name(), ".tmp-") || strings.HasPrefix(e.Name(), ".swap-")) {
			t.Errorf("left behind: %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
