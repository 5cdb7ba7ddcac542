// Package lock is the write lock of a Tresor, the file .vault-release.lock: one
// writer at a time, no waiting, and a lock that stays behind is never removed by
// a program (6-release section 2).
package lock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
)

// ErrTaken says that another writer is at work, or was cut off.
var ErrTaken = errors.New("the write lock exists")

// ErrLost says that the lock was removed or replaced while it was held.
var ErrLost = errors.New("the write lock was removed or replaced by somebody else")

// A Lock is held until Release or Keep.
type Lock struct {
	root *os.Root
	file *os.File
}

// Take creates the lock in the Tresor's folder for a command. While it exists,
// every query and every other writer refuses.
func Take(dir, command string, now time.Time) (*Lock, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f, err := root.OpenFile(profil.LockFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		root.Close()
		if errors.Is(err, fs.ErrExist) {
			return nil, ErrTaken
		}
		return nil, err
	}
	l := &Lock{root, f}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	_, err = fmt.Fprintf(f, "pid=%d\nhost=%s\ncommand=%s\nstarted=%s\n", os.Getpid(), host, command, now.UTC().Format(time.RFC3339))
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return nil, errors.Join(err, l.Release())
	}
	return l, nil
}

// Release removes the lock if it is still this one.
func (l *Lock) Release() error {
	defer l.root.Close()
	defer l.file.Close()
	held, err := l.file.Stat()
	if err != nil {
		return err
	}
	there, err := l.root.Lstat(profil.LockFile)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(held, there) {
		return ErrLost
	}
	if err != nil {
		return err
	}
	return l.root.Remove(profil.LockFile)
}

// Keep leaves the lock behind, with the reason why a person must look first.
func (l *Lock) Keep(reason string) error {
	defer l.root.Close()
	defer l.file.Close()
	reason = strings.Join(strings.FieldsFunc(reason, text.IsControl), " ")
	if _, err := l.file.WriteString("recovery_required=" + text.Trim(reason) + "\n"); err != nil {
		return err
	}
	return l.file.Sync()
}
