package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// sweptCalls are the system calls by which the log changes anything.
var sweptCalls = []string{
	"write", "openat", "fdatasync", "renameat", "renameat2", "fsync", "ftruncate", "unlinkat", "mkdirat", "fchmod", "fchmodat",
}

// callNumbers are the numbers of the calls that are swept.
var callNumbers = map[string]uintptr{
	"write": unix.SYS_WRITE, "openat": unix.SYS_OPENAT, "fdatasync": unix.SYS_FDATASYNC, "renameat": unix.SYS_RENAMEAT,
	"renameat2": unix.SYS_RENAMEAT2, "fsync": unix.SYS_FSYNC, "ftruncate": unix.SYS_FTRUNCATE, "unlinkat": unix.SYS_UNLINKAT,
	"mkdirat": unix.SYS_MKDIRAT, "fchmod": unix.SYS_FCHMOD, "fchmodat": unix.SYS_FCHMODAT, "pread64": unix.SYS_PREAD64,
}

// A realDisk is the human directory of a world on real files.
type realDisk struct{ humanFS }

func (d realDisk) segments() map[string]string {
	all := map[string]string{}
	names, _ := d.list("archive") // without them the check fails
	for i, name := range names {
		names[i] = "archive/" + name
	}
	for _, name := range append(names, "messages.jsonl") {
		if b, err := d.h.root.ReadFile(name); err == nil {
			all[name] = string(b)
		}
	}
	return all
}

// NeedStrace skips a test that injects faults: where strace may not trace, and
// in instrumented binaries, whose own calls would be hit and whose start takes
// long.
func NeedStrace(t *testing.T) {
	t.Helper()
	if UnderRace || testing.CoverMode() != "" {
		t.Skip("not in an instrumented binary")
	}
	if out, err := exec.Command("strace", "-qq", "-o", "/dev/null", "true").CombinedOutput(); err != nil {
		t.Skipf("strace cannot be used here: %v %s", err, out)
	}
}

// run runs the worker on the directory dir with the given environment and
// fault, remembers what it was told, and returns how the worker ended and the
// calls that were hit, as strace prints them; "" when none was.
func (w *world) run(t *testing.T, dir, fault string, env ...string) (end syscall.WaitStatus, hit string) {
	t.Helper()
	args := []string{os.Args[0], "-test.run=^TestSweepWorker$"}
	trace := filepath.Join(filepath.Dir(dir), "trace")
	call, what, _ := strings.Cut(fault, ":")
	if fault != "" {
		strace := []string{"strace", "-qq", "-f", "-y", "-o", trace, "-e", "trace=" + call, "-e", "inject=" + fault}
		if !strings.HasPrefix(what, "signal") {
			strace = append(strace, "--seccomp-bpf") // faster, and deaf to signals
		}
		args = append(strace, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "STORE_TEST_SWEEP="+dir, "STORE_TEST_CALL="+call,
		fmt.Sprint("STORE_TEST_COUNT=", w.n+1000), "STORE_TEST_NOW="+w.now.Format(time.RFC3339))
	cmd.Env = append(cmd.Env, env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	end = cmd.ProcessState.Sys().(syscall.WaitStatus)
	if code := end.ExitStatus(); code != 0 && code != 3 && code != 74 && !end.Signaled() {
		t.Errorf("%s: ended with %d and %s", fault, code, &errs)
	}
	for line := range bytes.Lines(out.Bytes()) {
		var l told
		if err := json.Unmarshal(line, &l); err != nil || l.Bad != "" {
			t.Errorf("%s: the worker says %s", fault, line)
		}
		w.tried(l.Try)
		w.got(l.Ack)
	}
	if fault == "" {
		return end, ""
	}
	traced, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(traced)) {
		if strings.Contains(line, "(INJECTED)") {
			hit += line
		}
	}
	return end, hit
}

// on makes w a world in the human directory dir.
func (w *world) on(t *testing.T, dir string) *Human {
	t.Helper()
	h, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.real = realDisk{humanFS{h}}
	return h
}

// recovered checks what the worker left in the directory dir.
func (w *world) recovered(t *testing.T, dir string) (Recovery, error) {
	t.Helper()
	h := w.on(t, dir)
	defer h.Close()
	w.n += 2000
	w.now = w.now.Add(32 * day)
	return w.check()
}

// A ruin is what a process leaves that died, or a person who meddled: it gets
// an open log with a few records and ends it.
type ruin struct {
	name string
	make func(w *world, l *Log[simRecord], dir string) error
}

var ruins = []ruin{
	{"torn end", func(_ *world, l *Log[simRecord], dir string) error {
		kill(l)
		return appendText(dir, `{"v":2,"seq":13,"id":"7`)
	}},
	{"archive without its name", func(w *world, l *Log[simRecord], _ string) error {
		kill(l)
		n, err := l.j.buildNext(w.now.Add(31 * day))
		return errors.Join(err, n.file.Close())
	}},
	{"archive with its name", func(w *world, l *Log[simRecord], _ string) error {
		kill(l)
		n, err := l.j.buildNext(w.now.Add(31 * day))
		return errors.Join(err, n.file.Close(), w.real.renameNew(l.j.name, n.archive))
	}},
	{"failed fsync", func(_ *world, l *Log[simRecord], _ string) error {
		l.j.fail(syscall.EIO)
		kill(l)
		return nil
	}},
	{"damaged line", func(w *world, l *Log[simRecord], dir string) error {
		kill(l)
		f, err := os.OpenFile(filepath.Join(dir, "messages.jsonl"), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		delete(w.acked, "tg:1")
		_, err = f.WriteAt([]byte("\x00\n\x00"), 70)
		return errors.Join(err, f.Close())
	}},
	{"line of another program", func(_ *world, l *Log[simRecord], dir string) error {
		return errors.Join(l.Close(), appendText(dir, "{\"text\":\"von Hand\"}\nhalb"))
	}},
	{"segment put away", func(w *world, l *Log[simRecord], dir string) error {
		for _, r := range w.openRequests() {
			if err := w.append(l, doneWith(r)); err != nil {
				return err
			}
		}
		return errors.Join(l.Close(), os.Rename(filepath.Join(dir, "messages.jsonl"), filepath.Join(dir, "archive/messages-2026-11.jsonl")))
	}},
}

func appendText(dir, text string) error {
	f, err := os.OpenFile(filepath.Join(dir, "messages.jsonl"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// lay makes the ruin in the directory dir.
func (r ruin) lay(t *testing.T, dir string) *world {
	t.Helper()
	w := newWorld()
	h := w.on(t, dir)
	l, _, err := w.open()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 9 {
		if err = w.append(l, w.newRequest(i)); err == nil && i%2 == 0 {
			err = w.append(l, doneWith(w.acked[fmt.Sprint("tg:", w.n)]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(r.make(w, l, dir), h.Close()); err != nil {
		t.Fatal(err)
	}
	return w
}

// sweep calls try with the number of each system call in turn, as strace
// counts it, until there is none so late. It returns how many were hit.
func sweep(try func(n int) (hit bool)) (hits int) {
	missed := 0
	for n := range sweepTries {
		if try(headStart + 1 + n*sweepStep) {
			hits, missed = hits+1, 0
		} else if missed++; missed == 2 {
			break
		}
	}
	return hits
}

// TestLogKilledAtEverySystemCall is D2 of spec/reliability.md §1.8 on a real
// process: it dies before each of its system calls in turn, and so does the one
// that recovers. Nothing acknowledged is lost, and a second recovery changes
// nothing.
func TestLogKilledAtEverySystemCall(t *testing.T) {
	t.Parallel()
	NeedStrace(t)
	var hits atomic.Int64
	t.Run("points", func(t *testing.T) {
		for i, call := range sweptCalls[:sweepCalls] {
			t.Run("tour/"+call, func(t *testing.T) {
				t.Parallel()
				hits.Add(int64(sweep(func(n int) bool {
					w, dir := newWorld(), filepath.Join(t.TempDir(), "human")
					return w.die(t, dir, call, n, "STORE_TEST_TOUR=1")
				})))
			})
			for k, r := range ruins {
				if sweepStep > 1 && k != i {
					continue
				}
				t.Run(r.name+"/"+call, func(t *testing.T) {
					t.Parallel()
					hits.Add(int64(sweep(func(n int) bool {
						dir := filepath.Join(t.TempDir(), "human")
						return r.lay(t, dir).die(t, dir, call, n)
					})))
				})
			}
		}
	})
	t.Logf("%d system calls in which the process died", hits.Load())
	if n := hits.Load(); n < min(10, 600/sweepStep) {
		t.Errorf("the sweep is too short: %d", n)
	}
}

// die runs the worker, kills it before the n-th call, and checks what is left.
func (w *world) die(t *testing.T, dir, call string, n int, env ...string) (killed bool) {
	t.Helper()
	end, _ := w.run(t, dir, fmt.Sprintf("%s:signal=SIGKILL:when=%d", call, n), env...)
	if _, err := w.recovered(t, dir); err != nil {
		t.Errorf("killed before %s %d: %v", call, n-headStart, err)
	}
	if !end.Signaled() && end.ExitStatus() != 0 {
		t.Errorf("%s %d: ended with %d", call, n-headStart, end.ExitStatus())
	}
	return end.Signaled()
}

// TestLogOnABrokenDisk is D5 and D6 of spec/reliability.md §1.8 on a real
// process: each system call fails in turn, once or from then on. Nothing is
// acknowledged that is not in the log, nothing at all after a failed fsync, and
// the next start copies the log into a new file then.
func TestLogOnABrokenDisk(t *testing.T) {
	t.Parallel()
	NeedStrace(t)
	var hits, failed atomic.Int64
	t.Run("points", func(t *testing.T) {
		for i, fault := range []string{
			"fdatasync:error=EIO:when=%d", "fdatasync:error=EIO:when=%d+", "fsync:error=EIO:when=%d", "fsync:error=EIO:when=%d+",
			"write:error=ENOSPC:when=%d", "write:error=ENOSPC:when=%d+", "write:error=EDQUOT:when=%d+",
			"write:error=EIO:when=%d", "write:error=EIO:when=%d+", "write:error=EROFS:when=%d+",
			"openat:error=ENOSPC:when=%d", "openat:error=EMFILE:when=%d+", "pread64:error=EIO:when=%d", "ftruncate:error=EIO:when=%d",
			"renameat:error=EIO:when=%d", "renameat:error=ENOSPC:when=%d+", "renameat2:error=EIO:when=%d",
			"unlinkat:error=EROFS:when=%d", "mkdirat:error=ENOSPC:when=%d", "fchmod:error=EPERM:when=%d", "fchmodat:error=EPERM:when=%d",
		} {
			if i%sweepFaults != 0 {
				continue
			}
			t.Run(fault, func(t *testing.T) {
				t.Parallel()
				hits.Add(int64(sweep(func(n int) bool {
					w, dir := newWorld(), filepath.Join(t.TempDir(), "human")
					end, hit := w.run(t, dir, fmt.Sprintf(fault, n), "STORE_TEST_TOUR=1")
					switch {
					case end.ExitStatus() == 74:
						failed.Add(1)
					case strings.HasPrefix(fault, "fdatasync") && strings.Contains(hit, "/messages.jsonl>"):
						t.Errorf(fault+": the log goes on", n-headStart)
					}
					if err := w.recoversFrom(t, dir, end); err != nil {
						t.Errorf(fault+": %v", n-headStart, err)
					}
					return hit != ""
				})))
			})
		}
	})
	t.Logf("%d system calls that failed; %d times it was an fsync that stopped the log", hits.Load(), failed.Load())
	if n := hits.Load(); n < min(8, 500/sweepStep) || failed.Load() < 20/sweepStep {
		t.Errorf("the sweep is too short: %d", n)
	}
}

// recoversFrom checks what a worker left that ended with end.
func (w *world) recoversFrom(t *testing.T, dir string, end syscall.WaitStatus) error {
	t.Helper()
	acked := len(w.acked)
	found, err := w.recovered(t, dir)
	if err == nil && end.ExitStatus() == 74 && !found.Rewritten && acked > 0 {
		return errors.New("the log is still in the file whose fsync failed")
	}
	return err
}

// TestLogAtEveryFileSize is D6 with writes that end in their middle: the
// process may not make files longer than a limit that grows.
func TestLogAtEveryFileSize(t *testing.T) {
	t.Parallel()
	refused := 0
	for limit := 0; ; limit += 61 * sweepStep {
		w, dir := newWorld(), filepath.Join(t.TempDir(), "human")
		end, _ := w.run(t, dir, "", "STORE_TEST_TOUR=1", fmt.Sprint("STORE_TEST_FSIZE=", limit))
		if err := w.recoversFrom(t, dir, end); err != nil {
			t.Errorf("limit %d: %v", limit, err)
		}
		if len(w.acked) == len(w.attempted) {
			break
		}
		refused++
	}
	t.Logf("%d limits", refused)
	if refused < 100/sweepStep {
		t.Errorf("only %d limits were hit", refused)
	}
}
