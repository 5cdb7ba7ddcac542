package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// powerCuts runs a script for each seed until it dies somewhere, cuts the power
// in five ways, lets the first starts die too, and checks what is left. It
// returns the first violation and how often it saw what it looks for.
func powerCuts(seeds int, lies func(kind, name string) bool) (images, torn, damaged int, err error) {
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 3))
		w := newWorld()
		w.fs.lies = lies
		w.fs.stopAt = 1 + r.IntN(250)
		w.fs.stopIn = []string{"", "sync", "syncdir"}[r.IntN(3)] // when most is at stake
		part := rand.New(rand.NewPCG(seed, 4))
		w.fs.partial = func(n int) int { return part.IntN(n + 1) }
		_ = w.script(r, 40) // dies somewhere
		w.fs.reboot()
		for range 5 {
			v := w.after(w.fs.powerCut(r))
			for range r.IntN(3) {
				v.fs.stopAt = 1 + r.IntN(30)
				if l, _, err := v.open(); err == nil {
					kill(l)
				}
				if v.fs.reboot(); r.IntN(2) == 0 {
					v = v.after(v.fs.powerCut(r))
				}
			}
			found, err := v.check()
			if err != nil {
				return images, torn, damaged, fmt.Errorf("seed %d: %w", seed, err)
			}
			images++
			torn += len(found.Torn)
			damaged += len(found.Damage)
		}
	}
	return images, torn, damaged, nil
}

// TestNothingIsLostByPowerCut is D3 of spec/reliability.md §1.8. CRASH_SEEDS
// sets how many scripts run; each is cut off in five ways.
func TestNothingIsLostByPowerCut(t *testing.T) {
	t.Parallel()
	seeds := crashSeeds
	if s := os.Getenv("CRASH_SEEDS"); s != "" {
		var err error
		if seeds, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	images, torn, damaged, err := powerCuts(seeds, nil)
	if err != nil {
		t.Fatal(err)
	}
	if torn == 0 {
		t.Error("got no torn ends: the cuts are too gentle")
	}
	t.Logf("%d power cuts, %d torn ends, %d damaged places", images, torn, damaged)
}

// nameOrders stops a rotation in each call, and keeps of the names that were
// not synced then each subset in turn.
func nameOrders(lies func(kind, name string) bool) (images int, err error) {
	for n := 1; ; n++ {
		w := newWorld()
		l, _, err := w.open()
		if err != nil {
			return images, err
		}
		if err := w.append(l, w.newRequest(1), w.newRequest(1)); err != nil {
			return images, err
		}
		w.now = w.now.Add(31 * day)
		w.fs.lies = lies
		w.fs.stopAt = w.fs.ops + n
		_ = w.append(l, w.newRequest(1))
		kill(l)
		if !w.fs.stopped {
			return images, nil
		}
		trace := w.fs.trace[len(w.fs.trace)-1]
		w.fs.reboot()
		for mask := range 1 << len(w.fs.pending) {
			if _, err := w.after(w.fs.keepNames(mask)).check(); err != nil {
				return images, fmt.Errorf("stopped in call %d (%s), names %b: %w", n, trace, mask, err)
			}
			images++
		}
	}
}

func TestRotationSurvivesEveryOrderOfNames(t *testing.T) {
	images, err := nameOrders(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d images", images)
}

// TestPowerCutsFindEachMissingSync shows that the tests above would notice if
// one of the syncs were left out.
func TestPowerCutsFindEachMissingSync(t *testing.T) {
	for _, sync := range []struct{ kind, name string }{
		{"sync", "messages.jsonl"},
		{"sync", "messages.jsonl.next"},
		{"syncdir", "."},
		{"syncdir", "archive"},
	} {
		t.Run(sync.kind+" "+sync.name, func(t *testing.T) {
			lies := func(kind, name string) bool { return kind == sync.kind && name == sync.name }
			if _, err := nameOrders(lies); err != nil {
				return
			}
			if _, _, _, err := powerCuts(200, lies); err == nil {
				t.Error("nothing was lost without it")
			}
		})
	}
}
