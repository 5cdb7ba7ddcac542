//go:build unix

package tresor_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"outheis/tresor"
	"outheis/tresor/internal/disk"
	"outheis/tresor/internal/txn"
)

// A writer is something that writes a Tresor, with what it needs there.
type writer struct {
	name    string
	layMore func(t *testing.T, dir string) // nil for nothing
	write   func(ctx context.Context, dir string, o tresor.Options) error
}

func writers() []writer {
	return []writer{
		{"release", nil, func(ctx context.Context, dir string, o tresor.Options) error {
			_, err := tresor.Release(ctx, dir, tresor.Minor, o)
			return err
		}},
		{"index", nil, func(ctx context.Context, dir string, o tresor.Options) error {
			_, err := tresor.WriteIndex(ctx, dir, o)
			return err
		}},
		{"graph", nil, func(ctx context.Context, dir string, o tresor.Options) error {
			_, _, err := tresor.WriteGraph(ctx, dir, o)
			return err
		}},
		{"checksum", nil, func(ctx context.Context, dir string, o tresor.Options) error {
			_, err := tresor.WriteManifest(ctx, dir, o)
			return err
		}},
		{"log", nil, func(ctx context.Context, dir string, o tresor.Options) error {
			_, err := tresor.Log(ctx, dir, "note", "Rücksprache", o)
			return err
		}},
		{"change", layForChange, change},
	}
}

// layForChange puts a source into quarantine, and something to take away.
func layForChange(t *testing.T, dir string) {
	put(t, dir, "sources/quarantine/neu.md", "Die Kasse schließt um sechs.\n")
	put(t, dir, "evals/alt.jsonl", "{}\n")
}

// change changes a Tresor by targets of every kind.
func change(ctx context.Context, dir string, o tresor.Options) error {
	_, err := tresor.Change(ctx, dir, "add", o, func(v tresor.View) ([]txn.Target, error) {
		register, err := v.Tree.Text("sources/REGISTER.md")
		if err != nil {
			return nil, err
		}
		digest, err := v.Tree.Digest("sources/quarantine/neu.md")
		if err != nil {
			return nil, err
		}
		log, err := v.LogEntry("ingest", "S-0003")
		row := "| S-0003 | Kasse | 2026-05-01 | " + digest + " | T2 | intern | sources/raw/S-0003__neu.md |\n"
		return []txn.Target{
			{Path: "sources/REGISTER.md", Content: []byte(register + row)},
			{Kind: txn.Move, From: "sources/quarantine/neu.md", Path: "sources/raw/S-0003__neu.md", SHA256: digest},
			{Kind: txn.Folder, Path: "evals/neu", Mode: 0o755},
			{Path: "evals/neu/fragen.jsonl", Content: []byte("{}\n"), Mode: 0o644},
			{Kind: txn.Remove, Path: "evals/alt.jsonl"},
			log,
		}, err
	})
	return err
}

// lay lays the Tresor that a writer works on: released once, edited since.
func (w writer) lay(t *testing.T) string {
	t.Helper()
	dir := unreleased(t)
	if _, err := tresor.Release(t.Context(), dir, tresor.Major, day); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(dir, "knowledge/werkstatt/halle3.md")
	b, err := os.ReadFile(page)
	must(t, err)
	must(t, os.WriteFile(page, []byte(strings.Replace(string(b), "Regeln der Halle 3", "Regeln der dritten Halle", 1)), 0o644))
	put(t, dir, "graph/graph.json", "{}\n")
	if w.layMore != nil {
		w.layMore(t, dir)
	}
	return dir
}

// whole returns everything below dir but the lock: files with their content,
// folders with "/".
func whole(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := content(t, dir)
	delete(all, ".vault-release.lock")
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			rel, _ := filepath.Rel(dir, path) // path is below dir
			all[rel+"/"] = "folder"
		}
		return err
	}))
	return all
}

var errFault = fmt.Errorf("injected: %w", syscall.EIO)

// faultAt returns a hook that counts the calls and lets the n-th fail, and with
// dead all after it, as if the process had ended there.
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

// bury makes the lock one of a process that is dead.
func bury(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, ".vault-release.lock")
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	must(t, err)
	must(t, os.WriteFile(path, regexp.MustCompile(`(?m)^pid=\d+`).ReplaceAll(b, []byte("pid=2147483647")), 0o600))
}

// An outcome is how a writer left a Tresor that something happened to.
type outcome string

const (
	isOld   outcome = "old"
	isNew   outcome = "new"
	blocked outcome = "recover" // the lock stays, or something lies beside the Tresor
	broken  outcome = "broken"
)

// judge says how the Tresor was left and holds it against what the writer said.
func judge(t *testing.T, dir string, former, latter map[string]string, err error) outcome {
	t.Helper()
	now := whole(t, dir)
	old, done := difference(now, former) == "", difference(now, latter) == ""
	var failed *tresor.WriteError
	switch {
	case err == nil && !done:
		t.Errorf("success, but %s is not new", difference(now, latter))
	case err != nil && !old && (!errors.As(err, &failed) || !failed.Recovery && !failed.Done):
		t.Errorf("%v, but %s is not old", err, difference(now, former))
	}
	_, locked := os.Lstat(filepath.Join(dir, ".vault-release.lock"))
	switch {
	case locked == nil || besides(t, dir) != "":
		return blocked
	case old:
		return isOld
	case done:
		return isNew
	}
	t.Errorf("neither old (%s) nor new (%s), and no lock", difference(now, former), difference(now, latter))
	return broken
}

// recovers repairs what was left and checks that nothing remains of it, then that
// the Tresor is the former or the new one.
func recovers(t *testing.T, dir string, former, latter map[string]string) outcome {
	t.Helper()
	ro := tresor.RecoverOptions{Apply: true, WriterGone: true}
	r, err := tresor.Recover(t.Context(), dir, ro, tresor.Options{Lang: "en"})
	if err != nil || r.State != tresor.Repaired && r.State != tresor.Sound {
		t.Errorf("recover: %+v, %v", r, err)
		return broken
	}
	if again, err := tresor.Recover(t.Context(), dir, ro, tresor.Options{Lang: "en"}); err != nil || again.State != tresor.Sound {
		t.Errorf("recover again: %+v, %v", again, err)
	}
	if left := besides(t, dir); left != "" {
		t.Errorf("left beside the Tresor: %s", left)
	}
	now := whole(t, dir)
	switch {
	case difference(now, former) == "":
		return isOld
	case difference(now, latter) == "":
		return isNew
	}
	t.Errorf("neither old (%s) nor new (%s)", difference(now, former), difference(now, latter))
	return broken
}

// At whatever call to the disk an error comes, or the process ends: the Tresor is
// the former one or the new one byte for byte, or it is locked and recover makes
// it one of them.
func TestFaultAtEveryCall(t *testing.T) {
	for _, w := range writers() {
		for _, dead := range []bool{false, true} {
			name := w.name + "/error"
			if dead {
				name = w.name + "/end"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				dir := w.lay(t)
				former := whole(t, dir)
				hook, calls := faultAt(0, false)
				must(t, w.write(t.Context(), dir, day.WithHook(hook)))
				latter := whole(t, dir)
				counts := map[outcome]int{}
				for n := 1; n <= *calls; n += faultStep {
					dir := w.lay(t)
					hook, _ := faultAt(n, dead)
					err := w.write(t.Context(), dir, day.WithHook(hook))
					how := judge(t, dir, former, latter, err)
					bury(t, dir)
					counts[how]++
					counts["then "+recovers(t, dir, former, latter)]++
					if t.Failed() {
						t.Fatalf("call %d of %d, error %v", n, *calls, err)
					}
				}
				t.Logf("%d calls: %v", *calls, counts)
				if counts[isOld] == 0 || dead && counts[blocked] == 0 {
					t.Error("the faults did not show")
				}
			})
		}
	}
}

// recover itself can be cut off at any call and begun again.
func TestFaultAtEveryCallOfRecover(t *testing.T) {
	t.Parallel()
	w := writers()[5]
	dir := w.lay(t)
	former := whole(t, dir)
	hook, calls := faultAt(0, false)
	must(t, w.write(t.Context(), dir, day.WithHook(hook)))
	latter := whole(t, dir)
	ruin := func() string { // everything in place but the last checks
		dir := w.lay(t)
		hook, _ := faultAt(*calls*3/4, true)
		if err := w.write(t.Context(), dir, day.WithHook(hook)); err == nil {
			t.Fatal("the process did not end")
		}
		bury(t, dir)
		return dir
	}
	for _, dead := range []bool{false, true} {
		for n := 1; ; n += faultStep {
			dir := ruin()
			hook, seen := faultAt(n, dead)
			_, err := tresor.Recover(t.Context(), dir, tresor.RecoverOptions{Apply: true}, day.WithHook(hook))
			if *seen < n {
				must(t, err)
				break
			}
			bury(t, dir)
			recovers(t, dir, former, latter)
			if t.Failed() {
				t.Fatalf("call %d of recover, %v", n, err)
			}
		}
	}
}
