package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/gateway"
	"outheis/store"
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

// Accounts that ask for codes again and again keep nobody out who has had none, and
// take nobody's first code away; administrators are told, once a day, when there is
// no room.
func TestNuisancesKeepNobodyOut(t *testing.T) {
	inPairing(t, gateway.PairingAlways, func(t *testing.T, w *world) {
		nuisances := []string{"21", "22", "23", "24"}
		crowd := func() {
			for _, who := range nuisances {
				w.ask(who, "Hallo?")
				synctest.Wait()
				time.Sleep(time.Second)
			}
		}
		told := func() int {
			n := 0
			for _, s := range w.net.all() {
				if s.chat == "admin" && strings.Contains(s.text, "outheis channels whoami") {
					n++
				}
			}
			return n
		}
		crowd()
		w.ask("7", "Hallo?")
		if code := w.codeFor("7"); code != "" {
			t.Error("the first code of somebody gave way")
		}
		if told() != 1 {
			t.Errorf("administrators were told %d times, want once", told())
		}
		time.Sleep(61 * time.Minute)
		crowd()
		w.ask("7", "Hallo?")
		code := w.codeFor("7")
		if code == "" {
			t.Fatal("who has had no code is kept out by those who have")
		}
		crowd()
		if p := w.g.Pairings().Pending; len(p) != 3 {
			t.Errorf("%d codes wait, want 3", len(p))
		}
		if who, err := w.g.Pair(t.Context(), code); err != nil || who.Person != "7" {
			t.Errorf("Pair = %v, %v", who, err)
		}
		if told() != 1 {
			t.Errorf("administrators were told %d times, want once", told())
		}
	})
}

// T5: three pending requests of one account, and no more.
func TestPendingRequestsAreCapped(t *testing.T) {
	inPairing(t, gateway.PairingAlways, func(t *testing.T, w *world) {
		for i := range 50 {
			w.ask(fmt.Sprint(100+i), "Hallo?")
		}
		synctest.Wait()
		got := 0
		for _, s := range w.net.all() {
			if s.chat != "admin" {
				got++
			}
		}
		if got != 3 || len(w.g.Pairings().Pending) != 3 {
			t.Errorf("%d codes were told, %d wait; want 3", got, len(w.g.Pairings().Pending))
		}
		time.Sleep(10 * time.Minute)
		w.ask("200", "Hallo?")
		if w.codeFor("200") == "" {
			t.Error("no code when the others are over")
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

// T5: a code is over after ten minutes, and good for one use.
func TestCodeIsGoodOnceAndForAWhile(t *testing.T) {
	inPairing(t, gateway.PairingAlways, func(t *testing.T, w *world) {
		w.ask("7", "Hallo?")
		code := w.codeFor("7")
		time.Sleep(10 * time.Minute)
		if _, err := w.g.Pair(t.Context(), code); err != gateway.ErrWrongCode {
			t.Errorf("Pair with a code that is over = %v", err)
		}
		w.ask("8", "Hallo?")
		code = w.codeFor("8")
		if _, err := w.g.Pair(t.Context(), code); err != nil {
			t.Fatal(err)
		}
		if _, err := w.g.Pair(t.Context(), code); err != gateway.ErrWrongCode {
			t.Errorf("Pair with a used code = %v", err)
		}
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

// T5: guessing gets nowhere, however long it goes on.
func TestGuessingCodes(t *testing.T) {
	inPairing(t, gateway.PairingAlways, func(t *testing.T, w *world) {
		r := rand.New(rand.NewPCG(1, 2))
		const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
		judged, paused := 0, 0
		for i := range 100_000 {
			if i%1000 == 0 {
				w.ask("7", "Hallo?") // so that there is something to guess
				time.Sleep(time.Hour)
			}
			b := make([]byte, 8)
			for j := range b {
				b[j] = alphabet[r.IntN(len(alphabet))]
			}
			_, err := w.g.Pair(t.Context(), string(b))
			var p *gateway.PausedError
			switch {
			case errors.As(err, &p):
				paused++
				if d := time.Until(p.Until); d <= 0 || d > time.Hour {
					t.Fatalf("pause of %v", d)
				}
			case err == gateway.ErrWrongCode:
				judged++
			default:
				t.Fatalf("Pair = %v", err)
			}
		}
		if judged != 400 || paused != 99_600 {
			t.Errorf("%d tries were judged and %d were not, want 4 an hour and then a pause", judged, paused)
		}
		if p := w.g.Pairings(); len(p.Paired) != 0 || p.Paused.IsZero() {
			t.Errorf("%+v", p)
		}
		w.ask("8", "Hallo?")
		time.Sleep(time.Minute)
		if _, err := w.g.Pair(t.Context(), w.codeFor("8")); !errors.As(err, new(*gateway.PausedError)) {
			t.Errorf("the right code in the pause: %v", err)
		}
		time.Sleep(time.Hour)
		w.ask("9", "Hallo?")
		if _, err := w.g.Pair(t.Context(), w.codeFor("9")); err != nil {
			t.Errorf("the right code behind the pause: %v", err)
		}
	})
}

// T5: of those who use a code at the same time one has used it.
func TestRaceForACode(t *testing.T) {
	inPairing(t, gateway.PairingAlways, func(t *testing.T, w *world) {
		w.ask("7", "Hallo?")
		code := w.codeFor("7")
		var wg sync.WaitGroup
		var mu sync.Mutex
		won := 0
		for range 4 {
			wg.Go(func() {
				if _, err := w.g.Pair(t.Context(), code); err == nil {
					mu.Lock()
					won++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if won != 1 || len(w.g.Pairings().Paired) != 1 {
			t.Errorf("%d have used the code, %d people are in", won, len(w.g.Pairings().Paired))
		}
	})
}

// human opens a human directory of its own.
func human(t testing.TB, dir string) *store.Human {
	t.Helper()
	h, err := store.Open(dir, store.Options{Holder: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// T5: between the code and its confirmation the process may end; who was let in
// stays in, and what people can read and edit says so.
func TestPairingSurvivesARestart(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		begin := func() (*world, func()) {
			h := human(t, dir)
			w := pairingWorld(t, gateway.PairingAlways)
			w.o.Roster = h.Doc(gateway.RosterFile, store.DocOptions{})
			w.start()
			return w, func() {
				synctest.Wait()
				w.end()
				if err := h.Close(); err != nil {
					t.Error(err)
				}
			}
		}
		w, end := begin()
		w.ask("7", "Hallo?")
		code := w.codeFor("7")
		for range 4 {
			if _, err := w.g.Pair(t.Context(), "AAAAAAAA"); err != gateway.ErrWrongCode {
				t.Error(err)
			}
		}
		end()
		time.Sleep(time.Minute)
		w, end = begin()
		if _, err := w.g.Pair(t.Context(), code); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			w.g.Pair(t.Context(), "AAAAAAAA")
		}
		end()
		time.Sleep(time.Minute)
		w, end = begin()
		if _, err := w.g.Pair(t.Context(), code); !errors.As(err, new(*gateway.PausedError)) {
			t.Errorf("a restart ends the pause: %v", err)
		}
		w.ask("7", "Wann?")
		synctest.Wait()
		equal(t, "seen", w.net.seen("7"), []string{echoed("Wann?")})
		end()
	})
	b, err := os.ReadFile(filepath.Join(dir, gateway.RosterFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"v": 1`, `"person": "7"`, `"by": "owner"`, `"since": "`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%s lacks %q:\n%s", gateway.RosterFile, want, b)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, gateway.RosterFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v; want mode 0600", info.Mode(), err)
	}
}

// An event that comes again, because the process ended before it was in the log,
// is told of the same code.
func TestCodeIsToldAgainWithItsEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := pairingWorld(t, gateway.PairingAlways).start()
		e := w.event("7", "Hallo?")
		w.queue.setFail(store.ErrDegraded)
		if err := w.g.Deliver(t.Context(), e); err == nil {
			t.Fatal("Deliver took an event that could not be written")
		}
		if p := w.g.Pairings().Pending; len(p) != 1 {
			t.Fatalf("pending %+v", p)
		}
		w.queue.setFail(nil)
		if err := w.g.Deliver(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		if _, err := w.g.Pair(t.Context(), w.codeFor("7")); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		w.end()
	})
}

// Records that nobody can read let nobody in, at start and with a reload, whose
// settings are in force at once all the same. They are not overwritten, hold up no
// message, and administrators are told.
func TestDamagedRoster(t *testing.T) {
	for name, content := range map[string]string{"no JSON": "{", "a later version": `{"v":2,"paired":[]}`, "another form": `{"v":1,"paired":{"a":1}}`, "a code that is none": `{"v":1,"codes":[{"code":"ABC"}]}`} {
		dir := t.TempDir()
		h := human(t, dir)
		path := filepath.Join(dir, gateway.RosterFile)
		w := pairingWorld(t, gateway.PairingAlways)
		w.o.Roster = h.Doc(gateway.RosterFile, store.DocOptions{})
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		g, err := gateway.New(w.o)
		if err != nil {
			t.Errorf("%s: New = %v", name, err)
		} else if bad := g.Damaged(); len(bad) != 1 || bad[0].Name != gateway.RosterFile {
			t.Errorf("%s: New finds %v", name, bad)
		}
		paired := `{"v":1,"paired":[{"channel":"net","account":"main","person":"7"}]}`
		if err := os.WriteFile(path, []byte(paired), 0o600); err != nil {
			t.Fatal(err)
		}
		w.start()
		if err := w.g.Deliver(t.Context(), w.event("7", "Wann?")); err != nil || len(w.queue.envelopes()) == 0 {
			t.Errorf("%s: who was paired is not answered: %v", name, err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		next := w.o.Settings
		next.Policy.Access = maps.Clone(next.Policy.Access)
		a := next.Policy.Access[mainAccount]
		a.People = map[string]agents.Role{"5": agents.RoleUser}
		next.Policy.Access[mainAccount] = a
		if err := w.g.Reload(next); err != nil {
			t.Errorf("%s: Reload = %v", name, err)
		}
		taken := func(person string) bool {
			refused := w.g.Status().Refused[gateway.ReasonSender]
			if err := w.g.Deliver(t.Context(), w.event(person, "Wann?")); err != nil {
				t.Errorf("%s: Deliver = %v", name, err)
			}
			return w.g.Status().Refused[gateway.ReasonSender] == refused
		}
		if !taken("5") || taken("6") || taken("7") {
			t.Errorf("%s: the allow-list of the reload is not in force, or somebody else is let in", name)
		}
		told := false
		for _, e := range w.queue.envelopes() {
			told = told || e.Intent == "notice.admin" && strings.Contains(e.Payload.Text, gateway.RosterFile)
		}
		if !told {
			t.Errorf("%s: no administrator is told", name)
		}
		if err := w.g.Deliver(t.Context(), w.event("7", "Hallo?")); err != nil {
			t.Errorf("%s: Deliver = %v", name, err)
		}
		if _, err := w.g.Pair(t.Context(), "AAAAAAAA"); err == nil || err == gateway.ErrWrongCode {
			t.Errorf("%s: Pair = %v", name, err)
		}
		w.end()
		if b, err := os.ReadFile(path); err != nil || string(b) != content {
			t.Errorf("%s: the file is now %q, %v", name, b, err)
		}
		h.Close()
	}
}

// The control socket is how the owner confirms.
func TestPairingThroughTheControlSocket(t *testing.T) {
	dir := t.TempDir()
	w := served(t, dir, echo)
	s := w.o.Settings
	s.Policy.Access = map[gateway.AccountID]gateway.Access{mainAccount: {Pairing: gateway.PairingInWindow}}
	if err := w.g.Reload(s); err != nil {
		t.Fatal(err)
	}
	until, err := dial(t, dir).OpenPairing(t.Context(), time.Minute)
	if d := time.Until(until); err != nil || d <= 0 || d > time.Minute {
		t.Fatalf("OpenPairing = %v, %v", until, err)
	}
	w.ask("7", "Hallo?")
	var code string
	for code == "" {
		for _, seen := range w.net.all() {
			code = codeIn.FindString(seen.text)
		}
	}
	p, err := dial(t, dir).Pairings(t.Context())
	if err != nil || len(p.Pending) != 1 || p.Pending[0].Person != "7" || p.Until.IsZero() {
		t.Errorf("Pairings = %+v, %v", p, err)
	}
	for _, c := range []struct {
		d    time.Duration
		open bool
	}{{-1, false}, {1, true}, {-time.Hour, false}, {0, true}, {-1, false}} { // a nanosecond closes it as well
		if _, err := dial(t, dir).OpenPairing(t.Context(), c.d); err != nil {
			t.Error(err)
		}
		if p, err := dial(t, dir).Pairings(t.Context()); err != nil || p.Until.IsZero() == c.open {
			t.Errorf("OpenPairing(%d): open until %v, %v; want open %v", c.d, p.Until, err, c.open)
		}
	}
	if _, err := dial(t, dir).Pair(t.Context(), "AAAAAAAA"); err != gateway.ErrWrongCode {
		t.Errorf("Pair with a wrong code = %v", err)
	}
	if got, err := dial(t, dir).Pair(t.Context(), code); err != nil || got.Person != "7" {
		t.Errorf("Pair = %+v, %v", got, err)
	}
	if err := dial(t, dir).Unpair(t.Context(), mainAccount, "8"); err != gateway.ErrNotPaired {
		t.Errorf("Unpair of somebody else = %v", err)
	}
	if err := dial(t, dir).Unpair(t.Context(), mainAccount, "7"); err != nil {
		t.Errorf("Unpair = %v", err)
	}
	for range 5 {
		_, err = dial(t, dir).Pair(t.Context(), "AAAAAAAA")
	}
	if paused := new(gateway.PausedError); !errors.As(err, &paused) || time.Until(paused.Until) < 59*time.Minute {
		t.Errorf("the fifth wrong code: %v", err)
	}
}
