package bestand_test

import (
	"io/fs"
	"maps"
	"os"
	"testing"
	"testing/fstest"

	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/extern"
	"outheis/tresor/internal/medien"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
)

// Whatever one of the curated files holds, the whole Tresor is read; what is then
// without errors is written anew and stays so.
func FuzzTresor(f *testing.F) {
	example, err := inMemory(os.DirFS("../../testdata/halle3"))
	if err != nil {
		f.Fatal(err)
	}
	if _, found := load(example); found.Errors != nil {
		f.Fatal(found.Errors)
	}
	paths := []string{profil.TypesFile, profil.RegisterFile, profil.ExternFile, profil.ConceptsFile, profil.RouterFile,
		medien.Path("S-0002"), extern.AnchorsPath("X-0001"), extern.CataloguePath("X-0001")}
	for i, path := range paths {
		f.Add(byte(i), example[path].Data)
	}
	f.Fuzz(func(t *testing.T, which byte, content []byte) {
		path := paths[int(which)%len(paths)]
		m := maps.Clone(example)
		m[path] = &fstest.MapFile{Data: content, Mode: 0o444}
		b, found := load(m)
		if found.Errors != nil {
			return
		}
		rendered, err := rewrite(b, path, content)
		if err != nil {
			t.Fatalf("%s: %q is accepted but not written: %v", path, content, err)
		}
		m[path].Data = rendered
		if _, found := load(m); found.Errors != nil {
			t.Fatalf("%s: %q became %q with %v", path, content, rendered, found.Errors)
		}
	})
}

// rewrite returns what our writer makes of the file at path.
func rewrite(b *bestand.Bestand, path string, content []byte) ([]byte, error) {
	var s string
	var err error
	switch path {
	case profil.TypesFile:
		s, err = b.Types.Render()
	case profil.RegisterFile:
		s, err = register.Render(b.Sources)
	case profil.ExternFile:
		s, err = register.RenderExternal(b.Externals)
	case profil.RouterFile:
		s, err = b.Router.Render()
	case profil.ConceptsFile:
		return b.Concepts.Render()
	case medien.Path("S-0002"):
		d, err := medien.Parse(path, content)
		if err != nil {
			return nil, err
		}
		return d.Render()
	case extern.AnchorsPath("X-0001"):
		a, err := extern.ParseAnchors(path, content)
		if err != nil {
			return nil, err
		}
		return a.Render()
	default:
		return b.Catalogues["X-0001"].Render()
	}
	return []byte(s), err
}

func inMemory(fsys fs.FS) (fstest.MapFS, error) {
	m := fstest.MapFS{}
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(fsys, p)
		m[p] = &fstest.MapFile{Data: b, Mode: 0o444}
		return err
	})
	return m, err
}
