package lock

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"outheis/tresor/internal/disk"
	"outheis/tresor/internal/profil"
)

// A State says whether somebody still holds a lock.
type State int

// The states.
const (
	Held    State = iota // a process holds it, or may
	Left                 // its process on this machine is certainly dead
	Unclear              // nothing can be said from here
)

// A Reason is why a state is Unclear.
type Reason int

// The reasons.
const (
	NoFile    Reason = iota + 1 // no plain file with a few lines
	NoWriter                    // it does not say who made it
	NoHost                      // it does not say where, as those of other engines
	OtherHost                   // it was made on another machine
	NoLocking                   // the file system cannot tell
	NoAccess                    // it is another user's, who lets nobody read it
)

// A Found is a lock that is there. Close it.
type Found struct {
	Lines    []string
	PID      int    // 0 if unknown
	Host     string // "" if unknown
	Command  string // "" if unknown
	Started  time.Time
	Required string // why a person must look first; "" without it
	// Staging is the path that the folder with the former state had; "" if nothing
	// was changed yet. Unless Ended, that folder is needed.
	Staging string
	Ended   bool
	Owner   uint32 // user of the file, by number
	State   State
	Reason  Reason // of Unclear, else 0

	root *disk.Folder
	file *disk.File
	id   disk.ID
}

// clockSlack is what two clocks of one machine may differ by.
const clockSlack = 2 * time.Second

// maxLock is the size of a lock that is read.
const maxLock = 64 << 10

// Find looks at the lock in the Tresor's folder; nil if there is none. While the
// result is open, no other Find takes a left lock for its own. Hook may be nil.
func Find(dir string, hook disk.Hook) (*Found, error) {
	root, err := disk.Open(dir, hook)
	if err != nil {
		return nil, err
	}
	f := &Found{root: root, State: Unclear, Reason: NoFile}
	info, err := root.Info(profil.LockFile)
	if err != nil {
		f.Close()
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	f.id, f.Owner = info.ID, info.Owner
	if !info.Plain() || info.Size > maxLock {
		return f, nil
	}
	if f.file, err = root.Open(profil.LockFile); err != nil {
		if errors.Is(err, fs.ErrPermission) {
			f.Reason = NoAccess
			return f, nil
		}
		f.Close()
		return nil, err
	}
	free, locking := f.file.Lock()
	b, err := io.ReadAll(io.LimitReader(f.file, maxLock))
	if err != nil {
		f.Close()
		return nil, err
	}
	f.parse(string(b))
	f.judge(free, locking)
	return f, nil
}

// Staging returns the path that a lock with the content names, as [Found] does.
func Staging(content string) string {
	var f Found
	f.parse(content)
	return f.Staging
}

func (f *Found) parse(content string) {
	for line := range strings.Lines(content) {
		whole := strings.HasSuffix(line, "\n") || !strings.HasPrefix(line, stagingLine)
		line = strings.TrimRight(line, "\r\n")
		if line != "" {
			f.Lines = append(f.Lines, line)
		}
		name, value, _ := strings.Cut(line, "=")
		if !whole {
			name = "" // the writer ended in it
		}
		switch name {
		case "pid":
			f.PID, _ = strconv.Atoi(value) // 0 is unknown
		case "host":
			f.Host = value
		case "command":
			f.Command = value
		case "started":
			f.Started, _ = time.Parse(time.RFC3339, value) // zero is unknown
		case "recovery_required":
			f.Required = value
		case "staging":
			f.Staging, _ = strconv.Unquote(value) // what is no path is none
			f.Ended = false
		case endedLine:
			f.Ended = true
		}
	}
}

// judge decides whether the writer still lives: by the lock in the kernel, which
// dies with it, and by its process, in case the file system has no such locks
// or only for each machine.
func (f *Found) judge(free bool, locking error) {
	host, err := os.Hostname()
	switch {
	case locking == nil && !free:
		f.State, f.Reason = Held, 0
	case f.PID <= 0:
		f.Reason = NoWriter
	case f.Host == "":
		f.Reason = NoHost
	case err != nil || f.Host != host:
		f.Reason = OtherHost
	case locking != nil:
		f.Reason = NoLocking
	case alive(f.PID, f.Started):
		f.State, f.Reason = Held, 0
	default:
		f.State, f.Reason = Left, 0
	}
}

// End notes in the lock that nobody needs the folder of Staging any more, before
// that goes: whoever finds the lock without it shall know. It needs the right to
// write the lock.
func (f *Found) End() error {
	file, err := f.root.OpenWrite(profil.LockFile)
	if err != nil {
		return err
	}
	info, err := file.Info()
	if err == nil && info.ID != f.id {
		err = ErrLost
	}
	if err == nil {
		_, err = file.Write([]byte("\n" + endedLine + "\n")) // its writer may have ended in a line
	}
	if err == nil {
		err = file.Sync()
	}
	f.Ended = err == nil
	return errors.Join(err, file.Close())
}

// Remove removes the lock if it is still this one.
func (f *Found) Remove() error {
	there, err := f.root.Info(profil.LockFile)
	if errors.Is(err, fs.ErrNotExist) || err == nil && there.ID != f.id {
		return ErrLost
	}
	if err != nil {
		return err
	}
	if err := f.root.Remove(profil.LockFile); err != nil {
		return err
	}
	return f.root.Sync()
}

// Close lets go of the lock, without removing it.
func (f *Found) Close() {
	if f.file != nil {
		f.file.Close()
	}
	f.root.Close()
}
