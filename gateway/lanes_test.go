package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/gateway"
)

// taking answers after d, unless it is told to end.
func taking(d time.Duration) answering {
	return func(ctx context.Context, r agents.Request) (agents.Answer, error) {
		select {
		case <-time.After(d):
			return echo(ctx, r)
		case <-ctx.Done():
			return agents.Answer{}, ctx.Err()
		}
	}
}

// 50 people ask 20 questions each: all are answered, everybody's in order, and
// never more at once than there are slots.
func TestManyPeopleInOrder(t *testing.T) {
	var mu sync.Mutex
	var now, most int
	inWorld(t, func(ctx context.Context, r agents.Request) (agents.Answer, error) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		defer func() { mu.Lock(); now--; mu.Unlock() }()
		return taking(100*time.Millisecond)(ctx, r)
	}, func(t *testing.T, w *world) {
		began := time.Now()
		for q := range 20 {
			for p := range 50 {
				w.ask(fmt.Sprint(1000+p), fmt.Sprintf("Frage %d", q+1))
			}
		}
		time.Sleep(time.Minute)
		var want []string
		for q := range 20 {
			want = append(want, echoed(fmt.Sprintf("Frage %d", q+1)))
		}
		for p := range 50 {
			if got := w.net.seen(fmt.Sprint(1000 + p)); !slices.Equal(got, want) {
				t.Errorf("person %d sees %q", p, got)
			}
		}
		if most != 8 {
			t.Errorf("%d agents at once, want 8", most)
		}
		all := w.net.all()
		if d := all[len(all)-1].at.Sub(began); d > 13*time.Second {
			t.Errorf("1000 answers of 0.1 s in 8 slots take %v", d)
		}
	})
}

// One who floods, and one whose question hangs, do not hold up the others.
func TestNobodyIsStarved(t *testing.T) {
	inWorld(t, func(ctx context.Context, r agents.Request) (agents.Answer, error) {
		if strings.HasPrefix(r.Text, "hängt") {
			return taking(time.Hour)(ctx, r)
		}
		return taking(time.Second)(ctx, r)
	}, func(t *testing.T, w *world) {
		for i := range 20 {
			w.ask("flooder", fmt.Sprintf("Frage %d", i))
		}
		for i := range 6 {
			w.ask(fmt.Sprintf("h%d", i), "hängt")
		}
		began := time.Now()
		for i := range 10 {
			w.ask(fmt.Sprintf("p%d", i), "Wann?")
		}
		time.Sleep(time.Hour)
		for _, s := range w.net.replies() {
			if strings.HasPrefix(s.chat, "p") && s.at.Sub(began) > 25*time.Second {
				t.Errorf("%s waits %v behind a flooder and six hanging questions", s.chat, s.at.Sub(began))
			}
		}
		if got := len(w.net.replies()); got != 36 {
			t.Errorf("%d replies, want one for each of 36 questions", got)
		}
	})
}

func TestAgentsThatFail(t *testing.T) {
	for _, c := range []struct {
		name  string
		agent answering
		want  string
		after time.Duration
	}{
		{"too slow", taking(time.Hour), "Die Antwort hat zu lange gedauert", 2 * time.Minute},
		{"deaf", func(context.Context, agents.Request) (agents.Answer, error) {
			time.Sleep(5 * time.Minute)
			return agents.Answer{}, nil
		}, "Die Antwort hat zu lange gedauert", 2 * time.Minute},
		{"error", func(context.Context, agents.Request) (agents.Answer, error) {
			return agents.Answer{}, errors.New("secret detail")
		}, "wegen eines Fehlers nicht beantworten", 0},
		{"error with a sentence", func(context.Context, agents.Request) (agents.Answer, error) {
			return agents.Answer{}, fmt.Errorf("tresor: %w", &agents.Error{Status: agents.StatusUnavailable, Text: "Der Bestand ist nicht prüfbar.", Err: errors.New("secret detail")})
		}, "Der Bestand ist nicht prüfbar.", 0},
		{"panic", func(context.Context, agents.Request) (agents.Answer, error) { panic("secret detail") }, "wegen eines Fehlers nicht beantworten", 0},
		{"no answer", func(context.Context, agents.Request) (agents.Answer, error) { return agents.Answer{}, nil }, "wegen eines Fehlers nicht beantworten", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var later atomic.Bool
			inWorld(t, func(ctx context.Context, r agents.Request) (agents.Answer, error) {
				if r.Text == "Wann?" && !later.Swap(true) {
					return c.agent(ctx, r)
				}
				return echo(ctx, r)
			}, func(t *testing.T, w *world) {
				began := time.Now()
				w.ask("7", "Wann?")
				w.ask("7", "Und wo?")
				w.ask("8", "Wer?")
				time.Sleep(10 * time.Minute)
				got := w.net.seen("7")
				if len(got) != 2 || !strings.Contains(got[0], c.want) || got[1] != echoed("Und wo?") {
					t.Fatalf("seen %q, want a sentence with %q and the second answer", got, c.want)
				}
				if strings.Contains(got[0], "secret") {
					t.Errorf("the person reads internals: %q", got[0])
				}
				for _, s := range w.net.replies() {
					if s.chat == "7" && s.at.Sub(began) != c.after {
						t.Errorf("replied after %v, want %v", s.at.Sub(began), c.after)
					}
				}
				equal(t, "seen by others", w.net.seen("8"), []string{echoed("Wer?")})
				if steps := strings.Join(w.queue.steps(), " "); strings.Count(steps, "response:relay") != 3 {
					t.Errorf("log: %s", steps)
				}
			})
		})
	}
}

// When all agents are deaf, those who wait are told.
func TestNoAgentIsFree(t *testing.T) {
	inWorld(t, func(ctx context.Context, r agents.Request) (agents.Answer, error) {
		time.Sleep(time.Hour)
		return echo(ctx, r)
	}, func(t *testing.T, w *world) {
		for i := range 9 {
			w.ask(fmt.Sprint(i), "Wann?")
		}
		time.Sleep(15 * time.Minute)
		busy := 0
		for _, s := range w.net.seen("") {
			if strings.Contains(s, "zu viele Fragen in Arbeit") {
				busy++
			}
		}
		if busy != 1 || len(w.net.seen("")) != 9 {
			t.Errorf("seen %q", w.net.seen(""))
		}
		if s := w.g.Status(); s.Busy != 8 {
			t.Errorf("%d slots are taken, want 8", s.Busy)
		}
		time.Sleep(time.Hour)
	})
}

func TestMailboxIsBounded(t *testing.T) {
	inWorld(t, taking(time.Minute), func(t *testing.T, w *world) {
		s := w.o.Settings
		s.Policy.Limits.Burst = 100
		if err := w.g.Reload(s); err != nil {
			t.Fatal(err)
		}
		for i := range 25 {
			w.ask("7", fmt.Sprintf("Frage %d", i+1))
		}
		synctest.Wait()
		if got := w.net.seen("7"); len(got) != 1 || !strings.Contains(got[0], "Es warten schon sehr viele Fragen") {
			t.Errorf("seen %q, want one sentence, before the answers", got)
		}
		w.ask("8", "Wann?")
		time.Sleep(time.Hour)
		if got := w.net.seen("7"); len(got) != 21 || got[20] != echoed("Frage 20") {
			t.Errorf("%d messages, want 20 answers and a sentence: %q", len(got), got)
		}
		if got := w.g.Status().Refused[gateway.ReasonBusy]; got != 5 {
			t.Errorf("%d refused, want 5", got)
		}
	})
}

func TestQuota(t *testing.T) {
	inWorld(t, echo, func(t *testing.T, w *world) {
		for i := range 25 {
			w.ask("7", fmt.Sprintf("Frage %d", i+1))
			time.Sleep(time.Second)
		}
		got := w.net.seen("7")
		if len(got) != 21 || !strings.Contains(got[20], "in 5 Minuten noch einmal") {
			t.Errorf("%d messages, the last %q; want 20 answers and a sentence", len(got), got[len(got)-1])
		}
		time.Sleep(5 * time.Minute)
		w.ask("7", "Und jetzt?")
		synctest.Wait()
		if got := w.net.seen("7"); got[len(got)-1] != echoed("Und jetzt?") {
			t.Errorf("after the window: %q", got[len(got)-1])
		}
		for i := range 10 {
			for j := range 18 {
				w.ask("8", fmt.Sprintf("Frage %d %d", i, j))
			}
			time.Sleep(6 * time.Minute)
		}
		for range 22 {
			w.ask("8", "Noch eine")
			time.Sleep(20 * time.Second)
		}
		got = w.net.seen("8")
		if len(got) != 201 || !strings.Contains(got[200], "In 23 Stunden geht es weiter") {
			t.Errorf("%d messages, the last %q; want 200 answers and a sentence", len(got), got[len(got)-1])
		}
	})
}

func TestStopAQuestion(t *testing.T) {
	inWorld(t, taking(time.Minute), func(t *testing.T, w *world) {
		w.ask("7", "Wann?")
		w.ask("7", "Und wo?")
		w.ask("8", "Wann?")
		time.Sleep(time.Second)
		w.ask("7", "Stopp!")
		time.Sleep(90 * time.Second)
		w.ask("7", "/stop")
		synctest.Wait()
		equal(t, "seen", w.net.seen("7"), []string{"Abgebrochen.", echoed("Und wo?"), "Es läuft gerade keine Frage."})
		equal(t, "seen by others", w.net.seen("8"), []string{echoed("Wann?")})
		if s := w.g.Status(); s.Ends[gateway.EndStopped] != 1 {
			t.Errorf("Status = %+v", s)
		}
		if w.queue.openCount() != 0 {
			t.Errorf("%d requests are open", w.queue.openCount())
		}
	})
}

// Whoever has asked too much can still stop it.
func TestStopBeyondTheQuota(t *testing.T) {
	inWorld(t, taking(time.Minute), func(t *testing.T, w *world) {
		for i := range 20 {
			w.ask("7", fmt.Sprintf("Frage %d", i+1))
		}
		w.ask("7", "stop")
		w.ask("7", "Noch eine?")
		synctest.Wait()
		got := w.net.seen("7")
		if len(got) != 2 || got[0] != "Abgebrochen." || !strings.Contains(got[1], "sehr viele Fragen") {
			t.Errorf("seen %q, want the stop and then the quota", got)
		}
	})
}

// A stop right behind the question finds it, whether its lane has begun or not.
func TestStopAtOnce(t *testing.T) {
	inWorld(t, taking(time.Minute), func(t *testing.T, w *world) {
		for range 10 {
			if err := w.g.Deliver(t.Context(), w.event("7", "Wann?")); err != nil {
				t.Fatal(err)
			}
			if err := w.g.Deliver(t.Context(), w.event("7", "stop")); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		for _, s := range w.net.seen("7") {
			if s != "Abgebrochen." {
				t.Errorf("seen %q", s)
			}
		}
		if n := len(w.net.seen("7")); n != 10 {
			t.Errorf("%d replies, want 10", n)
		}
	})
}

func TestEdits(t *testing.T) {
	edit := func(of channels.Event, text string) func(*channels.Event) {
		return func(e *channels.Event) {
			e.Kind, e.Message, e.Text, e.Posted = channels.KindEdit, of.Message, text, of.At
		}
	}
	t.Run("waiting", func(t *testing.T) {
		inWorld(t, taking(time.Minute), func(t *testing.T, w *world) {
			w.ask("7", "eins")
			two := w.ask("7", "zwie")
			w.ask("7", "drei")
			w.ask("7", "", edit(two, "zwei"))
			time.Sleep(time.Hour)
			equal(t, "seen", w.net.seen("7"), []string{echoed("eins"), echoed("zwei"), echoed("drei")})
		})
	})
	t.Run("being answered", func(t *testing.T) {
		inWorld(t, taking(time.Minute), func(t *testing.T, w *world) {
			one := w.ask("7", "eisn")
			w.ask("7", "zwei")
			time.Sleep(time.Second)
			w.ask("7", "", edit(one, "eins"))
			w.ask("7", "", edit(one, "eins")) // once more, without change
			time.Sleep(time.Hour)
			got := w.net.seen("7")
			slices.Sort(got)
			equal(t, "seen", got, []string{echoed("eins"), echoed("zwei")})
			if s := w.g.Status(); s.Ends[gateway.EndReplaced] != 1 || s.Refused[gateway.ReasonEditSame] != 1 {
				t.Errorf("Status = %+v", s)
			}
		})
	})
	t.Run("for another agent", func(t *testing.T) {
		var asked []string
		inWorld(t, func(ctx context.Context, r agents.Request) (agents.Answer, error) {
			asked = append(asked, r.Scope+":"+r.Text)
			return taking(time.Minute)(ctx, r)
		}, func(t *testing.T, w *world) {
			one := w.ask("7", "@handbuch eins")
			synctest.Wait()
			w.ask("7", "", edit(one, "eins @handbuch")) // the same, said otherwise
			synctest.Wait()
			w.ask("7", "", edit(one, "eins"))
			time.Sleep(time.Hour)
			synctest.Wait()
			equal(t, "asked", asked, []string{"handbuch:eins", ":eins"})
			equal(t, "seen", w.net.seen("7"), []string{echoed("eins")})
		})
	})
	t.Run("answered, late, or a command", func(t *testing.T) {
		inWorld(t, taking(10*time.Minute), func(t *testing.T, w *world) {
			s := w.o.Settings
			s.Timeout = time.Hour
			if err := w.g.Reload(s); err != nil {
				t.Fatal(err)
			}
			one := w.ask("7", "eins")
			time.Sleep(2 * time.Minute)
			w.ask("7", "", edit(one, "zu spät")) // a minute after it was written
			w.ask("7", "", edit(one, "/stop"))   // commands are not executed from edits
			time.Sleep(time.Hour)
			w.ask("7", "", edit(one, "viel zu spät"))
			synctest.Wait()
			equal(t, "seen", w.net.seen("7"), []string{echoed("eins")})
		})
	})
}

// The sign that an answer is being prepared appears where it takes a moment.
func TestTyping(t *testing.T) {
	inWorld(t, func(ctx context.Context, r agents.Request) (agents.Answer, error) {
		if r.Text == "langsam" {
			return taking(2*time.Second)(ctx, r)
		}
		return echo(ctx, r)
	}, func(t *testing.T, w *world) {
		w.ask("7", "schnell")
		w.ask("8", "langsam")
		time.Sleep(time.Minute)
		synctest.Wait()
		equal(t, "typing in", w.net.typed, []string{"8"})
	})
}

// What an agent gets to know of the conversation is this person's, recent, and
// in order: a canary of one person never reaches another (T24).
func TestTurnsStayWithThePerson(t *testing.T) {
	var mu sync.Mutex
	seen := make(map[string]string) // question to the turns beside it
	inWorld(t, func(ctx context.Context, r agents.Request) (agents.Answer, error) {
		var turns []string
		for _, turn := range r.Turns {
			turns = append(turns, turn.Question)
		}
		mu.Lock()
		seen[r.Text] = strings.Join(turns, ",")
		mu.Unlock()
		return echo(ctx, r)
	}, func(t *testing.T, w *world) {
		group := func(e *channels.Event) { e.Address, e.Audience = address(t, "-1", ""), channels.Group }
		topic := func(e *channels.Event) { e.Address, e.Audience = address(t, "-1", "7"), channels.Group }
		for i, q := range []struct {
			person, text string
			where        func(*channels.Event)
			want         string
		}{
			{"7", "a1", nil, ""},
			{"8", "b1", nil, ""},
			{"7", "a2", nil, "a1"},
			{"7", "g1", group, ""},
			{"8", "h1", group, ""},
			{"7", "g2", group, "g1"},
			{"7", "t1", topic, ""},
			{"8", "b2", nil, "b1"},
		} {
			var edits []func(*channels.Event)
			if q.where != nil {
				edits = append(edits, q.where)
			}
			w.ask(q.person, q.text, edits...)
			synctest.Wait()
			mu.Lock()
			if seen[q.text] != q.want {
				t.Errorf("question %d, %s of %s, is shown the turns %q, want %q", i, q.text, q.person, seen[q.text], q.want)
			}
			mu.Unlock()
		}
		for i := range 6 {
			w.ask("7", fmt.Sprintf("n%d", i))
		}
		synctest.Wait()
		w.ask("7", "many")
		synctest.Wait()
		time.Sleep(31 * time.Minute)
		w.ask("7", "old")
		synctest.Wait()
		if seen["many"] != "n1,n2,n3,n4,n5" || seen["old"] != "" {
			t.Errorf("turns %q and, after half an hour, %q", seen["many"], seen["old"])
		}
	})
}
