package curate

import (
	"context"

	"outheis/tresor"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
	"outheis/tresor/internal/text"
)

// An External is a source outside of the Tresor that is to be listed, so that it
// can be read and cited at all.
type External struct {
	Title  string
	Kind   string // markdown-tree or skillsafe-vault
	Target string // an https prefix; "-", which is the default, for a folder of each machine
	Stand  string // date or version; of another Tresor with its scope
	Key    string // names the source for the bindings of all machines
	Trust  string
	Rights string
}

// NewExternal lists an external source. It supports nothing until it has anchors
// or a catalogue, which validation warns of.
func NewExternal(ctx context.Context, dir string, e External, o tresor.Options) (Done, error) {
	return change(ctx, dir, "new", o, func(p *plan) error {
		if !register.RightsDecided(e.Rights) {
			return p.refuse("rights", "RM-2")
		}
		id, err := p.newID("X", ids(p.Bestand.Externals), merge(p.logged("X"), p.released("X")))
		if err != nil {
			return err
		}
		row := register.External{ID: id, Title: text.Trim(e.Title), Art: e.Kind, Ziel: e.Target, Stand: text.Trim(e.Stand), Key: e.Key, Trust: e.Trust,
			Rights: text.Trim(e.Rights)}
		if row.Ziel == "" {
			row.Ziel = register.Local
		}
		p.done.ID, p.done.Path = id, profil.ExternFile
		err = p.edit(profil.ExternFile, func(b []byte) ([]byte, error) { return register.AppendExternal(b, row) })
		if err != nil {
			return err
		}
		return p.log("ingest", id+" "+row.Title+": aufgeführt, Trust "+row.Trust+", Rechte: "+row.Rights)
	})
}
