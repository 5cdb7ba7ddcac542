package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/formatting"
	"outheis/gateway"
	"outheis/relay"
	"outheis/store"
)

func TestAsk(t *testing.T) {
	inWorld(t, func(ctx context.Context, r agents.Request) (agents.Answer, error) {
		if r.Text == "kaputt" {
			return agents.Answer{}, errors.New("scripted")
		}
		if r.Text == "fehlt" {
			return agents.NichtImBestand(3), nil
		}
		return echo(ctx, r)
	}, func(t *testing.T, w *world) {
		for _, c := range []struct {
			text   string
			status agents.Status
			notice gateway.Reason
			want   string
		}{
			{"Wann?", agents.StatusOK, "", echoed("Wann?")},
			{"fehlt", agents.StatusNotFound, "", "Nicht im Bestand. Alle 3 Claims"},
			{"kaputt", agents.StatusFailed, "", "Die Frage konnte ich wegen eines Fehlers"},
			{"Hilfe", "", "", "Schreiben Sie Ihre Frage"},
			{strings.Repeat("x", 5000), "", gateway.ReasonTooLong, "Die Nachricht ist zu lang."},
			{"stop", "", "", "Es läuft gerade keine Frage."},
		} {
			a, err := w.g.Ask(t.Context(), gateway.LocalChat{}, c.text)
			if err != nil || a.Status != c.status || a.Notice != c.notice || a.End != gateway.EndSent || len(a.Reply.Parts) != 1 || !strings.HasPrefix(a.Reply.Parts[0].Plain, c.want) {
				t.Errorf("Ask(%.20q) = %+v, %v; want %q, %q", c.text, a, err, c.status, c.want)
			}
		}
		if _, err := w.g.Ask(t.Context(), gateway.LocalChat{Look: "neon"}, "Wann?"); err == nil {
			t.Error("Ask with an unknown look returns no error")
		}
	})
}

// The owner has no quota and is an administrator; nobody else gets into the
// owner's conversations.
func TestLocalIsTheOwner(t *testing.T) {
	var roles []agents.Role
	inWorld(t, func(ctx context.Context, r agents.Request) (agents.Answer, error) {
		roles = append(roles, r.Role)
		return echo(ctx, r)
	}, func(t *testing.T, w *world) {
		for i := range 30 {
			a, err := w.g.Ask(t.Context(), gateway.LocalChat{Name: "a"}, fmt.Sprintf("Frage %d", i))
			if err != nil || a.Status != agents.StatusOK {
				t.Fatalf("question %d: %+v, %v", i, a, err)
			}
		}
		if roles[0] != agents.RoleAdmin {
			t.Errorf("the owner asks as %q", roles[0])
		}
		e := w.event("7", "Wann?")
		e.Address = localAddress(t)
		w.net.in <- e
		synctest.Wait()
		if got := w.g.Status().Refused[gateway.ReasonKind]; got != 1 {
			t.Errorf("an adapter speaks for the owner: refused %v", w.g.Status().Refused)
		}
	})
}

// A question outlives its session and the process; who joins again sees the
// reply.
func TestSessionAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newMemory()
		w := newWorld(t, q, taking(time.Hour))
		w.start()
		s, err := w.g.Join(gateway.LocalChat{Name: "wohnzimmer"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.g.Join(gateway.LocalChat{Name: "wohnzimmer"}); !errors.Is(err, gateway.ErrJoined) {
			t.Errorf("second Join = %v, want %v", err, gateway.ErrJoined)
		}
		id, err := s.Say(t.Context(), "Wann?")
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		w.end()
		if _, err := s.Say(t.Context(), "Und?"); !errors.Is(err, gateway.ErrStopping) {
			t.Errorf("Say behind the end = %v, want %v", err, gateway.ErrStopping)
		}
		s.Close()

		w2 := newWorld(t, q.crash(), echo)
		w2.start()
		synctest.Wait()
		s, err = w2.g.Join(gateway.LocalChat{Name: "wohnzimmer"})
		if err != nil {
			t.Fatal(err)
		}
		e, err := s.Next(t.Context())
		if err != nil || e.Request != id || !strings.HasPrefix(e.Reply.Parts[0].Plain, echoed("Wann?")) {
			t.Errorf("Next = %+v, %v", e, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if e, err := s.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Next = %+v, %v; want nothing more", e, err)
		}
		s.Close()
		w2.end()
	})
}

// A session that does not read gets no more than it can keep, and holds up
// nobody; what it did not get comes when it reads again.
func TestSessionThatDoesNotRead(t *testing.T) {
	inWorld(t, echo, func(t *testing.T, w *world) {
		s, err := w.g.Join(gateway.LocalChat{Name: "a"})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for i := range 300 {
			if _, err := s.Say(t.Context(), fmt.Sprint(i)); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		w.ask("7", "Wann?")
		synctest.Wait()
		equal(t, "seen by others", w.net.seen("7"), []string{echoed("Wann?")})
		seen := 0
		for seen < 300 {
			e, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(e.Reply.Parts) > 0 {
				if line, _, _ := strings.Cut(e.Reply.Parts[0].Plain, "\n"); line != echoed(fmt.Sprint(seen)) {
					t.Fatalf("message %d is %q", seen, line)
				}
				seen++
			}
		}
	})
}

// Whoever waits for an answer hears of it when the request goes wrong in a way
// that leaves nothing to send.
func TestAskWhatGoesWrong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), func(context.Context, agents.Request) (agents.Answer, error) {
			return agents.Ask("Wie?"), nil
		})
		broken := errors.New("scripted")
		q := &unreadable{memory: w.queue}
		w.o.Queue = q
		w.start()
		for name, prepare := range map[string]func(){
			"the queue takes no reply": func() { q.refuseReplies(broken) },
			"a step panics":            func() { q.refuseReplies(nil) },
		} {
			prepare()
			a, err := w.g.Ask(t.Context(), gateway.LocalChat{}, "Wann?")
			if err != nil || a.End != gateway.EndParked || a.Status != agents.StatusFailed {
				t.Errorf("%s: Ask = %+v, %v; want the status %s", name, a, err, agents.StatusFailed)
			}
		}
		w.end()
	})
}

// unreadable is a queue that refuses replies for good, or panics with them.
type unreadable struct {
	*memory
	why error
}

func (q *unreadable) refuseReplies(why error) { q.why = why }

func (q *unreadable) AppendAll(ctx context.Context, es []gateway.Envelope) ([]gateway.Envelope, error) {
	for _, e := range es {
		if len(e.Payload.Reply.Parts) > 0 {
			if q.why == nil {
				panic("scripted")
			}
			return nil, fmt.Errorf("%w: %w", store.ErrTooLong, q.why)
		}
	}
	return q.memory.AppendAll(ctx, es)
}

func TestLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		w.o.Local = map[string]relay.Target{
			"":     {Profile: formatting.Plain(formatting.PlainOptions{})},
			"ansi": {Profile: formatting.Terminal(formatting.TerminalOptions{Color: true})},
		}
		w.start()
		for look, want := range map[string]bool{"": false, "ansi": true} {
			a, err := w.g.Ask(t.Context(), gateway.LocalChat{Look: look}, "Wann?")
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(a.Reply.Parts[0].Text, "\x1b["); got != want {
				t.Errorf("look %q: escape sequences %v, want %v: %q", look, got, want, a.Reply.Parts[0].Text)
			}
		}
		w.end()
	})
}

func localAddress(t *testing.T) channels.Address {
	t.Helper()
	a, err := channels.NewAddress(gateway.LocalChannel, "control", "a", "", "")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Whoever types a command with its slash gives it, and a path is a question.
func TestTypedCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		w.start()
		for _, c := range []struct{ text, want string }{
			{"/tresor Wann?", "Zu: Wann? [C-0001]"},
			{"/belege 1", "BELEG 1: C-0001"},
			{"/sprache en", "Fine, I will answer you in English"},
			{"/stopp", "There is no question under way."},
			{"/etc/hosts ist leer?", "Zu: /etc/hosts ist leer? [C-0001]"},
			{"/tmp ist voll?", "Zu: /tmp ist voll? [C-0001]"},
		} {
			a, err := w.g.Ask(t.Context(), gateway.LocalChat{Name: "a"}, c.text)
			if err != nil || len(a.Reply.Parts) != 1 || !strings.HasPrefix(strings.ToUpper(a.Reply.Parts[0].Plain), strings.ToUpper(c.want)) {
				t.Errorf("%q: %v, %+v; want %q", c.text, err, a.Reply.Parts, c.want)
			}
		}
		w.end()
	})
}
