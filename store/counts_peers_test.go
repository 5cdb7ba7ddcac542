//go:build peers

package store

const (
	sweepCalls  = 11
	sweepTries  = 1000
	sweepStep   = 1
	sweepFaults = 1
	FaultStep   = 1
	restartStep = 1
	diskCauses  = 5
	crashSeeds  = 2000
	KillCycles  = 200
)
