// Package index derives INDEX.md, the map of a Tresor for people, from its
// pages (3-artefacts section 1). Its bytes are part of the format.
package index

import (
	"slices"
	"strings"

	"outheis/tresor/internal/bestand"
)

const head = `# INDEX — Navigations-Map des Wissenstresors

<!-- Generiert durch scripts/vault.py index — NICHT von Hand editieren. -->
<!-- Manuelle Audit-Map; für Abfragen zuerst vault.py query, dann Kandidatenseiten lesen. -->
`

const table = `| Seite | Typ | Status | Konfidenz | Stand | Titel |
|---|---|---|---|---|---|
`

// Render returns INDEX.md for pages in path order. Titles are not escaped.
func Render(pages []*bestand.Page) []byte {
	domains := make(map[string][]*bestand.Page)
	var names []string
	for _, p := range pages {
		domain := p.Front.TextOf("domain")
		if domain == "" {
			domain = "?"
		}
		if domains[domain] == nil {
			names = append(names, domain)
		}
		domains[domain] = append(domains[domain], p)
	}
	slices.Sort(names)
	var b strings.Builder
	b.WriteString(head)
	for _, name := range names {
		b.WriteString("\n## " + name + "\n\n" + table)
		for _, p := range domains[name] {
			b.WriteString("| [" + p.Name + "](" + p.Path + ")")
			for _, field := range []string{"type", "status", "confidence", "stand", "title"} {
				b.WriteString(" | " + p.Front.TextOf(field))
			}
			b.WriteString(" |\n")
		}
	}
	return []byte(b.String())
}
