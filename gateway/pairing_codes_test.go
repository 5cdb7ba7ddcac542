package gateway_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"outheis/gateway"
)

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
