package tresor

import "outheis/tresor/internal/profil"

// ScopeOf returns the scope that the name of a Tresor's folder states, as
// "projekt" for wissenstresor-projekt-nord; "" for a name of another kind. Case
// does not count, and persönlich is read as persoenlich (8-answering section 3).
func ScopeOf(folder string) string { return profil.ScopeOf(folder) }
