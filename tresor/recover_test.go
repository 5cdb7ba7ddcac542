//go:build unix

package tresor_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"outheis/tresor"
	"outheis/tresor/internal/disk"
	"outheis/tresor/internal/lock"
)

const lockName = ".vault-release.lock"

// released lays the example Tresor and releases it.
func released(t *testing.T) string {
	t.Helper()
	dir := unreleased(t)
	if _, err := tresor.Release(t.Context(), dir, tresor.Major, day); err != nil {
		t.Fatal(err)
	}
	return dir
}

// cutOff leaves what a release leaves whose process ends before it puts the file
// at a path in place.
func cutOff(t *testing.T, dir, path string) {
	t.Helper()
	dead := false
	_, err := tresor.Release(t.Context(), dir, tresor.Minor, day.WithHook(func(c disk.Call) error {
		if dead = dead || c.Op == "rename" && strings.HasSuffix(c.To, "/"+path); dead {
			return errFault
		}
		return nil
	}))
	if err == nil {
		t.Fatal("the release was not cut off")
	}
	bury(t, dir)
}

// beside makes a staging folder of other people's.
func beside(t *testing.T, dir, suffix string, files ...string) {
	t.Helper()
	folder := filepath.Join(filepath.Dir(dir), ".halle3-release-"+suffix)
	must(t, os.MkdirAll(folder, 0o700))
	for _, f := range files {
		must(t, os.WriteFile(filepath.Join(folder, f), []byte("x"), 0o644))
	}
}

func TestRecover(t *testing.T) {
	host, err := os.Hostname()
	must(t, err)
	foreign := "pid=4711\n"
	elsewhere := "pid=4711\nhost=" + host + "2\ncommand=release\nstarted=2026-05-06T07:08:09Z\n"
	edit := func(t *testing.T, dir string) { put(t, dir, "sources/quarantine/README.md", "anders\n") }
	tests := []struct {
		name  string
		lay   func(t *testing.T, dir string)
		state tresor.RecoveryState // without, and with the word that nobody writes
		gone  tresor.RecoveryState
		rules string
	}{
		{"nothing", func(*testing.T, string) {}, tresor.Sound, tresor.Sound, ""},
		{"unreleased changes", edit, tresor.Sound, tresor.Sound, ""},
		{"lock of another engine", func(t *testing.T, dir string) { put(t, dir, lockName, foreign) }, tresor.Manual, tresor.Repaired, "RV-6"},
		{"lock of another engine, changes", func(t *testing.T, dir string) { put(t, dir, lockName, foreign); edit(t, dir) },
			tresor.Manual, tresor.Manual, "RV-6"},
		{"lock of another machine", func(t *testing.T, dir string) { put(t, dir, lockName, elsewhere); edit(t, dir) },
			tresor.Manual, tresor.Repaired, "RV-6"},
		{"empty lock", func(t *testing.T, dir string) { put(t, dir, lockName, ""); edit(t, dir) }, tresor.Manual, tresor.Repaired, "RV-6"},
		{"odd lock", func(t *testing.T, dir string) { must(t, os.Mkdir(filepath.Join(dir, lockName), 0o755)) }, tresor.Manual, tresor.Manual, "RV-4"},
		{"incomplete rollback, backup gone", func(t *testing.T, dir string) {
			put(t, dir, lockName, elsewhere+"recovery_required=Rollback unvollständig\n")
			edit(t, dir)
		}, tresor.Manual, tresor.Manual, "RV-6 RV-7"},
		{"cut off at once", func(t *testing.T, dir string) { cutOff(t, dir, "INDEX.md") }, tresor.Repaired, tresor.Repaired, "RV-3 RV-11"},
		{"cut off in between", func(t *testing.T, dir string) { cutOff(t, dir, "VERSION") }, tresor.Repaired, tresor.Repaired, "RV-3 RV-11"},
		{"cut off late", func(t *testing.T, dir string) { cutOff(t, dir, "MANIFEST.sha256") }, tresor.Repaired, tresor.Repaired, "RV-3 RV-13"},
		{"cut off, then edited", func(t *testing.T, dir string) { cutOff(t, dir, "MANIFEST.sha256"); put(t, dir, "VERSION", "7.0.0\n") },
			tresor.Manual, tresor.Manual, "RV-3 RV-18"},
		{"cut off, lock removed by hand", func(t *testing.T, dir string) { cutOff(t, dir, "MANIFEST.sha256"); remove(t, dir, lockName) },
			tresor.Repaired, tresor.Repaired, "RV-13"},
		{"cut off, and an older folder", func(t *testing.T, dir string) {
			cutOff(t, dir, "MANIFEST.sha256")
			beside(t, dir, "abcdefghijkl", "00.absent")
		}, tresor.Repaired, tresor.Repaired, "RV-3 RV-10 RV-13"},
		{"cut off twice", func(t *testing.T, dir string) {
			cutOff(t, dir, "MANIFEST.sha256")
			remove(t, dir, lockName)
			put(t, dir, "VERSION", "3.0.0\n")
			cutOff(t, dir, "MANIFEST.sha256")
		}, tresor.Manual, tresor.Manual, "RV-3 RV-18 RV-18"},
		{"staging of another engine", func(t *testing.T, dir string) { beside(t, dir, "a1b2c3d4", "00.stage") }, tresor.Repaired, tresor.Repaired, "RV-15"},
		{"staging of another engine, changes", func(t *testing.T, dir string) { beside(t, dir, "a1b2c3d4", "00.stage"); edit(t, dir) },
			tresor.Manual, tresor.Manual, "RV-16"},
		{"empty staging", func(t *testing.T, dir string) { beside(t, dir, "abcdefghijkl") }, tresor.Repaired, tresor.Repaired, "RV-26"},
		{"staging with other things", func(t *testing.T, dir string) { beside(t, dir, "abcdefghijkl", "brief.txt") }, tresor.Repaired, tresor.Repaired, "RV-10"},
		{"named like staging of another engine", func(t *testing.T, dir string) { beside(t, dir, "archiv26", "brief.txt"); edit(t, dir) },
			tresor.Sound, tresor.Sound, "RV-27"},
		{"named like staging by half", func(t *testing.T, dir string) { beside(t, dir, "2026", "00.stage"); edit(t, dir) },
			tresor.Sound, tresor.Sound, ""},
		{"derived files of another state", func(t *testing.T, dir string) { put(t, dir, "INDEX.md", "alt\n") }, tresor.Manual, tresor.Manual, "RV-20"},
		{"entry without its release", func(t *testing.T, dir string) {
			put(t, dir, "log.md", "## [2026-05-06] release | v1.0.1 — 2 Seiten, 5 Claims, 2 Quellen (patch)\n")
		}, tresor.Sound, tresor.Sound, "RV-21"},
	}
	for _, tt := range tests {
		for _, gone := range []bool{false, true} {
			t.Run(fmt.Sprint(tt.name, " ", gone), func(t *testing.T) {
				t.Parallel()
				dir := released(t)
				tt.lay(t, dir)
				before := content(t, filepath.Dir(dir))
				dry, err := tresor.Recover(t.Context(), dir, tresor.RecoverOptions{WriterGone: gone}, tresor.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if d := difference(before, content(t, filepath.Dir(dir))); d != "" {
					t.Errorf("without being told to it changed %s", d)
				}
				want := tt.state
				if gone {
					want = tt.gone
				}
				r, err := tresor.Recover(t.Context(), dir, tresor.RecoverOptions{WriterGone: gone, Apply: true}, tresor.Options{})
				if err != nil || r.State != want {
					t.Fatalf("got %+v, %v, want %s", r, err, want)
				}
				if dry.State != want && (dry.State != tresor.Repairable || want != tresor.Repaired) || !slices.Equal(dry.Steps, r.Steps) {
					t.Errorf("said %+v, did %+v", dry, r)
				}
				var rules []string
				for _, f := range r.Findings {
					rules = append(rules, f.Rule)
				}
				expected := strings.Fields(tt.rules)
				slices.Sort(rules) // folders have names by chance
				slices.Sort(expected)
				if !gone && !slices.Equal(rules, expected) {
					t.Errorf("findings %s, want %s", rules, expected)
				}
				if want == tresor.Manual {
					if d := difference(before, content(t, filepath.Dir(dir))); d != "" {
						t.Errorf("%s changed", d)
					}
					if len(r.Steps) == 0 {
						t.Error("it does not say what to do")
					}
					return
				}
				if _, err := os.Lstat(filepath.Join(dir, lockName)); err == nil {
					t.Error("the lock is still there")
				}
				if again, err := tresor.Recover(t.Context(), dir, tresor.RecoverOptions{}, tresor.Options{}); err != nil || again.State != tresor.Sound {
					t.Errorf("again %+v, %v", again, err)
				}
			})
		}
	}
}

// The staging of others, and what they put into ours, stays beside the Tresor.
func TestRecoverDeletesNothingOfOthers(t *testing.T) {
	dir := released(t)
	beside(t, dir, "a1b2c3d4", "00.stage")
	beside(t, dir, "abcdefghijkl", "brief.txt")
	if _, err := tresor.Recover(t.Context(), dir, tresor.RecoverOptions{Apply: true}, tresor.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"halle3-recovery-a1b2c3d4/00.stage", "halle3-recovery-abcdefghijkl/brief.txt"} {
		if b, err := os.ReadFile(filepath.Join(filepath.Dir(dir), path)); err != nil || string(b) != "x" {
			t.Errorf("%s: %q, %v", path, b, err)
		}
	}
}

// Whoever can write beside the Tresor cannot make recover write into it.
func TestRecoverDoesNotTrustOthers(t *testing.T) {
	dir := released(t)
	cutOff(t, dir, "MANIFEST.sha256")
	must(t, os.Chmod(filepath.Join(filepath.Dir(dir), besides(t, dir)), 0o777))
	before := content(t, filepath.Dir(dir))
	for _, want := range []tresor.RecoveryState{tresor.Manual, tresor.Sound} {
		r, err := tresor.Recover(t.Context(), dir, tresor.RecoverOptions{Apply: true}, tresor.Options{})
		if err != nil || r.State != want || r.Findings[len(r.Findings)-1].Rule != "RV-22" {
			t.Errorf("got %+v, %v, want %s", r, err, want)
		}
		if d := difference(before, content(t, filepath.Dir(dir))); d != "" {
			t.Errorf("%s changed", d)
		}
		_ = os.Remove(filepath.Join(dir, lockName)) // by hand, for the second look
		before = content(t, filepath.Dir(dir))
	}
}

// Nothing is touched while a writer is at work, whatever is said about it.
func TestRecoverWaitsForAWriter(t *testing.T) {
	dir := released(t)
	l, err := lock.Take(dir, "release", day.Now(), nil)
	must(t, err)
	beside(t, dir, "a1b2c3d4", "00.stage")
	before := content(t, filepath.Dir(dir))
	for _, ro := range []tresor.RecoverOptions{{}, {Apply: true}, {Apply: true, WriterGone: true}} {
		r, err := tresor.Recover(t.Context(), dir, ro, tresor.Options{})
		if err != nil || r.State != tresor.Busy || len(r.Steps) != 1 || !strings.Contains(r.Steps[0], fmt.Sprint(os.Getpid())) {
			t.Errorf("got %+v, %v", r, err)
		}
	}
	if d := difference(before, content(t, filepath.Dir(dir))); d != "" {
		t.Errorf("%s changed", d)
	}
	must(t, l.Release())
}

// After an incomplete rollback the backup lets recover finish it (deviation
// D-66).
func TestRecoverFinishesARollback(t *testing.T) {
	dir := released(t)
	put(t, dir, "graph/graph.json", "alt\n")
	before := maps.Clone(content(t, dir))
	failing := false
	_, err := tresor.Release(t.Context(), dir, tresor.Minor, day.WithHook(func(c disk.Call) error {
		switch {
		case c.Op == "rename" && filepath.Base(c.To) == "MANIFEST.sha256":
			failing = true
			return errFault
		case failing && c.Op == "rename" && filepath.Base(c.To) == "graph.json":
			return errFault
		}
		return nil
	}))
	if err == nil || !strings.Contains(err.Error(), besides(t, dir)) || !strings.Contains(err.Error(), "graph/graph.json: ") || !strings.HasPrefix(besides(t, dir), ".halle3-release-") {
		t.Fatalf("got %v, beside the Tresor %s", err, besides(t, dir))
	}
	b, err := os.ReadFile(filepath.Join(dir, lockName))
	if err != nil || !strings.HasSuffix(string(b), "\nrecovery_required=Rollback unvollständig\n") {
		t.Fatalf("lock %q, %v", b, err)
	}
	bury(t, dir)
	r, err := tresor.Recover(t.Context(), dir, tresor.RecoverOptions{Apply: true}, tresor.Options{})
	if err != nil || r.State != tresor.Repaired {
		t.Fatalf("got %+v, %v", r, err)
	}
	if d := difference(before, content(t, dir)); d != "" {
		t.Errorf("%s differs", d)
	}
}
