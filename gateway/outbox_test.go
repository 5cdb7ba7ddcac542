package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"outheis/channels"
	"outheis/gateway"
	"outheis/store"
)

func fails(c channels.Class, edits ...func(*channels.SendError)) error {
	se := &channels.SendError{Class: c, Err: errors.New("scripted")}
	for _, edit := range edits {
		edit(se)
	}
	return se
}

// offsets returns when each post to a chat was tried, since the first try.
func offsets(tries []sent, chat string) []time.Duration {
	var all []time.Duration
	var first time.Time
	for _, s := range tries {
		if s.chat != chat {
			continue
		}
		if first.IsZero() {
			first = s.at
		}
		all = append(all, s.at.Sub(first))
	}
	return all
}

func TestOutbox(t *testing.T) {
	moved := address(t, "-100", "")
	after := func(d time.Duration, scope channels.Scope) func(*channels.SendError) {
		return func(se *channels.SendError) { se.After, se.Scope = d, scope }
	}
	markup := func(se *channels.SendError) { se.Markup = true }
	first := func(err error) func(int, channels.Post) error {
		return func(n int, _ channels.Post) error {
			if n == 1 {
				return err
			}
			return nil
		}
	}
	always := func(err error) func(int, channels.Post) error {
		return func(int, channels.Post) error { return err }
	}
	for _, c := range []struct {
		name   string
		onSend func(n int, p channels.Post) error
		within time.Duration
		at     []time.Duration // of the tries to chat 7
		log    []string        // behind the reply
		text   string          // of the last try, its first line
		plain  bool
		again  bool
		admin  string // part of what the administrator sees; "" for nothing
	}{
		{
			name: "no connection", onSend: first(fails(channels.NotSent)), within: time.Minute,
			at:   []time.Duration{0, time.Second},
			log:  []string{"event:delivery.try", "event:delivery.fail:not_sent", "event:delivery.try", "event:delivery.ok", "event:done:sent"},
			text: echoed("Wann?"),
		},
		{
			name: "told to wait", onSend: first(fails(channels.RetryAfter, after(3*time.Second, channels.ScopeChat))), within: time.Minute,
			at:   []time.Duration{0, 3 * time.Second},
			log:  []string{"event:delivery.try", "event:delivery.fail:retry_after", "event:delivery.try", "event:delivery.ok", "event:done:sent"},
			text: echoed("Wann?"),
		},
		{
			name: "told to wait and not how long", onSend: first(fails(channels.RetryAfter)), within: time.Minute,
			at:   []time.Duration{0, time.Second},
			log:  []string{"event:delivery.try", "event:delivery.fail:retry_after", "event:delivery.try", "event:delivery.ok", "event:done:sent"},
			text: echoed("Wann?"),
		},
		{
			name: "no clear answer", onSend: first(fails(channels.Unsure)), within: time.Minute,
			at:   []time.Duration{0, 30 * time.Second},
			log:  []string{"event:delivery.try", "event:delivery.fail:unsure", "event:delivery.try", "event:delivery.ok", "event:done:sent"},
			text: "<i>Vielleicht schon einmal angekommen:</i>", again: true,
		},
		{
			name: "an error that is none of ours", onSend: first(errors.New("surprise")), within: time.Minute,
			at:   []time.Duration{0, 30 * time.Second},
			log:  []string{"event:delivery.try", "event:delivery.fail:unsure", "event:delivery.try", "event:delivery.ok", "event:done:sent"},
			text: "<i>Vielleicht schon einmal angekommen:</i>", again: true,
		},
		{
			name: "an error of no class", onSend: first(fails("surprise")), within: time.Minute,
			at:   []time.Duration{0, 30 * time.Second},
			log:  []string{"event:delivery.try", "event:delivery.fail:unsure", "event:delivery.try", "event:delivery.ok", "event:done:sent"},
			text: "<i>Vielleicht schon einmal angekommen:</i>", again: true,
		},
		{
			name: "no clear answer, twice", onSend: always(fails(channels.Unsure)), within: time.Hour,
			at:   []time.Duration{0, 30 * time.Second},
			log:  []string{"event:delivery.try", "event:delivery.fail:unsure", "event:delivery.try", "event:delivery.fail:unsure", "event:done:parked"},
			text: "<i>Vielleicht schon einmal angekommen:</i>", again: true,
			admin: "zurückgelegt",
		},
		{
			name: "markup refused", onSend: first(fails(channels.Refused, markup)), within: time.Minute,
			at:   []time.Duration{0, 0},
			log:  []string{"event:delivery.try", "event:delivery.fail:refused", "event:delivery.try", "event:delivery.ok", "event:done:sent"},
			text: echoed("Wann?"), plain: true,
		},
		{
			name: "refused for ever", onSend: always(fails(channels.Refused, markup)), within: 24 * time.Hour,
			at:   []time.Duration{0, 0},
			log:  []string{"event:delivery.try", "event:delivery.fail:refused", "event:delivery.try", "event:delivery.fail:refused", "event:done:parked"},
			text: echoed("Wann?"), plain: true,
			admin: "zurückgelegt",
		},
		{
			name: "refused whatever its form", onSend: always(fails(channels.Refused)), within: 24 * time.Hour,
			at:    []time.Duration{0},
			log:   []string{"event:delivery.try", "event:delivery.fail:refused", "event:done:parked"},
			text:  echoed("Wann?"),
			admin: "zurückgelegt",
		},
		{
			name: "blocked by the person", onSend: always(fails(channels.Gone)), within: 24 * time.Hour,
			at:   []time.Duration{0},
			log:  []string{"event:delivery.try", "event:delivery.fail:gone", "event:done:gone"},
			text: echoed("Wann?"),
		},
		{
			name: "needs an administrator", within: 24 * time.Hour,
			onSend: func(n int, p channels.Post) error {
				if n < 4 && p.To.Chat() == "7" {
					return fails(channels.Misconfigured, func(se *channels.SendError) { se.Remedy = "Token prüfen." })
				}
				return nil
			},
			at: []time.Duration{0, time.Second, 5 * time.Second, 21 * time.Second},
			log: []string{
				"event:delivery.try", "event:delivery.fail:misconfigured", "event:delivery.try", "event:delivery.fail:misconfigured",
				"event:delivery.try", "event:delivery.fail:misconfigured", "event:delivery.try", "event:delivery.ok", "event:done:sent",
			},
			text: echoed("Wann?"), admin: "Token prüfen.",
		},
		{
			name: "adapter panics", within: time.Minute,
			onSend: func(n int, p channels.Post) error {
				if n == 1 && p.To.Chat() == "7" {
					panic("scripted")
				}
				return nil
			},
			at:   []time.Duration{0},
			log:  []string{"event:delivery.try", "event:delivery.fail:unsure", "event:delivery.try", "event:delivery.ok", "event:done:sent"},
			text: "<i>Vielleicht schon einmal angekommen:</i>", again: true,
		},
		{
			name: "the group has moved", within: time.Minute,
			onSend: func(_ int, p channels.Post) error {
				if p.To.Chat() == "7" {
					return fails(channels.Gone, func(se *channels.SendError) { se.Moved = moved })
				}
				return nil
			},
			at:   []time.Duration{0},
			log:  []string{"event:delivery.try", "event:delivery.fail:gone", "event:delivery.try", "event:delivery.ok", "event:done:sent"},
			text: echoed("Wann?"),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, newMemory(), echo)
				w.net.onSend = func(n int, p channels.Post) error {
					if p.To.Chat() == "admin" {
						return nil
					}
					return c.onSend(n, p)
				}
				w.start()
				w.ask("7", "Wann?")
				time.Sleep(c.within)
				synctest.Wait()
				w.end()
				if got := offsets(w.net.all(), "7"); !slices.Equal(got, c.at) {
					t.Errorf("tries at %v, want %v", got, c.at)
				}
				var steps []string
				id := w.queue.envelopes()[0].ID
				for _, e := range w.queue.envelopes() {
					if s := stepOf(e); s != "" && e.Payload.Ref == id {
						steps = append(steps, s)
					}
				}
				equal(t, "log", steps, c.log)
				var last sent
				for _, s := range w.net.replies() {
					if s.chat != "admin" {
						last = s
					}
				}
				if line, _, _ := strings.Cut(last.text, "\n"); line != c.text || last.plain != c.plain || last.again != c.again {
					t.Errorf("last try: plain %v, again %v, %q; want plain %v, again %v, %q", last.plain, last.again, line, c.plain, c.again, c.text)
				}
				admin := strings.Join(w.net.seen("admin"), "\n")
				if len(w.net.seen("admin")) > 1 || (c.admin == "") != (admin == "") || !strings.Contains(admin, c.admin) {
					t.Errorf("the administrator sees %q, want once %q", admin, c.admin)
				}
				if w.queue.openCount() != 0 {
					t.Errorf("%d requests are open", w.queue.openCount())
				}
			})
		})
	}
}

// Without a connection the waits grow, and end after a day.
func TestOutboxGivesUpAfterADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		w.net.onSend = func(_ int, p channels.Post) error {
			if p.To.Chat() == "7" {
				return fails(channels.NotSent)
			}
			return nil
		}
		w.start()
		w.ask("7", "Wann?")
		time.Sleep(48 * time.Hour)
		synctest.Wait()
		w.end()
		at := offsets(w.net.all(), "7")
		want := []time.Duration{0, 1 * time.Second, 5 * time.Second, 21 * time.Second, 85 * time.Second, 341 * time.Second, 1241 * time.Second}
		if !slices.Equal(at[:len(want)], want) {
			t.Errorf("first tries at %v, want %v", at[:len(want)], want)
		}
		if last := at[len(at)-1]; last > 24*time.Hour || last < 23*time.Hour {
			t.Errorf("last try after %v, want within the last hour of the first day", last)
		}
		if steps := w.queue.steps(); !slices.Contains(steps, "event:done:expired") {
			t.Errorf("log ends with %q", steps[len(steps)-3:])
		}
		if admin := w.net.seen("admin"); len(admin) != 1 {
			t.Errorf("the administrator sees %q", admin)
		}
	})
}

// A chat that has to wait holds up nobody else: not the other chats, not the
// agents. When the account has to wait, everybody does.
func TestWaitingHoldsUpNobodyElse(t *testing.T) {
	for _, c := range []struct {
		scope channels.Scope
		want  time.Duration // for the others
	}{{channels.ScopeChat, 0}, {channels.ScopeAccount, time.Hour}} {
		t.Run(string(c.scope), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, newMemory(), echo)
				w.o.MaxParallel = 1
				w.net.onSend = func(n int, p channels.Post) error {
					if n == 1 && p.To.Chat() == "7" {
						return fails(channels.RetryAfter, func(se *channels.SendError) { se.After, se.Scope = time.Hour, c.scope })
					}
					return nil
				}
				w.start()
				began := time.Now()
				w.ask("7", "Wann?")
				w.ask("7", "Und wo?")
				synctest.Wait()
				for i := range 20 {
					w.ask(fmt.Sprint(100+i), "Wann?")
				}
				time.Sleep(2 * time.Hour)
				synctest.Wait()
				w.end()
				for _, s := range w.net.replies() {
					switch d := s.at.Sub(began); {
					case s.chat == "7" && s.err == nil && d != time.Hour:
						t.Errorf("chat 7 gets %q after %v, want 1h", s.text, d)
					case s.chat != "7" && d != c.want:
						t.Errorf("chat %s waits %v, want %v", s.chat, d, c.want)
					}
				}
				equal(t, "seen in chat 7", w.net.seen("7"), []string{echoed("Wann?"), echoed("Und wo?")})
				if got := len(w.net.seen("")); got != 22 {
					t.Errorf("%d answers, want 22", got)
				}
			})
		})
	}
}

// probed is a network that says how it stands.
type probed struct {
	*network
	state   atomic.Value // channels.State
	answers bool         // whatever else is wrong, the network goes on answering
}

func (p *probed) Health() channels.Health {
	h := channels.Health{State: p.state.Load().(channels.State)}
	if p.answers {
		h.Received = time.Now()
	}
	return h
}

// A fault that does not keep the network from answering holds up nothing: buttons
// that do not work, a budget that runs low.
func TestUnsureDoesNotWaitForOtherFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		p := &probed{network: w.net, answers: true}
		p.state.Store(channels.Yellow)
		w.o.Accounts[0].Channel = p
		w.net.onSend = func(n int, _ channels.Post) error {
			if n == 1 {
				return fails(channels.Unsure)
			}
			return nil
		}
		w.start()
		w.ask("7", "Wann?")
		time.Sleep(time.Hour)
		synctest.Wait()
		w.end()
		if at := offsets(w.net.all(), "7"); len(at) != 2 || at[1] != 30*time.Second {
			t.Errorf("tries at %v, want the second after 30s", at)
		}
	})
}

// While the channel says that its network is out of order, the one further try
// of a part that may have arrived waits for better times.
func TestUnsureWaitsForTheEndOfAnOutage(t *testing.T) {
	for _, c := range []struct {
		outage, want time.Duration
	}{{0, 30 * time.Second}, {3*time.Minute - time.Second, 3 * time.Minute}, {time.Hour, 10*time.Minute + 30*time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, newMemory(), echo)
			p := &probed{network: w.net}
			p.state.Store(channels.Yellow)
			w.o.Accounts[0].Channel = p
			w.net.onSend = func(n int, _ channels.Post) error {
				if n == 1 {
					return fails(channels.Unsure)
				}
				return nil
			}
			w.start()
			w.ask("7", "Wann?")
			time.Sleep(c.outage)
			p.state.Store(channels.Green)
			time.Sleep(2 * time.Hour)
			synctest.Wait()
			w.end()
			if at := offsets(w.net.all(), "7"); len(at) != 2 || at[1] != c.want {
				t.Errorf("outage of %v: tries at %v, want the second at %v", c.outage, at, c.want)
			}
		})
	}
}

// When one post gets through again, others that wait for the network do not
// sleep on.
func TestRecoveryWakesTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		var up atomic.Bool
		w.net.onSend = func(_ int, p channels.Post) error {
			if !up.Load() {
				return fails(channels.NotSent)
			}
			return nil
		}
		w.start()
		w.ask("7", "Wann?")
		time.Sleep(10 * time.Minute) // the next try is minutes away
		up.Store(true)
		began := time.Now()
		w.ask("8", "Wann?")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		equal(t, "seen", w.net.seen("7"), []string{echoed("Wann?")})
		if d := w.net.all()[len(w.net.all())-1].at.Sub(began); d > time.Second {
			t.Errorf("woken after %v", d)
		}
		w.end()
	})
}

// What a restart finds about a part: how often it was tried, in which form, and
// how long it has to wait.
func TestRestartKeepsWhatIsKnownOfAPart(t *testing.T) {
	for _, c := range []struct {
		name  string
		err   error
		again bool
		plain bool
		chat  string
		wait  time.Duration
	}{
		{"told to wait", fails(channels.RetryAfter, func(se *channels.SendError) { se.After, se.Scope = time.Hour, channels.ScopeChat }), false, false, "7", time.Hour - 10*time.Second},
		{"no connection", fails(channels.NotSent), false, false, "7", 0},
		{"no clear answer", fails(channels.Unsure), true, false, "7", 0},
		{"moved", fails(channels.Gone, func(se *channels.SendError) { se.Moved = address(t, "-100", "") }), false, false, "-100", 0},
		{"markup refused", fails(channels.Refused, func(se *channels.SendError) { se.Markup = true }), false, true, "7", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newMemory()
				q.dieAt = 5 // request, response, reply, try, fail
				w := newWorld(t, q, echo)
				w.o.Grace = time.Nanosecond
				w.net.onSend = func(int, channels.Post) error { return c.err }
				w.start()
				w.ask("7", "Wann?")
				time.Sleep(10 * time.Second)
				w.end()
				w2 := newWorld(t, q.crash(), echo)
				began := time.Now()
				w2.start()
				time.Sleep(2 * time.Hour)
				synctest.Wait()
				w2.end()
				all := w2.net.all()
				if len(all) != 1 {
					t.Fatalf("%d tries after the restart, want 1", len(all))
				}
				if s := all[0]; s.again != c.again || s.plain != c.plain || s.chat != c.chat || s.at.Sub(began) != c.wait {
					t.Errorf("sent to %s after %v, plain %v, again %v; want %s, %v, %v, %v", s.chat, s.at.Sub(began), s.plain, s.again, c.chat, c.wait, c.plain, c.again)
				}
			})
		})
	}
}

// An administrator's notice that cannot be delivered makes no further notice.
func TestNoNoticeAboutANotice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		w.net.onSend = func(int, channels.Post) error { return fails(channels.Refused) }
		w.start()
		w.ask("7", "Wann?")
		time.Sleep(time.Hour)
		synctest.Wait()
		w.end()
		if got := len(w.net.all()); got != 2 {
			t.Errorf("%d tries, want the answer and one notice", got)
		}
	})
}

// While the disk is full nothing is taken and nothing is lost: channels keep
// what comes, and what is under way waits.
func TestFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), func(ctx context.Context, r agentRequest) (agentAnswer, error) {
			time.Sleep(time.Second)
			return echo(ctx, r)
		})
		w.start()
		w.ask("7", "vorher")
		synctest.Wait()
		w.queue.setFail(fmt.Errorf("store: append: %w", store.ErrDegraded))
		e := w.event("8", "währenddessen")
		if err := w.g.Deliver(t.Context(), e); !errors.Is(err, store.ErrDegraded) {
			t.Errorf("Deliver = %v, want %v", err, store.ErrDegraded)
		}
		time.Sleep(time.Minute)
		if s := w.g.Status(); s.State != gateway.Degraded || s.Reason == "" {
			t.Errorf("Status = %s, %q", s.State, s.Reason)
		}
		if got := append(w.net.seen("7"), w.net.seen("8")...); len(got) != 0 {
			t.Errorf("%q was sent without a line in the log", got)
		}
		if got := w.net.seen("admin"); len(got) != 1 || !strings.Contains(got[0], "kann nichts gespeichert werden") {
			t.Errorf("the administrator sees %q, want once that the disk is full", got)
		}
		w.queue.setFail(nil)
		w.net.in <- e
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if got := w.net.seen("admin"); len(got) != 2 || !strings.Contains(got[1], "kann wieder gespeichert werden") {
			t.Errorf("the administrator sees %q, want that it is over", got)
		}
		equal(t, "seen in 7", w.net.seen("7"), []string{echoed("vorher")})
		equal(t, "seen in 8", w.net.seen("8"), []string{echoed("währenddessen")})
		if s := w.g.Status(); s.State != gateway.Running {
			t.Errorf("Status = %s", s.State)
		}
		w.end()
	})
}

// A failed fsync ends the program.
func TestFailedQueueEndsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		w.start()
		w.ask("7", "Wann?")
		synctest.Wait()
		w.queue.setFail(fmt.Errorf("store: append: %w", store.ErrFailed))
		if err := w.g.Deliver(t.Context(), w.event("7", "Und?")); !errors.Is(err, store.ErrFailed) {
			t.Errorf("Deliver = %v, want %v", err, store.ErrFailed)
		}
		if err := <-w.done; !errors.Is(err, store.ErrFailed) {
			t.Errorf("Run = %v, want %v", err, store.ErrFailed)
		}
	})
}
