// Package tresor is the engine of the Wissenstresor, a closed-world vault of
// curated claims in the profile oksv-lite/1.3.
//
// A Tresor is a folder of Markdown, JSON and media files that answers only
// from what a person has curated and released: every statement is a claim,
// bound to a source and a place in it. [Open] reads a released Tresor whole,
// checks it and returns a [Snapshot]; [Snapshot.Query] ranks its claims for a
// question by hybrid-local/v1, deterministically and without a network or a
// language model. [Validate] lists everything that is wrong with a folder.
//
// The package words no answer: candidates are not yet an answer, and "Nicht im
// Bestand" is said by whoever compared them with the question. It knows
// nothing of channels, agents or the human directory and does not log.
package tresor

import (
	"errors"
	"io/fs"
)

// NichtImBestand is the literal abstention of the closed world.
const NichtImBestand = "Nicht im Bestand"

// Options are the settings of the functions that read a Tresor. The zero value
// is usable.
type Options struct {
	// Lang is the language of findings: "de", which is the default, or "en".
	Lang string
}

// A Snapshot is one released state of a Tresor, checked and prepared for
// queries. It is immutable and safe for use by many goroutines; what its
// methods return is shared and must not be changed.
type Snapshot struct{}

// Open reads, validates and checks the Tresor in the folder dir against its
// manifest, in the order of the format's snapshot loader (4-retrieval section
// 6), and returns an immutable snapshot of it. A Tresor that is not a
// consistent release gives an [*InvalidError]. Open takes no lock and writes
// nothing; nothing of dir stays open.
func Open(dir string, o Options) (*Snapshot, error) { return nil, errors.New("not yet") }

// OpenFS is [Open] for a Tresor in a file system, such as an embedded one. Name
// is the Tresor's name.
func OpenFS(fsys fs.FS, name string, o Options) (*Snapshot, error) {
	return nil, errors.New("not yet")
}

// Name returns the name of the Tresor's folder.
func (s *Snapshot) Name() string { return "" }

// Version returns the release, as "1.4.2".
func (s *Snapshot) Version() string { return "" }

// Manifest returns the SHA-256 of the manifest in hex. It names the exact
// content: two snapshots with the same digest answer alike.
func (s *Snapshot) Manifest() string { return "" }

// Warnings returns the warnings of validation.
func (s *Snapshot) Warnings() []Finding { return nil }

// Pages returns the pages in path order.
func (s *Snapshot) Pages() []Page { return nil }

// Page returns the page with the given path, as "knowledge/werkstatt/halle3.md".
func (s *Snapshot) Page(path string) (Page, bool) { return Page{}, false }

// Claims returns the number of claims.
func (s *Snapshot) Claims() int { return 0 }

// Claim returns a claim and the page that it is on.
func (s *Snapshot) Claim(id string) (Claim, Page, bool) { return Claim{}, Page{}, false }

// Sources returns the rows of both registers, S- before X-, by ID.
func (s *Snapshot) Sources() []Source { return nil }

// Source returns a row of the source register (S-nnnn) or of the register of
// external sources (X-nnnn).
func (s *Snapshot) Source(id string) (Source, bool) { return Source{}, false }

// Concepts returns the concepts by ID.
func (s *Snapshot) Concepts() []Concept { return nil }

// Worlds returns the Begriffswelten by ID.
func (s *Snapshot) Worlds() []World { return nil }

// Query ranks all claims for the question by hybrid-local/v1. It is a pure
// function of the snapshot and its arguments. A question that cannot be ranked
// gives a result with another state than the two of a ranking.
func (s *Snapshot) Query(question string, o QueryOptions) Result { return Result{} }

// Route returns the domains whose keywords occur in the question, by name. More
// than one is a Mischfrage. It is a suggestion, no judgement.
func (s *Snapshot) Route(question string) []Route { return nil }
