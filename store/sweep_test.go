package store

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"
)

// A tour goes once through everything that the log does to the disk: start,
// append, group, checkpoint, foreign append, rotation with open lines, clean
// stop, start, and a second rotation. It goes on after errors, as the gateway
// does, and remembers those that no caller could expect.
type tour struct {
	*world
	l      *Log[simRecord]
	failed bool // an fsync of the log was seen to fail
	seen   error

	degraded int // appends that were refused
}

func (t *tour) expect(err error) {
	switch {
	case err == nil:
		if t.failed {
			t.seen = errors.Join(t.seen, errors.New("success after a failed fsync"))
		}
	case errors.Is(err, ErrFailed):
		t.failed = true
	case errors.Is(err, ErrDegraded):
		t.degraded++
		t.now = t.now.Add(31 * time.Second) // when it is tried again
	case errors.Is(err, errStopped), t.failed:
	default:
		t.seen = errors.Join(t.seen, err)
	}
}

// restart opens the log in a new process.
func (t *tour) restart() bool {
	t.l, t.failed = nil, false
	l, _, err := t.open()
	if err != nil {
		return false
	}
	t.l = l
	return true
}

func (t *tour) ask(size int) { t.expect(t.append(t.l, t.newRequest(size))) }

func (t *tour) run() {
	if !t.restart() {
		return
	}
	t.ask(3)
	t.ask(40)
	t.expect(t.append(t.l, t.newRequest(1), t.newRequest(300), t.newRequest(1)))
	if open := t.openRequests(); len(open) > 0 {
		t.expect(t.append(t.l, doneWith(open[0])))
	}
	t.fs.foreign("messages.jsonl", "{\"text\":\"von Hand\"}\nhalb")
	t.ask(1)
	t.now = t.now.Add(31 * 24 * time.Hour)
	t.ask(2)
	if open := t.openRequests(); len(open) > 0 {
		t.expect(t.append(t.l, doneWith(open[0])))
	}
	t.ask(1)
	_ = t.l.Close() // a disk in trouble does not take the last checkpoint
	t.now = t.now.Add(time.Minute)
	if !t.restart() {
		return
	}
	t.ask(1)
	t.fs.foreign("messages.jsonl", "noch einmal von Hand\n")
	t.now = t.now.Add(31 * 24 * time.Hour)
	t.ask(1)
	t.ask(1)
	kill(t.l)
}

// foreign appends to a file behind the log's back.
func (s *simFS) foreign(name, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.names[name]; n != nil && !s.stopped {
		n.data = append(n.data, text...)
	}
}

// finish checks what a tour left: in the page cache, and after a power cut.
func (t *tour) finish(r *rand.Rand) error {
	if t.seen != nil {
		return t.seen
	}
	t.fs.reboot()
	cut := t.after(t.fs.powerCut(r))
	if _, err := t.after(t.fs.clone()).check(); err != nil {
		return fmt.Errorf("new process: %w", err)
	}
	if _, err := cut.check(); err != nil {
		return fmt.Errorf("power cut: %w", err)
	}
	return nil
}

// TestStopAtEveryCall is D2 of spec/reliability.md §1.8: the process dies in
// each call in turn, and the one that recovers dies in each of its calls.
func TestStopAtEveryCall(t *testing.T) {
	t.Parallel()
	nested := 0
	for n := 1; ; n++ {
		for part := range 3 {
			r := rand.New(rand.NewPCG(uint64(n), uint64(part)))
			w := &tour{world: newWorld()}
			w.fs.stopAt = n
			w.fs.partial = func(n int) int { return n * part / 2 }
			w.run()
			if !w.fs.stopped {
				t.Logf("%d calls, %d starts that died too", n-1, nested)
				if n < 100 || nested < 1000/restartStep {
					t.Errorf("the sweep is too short")
				}
				return
			}
			trace := w.fs.trace[len(w.fs.trace)-1]
			if err := w.finish(r); err != nil {
				t.Fatalf("stopped in call %d (%s), part %d: %v", n, trace, part, err)
			}
			for m := 1 + n%restartStep; part == 1; m += restartStep {
				v := w.after(w.fs.clone())
				v.fs.stopAt = m
				v.fs.partial = w.fs.partial
				if l, _, err := v.open(); err == nil {
					kill(l)
				}
				if !v.fs.stopped {
					break
				}
				again := v.fs.trace[len(v.fs.trace)-1]
				v.fs.reboot()
				if _, err := v.check(); err != nil {
					t.Fatalf("stopped in call %d (%s), part %d, and then in call %d (%s): %v", n, trace, part, m, again, err)
				}
				nested++
			}
		}
	}
}

// TestNoSyncErrorIsForgotten is D5: each fsync fails in turn, once or from
// then on.
func TestNoSyncErrorIsForgotten(t *testing.T) {
	t.Parallel()
	for _, forever := range []bool{false, true} {
		failedStops := 0
		for n := 1; ; n++ {
			w := &tour{world: newWorld()}
			syncs, hit := 0, ""
			w.fs.fault = func(_ int, kind, name string) error {
				if kind != "sync" && kind != "syncdir" {
					return nil
				}
				if syncs++; syncs == n || forever && syncs > n {
					hit = kind + " " + name
					return syscall.EIO
				}
				return nil
			}
			w.run()
			if hit == "" {
				t.Logf("%d fsyncs, %d of them stopped the log", n-1, failedStops)
				if n < 40 || failedStops < 5 {
					t.Errorf("the sweep is too short")
				}
				break
			}
			if w.failed {
				failedStops++
			}
			if err := w.finish(rand.New(rand.NewPCG(uint64(n), 5))); err != nil {
				t.Fatalf("fsync %d (%s), forever %v: %v", n, hit, forever, err)
			}
		}
	}
}

// TestFailedSyncNeedsNewFile: after an fsync error the log takes nothing more,
// and the next process copies it into a new file before it believes it (R3).
func TestFailedSyncNeedsNewFile(t *testing.T) {
	t.Run("", func(t *testing.T) { failedSync(t, false) })
	t.Run("no new files", func(t *testing.T) { failedSync(t, true) })
}

func failedSync(t *testing.T, noFiles bool) {
	w := newWorld()
	l, _, err := w.open()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.append(l, w.newRequest(1)); err != nil {
		t.Fatal(err)
	}
	fail := true
	w.fs.fault = func(_ int, kind, name string) error {
		switch {
		case kind == "sync" && name == "messages.jsonl" && fail:
			fail = false
			return syscall.EIO
		case kind == "create" && noFiles:
			return syscall.EMFILE
		}
		return nil
	}
	for range 3 {
		if err := w.append(l, w.newRequest(1)); !errors.Is(err, ErrFailed) || !errors.Is(err, syscall.EIO) {
			t.Errorf("got %v, want ErrFailed with its cause", err)
		}
	}
	if s := l.Stats(); !errors.Is(s.Failed, ErrFailed) {
		t.Errorf("stats: got %v, want the failure", s.Failed)
	}
	if err := l.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if _, err := w.fs.stat(".queue-failed"); err != nil {
		t.Errorf("no mark for the next process: %v", err)
	}
	id := w.fs.file("messages.jsonl").id
	w.fs.reboot()
	l, found, err := w.open()
	if err != nil {
		t.Fatal(err)
	}
	if !found.Rewritten || w.fs.file("messages.jsonl").id == id {
		t.Error("the log is still in the file whose fsync failed")
	}
	if _, err := w.fs.stat(".queue-failed"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the mark is still there: %v", err)
	}
	kill(l)
	cut := w.after(w.fs.powerCut(rand.New(rand.NewPCG(1, 1))))
	if _, err := cut.check(); err != nil {
		t.Error(err)
	}
}

var errShort = errors.New("short write")

// TestFullDiskLosesNothing is D6: each write or creation fails in turn in each
// way, once or from then on, having written nothing or a part.
func TestFullDiskLosesNothing(t *testing.T) {
	for _, cause := range []error{syscall.ENOSPC, syscall.EIO, errShort, syscall.EDQUOT, syscall.EFBIG}[:diskCauses] {
		for _, forever := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v forever %v", cause, forever), func(t *testing.T) {
				t.Parallel()
				refused := 0
				for n := 1; ; n++ {
					w := &tour{world: newWorld()}
					calls, hit := 0, ""
					w.fs.partial = func(size int) int { return size * (n % 3) / 3 }
					w.fs.fault = func(_ int, kind, name string) error {
						if kind != "write" && kind != "create" && kind != "rename" {
							return nil
						}
						if calls++; calls == n || forever && calls > n {
							hit = kind + " " + name
							return cause
						}
						return nil
					}
					w.run()
					if hit == "" {
						if n < 50 || refused < 10 {
							t.Errorf("the sweep is too short: %d calls, %d refused", n-1, refused)
						}
						return
					}
					refused += w.degraded
					if w.seen == nil && w.l != nil {
						w.seen = w.recovers()
					}
					if err := w.finish(rand.New(rand.NewPCG(uint64(n), 6))); err != nil {
						t.Fatalf("call %d (%s): %v", n, hit, err)
					}
				}
			})
		}
	}
}

// recovers lets the disk work again and the retry time pass, and appends.
func (t *tour) recovers() error {
	t.fs.fault = nil
	l, _, err := t.open()
	if err != nil {
		return fmt.Errorf("start with room again: %w", err)
	}
	t.now = t.now.Add(time.Minute)
	if err := t.append(l, t.newRequest(1)); err != nil {
		return fmt.Errorf("append with room again: %w", err)
	}
	kill(l)
	return nil
}
