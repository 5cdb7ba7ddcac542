package router_test

import (
	"slices"
	"testing"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/router"
)

const file = `# Router
schlagworte: draussen

## werkstatt
schlagworte: Halle 3, , SCHUTZBRILLE, ki, laser
seiten:
- knowledge/werkstatt/halle3.md
  - knowledge/werkstatt/laserraum.md  # zuletzt
## küche
schlagworte: Herd
schlagworte: Küche, Größe
## werkstatt
schlagworte: verloren
- knowledge/werkstatt/verloren.md
`

func TestParse(t *testing.T) {
	var f check.Findings
	r := router.Parse(file, &f)
	if len(f.Errors) != 1 || f.Errors[0].Key != "RO-2" || f.Errors[0].Line != 12 {
		t.Errorf("errors %v", f.Errors)
	}
	if len(r.Domains()) != 2 || r.Domain("werkstatt") == nil || r.Domain("garten") != nil {
		t.Fatalf("got %v", r.Domains())
	}
	d := r.Domain("werkstatt")
	if want := []string{"halle 3", "schutzbrille", "ki", "laser"}; !slices.Equal(d.Keywords, want) {
		t.Errorf("keywords %q, want %q", d.Keywords, want)
	}
	if want := []string{"knowledge/werkstatt/halle3.md", "knowledge/werkstatt/laserraum.md  # zuletzt"}; !slices.Equal(d.Pages, want) {
		t.Errorf("pages %q, want %q", d.Pages, want)
	}
	if want := []string{"küche", "größe"}; !slices.Equal(r.Domain("küche").Keywords, want) {
		t.Errorf("keywords %q, want %q", r.Domain("küche").Keywords, want)
	}
}

func TestRoute(t *testing.T) {
	r := router.Parse(file, &check.Findings{})
	tests := map[string][]string{
		"Was gilt für die Schutzbrille im Laserraum": {"werkstatt laser schutzbrille"},
		"Passt die GROESSE der Halle   3?":           {"küche größe", "werkstatt halle 3"},
		"Wann beginnt das Kino?":                     nil,
		"Nutzt ihr KI, und wofür?":                   {"werkstatt ki"},
		"":                                           nil,
	}
	for question, want := range tests {
		var got []string
		for _, h := range r.Route(question) {
			s := h.Name
			for _, k := range h.Found {
				s += " " + k
			}
			got = append(got, s)
		}
		if !slices.Equal(got, want) {
			t.Errorf("Route(%q) = %q, want %q", question, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(file, "Halle 3")
	f.Add("## \n## \nschlagworte:,\n- knowledge/", "")
	f.Fuzz(func(t *testing.T, s, question string) {
		var found check.Findings
		r := router.Parse(s, &found)
		for _, h := range r.Route(question) {
			if len(h.Found) == 0 || r.Domain(h.Name) != h.Domain {
				t.Fatalf("%q: hit %v", s, h)
			}
		}
	})
}
