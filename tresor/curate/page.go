package curate

import (
	"context"
	"slices"
	"strings"

	"outheis/tresor"
	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/claim"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/router"
	"outheis/tresor/internal/text"
)

// A Page is a new page, before it has claims. Empty fields have defaults where
// the comment says so.
type Page struct {
	Domain string // which there must be
	Name   string // of the file, without its suffix
	Title  string
	Type   string
	// Sources are S- and X-IDs. A page needs one, and further ones come with its
	// claims.
	Sources    []string
	Tags       []string // the name of the page
	Concepts   []string // none
	Keywords   []string // further keywords of the domain; none
	Summary    string   // the Kurzfassung; none yet
	Status     string   // aktiv
	Confidence string   // mittel
	Stand      string   // today
}

// NewPage makes a page and lists it in the router.
func NewPage(ctx context.Context, dir string, page Page, o tresor.Options) (Done, error) {
	done, err := change(ctx, dir, "new", o, func(p *plan) error {
		path := pagePath(page.Domain, page.Name)
		switch {
		case !isName(page.Name) || isReserved(page.Name):
			return p.refuse("", "CU-22", page.Name, proposal(page.Name, "seite"))
		case !p.Tree.SafeDir(profil.Knowledge + "/" + page.Domain):
			return p.refuse("", "CU-23", page.Domain, p.domains())
		case p.Tree.Exists(path):
			return p.refuse("", "CU-24", path)
		case p.Bestand.Types.Fields[page.Type] == nil:
			return p.refuse("type", "CU-25", page.Type, ids(p.Bestand.Types.Fields))
		case text.IsBlank(page.Title):
			return p.refuse("title", "PG-3", "title")
		case hasHidden(page.Title):
			return p.refuse("title", "CU-85")
		case slices.ContainsFunc(page.Keywords, hasHidden):
			return p.refuse("keyword", "CU-85")
		case len(page.Sources) == 0:
			return p.refuse("source", "CU-26")
		case strings.Contains(page.Summary, "\n## ") || hasClaim(page.Summary):
			return p.refuse("summary", "CU-27")
		}
		head, err := page.front(p.today()).Render(path)
		if err != nil {
			return err
		}
		p.write(path, head+page.body())
		p.done.Path = path
		return p.edit(profil.RouterFile, func(b []byte) ([]byte, error) {
			b, err := router.AddPage(b, page.Domain, path)
			for _, word := range page.Keywords {
				if err == nil {
					b, err = router.AddKeyword(b, page.Domain, word)
				}
			}
			return b, err
		})
	})
	return blame(done, err, "LK-", "summary")
}

func (page Page) front(today string) profil.FrontMatter {
	m := profil.FrontMatter{}
	for _, field := range [][3]string{{"type", page.Type}, {"title", page.Title}, {"domain", page.Domain},
		{"status", page.Status, "aktiv"}, {"confidence", page.Confidence, "mittel"}, {"version", "1.0.0"}, {"stand", page.Stand, today}} {
		value := field[1]
		if value == "" {
			value = field[2]
		}
		m[field[0]] = profil.Value{Text: value}
	}
	tags := page.Tags
	if len(tags) == 0 {
		tags = []string{page.Name}
	}
	lists := map[string][]string{"tags": tags, "concepts": page.Concepts}
	for _, id := range page.Sources {
		field := sourceField(id)
		lists[field] = append(lists[field], id)
	}
	for field, list := range lists {
		if len(list) > 0 {
			m[field] = profil.Value{IsList: true, List: list}
		}
	}
	return m
}

// sourceField is the field of the front matter that a source belongs in.
func sourceField(id string) string {
	if strings.HasPrefix(id, "X-") {
		return "externe_quellen"
	}
	return "sources"
}

func (page Page) body() string {
	s := "\n# " + page.Title + "\n\n## Kurzfassung\n"
	if summary := text.Trim(page.Summary); summary != "" {
		s += summary + "\n"
	}
	return s + "\n## Claims\n"
}

func hasClaim(s string) bool {
	return slices.ContainsFunc(strings.Split(s, "\n"), claim.IsCandidate)
}

// page returns the page that a curator names.
func (p *plan) page(name string) (*bestand.Page, error) {
	domain, file, ok := SplitPage(name)
	if ok {
		for _, page := range p.Bestand.Pages {
			if page.Path == pagePath(domain, file) {
				return page, nil
			}
		}
	}
	return nil, p.refuse("", "CU-28", name)
}

// raise sets the Stand of a page that is changed and raises part of its version:
// 1 is the middle, 2 the last. A page whose Stand was later than that keeps it.
func (p *plan) raise(page *bestand.Page, stand string, part int) error {
	old := page.Front.TextOf("stand")
	if stand == "" {
		stand = max(p.today(), old)
	}
	if !text.IsDate(stand) {
		return p.refuse("stand", "CU-32", stand)
	}
	version, err := profil.RaiseVersion(page.Front.TextOf("version"), part)
	if err != nil {
		return p.refuse("", "CU-33", page.Path)
	}
	if at := page.Front.TextOf("geprueft_am"); at != "" && at < stand {
		p.note("CU-34", page.Path, at)
	}
	p.note("CU-35", page.Path, stand, version)
	return p.edit(page.Path, func(b []byte) ([]byte, error) {
		b, err := profil.SetText(page.Path, b, "stand", stand)
		if err == nil {
			b, err = profil.SetText(page.Path, b, "version", version)
		}
		return b, err
	})
}
