package bestand

import (
	"slices"
	"strings"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
)

// checkDefinitions checks that each concept is defined by a claim on a page that
// carries it.
func (l *loader) checkDefinitions() {
	where := check.File(profil.ConceptsFile)
	for _, id := range l.Concepts.IDs() {
		definition := l.Concepts.Concepts[id].DefinitionClaim
		c := l.Claims[definition]
		if c == nil {
			l.Error(where, "CD-1", id, definition)
		} else if !slices.Contains(c.Page.Front.ListOf("concepts"), id) {
			l.Error(where, "CD-2", id, definition, c.Page.Path)
		}
	}
}

// checkRouter compares the router's sections with the domains' folders.
func (l *loader) checkRouter() {
	where := check.File(profil.RouterFile)
	for _, name := range l.tree.Names(profil.Knowledge) {
		if l.tree.SafeDir(profil.Knowledge+"/"+name) && l.Router.Domain(name) == nil {
			l.Error(where, "RO-4", name)
		}
	}
	for _, d := range l.Router.Domains() {
		folder := profil.Knowledge + "/" + d.Name
		if d.Name == "" || strings.Contains(d.Name, "/") || !l.tree.SafeDir(folder) {
			l.Error(where.On(d.Line), "RO-5", d.Name)
		}
		section := where.Field(" [" + d.Name + "]").On(d.Line)
		if d.Keywords == nil {
			l.Error(section, "RO-6")
		}
		for _, page := range d.Pages {
			l.checkRouted(section, folder, page)
		}
	}
}

func (l *loader) checkRouted(where check.Where, folder, page string) {
	p, reason := l.tree.Rel(".", page)
	switch {
	case reason != "":
		l.Error(where, "RO-7", page, check.PathReason(reason))
	case !l.tree.Within(p, profil.Knowledge):
		l.Error(where, "RO-7", page, check.Reason("path.knowledge"))
	case !l.tree.IsFile(p):
		l.Error(where, "RO-8", page)
	case !strings.HasPrefix(page, folder+"/"):
		l.Error(where, "RO-9", page)
	}
}

// warn names what was prepared and is not used.
func (l *loader) warn() {
	cited := make(map[string]bool)   // sources
	used := make(map[[2]string]bool) // source and anchor
	for _, c := range l.Claims {
		cited[c.Source] = true
		used[[2]string{c.Source, c.Anchor}] = true
	}
	for _, id := range register.IDs(l.Media) {
		if !cited[id] {
			l.Warn(check.File(l.Media[id].Path), "WA-1")
		}
	}
	for _, id := range register.IDs(l.Externals) {
		if l.Anchors[id] == nil && l.Catalogues[id] == nil {
			l.Warn(check.File(profil.ExternFile).On(l.Externals[id].Line), "WA-2", id)
		}
	}
	for _, source := range register.IDs(l.Anchors) {
		where := check.File(profil.Derived + "/" + source + "__anchors.json")
		for _, id := range register.IDs(l.Anchors[source]) {
			if !used[[2]string{source, id}] {
				l.Warn(where, "WA-3", id)
			}
		}
	}
}
