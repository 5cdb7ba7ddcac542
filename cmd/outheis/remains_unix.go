//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// claim marks the folder of a selftest as one that is in use, until the process
// ends or the file is closed.
func claim(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, claimName+"-") // nobody sees it before it is locked
	if err != nil {
		return nil, err
	}
	if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, claimName))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// isAbandoned reports that a folder is one of ours whose selftest has ended
// without putting it away.
func isAbandoned(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	if who, ok := info.Sys().(*syscall.Stat_t); !ok || int(who.Uid) != os.Geteuid() {
		return false
	}
	f, err := os.OpenFile(filepath.Join(dir, claimName), os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}
