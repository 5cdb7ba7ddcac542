//go:build unix

package tresor_test

import (
	"context"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"outheis/tresor"
	"outheis/tresor/internal/disk"
)

// neighbours lays two Tresore in one folder; the staging of the second one is
// named as if it were one of the first.
func neighbours(t *testing.T) (dir, neighbour string) {
	t.Helper()
	dir = released(t)
	neighbour = dir + "-release-2026"
	must(t, os.CopyFS(neighbour, os.DirFS(dir)))
	return dir, neighbour
}

// hints returns the rules of what doctor says beside errors and warnings.
func hints(t *testing.T, dir string) []string {
	t.Helper()
	d, err := tresor.Diagnose(dir, tresor.Options{})
	must(t, err)
	var rules []string
	for _, f := range d.Hints {
		rules = append(rules, f.Rule)
	}
	return rules
}

// The transaction of a neighbour is none of a Tresor's business, neither while
// it runs nor after it was cut off.
func TestRecoverLeavesTheNeighbour(t *testing.T) {
	t.Run("at work", func(t *testing.T) {
		dir, neighbour := neighbours(t)
		renames := 0
		_, err := tresor.Release(t.Context(), neighbour, tresor.Minor, day.WithHook(func(c disk.Call) error {
			if c.Op != "rename" {
				return nil
			}
			if renames++; renames == 3 {
				r, err := tresor.Recover(context.WithoutCancel(t.Context()), dir, tresor.RecoverOptions{Apply: true}, tresor.Options{})
				if err != nil || r.State != tresor.Sound || r.Findings != nil {
					t.Errorf("got %+v, %v", r, err)
				}
				if slices.Contains(hints(t, dir), "DR-8") {
					t.Error("doctor names the neighbour's staging folder")
				}
			}
			return nil
		}))
		must(t, err)
		if _, err := tresor.Open(neighbour, tresor.Options{}); err != nil {
			t.Error(err)
		}
	})
	t.Run("cut off", func(t *testing.T) {
		dir, neighbour := neighbours(t)
		former := whole(t, neighbour)
		cutOff(t, neighbour, "MANIFEST.sha256")
		r, err := tresor.Recover(t.Context(), dir, tresor.RecoverOptions{Apply: true}, tresor.Options{})
		if err != nil || r.State != tresor.Sound || r.Findings != nil {
			t.Errorf("got %+v, %v", r, err)
		}
		if slices.Contains(hints(t, dir), "DR-8") || !slices.Contains(hints(t, neighbour), "DR-8") {
			t.Errorf("doctor says %v, of the neighbour %v", hints(t, dir), hints(t, neighbour))
		}
		if how := recoversAlone(t, neighbour, former); how != isOld {
			t.Errorf("the neighbour is %s", how)
		}
	})
}

// recoversAlone is recovers where other Tresore lie beside.
func recoversAlone(t *testing.T, dir string, former map[string]string) outcome {
	t.Helper()
	r, err := tresor.Recover(t.Context(), dir, tresor.RecoverOptions{Apply: true}, tresor.Options{})
	if err != nil || r.State != tresor.Repaired {
		t.Errorf("recover: %+v, %v", r, err)
	}
	if d := difference(whole(t, dir), former); d != "" {
		t.Errorf("%s is not as before", d)
		return broken
	}
	return isOld
}

// stagingOf returns the path of the one staging folder beside a Tresor.
func stagingOf(t *testing.T, dir string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(filepath.Dir(dir), ".*-release-*"))
	if err != nil || len(all) != 1 {
		t.Fatalf("beside the Tresor %q, %v", all, err)
	}
	return all[0]
}

// A Tresor that takes the place of one that was cut off and moved away does not
// touch what belongs to that.
func TestRecoverLeavesWhatBelongsToAMovedTresor(t *testing.T) {
	dir := released(t)
	former := whole(t, dir)
	cutOff(t, dir, "MANIFEST.sha256")
	moved := filepath.Join(filepath.Dir(dir), "anders")
	must(t, os.Rename(dir, moved))
	must(t, os.CopyFS(dir, os.DirFS(moved))) // with its lock
	before := content(t, filepath.Dir(dir))
	r, err := tresor.Recover(t.Context(), dir, tresor.RecoverOptions{Apply: true}, tresor.Options{})
	if err != nil || r.State != tresor.Manual {
		t.Errorf("got %+v, %v", r, err)
	}
	if d := difference(before, content(t, filepath.Dir(dir))); d != "" {
		t.Errorf("%s changed", d)
	}
	if how := recoversAlone(t, moved, former); how != isOld {
		t.Errorf("the moved one is %s", how)
	}
}

// Who moves a Tresor that was cut off without what lies beside it learns where
// that is; with it, recover works at the new place as at the old one.
func TestRecoverOfAMovedTresor(t *testing.T) {
	move := func(t *testing.T, from, to string) { must(t, os.Rename(from, to)) }
	clone := func(t *testing.T, from, to string) {
		must(t, os.CopyFS(to, os.DirFS(from)))
		must(t, os.Chmod(to, 0o700))
	}
	for name, tt := range map[string]struct {
		move func(t *testing.T, from, to string)
		name string
	}{"moved": {move, "halle3"}, "moved and renamed": {move, "halle5"}, "copied": {clone, "halle3"}} {
		t.Run(name, func(t *testing.T) {
			dir := released(t)
			former := whole(t, dir)
			cutOff(t, dir, "MANIFEST.sha256")
			staging := stagingOf(t, dir)
			moved := filepath.Join(t.TempDir(), tt.name)
			tt.move(t, dir, moved)
			before := content(t, moved)
			for _, gone := range []bool{false, true} {
				r, err := tresor.Recover(t.Context(), moved, tresor.RecoverOptions{Apply: true, WriterGone: gone}, tresor.Options{})
				if err != nil || r.State != tresor.Manual || !strings.Contains(strings.Join(r.Steps, "\n"), staging) {
					t.Fatalf("got %+v, %v", r, err)
				}
				if d := difference(before, content(t, moved)); d != "" {
					t.Errorf("%s changed", d)
				}
			}
			tt.move(t, staging, filepath.Join(filepath.Dir(moved), filepath.Base(staging)))
			if how := recoversAlone(t, moved, former); how != isOld {
				t.Errorf("the moved one is %s", how)
			}
		})
	}
}

// Renamed where it lies, a Tresor still finds what belongs to it.
func TestRecoverOfARenamedTresor(t *testing.T) {
	dir := released(t)
	former := whole(t, dir)
	cutOff(t, dir, "MANIFEST.sha256")
	renamed := filepath.Join(filepath.Dir(dir), "halle5")
	must(t, os.Rename(dir, renamed))
	if !slices.Contains(hints(t, renamed), "DR-8") {
		t.Error("doctor does not name it")
	}
	if how := recoversAlone(t, renamed, former); how != isOld {
		t.Errorf("it is %s", how)
	}
}

// A lock that only another user can read is not an error without a name.
func TestRecoverNamesTheUserOfALock(t *testing.T) {
	dir := released(t)
	put(t, dir, lockName, "pid=4711\n")
	me, err := user.Current()
	must(t, err)
	r, err := tresor.Recover(t.Context(), dir, tresor.RecoverOptions{Apply: true, WriterGone: true}, day.WithHook(func(c disk.Call) error {
		if c.Op == "open" && filepath.Base(c.Path) == lockName {
			return fs.ErrPermission
		}
		return nil
	}))
	if err != nil || r.State != tresor.Manual || r.Findings[0].Rule != "RV-29" || !strings.Contains(r.Steps[0], me.Username) {
		t.Errorf("got %+v, %v", r, err)
	}
}

// Where nothing can be written there may still be nothing to repair.
func TestRecoverOfWhatIsReadOnly(t *testing.T) {
	readOnly := day.WithHook(func(c disk.Call) error {
		if c.Op == "create" {
			return fs.ErrPermission
		}
		return nil
	})
	dir := released(t)
	if r, err := tresor.Recover(t.Context(), dir, tresor.RecoverOptions{Apply: true}, readOnly); err != nil || r.State != tresor.Sound {
		t.Errorf("got %+v, %v", r, err)
	}
	cutOff(t, dir, "MANIFEST.sha256")
	remove(t, dir, lockName)
	if r, err := tresor.Recover(t.Context(), dir, tresor.RecoverOptions{Apply: true}, readOnly); err == nil {
		t.Errorf("with something to repair: %+v", r)
	}
}

// Of each file that a person has to look at recover says where its former
// content is, and names no file that does not exist.
func TestRecoverSaysWhereTheFormerContentIs(t *testing.T) {
	w := writers()[5]
	dir := w.lay(t)
	dead := false
	err := w.write(t.Context(), dir, day.WithHook(func(c disk.Call) error {
		if dead = dead || c.Op == "mkdir" && filepath.Base(c.Path) == "neu"; dead {
			return errFault
		}
		return nil
	}))
	if err == nil {
		t.Fatal("it was not cut off")
	}
	bury(t, dir)
	put(t, dir, "sources/quarantine/neu.md", "anders\n")
	put(t, dir, "sources/REGISTER.md", "anders\n")
	r, err := tresor.Recover(t.Context(), dir, tresor.RecoverOptions{Apply: true}, tresor.Options{Lang: "en"})
	if err != nil || r.State != tresor.Manual || len(r.Steps) < 2 {
		t.Fatalf("got %+v, %v", r, err)
	}
	kept := filepath.Base(stagingOf(t, dir)) + "/00.orig"
	if !strings.HasPrefix(r.Steps[0], "Compare sources/REGISTER.md with the former content in "+kept) {
		t.Errorf("got %s", r.Steps[0])
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(dir), kept)); err != nil {
		t.Error(err)
	}
	if want := "sources/quarantine/neu.md was moved; its former content is now sources/raw/S-0003__neu.md"; !strings.HasPrefix(r.Steps[1], want) {
		t.Errorf("got %s", r.Steps[1])
	}
	put(t, dir, "sources/raw/S-0003__neu.md", "auch anders\n")
	r, err = tresor.Recover(t.Context(), dir, tresor.RecoverOptions{}, tresor.Options{Lang: "en"})
	if err != nil || !strings.HasPrefix(r.Steps[1], "sources/quarantine/neu.md: the former content is gone") ||
		!strings.HasPrefix(r.Steps[2], "sources/raw/S-0003__neu.md was not there before") {
		t.Errorf("got %+v, %v", r, err)
	}
}

// A writer whose lock somebody removed is still a writer.
func TestRecoverLeavesAWriterWithoutLock(t *testing.T) {
	dir := released(t)
	looked := false
	_, err := tresor.Release(t.Context(), dir, tresor.Minor, day.WithHook(func(c disk.Call) error {
		if !looked && c.Op == "rename" && strings.HasSuffix(c.To, "/VERSION") {
			looked = true
			must(t, os.Remove(filepath.Join(dir, lockName)))
			r, err := tresor.Recover(context.WithoutCancel(t.Context()), dir, tresor.RecoverOptions{Apply: true, WriterGone: true}, tresor.Options{})
			if err != nil || r.State != tresor.Busy {
				t.Errorf("got %+v, %v", r, err)
			}
		}
		return nil
	}))
	if err == nil || !looked {
		t.Errorf("looked %v, got %v", looked, err) // it says that its lock is gone
	}
	if _, err := tresor.Open(dir, tresor.Options{}); err != nil {
		t.Error(err)
	}
}

// Wherever a writer ends, moving the Tresor away from what lies beside it never
// makes recover call a state sound that is neither the former nor the new one.
func TestFaultAtEveryCallThenMoved(t *testing.T) {
	for _, w := range []writer{writers()[0], writers()[5]} {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			dir := w.lay(t)
			former := whole(t, dir)
			hook, calls := faultAt(0, false)
			must(t, w.write(t.Context(), dir, day.WithHook(hook)))
			latter := whole(t, dir)
			refused := 0
			for n := 1; n <= *calls; n += min(faultStep, 5) {
				dir := w.lay(t)
				hook, _ := faultAt(n, true)
				_ = w.write(t.Context(), dir, day.WithHook(hook)) // how it ended is in the files
				bury(t, dir)
				moved := filepath.Join(t.TempDir(), "halle3")
				must(t, os.Rename(dir, moved))
				r, err := tresor.Recover(t.Context(), moved, tresor.RecoverOptions{Apply: true}, tresor.Options{})
				must(t, err)
				now := whole(t, moved)
				switch {
				case r.State == tresor.Manual:
					// Cut off in the lock itself there is no staging folder yet.
					if besides(t, dir) != "" {
						refused++
						staging := stagingOf(t, dir)
						must(t, os.Rename(staging, filepath.Join(filepath.Dir(moved), filepath.Base(staging))))
					}
					recovers(t, moved, former, latter)
				case difference(now, former) != "" && difference(now, latter) != "":
					t.Errorf("%+v, but neither old (%s) nor new (%s)", r, difference(now, former), difference(now, latter))
				}
				if t.Failed() {
					t.Fatalf("call %d of %d", n, *calls)
				}
			}
			if refused == 0 {
				t.Error("the faults did not show")
			}
		})
	}
}
