package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// lockName is the file whose flock is the right to write. It is never renamed,
// replaced or deleted; what stands in it is information only.
const lockName = ".lock"

// ErrLockLost means that the lock file that this process holds, or the human
// directory itself, is no longer where it was. Writing on could make two
// writers.
var ErrLockLost = errors.New("lock file was removed or replaced while held")

// A LockedError means that another process holds the human directory. The
// facts about the holder are what it wrote down; they are empty when it could
// not.
type LockedError struct {
	Dir     string
	PID     int
	Command string // such as "outheis run"
	Since   time.Time
	Host    string // when the holder runs on another machine or container
}

func (e *LockedError) Error() string {
	s := "human directory " + e.Dir + " is in use by "
	if e.PID == 0 {
		return s + "another process"
	}
	if e.Command == "" {
		s += "another process"
	} else {
		s += "\"" + e.Command + "\""
	}
	s += fmt.Sprintf(" (process %d", e.PID)
	if e.Host != "" {
		s += " on " + e.Host
	}
	if !e.Since.IsZero() {
		s += ", since " + e.Since.UTC().Format(time.RFC3339)
	}
	return s + ")"
}

// lockNote is what the holder writes into the lock file.
type lockNote struct {
	PID     int       `json:"pid"`
	Command string    `json:"command"`
	Since   time.Time `json:"since"`
	Host    string    `json:"host"`
}

// A dirLock is the held lock of a human directory: an exclusive flock on the
// lock file and one on the directory itself. The second is there because a
// lock file that somebody deletes would let a second instance in through a new
// one; the directory cannot be replaced so easily.
type dirLock struct {
	h    *Human
	dir  *os.File // nil where directories cannot be locked
	file *os.File
}

// takeLock takes the lock of h without waiting.
func takeLock(h *Human, o Options) (*dirLock, error) {
	l := &dirLock{h: h}
	if err := l.take(); err != nil {
		return nil, errors.Join(err, l.release())
	}
	host, _ := os.Hostname()
	note, err := json.Marshal(lockNote{os.Getpid(), o.Holder, o.Now().UTC().Truncate(time.Second), host})
	if err != nil {
		return nil, errors.Join(err, l.release())
	}
	if err := l.write(append(note, '\n')); err != nil {
		return nil, errors.Join(fmt.Errorf("write %s: %w", lockName, err), l.release())
	}
	return l, nil
}

func (l *dirLock) take() error {
	d, err := l.h.root.Open(".")
	if err != nil {
		return err
	}
	switch err := tryFlock(d); {
	case err == nil:
		l.dir = d
	case errors.Is(err, errWouldBlock):
		return errors.Join(l.locked(), d.Close())
	case isUnsupported(err):
		if err := d.Close(); err != nil {
			return err
		}
	default:
		return errors.Join(fmt.Errorf("lock directory: %w", err), d.Close())
	}
	f, err := l.h.openFile(lockName, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	switch err := tryFlock(f); {
	case err == nil:
		l.file = f
	case errors.Is(err, errWouldBlock):
		return errors.Join(l.locked(), f.Close())
	default:
		return errors.Join(fmt.Errorf("lock %s: %w", lockName, err), f.Close())
	}
	return l.check()
}

// locked builds the error from what the holder wrote down.
func (l *dirLock) locked() error {
	e := &LockedError{Dir: l.h.dir}
	f, err := l.h.openExisting(lockName, os.O_RDONLY)
	if err != nil {
		return e
	}
	defer f.Close()
	var note lockNote
	b, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil || json.Unmarshal(b, &note) != nil {
		return e
	}
	host, _ := os.Hostname()
	if note.Host == host && !processExists(note.PID) {
		return e // the note of a former holder
	}
	e.PID, e.Command, e.Since = note.PID, note.Command, note.Since
	if note.Host != host {
		e.Host = note.Host
	}
	return e
}

func (l *dirLock) write(b []byte) error {
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err := l.file.WriteAt(b, 0)
	return err
}

// check returns ErrLockLost when the lock file is not the one that is locked,
// or when the directory's path leads elsewhere by now.
func (l *dirLock) check() error {
	held, err := l.file.Stat()
	if err != nil {
		return err
	}
	now, err := l.h.root.Lstat(lockName)
	if err != nil || !os.SameFile(held, now) {
		return ErrLockLost
	}
	here, err := l.h.root.Stat(".")
	if err != nil {
		return err
	}
	there, err := os.Stat(l.h.dir)
	if err != nil || !os.SameFile(here, there) {
		return ErrLockLost
	}
	return nil
}

// release empties the note and gives the lock back.
func (l *dirLock) release() error {
	var errs []error
	if l.file != nil {
		errs = append(errs, l.file.Truncate(0), unlock(l.file), l.file.Close())
	}
	if l.dir != nil {
		errs = append(errs, unlock(l.dir), l.dir.Close())
	}
	return errors.Join(errs...)
}

// CheckLock returns [ErrLockLost] when the lock file or the whole directory
// was removed, replaced or moved since Open. It costs four stats; the gateway
// calls it now and then and stops on an error.
func (h *Human) CheckLock() error {
	if h.lock == nil {
		return nil
	}
	if err := h.lock.check(); err != nil {
		return fmt.Errorf("store: check lock of %s: %w", h.dir, err)
	}
	return nil
}
