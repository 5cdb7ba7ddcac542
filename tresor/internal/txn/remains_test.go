//go:build unix

package txn_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"outheis/tresor/internal/disk"
	"outheis/tresor/internal/txn"
)

var errFault = fmt.Errorf("injected: %w", syscall.EIO)

// faultAt returns a hook that lets the n-th call fail, with dead all after it
// too, and counts them.
func faultAt(n int, dead bool) (hook disk.Hook, calls *int) {
	calls = new(int)
	return func(disk.Call) error {
		*calls++
		if *calls == n || dead && *calls > n {
			return errFault
		}
		return nil
	}, calls
}

// repair does what is left to do with the staging folders beside the Tresor.
func repair(t *testing.T, dir string, hook disk.Hook) error {
	t.Helper()
	names, _, err := txn.Leftovers(dir, "", hook)
	if err != nil {
		return err
	}
	for _, name := range names {
		r, err := txn.Inspect(dir, name, hook)
		if err != nil {
			return err
		}
		switch r.Progress {
		case txn.Between:
			if err := r.RollBack(); err != nil {
				return err
			}
		case txn.Unbegun, txn.Before, txn.After:
		default:
			return fmt.Errorf("progress %d: %+v", r.Progress, r.Paths)
		}
		if err := r.Clean(); err != nil {
			return err
		}
	}
	return nil
}

// With a fault in any call, or the end of the process there, the files are the
// old or the new ones, or what is left beside the Tresor leads to one of them.
func TestFaultAtEveryCall(t *testing.T) {
	t.Parallel()
	hook, calls := faultAt(0, false)
	must(t, run(everyVault(t), txn.Transaction{Targets: everything(), Hook: hook}))
	for _, dead := range []bool{false, true} {
		for n := 1; n <= *calls; n += faultStep {
			dir := everyVault(t)
			hook, _ := faultAt(n, dead)
			err := run(dir, txn.Transaction{Targets: everything(), Hook: hook})
			var incomplete *txn.RollbackError
			now := tree(t, dir)
			switch {
			case err == nil && now != newTree:
				t.Fatalf("call %d: success, but %s", n, now)
			case err != nil && now != oldTree && !errors.As(err, &incomplete):
				t.Fatalf("call %d: %v, but %s", n, err, now)
			case now != oldTree && now != newTree && siblings(t, dir) == nil:
				t.Fatalf("call %d: %v, nothing beside, and %s", n, err, now)
			}
			if err := repair(t, dir, nil); err != nil {
				t.Fatalf("call %d: %v; repair: %v", n, incomplete, err)
			}
			if now := tree(t, dir); now != oldTree && now != newTree || siblings(t, dir) != nil {
				t.Fatalf("call %d: after the repair %s, beside %q", n, now, siblings(t, dir))
			}
		}
	}
}

// The repair can itself be cut off at any call.
func TestFaultAtEveryCallOfTheRepair(t *testing.T) {
	t.Parallel()
	for n := 1; ; n += faultStep {
		dir := everyVault(t)
		dead := false
		err := run(dir, txn.Transaction{Targets: everything(), Hook: func(c disk.Call) error {
			if dead = dead || c.Op == "rename" && strings.HasSuffix(c.To, "/seiten/neu/x.md"); dead {
				return errFault
			}
			return nil
		}})
		if err == nil || tree(t, dir) == oldTree {
			t.Fatalf("it was not cut off: %v", err)
		}
		hook, seen := faultAt(n, true)
		err = repair(t, dir, hook)
		if *seen >= n {
			err = repair(t, dir, nil)
		}
		must(t, err)
		if now := tree(t, dir); now != oldTree || siblings(t, dir) != nil {
			t.Fatalf("call %d: after the repair %s, beside %q", n, now, siblings(t, dir))
		}
		if *seen < n {
			return
		}
	}
}

// cutOff leaves what a transaction leaves that ends when everything is in place.
func cutOff(t *testing.T) (dir string, r *txn.Remains) {
	t.Helper()
	dir = everyVault(t)
	dead := false
	err := run(dir, txn.Transaction{Targets: everything(), Note: "command=test\n", After: func() error { dead = true; return errFault },
		Hook: func(disk.Call) error {
			if dead {
				return errFault
			}
			return nil
		}})
	var incomplete *txn.RollbackError
	if !errors.As(err, &incomplete) {
		t.Fatalf("got %v", err)
	}
	r, err = txn.Inspect(dir, filepath.Base(incomplete.Backup), nil)
	must(t, err)
	return dir, r
}

func TestInspect(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		change     func(dir, staging string) error
		progress   txn.Progress
		restorable bool
	}{
		{"as it was left", func(string, string) error { return nil }, txn.After, true},
		{"one back by hand", func(dir, _ string) error { return os.WriteFile(filepath.Join(dir, "a.md"), []byte("alt a"), 0o644) }, txn.Between, true},
		{"one changed", func(dir, _ string) error { return os.WriteFile(filepath.Join(dir, "a.md"), []byte("x"), 0o644) }, txn.Stuck, false},
		{"one became a link", func(dir, _ string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "a.md")), os.Symlink("log.md", filepath.Join(dir, "a.md")))
		}, txn.Stuck, false},
		{"one vanished", func(dir, _ string) error { return os.Remove(filepath.Join(dir, "aus/q.md")) }, txn.Stuck, false},
		{"folder vanished", func(dir, _ string) error { return os.RemoveAll(filepath.Join(dir, "seiten/neu")) }, txn.Stuck, false},
		{"former gone", func(_, staging string) error { return os.Remove(filepath.Join(staging, "00.orig")) }, txn.After, false},
		{"former changed", func(_, staging string) error {
			return os.WriteFile(filepath.Join(staging, "00.orig"), []byte("x"), 0o600)
		}, txn.After, false},
		{"list gone", func(_, staging string) error { return os.Remove(filepath.Join(staging, "TARGETS")) }, txn.Unbegun, false},
		{"list torn", func(_, staging string) error { return os.Truncate(filepath.Join(staging, "TARGETS"), 300) }, txn.Unbegun, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, r := cutOff(t)
			if len(r.Note) != 1 || r.Note[0] != "command=test" {
				t.Errorf("note %q", r.Note)
			}
			must(t, tt.change(dir, filepath.Join(filepath.Dir(dir), r.Name)))
			before := tree(t, dir)
			r, err := txn.Inspect(dir, r.Name, nil)
			if err != nil || r.Progress != tt.progress || r.Restorable != tt.restorable {
				t.Fatalf("got %+v, %v", r, err)
			}
			if now := tree(t, dir); now != before {
				t.Errorf("looking changed it to %s", now)
			}
			if !tt.restorable {
				return
			}
			must(t, r.RollBack())
			if now := tree(t, dir); now != oldTree || r.Progress != txn.Before {
				t.Errorf("rolled back to %s, %d", now, r.Progress)
			}
		})
	}
}

// What no transaction made is told, and not removed.
func TestCleanRefusesWhatIsForeign(t *testing.T) {
	dir, r := cutOff(t)
	staging := filepath.Join(filepath.Dir(dir), r.Name)
	must(t, os.WriteFile(filepath.Join(staging, "brief.txt"), []byte("x"), 0o644))
	r, err := txn.Inspect(dir, r.Name, nil)
	if err != nil || len(r.Foreign) != 1 || r.Foreign[0] != "brief.txt" {
		t.Fatalf("got %+v, %v", r, err)
	}
	if err := r.Clean(); err == nil {
		t.Error("it was removed")
	}
	must(t, r.SetAside("v-recovery"))
	if b, err := os.ReadFile(filepath.Join(filepath.Dir(dir), "v-recovery/brief.txt")); err != nil || string(b) != "x" {
		t.Errorf("set aside: %q, %v", b, err)
	}
}

// A list is never believed about anything outside of the Tresor.
func FuzzParseList(f *testing.F) {
	a := strings.Repeat("a", 64)
	f.Add("pid=1\npaths=1\n00 - " + a + " INDEX.md\n")
	f.Add("paths=2\n00 " + a + " - ein/q.md\n00 - " + a + " aus/q.md\n")
	f.Add("paths=1\n00 - folder ../weg\n")
	f.Add("paths=1\n00 - - /etc\n")
	f.Add("paths=-1\n")
	f.Fuzz(func(t *testing.T, list string) {
		paths, complete := txn.ParseList(list)
		if !complete {
			return
		}
		for _, p := range paths {
			if !fs.ValidPath(p.Path) || p.Path == "." {
				t.Errorf("path %q", p.Path)
			}
		}
	})
}
