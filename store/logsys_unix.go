//go:build linux || darwin

package store

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// diskSpace returns the bytes that we may still write to the file system of
// the directory d, and all that it has.
func diskSpace(d *os.File) (free, all uint64, err error) {
	var st unix.Statfs_t
	if err := control(d, func(fd int) error { return unix.Fstatfs(fd, &st) }); err != nil {
		return 0, 0, err
	}
	return st.Bavail * uint64(st.Bsize), st.Blocks * uint64(st.Bsize), nil
}

func inode(fi fs.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

// isFull reports whether err says that there is no room to write more.
func isFull(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EFBIG)
}

func wrapLink(oldName, newName string, err error) error {
	if err == nil {
		return nil
	}
	return &os.LinkError{Op: "rename", Old: oldName, New: newName, Err: err}
}
