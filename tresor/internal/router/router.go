// Package router reads and edits ROUTER.md, the keywords by which a person guides
// questions to domains, and routes a question by them (1-format section 7,
// 4-retrieval section 2). A route is a suggestion, no judgement.
package router

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
)

// A Domain is a section of the router.
type Domain struct {
	Name     string
	Keywords []string // lower case
	Pages    []string // as written
	Line     int      // of the heading

	normal      []string // the keywords in normal form
	keywordLine int      // of the keywords that count, from 1; 0 without any
	pageLine    int      // of the last page; 0 without any
}

// A Router holds the sections of the file. The zero Router has none.
type Router struct {
	domains []*Domain // in the order of the file
	byName  map[string]*Domain
}

// Load reads the router, which must exist.
func Load(t *tree.Tree, f *check.Findings) Router {
	if !t.SafeFile(profil.RouterFile) {
		f.Error(check.File(profil.RouterFile), "RO-1")
		return Router{}
	}
	s, ok := f.Text(t, profil.RouterFile)
	if !ok {
		return Router{}
	}
	return Parse(s, f)
}

// Parse reads a router. A domain that occurs twice is an error, and its second
// section is left out.
func Parse(s string, f *check.Findings) Router {
	r := Router{byName: make(map[string]*Domain)}
	var open *Domain
	for i, line := range strings.Split(s, "\n") {
		line = text.Trim(line)
		if name, ok := strings.CutPrefix(line, "## "); ok {
			name = text.Trim(name)
			if open = nil; r.Domain(name) != nil {
				f.Error(check.Line(profil.RouterFile, i+1), "RO-2", name)
				continue
			}
			open = &Domain{Name: name, Line: i + 1}
			r.domains = append(r.domains, open)
			r.byName[name] = open
			continue
		}
		if open == nil {
			continue
		}
		if list, ok := strings.CutPrefix(line, "schlagworte:"); ok {
			open.Keywords, open.normal = keywords(list)
			open.keywordLine = i + 1
		} else if strings.HasPrefix(line, "- knowledge/") {
			open.Pages, open.pageLine = append(open.Pages, text.Trim(line[len("- "):])), i+1
		}
	}
	return r
}

// keywords splits a list of keywords and returns them in lower case and in normal
// form. It folds the list as a whole, which gives the same as word by word.
func keywords(list string) (words, normal []string) {
	list = lower(list)
	normalised := strings.Split(normalise(list), ",")
	for i, word := range strings.Split(list, ",") {
		if word = text.Trim(word); word != "" {
			words, normal = append(words, word), append(normal, text.Trim(normalised[i]))
		}
	}
	return words, normal
}

// Domain returns the section of a domain, or nil.
func (r Router) Domain(name string) *Domain { return r.byName[name] }

// Domains returns the sections by name.
func (r Router) Domains() []*Domain {
	return slices.SortedFunc(slices.Values(r.domains), func(a, b *Domain) int { return strings.Compare(a.Name, b.Name) })
}

// A Hit is a domain whose keywords occur in a question.
type Hit struct {
	*Domain
	Found []string // the keywords, sorted
}

// Route returns the domains that the question touches, by name.
func (r Router) Route(question string) []Hit {
	question = normalise(question)
	var hits []Hit
	for _, d := range r.Domains() {
		var found []string
		for i, keyword := range d.normal {
			if occurs(question, keyword) {
				found = append(found, d.Keywords[i])
			}
		}
		if slices.Sort(found); found != nil {
			hits = append(hits, Hit{d, slices.Compact(found)})
		}
	}
	return hits
}

// occurs reports whether the keyword is anywhere in the question, inside of
// words too: that finds German compounds and endings. One of less than four
// characters must stand alone (deviation D-36).
func occurs(question, keyword string) bool {
	if keyword == "" {
		return false
	}
	if utf8.RuneCountInString(keyword) >= 4 {
		return strings.Contains(question, keyword)
	}
	for from := 0; ; {
		i := strings.Index(question[from:], keyword)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(keyword)
		before, _ := utf8.DecodeLastRuneInString(question[:start])
		after, _ := utf8.DecodeRuneInString(question[end:])
		if (start == 0 || !alnum(before)) && (end == len(question) || !alnum(after)) {
			return true
		}
		_, n := utf8.DecodeRuneInString(question[start:])
		from = start + n
	}
}

func alnum(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss")

// normalise is the router's own normal form; punctuation stays.
func normalise(s string) string { return text.CollapseSpace(umlauts.Replace(lower(s))) }

// lower is full Unicode lower-casing, which strings.ToLower is not.
func lower(s string) string { return cases.Lower(language.Und).String(s) }
