package curate

import (
	"context"
	"strings"

	"outheis/tresor"
	"outheis/tresor/internal/claim"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/words"
)

// A Claim is a new claim.
type Claim struct {
	Page       string // domain/name, also as a path
	Source     string // S-nnnn or X-nnnn
	Fundstelle string
	Art        string // Wortlaut, Beobachtung or Auslegung
	Text       string
	Stand      string // of the page from now on; today
}

// NewClaim adds a claim to its page, behind those that are there. The page also
// lists its source; its Stand and, by one in the middle, its version are raised.
func NewClaim(ctx context.Context, dir string, c Claim, o tresor.Options) (Done, error) {
	done, err := change(ctx, dir, "new", o, func(p *plan) error {
		page, err := p.page(c.Page)
		if err != nil {
			return err
		}
		switch {
		case !oneOf(c.Art, claim.Wortlaut, claim.Beobachtung, claim.Auslegung):
			return p.refuse("art", "CU-29", c.Art)
		case !p.hasSource(c.Source):
			return p.refuse("source", "CU-30", c.Source)
		case strings.ContainsAny(c.Fundstelle, "|]"):
			return p.refuse("fundstelle", "CU-31")
		}
		id, err := p.nextClaim()
		if err != nil {
			return err
		}
		line := claim.Claim{ID: id, Source: c.Source, Fundstelle: text.Trim(c.Fundstelle), Art: c.Art, Text: text.Trim(c.Text)}
		err = p.edit(page.Path, func(b []byte) ([]byte, error) {
			b, err := profil.AddToList(page.Path, b, sourceField(c.Source), c.Source)
			if err == nil {
				b, err = claim.Insert(page.Path, b, line)
			}
			return b, err
		})
		if err != nil {
			return err
		}
		p.done.ID, p.done.Path = id, page.Path
		p.noteTwins(line.Text)
		if err := p.raise(page, c.Stand, 1); err != nil {
			return err
		}
		return p.logGiven(id+" in "+page.Path, c.Source)
	})
	return blame(done, err, "LK-", "text")
}

// noteTwins names the claims that say the same already, which may be meant.
func (p *plan) noteTwins(says string) {
	same := words.Norm(says)
	for _, id := range ids(p.Bestand.Claims) {
		if c := p.Bestand.Claims[id]; words.Norm(c.Text) == same {
			p.note("CU-53", id, c.Page.Path)
		}
	}
}

func (p *plan) hasSource(id string) bool {
	_, local := p.Bestand.Sources[id]
	_, external := p.Bestand.Externals[id]
	return local || external
}
