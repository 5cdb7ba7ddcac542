//go:build unix

package txn_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outheis/tresor/internal/disk"
	"outheis/tresor/internal/txn"
)

// vault is a folder with a sibling-free parent and two files.
func vault(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "v")
	for path, content := range map[string]string{"a.md": "alt a", "graph/g.json": "alt g"} {
		full := filepath.Join(dir, path)
		must(t, os.MkdirAll(filepath.Dir(full), 0o755))
		must(t, os.WriteFile(full, []byte(content), 0o640))
		must(t, os.Chmod(full, 0o640)) // whatever the umask
	}
	return dir
}

func targets() []txn.Target {
	return []txn.Target{
		{Path: "a.md", Content: []byte("neu a"), Mode: 0o644},
		{Path: "graph/g.json", Content: []byte("neu g"), Mode: 0o644},
		{Path: "n.md", Content: []byte("neu n"), Mode: 0o600},
	}
}

func run(dir string, tx txn.Transaction) error {
	tx.Root = dir
	return tx.Run(context.Background())
}

func state(t *testing.T, dir string) string {
	t.Helper()
	var out []string
	for _, path := range []string{"a.md", "graph/g.json", "n.md"} {
		b, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			b = []byte("-")
		}
		out = append(out, string(b))
	}
	return strings.Join(out, ", ")
}

// siblings lists what lies beside the Tresor.
func siblings(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(filepath.Dir(dir))
	must(t, err)
	var names []string
	for _, e := range list {
		if e.Name() != filepath.Base(dir) {
			names = append(names, e.Name())
		}
	}
	return names
}

func TestReplace(t *testing.T) {
	dir := vault(t)
	var during string
	err := run(dir, txn.Transaction{
		Targets: targets(),
		Before:  func() error { during = state(t, dir); return nil },
		After:   func() error { during += "; " + state(t, dir); return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "alt a, alt g, -; neu a, neu g, neu n"; during != want {
		t.Errorf("during: %s, want %s", during, want)
	}
	for path, want := range map[string]os.FileMode{"a.md": 0o640, "n.md": 0o600} {
		if info, err := os.Stat(filepath.Join(dir, path)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if left := siblings(t, dir); left != nil {
		t.Errorf("left behind: %q", left)
	}
}

func TestReplaceLeavesEverythingOnFailure(t *testing.T) {
	stop := errors.New("stop")
	tests := []struct {
		name   string
		damage func(t *testing.T, dir string)
		checks txn.Transaction
		text   string
	}{
		{"check before", nil, txn.Transaction{Before: func() error { return stop }}, "stop"},
		{"check after", nil, txn.Transaction{After: func() error { return stop }}, "stop"},
		{"D-02 panic before", nil, txn.Transaction{Before: func() error { panic(stop) }}, "panic: stop"},
		{"D-02 panic after", nil, txn.Transaction{After: func() error { panic(stop) }}, "panic: stop"},
		{"folder missing", func(t *testing.T, dir string) { must(t, os.RemoveAll(filepath.Join(dir, "graph"))) }, txn.Transaction{}, "graph: "},
		{"folder is a link", func(t *testing.T, dir string) {
			must(t, os.Rename(filepath.Join(dir, "graph"), filepath.Join(dir, "echt")))
			must(t, os.Symlink("echt", filepath.Join(dir, "graph")))
		}, txn.Transaction{}, "graph: "},
		{"target is a link", func(t *testing.T, dir string) { must(t, os.Symlink("a.md", filepath.Join(dir, "n.md"))) }, txn.Transaction{}, "n.md: "},
		{"target is a folder", func(t *testing.T, dir string) { must(t, os.Mkdir(filepath.Join(dir, "n.md"), 0o755)) }, txn.Transaction{}, "n.md: "},
		{"target has two names", func(t *testing.T, dir string) {
			must(t, os.Link(filepath.Join(dir, "a.md"), filepath.Join(dir, "zwei.md")))
		}, txn.Transaction{}, "a.md: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := vault(t)
			if tt.damage != nil {
				tt.damage(t, dir)
			}
			before := state(t, dir)
			tt.checks.Targets = targets()
			err := run(dir, tt.checks)
			var incomplete *txn.RollbackError
			if err == nil || errors.As(err, &incomplete) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("got %v", err)
			}
			if after := state(t, dir); after != before {
				t.Errorf("state %s, was %s", after, before)
			}
			if left := siblings(t, dir); left != nil {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// D-66, D-67: what somebody else put in place meanwhile is not overwritten by the
// rollback; the backup stays.
func TestRollbackLeavesForeignFiles(t *testing.T) {
	dir := vault(t)
	err := run(dir, txn.Transaction{Targets: targets(), After: func() error {
		must(t, os.Remove(filepath.Join(dir, "a.md")))
		must(t, os.WriteFile(filepath.Join(dir, "a.md"), []byte("fremd"), 0o644))
		return errors.New("stop")
	}})
	var incomplete *txn.RollbackError
	if !errors.As(err, &incomplete) {
		t.Fatalf("got %v", err)
	}
	if got, want := state(t, dir), "fremd, alt g, -"; got != want {
		t.Errorf("state %s, want %s", got, want)
	}
	if len(incomplete.Failed) != 1 || incomplete.Cause.Error() != "stop" {
		t.Errorf("failed %v, cause %v", incomplete.Failed, incomplete.Cause)
	}
	b, err := os.ReadFile(filepath.Join(incomplete.Backup, "00.orig"))
	if err != nil || string(b) != "alt a" {
		t.Errorf("backup %q, %v", b, err)
	}
	list, err := os.ReadFile(filepath.Join(incomplete.Backup, "TARGETS"))
	want := fmt.Sprintf("root=%q\nfolder=%s\npaths=3\n00 %s %s a.md\n01 %s %s graph/g.json\n02 - %s n.md\n",
		dir, number(t, dir), sum("alt a"), sum("neu a"), sum("alt g"), sum("neu g"), sum("neu n"))
	if err != nil || string(list) != want {
		t.Errorf("list %q, %v", list, err)
	}
}

// number is what a folder is told by wherever it moves.
func number(t *testing.T, dir string) string {
	t.Helper()
	f, err := disk.Open(dir, nil)
	must(t, err)
	defer f.Close()
	info, err := f.Self()
	must(t, err)
	return fmt.Sprintf("%d:%d", info.ID.Device, info.ID.Inode)
}

func TestVerificationNoticesOtherContent(t *testing.T) {
	dir := vault(t)
	err := run(dir, txn.Transaction{Targets: targets(), After: func() error {
		return os.WriteFile(filepath.Join(dir, "a.md"), []byte("anders"), 0o644)
	}})
	if err == nil || !strings.Contains(err.Error(), "a.md: ") {
		t.Errorf("got %v", err)
	}
	if got, want := state(t, dir), "alt a, alt g, -"; got != want {
		t.Errorf("state %s, want %s", got, want)
	}
}

func TestNothingToWrite(t *testing.T) {
	if err := run(filepath.Join(t.TempDir(), "none"), txn.Transaction{}); err != nil {
		t.Error(err)
	}
}

func sum(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
