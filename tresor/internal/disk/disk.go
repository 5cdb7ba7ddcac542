// Package disk is the little of a file system that writing a Tresor needs:
// folders that stay open while names in them are made, replaced and removed,
// never through a link and durably. What it does to the disk it tells a [Hook]
// first, so that a test can let any single call fail, stop the program there, or
// work out what a power failure would leave.
//
// It knows nothing of Tresore; order and meaning of the calls are its callers'.
package disk

import (
	"errors"
	"io/fs"
	"time"

	"outheis/tresor/internal/wording"
)

// ErrPlatform says that this system cannot do this: it has no folders that stay
// open while files in them are renamed.
var ErrPlatform = errors.New("not possible on this system")

// ErrNoFile says that a name to be opened as a file is a folder, a pipe or a
// device.
var ErrNoFile = error(wording.NewFault("os.nofile"))

// A Call is a change of the disk, or a look at it, that is about to happen.
type Call struct {
	Op   string // open, create, read, write, chmod, chown, sync, syncdir, rename, remove, rmdir, mkdir, stat, list or lock
	Path string // as the folder was opened, with the name
	To   string // of a rename
}

// A Hook sees every call first; an error takes the call's place. Nil sees
// nothing.
type Hook func(Call) error

func (h Hook) see(op, path string) error { return h.seeBoth(op, path, "") }

func (h Hook) seeBoth(op, path, to string) error {
	if h == nil {
		return nil
	}
	return h(Call{op, path, to})
}

// An ID tells files and folders apart, whatever their names.
type ID struct{ Device, Inode uint64 }

// Info is what is at a name.
type Info struct {
	ID    ID
	Mode  fs.FileMode // kind and permissions
	Owner uint32
	Group uint32
	Links uint64
	Size  int64
	Time  time.Time // of the last change of the content
}

// Plain reports whether it is a regular file with this one name.
func (i Info) Plain() bool { return i.Mode.IsRegular() && i.Links == 1 }
