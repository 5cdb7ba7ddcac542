package lock_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"outheis/tresor/internal/lock"
)

var now = time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)

func take(t *testing.T, dir string) *lock.Lock {
	t.Helper()
	l, err := lock.Take(dir, "index", now, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// D-65: beside the process the lock names host, command and time.
func TestTakeAndRelease(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ".vault-release.lock")
	l := take(t, dir)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if s := string(b); !strings.HasPrefix(s, "pid=") || !strings.HasSuffix(s, "\ncommand=index\nstarted=2026-05-06T07:08:09Z\n") {
		t.Errorf("content %q", s)
	}
	if _, err := lock.Take(dir, "graph", now, nil); !errors.Is(err, lock.ErrTaken) {
		t.Errorf("second take: %v", err)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("after release: %v", err)
	}
	take(t, dir).Release()
}

func TestReleaseLeavesAForeignLock(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ".vault-release.lock")
	l := take(t, dir)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("pid=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := l.Release(); !errors.Is(err, lock.ErrLost) {
		t.Errorf("release: %v", err)
	}
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("foreign lock: %v", err)
	}
}

func TestKeep(t *testing.T) {
	dir := t.TempDir()
	if err := take(t, dir).Keep(" rename\n\tfailed: a "); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, ".vault-release.lock"))
	if err != nil || !strings.HasSuffix(string(b), "\nrecovery_required=rename failed: a\n") {
		t.Errorf("content %q, %v", b, err)
	}
	if _, err := lock.Take(dir, "graph", now, nil); !errors.Is(err, lock.ErrTaken) {
		t.Errorf("take after keep: %v", err)
	}
}

func TestADanglingLinkIsALock(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("nowhere", filepath.Join(dir, ".vault-release.lock")); err != nil {
		t.Fatal(err)
	}
	if _, err := lock.Take(dir, "index", now, nil); !errors.Is(err, lock.ErrTaken) {
		t.Errorf("take: %v", err)
	}
}
