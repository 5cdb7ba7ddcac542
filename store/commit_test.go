package store

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// slow lets every sync of the log wait for a value.
func slow(s *simFS) chan<- struct{} {
	gate := make(chan struct{})
	s.fault = func(_ int, kind, name string) error {
		if kind == "sync" && name == "messages.jsonl" {
			<-gate
		}
		return nil
	}
	return gate
}

type result struct {
	rec   simRecord
	known bool
	err   error
}

func start(ctx context.Context, l *Log[simRecord], r simRecord) <-chan result {
	done := make(chan result, 1)
	go func() {
		rec, known, err := l.Append(ctx, r)
		done <- result{rec, known, err}
	}()
	return done
}

func TestCancelledAppendIsNeitherLostNorDoubled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		l, _, err := w.open()
		if err != nil {
			t.Fatal(err)
		}
		gate := slow(w.fs)
		one, two, three := w.newRequest(1), w.newRequest(1), w.newRequest(1)

		ctx1, cancel1 := context.WithCancel(t.Context())
		first := start(ctx1, l, one)
		synctest.Wait() // its sync is on the way
		ctx2, cancel2 := context.WithCancel(t.Context())
		second := start(ctx2, l, two)
		third := start(t.Context(), l, three)
		synctest.Wait()

		cancel2()
		synctest.Wait()
		select {
		case r := <-second:
			if !errors.Is(r.err, context.Canceled) {
				t.Errorf("waiting: got %+v, want the context's error", r)
			}
		default:
			t.Error("the append whose turn had not come still waits")
		}
		cancel1()
		synctest.Wait()
		select {
		case r := <-first:
			t.Errorf("returned before it was known what became of the write: %+v", r)
		default:
		}
		gate <- struct{}{}
		gate <- struct{}{}
		if r := <-first; r.err != nil || r.known || r.rec.Seq != 1 {
			t.Errorf("being written: got %+v, want success", r)
		}
		if r := <-third; r.err != nil || r.rec.Seq != 2 {
			t.Errorf("behind it: got %+v, want success", r)
		}
		if _, ok, err := l.Lookup(two.Cause); ok || err != nil {
			t.Errorf("the withdrawn record is in the log: %v, %v", ok, err)
		}
		again := start(t.Context(), l, two)
		gate <- struct{}{}
		if r := <-again; r.err != nil || r.known || r.rec.Seq != 3 {
			t.Errorf("again: got %+v, want a new record", r)
		}
		again = start(t.Context(), l, one)
		if r := <-again; r.err != nil || !r.known || r.rec.Seq != 1 {
			t.Errorf("again: got %+v, want the one that was written", r)
		}
		close(gate)
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestWaitingAppendsShareOneWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		l, _, err := w.open()
		if err != nil {
			t.Fatal(err)
		}
		l.j.tuning.batchRecords = 10
		gate := slow(w.fs)
		waiting := []<-chan result{start(t.Context(), l, w.newRequest(1))}
		synctest.Wait()
		for range 24 {
			waiting = append(waiting, start(t.Context(), l, w.newRequest(1)))
			synctest.Wait() // in this order
		}
		close(gate)
		for i, c := range waiting {
			if r := <-c; r.err != nil || r.rec.Seq != uint64(i+1) {
				t.Errorf("append %d: got %+v", i, r)
			}
		}
		if s := l.Stats(); s.Commits != 1+3 || s.Appended != 25 {
			t.Errorf("got %d commits for %d records, want 4 for 25", s.Commits, s.Appended)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestCloseWaitsForAppends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		l, _, err := w.open()
		if err != nil {
			t.Fatal(err)
		}
		gate := slow(w.fs)
		first := start(t.Context(), l, w.newRequest(1))
		synctest.Wait()
		second := start(t.Context(), l, w.newRequest(1))
		synctest.Wait()
		closed := make(chan error, 1)
		go func() { closed <- l.Close() }()
		synctest.Wait()
		select {
		case err := <-closed:
			t.Errorf("closed while an append was waiting: %v", err)
		default:
		}
		close(gate)
		if err := <-closed; err != nil {
			t.Error(err)
		}
		for _, c := range []<-chan result{first, second} {
			if r := <-c; r.err != nil {
				t.Errorf("got %v, want success", r.err)
			}
		}
		if _, _, err := l.Append(t.Context(), w.newRequest(1)); !errors.Is(err, ErrClosed) {
			t.Errorf("got %v, want ErrClosed", err)
		}
		if err := l.Close(); err != nil {
			t.Errorf("second close: %v", err)
		}
	})
}
