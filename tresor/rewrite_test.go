package tresor_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"outheis/tresor"
	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/extern"
	"outheis/tresor/internal/medien"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
	"outheis/tresor/internal/tree"
)

// A Tresor whose every curated file is written anew by our writers is the same
// Tresor: it has the same pages, claims, sources and concepts, and gives the same
// answers.
func TestRewriteWholeTresor(t *testing.T) {
	bases := map[string]string{"halle3": halle3(t), "genossenschaft": genossenschaft, "handbuch": "handbuch/tresor"}
	for name, base := range bases {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), name)
			must(t, os.CopyFS(dir, os.DirFS(base)))
			before := open(t, dir)
			changed := 0
			for path, content := range written(t, dir) {
				old, err := os.ReadFile(filepath.Join(dir, path))
				must(t, err)
				if string(old) != content {
					changed++
				}
				must(t, os.Remove(filepath.Join(dir, path))) // it may be read-only
				put(t, dir, path, content)
			}
			for _, path := range []string{"INDEX.md", "graph/graph.json", "MANIFEST.sha256"} {
				must(t, os.Chmod(filepath.Join(dir, path), 0o644))
			}
			pin(t, dir)
			after := open(t, dir)
			t.Logf("%d files are spelled differently", changed)
			for _, same := range []struct {
				what      string
				got, want any
			}{
				{"pages", withoutLines(after.Pages()), withoutLines(before.Pages())},
				{"concepts", after.Concepts(), before.Concepts()},
				{"worlds", after.Worlds(), before.Worlds()},
				{"number of sources", len(after.Sources()), len(before.Sources())},
			} {
				if !reflect.DeepEqual(same.got, same.want) {
					t.Errorf("%s: got %v, want %v", same.what, same.got, same.want)
				}
			}
			for _, q := range []string{"Was gilt in Halle 3?", "Wer führt das Protokoll?", "Was kostet die Gästewohnung?", "C-0001", "Tresor freigeben"} {
				got, want := after.Query(q, tresor.QueryOptions{}), before.Query(q, tresor.QueryOptions{})
				if !reflect.DeepEqual(evidence(got), evidence(want)) {
					t.Errorf("%s: got %v, want %v", q, evidence(got), evidence(want))
				}
			}
		})
	}
}

// written returns what our writers make of each curated file.
func written(t *testing.T, dir string) map[string]string {
	t.Helper()
	tr, err := tree.Open(dir)
	must(t, err)
	defer tr.Close()
	b, found := bestand.Load(tr)
	if found.Errors != nil {
		t.Fatal(found.Errors)
	}
	files := make(map[string]string)
	add := func(path string, content any, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		files[path] = fmt.Sprintf("%s", content)
	}
	types, err := b.Types.Render()
	add(profil.TypesFile, types, err)
	rows, err := register.Render(b.Sources)
	add(profil.RegisterFile, rows, err)
	if tr.Exists(profil.ExternFile) {
		rows, err := register.RenderExternal(b.Externals)
		add(profil.ExternFile, rows, err)
	}
	concepts, err := b.Concepts.Render()
	add(profil.ConceptsFile, concepts, err)
	router, err := b.Router.Render()
	add(profil.RouterFile, router, err)
	read := func(path string) []byte {
		content, err := tr.Read(path, check.MaxJSON)
		must(t, err)
		return content
	}
	for id := range b.Media {
		d, err := medien.Parse(medien.Path(id), read(medien.Path(id)))
		must(t, err)
		content, err := d.Render()
		add(medien.Path(id), content, err)
	}
	for id := range b.Anchors {
		a, err := extern.ParseAnchors(extern.AnchorsPath(id), read(extern.AnchorsPath(id)))
		must(t, err)
		content, err := a.Render()
		add(extern.AnchorsPath(id), content, err)
	}
	for id, c := range b.Catalogues {
		content, err := c.Render()
		add(extern.CataloguePath(id), content, err)
	}
	for _, p := range b.Pages {
		head, err := p.Front.Render(p.Path)
		must(t, err)
		lines := strings.Split(p.Body, "\n")
		for _, c := range p.Claims {
			lines[c.Line-p.Offset-1], err = c.Claim.Line(check.File(p.Path))
			must(t, err)
		}
		add(p.Path, head+strings.Join(lines, "\n"), nil)
	}
	return files
}

// withoutLines returns the pages without the places of claims in their files.
func withoutLines(pages []tresor.Page) []tresor.Page {
	var list []tresor.Page
	for _, p := range pages {
		claims := p.Claims
		p.Claims = nil
		for _, c := range claims {
			c.Line = 0
			p.Claims = append(p.Claims, c)
		}
		list = append(list, p)
	}
	return list
}

func evidence(r tresor.Result) string {
	var b strings.Builder
	for _, e := range r.Evidence {
		fmt.Fprintln(&b, e.Claim.ID, e.Score, e.Reasons)
	}
	return string(r.State) + b.String()
}
