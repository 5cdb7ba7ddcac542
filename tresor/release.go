package tresor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/graph"
	"outheis/tresor/internal/index"
	"outheis/tresor/internal/manifest"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
	"outheis/tresor/internal/txn"
)

// A Level says which number of the version a release raises.
type Level string

// The levels.
const (
	Major Level = "major"
	Minor Level = "minor"
	Patch Level = "patch"
)

// Released is what a release consists of.
type Released struct {
	Version      string // as "1.4.2"
	Entry        string // the line of log.md
	Pages        int
	Claims       int
	Sources      int
	Nodes, Edges int // of the graph
	Files        int // that the manifest pins
	Warnings     []Finding
}

// Release publishes the Tresor in dir as its next version: it derives INDEX.md
// and graph/graph.json, raises VERSION, adds an entry to log.md and pins
// everything in MANIFEST.sha256, as one transaction under the write lock
// (6-release section 3). A Tresor with validation errors, or one that another
// writer has locked, gives an [*InvalidError], everything else a [*WriteError].
//
// A context that ends before the first file is in place stops the release;
// afterwards it runs to its end.
func Release(ctx context.Context, dir string, level Level, o Options) (Released, error) {
	var r Released
	err := mutate(ctx, dir, "release", o, func(w *writing) error {
		prepared, err := prepareRelease(w.tree, level, o)
		if err != nil {
			return err
		}
		r = prepared.Released
		return w.replace(ctx, func() error { return prepared.checkInput(w.tree) }, func() error { return checkRelease(w.tree, o) },
			prepared.targets...)
	})
	if err != nil {
		return Released{}, err
	}
	return r, nil
}

// A release is what is prepared in memory.
type release struct {
	Released
	o           Options
	fingerprint string // of what it is made from
	targets     []txn.Target
}

// prepareRelease makes the release from one look at the tree: what is pinned
// here is what was validated, byte for byte (deviation D-34).
func prepareRelease(t *tree.Tree, level Level, o Options) (*release, error) {
	fingerprint, problem := manifest.Fingerprint(t)
	if problem != nil {
		return nil, refuseWrite(o, "MF-6", problem.Label, problem.Sentence)
	}
	b, found := bestand.Load(t)
	warnings := findings(found.Warnings, Warning, o)
	if found.Errors != nil {
		return nil, &InvalidError{State: InvalidVault, Name: t.Name(), Findings: findings(found.Errors, Error, o), Warnings: warnings}
	}
	former, err := formerVersion(t, o)
	if err != nil {
		return nil, err
	}
	version, err := nextVersion(former, level)
	if errors.Is(err, profil.ErrLastVersion) {
		return nil, refuseWrite(o, "RE-8", former, string(level))
	}
	if err != nil {
		return nil, refuseWrite(o, "RE-2", former)
	}
	if t.Exists(profil.LogFile) && !t.SafeFile(profil.LogFile) {
		return nil, refuseWrite(o, "RE-3")
	}
	r := &release{o: o, fingerprint: fingerprint}
	r.Released = Released{Version: version, Pages: len(b.Pages), Claims: len(b.Claims), Sources: len(b.Sources),
		Nodes: len(b.Pages), Edges: len(graph.Edges(b.Pages)), Warnings: warnings}
	r.Entry = entryLine("release", fmt.Sprintf("v%s — %d Seiten, %d Claims, %d Quellen (%s)", version, r.Pages, r.Claims, r.Sources, level), o)
	log, err := logTarget(t, r.Entry, o)
	if err != nil {
		return nil, err
	}
	derived := map[string][]byte{
		profil.IndexFile:   index.Render(b.Pages),
		profil.GraphFile:   graph.Render(b.Pages),
		profil.VersionFile: []byte(version + "\n"),
	}
	entries, problem := manifest.Entries(t, derived)
	if problem != nil {
		return nil, refuseWrite(o, "MF-6", problem.Label, problem.Sentence)
	}
	r.Files = len(entries)
	write := func(path string, content []byte) txn.Target {
		return txn.Target{Path: path, Content: content, Mode: 0o644}
	}
	r.targets = []txn.Target{
		write(profil.IndexFile, derived[profil.IndexFile]),
		write(profil.GraphFile, derived[profil.GraphFile]),
		write(profil.VersionFile, derived[profil.VersionFile]),
		log,
		write(profil.ManifestFile, manifest.Bytes(entries)), // last: it makes the release one
	}
	return r, nil
}

// formerVersion returns what VERSION holds.
func formerVersion(t *tree.Tree, o Options) (string, error) {
	if !t.SafeFile(profil.VersionFile) {
		if logged, _ := lastRelease(t); logged != "" {
			return "", refuseWrite(o, "RE-9", logged)
		}
		return "", refuseWrite(o, "RE-1")
	}
	s, err := t.Text(profil.VersionFile)
	if err != nil {
		return "", refuseWrite(o, "RE-4", err)
	}
	if strings.HasPrefix(s, text.BOM) {
		return "", refuseWrite(o, "RE-7")
	}
	return text.Trim(s), nil
}

// nextVersion raises a version.
func nextVersion(version string, level Level) (string, error) {
	part, ok := map[Level]int{Major: 0, Minor: 1, Patch: 2}[level]
	if !ok {
		return "", profil.ErrVersion
	}
	return profil.RaiseVersion(version, part)
}

// checkInput looks at the Tresor anew: what the release was made from must still
// be there.
func (r *release) checkInput(t *tree.Tree) error {
	again, err := t.Again()
	if err != nil {
		return err
	}
	defer again.Close()
	if payload := bestand.Quarantine(again); payload != nil {
		return refuseWrite(r.o, "WR-3", payload)
	}
	switch now, problem := manifest.Fingerprint(again); {
	case problem != nil:
		return refuseWrite(r.o, "MF-6", problem.Label, problem.Sentence)
	case now != r.fingerprint:
		return refuseWrite(r.o, "RE-5")
	}
	return nil
}

// checkRelease reads everything back: the release must be one that [Open] loads.
func checkRelease(t *tree.Tree, o Options) error {
	again, err := t.Again()
	if err != nil {
		return err
	}
	defer again.Close()
	b, found := bestand.Load(again)
	wrong := found.Errors
	if wrong == nil {
		wrong = checkDerived(again, b)
	}
	if wrong == nil {
		problems, _ := manifest.Status(again)
		wrong = ofProblems(problems)
	}
	if len(wrong) == 0 {
		return nil
	}
	return refuseWrite(o, "RE-6", sentences(wrong, o))
}

func sentences(found []check.Finding, o Options) string {
	var list []string
	for _, f := range findings(found, Error, o) {
		list = append(list, f.String())
	}
	return strings.Join(list, "; ")
}
