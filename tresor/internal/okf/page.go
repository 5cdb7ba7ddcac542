package okf

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/claim"
	"outheis/tresor/internal/extern"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
)

// page returns a page of the bundle.
func page(b *bestand.Bestand, p *bestand.Page, withSources bool) string {
	return strings.Join(frontMatter(b, p, withSources), "\n") + "\n" + body(b, p)
}

// frontMatter returns the lines before the body.
func frontMatter(b *bestand.Bestand, p *bestand.Page, withSources bool) []string {
	lines := []string{"---", "type: " + scalar(p.Front.TextOf("type"))}
	set := func(name, value string) {
		if value != "" {
			lines = append(lines, name+": "+value)
		}
	}
	list := func(name string, items []string) {
		if len(items) > 0 {
			lines = append(lines, name+": ["+strings.Join(items, ", ")+"]")
		}
	}
	set("title", filled(p.Front.TextOf("title")))
	set("description", filled(description(p)))
	list("tags", each(p.Front.ListOf("tags"), flowScalar))
	set("status", status(p.Front.TextOf("status")))
	if by, at := p.Front.TextOf("geprueft_von"), p.Front.TextOf("geprueft_am"); by != "" && at != "" {
		set("verified", "{ by: "+flowScalar(actor(by))+", at: "+at+" }")
	}
	if entries := sourceEntries(b, p, withSources); entries != nil {
		lines = append(append(lines, "sources:"), entries...)
	}
	set("oksv_profile", profil.Name)
	set("oksv_domain", plainScalar(p.Front.TextOf("domain")))
	set("oksv_version", plainScalar(p.Front.TextOf("version")))
	set("oksv_confidence", plainScalar(p.Front.TextOf("confidence")))
	set("oksv_stand", plainScalar(p.Front.TextOf("stand")))
	concepts := p.Front.ListOf("concepts")
	list("oksv_concepts", concepts)
	var labels []string
	for _, id := range concepts {
		if c := b.Concepts.Concepts[id]; c != nil {
			labels = append(labels, flowScalar(c.Preferred))
		}
	}
	list("oksv_concept_labels", labels)
	return append(lines, "---")
}

// filled is the scalar of a text that is not empty.
func filled(s string) string {
	if s == "" {
		return ""
	}
	return scalar(s)
}

func each(list []string, f func(string) string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = f(s)
	}
	return out
}

func status(s string) string {
	switch s {
	case "veraltet":
		return "deprecated"
	case "in-pruefung":
		return "draft"
	}
	return "stable"
}

// actor names who reviewed a page as OKF does.
func actor(s string) string {
	for _, kind := range [][2]string{{"mensch:", "human:"}, {"prozess:", "process:"}, {"agent:", ""}} {
		if rest, ok := strings.CutPrefix(s, kind[0]); ok {
			return kind[1] + rest
		}
	}
	return s
}

// sourceEntries returns the lines of the page's sources, the external ones last.
func sourceEntries(b *bestand.Bestand, p *bestand.Page, withSources bool) []string {
	var lines []string
	entry := func(id, resource, title, stand, trust string) {
		lines = append(lines, "  - id: "+id, "    resource: "+scalar(resource))
		if title != "" {
			lines = append(lines, "    title: "+scalar(title))
		}
		if text.IsDate(stand) {
			lines = append(lines, "    last_modified: "+stand)
		}
		lines = append(lines, "    oksv_trust: "+cmp.Or(trust, "?"))
	}
	for _, id := range p.Front.ListOf("sources") {
		s := b.Sources[id]
		resource := "registered source " + id + ", file not exported"
		if withSources {
			resource = "/" + cmp.Or(s.Ablage, profil.Raw+"/"+id)
		}
		entry(id, resource, s.Title, s.Stand, s.Trust)
	}
	for _, id := range p.Front.ListOf("externe_quellen") {
		e := b.Externals[id]
		resource := "external reference " + id + ", " + cmp.Or(e.Title, id) + ", not exported"
		if e.ID != "" && e.IsNetwork() {
			resource = e.Ziel
		}
		entry(id, resource, e.Title, e.Stand, e.Trust)
		lines = append(lines, "    oksv_external_kind: "+cmp.Or(e.Art, "?"))
	}
	return lines
}

// maxDescription is the length of a description without an end of a sentence, in
// characters.
const maxDescription = 400

// description returns the first sentence of the Kurzfassung, or "". Headings and
// claims in it do not count (deviation D-83).
func description(p *bestand.Page) string {
	s := p.Summary()
	if first, ok := extern.FirstSentence(s); ok {
		return first
	}
	if utf8.RuneCountInString(s) <= maxDescription {
		return s
	}
	return strings.TrimRightFunc(string([]rune(s)[:maxDescription]), text.IsSpace) + " …"
}

// body returns the page's text with a footnote mark at every claim, its
// relations as links, and the footnotes.
func body(b *bestand.Bestand, p *bestand.Page) string {
	lines := strings.Split(p.Body, "\n")
	for i, line := range lines {
		if c, ok := claim.Parse(line); ok {
			lines[i] += "[^" + c.Source + "]"
		}
	}
	var s strings.Builder
	s.WriteString(strings.TrimRight(strings.Join(lines, "\n"), "\n"))
	if len(p.Relations) > 0 {
		s.WriteString("\n\n## Beziehungen\n")
		for _, r := range p.Relations {
			target := strings.TrimPrefix(r.Target, profil.Knowledge+"/")
			name := target[strings.LastIndexByte(target, '/')+1:]
			s.WriteString("\n- " + r.Type + ": [" + label(stem(name)) + "](/" + target + ")")
		}
		s.WriteString("\n")
	}
	if len(p.Claims) > 0 {
		s.WriteString("\n\n" + footnotes(b, p))
	}
	return strings.TrimRight(s.String(), "\n") + "\n"
}

// footnotes names each source of the page's claims once.
func footnotes(b *bestand.Bestand, p *bestand.Page) string {
	bySource := make(map[string][]*bestand.Claim)
	for _, c := range p.Claims {
		bySource[c.Source] = append(bySource[c.Source], c)
	}
	var s strings.Builder
	for _, id := range slices.Sorted(maps.Keys(bySource)) {
		title := b.Sources[id].Title
		if e, ok := b.Externals[id]; ok {
			title = e.Title
		}
		s.WriteString("[^" + id + "]: " + cmp.Or(title, id))
		if id[0] == 'X' {
			s.WriteString(" — " + places(b, id, bySource[id]))
		}
		s.WriteString("\n")
	}
	return s.String()
}

// places lists the sentences of an external source that claims cite.
func places(b *bestand.Bestand, id string, claims []*bestand.Claim) string {
	type place struct {
		document string
		sentence int
	}
	var list []place
	for _, c := range claims {
		if a, ok := b.Anchors[id][c.Anchor]; ok {
			list = append(list, place{a.Document, a.SentenceIndex})
		}
	}
	slices.SortFunc(list, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.document, b.document), cmp.Compare(a.sentence, b.sentence))
	})
	var names []string
	for _, at := range slices.Compact(list) {
		names = append(names, at.document+" Satz "+strconv.Itoa(at.sentence))
	}
	return strings.Join(names, ", ")
}
