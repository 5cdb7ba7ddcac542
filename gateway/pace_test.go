package gateway_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"outheis/channels"
	"outheis/gateway"
)

// A pacedNetwork is a network whose posts wait for their turn.
type pacedNetwork struct {
	*network
	turn func(ctx context.Context, to channels.Address, waits func() error) error
}

func (n *pacedNetwork) TakeTurn(ctx context.Context, to channels.Address, waits func() error) error {
	return n.turn(ctx, to, waits)
}

// newPacedWorld builds a world whose network lets posts wait as turn does.
func newPacedWorld(t *testing.T, q *memory, turn func(ctx context.Context, to channels.Address, waits func() error) error) *world {
	w := newWorld(t, q, echo)
	w.o.Accounts = []gateway.Account{{Name: "main", Channel: &pacedNetwork{w.net, turn}}}
	return w
}

// waiting is a turn that comes after d.
func waiting(d time.Duration) func(context.Context, channels.Address, func() error) error {
	return func(ctx context.Context, _ channels.Address, waits func() error) error {
		if err := waits(); err != nil {
			return err
		}
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// What a post waits for does not count as a try: a gateway that ends meanwhile
// has not sent it, ends at once, and the next one sends it unmarked.
func TestWaitingForTheTurnIsNoTry(t *testing.T) {
	for _, how := range []string{"stop", "kill"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newMemory()
				w := newPacedWorld(t, q, waiting(time.Hour)).start()
				w.ask("7", "Wann?")
				synctest.Wait()
				want := []string{"request", "response:relay", "response:transport"}
				equal(t, "written while it waits", q.steps(), want)
				next := q.crash()
				began := time.Now()
				if err := w.end(); err != context.Canceled {
					t.Errorf("Run = %v, want %v", err, context.Canceled)
				}
				if d := time.Since(began); d != 0 {
					t.Errorf("stopping takes %s", d)
				}
				if how == "stop" {
					next = q
				}
				equal(t, "written when it has stopped", next.steps(), want)
				w = newPacedWorld(t, next, waiting(time.Second)).start()
				time.Sleep(2 * time.Second)
				equal(t, "seen", w.net.seen("7"), []string{echoed("Wann?")})
				equal(t, "written in the end", next.steps(), slices.Concat(want, []string{"event:delivery.try", "event:delivery.ok", "event:done:sent"}))
				if err := w.end(); err != context.Canceled {
					t.Error(err)
				}
			})
		})
	}
}

// A turn that comes at once costs no further write.
func TestTurnAtOnceCostsNothing(t *testing.T) {
	commits := func(turn func(context.Context, channels.Address, func() error) error) (n int) {
		synctest.Test(t, func(t *testing.T) {
			q := newMemory()
			w := newPacedWorld(t, q, turn).start()
			w.ask("7", "Wann?")
			synctest.Wait()
			time.Sleep(time.Minute)
			equal(t, "seen", w.net.seen("7"), []string{echoed("Wann?")})
			if err := w.end(); err != context.Canceled {
				t.Error(err)
			}
			n = q.commits
		})
		return n
	}
	at := commits(func(context.Context, channels.Address, func() error) error { return nil })
	if at != 3 { // the request; response, reply and try; receipt and end
		t.Errorf("%d writes, want 3", at)
	}
	if waited := commits(waiting(time.Second)); waited != at+1 {
		t.Errorf("%d writes with a wait, want %d", waited, at+1)
	}
}

// An adapter that cannot say when the turn comes holds nothing up.
func TestBrokenTurnHoldsNothingUp(t *testing.T) {
	for name, turn := range map[string]func(context.Context, channels.Address, func() error) error{
		"panics": func(context.Context, channels.Address, func() error) error { panic("broken adapter") },
		"fails":  func(context.Context, channels.Address, func() error) error { return errors.New("surprise") },
		"fails later": func(_ context.Context, _ channels.Address, waits func() error) error {
			return errors.Join(waits(), errors.New("surprise"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newPacedWorld(t, newMemory(), turn).start()
				w.ask("7", "Wann?")
				synctest.Wait()
				equal(t, "seen", w.net.seen("7"), []string{echoed("Wann?")})
				if err := w.end(); err != context.Canceled {
					t.Error(err)
				}
			})
		})
	}
}

// While a post waits, the other chats go on.
func TestWaitingForTheTurnHoldsUpNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newPacedWorld(t, newMemory(), func(ctx context.Context, to channels.Address, waits func() error) error {
			if to.Chat() == "7" {
				return waiting(time.Minute)(ctx, to, waits)
			}
			return nil
		}).start()
		w.ask("7", "Wann?")
		w.ask("8", "Wo?")
		synctest.Wait()
		equal(t, "seen at once", w.net.seen(""), []string{echoed("Wo?")})
		time.Sleep(time.Minute)
		synctest.Wait()
		equal(t, "seen in the end", w.net.seen(""), []string{echoed("Wo?"), echoed("Wann?")})
		if err := w.end(); err != context.Canceled {
			t.Error(err)
		}
	})
}

// A clock that is set back does not make a part wait until it comes round again.
func TestClockSetBackWhileAskedToWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		w.net.onSend = func(int, channels.Post) error {
			return fails(channels.RetryAfter, func(se *channels.SendError) { se.After, se.Scope = 3*time.Second, channels.ScopeChat })
		}
		w.start()
		w.ask("7", "Wann?")
		synctest.Wait()
		next := w.queue.crash()
		if err := w.end(); err != context.Canceled {
			t.Error(err)
		}
		w = newWorld(t, next, echo)
		w.o.Now = func() time.Time { return time.Now().Add(-48 * time.Hour) }
		w.start()
		time.Sleep(4 * time.Second)
		equal(t, "seen", w.net.seen("7"), []string{echoed("Wann?")})
		if err := w.end(); err != context.Canceled {
			t.Error(err)
		}
	})
}
