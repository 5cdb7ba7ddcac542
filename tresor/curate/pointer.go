package curate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"

	"outheis/tresor"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
	"outheis/tresor/internal/text"
)

// A Pointer is a source whose full text may not lie in the Tresor: what is
// registered is where it was found and when.
type Pointer struct {
	URL       string // http or https; it is not fetched
	Title     string
	Retrieved string // the day it was read; today
	Stand     string // date or version of the source
	Trust     string
	Rights    string
}

// NewPointer registers a record that points to a source elsewhere. Claims on it
// have been read there by a person; nobody can look them up here.
func NewPointer(ctx context.Context, dir string, s Pointer, o tresor.Options) (Done, error) {
	return change(ctx, dir, "new", o, func(p *plan) error {
		if s.Retrieved == "" {
			s.Retrieved = p.today()
		}
		switch u, err := url.Parse(s.URL); {
		case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || strings.ContainsFunc(s.URL, text.IsSpace):
			return p.refuse("", "CU-80", s.URL)
		case !text.IsDate(s.Retrieved):
			return p.refuse("retrieved", "CU-32", s.Retrieved)
		case !isCell(text.Trim(s.Title)):
			return p.refuse("title", "CU-81")
		case text.Trim(s.Stand) == "":
			return p.refuse("stand", "CU-71")
		case !register.IsTrust(s.Trust):
			return p.refuse("trust", "RM-1", s.Trust)
		case !register.RightsDecided(s.Rights):
			return p.refuse("rights", "RM-2")
		}
		id, err := p.nextSource()
		if err != nil {
			return err
		}
		record := s.record()
		digest := sha256.Sum256([]byte(record))
		path := profil.Raw + "/" + id + "__" + proposal(s.Title, "zeiger") + ".md"
		row := register.Source{ID: id, Title: text.Trim(s.Title), Stand: text.Trim(s.Stand), SHA256: hex.EncodeToString(digest[:]), Trust: s.Trust,
			Rights: text.Trim(s.Rights), Ablage: path}
		for other, known := range p.Bestand.Sources {
			if known.SHA256 == row.SHA256 {
				return p.refuse("", "CU-70", s.URL, other)
			}
		}
		p.done.ID, p.done.Path = id, path
		p.write(path, record)
		err = p.edit(profil.RegisterFile, func(b []byte) ([]byte, error) { return register.AppendSource(b, row) })
		if err != nil {
			return err
		}
		return p.log("ingest", id+" "+row.Title+": Zeiger registriert, Trust "+s.Trust+", Rechte: "+row.Rights)
	})
}

// record is the file in place of the source. Its text is German, as what a Tresor
// holds.
func (s Pointer) record() string {
	return "# " + text.Trim(s.Title) + "\n\nZeiger auf eine Quelle, deren Volltext hier nicht liegen darf.\n\n" +
		"* Adresse: " + s.URL + "\n* Abgerufen am: " + s.Retrieved + "\n* Stand der Quelle: " + text.Trim(s.Stand) + "\n* Rechte: " + text.Trim(s.Rights) + "\n"
}
