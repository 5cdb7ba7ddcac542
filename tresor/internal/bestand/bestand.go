// Package bestand reads a whole Tresor and applies every rule of validation to
// it, in the order of the specification (2-validate section 12). The rule of a
// finding, as "CL-7", is the row of that document.
//
// Reading never stops at a finding: a broken Tresor gives what could be read of
// it, so that all findings come together and a diagnosis has its numbers. Only a
// Bestand without errors may be served.
package bestand

import (
	"outheis/tresor/internal/begriffe"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/claim"
	"outheis/tresor/internal/extern"
	"outheis/tresor/internal/medien"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
	"outheis/tresor/internal/router"
	"outheis/tresor/internal/tree"
)

// A Bestand is everything that a Tresor holds.
type Bestand struct {
	Types      profil.Types
	Sources    map[string]register.Source
	Externals  map[string]register.External
	Concepts   begriffe.Registry
	Media      map[string]*medien.Media            // by source
	Anchors    map[string]map[string]extern.Anchor // by source, then by ID
	Catalogues map[string]*extern.Catalogue        // by source
	Router     router.Router
	Pages      []*Page           // by path
	Claims     map[string]*Claim // by ID; of a repeated ID the last
}

// A Page is a page as far as it could be read.
type Page struct {
	Path      string
	Domain    string // the folder
	Name      string // of the file
	Front     profil.FrontMatter
	Body      string
	Offset    int // lines of the file before the body
	Claims    []*Claim
	Relations []Relation // those that lead to a file

	sources, externals map[string]bool // of the front matter
}

// A Claim is a claim on its page.
type Claim struct {
	claim.Claim
	Page   *Page
	Line   int    // in the file
	Region string // the one that its medium's description has, or ""
	Anchor string // the one that its external source has, or ""
}

// A Relation leads to another page.
type Relation struct {
	Type   string
	Target string // knowledge/… as written
}

// The stages of [Load]: raw files of the register, then entries of knowledge.
const (
	StageSources = "sources"
	StagePages   = "pages"
)

// Load reads the tree and returns what it holds and all findings.
func Load(t *tree.Tree) (*Bestand, *check.Findings) {
	l := &loader{tree: t, Findings: &check.Findings{}, Bestand: &Bestand{Claims: map[string]*Claim{}}}
	l.Types = profil.LoadTypes(t, l.Findings)
	l.Sources = register.Load(t, l.Findings)
	l.Concepts = begriffe.Load(t, l.Findings)
	l.Media = medien.Load(t, l.Sources, l.Findings)
	l.Externals = register.LoadExternal(t, l.Findings)
	l.Anchors = extern.LoadAnchors(t, l.Externals, l.Findings)
	l.Catalogues = extern.LoadCatalogues(t, l.Externals, l.Findings)
	l.checkTree()
	l.checkQuarantine()
	l.checkFolders(l.checkRegister())
	l.loadPages()
	l.checkDefinitions()
	l.Router = router.Load(t, l.Findings)
	l.checkRouter()
	l.warn()
	return l.Bestand, l.Findings
}

type loader struct {
	tree *tree.Tree
	*check.Findings
	*Bestand
}
