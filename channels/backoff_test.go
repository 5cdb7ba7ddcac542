package channels_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"outheis/channels"
)

func TestBackoffGrowsToItsEnd(t *testing.T) {
	b := channels.Backoff{Rand: func() float64 { return 0.999999999 }}
	for i, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
		if got := b.Next().Round(time.Millisecond); got != want*time.Second {
			t.Errorf("wait %d is %s, want %s", i+1, got, want*time.Second)
		}
	}
	b.Reset()
	if got := b.Next().Round(time.Millisecond); got != time.Second {
		t.Errorf("after Reset the wait is %s, want 1s", got)
	}
}

func TestBackoffHasJitter(t *testing.T) {
	b := channels.Backoff{Min: 100 * time.Millisecond, Max: time.Second, Rand: func() float64 { return 0 }}
	for i, want := range []time.Duration{50, 100, 200, 400, 500, 500} {
		if got := b.Next(); got != want*time.Millisecond {
			t.Errorf("wait %d is %s, want %s", i+1, got, want*time.Millisecond)
		}
	}
	var free channels.Backoff
	for range 1000 {
		if d := free.Next(); d < 500*time.Millisecond || d > time.Minute {
			t.Fatalf("wait %s is outside of 0.5 s to 60 s", d)
		}
	}
}

func TestBackoffWaitEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := channels.Backoff{Min: time.Hour, Max: time.Hour}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if err := b.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait returned %v, want the context's error", err)
		}
		if d := time.Since(start); d != time.Second {
			t.Errorf("Wait returned after %s, want 1s", d)
		}
	})
}
