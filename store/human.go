package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Modes of everything that we make (spec/outheis.md §1.1).
const (
	dirMode  fs.FileMode = 0o700
	fileMode fs.FileMode = 0o600
)

// ErrReadOnly means that the human directory was opened without the right to
// write, because the caller wanted it so or because the file system allows no
// more.
var ErrReadOnly = errors.New("human directory is open for reading only")

// Options say how a human directory is opened. The zero value opens it for
// writing on a local file system and makes what is missing.
type Options struct {
	// ReadOnly opens an existing directory without its lock and writes
	// nothing, whoever else holds it.
	ReadOnly bool
	// AllowReadOnly turns a directory into which nothing can be written (a
	// read-only file system, missing rights) into a ReadOnly one, with a
	// warning, instead of an error.
	AllowReadOnly bool
	// AllowNetworkFS accepts NFS, SMB and other file systems on which neither
	// locks nor fsync can be relied on.
	AllowNetworkFS bool
	// Holder is what this process is, such as "outheis run"; it stands in the
	// message that a second instance gets.
	Holder string
	// Now is the clock of the lock's note; nil is [time.Now].
	Now func() time.Time
}

// A Warning is something about the directory that its owner should know and
// that prevents nothing. Key and Args make its sentence, from the texts area
// "store"; the first argument is always the path in question.
type Warning struct {
	Key  string
	Args []any
}

// Human is an opened human directory. It is safe for use by many goroutines.
type Human struct {
	root     *os.Root
	dir      string
	readOnly bool
	lock     *dirLock // nil when readOnly
	warnings []Warning

	docs  sync.Mutex // held during each Doc's edit
	close func() error
}

// Open opens the human directory dir, making it and the folders of this
// package when they are missing, and takes its exclusive lock, which it holds
// until Close. Leftovers of an interrupted write are removed.
//
// Errors to branch on: [*LockedError] when another process holds the
// directory, [*PermissionError] when others can write into it, [*UnsafeError]
// when something in it is not a plain file or directory of our own,
// [*NetworkFSError]. With Options.ReadOnly a directory that does not exist is
// [fs.ErrNotExist].
func Open(dir string, o Options) (*Human, error) {
	h, err := open(dir, o)
	if err != nil {
		return nil, fmt.Errorf("store: open human directory: %w", err)
	}
	return h, nil
}

func open(dir string, o Options) (*Human, error) {
	if dir == "" {
		return nil, errors.New("no directory named")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	h := &Human{dir: dir, readOnly: o.ReadOnly}
	if !h.readOnly {
		switch err := makeDirs(dir); {
		case err == nil:
		case o.AllowReadOnly && isReadOnly(err):
			h.becomeReadOnly()
		default:
			return nil, err
		}
	}
	if h.root, err = os.OpenRoot(dir); err != nil {
		return nil, err
	}
	h.close = sync.OnceValue(h.release)
	if err := h.begin(o); err != nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

// begin checks the opened directory, locks it and makes its folders.
func (h *Human) begin(o Options) error {
	// A reader needs no lock, so any file system will do.
	if err := h.checkFS(o.AllowNetworkFS || h.readOnly); err != nil {
		return err
	}
	if err := h.checkDir("."); err != nil {
		return err
	}
	if !h.readOnly {
		lock, err := takeLock(h, o)
		switch {
		case err == nil:
			h.lock = lock
		case o.AllowReadOnly && isReadOnly(err):
			h.becomeReadOnly()
		default:
			return err
		}
	}
	for _, name := range []string{"archive", "quarantine", "blobs", "cache"} {
		if err := h.ensureDir(name); err != nil {
			return err
		}
	}
	if h.readOnly {
		return nil
	}
	return h.sweep()
}

func (h *Human) becomeReadOnly() {
	h.readOnly = true
	h.warn("store.warn_read_only", ".")
}

func (h *Human) warn(key, name string, args ...any) {
	h.warnings = append(h.warnings, Warning{Key: key, Args: append([]any{h.path(name)}, args...)})
}

// Root returns the directory's root. It belongs to h: do not close it. Writing
// through it forgoes the promises of this package.
func (h *Human) Root() *os.Root { return h.root }

// Dir returns the directory's absolute path, for messages.
func (h *Human) Dir() string { return h.dir }

// ReadOnly reports whether h was opened without the right to write.
func (h *Human) ReadOnly() bool { return h.readOnly }

// Warnings returns what Open found worth telling the owner.
func (h *Human) Warnings() []Warning { return h.warnings }

// Close gives the lock back. It may be called more than once.
func (h *Human) Close() error { return h.close() }

func (h *Human) release() error {
	var errs []error
	if h.lock != nil {
		errs = append(errs, h.lock.release())
	}
	errs = append(errs, h.root.Close())
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("store: close human directory: %w", err)
	}
	return nil
}

// path returns the path of name as for the shell.
func (h *Human) path(name string) string { return filepath.Join(h.dir, filepath.FromSlash(name)) }

// writable returns ErrReadOnly when h may not write.
func (h *Human) writable() error {
	if h.readOnly {
		return ErrReadOnly
	}
	return nil
}

// ensureDir makes the directory name when it is missing and h may write, and
// checks it when it is there.
func (h *Human) ensureDir(name string) error {
	err := h.checkDir(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if h.readOnly {
		return nil
	}
	return h.mkdirAll(name)
}

// mkdirAll makes the directory name and its ancestors 0700 under any umask,
// and fsyncs the parent of each that it made.
func (h *Human) mkdirAll(name string) error {
	if err := h.writable(); err != nil {
		return err
	}
	name = path.Clean(name)
	if name == "." {
		return nil
	}
	if err := checkPath(name); err != nil {
		return err
	}
	var at string
	for part := range strings.SplitSeq(name, "/") {
		at = path.Join(at, part)
		err := h.root.Mkdir(at, dirMode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := h.root.Chmod(at, dirMode); err != nil {
			return err
		}
		if err := h.syncDir(path.Dir(at)); err != nil {
			return err
		}
	}
	return h.checkDir(name)
}

// checkDir checks that name is a directory of ours into which nobody else can
// write. Others who can read it are worth a warning.
func (h *Human) checkDir(name string) error {
	fi, err := h.root.Lstat(name)
	if err != nil {
		return err
	}
	if !fi.IsDir() {
		return &UnsafeError{Path: h.path(name), Reason: NotDirectory}
	}
	if err := checkOwner(h.path(name), fi); err != nil {
		return err
	}
	if !hasModes {
		return nil
	}
	switch perm := fi.Mode().Perm(); {
	case perm&0o022 != 0:
		return &PermissionError{Path: h.path(name), Mode: perm, Want: dirMode}
	case perm&0o077 != 0:
		h.warn("store.warn_readable_by_others", name, fmt.Sprintf("%04o", perm))
	}
	return nil
}

// makeDirs makes dir and its missing ancestors outside any root, 0700 under
// any umask, and fsyncs the parent of each that it made.
func makeDirs(dir string) error {
	if _, err := os.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(dir)
	if err := makeDirs(parent); err != nil {
		return err
	}
	if err := os.Mkdir(dir, dirMode); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		return err
	}
	if err := os.Chmod(dir, dirMode); err != nil {
		return err
	}
	p, err := os.Open(parent)
	if err != nil {
		return err
	}
	return errors.Join(syncDirFile(p), p.Close())
}
