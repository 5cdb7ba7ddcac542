package tresor

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/graph"
	"outheis/tresor/internal/index"
	"outheis/tresor/internal/manifest"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
)

// IsTresor reports whether a folder has one of the folders of a Tresor. One that
// has none is something else, whatever files are in it.
func IsTresor(dir string) bool {
	return slices.ContainsFunc(folders(), func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	})
}

// folders are those that only a Tresor has together.
func folders() []string { return []string{"knowledge", "sources", "schema"} }

// load is the format's snapshot loader (4-retrieval section 6) from its fourth
// check on; the first three concern a question.
func load(t *tree.Tree, o Options) (*Snapshot, error) {
	s := &Snapshot{lang: o.Lang, options: o, name: t.Name(), root: t.Root()}
	s.options.Progress = nil // that of loading ends with it
	refuse := func(state State, found ...check.Finding) error {
		return &InvalidError{State: state, Name: s.name, Manifest: s.manifest, Version: s.version,
			Findings: findings(found, Error, o), Warnings: s.warnings}
	}
	file := func(path, rule string, args ...any) check.Finding {
		return check.Finding{Where: check.File(path), Sentence: check.Reason(rule, args...)}
	}
	if t.Exists(profil.LockFile) {
		return nil, refuse(VaultBusy, file(profil.LockFile, "LD-1"))
	}
	if !slices.ContainsFunc(folders(), t.Exists) {
		return nil, refuse(InvalidVault, file(profil.ManifestFile, "LD-11"))
	}
	if !t.SafeFile(profil.ManifestFile) {
		return nil, refuse(InvalidVault, file(profil.ManifestFile, "LD-2"))
	}
	if t.Entry(profil.ManifestFile).Size > tree.MaxText {
		return nil, refuse(InvalidVault, file(profil.ManifestFile, "LD-3", &tree.SizeError{Limit: tree.MaxText}))
	}
	digest, err := t.Digest(profil.ManifestFile)
	if err != nil {
		return nil, refuse(InvalidVault, file(profil.ManifestFile, "LD-3", err))
	}
	s.manifest = digest
	if problems, _ := manifest.Status(t); problems != nil {
		return nil, refuse(InvalidVault, ofProblems(problems)...)
	}
	b, found := bestand.Load(t)
	s.warnings = findings(found.Warnings, Warning, o)
	if found.Errors != nil {
		return nil, refuse(InvalidVault, found.Errors...)
	}
	if found := checkDerived(t, b); found != nil {
		return nil, refuse(InvalidVault, found...)
	}
	version, ok := readVersion(t)
	if !ok {
		rule := "LD-7"
		if strings.HasPrefix(version, text.BOM) {
			rule = "LD-12"
		}
		return nil, refuse(InvalidVault, file(profil.VersionFile, rule))
	}
	s.version = version
	if found := checkAgain(t, digest); found != nil {
		s.warnings = nil
		return nil, refuse(SnapshotChanged, found...)
	}
	s.prepare(b)
	return s, nil
}

// checkDerived compares INDEX.md and graph.json with what the pages give, byte
// for byte.
func checkDerived(t *tree.Tree, b *bestand.Bestand) []check.Finding {
	var found []check.Finding
	for _, derived := range []struct {
		path, rule string
		want       []byte
	}{
		{profil.IndexFile, "LD-4", index.Render(b.Pages)},
		{profil.GraphFile, "LD-5", graph.Render(b.Pages)},
	} {
		drift := check.Finding{Where: check.File(derived.path), Sentence: check.Reason(derived.rule)}
		if !t.SafeFile(derived.path) {
			found = append(found, drift)
			continue
		}
		same, err := holds(t, derived.path, derived.want)
		if err != nil {
			where := check.Where{Path: derived.path}
			return []check.Finding{{Where: where, Sentence: check.Reason("LD-6", derived.path, err)}}
		}
		if !same {
			found = append(found, drift)
		}
	}
	return found
}

// holds reports whether a text file holds exactly the bytes want.
func holds(t *tree.Tree, path string, want []byte) (bool, error) {
	got, err := t.Read(path, tree.MaxText)
	if err != nil {
		return false, err
	}
	if bad := text.InvalidAt(got); bad >= 0 {
		return false, &tree.EncodingError{Offset: bad}
	}
	return bytes.Equal(got, want), nil
}

// readVersion returns the release that VERSION names.
func readVersion(t *tree.Tree) (string, bool) {
	if !t.SafeFile(profil.VersionFile) {
		return "", false
	}
	s, err := t.Text(profil.VersionFile)
	if err != nil {
		return "", false
	}
	s = text.Trim(s)
	return s, profil.IsVersion(s)
}

// checkAgain looks at the tree once more: what was read must still be the
// release with the digest.
func checkAgain(t *tree.Tree, digest string) []check.Finding {
	where := check.File(profil.ManifestFile)
	again, err := t.Again()
	if err != nil {
		return []check.Finding{{Where: where, Sentence: check.Reason("LD-8", err)}}
	}
	defer again.Close()
	if t.Unchanged(again, pinned) {
		return nil
	}
	problems, _ := manifest.Status(again)
	now, err := again.Digest(profil.ManifestFile)
	if err != nil {
		return []check.Finding{{Where: where, Sentence: check.Reason("LD-8", err)}}
	}
	if problems != nil {
		return ofProblems(problems)
	}
	if now != digest || again.Exists(profil.LockFile) {
		return []check.Finding{{Where: where, Sentence: check.Reason("LD-9")}}
	}
	return nil
}

// pinned reports whether the file at path belongs to what a release is.
func pinned(path string) bool { return path == profil.ManifestFile || manifest.Tracked(path) }

func ofProblems(problems []*manifest.Problem) []check.Finding {
	found := make([]check.Finding, len(problems))
	for i, p := range problems {
		found[i] = check.Finding{Where: p.Where, Sentence: p.Sentence}
	}
	return found
}

// unreadable is the error for a root that is no readable folder.
func unreadable(dir string, err error, o Options) *InvalidError {
	found := []check.Finding{{Where: check.Where{Label: dir}, Sentence: check.Reason("LD-10", err)}}
	return &InvalidError{State: InvalidVault, Name: filepath.Base(dir), Findings: findings(found, Error, o), err: err}
}
