package tresor_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"outheis/tresor"
	"outheis/tresor/internal/tree"
)

// D-09: a text file that is too large to be parsed is refused under its own name.
func TestTooLargeD09(t *testing.T) {
	for _, p := range []string{"knowledge/werkstatt/halle3.md", "sources/REGISTER.md", "sources/EXTERN.md", "ROUTER.md", "schema/types.yaml"} {
		dir := halle3(t)
		must(t, os.Truncate(filepath.Join(dir, p), tree.MaxText+1))
		r := tresor.Validate(dir, tresor.Options{})
		is := func(f tresor.Finding) bool { return f.Label == p && f.Path == p && f.Rule == "RD-1" }
		if !slices.ContainsFunc(r.Errors, is) {
			t.Errorf("%s: %v", p, r.Errors)
		}
	}
}

// D-08: a name that is not portable stands in quotes, with what makes it so.
func TestUnportableNamesD08(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the system has no such names")
	}
	for p, label := range map[string]string{
		`notes/a\b.md`:    `'notes/a\\b.md'`,
		" a.md":           `' a.md'`,
		"notes/a\x01.md":  `'notes/a\x01.md'`,
		"notes/it's\n.md": `"notes/it's\n.md"`,
	} {
		dir := halle3(t)
		put(t, dir, p, "")
		r := tresor.Validate(dir, tresor.Options{})
		if len(r.Errors) != 1 || r.Errors[0].Rule != "TR-7" || r.Errors[0].Label != label || r.Errors[0].Path != p {
			t.Errorf("%q: %v", p, r.Errors)
		}
	}
}

// A world that was named and is "" is an unknown one, not all of them
// (4-retrieval section 7).
func TestQueryInNoWorld(t *testing.T) {
	s, err := tresor.Open(halle3(t), tresor.Options{})
	must(t, err)
	for _, tt := range []struct {
		q    tresor.QueryOptions
		want tresor.State
		exit int
	}{
		{tresor.QueryOptions{InWorld: true}, tresor.InvalidQuery, 2},
		{tresor.QueryOptions{InWorld: true, World: "BW-0001"}, tresor.CandidatesFound, 0},
		{tresor.QueryOptions{}, tresor.CandidatesFound, 0},
	} {
		if r := s.Query("Laser", tt.q); r.State != tt.want || r.ExitCode() != tt.exit {
			t.Errorf("%+v: %s, exit %d", tt.q, r.State, r.ExitCode())
		}
	}
}
