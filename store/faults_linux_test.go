package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"outheis/store"
)

// TestFaultWorker is no test of its own: under strace it does the work that
// the sweeps below interrupt, and says which of it was acknowledged.
func TestFaultWorker(t *testing.T) {
	dir := os.Getenv("STORE_TEST_FAULTS")
	if dir == "" {
		t.Skip("runs in a child process only")
	}
	runtime.LockOSThread() // strace counts calls per thread
	h, err := store.Open(dir, store.Options{})
	if err != nil {
		fmt.Println("failed open:", err)
		os.Exit(3)
	}
	ack := func(what string, err error) {
		if err != nil {
			fmt.Println("failed", what+":", err)
			os.Exit(3)
		}
		fmt.Println("done", what)
	}
	ack("atomic", h.WriteAtomic("state.json", []byte(newState)))
	ack("edit", h.Doc("notes.md", store.DocOptions{}).Edit(func(old []byte) ([]byte, error) {
		return append(old, "neu\n"...), nil
	}))
	_, err = h.PutBlob(strings.NewReader(blobText), 1<<20)
	ack("blob", err)
	os.Exit(0)
}

const (
	oldState = `{"state":"old"}`
	newState = `{"state":"new"}`
	oldNotes = "alt\n"
	newNotes = "alt\nneu\n"
	blobText = "eine lange Nachricht"
)

// runFaults runs the worker on a copy of a prepared directory with one
// injected fault and returns what it acknowledged.
func runFaults(t *testing.T, inject ...string) (dir string, done map[string]bool, status *os.ProcessState) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "human")
	h, err := store.Open(dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "state.json"), oldState)
	write(t, filepath.Join(dir, "notes.md"), oldNotes)
	args := append([]string{"-qq", "-f", "-o", "/dev/null"}, inject...)
	cmd := exec.Command("strace", append(args, os.Args[0], "-test.run=^TestFaultWorker$")...)
	cmd.Env = append(os.Environ(), "STORE_TEST_FAULTS="+dir, "GOMAXPROCS=1")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if errs.Len() > 0 {
		t.Fatalf("strace: %s", &errs)
	}
	done = make(map[string]bool)
	for line := range strings.Lines(out.String()) {
		if what, ok := strings.CutPrefix(strings.TrimSpace(line), "done "); ok {
			done[what] = true
		}
	}
	return dir, done, cmd.ProcessState
}

// checkFaults holds after every fault: what was acknowledged is there, and
// nothing is half there.
func checkFaults(t *testing.T, dir string, done map[string]bool) {
	t.Helper()
	h := openAt(t, dir, store.Options{})
	for _, f := range []struct{ what, name, old, new string }{
		{"atomic", "state.json", oldState, newState},
		{"edit", "notes.md", oldNotes, newNotes},
	} {
		got := read(t, filepath.Join(dir, f.name))
		if got != f.new && (done[f.what] || got != f.old) {
			t.Errorf("%s is %q; acknowledged: %v", f.name, got, done[f.what])
		}
	}
	b, err := h.PutBlob(strings.NewReader(blobText), 1<<20)
	if err != nil {
		t.Error("a blob after the fault:", err)
	}
	if got, err := h.ReadBlob(b); err != nil || string(got) != blobText {
		t.Errorf("blob: %q, %v", got, err)
	}
	noTemps(t, dir)
}

// A process that is killed before any system call leaves the old content or
// the new one, and what it acknowledged (spec/reliability.md §1.8 D2).
func TestKilledAtEverySystemCall(t *testing.T) {
	t.Parallel()
	store.NeedStrace(t)
	killed := 0
	for _, call := range []string{"write", "fsync", "fchmod", "ftruncate", "renameat", "renameat2", "mkdirat", "unlinkat"} {
		for n := 1; ; n += store.FaultStep {
			if n > 100 {
				t.Fatalf("%s: no run ends untouched", call)
			}
			dir, done, status := runFaults(t, "-e", "trace="+call, "-e", fmt.Sprintf("inject=%s:signal=SIGKILL:when=%d", call, n))
			checkFaults(t, dir, done)
			ws, ok := status.Sys().(syscall.WaitStatus)
			if !ok || !ws.Signaled() {
				break
			}
			killed++
		}
	}
	if killed < 24/store.FaultStep {
		t.Errorf("only %d runs were killed", killed)
	}
	t.Logf("%d runs were killed", killed)
}

// An error of any system call is reported: nothing that failed is
// acknowledged, nothing is half written (D5, D6).
func TestErrorOfEverySystemCall(t *testing.T) {
	t.Parallel()
	store.NeedStrace(t)
	failed := 0
	for _, f := range []struct{ call, errno string }{
		{"fsync", "EIO"}, {"pwrite64", "ENOSPC"}, {"renameat", "EIO"}, {"renameat2", "EIO"}, {"mkdirat", "ENOSPC"},
		{"fchmod", "EPERM"}, {"ftruncate", "EIO"},
	} {
		for n := 1; ; n += store.FaultStep {
			if n > 100 {
				t.Fatalf("%s: no run ends untouched", f.call)
			}
			dir, done, status := runFaults(t, "-e", "trace="+f.call, "-e", fmt.Sprintf("inject=%s:error=%s:when=%d", f.call, f.errno, n))
			checkFaults(t, dir, done)
			if status.ExitCode() == 0 {
				break
			}
			failed++
		}
	}
	if failed < 20/store.FaultStep {
		t.Errorf("only %d runs failed", failed)
	}
	t.Logf("%d runs failed", failed)
}

// A file system that cannot exchange names gets the plain way.
func TestWithoutExchangeOfNames(t *testing.T) {
	store.NeedStrace(t)
	dir, done, status := runFaults(t, "-e", "trace=renameat2", "-e", "inject=renameat2:error=EINVAL:when=1+")
	if status.ExitCode() != 0 || !done["edit"] {
		t.Errorf("exit %d, done %v", status.ExitCode(), done)
	}
	checkFaults(t, dir, done)
}
