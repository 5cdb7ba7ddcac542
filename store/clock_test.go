package store

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const day = 24 * time.Hour

// A wallClock is a clock that somebody sets while time goes on.
type wallClock struct {
	wall time.Time
	up   time.Duration
}

func (c *wallClock) pass(d time.Duration) { c.wall, c.up = c.wall.Add(d), c.up+d }
func (c *wallClock) set(d time.Duration)  { c.wall = c.wall.Add(d) }

// openClocked opens a log of w under c.
func openClocked(t *testing.T, w *world, c *wallClock) (*Log[simRecord], Recovery) {
	t.Helper()
	o := w.options()
	o.Now = func() time.Time { return c.wall }
	o.up = func() time.Duration { return c.up }
	o.passed = func(from, to reading) time.Duration { return to.up - from.up }
	l, found, err := openLog[simRecord]("messages.jsonl", false, o)
	if err != nil {
		t.Fatal(err)
	}
	return l, found
}

// TestClockSteps is D10 of spec/reliability.md §1.8 without the suspend.
func TestClockSteps(t *testing.T) {
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	w, c := newWorld(), &wallClock{wall: start}
	l, _ := openClocked(t, w, c)
	last := simRecord{}
	add := func(when string, wantAt time.Time, wantNotes int) {
		t.Helper()
		r, _, err := l.Append(t.Context(), w.newRequest(1))
		if err != nil {
			t.Fatal(err)
		}
		if r.ID <= last.ID || r.At.Before(last.At.Time) || r.Seq <= last.Seq {
			t.Errorf("%s: %+v does not follow %+v", when, r.Head, last.Head)
		}
		if got := r.At.Sub(wantAt).Abs(); got > time.Second {
			t.Errorf("%s: got time %v, want about %v", when, r.At, wantAt)
		}
		if got := strings.Count(show(w.fs.segments()), `"intent":"clock"`); got != wantNotes {
			t.Errorf("%s: got %d lines about the clock, want %d", when, got, wantNotes)
		}
		last = r
	}
	add("first", start, 0)
	c.pass(time.Hour)
	add("an hour later", start.Add(time.Hour), 0)
	c.set(-time.Hour)
	add("set back by an hour", start.Add(time.Hour), 1)
	c.pass(30 * time.Minute)
	add("while it lags", start.Add(time.Hour), 1)
	c.pass(45 * time.Minute)
	add("after it has caught up", start.Add(75*time.Minute), 1)
	c.set(time.Second)
	add("a leap second", start.Add(75*time.Minute+time.Second), 1)
	c.set(20 * time.Minute)
	add("set ahead by 20 minutes", start.Add(95*time.Minute), 2)

	now := c.wall
	c.set(400 * day)
	add("400 days ahead", now, 3)
	if !l.Stats().Held {
		t.Error("nothing is held after a leap")
	}
	c.pass(5 * time.Minute)
	add("still doubted", now.Add(5*time.Minute), 3)
	c.set(-400 * day)
	add("set right again", now.Add(5*time.Minute), 4)
	if l.Stats().Held {
		t.Error("still held")
	}
	if got := w.fs.segments(); len(got) != 1 {
		t.Errorf("rotated on a wrong clock: %d segments", len(got))
	}

	now = c.wall
	c.set(400 * day)
	add("400 days ahead again", now, 5)
	c.pass(9 * time.Minute)
	add("still doubted", now.Add(9*time.Minute), 5)
	c.pass(2 * time.Minute)
	add("believed after ten minutes", now.Add(400*day+11*time.Minute), 5)
	if l.Stats().Held {
		t.Error("still held")
	}
	c.pass(time.Minute)
	if r, _, err := l.Append(t.Context(), w.newRequest(1)); err != nil || r.At.Sub(c.wall).Abs() > time.Second {
		t.Errorf("got %+v, %v", r.Head, err)
	}
	if got := w.fs.segments(); len(got) != 2 {
		t.Errorf("got %d segments, want a rotation once the clock is believed", len(got))
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func TestClockAtStart(t *testing.T) {
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		off   time.Duration
		noted bool
		held  bool
	}{
		"a week off":      {7 * day, false, false},
		"an hour back":    {-time.Hour, true, false},
		"40 days ahead":   {40 * day, true, true},
		"30 years back":   {-30 * 365 * day, true, false},
		"a minute back":   {-time.Minute, false, false},
		"the same moment": {0, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			w, c := newWorld(), &wallClock{wall: start}
			l, _ := openClocked(t, w, c)
			first, _, err := l.Append(t.Context(), w.newRequest(1))
			if err != nil {
				t.Fatal(err)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			c.set(test.off)
			l, found := openClocked(t, w, c)
			defer l.Close()
			if noted := strings.Contains(w.fs.text("messages.jsonl"), `"intent":"clock"`); noted != test.noted || noted != (found.ClockStep != 0) {
				t.Errorf("got a note %v and %v found, want %v", noted, found.ClockStep, test.noted)
			}
			if got := l.Stats().Held; got != test.held {
				t.Errorf("got held %v, want %v", got, test.held)
			}
			second, _, err := l.Append(t.Context(), w.newRequest(1))
			if err != nil || second.ID <= first.ID || second.At.Before(first.At.Time) {
				t.Errorf("got %+v after %+v, %v", second.Head, first.Head, err)
			}
			if got := len(w.fs.segments()); got != 1 {
				t.Errorf("got %d segments, want no rotation", got)
			}
		})
	}
}

// TestDaysPassWithoutNotes: the real clock does not look as if it had been set,
// under Go's own monotonic clock.
func TestDaysPassWithoutNotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		o := w.options()
		o.Now, o.passed = nil, nil
		l, _, err := openLog[simRecord]("messages.jsonl", false, o)
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if _, _, err := l.Append(t.Context(), w.newRequest(1)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(12 * time.Hour)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		segments := w.fs.segments()
		if len(segments) < 2 {
			t.Errorf("got %d segments after 50 days, want more", len(segments))
		}
		for name, text := range segments {
			if strings.Contains(text, `"intent":"clock"`) {
				t.Errorf("%s speaks of the clock", name)
			}
		}
	})
}

func TestIDsGrowWhateverTheClockDoes(t *testing.T) {
	s, now := stamp{}, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	var ids []string
	for i := range 20_000 {
		machine := uint64(900)
		switch i {
		case 5000:
			now = now.Add(-time.Hour)
		case 10_000:
			now = now.Add(2 * time.Hour)
		case 15_000, 15_001:
			machine = 3 // the folder moved to another machine
		}
		s = s.next(now, machine)
		ids = append(ids, s.head(2).ID)
		if len(ids[i]) != 19 || s.seq != uint64(i+1) {
			t.Fatalf("got id %q and seq %d", ids[i], s.seq)
		}
	}
	if !slices.IsSorted(ids) || len(slices.Compact(ids)) != 20_000 {
		t.Error("ids are not strictly growing")
	}
	early := stamp{}.next(time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC), 1)
	if early.id>>22 != 0 || early.id == 0 {
		t.Errorf("before the epoch: got id %d", early.id)
	}
}
