package curate

import (
	"context"
	"slices"

	"outheis/tresor"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/router"
	"outheis/tresor/internal/txn"
)

// NewDomain makes the domain name, a folder below knowledge with its section in
// the router, which needs a keyword.
func NewDomain(ctx context.Context, dir, name string, keywords []string, o tresor.Options) (Done, error) {
	return change(ctx, dir, "new", o, func(p *plan) error {
		folder := profil.Knowledge + "/" + name
		switch {
		case !isName(name) || isReserved(name):
			return p.refuse("", "CU-13", name, proposal(name, "domaene"))
		case p.Tree.Exists(folder):
			return p.refuse("", "CU-20", name)
		}
		if len(keywords) == 0 {
			return p.refuse("keyword", "CU-21")
		}
		if slices.ContainsFunc(keywords, hasHidden) {
			return p.refuse("keyword", "CU-85")
		}
		p.add(txn.Target{Kind: txn.Folder, Path: folder, Mode: 0o755})
		p.done.Path = folder
		return p.edit(profil.RouterFile, func(b []byte) ([]byte, error) { return router.AddDomain(b, name, keywords) })
	})
}

// domains are the names of the domains.
func (p *plan) domains() []string {
	var names []string
	for _, name := range p.Tree.Names(profil.Knowledge) {
		if p.Tree.SafeDir(profil.Knowledge + "/" + name) {
			names = append(names, name)
		}
	}
	return names
}
