package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
)

// A logFS is what the log does to the disk. The real one is the human
// directory; tests put one in its place that fails, stops or loses power at
// any call.
//
// Names are slash-separated paths below the human directory.
type logFS interface {
	// open opens a plain file of ours. With os.O_CREATE a missing one is made,
	// and its name is durable when open returns.
	open(name string, flag int) (logFile, error)
	stat(name string) (fileInfo, error)
	// rename replaces newName; renameNew fails with fs.ErrExist instead.
	// Neither is durable before syncDir.
	rename(oldName, newName string) error
	renameNew(oldName, newName string) error
	remove(name string) error
	syncDir(name string) error
	list(dir string) ([]string, error)
	// writeAtomic replaces name by b, durably.
	writeAtomic(name string, b []byte) error
	// freeze takes away the right to write name.
	freeze(name string) error
	// space returns the free and all bytes of the file system.
	space() (free, all uint64, err error)
}

// A logFile is an open file. Write appends at the end, also when somebody else
// made the file longer; Sync makes the content and the length durable.
type logFile interface {
	io.ReaderAt
	io.Writer
	io.Closer
	Sync() error
	Truncate(size int64) error
	stat() (fileInfo, error)
}

// fileInfo tells files apart and how long they are.
type fileInfo struct {
	size int64
	id   uint64 // the inode number
}

// humanFS is the logFS of a human directory.
type humanFS struct{ h *Human }

func (s humanFS) open(name string, flag int) (logFile, error) {
	f, err := s.h.openFile(name, flag)
	if err != nil {
		return nil, err
	}
	return humanFile{f}, nil
}

func (s humanFS) stat(name string) (fileInfo, error) {
	fi, err := s.h.root.Lstat(name)
	if err != nil {
		return fileInfo{}, err
	}
	return infoOf(fi), nil
}

func (s humanFS) rename(oldName, newName string) error { return s.h.root.Rename(oldName, newName) }

func (s humanFS) renameNew(oldName, newName string) error {
	from, err := s.h.root.Open(path.Dir(oldName))
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := s.h.root.Open(path.Dir(newName))
	if err != nil {
		return err
	}
	defer to.Close()
	err = renameBetween(from, path.Base(oldName), to, path.Base(newName))
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	// The lock is held, so nobody but the owner could make the name between
	// the look and the rename.
	if _, err := s.h.root.Lstat(newName); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, &os.LinkError{Op: "rename", Old: oldName, New: newName, Err: fs.ErrExist})
	}
	return s.h.root.Rename(oldName, newName)
}

func (s humanFS) remove(name string) error  { return s.h.root.Remove(name) }
func (s humanFS) syncDir(name string) error { return s.h.syncDir(name) }

func (s humanFS) list(dir string) ([]string, error) {
	d, err := s.h.root.Open(dir)
	if err != nil {
		return nil, err
	}
	names, err := d.Readdirnames(-1)
	return names, errors.Join(err, d.Close())
}

func (s humanFS) writeAtomic(name string, b []byte) error { return s.h.writeAtomic(name, b) }

func (s humanFS) freeze(name string) error { return s.h.root.Chmod(name, 0o400) }

func (s humanFS) space() (free, all uint64, err error) {
	d, err := s.h.root.Open(".")
	if err != nil {
		return 0, 0, err
	}
	defer d.Close()
	return diskSpace(d)
}

type humanFile struct{ *os.File }

func (f humanFile) Sync() error { return syncData(f.File) }

func (f humanFile) stat() (fileInfo, error) {
	fi, err := f.File.Stat()
	if err != nil {
		return fileInfo{}, err
	}
	return infoOf(fi), nil
}

func infoOf(fi fs.FileInfo) fileInfo { return fileInfo{size: fi.Size(), id: inode(fi)} }
