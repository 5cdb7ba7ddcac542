package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/gateway"
)

func TestOneQuestion(t *testing.T) {
	inWorld(t, echo, func(t *testing.T, w *world) {
		e := w.ask("7", "Wann?")
		w.net.in <- e // redelivered by the network
		synctest.Wait()
		equal(t, "seen", w.net.seen("7"), []string{echoed("Wann?")})
		equal(t, "log", w.queue.steps(), []string{
			"request", "response:relay", "response:transport", "event:delivery.try", "event:delivery.ok", "event:done:sent",
		})
		all := w.queue.envelopes()
		id := all[0].ID
		for i, want := range []string{"net/main/u:1", id + "/response", id + "/reply", id + "/1/try/1", "at/net/main/7/1", id + "/1/ok", id + "/done"} {
			if all[i].Cause != want {
				t.Errorf("line %d has the cause %q, want %q", i+1, all[i].Cause, want)
			}
			if all[i].Conversation != all[0].Conversation || !strings.HasPrefix(all[i].Conversation, "conv_") || len(all[i].Conversation) != len("conv_")+12 {
				t.Errorf("line %d is in conversation %q", i+1, all[i].Conversation)
			}
		}
		if w.queue.commits != 3 {
			t.Errorf("%d commits, want 3: request; response, reply and try; receipt and end", w.queue.commits)
		}
		if s := w.g.Status(); s.Taken != 1 || s.Repeated != 1 || s.Answers["ok"] != 1 || s.Ends[gateway.EndSent] != 1 || s.Accounts[0].Sent != 1 || s.Running != 0 {
			t.Errorf("Status = %+v", s)
		}
	})
}

// The order of the fields of a line is part of the format.
func TestLineFormat(t *testing.T) {
	inWorld(t, echo, func(t *testing.T, w *world) {
		w.ask("7", "Wa\u200bnn?")
		synctest.Wait()
		line := string(w.queue.lines[0])
		at := -1
		for _, key := range []string{"v", "seq", "id", "at", "conversation_id", "cause", "from", "to", "type", "payload", "priority"} {
			i := strings.Index(line, `"`+key+`":`)
			if i <= at {
				t.Errorf("field %s is missing or out of order in %s", key, line)
			}
			at = i
		}
		var rec struct {
			From struct {
				User map[string]any `json:"user"`
			} `json:"from"`
			Payload map[string]any `json:"payload"`
		}
		if err := json.Unmarshal([]byte(line), &rec); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(rec.From.User); got != "map[account:main channel:net identity:7 name:Ole]" {
			t.Errorf("from.user = %s", got)
		}
		if rec.Payload["text"] != "Wa nn?" || !strings.HasPrefix(fmt.Sprint(rec.Payload["raw"]), "sha256:") {
			t.Errorf("payload = %v, want the cleaned text and the hash of the raw one", rec.Payload)
		}
		reply := w.queue.envelopes()[2]
		if reply.ReplyTo != w.queue.envelopes()[0].ID || reply.From.Agent != "relay" || reply.To != "transport" || len(reply.Payload.Parts) != 1 {
			t.Errorf("reply = %+v", reply)
		}
	})
}

// long answers with three parts.
func long(_ context.Context, r agents.Request) (agents.Answer, error) {
	var statements []agents.Statement
	for i := range 3 {
		statements = append(statements, agents.Statement{Text: fmt.Sprintf("Teil %d: %s", i+1, strings.Repeat("Die Ziffer regelt den Einzelfall. ", 100)), Citations: []string{"C-0001"}})
	}
	return agents.Cite(statements, []agents.Beleg{{Kind: "claim", ID: "C-0001", Source: "S-0001", Fundstelle: "Satz 1"}})
}

// The process dies behind every line of the log in turn; the next one carries
// on. There is one response and one reply, and a part with a receipt is not
// sent again; one without is marked.
func TestRestartBehindEveryLine(t *testing.T) {
	for _, c := range []struct {
		name  string
		agent answering
		parts int
	}{{"one part", echo, 1}, {"three parts", long, 3}} {
		t.Run(c.name, func(t *testing.T) {
			lines := 4 + 2*c.parts
			for n := 1; n <= lines; n++ {
				synctest.Test(t, func(t *testing.T) {
					answered := 0
					agent := func(ctx context.Context, r agents.Request) (agents.Answer, error) {
						answered++
						return c.agent(ctx, r)
					}
					q := newMemory()
					q.dieAt = n
					w := newWorld(t, q, agent)
					w.o.Grace = time.Nanosecond
					w.start()
					e := w.ask("7", "Wann?")
					synctest.Wait()
					w.end()
					before := w.net.all()

					q2 := q.crash()
					w2 := newWorld(t, q2, agent)
					w2.start()
					w2.net.in <- e // its cursor was not advanced, or was: the same
					synctest.Wait()
					w2.end()

					steps := strings.Join(q2.steps(), " ")
					if got := strings.Count(steps, "response:relay"); got != 1 {
						t.Errorf("died behind line %d: %d responses in %s", n, got, steps)
					}
					if got := strings.Count(steps, "response:transport"); got != 1 {
						t.Errorf("died behind line %d: %d replies in %s", n, got, steps)
					}
					if q2.openCount() != 0 {
						t.Errorf("died behind line %d: still open: %s", n, steps)
					}
					receipts := make(map[string]bool)
					for _, e := range q.envelopes() {
						if e.Intent == "delivery.ok" {
							receipts[e.Payload.Key] = true
						}
					}
					times := make(map[string]int)
					for _, s := range before {
						times[s.key]++
					}
					for _, s := range w2.net.all() {
						if receipts[s.key] {
							t.Errorf("died behind line %d: part %s has a receipt and is sent again", n, s.key)
						}
						if times[s.key]++; times[s.key] > 1 && (!s.again || !strings.Contains(s.text, "Vielleicht schon einmal angekommen")) {
							t.Errorf("died behind line %d: second %s is not marked: %q", n, s.key, s.text)
						}
					}
					if len(times) != c.parts {
						t.Errorf("died behind line %d: %d parts arrived, want %d", n, len(times), c.parts)
					}
				})
			}
		})
	}
}

// A kill with 20 questions waiting in one conversation, and an orderly stop
// likewise: all are answered after the restart, in order, each once.
func TestTwentyWaiting(t *testing.T) {
	for _, how := range []string{"kill", "stop"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hang := func(ctx context.Context, r agents.Request) (agents.Answer, error) {
					<-ctx.Done()
					return agents.Answer{}, ctx.Err()
				}
				q := newMemory()
				w := newWorld(t, q, hang)
				w.start()
				var want []string
				for i := range 20 {
					w.ask("7", fmt.Sprintf("Frage %d?", i+1))
					want = append(want, echoed(fmt.Sprintf("Frage %d?", i+1)))
				}
				synctest.Wait()
				if how == "kill" {
					q.mu.Lock()
					q.dieAt = len(q.lines)
					q.mu.Unlock()
				}
				w.end()
				if len(w.net.all()) != 0 {
					t.Fatalf("something was answered: %q", w.net.seen(""))
				}
				w2 := newWorld(t, q.crash(), echo)
				w2.start()
				synctest.Wait()
				w2.end()
				equal(t, "seen", w2.net.seen("7"), want)
			})
		})
	}
}

// A stop gives what is under way five seconds, and no more.
func TestStopIsOrderly(t *testing.T) {
	for _, c := range []struct {
		name  string
		takes time.Duration
		want  []string
		after time.Duration
	}{
		{"finishes in time", 4 * time.Second, []string{echoed("Wann?")}, 4 * time.Second},
		{"does not", time.Minute, nil, 5 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, newMemory(), func(ctx context.Context, r agents.Request) (agents.Answer, error) {
					select {
					case <-time.After(c.takes):
						return echo(ctx, r)
					case <-ctx.Done():
						return agents.Answer{}, ctx.Err()
					}
				})
				w.start()
				w.ask("7", "Wann?")
				w.ask("7", "Und wo?")
				synctest.Wait()
				began := time.Now()
				w.stop()
				synctest.Wait()
				if err := w.g.Deliver(t.Context(), w.event("8", "Zu spät?")); err != gateway.ErrStopping {
					t.Errorf("Deliver while stopping = %v, want %v", err, gateway.ErrStopping)
				}
				<-w.done
				if d := time.Since(began); d != c.after {
					t.Errorf("Run returned after %v, want %v", d, c.after)
				}
				equal(t, "seen", w.net.seen(""), c.want)
				if got, want := w.queue.openCount(), 2-len(c.want); got != want {
					t.Errorf("%d requests are open, want %d", got, want)
				}
			})
		})
	}
}

// The question that was being answered when the process died three times is not
// answered again. Those that were only open at the time are: behind it, beside it
// and before it.
func TestPoison(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newMemory()
		runs := 0
		var deadly atomic.Int32
		asked := make(chan struct{})
		for ; runs < 4; runs++ {
			var w *world
			died := make(chan struct{})
			w = newWorld(t, q, func(ctx context.Context, r agents.Request) (agents.Answer, error) {
				switch {
				case r.Text == "tödlich":
					<-asked
					deadly.Add(1)
					w.queue.kill()
					close(died)
				case deadly.Load() < 2: // slow, and therefore open as well when the process dies
					<-died
				default:
					return echo(ctx, r)
				}
				<-ctx.Done()
				return agents.Answer{}, ctx.Err()
			})
			w.o.Grace = time.Nanosecond
			w.start()
			if runs == 0 {
				for _, person := range []string{"7", "8", "9"} {
					w.ask(person, "davor")
					synctest.Wait()
				}
				w.ask("1", "tödlich")
				w.ask("1", "dahinter")
				synctest.Wait()
				close(asked)
			}
			synctest.Wait()
			if err := w.end(); err != context.Canceled {
				t.Error(err)
			}
			if runs < 3 {
				q = q.crash()
				continue
			}
			got := w.net.seen("1")
			if len(got) != 2 || !strings.Contains(got[0], "mehrfach abgestürzt") || got[1] != echoed("dahinter") {
				t.Errorf("seen %q, want a sentence and the answer to the second", got)
			}
			if admin := w.net.seen("admin"); len(admin) != 1 || !strings.Contains(admin[0], "drei Abstürzen") {
				t.Errorf("the administrator sees %q", admin)
			}
		}
		if n := deadly.Load(); n != 3 {
			t.Errorf("the deadly question was answered %d times, want 3", n)
		}
		answered := 0
		for _, e := range q.envelopes() {
			if e.Type == gateway.TypeResponse && e.To == "relay" && e.Payload.Answer != nil {
				answered++
			}
		}
		if answered != 4 || q.openCount() != 0 {
			t.Errorf("%d answers and %d open requests, want 4 and none", answered, q.openCount())
		}
	})
}

// A part at whose sending the process died three times is sent again only after
// the process has lived for a minute, and after five times not at all.
func TestPoisonInSending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newMemory()
		for run, c := range []struct{ atOnce, later int }{{1, 1}, {1, 1}, {1, 1}, {0, 1}, {0, 1}, {0, 0}, {0, 0}} {
			q.dieAt = len(q.lines) + 1 // behind the next try
			if run == 0 {
				q.dieAt = 4 // request, response, reply, try
			}
			if run >= 5 {
				q.dieAt = 0
			}
			w := newWorld(t, q, echo)
			w.o.Grace = time.Nanosecond
			w.start()
			if run == 0 {
				w.ask("7", "Wann?")
			}
			time.Sleep(59 * time.Second)
			synctest.Wait()
			if got := len(w.net.seen("7")); got != c.atOnce {
				t.Errorf("run %d: sent %d times at once, want %d", run+1, got, c.atOnce)
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if got := len(w.net.seen("7")); got != c.later {
				t.Errorf("run %d: sent %d times, want %d", run+1, got, c.later)
			}
			if run == 5 {
				if admin := w.net.seen("admin"); len(admin) != 1 || !strings.Contains(admin[0], "zurückgelegt") {
					t.Errorf("the administrator sees %q", admin)
				}
			}
			w.end()
			q = q.crash()
		}
		if q.openCount() != 0 {
			t.Errorf("%d requests are open", q.openCount())
		}
	})
}

// What waited for an hour is answered with an apology, once a conversation;
// what waited for a day is not answered.
func TestLateQuestions(t *testing.T) {
	for _, c := range []struct {
		name    string
		down    time.Duration
		want    int
		apology int
		end     gateway.End
	}{
		{"ten minutes", 10 * time.Minute, 2, 0, gateway.EndSent},
		{"two hours", 2 * time.Hour, 2, 1, gateway.EndSent},
		{"two days", 48 * time.Hour, 0, 0, gateway.EndExpired},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newMemory()
				q.dieAt = 2
				w := newWorld(t, q, echo)
				w.o.Grace = time.Nanosecond
				w.o.MaxParallel = 1
				w.start()
				w.ask("7", "eins")
				synctest.Wait()
				w.end()
				q = q.crash()
				time.Sleep(c.down)
				w2 := newWorld(t, q, echo)
				w2.seq = 1
				e := w2.event("7", "zwei", written(time.Now().Add(-c.down)))
				w2.start()
				w2.net.in <- e // came while we were down
				synctest.Wait()
				w2.end()
				if got := w2.net.seen("7"); len(got) != c.want {
					t.Errorf("seen %q, want %d answers", got, c.want)
				}
				apologies := 0
				for _, s := range w2.net.all() {
					apologies += strings.Count(s.text, "Entschuldigen Sie die Verspätung")
				}
				if apologies != c.apology {
					t.Errorf("%d apologies, want %d", apologies, c.apology)
				}
				for _, e := range q.envelopes() {
					if e.Intent == "done" && e.Payload.End != c.end && e.Conversation == q.envelopes()[0].Conversation {
						t.Errorf("a request ended as %s, want %s", e.Payload.End, c.end)
					}
				}
				if q.openCount() != 0 {
					t.Errorf("%d requests are open", q.openCount())
				}
			})
		})
	}
}

func TestTrack(t *testing.T) {
	for _, typ := range []gateway.Type{gateway.TypeResponse, gateway.TypeEvent, "internal"} {
		if opens, closes := gateway.Track(factsOf(typ, "delivery.try")); opens != "" || closes != "" {
			t.Errorf("%s: Track = %q, %q", typ, opens, closes)
		}
	}
	if opens, closes := gateway.Track(factsOf(gateway.TypeRequest, "command.stop")); opens != "id" || closes != "" {
		t.Errorf("request: Track = %q, %q", opens, closes)
	}
	if opens, closes := gateway.Track(factsOf(gateway.TypeEvent, "done")); opens != "" || closes != "ref" {
		t.Errorf("done: Track = %q, %q", opens, closes)
	}
}

var _ channels.Typer = (*network)(nil)
