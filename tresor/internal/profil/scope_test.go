package profil_test

import (
	"testing"

	"outheis/tresor/internal/profil"
)

func TestScopeOf(t *testing.T) {
	for folder, want := range map[string]string{
		"wissenstresor-organisation": "organisation", "wissenstresor-fachbereich-labor": "fachbereich",
		"Wissenstresor-Projekt-Nord": "projekt", "wissenstresor-persoenlich": "persoenlich",
		"wissenstresor-persönlich-ole": "persoenlich", "wissenstresor-perso\u0308nlich": "persoenlich",
		"wissenstresor": "", "wissenstresor-": "", "wissenstresor-projekte": "", "projekt": "", "mein-wissenstresor-projekt": "", "": "",
	} {
		if got := profil.ScopeOf(folder); got != want {
			t.Errorf("ScopeOf(%q) = %q, want %q", folder, got, want)
		}
	}
}
