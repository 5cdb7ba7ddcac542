package tresor

// A Page is one knowledge page.
type Page struct {
	Path       string // knowledge/‹domain›/‹name›.md
	Title      string
	Domain     string
	Type       string
	Status     string // aktiv, veraltet or in-pruefung
	Confidence string // hoch, mittel or niedrig
	Version    string
	Stand      string // date of state, JJJJ-MM-TT
	Tags       []string
	Concepts   []string // B-nnnn, as written
	Summary    string   // the section Kurzfassung, lines joined by blanks; "" without one
	Claims     []Claim  // in the order of the page
	Relations  []Relation
	ReviewedBy string // "" for a page that nobody reviewed
	ReviewedAt string // JJJJ-MM-TT or ""
	TrustTier  string // unverified, machine-confirmed or human-reviewed
}

// A Relation leads from its page to another one.
type Relation struct {
	Type   string // as "ersetzt"
	Target string // the other page's path
}

// A Claim is one statement, bound to a source and a place in it.
type Claim struct {
	ID         string // C-nnnn
	Source     string // S-nnnn or X-nnnn
	Fundstelle string
	Art        string // Wortlaut, Beobachtung or Auslegung
	Text       string
	Page       string // path of its page
	Line       int    // in the page's file, from 1
	Region     string // R-nnnn of the source's media description, or ""
	Anchor     string // A-nnnn of the external source's anchors, or ""
}

// A Source is a row of the source register or of the register of external
// sources.
type Source struct {
	ID     string // S-nnnn or X-nnnn
	Kind   string // "lokal" or "extern"
	Title  string
	Stand  string // Stand/Version as written
	Trust  string // T1, T2 or T3
	Rights string
	Path   string // of the raw file in the Tresor; "" for an external source
	SHA256 string // of the raw file; "" for an external source
	Line   int    // in its register

	Art  string // of an external source: markdown-tree or skillsafe-vault
	Ziel string // of an external source: "-" or an https prefix
	Key  string // of an external source: its binding key
}

// A Concept is a controlled term (Begriff) with its labels.
type Concept struct {
	ID              string // B-nnnn
	World           string // BW-nnnn
	Preferred       string
	Aliases         []string
	Broader         []string // B-nnnn
	Related         []string // B-nnnn
	DefinitionClaim string   // C-nnnn
}

// A World is a Begriffswelt: labels are unique in it.
type World struct {
	ID          string // BW-nnnn
	Name        string
	Description string
}

// A Route is a domain that the router finds in a question.
type Route struct {
	Domain   string
	Keywords []string // that hit, sorted, as the router spells them
	Pages    []string // of the router's section, in its order
}
