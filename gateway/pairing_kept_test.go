package gateway_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"outheis/agents"
	"outheis/gateway"
	"outheis/store"
)

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
