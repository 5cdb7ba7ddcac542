package curate

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"outheis/tresor"
	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/claim"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/router"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/txn"
	"outheis/tresor/internal/words"
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
		p.add(txn.Target{Kind: txn.Folder, Path: folder, Mode: 0o755})
		p.done.Path = folder
		return p.edit(profil.RouterFile, func(b []byte) ([]byte, error) { return router.AddDomain(b, name, keywords) })
	})
}

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
		return p.raise(page, c.Stand, 1)
	})
	return blame(done, err, "LK-", "text")
}

// noteTwins names the claims that say the same already, which may be meant.
func (p *plan) noteTwins(says string) {
	for _, id := range ids(p.Bestand.Claims) {
		if c := p.Bestand.Claims[id]; words.Norm(c.Text) == words.Norm(says) {
			p.note("CU-53", id, c.Page.Path)
		}
	}
}

func (p *plan) hasSource(id string) bool {
	_, local := p.Bestand.Sources[id]
	_, external := p.Bestand.Externals[id]
	return local || external
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
	version, ok := raised(page.Front.TextOf("version"), part)
	if !ok {
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

// raised adds one to a part of a version, from 0, and clears those behind it.
func raised(version string, part int) (string, bool) {
	if !profil.IsVersion(version) {
		return "", false
	}
	parts := strings.Split(version, ".")
	n, err := strconv.ParseInt(parts[part], 10, 64)
	if err != nil || !profil.IsVersion("0.0."+strconv.FormatInt(n+1, 10)) {
		return "", false
	}
	parts[part] = strconv.FormatInt(n+1, 10)
	for i := part + 1; i < len(parts); i++ {
		parts[i] = "0"
	}
	return strings.Join(parts, "."), true
}

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
