package gateway_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"outheis/channels"
	"outheis/gateway"
)

const stillAtWork = "Ich arbeite noch daran …"

func place(n int) string {
	return fmt.Sprintf("Sie sind Nr. %d. Ich beantworte die Fragen der Reihe nach.", n)
}

// Who waits behind their own question for more than five seconds is told their
// place, once, however many questions they have (channels.md §4 row 7).
func TestPlaceInTheQueue(t *testing.T) {
	inWorld(t, taking(8*time.Second), func(t *testing.T, w *world) {
		for i := range 4 {
			w.ask("7", fmt.Sprint(i))
		}
		w.ask("8", "Wann?")
		time.Sleep(4 * time.Second)
		equal(t, "notices after 4 s", w.net.courtesies("7"), nil)
		time.Sleep(time.Minute)
		got := w.net.courtesies("7")
		if len(got) != 1 || got[0] != place(2) && got[0] != place(3) && got[0] != place(4) {
			t.Errorf("notices %q, want one place", got)
		}
		equal(t, "notices to who waits for nobody", w.net.courtesies("8"), nil)
		equal(t, "seen", w.net.seen("7"), []string{echoed("0"), echoed("1"), echoed("2"), echoed("3")})
	})
}

// Who waits for a free agent is told the place among all who do.
func TestPlaceAmongAll(t *testing.T) {
	inWorld(t, taking(9*time.Second), func(t *testing.T, w *world) {
		for i := range 8 {
			w.ask(fmt.Sprint("busy", i), "Wann?")
		}
		synctest.Wait()
		for i := range 4 {
			w.ask(fmt.Sprint("p", i), "Wann?")
			synctest.Wait()
		}
		time.Sleep(time.Minute)
		for i := range 4 {
			equal(t, fmt.Sprint("notices to ", i), w.net.courtesies(fmt.Sprint("p", i)), []string{place(i + 1)})
		}
	})
}

// Work of more than ten seconds is told of once; a question that is stopped or
// answered in time is told of not at all.
func TestInterimNotice(t *testing.T) {
	inWorld(t, taking(45*time.Second), func(t *testing.T, w *world) {
		w.ask("7", "Wann?")
		w.ask("8", "Wann?")
		time.Sleep(9 * time.Second)
		w.ask("8", "stop")
		time.Sleep(time.Minute)
		equal(t, "notices", w.net.courtesies("7"), []string{stillAtWork})
		equal(t, "notices to who stopped", w.net.courtesies("8"), nil)
		all := w.net.all()
		if last := all[len(all)-1]; isCourtesy(last) {
			t.Errorf("the last message is a notice: %q", last.text)
		}
	})
}

// A notice never comes behind the answer, however slow the network takes it, and
// programs get none.
func TestNoticeNeverBehindTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), taking(10*time.Second+time.Millisecond))
		w.net.onSend = func(_ int, p channels.Post) error {
			if strings.HasSuffix(p.Key, "-interim") {
				time.Sleep(3 * time.Second)
			}
			return nil
		}
		w.start()
		w.ask("7", "Wann?")
		w.ask("99", "Wann?", actor(channels.Bot, "99"))
		time.Sleep(time.Minute)
		var got []string
		for _, s := range w.net.all() {
			if s.chat == "7" {
				line, _, _ := strings.Cut(s.text, "\n")
				got = append(got, line)
			}
		}
		equal(t, "messages", got, []string{stillAtWork, echoed("Wann?")})
		equal(t, "notices to a program", w.net.courtesies("99"), nil)
		w.end()
	})
}

// After a restart nobody is told a second time; a notice that the network did not
// take is not tried again, and costs the answer nothing.
func TestNoticesAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newMemory()
		w := newWorld(t, q, taking(time.Hour))
		w.o.Settings.Timeout, w.o.Grace = 3*time.Hour, time.Second
		w.start()
		w.ask("7", "Wann?")
		w.ask("7", "Wo?")
		time.Sleep(20 * time.Second)
		equal(t, "notices", w.net.courtesies("7"), []string{place(2), stillAtWork})
		w.end()

		w2 := newWorld(t, q.crash(), taking(20*time.Second))
		w2.o.Settings.Timeout = 3 * time.Hour
		w2.net.onSend = func(_ int, p channels.Post) error {
			if strings.HasSuffix(p.Key, "-interim") {
				return fails(channels.NotSent)
			}
			return nil
		}
		w2.start()
		time.Sleep(5 * time.Minute)
		equal(t, "notices after the restart", w2.net.courtesies("7"), nil)
		equal(t, "seen", w2.net.seen("7"), []string{echoed("Wann?"), echoed("Wo?")})
		tries := 0
		for _, s := range w2.net.all() {
			if isCourtesy(s) {
				tries++
			}
		}
		if tries != 1 { // that of the second question
			t.Errorf("%d notices were tried, want 1", tries)
		}
		w2.end()
	})
}

// Two of our own gateways that can hear each other stop after the budget of a
// program, and stay silent, also when one of them starts anew (channels.md §2.5
// people mixed, §4 row 13).
func TestTwoGatewaysFacingEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hall := func(e *channels.Event) {
			e.Address, e.Audience, e.Addressed = address(t, "-1", ""), channels.Group, false
		}
		build := func(q *memory, peer string) *world {
			w := newWorld(t, q, echo)
			id := gateway.AccountID{Channel: "net", Account: "main"}
			access := w.o.Settings.Policy.Access[id]
			access.Programs = []string{peer}
			access.Groups = map[string]gateway.Group{"-1": {Unaddressed: true, People: access.People}}
			w.o.Settings.Policy.Access[id] = access
			w.o.Settings.Admins = nil
			return w
		}
		one, other := build(newMemory(), "B"), build(newMemory(), "A")
		hears := func(w, from *world, name string) {
			from.net.onSend = func(n int, p channels.Post) error {
				e := w.event(name, p.Body.Plain, hall, actor(channels.Bot, name))
				e.Key = fmt.Sprint(name, ":", p.Key)
				go func() { w.net.in <- e }()
				return nil
			}
		}
		hears(other, one, "A")
		hears(one, other, "B")
		one.start()
		other.start()
		one.ask("7", "Wann?", hall)
		time.Sleep(time.Hour)
		synctest.Wait()
		said := len(one.net.all()) + len(other.net.all())
		if budget := gateway.DefaultLimits().PerPair; said > 2*budget+1 || said < budget {
			t.Errorf("%d messages, want about the budget of %d for each", said, budget)
		}
		one.end()

		again := build(one.queue.crash(), "B")
		again.seq = one.seq
		again.start()
		for i := range 3 {
			e := again.event("B", "Noch da?", hall, actor(channels.Bot, "B"))
			e.Key = fmt.Sprint("B:again-", i)
			if err := again.g.Deliver(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		muted := other.g.Status().Refused[gateway.ReasonMuted]+other.g.Status().Refused[gateway.ReasonLoop] > 0
		if got := len(again.net.all()); !muted && got != 0 {
			t.Errorf("%d answers to a muted program after a restart", got)
		}
		again.end()
		other.end()
	})
}

// Quotas, and who is muted, survive a restart.
func TestQuotasAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		w.o.Settings.Policy.Limits.Burst, w.o.Settings.Policy.Limits.PerPair = 3, 2
		w.start()
		for i := range 3 {
			w.ask("7", fmt.Sprint(i))
		}
		for i := range 8 {
			w.ask("99", fmt.Sprint(i), actor(channels.Bot, "99"))
			synctest.Wait()
		}
		synctest.Wait()
		w.end()
		q := w.queue.crash()
		w2 := newWorld(t, q, echo)
		w2.o.Settings.Policy.Limits, w2.seq = w.o.Settings.Policy.Limits, w.seq
		w2.start()
		w2.ask("7", "Noch eine?")
		w2.ask("8", "Und ich?")
		time.Sleep(20 * time.Minute) // the budget of the program is free, its mute is not over
		w2.ask("99", "Und ich?", actor(channels.Bot, "99"))
		synctest.Wait()
		got := w2.net.seen("7")
		if len(got) != 1 || !strings.HasPrefix(got[0], "Das waren sehr viele Fragen") {
			t.Errorf("seen %q", got)
		}
		equal(t, "seen by others", w2.net.seen("8"), []string{echoed("Und ich?")})
		equal(t, "seen by the muted program", w2.net.seen("99"), nil)
		w2.end()
	})
}
