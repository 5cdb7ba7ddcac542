package curate

import (
	"context"
	"slices"
	"strings"

	"outheis/tresor"
	"outheis/tresor/internal/profil"
)

// A Relation is a new relation from one page to another.
type Relation struct {
	Page   string
	Type   string // of _relationstypen
	Target string // page
	Stand  string // of the page from now on; today
}

// NewRelation adds a relation to its page, whose Stand and, by one at the end,
// version are raised. One that is there already is refused.
func NewRelation(ctx context.Context, dir string, r Relation, o tresor.Options) (Done, error) {
	return change(ctx, dir, "new", o, func(p *plan) error {
		page, err := p.page(r.Page)
		if err != nil {
			return err
		}
		target, err := p.page(r.Target)
		switch {
		case err != nil:
			return p.refuse("target", "CU-28", r.Target)
		case !p.Bestand.Types.HasRelation(r.Type):
			return p.refuse("type", "CU-36", r.Type, p.Bestand.Types.Relations)
		case target == page:
			return p.refuse("target", "CU-37")
		}
		entry := r.Type + " -> " + strings.TrimPrefix(target.Path, profil.Knowledge+"/")
		if slices.Contains(page.Front.ListOf("relations"), entry) {
			return p.refuse("", "CU-38", page.Path, entry)
		}
		err = p.edit(page.Path, func(b []byte) ([]byte, error) { return profil.AddToList(page.Path, b, "relations", entry) })
		if err != nil {
			return err
		}
		p.done.Path = page.Path
		if r.Type == "ersetzt" && target.Front.TextOf("status") != "veraltet" {
			p.note("CU-39", target.Path)
		}
		return p.raise(page, r.Stand, 2)
	})
}
