package mattermost_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"outheis/channels"
)

// quiet is a log that nobody reads.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// run runs c and returns what it delivers and how it ended.
func run(t *testing.T, c channels.Channel) (events chan channels.Event, result chan error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	events, result = make(chan channels.Event, 10000), make(chan error, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		result <- c.Run(ctx, func(_ context.Context, e channels.Event) error {
			events <- e
			return nil
		})
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		if err := c.(channels.Closer).Close(); err != nil {
			t.Error(err)
		}
	})
	return events, result
}

func next[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(10 * time.Second):
		t.Fatal("nothing came")
	}
	panic("unreachable")
}
