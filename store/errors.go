package store

import (
	"fmt"
	"io/fs"
)

// A PermissionError means that somebody else could write to Path.
type PermissionError struct {
	Path string
	Mode fs.FileMode // as found
	Want fs.FileMode // as it should be
}

// Remedy returns the command that cures e.
func (e *PermissionError) Remedy() string { return fmt.Sprintf("chmod %o '%s'", e.Want, e.Path) }

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
