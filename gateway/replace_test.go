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

// A channel that needs an administrator is replaced; what waited for it goes on
// over the new one, and the other accounts do not notice.
func TestReplaceAChannel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		w.net.onSend = func(int, channels.Post) error { return fails(channels.Misconfigured) }
		w.o.Settings.Admins = nil
		w.start()
		w.ask("7", "Wann?")
		time.Sleep(10 * time.Minute)
		fresh := newNetwork()
		if err := w.g.Replace(t.Context(), gateway.Account{Name: "main", Channel: fresh}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		equal(t, "seen over the new channel", fresh.seen("7"), []string{echoed("Wann?")})
		old := w.net
		w.net = fresh
		w.ask("7", "Und wo?")
		synctest.Wait()
		equal(t, "seen over the new channel", fresh.seen("7"), []string{echoed("Wann?"), echoed("Und wo?")})
		select {
		case old.in <- w.event("7", "Hört noch jemand?"):
			t.Error("the old channel still receives")
		default:
		}
		w.end()
	})
}

// An account can come back whose requests were left open, and go again.
func TestAddAndRemoveAnAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newMemory()
		q.dieAt = 1
		w := newWorld(t, q, echo)
		w.o.Grace = time.Nanosecond
		w.start()
		w.ask("7", "Wann?")
		synctest.Wait()
		w.end()

		w2 := newWorld(t, q.crash(), echo)
		w2.o.Accounts, w2.seq = nil, 1
		w2.start()
		synctest.Wait()
		if err := w2.g.Replace(t.Context(), gateway.Account{Name: "main", Channel: w2.net}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		equal(t, "seen", w2.net.seen("7"), []string{echoed("Wann?")})
		id := gateway.AccountID{Channel: "net", Account: "main"}
		if err := w2.g.Remove(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if s := w2.g.Status(); len(s.Accounts) != 0 {
			t.Errorf("accounts: %+v", s.Accounts)
		}
		if err := w2.g.Deliver(t.Context(), w2.event("7", "Noch eine?")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if w2.queue.openCount() != 1 {
			t.Errorf("%d requests are open, want the one of the removed account", w2.queue.openCount())
		}
		w2.end()
	})
}

// What is being sent or waits for an account that is removed meanwhile goes on
// over the next channel, as if nothing had been.
func TestAccountThatIsAwayForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), taking(10*time.Second))
		w.start()
		w.ask("7", "Wann?")
		w.ask("7", "Und wo?")
		time.Sleep(time.Second)
		if err := w.g.Remove(t.Context(), gateway.AccountID{Channel: "net", Account: "main"}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		equal(t, "log", w.queue.steps(), []string{"request", "request", "response:relay", "response:transport"})
		fresh := newNetwork()
		if err := w.g.Replace(t.Context(), gateway.Account{Name: "main", Channel: fresh}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		equal(t, "seen", fresh.seen("7"), []string{echoed("Wann?"), echoed("Und wo?")})
		w.end()
	})
}

// What was answered before a restart and waits to be sent can not be stopped any
// more, and an edit is answered behind it.
func TestAnsweredBeforeARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newMemory()
		w := newWorld(t, q, echo)
		w.net.onSend = func(int, channels.Post) error { return fails(channels.NotSent) }
		w.start()
		asked := w.ask("7", "Wann?")
		synctest.Wait()
		w.end()

		w2 := newWorld(t, q, echo)
		w2.seq, w2.o.Accounts = w.seq, nil
		w2.start()
		synctest.Wait()
		for _, e := range []channels.Event{
			w2.event("7", "Wo?", func(e *channels.Event) { e.Kind, e.Message, e.Posted = channels.KindEdit, asked.Message, asked.At }),
			w2.event("7", "stop"),
		} {
			if err := w2.g.Deliver(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		if err := w2.g.Replace(t.Context(), gateway.Account{Name: "main", Channel: w2.net}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		w2.end()
		got := w2.net.seen("7")
		slices.Sort(got)
		equal(t, "seen", got, []string{"Es läuft gerade keine Frage.", echoed("Wann?"), echoed("Wo?")})
		if s := w2.g.Status(); s.Ends[gateway.EndReplaced] != 0 || s.Ends[gateway.EndSent] != 3 {
			t.Errorf("refused %v, ends %v", s.Refused, s.Ends)
		}
	})
}

// A channel that is replaced while it sends holds up nobody: neither those who
// look nor what goes out over the new one.
func TestReplaceWhileSending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		w.net.onSend = func(int, channels.Post) error { time.Sleep(time.Minute); return nil }
		w.start()
		began := time.Now()
		w.ask("7", "Wann?")
		synctest.Wait()
		fresh, replaced := newNetwork(), make(chan error, 1)
		go func() {
			replaced <- w.g.Replace(t.Context(), gateway.Account{Name: "main", Channel: fresh})
		}()
		time.Sleep(time.Second)
		if s := w.g.Status(); len(s.Accounts) != 1 {
			t.Errorf("accounts: %+v", s.Accounts)
		}
		if err := w.g.Deliver(t.Context(), w.event("8", "Wer?")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		equal(t, "seen over the new channel", fresh.seen(""), []string{echoed("Wer?")})
		if err := <-replaced; err != nil || time.Since(began) != time.Minute {
			t.Errorf("Replace = %v after %v, want it when the post is out", err, time.Since(began))
		}
		w.end()
		equal(t, "seen over the old channel", w.net.seen(""), []string{echoed("Wann?")})
	})
}

// An adapter that panics in one of its courtesies costs no answer and no
// gateway.
func TestAdapterThatPanics(t *testing.T) {
	for _, in := range []string{"menu", "typing", "end of typing", "health", "close"} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, newMemory(), taking(2*time.Second))
			w.o.Accounts[0].Channel = &clumsy{w.net, in}
			w.start()
			w.ask("7", "Wann?")
			time.Sleep(time.Minute)
			if s := w.g.Status(); len(s.Accounts) != 1 || in == "health" && s.Accounts[0].Health.State != channels.Red {
				t.Errorf("%s: accounts %+v", in, s.Accounts)
			}
			equal(t, in+": seen", w.net.seen("7"), []string{echoed("Wann?")})
			if err := w.end(); err != context.Canceled {
				t.Errorf("%s: Run = %v", in, err)
			}
		})
	}
}

// clumsy is a network whose adapter panics in one place.
type clumsy struct {
	*network
	in string
}

func (c *clumsy) stumble(in string) {
	if c.in == in {
		panic("scripted")
	}
}

func (c *clumsy) SetCommands(context.Context, string, []channels.Command) error {
	c.stumble("menu")
	return nil
}

func (c *clumsy) Typing(context.Context, channels.Address) func() {
	c.stumble("typing")
	return func() { c.stumble("end of typing") }
}

func (c *clumsy) Health() channels.Health {
	c.stumble("health")
	return channels.Health{State: channels.Green}
}

func (c *clumsy) Close() error {
	c.stumble("close")
	return nil
}

func TestReplaceRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		w.start()
		for name, a := range map[string]gateway.Account{
			"no channel": {Name: "main"}, "no name": {Channel: w.net}, "reserved": {Name: "x", Channel: &localNetwork{newNetwork()}},
		} {
			if err := w.g.Replace(t.Context(), a); err == nil {
				t.Errorf("%s: Replace returns no error", name)
			}
		}
		if err := w.g.Remove(t.Context(), gateway.AccountID{Channel: "net", Account: "other"}); err == nil {
			t.Error("Remove of an account that is not there returns no error")
		}
		if err := w.end(); err != context.Canceled {
			t.Error(err)
		}
		if err := w.g.Replace(t.Context(), gateway.Account{Name: "main", Channel: newNetwork()}); !errors.Is(err, gateway.ErrStopping) {
			t.Errorf("Replace behind the end = %v, want %v", err, gateway.ErrStopping)
		}
	})
}
