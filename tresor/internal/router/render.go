package router

import (
	"slices"
	"strings"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/lines"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
)

// Render returns the router as a file, its domains in the order of the file it
// was read from. What a line cannot hold gives a [*check.Refusal].
func (r Router) Render() (string, error) {
	s := "# Router\n"
	for _, d := range r.domains {
		s += "\n## " + d.Name + "\nschlagworte: " + strings.Join(d.Keywords, ", ") + "\nseiten:\n"
		for _, page := range d.Pages {
			s += "- " + page + "\n"
		}
	}
	return s, readsBack(s, r)
}

// AddDomain returns the router in b with a new section at its end. All other
// bytes stay. A router with errors, a domain that has a section, no keyword at
// all, and what a line cannot hold give a [*check.Refusal].
func AddDomain(b []byte, name string, keywords []string) ([]byte, error) {
	return edit(b, func(f *lines.File, r *Router) error {
		if r.byName[name] != nil {
			return check.Refuse(check.File(profil.RouterFile), "RO-2", name)
		}
		d := &Domain{Name: name}
		for _, word := range keywords {
			d.Keywords = append(d.Keywords, lower(word))
		}
		if len(d.Keywords) == 0 {
			return check.Refuse(check.File(profil.RouterFile).Field(" ["+name+"]"), "RO-6")
		}
		block := []string{"## " + name, "schlagworte: " + strings.Join(d.Keywords, ", "), "seiten:"}
		if last := f.Len() - 1; f.LastFilled(last) >= last-1 {
			block = slices.Insert(block, 0, "")
		}
		f.Append(block...)
		r.domains = append(r.domains, d)
		return nil
	})
}

// AddKeyword returns the router in b with a keyword more in a domain's section.
// One that is there already, whatever its case, changes nothing. Otherwise like
// [AddDomain].
func AddKeyword(b []byte, domain, keyword string) ([]byte, error) {
	return edit(b, func(f *lines.File, r *Router) error {
		d, err := r.section(domain)
		if err != nil || slices.Contains(d.Keywords, lower(keyword)) {
			return err
		}
		switch {
		case d.keywordLine == 0:
			f.InsertAfter(d.Line-1, "schlagworte: "+keyword)
		case d.Keywords == nil:
			f.Set(d.keywordLine-1, "schlagworte: "+keyword)
		default:
			line := strings.TrimRight(f.Text(d.keywordLine-1), ", \t")
			f.Set(d.keywordLine-1, line+", "+keyword)
		}
		d.Keywords = append(slices.Clone(d.Keywords), lower(keyword))
		return nil
	})
}

// AddPage returns the router in b with a page, as "knowledge/a/b.md", in the
// section of its domain, behind the pages there. One that is there already
// changes nothing. Otherwise like [AddDomain].
func AddPage(b []byte, domain, page string) ([]byte, error) {
	return edit(b, func(f *lines.File, r *Router) error {
		d, err := r.section(domain)
		if err != nil || slices.Contains(d.Pages, page) {
			return err
		}
		if !strings.HasPrefix(page, profil.Knowledge+"/"+domain+"/") {
			return check.Refuse(check.File(profil.RouterFile).Field(" ["+domain+"]"), "RO-9", page)
		}
		f.InsertAfter(d.lastLine(f)-1, "- "+page)
		d.Pages = append(slices.Clone(d.Pages), page)
		return nil
	})
}

func (r *Router) section(domain string) (*Domain, error) {
	d := r.byName[domain]
	if d == nil {
		return nil, check.Refuse(check.File(profil.RouterFile), "RO-4", domain)
	}
	return d, nil
}

// lastLine returns the line, from 1, behind which a page of the domain belongs.
func (d *Domain) lastLine(f *lines.File) int {
	if d.pageLine > 0 {
		return d.pageLine
	}
	last := max(d.Line, d.keywordLine)
	if last < f.Len() && text.Trim(f.Text(last)) == "seiten:" {
		last++
	}
	return last
}

func edit(b []byte, change func(*lines.File, *Router) error) ([]byte, error) {
	f, err := lines.Parse(profil.RouterFile, b)
	if err != nil {
		return nil, err
	}
	var found check.Findings
	r := Parse(f.Decoded(), &found)
	if err := found.Refused(); err != nil {
		return nil, err
	}
	if err := change(f, &r); err != nil {
		return nil, err
	}
	if err := readsBack(f.Decoded(), r); err != nil {
		return nil, err
	}
	return f.Bytes()
}

// readsBack checks that s is the router r.
func readsBack(s string, r Router) error {
	var found check.Findings
	got := Parse(s, &found)
	if err := found.Refused(); err != nil {
		return err
	}
	same := text.InvalidAt([]byte(s)) < 0 && !strings.Contains(s, "\r") && slices.EqualFunc(got.domains, r.domains, func(a, b *Domain) bool {
		return a.Name == b.Name && slices.Equal(a.Keywords, b.Keywords) && slices.Equal(a.Pages, b.Pages)
	})
	if !same {
		return check.Refuse(check.File(profil.RouterFile), "ED-8")
	}
	return nil
}
