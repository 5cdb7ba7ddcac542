package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A told is a line that a worker prints.
type told struct {
	Try []simRecord `json:",omitempty"` // it is about to append them
	Ack []simRecord `json:",omitempty"` // they are in the log
	Bad string      `json:",omitempty"` // the log did what it must not
}

// A worker works with a log in a process of its own, which the sweeps kill or
// give errors to.
type worker struct {
	*world
	human *Human
	dir   string
	x     *thread

	mu     sync.Mutex // guards now and failed
	failed bool       // an fsync of the log failed
}

// tell prints a line at once and by a call that is not swept.
func (w *worker) tell(l told) {
	b, err := json.Marshal(l)
	if err == nil {
		_, err = unix.Writev(1, [][]byte{append(b, '\n')})
	}
	if err != nil {
		panic(err)
	}
}

func (w *worker) bad(format string, args ...any) { w.tell(told{Bad: fmt.Sprintf(format, args...)}) }

func (w *worker) open() *Log[simRecord] {
	o := w.options()
	o.Now = func() time.Time {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.now
	}
	l, found, err := openLog[simRecord]("messages.jsonl", false, o)
	if err == nil && found.ReadOnly == nil {
		return l
	}
	if found.ReadOnly != nil {
		w.bad("opened for reading only: %v", found.ReadOnly)
	}
	w.exit(err)
	return nil
}

// exit ends the process as outheis does.
func (w *worker) exit(err error) {
	fmt.Fprintln(os.Stderr, "worker:", err)
	if errors.Is(err, ErrFailed) || w.failed {
		os.Exit(74)
	}
	os.Exit(3)
}

// append appends recs and tries again as the gateway does.
func (w *worker) append(l *Log[simRecord], recs ...simRecord) []simRecord {
	for range 3 {
		w.mu.Lock()
		failed := w.failed
		w.mu.Unlock()
		w.tell(told{Try: recs})
		got, err := l.AppendAll(context.Background(), recs)
		if err == nil {
			w.tell(told{Ack: got})
			if failed {
				w.bad("success after a failed fsync")
			}
			return got
		}
		w.mu.Lock()
		switch {
		case errors.Is(err, ErrFailed):
			w.failed = true
		case errors.Is(err, ErrDegraded):
			w.now = w.now.Add(31 * time.Second)
		}
		again := !w.failed
		w.mu.Unlock()
		if failed && !errors.Is(err, ErrFailed) || !errors.Is(err, ErrFailed) && !errors.Is(err, ErrDegraded) {
			w.bad("after a failed fsync %v: %v", failed, err)
		}
		if !again {
			return nil
		}
	}
	return nil
}

// write lets several writers append at once.
func (w *worker) write(l *Log[simRecord], each int) {
	var wg sync.WaitGroup
	for range 3 {
		var mine []simRecord
		for range each {
			mine = append(mine, w.newRequest(w.n*w.n%97))
		}
		wg.Go(func() {
			for i, r := range mine {
				if got := w.append(l, r); got != nil && i%2 == 0 {
					w.append(l, doneWith(got[0]))
				}
			}
		})
	}
	wg.Wait()
	if w.failed {
		w.append(l, w.newRequest(1)) // and says so again
		w.exit(ErrFailed)
	}
}

// tour starts three times, in a new directory, after a clean stop and after a
// crash, and passes a month's end with somebody else's line before it.
func (w *worker) tour() {
	l := w.open()
	w.write(l, 3)
	_ = l.Close() // a disk in trouble does not take the last checkpoint

	l = w.open()
	w.write(l, 2)
	if f, err := os.OpenFile(filepath.Join(w.dir, "messages.jsonl"), os.O_WRONLY|os.O_APPEND, 0); err == nil {
		_, _ = f.WriteString("{\"text\":\"von Hand\"}\nhalb")
		_ = f.Close()
	}
	w.write(l, 1)
	kill(l)

	w.now = w.now.Add(time.Minute)
	l = w.open()
	w.write(l, 1)
	w.now = w.now.Add(31 * day)
	w.write(l, 2)
	_ = l.Close()
}

// start starts once and goes on.
func (w *worker) start() {
	l := w.open()
	w.write(l, 1)
	_ = l.Close()
}

// TestSweepWorker is no test of its own: it is the process that the sweeps
// work on.
func TestSweepWorker(t *testing.T) {
	dir := os.Getenv("STORE_TEST_SWEEP")
	if dir == "" {
		t.Skip("runs in a child process only")
	}
	w := &worker{world: newWorld(), x: newThread(callNumbers[os.Getenv("STORE_TEST_CALL")]), dir: dir}
	w.n, _ = strconv.Atoi(os.Getenv("STORE_TEST_COUNT"))
	if at, err := time.Parse(time.RFC3339, os.Getenv("STORE_TEST_NOW")); err == nil {
		w.now = at
	}
	var err error
	w.x.do(func() { w.human, err = Open(dir, Options{}) })
	if err != nil {
		w.exit(err)
	}
	w.real = threadFS{realDisk{humanFS{w.human}}, w.x}
	if limit, err := strconv.ParseUint(os.Getenv("STORE_TEST_FSIZE"), 10, 64); err == nil {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: math.MaxUint64}); err != nil {
			w.exit(err)
		}
	}
	if os.Getenv("STORE_TEST_TOUR") != "" {
		w.tour()
	} else {
		w.start()
	}
	w.x.do(func() { err = w.human.Close() })
	if err != nil {
		w.exit(err)
	}
	os.Exit(0)
}
