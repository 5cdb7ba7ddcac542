package gateway_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/gateway"
	"outheis/store"
)

var secondAccount = gateway.AccountID{Channel: "net", Account: "second"}

// A pair of accounts, both of which answer everybody directly.
type twoAccounts struct {
	*world
	second *network
}

func inTwoAccounts(t *testing.T, f func(t *testing.T, w *twoAccounts)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &twoAccounts{newWorld(t, newMemory(), echo), newNetwork()}
		w.o.Accounts = append(w.o.Accounts, gateway.Account{Name: "second", Channel: w.second})
		a := w.o.Settings.Policy.Access
		a[secondAccount] = a[mainAccount]
		for id, one := range a {
			one.Groups = map[string]gateway.Group{"-1": {People: one.People, Commands: []string{"link", "unlink"}}}
			a[id] = one
		}
		w.o.Settings.Policy.Limits = gateway.Limits{Burst: 10_000, Daily: 10_000}
		w.start()
		f(t, w)
		synctest.Wait()
		if err := w.end(); err != context.Canceled {
			t.Errorf("Run = %v", err)
		}
	})
}

// says delivers a message at an account and returns the last that is seen there.
func (w *twoAccounts) says(account gateway.AccountID, who, text string, edits ...func(*channels.Event)) string {
	w.t.Helper()
	to, err := channels.NewAddress(account.Channel, account.Account, who, "", "")
	if err != nil {
		w.t.Fatal(err)
	}
	e := w.event(who, text, func(e *channels.Event) { e.Address = to })
	for _, edit := range edits {
		edit(&e)
	}
	if err := w.g.Deliver(w.t.Context(), e); err != nil {
		w.t.Fatal(err)
	}
	synctest.Wait()
	net := w.net
	if account == secondAccount {
		net = w.second
	}
	seen := net.seen(e.Address.Chat())
	if len(seen) == 0 {
		return ""
	}
	return seen[len(seen)-1]
}

func (w *twoAccounts) together(a gateway.AccountID, who string, b gateway.AccountID, other string) bool {
	return w.g.PersonOf(a, who) == w.g.PersonOf(b, other)
}

func TestLinkTwoAccounts(t *testing.T) {
	inTwoAccounts(t, func(t *testing.T, w *twoAccounts) {
		if w.together(mainAccount, "7", secondAccount, "7") {
			t.Error("accounts are one person's without a code, because their ids are alike")
		}
		alone := w.g.PersonOf(secondAccount, "8")
		code := codeIn.FindString(w.says(mainAccount, "7", "", command("verbinden", "")))
		if code == "" {
			t.Fatal("no code")
		}
		if got := w.says(mainAccount, "7", "verbinden "+code); !strings.HasPrefix(got, "Diese Konten gehören schon zusammen.") {
			t.Errorf("where the code was said: %q", got)
		}
		if got := w.says(secondAccount, "8", "/verbinden "+strings.ToLower(code)); !strings.HasPrefix(got, "Dieses Konto ist jetzt mit Ihrem Konto bei net/main verbunden.") {
			t.Errorf("at the other account: %q", got)
		}
		seen := w.net.seen("7")
		if got := seen[len(seen)-1]; !strings.HasPrefix(got, "Dieses Konto ist jetzt mit Ihrem Konto bei net/second verbunden.") {
			t.Errorf("where the code was said: %q", got)
		}
		if !w.together(mainAccount, "7", secondAccount, "8") || w.together(mainAccount, "7", secondAccount, "7") {
			t.Error("the wrong accounts are one person's")
		}
		if got := w.says(secondAccount, "9", "", command("link", code)); !strings.HasPrefix(got, "Diesen Code gibt es nicht") {
			t.Errorf("a used code: %q", got)
		}
		if got := w.says(secondAccount, "8", "/trennen"); got != "Dieses Konto ist wieder für sich." {
			t.Errorf("parted: %q", got)
		}
		if w.together(mainAccount, "7", secondAccount, "8") || w.g.PersonOf(secondAccount, "8") != alone {
			t.Error("a parted account is not what it was before")
		}
		if got := w.says(secondAccount, "8", "trennen"); !strings.HasPrefix(got, "Dieses Konto ist mit keinem anderen verbunden.") {
			t.Errorf("parted again: %q", got)
		}
	})
}

// A code in a group would be everybody's.
func TestNoLinkInAGroup(t *testing.T) {
	inTwoAccounts(t, func(t *testing.T, w *twoAccounts) {
		code := codeIn.FindString(w.says(mainAccount, "7", "", command("verbinden", "")))
		room := func(account string) func(*channels.Event) {
			a, err := channels.NewAddress("net", account, "-1", "", "")
			if err != nil {
				t.Fatal(err)
			}
			return func(e *channels.Event) { e.Address, e.Audience = a, channels.Group }
		}
		for _, text := range []string{"/verbinden", "verbinden " + code, "/trennen"} {
			w.says(mainAccount, "7", text, room("main"))
			w.says(secondAccount, "8", text, room("second"))
		}
		w.says(mainAccount, "7", "", room("main"), command("link", ""))
		w.says(secondAccount, "8", "", room("second"), command("verbinden", code))
		equal(t, "seen in groups", append(w.net.seen("-1"), w.second.seen("-1")...), nil)
		if w.together(mainAccount, "7", secondAccount, "8") {
			t.Error("joined in a group")
		}
	})
}

// Both accounts must be let in, when the code is entered.
func TestBothAccountsMustBeAdmitted(t *testing.T) {
	inTwoAccounts(t, func(t *testing.T, w *twoAccounts) {
		admit := func(first, second map[string]agents.Role) {
			t.Helper()
			s := w.o.Settings
			s.Policy.Access = map[gateway.AccountID]gateway.Access{mainAccount: {People: first}, secondAccount: {People: second}}
			if err := w.g.Reload(s); err != nil {
				t.Fatal(err)
			}
		}
		seven, eight := map[string]agents.Role{"7": agents.RoleUser}, map[string]agents.Role{"8": agents.RoleUser}
		for _, c := range []struct {
			name          string
			first, second map[string]agents.Role
			want          bool
		}{
			{"the first was removed", map[string]agents.Role{"1": agents.RoleUser}, eight, false},
			{"the first was blocked", map[string]agents.Role{"7": "blocked"}, eight, false},
			{"the second is a stranger", seven, map[string]agents.Role{"1": agents.RoleUser}, false},
			{"the second is blocked", seven, map[string]agents.Role{"8": "blocked"}, false},
			{"both", seven, eight, true},
		} {
			admit(seven, eight)
			code := codeIn.FindString(w.says(mainAccount, "7", "/verbinden"))
			admit(c.first, c.second)
			w.says(secondAccount, "8", "verbinden "+code)
			if got := w.together(mainAccount, "7", secondAccount, "8"); got != c.want {
				t.Errorf("%s: joined %v, want %v", c.name, got, c.want)
			}
		}
	})
}

// A code is over after ten minutes; there is one of a person at a time; after
// five wrong ones there is a pause of an hour, of that person alone.
func TestLinkCodesCannotBeGuessed(t *testing.T) {
	inTwoAccounts(t, func(t *testing.T, w *twoAccounts) {
		first := codeIn.FindString(w.says(mainAccount, "7", "/verbinden"))
		second := codeIn.FindString(w.says(mainAccount, "7", "/verbinden"))
		if got := w.says(secondAccount, "8", "verbinden "+first); !strings.HasPrefix(got, "Diesen Code gibt es nicht") {
			t.Errorf("a code that another has replaced: %q", got)
		}
		time.Sleep(10 * time.Minute)
		if got := w.says(secondAccount, "8", "verbinden "+second); !strings.HasPrefix(got, "Diesen Code gibt es nicht") {
			t.Errorf("a code that is over: %q", got)
		}
		right := codeIn.FindString(w.says(mainAccount, "7", "/verbinden"))
		for i := range 100 {
			want := "Diesen Code gibt es nicht"
			if i >= 3 {
				want = "Das waren zu viele falsche Codes."
			}
			if got := w.says(secondAccount, "8", fmt.Sprintf("verbinden AAAA-%04d", 2222+i)); i < 10 && !strings.HasPrefix(got, want) {
				if _, ok := gateway.ReadCode(fmt.Sprintf("AAAA%04d", 2222+i)); ok {
					t.Errorf("try %d: %q, want %q", i, got, want)
				}
			}
		}
		if got := w.says(secondAccount, "8", "verbinden "+right); !strings.HasPrefix(got, "Das waren zu viele falsche Codes.") {
			t.Errorf("the right code in the pause: %q", got)
		}
		if got := w.says(secondAccount, "9", "verbinden "+right); !strings.HasPrefix(got, "Dieses Konto ist jetzt") {
			t.Errorf("another person meanwhile: %q", got)
		}
		time.Sleep(time.Hour)
		right = codeIn.FindString(w.says(mainAccount, "7", "/verbinden"))
		if got := w.says(secondAccount, "8", "verbinden "+right); !strings.HasPrefix(got, "Dieses Konto ist jetzt") {
			t.Errorf("behind the pause: %q", got)
		}
	})
}

// A code for the one is no code for the other: what joins accounts lets nobody
// in, and what lets in joins nothing.
func TestCodesAreOfOneUse(t *testing.T) {
	inTwoAccounts(t, func(t *testing.T, w *twoAccounts) {
		s := w.o.Settings
		s.Policy.Access = map[gateway.AccountID]gateway.Access{
			mainAccount:   {People: map[string]agents.Role{"7": agents.RoleUser}, Pairing: gateway.PairingAlways},
			secondAccount: {People: map[string]agents.Role{"8": agents.RoleUser}},
		}
		if err := w.g.Reload(s); err != nil {
			t.Fatal(err)
		}
		link := codeIn.FindString(w.says(mainAccount, "7", "/verbinden"))
		if _, err := w.g.Pair(t.Context(), link); err != gateway.ErrWrongCode {
			t.Errorf("Pair with a code for joining = %v", err)
		}
		w.says(mainAccount, "66", "Hallo?")
		pair := w.codeFor("66")
		if got := w.says(secondAccount, "8", "verbinden "+pair); !strings.HasPrefix(got, "Diesen Code gibt es nicht") {
			t.Errorf("joining with a code for letting in: %q", got)
		}
		if w.together(mainAccount, "66", secondAccount, "8") {
			t.Error("joined")
		}
	})
}

// T24: whatever a hundred people do with each other's codes, accounts are one
// person's exactly where they were joined.
func TestNoCrossTalkBetweenPersons(t *testing.T) {
	t.Run("in memory", func(t *testing.T) { crossTalk(t, nil, 300) })
	t.Run("on disk", func(t *testing.T) {
		h := human(t, t.TempDir())
		defer h.Close()
		crossTalk(t, h.Doc(gateway.RosterFile, store.DocOptions{}), 40)
	})
}

// crossTalk joins and parts accounts of a hundred people at random.
func crossTalk(t *testing.T, doc *store.Doc, times int) {
	type who struct {
		account gateway.AccountID
		id      string
	}
	synctest.Test(t, func(t *testing.T) {
		w := &twoAccounts{newWorld(t, newMemory(), echo), newNetwork()}
		w.o.Roster = doc
		w.o.Accounts = append(w.o.Accounts, gateway.Account{Name: "second", Channel: w.second})
		w.o.Settings.Policy.Access[secondAccount] = w.o.Settings.Policy.Access[mainAccount]
		w.o.Settings.Policy.Limits = gateway.Limits{Burst: 10_000, Daily: 10_000, Open: 100_000}
		w.start()
		r := rand.New(rand.NewPCG(7, 7))
		var all []who
		for i := range 100 {
			all = append(all, who{mainAccount, fmt.Sprint(i)}, who{secondAccount, fmt.Sprint(i)}) // the same ids
		}
		set := make(map[who]int) // the model: which accounts are one person's
		for i, p := range all {
			set[p] = i
		}
		fresh := len(all)
		for range times {
			a, b := all[r.IntN(len(all))], all[r.IntN(len(all))]
			if r.IntN(4) == 0 {
				w.says(a.account, a.id, "/trennen")
				set[a] = fresh
				fresh++
				continue
			}
			code := codeIn.FindString(w.says(a.account, a.id, "/verbinden"))
			if r.IntN(5) == 0 { // mistyped
				code = "2" + code[1:]
			}
			if got := w.says(b.account, b.id, "verbinden "+code); strings.HasPrefix(got, "Dieses Konto ist jetzt") {
				from, to := set[b], set[a]
				for p, n := range set {
					if n == from {
						set[p] = to
					}
				}
			}
			if r.IntN(10) == 0 {
				time.Sleep(time.Hour) // pauses end
			}
		}
		joined := 0
		for i, a := range all {
			for _, b := range all[:i] {
				want := set[a] == set[b]
				if want {
					joined++
				}
				if got := w.together(a.account, a.id, b.account, b.id); got != want {
					t.Fatalf("%v and %v: one person %v, want %v", a, b, got, want)
				}
			}
		}
		if joined < times/10 {
			t.Errorf("only %d pairs are joined: the test is too weak", joined)
		}
		if doc == nil {
			synctest.Wait()
			w.end()
			return
		}
		before := make(map[who]string)
		for _, p := range all {
			before[p] = w.g.PersonOf(p.account, p.id)
		}
		synctest.Wait()
		w.end()
		again, err := gateway.New(w.o)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range all {
			if got := again.PersonOf(p.account, p.id); got != before[p] {
				t.Errorf("%v is %s behind a restart, was %s", p, got, before[p])
			}
		}
	})
}

func TestReadCode(t *testing.T) {
	for in, want := range map[string]string{
		"ABCD-EF23": "ABCDEF23", "abcdef23": "ABCDEF23", " ab cd ef 23 \n": "ABCDEF23", "ABCD\u2011EF23": "ABCDEF23",
		"": "", "ABCD": "", "ABCDEF234": "", "ABCDEFO0": "", "ABCDEFI1": "", "ÄBCDEF2": "", strings.Repeat(" ", 100) + "ABCDEF23": "",
	} {
		if got, ok := gateway.ReadCode(in); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; want %q", in, got, ok, want)
		}
	}
}

func FuzzReadCode(f *testing.F) {
	for _, s := range []string{"ABCD-EF23", "abcd ef23", "ſſſſſſſſ", "", "\xff\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		code, ok := gateway.ReadCode(s)
		if !ok {
			if code != "" {
				t.Errorf("%q is no code and gives %q", s, code)
			}
			return
		}
		if again, ok := gateway.ReadCode(code); !ok || again != code || len(code) != 8 || strings.ContainsAny(code, "IO01") {
			t.Errorf("%q gives %q, which gives %q", s, code, again)
		}
	})
}

// A command that comes again, because the process ended before it was in the log,
// does nothing twice and says the same.
func TestLinkCommandsThatComeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		w.start()
		twice := func(e channels.Event) string {
			t.Helper()
			w.queue.setFail(store.ErrDegraded)
			if err := w.g.Deliver(t.Context(), e); err == nil {
				t.Fatal("Deliver took what could not be written")
			}
			w.queue.setFail(nil)
			if err := w.g.Deliver(t.Context(), e); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			seen := w.net.seen(e.Address.Chat())
			return seen[len(seen)-1]
		}
		code := codeIn.FindString(twice(w.event("7", "/verbinden")))
		if got := twice(w.event("8", "verbinden "+code)); !strings.HasPrefix(got, "Dieses Konto ist jetzt") {
			t.Errorf("joined: %q", got)
		}
		if w.g.PersonOf(mainAccount, "7") != w.g.PersonOf(mainAccount, "8") {
			t.Error("not joined")
		}
		w.end()
	})
}
