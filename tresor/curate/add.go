package curate

import (
	"context"
	"io"
	"os"
	"strings"

	"outheis/tresor"
	"outheis/tresor/internal/medien"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/txn"
)

// A Source is a file that is to become a source, and what a person decides about
// it. Stand, trust and rights have no default: who takes in a source says them.
type Source struct {
	File   string // anywhere on disk
	Name   string // in the Tresor, behind the ID; the name of the file
	Title  string // the first heading, else from the name
	Stand  string // its date or version
	Trust  string // T1, T2 or T3
	Rights string // what may be done with it
	Medium Medium // for images and PDFs
}

// An Added is a source that was taken in.
type Added struct {
	ID    string // S-nnnn
	File  string // as it was given
	Path  string // in the Tresor
	Title string
	Moved bool // out of the quarantine; otherwise the file stays where it is
	// Open are the fields of its description that a person has still to fill in,
	// without which the Tresor is not valid.
	Open       []string
	Suspicions []Suspicion // what reads like an instruction in it; a report only
	Opaque     bool        // it is no text that can be looked through for them
}

// Add takes files in as sources: hashed, registered and laid under sources/raw,
// all of them or none, in one transaction. A file in the quarantine is moved, one
// that lies in sources/raw without a row registered there, any other copied; what
// bears the number of a row that was lost keeps it. Images and PDFs get their description; one that is not
// complete and verified is written as an open draft, and the Tresor is not valid
// until a person has completed it. What may not be taken in, and what the
// register or validation would refuse, is a [*Refusal].
func Add(ctx context.Context, dir string, sources []Source, o tresor.Options) (Done, []Added, error) {
	files := make([]*file, len(sources))
	defer func() {
		for _, f := range files {
			f.close()
		}
	}()
	for i, s := range sources {
		f, err := examine(ctx, s.File, s.Name, o)
		if err != nil {
			return Done{}, nil, err
		}
		files[i] = f
	}
	var added []Added
	done, err := mend(ctx, dir, "add", o, awaitedBy(files), func(p *plan) error {
		added = nil
		known := make(map[string]string) // the ID for a hash
		for id, s := range p.Bestand.Sources {
			known[s.SHA256] = id
		}
		for i, f := range files {
			if id := known[f.digest]; id != "" {
				return p.refuse("", "CU-70", f.path, id)
			}
			a, err := p.take(f, sources[i])
			if err != nil {
				return err
			}
			known[f.digest] = a.ID
			added = append(added, a)
		}
		return nil
	})
	if err != nil {
		return Done{}, nil, err
	}
	if len(added) > 0 {
		done.ID, done.Path = added[0].ID, added[0].Path
	}
	return done, added, nil
}

// take adds one file to the plan.
func (p *plan) take(f *file, s Source) (Added, error) {
	id, err := p.sourceFor(f)
	if err != nil {
		return Added{}, err
	}
	a := Added{ID: id, File: s.File, Path: profil.Raw + "/" + id + "__" + f.name, Title: text.Trim(s.Title), Suspicions: f.suspicions, Opaque: f.opaque}
	if a.Title == "" {
		a.Title = f.title
	}
	row := register.Source{ID: id, Title: a.Title, Stand: text.Trim(s.Stand), SHA256: f.digest, Trust: s.Trust, Rights: text.Trim(s.Rights), Ablage: a.Path}
	switch {
	case row.Stand == "":
		return a, p.refuse("stand", "CU-71")
	case !register.IsTrust(s.Trust):
		return a, p.refuse("trust", "RM-1", s.Trust)
	case !register.RightsDecided(s.Rights):
		return a, p.refuse("rights", "RM-2")
	}
	err = p.edit(profil.RegisterFile, func(b []byte) ([]byte, error) { return register.AppendSource(b, row) })
	if err != nil {
		return a, err
	}
	p.Bestand.Sources[id] = row // the next file takes the next ID
	if a.Moved, err = p.place(f, a.Path); err != nil {
		return a, err
	}
	says := id + " " + a.Title + ": registriert, Trust " + s.Trust + ", Rechte: " + row.Rights
	if mediaType := medien.TypeOf(f.name); mediaType != "" && !p.Tree.Exists(medien.Path(id)) {
		d, open, err := p.describe(id, f.digest, mediaType, s.Medium)
		if err != nil {
			return a, err
		}
		b, err := d.Render()
		if err != nil {
			return a, err
		}
		p.write(medien.Path(id), string(b))
		if a.Open = open; open != nil {
			p.note("CU-65", medien.Path(id), open)
		}
		if len(s.Medium.Regions) > 0 { // which are given, as [plan.logGiven] says
			says += ", Regionen: " + regionID(1)
			for i := range s.Medium.Regions[1:] {
				says += " " + regionID(i+2)
			}
		}
	}
	return a, p.log("ingest", says)
}

// place brings the file to its path: from within the Tresor, or as a copy.
func (p *plan) place(f *file, path string) (moved bool, err error) {
	inside, err := p.inside(f)
	if err != nil {
		return false, err
	}
	if inside == "" {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return false, p.refuse("", "CU-72", f.path, err)
		}
		p.add(txn.Target{Path: path, Reader: io.LimitReader(f.File, f.size+1), SHA256: f.digest, Mode: 0o644})
		return false, nil
	}
	if inside == path {
		return false, nil // it is there
	}
	if !strings.HasPrefix(inside, profil.Quarantine+"/") && !p.isOrphan(inside) {
		return false, p.refuse("", "CU-73", inside)
	}
	if inside == profil.Quarantine+"/README.md" {
		return false, p.refuse("", "CU-74", inside)
	}
	if p.Tree.Entry(inside) != nil && p.Tree.Entry(inside).Exec { // which it would keep
		return false, p.refuse("", "CU-83", inside)
	}
	p.add(txn.Target{Kind: txn.Move, From: inside, Path: path, SHA256: f.digest})
	return true, nil
}

// close closes the file; nil is fine.
func (f *file) close() {
	if f != nil {
		_ = f.File.Close() // it was only read
	}
}

// A file is one that is to be taken in, examined and open.
type file struct {
	*os.File
	path, name string
	size       int64
	digest     string
	title      string
	suspicions []Suspicion
	opaque     bool // see [Examination]
}
