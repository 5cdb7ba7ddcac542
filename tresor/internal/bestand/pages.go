package bestand

import (
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/claim"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
	"outheis/tresor/internal/words"
)

// mandatory are the fields that each page has, in the order of messages.
var mandatory = []string{"type", "title", "domain", "status", "confidence", "version", "stand", "sources", "tags"}

var (
	listFields = []string{"sources", "tags", "relations", "concepts", "externe_quellen"}
	textFields = []string{"type", "title", "domain", "status", "confidence", "version", "stand", "geprueft_von", "geprueft_am"}
)

// loadPages reads all pages. One that is no UTF-8 or too large is left out, the
// others stay (deviations D-04 and D-09).
func (l *loader) loadPages() {
	below := l.tree.Below(profil.Knowledge)
	for i, e := range below {
		l.tree.Progress(StagePages, i, len(below))
		if !e.Safe() || profil.Suffix(path.Base(e.Path)) != ".md" {
			continue
		}
		s, err := l.tree.Text(e.Path)
		var size *tree.SizeError
		if errors.As(err, &size) {
			l.Unreadable(check.File(e.Path), err)
			continue
		}
		if err != nil {
			var found check.Findings
			found.Unreadable(check.Where{}, err)
			l.Error(check.Where{Label: profil.Knowledge, Path: e.Path}, "PG-0", e.Path, found.Errors[0].Sentence)
			continue
		}
		l.Odd(check.File(e.Path), s)
		l.loadPage(e, s)
	}
	l.checkTargets()
}

func (l *loader) loadPage(e *tree.Entry, s string) {
	p := &Page{Path: e.Path, Domain: path.Base(path.Dir(e.Path)), Name: path.Base(e.Path)}
	p.Front, p.Body, p.Offset = profil.ParseFrontMatter(p.Path, s, l.Findings)
	p.sources, p.externals = set(p.Front.ListOf("sources")), set(p.Front.ListOf("externe_quellen"))
	l.Pages = append(l.Pages, p)
	l.checkFields(p)
	l.checkPlace(p)
	l.checkValues(p)
	l.checkReview(p)
	l.checkItems(p)
	l.loadClaims(p)
	l.loadRelations(p)
	l.checkLinks(p)
}

// checkFields checks which fields there are, and their kinds.
func (l *loader) checkFields(p *Page) {
	where := check.File(p.Path)
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(p.Front)) {
		if !slices.Contains(listFields, name) && !slices.Contains(textFields, name) {
			unknown = append(unknown, name)
		}
	}
	if unknown != nil {
		l.Error(where, "PG-2", unknown)
	}
	for _, name := range mandatory {
		v := p.Front[name]
		if v.IsEmpty() && (name != "sources" || p.Front["externe_quellen"].IsEmpty()) {
			l.Error(where.On(v.Line), "PG-3", name)
		}
	}
	for _, name := range listFields {
		if v, ok := p.Front[name]; ok && !v.IsList {
			l.Error(where.On(v.Line), "PG-4", name)
		}
	}
	for _, name := range textFields {
		if v := p.Front[name]; v.IsList {
			l.Error(where.On(v.Line), "PG-5", name)
		}
	}
	if typ := p.Front.TextOf("type"); typ != "" && l.Types.Fields[typ] == nil {
		l.Error(where.On(p.Front["type"].Line), "PG-6", typ)
	}
}

// checkPlace checks where the page lies.
func (l *loader) checkPlace(p *Page) {
	where := check.File(p.Path)
	switch strings.ToLower(p.Name) {
	case "index.md", "log.md":
		l.Error(where, "PG-7", p.Name)
	}
	if strings.Count(p.Path, "/") != 2 {
		l.Error(where, "PG-8")
	} else if domain := p.Front["domain"]; domain.IsList || domain.Text != p.Domain {
		l.Error(where.On(domain.Line), "PG-9", p.Domain)
	}
}

func (l *loader) checkValues(p *Page) {
	where := check.File(p.Path)
	for _, field := range []struct {
		name, rule string
		ok         func(string) bool
	}{
		{"status", "PG-10", func(s string) bool { return s == "aktiv" || s == "in-pruefung" || s == "veraltet" }},
		{"confidence", "PG-11", func(s string) bool { return s == "hoch" || s == "mittel" || s == "niedrig" }},
		{"stand", "PG-12", text.IsDate},
		{"version", "PG-13", profil.IsVersion},
	} {
		if v := p.Front[field.name]; v.IsList || !field.ok(v.Text) {
			l.Error(where.On(v.Line), field.rule)
		}
	}
}

func (l *loader) checkReview(p *Page) {
	by, hasBy := p.Front["geprueft_von"]
	at, hasAt := p.Front["geprueft_am"]
	hasBy, hasAt = hasBy && !by.IsList, hasAt && !at.IsList
	where := check.File(p.Path)
	if hasBy != hasAt {
		l.Error(where.On(max(by.Line, at.Line)), "PG-14")
	}
	if hasBy {
		where := where.On(by.Line)
		if _, ok := l.Plain(where.Field(": geprueft_von"), by.Text, 128); !ok {
			// the form is wrong already
		} else if text.Signature(by.Text) {
			l.Error(where, "PG-16")
		} else if !profil.IsActor(by.Text) {
			l.Error(where, "PG-17", by.Text)
		}
	}
	if !hasAt {
		return
	}
	stand := p.Front.TextOf("stand")
	if !text.IsDate(at.Text) {
		l.Error(where.On(at.Line), "PG-18")
	} else if text.IsDate(stand) && at.Text < stand {
		l.Warn(where.On(at.Line), "PG-19", at.Text, stand)
	}
}

// checkItems checks the entries of the page's lists.
func (l *loader) checkItems(p *Page) {
	where := func(field string) check.Where { return check.File(p.Path).On(p.Front[field].Line) }
	for _, id := range p.Front.ListOf("sources") {
		if !profil.IsID("S", id) {
			l.Error(where("sources"), "PG-20", id)
		} else if _, ok := l.Sources[id]; !ok {
			l.Error(where("sources"), "PG-21", id)
		}
	}
	if externals := p.Front.ListOf("externe_quellen"); repeats(externals) {
		l.Error(where("externe_quellen"), "PG-22")
	}
	for _, id := range p.Front.ListOf("externe_quellen") {
		if !profil.IsID("X", id) {
			l.Error(where("externe_quellen"), "PG-23", id)
		} else if _, ok := l.Externals[id]; !ok {
			l.Error(where("externe_quellen"), "PG-24", id)
		}
	}
	for _, tag := range p.Front.ListOf("tags") {
		if words.Norm(tag) == "" {
			l.Error(where("tags"), "PG-25", tag)
		} else if strings.ContainsAny(tag, ",[]") {
			l.Error(where("tags"), "PG-26", tag)
		}
	}
	if repeats(p.Front.ListOf("concepts")) {
		l.Error(where("concepts"), "PG-27")
	}
	for _, id := range p.Front.ListOf("concepts") {
		if !profil.IsID("B", id) {
			l.Error(where("concepts"), "PG-28", id)
		} else if l.Concepts.Concepts[id] == nil {
			l.Error(where("concepts"), "PG-29", id)
		}
	}
}

func set(list []string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, s := range list {
		m[s] = true
	}
	return m
}

func repeats(list []string) bool {
	return len(slices.Compact(slices.Sorted(slices.Values(list)))) != len(list)
}

// Summary returns the page's Kurzfassung, its lines joined by blanks: the first
// paragraph of that section, without headings and claims in it.
func (p *Page) Summary() string {
	var lines []string
	inside := false
	for line := range strings.SplitSeq(p.Body, "\n") {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			if inside {
				break
			}
			inside = strings.ToLower(text.Trim(heading)) == "kurzfassung"
			continue
		}
		if !inside {
			continue
		}
		trimmed := text.Trim(line)
		switch {
		case trimmed == "" && lines != nil:
			return strings.Join(lines, " ")
		case trimmed == "" || trimmed[0] == '#' || claim.IsCandidate(line):
		default:
			lines = append(lines, trimmed)
		}
	}
	return strings.Join(lines, " ")
}
