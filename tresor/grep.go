package tresor

import (
	"strings"
	"unicode"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
)

// A Line is a line of a Tresor's file.
type Line struct {
	Path string
	Line int // from 1
	Text string
}

// Grep returns every line of all pages, the source register and the router that
// contains at least one of the terms, ignoring case and nothing else: umlauts
// and endings count. It also says how many files it read. No hit proves no
// absence.
//
// Grep validates nothing, so it works on a broken Tresor; an unsafe one gives an
// [*InvalidError], and so does a file that is no UTF-8. Blank terms are left out.
func Grep(dir string, terms []string, o Options) (hits []Line, files int, err error) {
	t, err := o.open(dir)
	if err != nil {
		return nil, 0, unreadable(dir, err, o)
	}
	defer t.Close()
	paths, found := searchable(t)
	if found != nil {
		return nil, 0, &InvalidError{State: InvalidVault, Name: t.Name(), Findings: findings(found, Error, o)}
	}
	var needles []string
	for _, term := range terms {
		if !text.IsBlank(term) {
			needles = append(needles, foldCase(term))
		}
	}
	for _, p := range paths {
		var failed check.Findings
		s, ok := failed.Text(t, p)
		if !ok {
			return nil, 0, &InvalidError{State: InvalidVault, Name: t.Name(), Findings: findings(failed.Errors, Error, o)}
		}
		n := 0
		for line := range strings.SplitSeq(s, "\n") {
			n++
			if containsAny(foldCase(line), needles) {
				hits = append(hits, Line{Path: p, Line: n, Text: line})
			}
		}
	}
	return hits, len(paths), nil
}

// searchable returns the files that are searched, or why the tree is not safe
// to be.
func searchable(t *tree.Tree) (paths []string, found []check.Finding) {
	var f check.Findings
	if err := t.WalkError(); err != nil {
		f.Error(check.Where{Path: err.Path}, "TR-4", err.Path, err.Err)
	}
	for _, e := range t.Entries() {
		switch {
		case e.Kind == tree.Alias:
			f.Error(check.File(e.Path), "TR-1")
		case e.Kind == tree.File && e.Links != 1:
			f.Error(check.File(e.Path), "TR-2")
		case e.Safe() && strings.HasPrefix(e.Path, profil.Knowledge+"/") && profil.Suffix(e.Path) == ".md":
			paths = append(paths, e.Path)
		}
	}
	if !t.SafeDir(profil.Knowledge) {
		f.Error(check.File(profil.Knowledge), "KN-1")
	}
	for _, list := range []struct{ path, rule string }{{profil.RegisterFile, "RG-1"}, {profil.RouterFile, "RO-1"}} {
		if !t.SafeFile(list.path) {
			f.Error(check.File(list.path), list.rule)
		}
		paths = append(paths, list.path)
	}
	return paths, f.Errors
}

func containsAny(s string, needles []string) bool {
	for _, n := range needles {
		if strings.Contains(s, n) {
			return true
		}
	}
	return false
}

// foldCase maps each character to one of those that equal it without case:
// simple folding, one character for one.
func foldCase(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r
		case r == 'ı' || r == 'İ' || r == 'I':
			return 'i'
		case r == 'ﬅ':
			return 'ﬆ'
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r == 'ſ':
			return 's'
		case r == '\u212a':
			return 'k'
		case r < 0x80:
			return r
		}
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, s)
}
