package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// swapTries bounds how often a file that somebody saves again and again is put
// back where it was.
const swapTries = 16

// swap replaces the file name by content if it still is in the state since,
// and otherwise returns ErrConflict and leaves what somebody else put there.
//
// Looking at the file and then renaming over it would overwrite a save that
// falls between the two. Where the system can exchange two names in one step,
// swap exchanges and looks at what it took out: nothing that a person saved is
// lost, at whatever moment, a crash between two exchanges included (see
// keepSwapped).
func (h *Human) swap(name string, since Fingerprint, content []byte) error {
	if err := h.writable(); err != nil {
		return err
	}
	var like fs.FileInfo
	if since.Exists {
		fi, err := h.root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return ErrConflict
		case err != nil:
			return err
		}
		if err := checkFile(h.path(name), fi); err != nil {
			return err
		}
		like = fi
	} else if err := checkPath(name); err != nil {
		return err
	}
	dir := path.Dir(name)
	tmp, err := h.writeTemp(dir, swapPrefix, content, like)
	if err != nil {
		return err
	}
	placed, err := h.place(tmp, name, since, sha256.Sum256(content))
	if placed {
		err = errors.Join(err, h.syncDir(dir))
	}
	if rest := h.root.Remove(tmp); !errors.Is(rest, fs.ErrNotExist) {
		err = errors.Join(err, rest)
	}
	return err
}

// place puts tmp, whose content has the hash ours, under name, and reports
// whether it did.
func (h *Human) place(tmp, name string, since Fingerprint, ours [sha256.Size]byte) (bool, error) {
	var err error
	if since.Exists {
		err = h.placeOver(tmp, name, since, ours)
	} else {
		err = h.renameSpecial(tmp, name, renameNoReplace)
	}
	if errors.Is(err, errors.ErrUnsupported) {
		err = h.placeByRename(tmp, name, since)
	}
	switch {
	case err == nil:
		return true, nil
	case !since.Exists && errors.Is(err, fs.ErrExist), since.Exists && errors.Is(err, fs.ErrNotExist):
		return false, ErrConflict
	}
	return false, err
}

// placeOver exchanges tmp and name until what it took out is what lay there
// by agreement: the state since, or else our own content, taken out again
// because somebody had saved meanwhile.
func (h *Human) placeOver(tmp, name string, since Fingerprint, ours [sha256.Size]byte) error {
	put, expect := ours, since.Sum
	for range swapTries {
		if err := h.renameSpecial(tmp, name, renameExchange); err != nil {
			return err
		}
		_, out, err := h.readWhole(tmp)
		if err != nil {
			return errors.Join(err, h.renameSpecial(tmp, name, renameExchange))
		}
		if out.Sum == expect {
			if put == ours {
				return nil
			}
			return ErrConflict
		}
		put, expect = out.Sum, put
	}
	return fmt.Errorf("%w, too often to put it back at once", ErrConflict)
}

// placeByRename is for file systems that cannot exchange names. A save between
// the look and the rename is lost there; the window is two system calls wide.
func (h *Human) placeByRename(tmp, name string, since Fingerprint) error {
	_, now, err := h.readWhole(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !now.Same(since) {
		return ErrConflict
	}
	return h.root.Rename(tmp, name)
}
