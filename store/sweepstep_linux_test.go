//go:build !peers

package store

// A plain test run sweeps some calls only: so many kinds, each so often, at
// such a distance, and one in so many faults. With the tag "peers" nothing is
// left out.
const (
	sweepCalls  = 5
	sweepTries  = 2
	sweepStep   = 17
	sweepFaults = 4
)
