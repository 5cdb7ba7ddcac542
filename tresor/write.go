package tresor

import (
	"errors"
	"strings"
	"time"

	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/graph"
	"outheis/tresor/internal/index"
	"outheis/tresor/internal/lock"
	"outheis/tresor/internal/manifest"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/tree"
	"outheis/tresor/internal/txn"
	"outheis/tresor/internal/wording"
)

// A WriteError is why a Tresor was not written. Unless Recovery is set, all its
// files are as before.
type WriteError struct {
	Text string // in the language of the options
	// Recovery says that the former state could not be brought back: the lock
	// stays, and a person must look.
	Recovery bool
	Err      error // may be nil
}

func (e *WriteError) Error() string { return "tresor: write: " + e.Text }

// Unwrap returns the cause.
func (e *WriteError) Unwrap() error { return e.Err }

// WriteIndex derives INDEX.md anew, as one transaction under the write lock. A
// Tresor with validation errors, or one that another writer has locked, gives
// an [*InvalidError], a failure a [*WriteError]; nothing is written then.
func WriteIndex(dir string, o Options) (pages int, err error) {
	err = mutate(dir, "index", o, func(t *tree.Tree) error {
		b, err := loadValid(t, o)
		if err != nil {
			return err
		}
		pages = len(b.Pages)
		return replace(t, o, txn.Checks{}, txn.Target{Path: profil.IndexFile, Content: index.Render(b.Pages), Mode: 0o644})
	})
	return pages, err
}

// WriteGraph derives graph/graph.json anew; otherwise like [WriteIndex].
func WriteGraph(dir string, o Options) (nodes, edges int, err error) {
	err = mutate(dir, "graph", o, func(t *tree.Tree) error {
		b, err := loadValid(t, o)
		if err != nil {
			return err
		}
		nodes, edges = len(b.Pages), len(graph.Edges(b.Pages))
		return replace(t, o, txn.Checks{}, txn.Target{Path: profil.GraphFile, Content: graph.Render(b.Pages), Mode: 0o644})
	})
	return nodes, edges, err
}

// WriteManifest pins the present state in MANIFEST.sha256 and returns the
// number of files. It does not validate; a filled quarantine refuses. Errors as
// with [WriteIndex].
func WriteManifest(dir string, o Options) (files int, err error) {
	err = mutate(dir, "checksum", o, func(t *tree.Tree) error {
		if payload := bestand.Quarantine(t); payload != nil {
			return &WriteError{Text: wording.Say(o.Lang, "WR-3", payload)}
		}
		entries, problem := manifest.Entries(t, nil)
		if problem != nil {
			return &WriteError{Text: wording.Say(o.Lang, "MF-6", problem.Label, problem.Sentence)}
		}
		files = len(entries)
		checks := txn.Checks{After: func() error { return checkManifest(t, o) }}
		return replace(t, o, checks, txn.Target{Path: profil.ManifestFile, Content: manifest.Bytes(entries), Mode: 0o644})
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
	var list []string
	for _, p := range problems {
		list = append(list, p.In(o.Lang))
	}
	return errors.New(wording.Say(o.Lang, "WR-4", strings.Join(list, "; ")))
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

// mutate runs a writing operation on the tree in dir under the write lock.
func mutate(dir, command string, o Options, operation func(*tree.Tree) error) error {
	t, err := tree.Open(dir)
	if err != nil {
		return unreadable(dir, err, o)
	}
	root := t.Root()
	t.Close()
	l, err := lock.Take(root, command, o.now())
	if errors.Is(err, lock.ErrTaken) {
		found := check.Finding{Where: check.File(profil.LockFile), Sentence: check.Reason("WR-1")}
		return &InvalidError{State: VaultBusy, Name: t.Name(), Findings: findings([]check.Finding{found}, Error, o)}
	}
	if err != nil {
		return &WriteError{Text: wording.Say(o.Lang, "WR-7", err), Err: err}
	}
	if t, err = tree.Open(root); err == nil {
		err = guarded(l, t, operation)
		t.Close()
	}
	var incomplete *txn.RollbackError
	finish := l.Release
	if errors.As(err, &incomplete) {
		finish = func() error { return l.Keep(incomplete.Error()) }
	}
	if failed := finish(); failed != nil {
		return &WriteError{Text: wording.Say(o.Lang, "WR-6", failed), Recovery: incomplete != nil, Err: errors.Join(failed, err)}
	}
	return err
}

// guarded runs an operation. Should it panic, the lock is released: nothing is
// half written then, since the transaction catches its own.
func guarded(l *lock.Lock, t *tree.Tree, operation func(*tree.Tree) error) error {
	done := false
	defer func() {
		if !done {
			_ = l.Release() // the panic is worse
		}
	}()
	err := operation(t)
	done = true
	return err
}

// replace runs the transaction and words its failure.
func replace(t *tree.Tree, o Options, checks txn.Checks, targets ...txn.Target) error {
	err := txn.Replace(t.Root(), targets, checks)
	var incomplete *txn.RollbackError
	var failed *txn.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &incomplete):
		return &WriteError{Text: wording.Say(o.Lang, "WR-5", incomplete, incomplete.Backup), Recovery: true, Err: err}
	case errors.As(err, &failed):
		return &WriteError{Text: failed.In(o.Lang), Err: err}
	}
	return &WriteError{Text: err.Error(), Err: err}
}

func (o Options) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}
