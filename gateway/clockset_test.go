package gateway_test

import (
	"fmt"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"outheis/channels"
	"outheis/gateway"
	"outheis/store"
)

// What was asked while our clock was ahead uses up no quota once the clock has been
// set right, neither at once nor after a restart, and nobody is met with silence.
func TestQuotaAfterTheClockWasSetRight(t *testing.T) {
	for _, restart := range []bool{false, true} {
		t.Run(fmt.Sprint("restart ", restart), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newMemory()
				off := 5 * time.Hour
				clock := func() time.Time { return time.Now().Add(off).Round(0) }
				q.now = clock
				w := newWorld(t, q, echo)
				w.o.Now = clock
				w.start()
				at := func(e *channels.Event) { e.At = clock() }
				for i := range 22 {
					w.ask("7", fmt.Sprint("Frage ", i), at)
					synctest.Wait()
				}
				if got := len(w.net.seen("7")); got != 21 {
					t.Errorf("%d messages are seen, want 20 answers and the quota", got)
				}
				off = 0
				if restart {
					w.end()
					seq := w.seq
					w = newWorld(t, q, echo)
					w.o.Now, w.seq = clock, seq
					w.start()
				}
				before := len(w.net.seen("7"))
				w.ask("7", "Wann?", at)
				synctest.Wait()
				equal(t, "seen", w.net.seen("7")[before:], []string{echoed("Wann?")})
				w.end()
			})
		})
	}
}

// A link of one account, or an account in two links, as people who edit the
// document leave it, joins nobody and harms nobody.
func TestLinksThatWereEditedByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := store.Open(t.TempDir(), store.Options{Holder: "test"})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		d := h.Doc(gateway.RosterFile, store.DocOptions{})
		w := newWorld(t, newMemory(), echo)
		w.o.Roster = d
		w.start()
		own := w.g.PersonOf(mainAccount, "7")
		account := func(who string) string { return `{"channel":"net","account":"main","person":"` + who + `"}` }
		if err := d.Edit(func([]byte) ([]byte, error) {
			return []byte(`{"v":1,"linked":[` +
				`{"as":"` + own + `","accounts":[` + account("7") + `]},{"as":"` + own + `","accounts":[` + account("7") + `,` + account("8") + `,` + account("8") + `]}]}`), nil
		}); err != nil {
			t.Fatal(err)
		}
		if err := w.g.Reload(w.o.Settings); err != nil {
			t.Fatal(err)
		}
		if w.g.PersonOf(mainAccount, "7") == w.g.PersonOf(mainAccount, "8") {
			t.Error("two accounts count as one person's")
		}
		w.ask("7", "trennen")
		synctest.Wait()
		if got := w.net.seen("7"); len(got) != 1 || w.g.Status().Refused[gateway.ReasonBroken] != 0 {
			t.Errorf("seen %q", got)
		}
		w.end()
	})
}

// A code is good although the clock was set back a little since it was given.
func TestCodeAfterTheClockWasSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, newMemory(), echo)
		var back time.Duration
		w.o.Now = func() time.Time { return time.Now().Add(-back).Round(0) }
		w.start()
		w.ask("7", "verbinden")
		synctest.Wait()
		code := shownCode.FindString(w.net.all()[0].text)
		back = 2 * time.Second
		w.ask("8", "verbinden "+code)
		synctest.Wait()
		if w.g.PersonOf(mainAccount, "7") != w.g.PersonOf(mainAccount, "8") {
			t.Errorf("the code %q does not join: %q", code, w.net.seen("8"))
		}
		w.end()
	})
}

var shownCode = regexp.MustCompile("[A-Z2-9]{4}-[A-Z2-9]{4}")
