package telegram_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"outheis/channels"
	"outheis/channels/telegram"
)

// A journal keeps what was logged.
type journal struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(p)
}

// count returns how often s was logged.
func (j *journal) count(s string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Count(j.b.String(), s)
}

// A message at which the program panics is skipped, confirmed and told, and
// neither what is behind it nor other chats notice, polled or brought.
func TestPoisonUpdateIsSkipped(t *testing.T) {
	t.Parallel()
	for _, brought := range []bool{false, true} {
		h := newHooked(t)
		log := &journal{}
		o := h.network.options(slog.New(slog.NewTextHandler(log, nil)))
		if brought {
			o = h.options(slog.New(slog.NewTextHandler(log, nil)))
		}
		c, err := telegram.New(o)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		events, done := make(chan channels.Event, 10), make(chan error, 1)
		go func() {
			done <- c.Run(ctx, func(_ context.Context, e channels.Event) error {
				if e.Text == "gift" {
					panic("unforeseen")
				}
				events <- e
				return nil
			})
		}()
		h.fake.Say(ada, ada, "gift")
		h.fake.Say(ada, ada, "danach")
		if e := next(t, events); e.Text != "danach" {
			t.Errorf("brought=%v: got %q", brought, e.Text)
		}
		if err := h.fake.AwaitConfirmed(soon(t)); err != nil {
			t.Errorf("brought=%v: %v", brought, err)
		}
		if n := log.count("a mistake in the program was contained"); n != channels.MaxStrikes || log.count("poison_test.go") == 0 {
			t.Errorf("brought=%v: logged %d times, want %d with the stack", brought, n, channels.MaxStrikes)
		}
		cancel()
		<-done
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
