package agents

import "context"

// A Prover is an Agent that can say what its present Bestand holds of evidence
// that it gave in an earlier answer. Evidence is kept with the answer; what
// became of it since is the agent's to know.
type Prover interface {
	Agent
	// Prove looks up b, a Beleg of an earlier answer whose statement was wording,
	// in what is there now. Of r it reads who asks and in which language. It may
	// be called from many goroutines. An [*Error] with [StatusUnavailable] says that
	// r may read the source, which cannot be looked at now; with [StatusDenied] that
	// r may not, or that the source is there no more. After any other error nobody
	// knows whether r may.
	Prove(ctx context.Context, r Request, b Beleg, wording string) (Proof, error)
}

// A Proof is what has become of a Beleg.
type Proof struct {
	State ProofState
	// Now is the same evidence as it stands now; zero when it is gone but for
	// Version and Manifest, which are those of the present release.
	Now Beleg
	// Wording is what the claim says now.
	Wording string
	// Outdated says that the claim's page is outdated or has a successor.
	Outdated bool
}

// ProofState tells whether evidence still stands.
type ProofState string

// The states of evidence.
const (
	ProofSame    ProofState = "same"    // wording, source and place are what they were
	ProofChanged ProofState = "changed" // the claim is there and says or cites something else
	ProofGone    ProofState = "gone"    // there is no such claim any more
)
