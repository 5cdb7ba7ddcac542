//go:build !peers

package store

// How much the slow tests do in a plain run. With the tag "peers" they leave
// nothing out.
const (
	sweepCalls  = 5  // kinds of system call that a process dies in
	sweepTries  = 2  // calls of each kind
	sweepStep   = 17 // calls from one to the next
	sweepFaults = 4  // one fault in so many

	// FaultStep is likewise for the calls of the human directory.
	FaultStep = 4

	restartStep = 4   // one call in so many, in which the start behind a stop dies too
	diskCauses  = 3   // causes for which a disk takes nothing
	crashSeeds  = 100 // scripts that a power cut ends; CRASH_SEEDS overrides it

	// KillCycles is how often a process is killed at any moment; KILL_CYCLES
	// overrides it.
	KillCycles = 15
)
