package store_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"outheis/store"
)

// TestReadOnlyWorker is no test of its own: it runs where the human directory
// is mounted read-only.
func TestReadOnlyWorker(t *testing.T) {
	dir := os.Getenv("STORE_TEST_READONLY")
	if dir == "" {
		t.Skip("runs in a child process only")
	}
	if _, err := store.Open(dir, store.Options{}); !errors.Is(err, syscall.EROFS) {
		t.Errorf("without AllowReadOnly: got %v, want EROFS", err)
	}
	if _, err := store.Open(filepath.Join(dir, "new"), store.Options{AllowReadOnly: true}); err == nil {
		t.Error("a missing directory on a read-only file system was opened")
	}
	h := openAt(t, dir, store.Options{AllowReadOnly: true})
	if !h.ReadOnly() {
		t.Error("ReadOnly() = false")
	}
	if !slices.ContainsFunc(h.Warnings(), func(w store.Warning) bool { return w.Key == "store.warn_read_only" }) {
		t.Errorf("no warning among %v", h.Warnings())
	}
	text, _, err := h.Doc("x.md", store.DocOptions{}).Read()
	if err != nil || string(text) != "Text" {
		t.Errorf("got %q, %v", text, err)
	}
	if err := h.WriteAtomic("x.md", nil); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("got %v, want ErrReadOnly", err)
	}
	fmt.Println("read-only worker ran")
}

func TestReadOnlyFileSystem(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "human")
	h, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(h.WriteAtomic("x.md", []byte("Text")), h.Close()); err != nil {
		t.Fatal(err)
	}
	const mount = `mount --bind "$STORE_TEST_READONLY" "$STORE_TEST_READONLY" && mount -o remount,bind,ro "$STORE_TEST_READONLY" || exit 77
exec "$0" -test.run='^TestReadOnlyWorker$' -test.v`
	cmd := exec.Command("unshare", "-Urm", "sh", "-c", mount, os.Args[0])
	cmd.Env = append(os.Environ(), "STORE_TEST_READONLY="+dir)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == 77 || strings.Contains(string(out), "unshare:") {
		t.Skipf("mount namespaces cannot be used here: %v %s", err, out)
	}
	if err != nil || !strings.Contains(string(out), "read-only worker ran") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A device that is read-only from the middle of the work on: reported, and the
// old content stays.
func TestReadOnlyInMidFlight(t *testing.T) {
	store.NeedStrace(t)
	dir, done, status := runFaults(t, "-e", "trace=renameat", "-e", "inject=renameat:error=EROFS:when=1+")
	if status.ExitCode() == 0 || done["atomic"] {
		t.Errorf("exit %d, done %v", status.ExitCode(), done)
	}
	checkFaults(t, dir, done)
}

func TestFileSystemsOfTheNetwork(t *testing.T) {
	for _, tt := range []struct {
		magic   int64
		kind    string
		network bool
	}{
		{0x6969, "nfs", true},
		{0x517B, "smb", true},
		{0xFF534D42, "smb", true},
		{-11317950, "smb", true}, // 0xFF534D42 where statfs has 32 bits
		{0x01021997, "9p", true},
		{0x65735546, "fuse", true},
		{0x794c7630, "overlay", false},
		{0xEF53, "", false},     // ext4
		{0x9123683E, "", false}, // btrfs
		{0x01021994, "", false}, // tmpfs
	} {
		if kind, network := store.FSKind(tt.magic); kind != tt.kind || network != tt.network {
			t.Errorf("%#x: got %q, %t; want %q, %t", tt.magic, kind, network, tt.kind, tt.network)
		}
	}
}
