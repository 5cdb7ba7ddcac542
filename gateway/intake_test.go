package gateway_test

import (
	"context"
	"encoding/json"
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
	"outheis/formatting"
	"outheis/gateway"
)

// What people send, and what they get to see.
func TestIntake(t *testing.T) {
	group := func(e *channels.Event) { e.Address, e.Audience = address(t, "-1", ""), channels.Group }
	english := func(e *channels.Event) { e.Actor.Locale = "en-GB" }
	for _, c := range []struct {
		name  string
		text  string
		edits []func(*channels.Event)
		want  []string // beginnings of what is seen
	}{
		{"question", "Wann?", nil, []string{echoed("Wann?")}},
		{"question in a group", "Wann?", []func(*channels.Event){group}, []string{echoed("Wann?")}},
		{"said to others", "Wann?", []func(*channels.Event){group, overheard}, nil},
		{"hidden characters", "Wa\u202enn\U000e0041?", nil, []string{echoed("Wann?")}},
		{"markup", "<b>Wann</b> & wo?", nil, []string{"Zu: &lt;b&gt;Wann&lt;/b&gt; &amp; wo? [C-0001]"}},
		{"mention of a scope", "@Handbuch Wann?", nil, []string{echoed("Wann?")}},
		{"mention of one who is not there", "@cato Wann?", nil, []string{"„cato“ gibt es hier nicht. Ansprechen können Sie: <code>@handbuch</code>, <code>@tresor</code>."}},
		{"mention alone", "@tresor", nil, []string{"Welche Frage haben Sie?"}},
		{"command with a question", "Wann?", []func(*channels.Event){command("tresor", "Wann?")}, []string{echoed("Wann?")}},
		{"start", "", []func(*channels.Event){command("start", "")}, []string{"Willkommen bei outheis."}},
		{"help", "Hilfe", nil, []string{"Schreiben Sie Ihre Frage einfach als Nachricht."}},
		{"help in English", "help", []func(*channels.Event){english}, []string{"Just write your question as a message."}},
		{"unknown command", "", []func(*channels.Event){command("frobnicate", "")}, []string{"Den Befehl <code>/frobnicate</code> kenne ich nicht."}},
		{"unknown command in a group", "", []func(*channels.Event){group, command("frobnicate", "")}, nil},
		{"a megabyte", strings.Repeat("a", 1<<20), nil, []string{"Die Nachricht ist zu lang. Ich lese höchstens 4000 Zeichen"}},
		{"two megabytes", strings.Repeat("ä", 1<<20), nil, []string{"Die Nachricht ist zu lang."}},
		{"voice", "", []func(*channels.Event){func(e *channels.Event) { e.Unsupported = "voice" }}, []string{"Ich kann nur Text lesen."}},
		{"forwarded", "", []func(*channels.Event){func(e *channels.Event) { e.Unsupported, e.Quoted = "forward", "Wann?" }}, []string{"Weitergeleitete Nachrichten lese ich nicht als Frage."}},
		{"picture with a caption", "Wann?", []func(*channels.Event){func(e *channels.Event) { e.Unsupported = "photo" }}, []string{echoed("Wann?")}},
		{"stranger", "Wann?", []func(*channels.Event){from("")}, nil},
		{"reaction", "👍", []func(*channels.Event){func(e *channels.Event) { e.Kind = channels.KindReaction }}, nil},
		{"without a key", "Wann?", []func(*channels.Event){func(e *channels.Event) { e.Key = "" }}, nil},
		{"endless key", "Wann?", []func(*channels.Event){func(e *channels.Event) { e.Key = strings.Repeat("k", 1<<20) }}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, echo, func(t *testing.T, w *world) {
				w.ask("7", c.text, c.edits...)
				synctest.Wait()
				got := w.net.seen("")
				if len(got) != len(c.want) {
					t.Fatalf("seen %q, want %q", got, c.want)
				}
				for i := range got {
					if !strings.HasPrefix(got[i], c.want[i]) {
						t.Errorf("seen %q, want %q", got[i], c.want[i])
					}
				}
				if len(c.want) == 0 && len(w.queue.envelopes()) != 0 {
					t.Errorf("something is stored: %q", w.queue.steps())
				}
				for _, line := range w.queue.lines {
					if len(line) > 64<<10 {
						t.Errorf("a line of %d bytes", len(line))
					}
				}
			})
		})
	}
}

// The agent gets the question and who may ask it, and nothing of the network.
func TestRequest(t *testing.T) {
	var got []agents.Request
	inWorld(t, func(ctx context.Context, r agents.Request) (agents.Answer, error) {
		got = append(got, r)
		return echo(ctx, r)
	}, func(t *testing.T, w *world) {
		now := time.Now().UTC().Truncate(time.Millisecond)
		w.ask("7", "@handbuch: Wann?", written(now), func(e *channels.Event) {
			e.Actor.Locale, e.Address, e.Audience, e.Quoted = "fr", address(t, "-1", ""), channels.Group, "Löse alles!"
		})
		synctest.Wait()
		if len(got) != 1 {
			t.Fatalf("%d requests", len(got))
		}
		r := got[0]
		if r.Text != "Wann?" || r.Scope != "handbuch" || r.Lang != "en" || r.Role != agents.RoleUser || !r.Public || !r.At.Equal(now) || r.ID == "" || r.Conversation == "" {
			t.Errorf("Request = %+v", r)
		}
	})
}

func TestNobodyAnswers(t *testing.T) {
	inWorld(t, echo, func(t *testing.T, w *world) {
		s := w.o.Settings
		s.Routing = gateway.Routing{Mentions: map[string]gateway.Route{"Tresor": {Agent: "tresor"}}}
		if err := w.g.Reload(s); err != nil {
			t.Fatal(err)
		}
		w.ask("7", "Wann?")
		synctest.Wait()
		w.ask("7", "@TRESOR Wann?")
		synctest.Wait()
		equal(t, "seen", w.net.seen("7"), []string{"Zurzeit ist niemand eingerichtet, der Fragen beantwortet.", echoed("Wann?")})
		s.Routing.Default = "data"
		if err := w.g.Reload(s); err == nil {
			t.Error("Reload with a default agent that is not there returns no error")
		}
	})
}

func TestHelpNamesWhatThereIs(t *testing.T) {
	inWorld(t, echo, func(t *testing.T, w *world) {
		s := w.o.Settings
		s.Topics = []gateway.Topic{{Mention: "handbuch", Title: "Handbuch von outheis"}, {Title: "Satzung <neu>"}}
		if err := w.g.Reload(s); err != nil {
			t.Fatal(err)
		}
		w.ask("7", "Hilfe")
		synctest.Wait()
		got := w.net.all()[0].text
		for _, want := range []string{"• Handbuch von outheis (<code>@handbuch</code>)", "• Satzung &lt;neu&gt;", "<code>@handbuch</code>, <code>@tresor</code>", "<code>/stopp</code>"} {
			if !strings.Contains(got, want) {
				t.Errorf("help lacks %q:\n%s", want, got)
			}
		}
		if strings.Contains(got, "cato") {
			t.Errorf("help names an agent that is not there:\n%s", got)
		}
	})
}

// Two programs that answer each other stop after the budget, and the
// administrator is told once.
func TestProgramsDoNotTalkForEver(t *testing.T) {
	inWorld(t, echo, func(t *testing.T, w *world) {
		for i := range 50 {
			w.ask("99", fmt.Sprintf("Antwort %d", i), actor(channels.Bot, "99"))
			time.Sleep(10 * time.Second)
		}
		w.ask("98", "Hallo?", actor(channels.Bot, "98"))
		synctest.Wait()
		if got := len(w.net.seen("99")); got != 6 {
			t.Errorf("%d answers to a program, want 6", got)
		}
		if got := len(w.net.seen("98")); got != 0 {
			t.Errorf("%d answers to a program that is not listed", got)
		}
		if admin := w.net.seen("admin"); len(admin) != 1 || !strings.Contains(admin[0], "net/main") {
			t.Errorf("the administrator sees %q", admin)
		}
		if s := w.g.Status(); s.Refused[gateway.ReasonLoop] != 1 || s.Refused[gateway.ReasonMuted] != 43 || s.Refused[gateway.ReasonProgram] != 1 {
			t.Errorf("refused: %v", s.Refused)
		}
		time.Sleep(24 * time.Hour)
		w.ask("99", "Nach einem Tag", actor(channels.Bot, "99"))
		synctest.Wait()
		if got := len(w.net.seen("99")); got != 7 {
			t.Errorf("%d answers after a day, want one more", got)
		}
	})
}

func TestGroupThatMoves(t *testing.T) {
	inWorld(t, echo, func(t *testing.T, w *world) {
		move := func(chat string) func(*channels.Event) {
			return func(e *channels.Event) {
				e.Kind, e.Address, e.Audience, e.Change, e.Moved = channels.KindMembership, address(t, chat, ""), channels.Group, channels.ChangeMoved, address(t, "-100", "")
			}
		}
		w.ask("7", "", move("-1"))
		w.ask("7", "", move("-1"))
		w.ask("7", "", move("-9")) // not ours
		synctest.Wait()
		if admin := w.net.seen("admin"); len(admin) != 1 || !strings.Contains(admin[0], "-100") {
			t.Errorf("the administrator sees %q", admin)
		}
	})
}

// A time that no line can hold, as a confused server may send it, keeps nobody
// from an answer.
func TestTimesBeyondAllYears(t *testing.T) {
	for _, at := range []time.Time{time.Unix(1<<40, 0), time.Unix(-1<<40, 0)} {
		inWorld(t, echo, func(t *testing.T, w *world) {
			w.ask("7", "Wann?", written(at))
			synctest.Wait()
			if got := w.net.seen(""); len(got) != 1 || !strings.HasPrefix(got[0], echoed("Wann?")) {
				t.Errorf("seen %q", got)
			}
			if _, err := json.Marshal(w.queue.envelopes()); err != nil {
				t.Errorf("stored what no line holds: %v", err)
			}
		})
	}
}

// A delivery that broke off behind the commit is carried on when the network
// delivers again.
func TestBrokenDelivery(t *testing.T) {
	inWorld(t, echo, func(t *testing.T, w *world) {
		e := w.event("7", "Wann?")
		if err := w.g.Deliver(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		other := newMemory()
		w2 := newWorld(t, other, echo)
		w2.start()
		synctest.Wait()
		request := w.queue.envelopes()[0]
		if _, err := other.AppendAll(t.Context(), []gateway.Envelope{request}); err != nil {
			t.Fatal(err)
		}
		w2.net.in <- e
		w2.net.in <- e
		synctest.Wait()
		equal(t, "seen", w2.net.seen("7"), []string{echoed("Wann?")})
		w2.end()
	})
}

// An answer that fits no line of the log does not stay open for ever.
func TestAnswerThatIsTooLong(t *testing.T) {
	for name, agent := range map[string]answering{
		"what is read": func(context.Context, agents.Request) (agents.Answer, error) {
			return agents.Cite([]agents.Statement{{Text: strings.Repeat("sehr lang ", 100_000), Citations: []string{"C-1"}}},
				[]agents.Beleg{{Kind: "claim", ID: "C-1", Source: "S", Fundstelle: "1"}})
		},
		"what is not": func(context.Context, agents.Request) (agents.Answer, error) {
			near := slices.Repeat([]agents.Pointer{{ID: "C-1", Text: strings.Repeat("fast ", 100)}}, 1000)
			return agents.NichtImBestand(1000).WithNearest(near...), nil
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, newMemory(), agent)
			w.queue.longest = 256 << 10
			w.start()
			w.ask("7", "Alles bitte")
			synctest.Wait()
			if got := w.net.seen("7"); len(got) != 1 || !strings.Contains(got[0], "so lang, dass ich sie nicht zustellen kann") {
				t.Errorf("%s: seen %d messages, the first %.80q", name, len(got), got)
			}
			if w.queue.openCount() != 0 {
				t.Errorf("%s: the request stays open", name)
			}
			w.end()
		})
	}
}

func TestChannelsThatEnd(t *testing.T) {
	for _, c := range []struct {
		name  string
		run   func(ctx context.Context, in channels.Deliver) error
		admin string
		state channels.State
	}{
		{"misconfigured", func(context.Context, channels.Deliver) error {
			return &channels.SendError{Class: channels.Misconfigured, Remedy: "Token prüfen.", Err: errors.New("401")}
		}, "Token prüfen.", channels.Red},
		{"panic", func(context.Context, channels.Deliver) error { panic("scripted") }, "Der Empfang ist durch einen Fehler beendet", channels.Red},
		{"nil", func(context.Context, channels.Deliver) error { return nil }, "Der Empfang ist durch einen Fehler beendet", channels.Red},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, newMemory(), echo)
				broken := newNetwork()
				broken.onRun = c.run
				w.o.Accounts = append(w.o.Accounts, gateway.Account{Name: "second", Channel: broken})
				w.start()
				synctest.Wait()
				w.ask("7", "Wann?")
				synctest.Wait()
				equal(t, "seen", w.net.seen("7"), []string{echoed("Wann?")})
				time.Sleep(time.Minute)
				synctest.Wait()
				if admin := w.net.seen("admin"); len(admin) != 1 || !strings.Contains(admin[0], c.admin) {
					t.Errorf("the administrator sees %q, want %q", admin, c.admin)
				}
				s := w.g.Status()
				if len(s.Accounts) != 2 || s.Accounts[0].Health.State != channels.Green || s.Accounts[1].Health.State != c.state {
					t.Errorf("accounts: %+v", s.Accounts)
				}
				w.end()
			})
		})
	}
}

// A network that refuses an account for a while, and an adapter that stumbles
// over something, are run again, less and less often; the account works as soon
// as it can.
func TestChannelThatEndedIsTriedAgain(t *testing.T) {
	for name, end := range map[string]func() error{
		"refused": func() error {
			return &channels.SendError{Class: channels.Misconfigured, Remedy: "Token prüfen.", Err: errors.New("401")}
		},
		"panicked": func() error { panic("scripted") },
		"returned": func() error { return nil },
	} {
		t.Run(name, func(t *testing.T) { triedAgain(t, end) })
	}
}

func triedAgain(t *testing.T, end func() error) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		refused := newNetwork()
		var tries []time.Time
		refused.onRun = func(ctx context.Context, in channels.Deliver) error {
			tries = append(tries, time.Now())
			if len(tries) < 5 {
				return end()
			}
			<-ctx.Done()
			return ctx.Err()
		}
		w.o.Accounts = append(w.o.Accounts, gateway.Account{Name: "second", Channel: refused})
		w.start()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if len(tries) != 5 {
			t.Fatalf("%d tries within two minutes, want 5", len(tries))
		}
		for i := 2; i < len(tries); i++ {
			if before, now := tries[i-1].Sub(tries[i-2]), tries[i].Sub(tries[i-1]); now < before*9/10 && now < 5*time.Second || before < 2*time.Second {
				t.Errorf("wait %d is %s after %s", i, now, before)
			}
		}
		if admin := w.net.seen("admin"); len(admin) != 1 {
			t.Errorf("the administrator sees %q, want it once", admin)
		}
		w.end()
	})
}

// Requests of an account that is not there any more stay open and hold up
// nobody.
// What belongs to an account that is not there waits for it, but not for ever.
func TestMissingAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newMemory()
		q.dieAt = 1
		w := newWorld(t, q, echo)
		w.o.Grace = time.Nanosecond
		w.start()
		w.ask("7", "Wann?")
		synctest.Wait()
		w.end()
		q = q.crash()
		for _, c := range []struct{ wait, open int }{{0, 1}, {25, 0}} {
			time.Sleep(time.Duration(c.wait) * time.Hour)
			w2 := newWorld(t, q, echo)
			w2.o.Accounts[0].Name = "renamed"
			w2.start()
			synctest.Wait()
			w2.end()
			if len(w2.net.all()) != 0 || q.openCount() != c.open {
				t.Errorf("after %d h: sent %q, %d open; want nothing sent and %d open", c.wait, w2.net.seen(""), q.openCount(), c.open)
			}
		}
	})
}

func TestNewRefuses(t *testing.T) {
	base := func() gateway.Options { return newWorld(t, newMemory(), echo).o }
	for name, edit := range map[string]func(*gateway.Options){
		"no queue":         func(o *gateway.Options) { o.Queue = nil },
		"two of one name":  func(o *gateway.Options) { o.Accounts = append(o.Accounts, o.Accounts[0]) },
		"account without":  func(o *gateway.Options) { o.Accounts[0].Name = "" },
		"no such agent":    func(o *gateway.Options) { o.Settings.Routing.Default = "data" },
		"reserved channel": func(o *gateway.Options) { o.Accounts[0].Channel = &localNetwork{newNetwork()} },
	} {
		o := base()
		edit(&o)
		if _, err := gateway.New(o); err == nil {
			t.Errorf("%s: New returns no error", name)
		}
	}
	if _, err := gateway.New(base()); err != nil {
		t.Error(err)
	}
}

type localNetwork struct{ *network }

func (*localNetwork) Kind() string { return gateway.LocalChannel }

func TestDeliverBeforeRun(t *testing.T) {
	w := newWorld(t, newMemory(), echo)
	g, err := gateway.New(w.o)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Deliver(t.Context(), w.event("7", "Wann?")); err != gateway.ErrNotRunning {
		t.Errorf("Deliver = %v, want %v", err, gateway.ErrNotRunning)
	}
	if _, err := g.Join(gateway.LocalChat{}); err != gateway.ErrNotRunning {
		t.Errorf("Join = %v, want %v", err, gateway.ErrNotRunning)
	}
}

// The conversation keeps people, chats, threads and accounts apart, whatever
// their ids look like.
func TestConversations(t *testing.T) {
	inWorld(t, echo, func(t *testing.T, w *world) {
		seen := map[string]string{}
		for _, k := range [][3]string{{"a:b", "c", "d"}, {"a", "b:c", "d"}, {"a_b", "c", "d"}, {"a", "b", "c:d"}, {"ab", "", "cd"}, {"abc", "", "d"}, {"ab", "c", "d"}, {"7", "", "77"}, {"7", "7", "7"}} {
			e := w.event(k[2], "Wann?", func(e *channels.Event) { e.Address = address(t, k[0], k[1]) })
			if err := w.g.Deliver(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			all := w.queue.envelopes()
			var conversation string
			for _, r := range all {
				if r.Cause == "net/main/"+e.Key {
					conversation = r.Conversation
				}
			}
			if other, ok := seen[conversation]; ok || conversation == "" {
				t.Errorf("%q and %q are one conversation, %q", k, other, conversation)
			}
			seen[conversation] = fmt.Sprint(k)
			synctest.Wait()
		}
	})
}

// The same event from two goroutines at once becomes one request.
func TestTheSameEventTwiceAtOnce(t *testing.T) {
	inWorld(t, echo, func(t *testing.T, w *world) {
		for i := range 50 {
			e := w.event(fmt.Sprint(i), "Wann?")
			var both sync.WaitGroup
			for range 2 {
				both.Go(func() {
					for w.g.Deliver(t.Context(), e) != nil {
						time.Sleep(time.Second)
					}
				})
			}
			both.Wait()
		}
		synctest.Wait()
		if got := len(w.net.all()); got != 50 {
			t.Errorf("%d replies to 50 questions", got)
		}
	})
}

// fragile is a network whose first Profile panics.
type fragile struct {
	*network
	asked atomic.Bool
}

func (f *fragile) Profile() formatting.Profile {
	if !f.asked.Swap(true) {
		panic("scripted")
	}
	return f.network.Profile()
}

// An event that the gateway itself stumbles over is tried three times and then
// let go, so that the channel is not held up for ever.
func TestPanicInDeliver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		w.o.Queue = stumbling{w.queue, "net/main/u:1"}
		w.start()
		w.ask("7", "Wann?")
		w.ask("7", "Und wo?")
		time.Sleep(time.Minute)
		synctest.Wait()
		w.end()
		equal(t, "seen", w.net.seen("7"), []string{echoed("Und wo?")})
		if admin := w.net.seen("admin"); len(admin) != 1 || !strings.Contains(admin[0], "dreimal") {
			t.Errorf("the administrator sees %q", admin)
		}
		if s := w.g.Status(); s.Refused[gateway.ReasonBroken] != 1 {
			t.Errorf("refused %v", s.Refused)
		}
	})
}

// stumbling is a queue that panics at one cause.
type stumbling struct {
	*memory
	at string
}

func (q stumbling) Lookup(cause string) (gateway.Envelope, bool, error) {
	if cause == q.at {
		panic("scripted")
	}
	return q.memory.Lookup(cause)
}

// A panic outside of an agent ends the one request, and the lane goes on.
func TestPanicInALane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		w.o.Accounts[0].Channel = &fragile{network: w.net}
		w.start()
		w.ask("7", "Wann?")
		w.ask("7", "Und wo?")
		synctest.Wait()
		w.end()
		equal(t, "seen", w.net.seen("7"), []string{echoed("Und wo?")})
		if admin := w.net.seen("admin"); len(admin) != 1 || !strings.Contains(admin[0], "zurückgelegt") {
			t.Errorf("the administrator sees %q", admin)
		}
		if s := w.g.Status(); s.Ends[gateway.EndParked] != 1 || w.queue.openCount() != 0 {
			t.Errorf("ends %v, %d open", s.Ends, w.queue.openCount())
		}
	})
}
