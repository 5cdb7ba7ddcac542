//go:build unix

package disk_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"outheis/tresor/internal/disk"
)

// folder opens a fresh folder with the files a and b, the folder sub and the link
// away to it.
func folder(t *testing.T, hook disk.Hook) (f *disk.Folder, dir string) {
	t.Helper()
	dir = t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "a"), []byte("A"), 0o640))
	must(t, os.WriteFile(filepath.Join(dir, "b"), []byte("B"), 0o640))
	must(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	must(t, os.Symlink("sub", filepath.Join(dir, "away")))
	f, err := disk.Open(dir, hook)
	must(t, err)
	t.Cleanup(func() { must(t, f.Close()) })
	return f, dir
}

func TestNoLinkIsFollowed(t *testing.T) {
	f, dir := folder(t, nil)
	if _, err := f.Folder("away"); err == nil {
		t.Error("a folder was opened through a link")
	}
	if _, err := f.Open("away"); err == nil {
		t.Error("a file was opened through a link")
	}
	if _, err := disk.Open(filepath.Join(dir, "away"), nil); err == nil {
		t.Error("the root was opened through a link")
	}
	if info, err := f.Info("away"); err != nil || info.Mode&fs.ModeSymlink == 0 || info.Plain() {
		t.Errorf("info %+v, %v", info, err)
	}
}

// Only a regular file is opened as a file, and only a folder as a folder: a pipe
// would let its reader wait.
func TestNothingElseIsOpened(t *testing.T) {
	f, dir := folder(t, nil)
	pipe := filepath.Join(dir, "pipe")
	must(t, unix.Mkfifo(pipe, 0o600))
	for _, name := range []string{"pipe", "sub"} {
		if _, err := f.Open(name); !errors.Is(err, disk.ErrNoFile) && name == "pipe" || err == nil {
			t.Errorf("%s was opened to read: %v", name, err)
		}
		if _, err := f.OpenWrite(name); err == nil {
			t.Errorf("%s was opened to write", name)
		}
	}
	for _, name := range []string{"pipe", "a"} {
		if _, err := f.Folder(name); !errors.Is(err, unix.ENOTDIR) {
			t.Errorf("%s was opened as a folder: %v", name, err)
		}
		if _, err := disk.Open(filepath.Join(dir, name), nil); !errors.Is(err, unix.ENOTDIR) {
			t.Errorf("%s was opened as a folder: %v", name, err)
		}
	}
	// with somebody at its other end a pipe can be opened, and never ends
	other, err := os.OpenFile(pipe, os.O_RDWR, 0)
	must(t, err)
	defer other.Close()
	if _, err := f.Open("pipe"); !errors.Is(err, disk.ErrNoFile) {
		t.Errorf("the pipe was opened: %v", err)
	}
}

func TestNamesThatAreTaken(t *testing.T) {
	f, dir := folder(t, nil)
	if _, err := f.Create("a", 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("create: %v", err)
	}
	if err := f.Move("a", f, "b"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("move: %v", err)
	}
	if err := f.Mkdir("sub", 0o755); !errors.Is(err, fs.ErrExist) {
		t.Errorf("mkdir: %v", err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "b")); err != nil || string(b) != "B" {
		t.Errorf("b is %q, %v", b, err)
	}
	must(t, f.Rename("a", f, "b"))
	if b, err := os.ReadFile(filepath.Join(dir, "b")); err != nil || string(b) != "A" {
		t.Errorf("b is %q, %v", b, err)
	}
}

// A folder that is held open stays the same one, whatever its name becomes.
func TestAHeldFolderStays(t *testing.T) {
	f, dir := folder(t, nil)
	sub, err := f.Folder("sub")
	must(t, err)
	defer sub.Close()
	must(t, os.Rename(filepath.Join(dir, "sub"), filepath.Join(dir, "moved")))
	must(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	must(t, f.Move("a", sub, "a"))
	if _, err := os.Stat(filepath.Join(dir, "moved/a")); err != nil {
		t.Error(err)
	}
	held, err := sub.Self()
	must(t, err)
	if now, err := f.Info("sub"); err != nil || now.ID == held.ID {
		t.Errorf("sub is %+v, %v", now, err)
	}
}

func TestOneLockAtATime(t *testing.T) {
	f, _ := folder(t, nil)
	first, err := f.Open("a")
	must(t, err)
	second, err := f.Open("a")
	must(t, err)
	defer second.Close()
	if ok, err := first.Lock(); !ok || err != nil {
		t.Fatalf("first: %v, %v", ok, err)
	}
	if ok, err := second.Lock(); ok || err != nil {
		t.Errorf("second: %v, %v", ok, err)
	}
	must(t, first.Close())
	if ok, err := second.Lock(); !ok || err != nil {
		t.Errorf("second, later: %v, %v", ok, err)
	}
}

// The hook sees each call before it happens, and can take its place.
func TestHook(t *testing.T) {
	var calls []string
	refuse := errors.New("no")
	f, dir := folder(t, func(c disk.Call) error {
		calls = append(calls, c.Op+" "+filepath.Base(c.Path))
		if c.To != "" {
			calls = append(calls, "to "+filepath.Base(c.To))
		}
		if c.Op == "remove" {
			return refuse
		}
		return nil
	})
	calls = nil
	file, err := f.Create("neu", 0o600)
	must(t, err)
	_, err = io.WriteString(file, "x")
	must(t, err)
	must(t, file.Chmod(0o640))
	must(t, file.Sync())
	must(t, file.Close())
	must(t, f.Rename("neu", f, "alt"))
	must(t, f.Sync())
	if err := f.Remove("alt"); !errors.Is(err, refuse) {
		t.Errorf("remove: %v", err)
	}
	if names, err := f.Names(); err != nil || !slices.Equal(names, []string{"a", "alt", "away", "b", "sub"}) {
		t.Errorf("names %q, %v", names, err)
	}
	base := filepath.Base(dir)
	want := []string{"create neu", "write neu", "chmod neu", "sync neu", "rename neu", "to alt", "syncdir " + base, "remove alt", "list " + base}
	if !slices.Equal(calls, want) {
		t.Errorf("got %q, want %q", calls, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
