// Package lock is the write lock of a Tresor, the file .vault-release.lock: one
// writer at a time, no waiting, and a lock that stays behind is never removed by
// the next writer (6-release section 2, deviation D-65).
//
// While its process lives, a lock of ours is also locked in the kernel, so that
// [Find] can tell a lock that is held from one that was left.
package lock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"outheis/tresor/internal/disk"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/wording"
)

// ErrTaken says that another writer is at work, or was cut off.
var ErrTaken = errors.New("the write lock exists")

// ErrLost says that the lock was removed or replaced while it was held.
var ErrLost = error(wording.NewFault("os.lost"))

// A Lock is held until Release or Keep.
type Lock struct {
	root *disk.Folder
	file *disk.File
	note string
}

// Take creates the lock in the Tresor's folder for a command. While it exists,
// every query and every other writer refuses. Hook may be nil.
func Take(dir, command string, now time.Time, hook disk.Hook) (*Lock, error) {
	root, err := disk.Open(dir, hook)
	if err != nil {
		return nil, err
	}
	f, err := root.Create(profil.LockFile, 0o600)
	if err != nil {
		root.Close()
		if errors.Is(err, fs.ErrExist) {
			return nil, ErrTaken
		}
		return nil, err
	}
	l := &Lock{root: root, file: f}
	if err := l.write(command, now); err != nil {
		return nil, errors.Join(err, l.Release())
	}
	return l, nil
}

func (l *Lock) write(command string, now time.Time) error {
	// A file system without advisory locks only keeps [Find] from being sure.
	if free, err := l.file.Lock(); err == nil && !free {
		return ErrTaken
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	l.note = fmt.Sprintf("pid=%d\nhost=%s\ncommand=%s\nstarted=%s\n", os.Getpid(), host, command, now.UTC().Format(time.RFC3339))
	if _, err := l.file.Write([]byte(l.note)); err != nil {
		return err
	}
	if err := l.file.Sync(); err != nil {
		return err
	}
	return l.root.Sync()
}

// Began notes the path of the folder with the former state, before anything
// changes: without that folder, a Tresor with this lock is not to be trusted.
func (l *Lock) Began(staging string) error {
	return l.add(stagingLine + strconv.Quote(staging))
}

// Ended notes that nobody needs that folder any more. That it cannot harms only
// who looks after the process ended right now.
func (l *Lock) Ended() { _ = l.add(endedLine) }

const (
	stagingLine = "staging="
	endedLine   = "ended"
)

func (l *Lock) add(line string) error {
	if _, err := l.file.Write([]byte(line + "\n")); err != nil {
		return err
	}
	return l.file.Sync()
}

// Note returns the lines that say who holds the lock.
func (l *Lock) Note() string { return l.note }

// Release removes the lock if it is still this one.
func (l *Lock) Release() error {
	defer l.root.Close()
	defer l.file.Close()
	held, err := l.file.Info()
	if err != nil {
		return err
	}
	there, err := l.root.Info(profil.LockFile)
	if errors.Is(err, fs.ErrNotExist) || err == nil && held.ID != there.ID {
		return ErrLost
	}
	if err != nil {
		return err
	}
	if err := l.root.Remove(profil.LockFile); err != nil {
		return err
	}
	// What the lock protected is durable. Should it come back after a power
	// failure, it is a lock that was left.
	_ = l.root.Sync()
	return nil
}

// Keep leaves the lock behind, with the reason why a person must look first.
func (l *Lock) Keep(reason string) error {
	defer l.root.Close()
	defer l.file.Close()
	reason = strings.Join(strings.FieldsFunc(reason, text.IsControl), " ")
	return l.add("recovery_required=" + text.Trim(reason))
}
