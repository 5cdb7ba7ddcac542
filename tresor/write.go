package tresor

import (
	"context"

	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/graph"
	"outheis/tresor/internal/index"
	"outheis/tresor/internal/manifest"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/tree"
	"outheis/tresor/internal/txn"
	"outheis/tresor/internal/wording"
)

// A WriteError is why a Tresor was not written. Unless Recovery or Done is
// set, all its files are as before.
type WriteError struct {
	Text string // in the language of the options
	// Recovery says that the former state could not be brought back: the lock
	// stays, and a person must look.
	Recovery bool
	// Done says that everything was written; only the lock could not be released.
	Done bool
	Err  error // may be nil
}

func (e *WriteError) Error() string { return "tresor: write: " + e.Text }

// Unwrap returns the cause.
func (e *WriteError) Unwrap() error { return e.Err }

func refuseWrite(o Options, key string, args ...any) error {
	return &WriteError{Text: wording.Say(o.Lang, key, args...)}
}

// WriteIndex derives INDEX.md anew, as one transaction under the write lock. A
// Tresor with validation errors, or one that another writer has locked, gives
// an [*InvalidError], a failure a [*WriteError]; nothing is written then. A
// context that ends before the file is in place stops it.
func WriteIndex(ctx context.Context, dir string, o Options) (pages int, err error) {
	err = mutate(ctx, dir, "index", o, func(w *writing) error {
		b, err := loadValid(w.tree, o)
		if err != nil {
			return err
		}
		pages = len(b.Pages)
		return w.replace(ctx, nil, nil, txn.Target{Path: profil.IndexFile, Content: index.Render(b.Pages), Mode: 0o644})
	})
	return pages, err
}

// WriteGraph derives graph/graph.json anew; otherwise like [WriteIndex].
func WriteGraph(ctx context.Context, dir string, o Options) (nodes, edges int, err error) {
	err = mutate(ctx, dir, "graph", o, func(w *writing) error {
		b, err := loadValid(w.tree, o)
		if err != nil {
			return err
		}
		nodes, edges = len(b.Pages), len(graph.Edges(b.Pages))
		return w.replace(ctx, nil, nil, txn.Target{Path: profil.GraphFile, Content: graph.Render(b.Pages), Mode: 0o644})
	})
	return nodes, edges, err
}

// WriteManifest pins the present state in MANIFEST.sha256 and returns the
// number of files. It does not validate; a filled quarantine refuses. Errors as
// with [WriteIndex].
func WriteManifest(ctx context.Context, dir string, o Options) (files int, err error) {
	err = mutate(ctx, dir, "checksum", o, func(w *writing) error {
		if payload := bestand.Quarantine(w.tree); payload != nil {
			return refuseWrite(o, "WR-3", payload)
		}
		entries, problem := manifest.Entries(w.tree, nil)
		if problem != nil {
			return refuseWrite(o, "MF-6", problem.Label, problem.Sentence)
		}
		files = len(entries)
		return w.replace(ctx, nil, func() error { return checkManifest(w.tree, o) },
			txn.Target{Path: profil.ManifestFile, Content: manifest.Bytes(entries), Mode: 0o644})
	})
	return files, err
}

// checkManifest compares what is on disk now with the manifest as written.
func checkManifest(t *tree.Tree, o Options) error {
	again, err := t.Again()
	if err != nil {
		return err
	}
	defer again.Close()
	problems, _ := manifest.Status(again)
	if problems == nil {
		return nil
	}
	return refuseWrite(o, "WR-4", sentences(ofProblems(problems), o))
}

// loadValid reads the Bestand if it has no errors.
func loadValid(t *tree.Tree, o Options) (*bestand.Bestand, error) {
	b, found := bestand.Load(t)
	if found.Errors != nil {
		return nil, &InvalidError{State: InvalidVault, Name: t.Name(), Findings: findings(found.Errors, Error, o),
			Warnings: findings(found.Warnings, Warning, o)}
	}
	return b, nil
}
