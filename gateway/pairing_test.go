package gateway_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/gateway"
)

var mainAccount = gateway.AccountID{Channel: "net", Account: "main"}

// pairingWorld is a world in which person 1 may ask, person 3 is blocked, group -1
// is for everybody, and strangers get codes as how says.
func pairingWorld(t testing.TB, how gateway.Pairing) *world {
	w := newWorld(t, newMemory(), echo)
	w.o.Settings.Policy.Access[mainAccount] = gateway.Access{
		People:  map[string]agents.Role{"1": agents.RoleAdmin, "3": "blocked"},
		Groups:  map[string]gateway.Group{"-1": {People: map[string]agents.Role{"5": agents.RoleUser}, Commands: []string{"link", "unlink"}}},
		Pairing: how,
	}
	return w
}

// inPairing runs f in false time.
func inPairing(t *testing.T, how gateway.Pairing, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := pairingWorld(t, how).start()
		f(t, w)
		synctest.Wait()
		if err := w.end(); err != context.Canceled {
			t.Errorf("Run = %v", err)
		}
	})
}

var codeIn = regexp.MustCompile(`[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}`)

// codeFor returns the last code that was shown in a chat, or "".
func (w *world) codeFor(chat string) string {
	synctest.Wait()
	code := ""
	for _, s := range w.net.all() {
		if m := codeIn.FindString(s.text); m != "" && s.chat == chat {
			code = m
		}
	}
	return code
}

func inRoom(t testing.TB) func(*channels.Event) { return inGroup(t, "-1") }

// T5: a stranger gets a code in a chat of two, once, and is let in when the owner
// confirms it.
func TestPairing(t *testing.T) {
	inPairing(t, gateway.PairingAlways, func(t *testing.T, w *world) {
		w.ask("7", "Wann?")
		code := w.codeFor("7")
		if len(code) != 9 {
			t.Fatalf("seen %q, want a code", w.net.seen("7"))
		}
		w.ask("7", "Hallo?")
		synctest.Wait()
		if got := w.net.seen("7"); len(got) != 1 {
			t.Errorf("seen %q, want one message", got)
		}
		if p := w.g.Pairings(); len(p.Pending) != 1 || p.Pending[0].Person != "7" || p.Pending[0].Name != "Ole" || p.Pending[0].Until.Sub(p.Pending[0].At) != 10*time.Minute || len(p.Accounts) != 1 || p.Accounts[0] != "net/main" {
			t.Errorf("Pairings = %+v", p)
		}
		got, err := w.g.Pair(t.Context(), " "+strings.ToLower(strings.ReplaceAll(code, "-", " ")))
		if err != nil || got.Person != "7" || got.Account != "main" || got.Channel != "net" || got.By == "" || got.Since.IsZero() {
			t.Fatalf("Pair = %+v, %v", got, err)
		}
		synctest.Wait()
		w.ask("7", "Wann?")
		synctest.Wait()
		seen := w.net.seen("7")
		equal(t, "seen", seen[1:], []string{"Sie sind freigeschaltet und können hier fragen. „Hilfe“ zeigt, was ich kann.", echoed("Wann?")})
		if p := w.g.Pairings(); len(p.Pending) != 0 || len(p.Paired) != 1 {
			t.Errorf("Pairings = %+v", p)
		}
		if err := w.g.Unpair(t.Context(), mainAccount, "7"); err != nil {
			t.Error(err)
		}
		if err := w.g.Unpair(t.Context(), mainAccount, "7"); err != gateway.ErrNotPaired {
			t.Errorf("second Unpair = %v", err)
		}
		w.ask("7", "Wann?")
		synctest.Wait()
		if got := w.net.seen("7"); len(got) != len(seen) {
			t.Errorf("behind Unpair: seen %q", got)
		}
	})
}

// T5: who gets no code, and no other word either.
func TestNoCodeIsOffered(t *testing.T) {
	group := inRoom(t)
	for _, c := range []struct {
		name  string
		how   gateway.Pairing
		who   string
		edits []func(*channels.Event)
	}{
		{"pairing is off", gateway.NoPairing, "7", nil},
		{"no window was opened", gateway.PairingInWindow, "7", nil},
		{"a word that we do not know", "open", "7", nil},
		{"in a group", gateway.PairingAlways, "7", []func(*channels.Event){group}},
		{"in a group that is not listed", gateway.PairingAlways, "7", []func(*channels.Event){inGroup(t, "-9")}},
		{"in a broadcast", gateway.PairingAlways, "7", []func(*channels.Event){group, func(e *channels.Event) { e.Audience = channels.Broadcast }}},
		{"blocked", gateway.PairingAlways, "3", nil},
		{"a bot", gateway.PairingAlways, "7", []func(*channels.Event){actor(channels.Bot, "7")}},
		{"a webhook", gateway.PairingAlways, "7", []func(*channels.Event){actor(channels.Webhook, "7")}},
		{"nobody in particular", gateway.PairingAlways, "7", []func(*channels.Event){actor(channels.System, "7")}},
		{"without an id", gateway.PairingAlways, "7", []func(*channels.Event){from("")}},
		{"everybody", gateway.PairingAlways, "7", []func(*channels.Event){from(gateway.Everybody)}},
		{"an edit", gateway.PairingAlways, "7", []func(*channels.Event){func(e *channels.Event) { e.Kind = channels.KindEdit }}},
		{"a reaction", gateway.PairingAlways, "7", []func(*channels.Event){func(e *channels.Event) { e.Kind = channels.KindReaction }}},
		{"a button", gateway.PairingAlways, "7", []func(*channels.Event){func(e *channels.Event) { e.Kind = channels.KindButton }}},
		{"a message of an hour ago", gateway.PairingAlways, "7", []func(*channels.Event){func(e *channels.Event) { e.At = e.At.Add(-time.Hour) }}},
		{"somebody who may ask", gateway.PairingAlways, "1", nil},
	} {
		inPairing(t, c.how, func(t *testing.T, w *world) {
			w.ask(c.who, "Wann?", c.edits...)
			synctest.Wait()
			for _, s := range w.net.all() {
				if c.who != "1" || codeIn.MatchString(s.text) {
					t.Errorf("%s: seen %q", c.name, s.text)
				}
			}
			if p := w.g.Pairings(); len(p.Pending)+len(p.Paired) != 0 {
				t.Errorf("%s: %+v", c.name, p)
			}
		})
	}
}

// channels.md S9: silent unless the owner opened the window, and then once a
// person, as long as the code is good.
func TestPairingWindow(t *testing.T) {
	inPairing(t, gateway.PairingInWindow, func(t *testing.T, w *world) {
		counts := func(what string, want int) {
			t.Helper()
			w.ask("7", "Hallo?")
			synctest.Wait()
			if got := len(w.net.seen("7")); got != want {
				t.Errorf("%s: %d messages, want %d", what, got, want)
			}
		}
		counts("closed", 0)
		until, err := w.g.OpenPairing(t.Context(), 0)
		if err != nil || time.Until(until) != 10*time.Minute {
			t.Fatalf("OpenPairing = %v, %v", until, err)
		}
		counts("open", 1)
		counts("open, again", 1)
		time.Sleep(11 * time.Minute)
		counts("over", 1)
		if _, err := w.g.OpenPairing(t.Context(), time.Hour); err != nil {
			t.Fatal(err)
		}
		counts("open anew", 2)
		time.Sleep(15 * time.Minute)
		counts("the code is over, the window is not", 3)
		counts("and again", 3)
		if _, err := w.g.OpenPairing(t.Context(), -1); err != nil {
			t.Fatal(err)
		}
		if p := w.g.Pairings(); !p.Until.IsZero() {
			t.Errorf("closed: %+v", p)
		}
		w.ask("8", "Hallo?")
		synctest.Wait()
		equal(t, "seen by another", w.net.seen("8"), nil)
	})
	inPairing(t, gateway.NoPairing, func(t *testing.T, w *world) {
		if _, err := w.g.OpenPairing(t.Context(), 0); err != gateway.ErrNoPairing {
			t.Errorf("OpenPairing where no account allows it = %v", err)
		}
	})
}

// T5, GHSA-2gvc-4f3c-2855: who was let in directly has no right in a room.
func TestPairingOpensNoGroup(t *testing.T) {
	inPairing(t, gateway.PairingAlways, func(t *testing.T, w *world) {
		w.ask("7", "Hallo?")
		if _, err := w.g.Pair(t.Context(), w.codeFor("7")); err != nil {
			t.Fatal(err)
		}
		for _, edits := range [][]func(*channels.Event){{inRoom(t)}, {inGroup(t, "-9")}, {inRoom(t), command("tresor", "Wann?")}} {
			w.ask("7", "Wann?", edits...)
		}
		synctest.Wait()
		equal(t, "seen in rooms", append(w.net.seen("-1"), w.net.seen("-9")...), nil)
	})
}

// The configuration goes before a code.
func TestConfigurationGoesBeforeACode(t *testing.T) {
	inPairing(t, gateway.PairingAlways, func(t *testing.T, w *world) {
		change := func(f func(*gateway.Access)) {
			t.Helper()
			s := w.o.Settings
			a := s.Policy.Access[mainAccount]
			f(&a)
			s.Policy.Access = map[gateway.AccountID]gateway.Access{mainAccount: a}
			if err := w.g.Reload(s); err != nil {
				t.Fatal(err)
			}
		}
		w.ask("7", "Hallo?")
		code := w.codeFor("7")
		change(func(a *gateway.Access) { a.People = map[string]agents.Role{"7": "blocked"} })
		if _, err := w.g.Pair(t.Context(), code); err != gateway.ErrNamed {
			t.Errorf("Pair of somebody who was blocked meanwhile = %v", err)
		}
		w.ask("8", "Hallo?")
		code = w.codeFor("8")
		change(func(a *gateway.Access) { a.Pairing = gateway.NoPairing })
		if _, err := w.g.Pair(t.Context(), code); err != gateway.ErrWrongCode {
			t.Errorf("Pair where pairing was switched off meanwhile = %v", err)
		}
		change(func(*gateway.Access) {})
		w.ask("9", "Hallo?")
		if _, err := w.g.Pair(t.Context(), w.codeFor("9")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		before := len(w.net.seen("9"))
		change(func(a *gateway.Access) { a.People = map[string]agents.Role{"9": "blocked"} })
		w.ask("9", "Wann?")
		synctest.Wait()
		if got := w.net.seen("9"); len(got) != before {
			t.Errorf("blocked behind pairing: seen %q", got)
		}
		change(func(a *gateway.Access) { a.Pairing = gateway.NoPairing })
		w.ask("9", "Wann?")
		synctest.Wait()
		if got := w.net.seen("9"); len(got) != before+1 {
			t.Errorf("paired, and nobody else can be: seen %q", got)
		}
		s := w.o.Settings
		s.Policy.Access = nil
		if err := w.g.Reload(s); err != nil {
			t.Fatal(err)
		}
		w.ask("9", "Wann?")
		synctest.Wait()
		if got := w.net.seen("9"); len(got) != before+1 {
			t.Errorf("paired at an account that answers nobody: seen %q", got)
		}
	})
}
