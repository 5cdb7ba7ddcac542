// Package txn replaces files of a Tresor as one transaction: prepared beside the
// Tresor, renamed into place one by one, read back, and rolled back if anything
// fails (6-release section 1). It never deletes what it did not itself put
// there.
//
// Renames are atomic each, not together; after a power failure the manifest,
// which callers pass last, shows that the state is mixed.
package txn

import (
	"errors"
	"io/fs"
	"strings"

	"outheis/tresor/internal/wording"
)

// A Target is a file to write.
type Target struct {
	Path    string // relative to the Tresor; its folder must exist
	Content []byte
	Mode    fs.FileMode // of a new file, less the umask; an existing one keeps its own
}

// Checks run at the two moments when nothing, and when everything is written.
// Both may be nil.
type Checks struct {
	Before func() error // an error leaves everything untouched
	After  func() error // an error rolls back
}

// An Error is why nothing was written, or everything rolled back.
type Error struct {
	Path string // of the target or folder
	Why  wording.Sentence
	Err  error // may be nil
}

func fail(path, key string, err error, args ...any) *Error {
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
	return "commit failed (" + e.Cause.Error() + "); rollback incomplete: " +
		strings.ReplaceAll(errors.Join(e.Failed...).Error(), "\n", "; ") + "; backup: " + e.Backup
}

// Unwrap returns the cause.
func (e *RollbackError) Unwrap() error { return e.Cause }
