package gateway_test

import (
	"testing"
	"testing/synctest"
	"time"

	"outheis/channels"
)

// What a program says about answers counts for its budget after a restart as well:
// six replies in ten minutes, however often the process begins anew.
func TestProgramsKeepTheirBudgetOverRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newMemory()
		program := func(e *channels.Event) { e.Actor = channels.Actor{ID: "99", Kind: channels.Bot} }
		replies := 0
		for life := range 4 {
			w := newWorld(t, q, echo)
			w.seq = life * 1000
			w.start()
			for _, text := range []string{"Wann?", "Beleg 1", "Beleg 1"} {
				w.ask("99", text, program)
				synctest.Wait()
				time.Sleep(time.Second)
			}
			replies += len(w.net.seen("99"))
			w.end()
			q = q.crash()
		}
		if replies != 6 {
			t.Errorf("%d replies over four starts, want 6", replies)
		}
	})
}
