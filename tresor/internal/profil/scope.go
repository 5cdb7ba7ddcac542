package profil

import "strings"

// Scopes are the circles of readers that a Tresor is for, from the widest to the
// narrowest (8-answering section 3).
func Scopes() []string { return []string{"organisation", "fachbereich", "projekt", "persoenlich"} }

// ScopeOf returns the scope that the name of a Tresor's folder states, which is
// wissenstresor-‹scope› or wissenstresor-‹scope›-‹name›; "" for another name. Case
// does not count, and persönlich is read as persoenlich (deviation D-61).
func ScopeOf(folder string) string {
	name, ok := strings.CutPrefix(strings.ToLower(folder), "wissenstresor-")
	if !ok {
		return ""
	}
	name, _, _ = strings.Cut(name, "-")
	if name == "persönlich" || name == "perso\u0308nlich" {
		return "persoenlich"
	}
	for _, scope := range Scopes() {
		if name == scope {
			return scope
		}
	}
	return ""
}
