package store

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"time"
)

// A PermissionError means that somebody else could write to Path.
type PermissionError struct {
	Path string
	Mode fs.FileMode // as found
	Want fs.FileMode // as it should be
}

// Remedy returns the command that cures e.
func (e *PermissionError) Remedy() string {
	return fmt.Sprintf("chmod %o '%s'", e.Want, strings.ReplaceAll(e.Path, "'", `'\''`))
}

func (e *PermissionError) Error() string {
	return fmt.Sprintf("%s is writable by other users (mode %04o); run: %s", e.Path, e.Mode, e.Remedy())
}

// A Reason says why a file is not touched.
type Reason string

// The reasons of an UnsafeError.
const (
	Symlink      Reason = "symbolic link"
	HardLink     Reason = "more than one hard link"
	NotRegular   Reason = "not a regular file"
	NotDirectory Reason = "not a directory"
	ForeignOwner Reason = "owned by another user"
)

// An UnsafeError means that Path is something that we neither read nor write,
// because it may lead out of the human directory or belongs to somebody else.
type UnsafeError struct {
	Path   string
	Reason Reason
}

func (e *UnsafeError) Error() string { return fmt.Sprintf("%s: refused: %s", e.Path, e.Reason) }

// A NetworkFSError means that Path lies on a file system whose locks and
// fsyncs cannot be relied on.
type NetworkFSError struct {
	Path string
	Kind string // such as "nfs"
}

func (e *NetworkFSError) Error() string {
	return fmt.Sprintf("%s is on a network file system (%s), where locks are not reliable; set allow_network_fs to use it anyway", e.Path, e.Kind)
}

// A TooLargeError means that something is larger than we take.
type TooLargeError struct {
	What  string // a path, or "blob"
	Limit int64  // bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s is larger than %d bytes", e.What, e.Limit)
}

// A DamagedError means that the content of a blob is not the one that its name
// says.
type DamagedError struct{ Path string }

func (e *DamagedError) Error() string {
	return e.Path + ": content does not match its hash"
}

// Explain returns the key in the texts area "store", and its arguments, of the
// sentence that tells a person what err means and what to do. It answers false
// for errors that have no sentence of their own.
func Explain(err error) (key string, args []any, ok bool) {
	var (
		locked  *LockedError
		perm    *PermissionError
		unsafe  *UnsafeError
		network *NetworkFSError
		newer   *NewerError
		large   *TooLargeError
		damaged *DamagedError
		name    *NameError
		broken  *TooDamagedError
		line    *LineError
	)
	switch {
	case errors.Is(err, ErrFailed):
		return "store.failed", []any{cause(err)}, true
	case errors.As(err, &locked):
		return explainLocked(locked)
	case errors.As(err, &perm):
		return "store.writable_by_others", []any{perm.Path, fmt.Sprintf("%04o", perm.Mode), perm.Remedy()}, true
	case errors.As(err, &unsafe):
		return explainUnsafe(unsafe)
	case errors.As(err, &network):
		return "store.network_fs_refused", []any{network.Path, network.Kind}, true
	case errors.As(err, &newer):
		return "store.newer_version", []any{newer.Family, newer.Found, newer.Supported}, true
	case errors.As(err, &large):
		return "store.too_large", []any{large.What, large.Limit}, true
	case errors.As(err, &damaged):
		return "store.damaged", []any{damaged.Path}, true
	case errors.As(err, &name):
		return "store.bad_name", []any{name.Name}, true
	case errors.As(err, &broken):
		return "store.too_damaged", []any{broken.Places, broken.Bytes}, true
	case errors.As(err, &line):
		return "store.bad_line", []any{line.Segment, line.Offset}, true
	case errors.Is(err, ErrDegraded) && isFull(err):
		return "store.full", nil, true
	case errors.Is(err, ErrDegraded):
		return "store.degraded", []any{cause(err)}, true
	case errors.Is(err, ErrTooLong):
		return "store.too_long", []any{maxLine >> 10}, true
	case errors.Is(err, ErrClosed):
		return "store.closed", nil, true
	case errors.Is(err, ErrReadOnly):
		return "store.refused_read_only", nil, true
	case errors.Is(err, ErrLockLost):
		return "store.lock_lost", nil, true
	case errors.Is(err, ErrConflict):
		return "store.conflict", nil, true
	}
	return "", nil, false
}

// cause returns what the operating system said.
func cause(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}

func explainLocked(e *LockedError) (string, []any, bool) {
	switch {
	case e.PID == 0:
		return "store.locked_by_unknown", []any{e.Dir}, true
	case e.Host != "":
		return "store.locked_elsewhere", []any{e.Dir, e.Command, e.PID, e.Since.UTC().Format(time.RFC3339), e.Host}, true
	}
	return "store.locked", []any{e.Dir, e.Command, e.PID, e.Since.UTC().Format(time.RFC3339)}, true
}

func explainUnsafe(e *UnsafeError) (string, []any, bool) {
	key := map[Reason]string{
		Symlink:      "store.is_symlink",
		HardLink:     "store.is_hard_link",
		NotRegular:   "store.is_not_regular",
		NotDirectory: "store.is_not_directory",
		ForeignOwner: "store.is_foreign",
	}[e.Reason]
	return key, []any{e.Path}, key != ""
}
