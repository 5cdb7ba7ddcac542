package router_test

import (
	"slices"
	"strings"
	"testing"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/router"
	"outheis/tresor/internal/text"
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

// D-36: a keyword of less than four characters must stand alone.
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

// Routing finds only domains that there are; what is accepted is written and
// reads back the same.
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
		for _, d := range r.Domains() {
			for _, word := range d.Keywords {
				if hits := r.Route(word); text.CollapseSpace(word) != "" && !slices.ContainsFunc(hits, func(h router.Hit) bool { return h.Domain == d }) {
					t.Fatalf("%q: the keyword %q does not find %s", s, word, d.Name)
				}
			}
		}
		if decoded, bad := text.Decode([]byte(s)); found.Errors != nil || bad >= 0 || decoded != s {
			return
		}
		if rendered, err := r.Render(); err != nil { // compares what is read back
			t.Fatalf("%q is accepted but not written: %q, %v", s, rendered, err)
		}
	})
}

// Edits give what was asked or refuse, and change nothing else.
func FuzzEdit(f *testing.F) {
	f.Add([]byte(file[:len(file)-20]), "garten", "Rasen", "knowledge/garten/a.md")
	f.Add([]byte("# R\r\n## a\r\n"), "a", "b,c", "knowledge/a/b")
	f.Fuzz(func(t *testing.T, b []byte, domain, keyword, page string) {
		for _, edit := range []func() ([]byte, error){
			func() ([]byte, error) { return router.AddDomain(b, domain, []string{keyword}) },
			func() ([]byte, error) { return router.AddKeyword(b, domain, keyword) },
			func() ([]byte, error) { return router.AddPage(b, domain, page) },
		} {
			got, err := edit()
			if err != nil {
				continue
			}
			var found check.Findings
			decoded, bad := text.Decode(got)
			r := router.Parse(decoded, &found)
			if bad >= 0 || found.Errors != nil || r.Domain(domain) == nil || len(got) < len(b) && !strings.Contains(string(b), ",") {
				t.Fatalf("%q became %q with %v", b, got, found.Errors)
			}
		}
	})
}
