package channels_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"outheis/channels"
)

func TestPauseWaitsOrEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if err := channels.Pause(t.Context(), time.Minute); err != nil {
			t.Errorf("Pause returned %v, want nil", err)
		}
		if d := time.Since(start); d != time.Minute {
			t.Errorf("Pause took %s, want 1m", d)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if err := channels.Pause(ctx, -time.Second); err != nil {
			t.Errorf("Pause of nothing returned %v, want nil", err)
		}
		time.AfterFunc(time.Second, cancel)
		if err := channels.Pause(ctx, time.Hour); !errors.Is(err, context.Canceled) {
			t.Errorf("Pause returned %v, want the context's error", err)
		}
		if err := channels.Pause(ctx, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("after the end Pause returned %v, want the context's error", err)
		}
	})
}

func TestPersistRepeatsUntilDurable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full, tries := errors.New("disk is full"), 0
		in := func(_ context.Context, e channels.Event) error {
			if e.Key != "k1" {
				t.Errorf("key is %q, want k1", e.Key)
			}
			if tries++; tries < 4 {
				return full
			}
			return nil
		}
		var told []error
		start := time.Now()
		b := channels.Backoff{Rand: func() float64 { return 0 }} // waits 0.5, 1 and 2 s
		if err := channels.Persist(t.Context(), in, channels.Event{Key: "k1"}, b, func(err error) { told = append(told, err) }); err != nil {
			t.Fatalf("Persist returned %v, want nil", err)
		}
		if len(told) != 3 || told[0] != full {
			t.Errorf("told of %v, want three times %v", told, full)
		}
		if d := time.Since(start); d != 3500*time.Millisecond {
			t.Errorf("took %s, want 3.5s", d)
		}
	})
}

func TestPersistEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		told := 0
		in := func(context.Context, channels.Event) error { return errors.New("no") }
		time.AfterFunc(time.Minute, cancel)
		err := channels.Persist(ctx, in, channels.Event{}, channels.Backoff{}, func(error) { told++ })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Persist returned %v, want the context's error", err)
		}
		before := told
		if err := channels.Persist(ctx, in, channels.Event{}, channels.Backoff{}, func(error) { told++ }); !errors.Is(err, context.Canceled) {
			t.Errorf("after the end Persist returned %v, want the context's error", err)
		}
		if before == 0 || told != before {
			t.Errorf("told %d and then %d times; the end is no refusal", before, told)
		}
	})
}

func TestContainCatchesPanics(t *testing.T) {
	plain := errors.New("plain")
	if err := channels.Contain(func() error { return plain }); err != plain {
		t.Errorf("Contain returned %v, want %v", err, plain)
	}
	err := channels.Contain(func() error {
		var none []int
		return fmt.Errorf("%d", none[len(none)])
	})
	var p *channels.PanicError
	if !errors.As(err, &p) {
		t.Fatalf("Contain returned %v, want a PanicError", err)
	}
	if !strings.Contains(err.Error(), "out of range") || !strings.Contains(string(p.Stack), "persist_test.go") {
		t.Errorf("error %q with stack\n%s\nnames neither cause nor place", err, p.Stack)
	}
}
