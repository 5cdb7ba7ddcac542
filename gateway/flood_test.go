package gateway_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"outheis/agents"
)

// T23: one who writes without end, and an agent that hangs on it, do not make
// others wait twice as long.
func TestAFlooderDoesNotStarveOthers(t *testing.T) {
	const people = 200
	waits := func(flood bool) (p95 time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, newMemory(), func(ctx context.Context, r agents.Request) (agents.Answer, error) {
				if r.Text == "Flut" {
					<-ctx.Done()
					return agents.Answer{}, ctx.Err()
				}
				return taking(time.Second)(ctx, r)
			})
			w.start()
			if flood {
				for range 1000 {
					w.ask("flooder", "Flut")
				}
			}
			began := time.Now()
			for i := range people {
				w.ask(fmt.Sprint(i), "Wann?")
			}
			time.Sleep(10 * time.Minute)
			var all []time.Duration
			for _, s := range w.net.all() {
				if s.chat != "flooder" && s.text != "" {
					all = append(all, s.at.Sub(began))
				}
			}
			answered := 0
			for i := range people {
				seen := w.net.seen(fmt.Sprint(i))
				if len(seen) > 0 && seen[len(seen)-1] == echoed("Wann?") {
					answered++
				}
			}
			if answered != people {
				t.Errorf("%d of %d are answered", answered, people)
			}
			slices.Sort(all)
			p95 = all[len(all)*95/100]
			w.end()
		})
		return p95
	}
	alone, flooded := waits(false), waits(true)
	if flooded > 2*alone {
		t.Errorf("p95 is %v with a flooder and %v without", flooded, alone)
	}
}
