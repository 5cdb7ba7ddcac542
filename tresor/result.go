package tresor

import "encoding/json"

// State is how a query ended.
type State string

// The states of the format.
const (
	CandidatesFound State = "candidates_found"
	NoCandidates    State = "no_candidates" // proves no absence: all pages must be read
	Ambiguous       State = "ambiguous"     // a term belongs to several Begriffe; name a world
	InvalidQuery    State = "invalid_query"
	VaultBusy       State = "vault_busy"
	InvalidVault    State = "invalid_vault"
	SnapshotChanged State = "snapshot_changed"
)

// QueryOptions narrow a query. The zero value asks for all worlds and eight
// claims.
type QueryOptions struct {
	World string // BW-nnnn, or "" for all
	Limit int    // 1 to 20 claims; 0 for the default of 8
}

// A Result is what a query found: candidates that a person, an agent or a model
// still has to compare with the question. [Result.JSON] gives the exact bytes
// of the format's envelope.
type Result struct {
	State             State
	Query             string
	Version           string // of the Tresor; "" where unknown
	Manifest          string // its digest; "" where unknown
	Complete          bool   // all claims were ranked
	ClaimsScanned     int
	ReviewRequired    bool     // nothing was found, the pages of PagePaths must be read
	PagePaths         []string // of all pages, sorted
	ExternalAvailable bool     // there are external sources to look into
	Matched           []MatchedConcept
	Expanded          []ExpandedConcept
	Pages             []PageHit
	Evidence          []Evidence
	Warnings          []string
	Errors            []string
	Fingerprint       string // "" without a ranking
	exit              int
}

// MatchedConcept is a concept that the question names.
type MatchedConcept struct {
	ID, World, Preferred string
	Labels               []string
}

// ExpandedConcept is a concept one hop from a matched one.
type ExpandedConcept struct {
	ID, World, Preferred string
	Via, Relation        string
	Weight               int
}

// A PageHit is a page with claims among the evidence.
type PageHit struct {
	Page    Page
	Score   int
	Reasons []string
}

// Evidence is one candidate.
type Evidence struct {
	Claim   Claim
	Page    Page
	Source  Source // zero except for ID and Kind where the register has no row
	Score   int
	Reasons []string
	Signals []string
	Media   *Media  // the region that the claim cites, or nil
	Anchor  *Anchor // the anchor that the claim cites, or nil
}

// Media is the region of an image or PDF that a claim cites.
type Media struct {
	Representation string // path
	MediaType      string
	RegionID       string
	RegionKind     string
	Confidence     json.Number
}

// Anchor is the sentence of an external document that a claim cites.
type Anchor struct {
	ID            string
	Document      string
	SentenceIndex int
	Block         string
	TextSHA256    string
}

// JSON returns the envelope skillsafe.query/v1, byte for byte, with the line
// end. ([json.Marshal] would reformat it.)
func (r Result) JSON() []byte { return nil }

// MarshalJSON implements [json.Marshaler] with the content of [Result.JSON].
func (r Result) MarshalJSON() ([]byte, error) { return r.JSON(), nil }

// ExitCode returns the exit status of the command query.
func (r Result) ExitCode() int { return r.exit }
