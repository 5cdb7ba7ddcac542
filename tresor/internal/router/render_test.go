package router_test

import (
	"errors"
	"strings"
	"testing"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/router"
)

func key(err error) string {
	var refusal *check.Refusal
	if errors.As(err, &refusal) {
		return refusal.Key
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

const small = `# Router

## werkstatt
schlagworte: Halle 3, laser
seiten:
- knowledge/werkstatt/halle3.md

Ein Satz dazu.

## leer
schlagworte: leer
seiten:

## küche
- knowledge/küche/herd.md
schlagworte: , Herd,
`

func TestEdits(t *testing.T) {
	tests := []struct {
		name     string
		edit     func([]byte) ([]byte, error)
		old, new string
		refused  string
	}{
		{"domain", func(b []byte) ([]byte, error) { return router.AddDomain(b, "garten", []string{"Rasen", "beet"}) },
			", Herd,\n", ", Herd,\n\n## garten\nschlagworte: rasen, beet\nseiten:\n", ""},
		{"domain that is there", func(b []byte) ([]byte, error) { return router.AddDomain(b, "küche", []string{"x"}) }, "", "", "RO-2"},
		{"domain without keywords", func(b []byte) ([]byte, error) { return router.AddDomain(b, "garten", nil) }, "", "", "RO-6"},
		{"domain with a comma", func(b []byte) ([]byte, error) { return router.AddDomain(b, "garten", []string{"a,b"}) }, "", "", "ED-8"},
		{"domain with a break", func(b []byte) ([]byte, error) { return router.AddDomain(b, "gar\nten", []string{"a"}) }, "", "", "ED-8"},
		{"keyword", func(b []byte) ([]byte, error) { return router.AddKeyword(b, "werkstatt", "Brille") }, "laser\n", "laser, Brille\n", ""},
		{"keyword behind a comma", func(b []byte) ([]byte, error) { return router.AddKeyword(b, "küche", "Topf") }, ", Herd,\n", ", Herd, Topf\n", ""},
		{"keyword that is there", func(b []byte) ([]byte, error) { return router.AddKeyword(b, "werkstatt", "LASER") }, "", "", ""},
		{"keyword with a break", func(b []byte) ([]byte, error) { return router.AddKeyword(b, "werkstatt", "a\nb") }, "", "", "ED-8"},
		{"keyword of no domain", func(b []byte) ([]byte, error) { return router.AddKeyword(b, "garten", "a") }, "", "", "RO-4"},
		{"page", func(b []byte) ([]byte, error) {
			return router.AddPage(b, "werkstatt", "knowledge/werkstatt/laser.md")
		}, "halle3.md\n", "halle3.md\n- knowledge/werkstatt/laser.md\n", ""},
		{"first page", func(b []byte) ([]byte, error) { return router.AddPage(b, "leer", "knowledge/leer/a.md") }, "leer\nseiten:\n", "leer\nseiten:\n- knowledge/leer/a.md\n", ""},
		{"page that is there", func(b []byte) ([]byte, error) {
			return router.AddPage(b, "werkstatt", "knowledge/werkstatt/halle3.md")
		}, "", "", ""},
		{"page of another domain", func(b []byte) ([]byte, error) { return router.AddPage(b, "leer", "knowledge/küche/a.md") }, "", "", "RO-9"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, end := range []string{"\n", "\r\n"} {
				with := func(s string) string { return strings.ReplaceAll(s, "\n", end) }
				got, err := tt.edit([]byte(with(small)))
				if key(err) != tt.refused {
					t.Fatalf("got %v, want %q", err, tt.refused)
				}
				if want := with(strings.Replace(small, tt.old, tt.new, 1)); err == nil && string(got) != want {
					t.Errorf("got %q, want %q", got, want)
				}
			}
		})
	}
	if _, err := router.AddKeyword([]byte("## a\n## a\n"), "a", "b"); key(err) != "RO-2" {
		t.Errorf("a broken router: got %v", err)
	}
	if got, err := router.AddKeyword([]byte("## a\n"), "a", "b"); string(got) != "## a\nschlagworte: b\n" || err != nil {
		t.Errorf("no keywords yet: got %q, %v", got, err)
	}
}

func TestRender(t *testing.T) {
	r := router.Parse(small, &check.Findings{})
	want := "# Router\n\n## werkstatt\nschlagworte: halle 3, laser\nseiten:\n- knowledge/werkstatt/halle3.md\n" +
		"\n## leer\nschlagworte: leer\nseiten:\n\n## küche\nschlagworte: herd\nseiten:\n- knowledge/küche/herd.md\n"
	if got, err := r.Render(); got != want || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}
