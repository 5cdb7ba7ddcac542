package curate

import (
	"context"
	"slices"

	"outheis/tresor"
	"outheis/tresor/internal/begriffe"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
)

// NewWorld makes a Begriffswelt, the vocabulary of one field.
func NewWorld(ctx context.Context, dir, name, description string, o tresor.Options) (Done, error) {
	return change(ctx, dir, "new", o, func(p *plan) error {
		for id, w := range p.Bestand.Concepts.Worlds {
			if w.Name == text.Trim(name) {
				return p.refuse("", "CU-44", id, w.Name)
			}
		}
		id, err := p.nextWorld()
		if err != nil {
			return err
		}
		p.done.ID, p.done.Path = id, profil.ConceptsFile
		err = p.edit(profil.ConceptsFile, func(b []byte) ([]byte, error) {
			return begriffe.AddWorld(b, begriffe.World{ID: id, Name: text.Trim(name), Description: text.Trim(description)})
		})
		if err != nil {
			return err
		}
		return p.logGiven("Begriffswelt "+id, text.Trim(name))
	})
}

// A Concept is a new Begriff.
type Concept struct {
	Preferred string
	World     string   // BW-nnnn; may be "" if there is only one
	Aliases   []string // further names
	Broader   []string // B-nnnn
	Related   []string // B-nnnn
	// Definition is the claim that says what the concept means. Its page lists the
	// concept from now on.
	Definition string
}

// NewConcept makes a concept and lists it on the page of its definition, whose
// Stand does not change: the page says what it said.
func NewConcept(ctx context.Context, dir string, c Concept, o tresor.Options) (Done, error) {
	return change(ctx, dir, "new", o, func(p *plan) error {
		worlds := p.Bestand.Concepts.Worlds
		if c.World == "" && len(worlds) == 1 {
			for id := range worlds {
				c.World = id
			}
		}
		claim := p.Bestand.Claims[c.Definition]
		switch _, ok := worlds[c.World]; {
		case len(worlds) == 0:
			return p.refuse("world", "CU-45")
		case !ok:
			return p.refuse("world", "CU-46", c.World, ids(worlds))
		case claim == nil:
			return p.refuse("definition", "CU-47", c.Definition)
		}
		for field, list := range map[string][]string{"broader": c.Broader, "related": c.Related} {
			for _, to := range list {
				if target := p.Bestand.Concepts.Concepts[to]; target == nil || target.World != c.World {
					return p.refuse(field, "CU-48", to, c.World)
				}
			}
		}
		id, err := p.nextConcept()
		if err != nil {
			return err
		}
		err = p.edit(profil.ConceptsFile, func(b []byte) ([]byte, error) {
			return begriffe.AddConcept(b, begriffe.Concept{ID: id, World: c.World, Preferred: text.Trim(c.Preferred), Aliases: slices.Concat([]string{}, c.Aliases),
				Broader: slices.Concat([]string{}, c.Broader), Related: slices.Concat([]string{}, c.Related), DefinitionClaim: c.Definition})
		})
		if err != nil {
			return err
		}
		p.done.ID, p.done.Path = id, profil.ConceptsFile
		page := claim.Page
		err = p.edit(page.Path, func(b []byte) ([]byte, error) { return profil.AddToList(page.Path, b, "concepts", id) })
		if err != nil {
			return err
		}
		return p.logGiven("Begriff "+id+" in "+c.World, text.Trim(c.Preferred)+", "+c.Definition)
	})
}
