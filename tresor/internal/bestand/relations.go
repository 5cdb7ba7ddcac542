package bestand

import (
	"strings"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/profil"
)

// loadRelations reads the relations of a page and keeps those that lead to a
// file; whether it is a page shows when all are read.
func (l *loader) loadRelations(p *Page) {
	where := check.File(p.Path).On(p.Front["relations"].Line)
	for _, entry := range p.Front.ListOf("relations") {
		typ, target, ok := profil.ParseRelation(entry)
		if !ok {
			l.Error(where, "RL-1", entry)
			continue
		}
		if !l.Types.HasRelation(typ) {
			l.Error(where, "RL-2", typ)
		}
		if !isPageTarget(target) {
			l.Error(where, "RL-3", target)
			continue
		}
		file, reason := l.tree.Rel(profil.Knowledge, target)
		if reason != "" {
			l.Error(where, "RL-4", target, check.PathReason(reason))
			continue
		}
		if !l.tree.IsFile(file) {
			l.Error(where, "RL-5", target)
			continue
		}
		p.Relations = append(p.Relations, Relation{typ, profil.Knowledge + "/" + target})
	}
}

// isPageTarget reports whether s is domain and page, as far as its form goes.
func isPageTarget(s string) bool {
	parts := 0
	name := ""
	if strings.HasPrefix(s, "/") {
		parts++
	}
	for part := range strings.SplitSeq(s, "/") {
		if part != "" && part != "." {
			parts++
			name = part
		}
	}
	return parts == 2 && profil.Suffix(name) == ".md"
}

// checkTargets checks that relations lead to pages that were read.
func (l *loader) checkTargets() {
	pages := make(map[string]bool, len(l.Pages))
	for _, p := range l.Pages {
		pages[p.Path] = true
	}
	for _, p := range l.Pages {
		for _, r := range p.Relations {
			if !pages[r.Target] {
				l.Error(check.File(p.Path).On(p.Front["relations"].Line), "RL-6", r.Target)
			}
		}
	}
}
