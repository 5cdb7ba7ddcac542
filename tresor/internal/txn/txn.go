// Package txn changes files of a Tresor as one transaction: prepared beside the
// Tresor, put in place one by one, read back, and rolled back if anything fails
// (6-release section 1). It never deletes what it did not itself put there.
//
// Each step is atomic, not all together. What a process that is killed leaves in
// the staging folder (the list TARGETS, the former files NN.orig, the new ones
// NN.stage) lets [Inspect] say how far it came and [Remains.RollBack] undo it.
package txn

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"

	"outheis/tresor/internal/disk"
	"outheis/tresor/internal/wording"
)

// A Kind is what happens to a target.
type Kind int

// The kinds.
const (
	// Write makes a file, or replaces its content; its permissions stay, and where
	// this user may do that its owner.
	Write Kind = iota
	// Append adds a line to a file of any size, or makes it. What is there stays
	// byte for byte; a last line without its end gets one first.
	Append
	// Move renames a file in the Tresor from From to Path, which must be free.
	Move
	// Remove takes a file away.
	Remove
	// Folder makes a folder, which must not be there. Later targets may lie in it.
	Folder
)

// A Target is one change. Paths are relative to the Tresor; the folder of a path
// must exist or be made by an earlier target.
type Target struct {
	Kind    Kind
	Path    string
	From    string      // of Move
	Content []byte      // of Write; of Append the line without its end
	Reader  io.Reader   // of Write, in place of Content; read once
	SHA256  string      // in hex, what Move or Reader must hold; "" for anything
	Was     string      // in hex, the SHA-256 of what Write must find at its path; "" for anything
	Mode    fs.FileMode // of a new file or folder, less the umask
}

// A Transaction is what to change and how. While it runs, as many files are open
// as there are targets.
type Transaction struct {
	Root    string // resolved path of the Tresor
	Note    string // lines that say who writes, for whoever finds the staging folder
	Targets []Target
	// Before runs when nothing is changed yet; its error leaves it so. After runs
	// when everything is in place; its error rolls back. Both may be nil, and one
	// that panics has failed (deviation D-02).
	Before, After func() error
	// Began runs when everything is prepared durably and nothing is changed yet,
	// with the path of the staging folder; its error leaves it so. Ended runs when
	// nothing of that folder is needed any more, before it goes. Both may be nil:
	// they are for whoever must know later whether there ought to be one.
	Began func(staging string) error
	Ended func()
	Hook  disk.Hook // for tests
}

// Run does it. Once the first target is put in place it runs to its end; a
// context that ends before leaves everything as it was. After any error but a
// [*RollbackError] the former state holds: an [*Error], that of a check, or the
// context's.
func (t Transaction) Run(ctx context.Context) error {
	if len(t.Targets) == 0 {
		return nil
	}
	r := &run{Transaction: t, folders: make(map[string]*folder)}
	defer r.close()
	if err := r.prepare(); err != nil {
		return err
	}
	err := r.stage(ctx)
	if err == nil && t.Before != nil {
		err = check(t.Before)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil && t.Began != nil {
		if err = t.Began(r.staging.Path()); err != nil {
			r.ended()
			err = fail("", "TX-5", err)
		}
	}
	if err != nil {
		r.clean()
		return err
	}
	if err = r.commit(); err == nil {
		r.ended()
		r.clean()
		return nil
	}
	if failed := r.rollback(); failed != nil {
		return &RollbackError{Cause: err, Failed: failed, Backup: r.staging.Path()}
	}
	r.ended()
	r.clean()
	return err
}

func (r *run) ended() {
	if r.Ended != nil {
		r.Ended()
	}
}

// An Error is why nothing was written, or everything rolled back.
type Error struct {
	Path string // of the target or folder
	Why  wording.Sentence
	Err  error // may be nil
}

func fail(path, key string, err error, args ...any) *Error {
	if errors.Is(err, disk.ErrPlatform) {
		return &Error{Why: wording.Sentence{Key: "TX-11"}, Err: err}
	}
	if err != nil {
		args = append(args, err)
	}
	return &Error{path, wording.Sentence{Key: key, Args: args}, err}
}

// Error returns the reason in English.
func (e *Error) Error() string { return e.In("en") }

// In returns the reason in a language.
func (e *Error) In(lang string) string {
	return strings.TrimPrefix(wording.Printable(e.Path)+": "+e.Why.In(lang), ": ")
}

// Unwrap returns the operating system's error.
func (e *Error) Unwrap() error { return e.Err }

// A RollbackError says that a transaction failed and that the former state could
// not be brought back completely. What was there before lies in Backup.
type RollbackError struct {
	Cause  error
	Failed []error // what could not be brought back
	Backup string  // folder beside the Tresor
}

// Error returns cause, failures and the backup's place in English.
func (e *RollbackError) Error() string {
	return "commit failed (" + e.Cause.Error() + "); rollback incomplete: " + e.FailedIn("en") + "; backup: " + e.Backup
}

// FailedIn returns what could not be brought back in a language.
func (e *RollbackError) FailedIn(lang string) string {
	var list []string
	for _, err := range e.Failed {
		text := err.Error()
		if worded, ok := err.(*Error); ok {
			text = worded.In(lang)
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

// Unwrap returns the cause.
func (e *RollbackError) Unwrap() error { return e.Cause }
