//go:build peers

package store

const (
	sweepCalls  = 11
	sweepTries  = 1000
	sweepStep   = 1
	sweepFaults = 1
)
