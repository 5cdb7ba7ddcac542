// Package tresor is the engine of the Wissenstresor, a closed-world vault of
// curated claims in the profile oksv-lite/1.3.
//
// A Tresor is a folder of Markdown, JSON and media files that answers only
// from what a person has curated and released: every statement is a claim,
// bound to a source and a place in it.
//
// A question: [Open] reads a released Tresor whole, checks it and returns a
// [Snapshot]; [Snapshot.Query] ranks its claims for a question by
// hybrid-local/v1, deterministically and without a network or a language model.
// [Snapshot.Assess] compares every claim with it, which must come before "Nicht
// im Bestand". [Snapshot.QueryExternal] also looks into the external sources that
// the Tresor lists; what it finds are pointers and no evidence.
//
// A curator: [Validate] and [Diagnose] list everything that is wrong with a
// folder. [Release] publishes it, [WriteIndex], [WriteGraph], [WriteManifest] and
// [Log] do parts of that, [Change] changes pages and sources; each is one
// transaction under the write lock. [Recover] clears up after one that was cut
// off. [Export] and the templates make files for elsewhere.
//
// The package words no answer: candidates are not yet an answer, and "Nicht im
// Bestand" is said by whoever compared them with the question. It knows
// nothing of channels, agents or the human directory and does not log.
package tresor

import (
	"io/fs"
	"maps"
	"slices"
	"sync"
	"time"

	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/disk"
	"outheis/tresor/internal/hybrid"
	"outheis/tresor/internal/manifest"
	"outheis/tresor/internal/tree"
)

// Options are the settings of the functions on a folder. The zero value is
// usable.
type Options struct {
	// Lang is the language of findings and errors: "de", which is the default, or
	// "en".
	Lang string
	// Now is the clock for what is written; nil is time.Now.
	Now func() time.Time
	// Progress is told how far an operation is: done of total, which is 0 where
	// nobody knows. It is called often, from the calling goroutine, and must be
	// cheap and return at once. Nil is none.
	Progress func(stage Stage, done, total int)

	hook disk.Hook // for tests
}

// A Stage is what an operation is at. There may come others than those below,
// and one may come more than once.
type Stage string

// The stages.
const (
	StageLook    = Stage(tree.StageLook)       // at the tree; entries
	StageHash    = Stage(manifest.StageHash)   // comparing with the manifest, or writing it; entries
	StageSources = Stage(bestand.StageSources) // checking raw files
	StagePages   = Stage(bestand.StagePages)   // reading and checking pages
	StageAnchors = Stage("anchors")            // looking for cited sentences in bound folders; anchors of a source
	StageLookup  = Stage("lookup")             // searching documents of external sources, or counting their words
	StageBytes   = Stage(tree.StageBytes)      // reading one large file; MiB
)

// open looks at the tree in dir.
func (o Options) open(dir string) (*tree.Tree, error) {
	if o.Progress == nil {
		return tree.Open(dir)
	}
	return tree.OpenWatched(dir, func(stage string, done, total int) { o.Progress(Stage(stage), done, total) })
}

func (o Options) progress(stage Stage, done, total int) {
	if o.Progress != nil {
		o.Progress(stage, done, total)
	}
}

// A Snapshot is one released state of a Tresor, checked and prepared for
// queries. It is immutable and safe for use by many goroutines; what its
// methods return is shared and must not be changed.
type Snapshot struct {
	lang     string
	options  Options
	name     string
	root     string // its resolved path; "" in a file system of another kind
	version  string
	manifest string
	warnings []Finding

	bestand    *bestand.Bestand
	pages      []Page
	pageByPath map[string]int
	claims     []position // of all pages, in the order that ranking counts them
	claimByID  map[string]position
	sources    []Source
	sourceByID map[string]Source
	concepts   []Concept
	worlds     []World
	index      *hybrid.Index
	review     review     // see Assess
	fetchLog   sync.Mutex // held by the one that writes fetches to log.md
	stamp      Stamp
}

// A position is where a claim stands: pages[page].Claims[claim].
type position struct{ page, claim int }

// Open reads, validates and checks the Tresor in the folder dir against its
// manifest, in the order of the format's snapshot loader (4-retrieval section
// 6), and returns an immutable snapshot of it. A Tresor that is not a
// consistent release gives an [*InvalidError]. Open takes no lock and writes
// nothing; nothing of dir stays open.
func Open(dir string, o Options) (*Snapshot, error) {
	t, err := o.open(dir)
	if err != nil {
		return nil, unreadable(dir, err, o)
	}
	defer t.Close()
	s, err := load(t, o)
	if err != nil {
		return nil, err
	}
	s.stamp = stampOf(t)
	return s, nil
}

// OpenFS is [Open] for a Tresor in a file system, such as an embedded one. Name
// is the Tresor's name.
func OpenFS(fsys fs.FS, name string, o Options) (*Snapshot, error) {
	return load(tree.OpenFS(fsys, name), o)
}

// Name returns the name of the Tresor's folder.
func (s *Snapshot) Name() string { return s.name }

// Version returns the release, as "1.4.2".
func (s *Snapshot) Version() string { return s.version }

// Manifest returns the SHA-256 of the manifest in hex. It names the exact
// content: two snapshots with the same digest answer alike.
func (s *Snapshot) Manifest() string { return s.manifest }

// Warnings returns the warnings of validation.
func (s *Snapshot) Warnings() []Finding { return s.warnings }

// Pages returns the pages in path order.
func (s *Snapshot) Pages() []Page { return s.pages }

// Page returns the page with the given path, as "knowledge/werkstatt/halle3.md".
func (s *Snapshot) Page(path string) (Page, bool) {
	i, ok := s.pageByPath[path]
	if !ok {
		return Page{}, false
	}
	return s.pages[i], true
}

// Claims returns the number of claims.
func (s *Snapshot) Claims() int { return len(s.claims) }

// Claim returns a claim and the page that it is on.
func (s *Snapshot) Claim(id string) (Claim, Page, bool) {
	at, ok := s.claimByID[id]
	if !ok {
		return Claim{}, Page{}, false
	}
	p := s.pages[at.page]
	return p.Claims[at.claim], p, true
}

// Sources returns the rows of both registers, S- before X-, by ID.
func (s *Snapshot) Sources() []Source { return s.sources }

// Source returns a row of the source register (S-nnnn) or of the register of
// external sources (X-nnnn).
func (s *Snapshot) Source(id string) (Source, bool) {
	source, ok := s.sourceByID[id]
	return source, ok
}

// Concepts returns the concepts by ID.
func (s *Snapshot) Concepts() []Concept { return s.concepts }

// Worlds returns the Begriffswelten by ID.
func (s *Snapshot) Worlds() []World { return s.worlds }

// Route returns the domains whose keywords occur in the question, by name. More
// than one is a Mischfrage. It is a suggestion, no judgement.
func (s *Snapshot) Route(question string) []Route { return routes(s.bestand, question) }

func routes(b *bestand.Bestand, question string) []Route {
	var list []Route
	for _, h := range b.Router.Route(question) {
		list = append(list, Route{Domain: h.Name, Keywords: h.Found, Pages: h.Pages})
	}
	return list
}

// prepare turns the Bestand into what the snapshot hands out, and into the index
// of the ranking.
func (s *Snapshot) prepare(b *bestand.Bestand) {
	s.bestand = b
	s.pageByPath = make(map[string]int, len(b.Pages))
	s.claimByID = make(map[string]position, len(b.Claims))
	ranked := make([]hybrid.Page, len(b.Pages))
	for i, p := range b.Pages {
		page := publicPage(p)
		s.pages = append(s.pages, page)
		s.pageByPath[page.Path] = i
		for j, c := range page.Claims {
			s.claims = append(s.claims, position{i, j})
			s.claimByID[c.ID] = position{i, j}
		}
		ranked[i] = rankedPage(page)
	}
	s.sources = publicSources(b)
	s.sourceByID = make(map[string]Source, len(s.sources))
	for _, source := range s.sources {
		s.sourceByID[source.ID] = source
	}
	var concepts []hybrid.Concept
	for _, id := range b.Concepts.IDs() {
		c := b.Concepts.Concepts[id]
		s.concepts = append(s.concepts, Concept{ID: c.ID, World: c.World, Preferred: c.Preferred, Aliases: c.Aliases,
			Broader: c.Broader, Related: c.Related, DefinitionClaim: c.DefinitionClaim})
		concepts = append(concepts, hybrid.Concept{ID: c.ID, World: c.World, Labels: c.Labels(), Broader: c.Broader, Related: c.Related})
	}
	worlds := slices.Sorted(maps.Keys(b.Concepts.Worlds))
	for _, id := range worlds {
		w := b.Concepts.Worlds[id]
		s.worlds = append(s.worlds, World{ID: w.ID, Name: w.Name, Description: w.Description})
	}
	s.index = hybrid.New(ranked, concepts, worlds)
}
