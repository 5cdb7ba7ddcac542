package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// What bears one of these prefixes at Open is left over from a crash.
const (
	tempPrefix = ".tmp-"  // unfinished, of no use to anybody
	swapPrefix = ".swap-" // while a Doc is replaced; may be what a person saved
)

// openTries bounds how often a name is opened anew that somebody makes,
// replaces or removes at the same moment.
const openTries = 16

// openFile opens the file name, a slash-separated path below the directory.
// It never follows a symbolic link in the last element and refuses what is not
// a regular file of our own with one hard link, or what others could write.
// With os.O_CREATE a missing file is made 0600 under any umask and its
// directory is fsynced.
func (h *Human) openFile(name string, flag int) (*os.File, error) {
	if flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND) != 0 {
		if err := h.writable(); err != nil {
			return nil, fmt.Errorf("open %s: %w", name, err)
		}
	}
	// Nothing is truncated before it is known to be what we want.
	trunc := flag&os.O_TRUNC != 0
	flag &^= os.O_TRUNC
	f, err := h.openOrCreate(name, flag)
	if err != nil {
		return nil, err
	}
	if trunc {
		if err := f.Truncate(0); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return f, nil
}

func (h *Human) openOrCreate(name string, flag int) (*os.File, error) {
	for range openTries {
		if flag&os.O_EXCL == 0 {
			f, err := h.openExisting(name, flag&^os.O_CREATE)
			if err == nil || !errors.Is(err, fs.ErrNotExist) || flag&os.O_CREATE == 0 {
				return f, err
			}
		}
		f, err := h.createFile(name, flag)
		if err == nil {
			if err := h.syncDir(path.Dir(name)); err != nil {
				return nil, errors.Join(err, f.Close())
			}
			return f, nil
		}
		if flag&os.O_EXCL != 0 || !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("open %s: the name appears and disappears", name)
}

// createFile makes the file name, which must not exist, 0600 under any umask.
func (h *Human) createFile(name string, flag int) (*os.File, error) {
	if err := checkPath(name); err != nil {
		return nil, err
	}
	f, err := h.root.OpenFile(name, flag|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(fileMode); err != nil {
		return nil, errors.Join(err, f.Close(), h.root.Remove(name))
	}
	return f, nil
}

// openExisting opens name and checks on the descriptor that it is the file
// that the name meant before, so that no link can be put in between.
func (h *Human) openExisting(name string, flag int) (*os.File, error) {
	for range openTries {
		f, same, err := h.openChecked(name, flag)
		if same || err != nil {
			return f, err
		}
	}
	return nil, fmt.Errorf("open %s: replaced again and again", name)
}

// openChecked reports false, and no error, when the file was replaced while it
// was opened.
func (h *Human) openChecked(name string, flag int) (f *os.File, same bool, err error) {
	before, err := h.root.Lstat(name)
	if err != nil {
		return nil, false, err
	}
	if err := checkRegular(h.path(name), before); err != nil {
		return nil, false, err
	}
	f, err = h.root.OpenFile(name, flag|openNonblock, 0)
	if err != nil {
		return nil, false, err
	}
	fi, err := f.Stat()
	if err != nil {
		return nil, false, errors.Join(err, f.Close())
	}
	if !os.SameFile(before, fi) {
		return nil, false, f.Close()
	}
	if err := checkFile(h.path(name), fi); err != nil {
		return nil, false, errors.Join(err, f.Close())
	}
	return f, true, nil
}

func checkRegular(path string, fi fs.FileInfo) error {
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		return &UnsafeError{Path: path, Reason: Symlink}
	case !fi.Mode().IsRegular():
		return &UnsafeError{Path: path, Reason: NotRegular}
	}
	return nil
}

// checkFile checks an opened file: regular, ours, one link, writable by nobody
// else.
func checkFile(path string, fi fs.FileInfo) error {
	if err := checkRegular(path, fi); err != nil {
		return err
	}
	if err := checkOwner(path, fi); err != nil {
		return err
	}
	if links(fi) > 1 {
		return &UnsafeError{Path: path, Reason: HardLink}
	}
	if perm := fi.Mode().Perm(); hasModes && perm&0o022 != 0 {
		return &PermissionError{Path: path, Mode: perm, Want: fileMode}
	}
	return nil
}

// writeAtomic replaces the file name by b, or makes it. A reader sees the old
// content or the new one, never a mixture, and when writeAtomic returns nil
// the new one survives a power cut. An existing file keeps its mode; a
// symbolic link is refused. On an error the old content is still there, except
// when only the last step, the directory's fsync, failed.
func (h *Human) writeAtomic(name string, b []byte) error {
	if err := h.writable(); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	old, err := h.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old, err = nil, checkPath(name)
	case err == nil:
		err = checkFile(h.path(name), old)
	}
	if err != nil {
		return err
	}
	tmp, err := h.writeTemp(path.Dir(name), tempPrefix, b, old)
	if err != nil {
		return err
	}
	if err := h.root.Rename(tmp, name); err != nil {
		return errors.Join(err, h.root.Remove(tmp))
	}
	return h.syncDir(path.Dir(name))
}

// writeTemp writes b to a new file in the directory dir, whose name begins with
// prefix, fsyncs it, gives it the mode of like (if any) and returns its name. On
// an error nothing is left.
func (h *Human) writeTemp(dir, prefix string, b []byte, like fs.FileInfo) (name string, err error) {
	name = path.Join(dir, prefix+rand.Text())
	f, err := h.createFile(name, os.O_WRONLY)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.root.Remove(name))
		}
	}()
	if like != nil && hasModes {
		if err := f.Chmod(like.Mode().Perm()); err != nil {
			return "", errors.Join(err, f.Close())
		}
		keepGroup(f, like)
	}
	if _, err := f.Write(b); err != nil {
		return "", errors.Join(err, f.Close())
	}
	if err := f.Sync(); err != nil {
		return "", errors.Join(err, f.Close())
	}
	return name, f.Close()
}

// syncDir fsyncs the directory name, so that the names in it survive a power
// cut. A failure is an error like that of any fsync.
func (h *Human) syncDir(name string) error {
	d, err := h.root.Open(name)
	if err != nil {
		return err
	}
	if err := syncDirFile(d); err != nil {
		return errors.Join(fmt.Errorf("sync directory %s: %w", name, err), d.Close())
	}
	return d.Close()
}

// sweep removes what an interrupted writeAtomic left behind, and puts what an
// interrupted swap did into the quarantine. It is called with the lock held, so
// nobody else is writing. It does not look into the user's own folder and not
// into the blobs' many, whose unfinished files lie in blobs itself.
func (h *Human) sweep() error {
	return fs.WalkDir(h.root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			return nil
		case err != nil:
			return err
		case name == "vault", name == "blobs/sha256":
			return fs.SkipDir
		case !e.Type().IsRegular():
			return nil
		case strings.HasPrefix(e.Name(), tempPrefix):
			return h.root.Remove(name)
		case strings.HasPrefix(e.Name(), swapPrefix):
			return h.keepSwapped(name)
		}
		return nil
	})
}

// keepSwapped moves what an interrupted swap left behind out of the way: it may
// be what a person saved at that moment.
func (h *Human) keepSwapped(name string) error {
	to := "quarantine/edit-" + strings.TrimPrefix(path.Base(name), swapPrefix)
	if err := h.root.Rename(name, to); err != nil {
		return err
	}
	h.warn("store.warn_cut_edit", to)
	return errors.Join(h.syncDir("quarantine"), h.syncDir(path.Dir(name)))
}
