package tresor

import (
	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/graph"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
)

// Stats are the numbers of a Tresor. A value that a page lacks counts as "?", a
// list where a text belongs as that list in brackets (deviation D-75).
type Stats struct {
	Pages, Claims, Sources, Edges      int
	Errors, Warnings                   int
	Worlds, Concepts, Media            int
	External, Anchors, Catalogues      int
	Domains, Types, Status, TrustTiers map[string]int // pages by value
}

// Count returns the numbers of the Tresor in dir, also of a broken one. Only
// where dir is no readable folder there is an error, an [*InvalidError].
func Count(dir string, o Options) (Stats, error) {
	t, err := o.open(dir)
	if err != nil {
		return Stats{}, unreadable(dir, err, o)
	}
	defer t.Close()
	b, found := bestand.Load(t)
	s := Stats{
		Pages: len(b.Pages), Claims: len(b.Claims), Sources: len(b.Sources), Edges: len(graph.Edges(b.Pages)),
		Errors: len(found.Errors), Warnings: len(found.Warnings),
		Worlds: len(b.Concepts.Worlds), Concepts: len(b.Concepts.Concepts), Media: len(b.Media),
		External: len(b.Externals), Catalogues: len(b.Catalogues),
		Domains: map[string]int{}, Types: map[string]int{}, Status: map[string]int{}, TrustTiers: map[string]int{},
	}
	for _, anchors := range b.Anchors {
		s.Anchors += len(anchors)
	}
	for _, p := range b.Pages {
		s.Domains[valueOf(p, "domain")]++
		s.Types[valueOf(p, "type")]++
		s.Status[valueOf(p, "status")]++
		s.TrustTiers[profil.TrustTier(p.Front.TextOf("geprueft_von"))]++
	}
	return s, nil
}

func valueOf(p *bestand.Page, field string) string {
	v, ok := p.Front[field]
	switch {
	case !ok:
		return "?"
	case v.IsList:
		return text.ReprList(v.List)
	}
	return v.Text
}

// Verify compares the Tresor in dir with its manifest. It returns the
// differences, and without one the number of files that the manifest pins. A
// filled quarantine is an [*InvalidError]: what lies there was never pinned.
func Verify(dir string, o Options) (differences []Finding, files int, err error) {
	t, err := o.open(dir)
	if err != nil {
		return nil, 0, unreadable(dir, err, o)
	}
	defer t.Close()
	v := verify(t, o)
	if v.Quarantine != nil {
		return nil, 0, &InvalidError{State: InvalidVault, Name: t.Name(), Findings: v.Quarantine}
	}
	return v.Differences, v.Files, nil
}

// Suggest routes a question by the keywords of the Tresor in dir, which needs to
// be valid but not released; see [Snapshot.Route]. One that is not valid gives an
// [*InvalidError].
func Suggest(dir, question string, o Options) ([]Route, error) {
	t, err := o.open(dir)
	if err != nil {
		return nil, unreadable(dir, err, o)
	}
	defer t.Close()
	b, err := loadValid(t, o)
	if err != nil {
		return nil, err
	}
	return routes(b, question), nil
}
