// Package channeltest is the suite that every channel adapter has to pass. It
// states the contract of package channels as cases against a network: what is
// handed over and when it counts as received, in which order, to whom an
// answer goes, what a failed send is called, that nothing leaks and everything
// ends.
//
// An adapter's test implements [Network] over a fake of its network, or over
// the real one, and calls [Run]. What a network cannot do is declared with a
// reason in [Harness.Lacks]; the cases that need it are then skipped with that
// reason, and no others.
package channeltest

import (
	"testing"

	"go.uber.org/goleak"
)

// A Harness joins the suite to one adapter.
type Harness struct {
	// New starts a network of its own for one case, with the account of ours
	// in it and every [Place] ready. It ends with t.
	New func(t *testing.T) Network
	// Lacks says what the network cannot do, and why.
	Lacks map[Ability]string
	// Slow says that every message costs the network much: a real server. The
	// cases about load then do a fifth, as they do under the race detector.
	Slow bool
}

// A testCase is one clause of the contract.
type testCase struct {
	name  string
	needs []Ability
	run   func(*bench)
}

// Run checks the adapter behind h, each clause with a network of its own.
func Run(t *testing.T, h Harness) {
	groups := [][]testCase{
		intakeCases(), addressingCases(), returningCases(), sendingCases(), editingCases(), fileCases(), enduringCases(), loadCases(),
	}
	for _, group := range groups {
		for _, c := range group {
			t.Run(c.name, func(t *testing.T) {
				for _, a := range c.needs {
					if why, lacks := h.Lacks[a]; lacks {
						t.Skipf("the network lacks %s: %s", a, why)
					}
				}
				before := goleak.IgnoreCurrent()
				t.Cleanup(func() { goleak.VerifyNone(t, before) })
				b := newBench(t, h)
				c.run(b)
			})
		}
	}
}
