package curate

import (
	"path"
	"path/filepath"
	"strings"

	"outheis/tresor"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/tree"
)

// inside returns where in the Tresor a file lies, "" for outside.
func (p *plan) inside(f *file) (string, error) {
	full, err := filepath.Abs(f.path)
	if err != nil {
		return "", p.refuse("", "CU-72", f.path, err)
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(full))
	if err != nil {
		return "", p.refuse("", "CU-72", f.path, err)
	}
	inside, err := filepath.Rel(p.Tree.Root(), filepath.Join(folder, filepath.Base(full)))
	if inside = filepath.ToSlash(inside); err != nil || inside == ".." || strings.HasPrefix(inside, "../") {
		return "", nil
	}
	return inside, nil
}

// isOrphan reports whether a path is a file of sources/raw without a row in the
// register.
func (p *plan) isOrphan(inside string) bool {
	if path.Dir(inside) != profil.Raw {
		return false
	}
	for _, s := range p.Bestand.Sources {
		if path.Clean(s.Ablage) == inside {
			return false
		}
	}
	return true
}

// numberOf returns the ID that the name of an orphan begins with, "" for none.
func (p *plan) numberOf(f *file) (id, inside string) {
	inside, err := p.inside(f)
	if err != nil || !p.isOrphan(inside) {
		return "", inside
	}
	id, _ = splitNumber(path.Base(inside))
	return id, inside
}

// splitNumber divides the name of a raw file into its ID, "" for none, and what
// follows.
func splitNumber(name string) (id, rest string) {
	if id, rest, ok := strings.Cut(name, "__"); ok && profil.IsID("S", id) && profil.Suffix(rest) != "" {
		return id, rest
	}
	return "", name
}

// sourceFor returns the ID for a file: that of the row that was lost, where the
// name of an orphan has it, or a new one. A number that was given to something
// else once is not given to it.
func (p *plan) sourceFor(f *file) (string, error) {
	id, inside := p.numberOf(f)
	if _, taken := p.Bestand.Sources[id]; id == "" || taken {
		return p.nextSource()
	}
	given := merge(p.logged("S"), p.released("S"))
	if given[id] && !p.wasReleased(inside) && !p.cited(id) {
		return p.nextSource()
	}
	return id, nil
}

// wasReleased reports whether the manifest names a file.
func (p *plan) wasReleased(inside string) bool {
	b, err := p.Tree.Read(profil.ManifestFile, tree.MaxText)
	return err == nil && strings.Contains(string(b), "  "+inside+"\n")
}

// cited reports whether a page lists a source.
func (p *plan) cited(id string) bool {
	for _, page := range p.Bestand.Pages {
		if oneOf(id, page.Front.ListOf("sources")...) {
			return true
		}
	}
	return false
}

// awaitedBy returns the errors that files being taken in are the remedy of: those
// of orphans, also of others, and those that complain of the row that is lost.
func awaitedBy(files []*file) func(*plan, tresor.Finding) bool {
	return func(p *plan, f tresor.Finding) bool {
		switch f.Rule {
		case "RW-2":
			return true
		case "PG-21", "CL-8", "MD-9":
			for _, one := range files {
				if id, _ := p.numberOf(one); id != "" && strings.Contains(f.Text, id) {
					return true
				}
			}
		}
		return false
	}
}
