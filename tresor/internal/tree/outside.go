package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// OpenFile opens a regular file anywhere on disk for reading, without following
// a link in the last component of its path and without waiting for the other
// end of a pipe. The caller closes it. Anything else than a regular file is an
// error that is [ErrUnsafe]; the information is that of the open file.
func OpenFile(path string) (*os.File, fs.FileInfo, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("open %s: %w", path, ErrUnsafe)
	}
	return opened(before, func() (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|openFlags, 0) })
}

// Follow resolves the links of an absolute path, of which a tail need not exist.
// A link to nowhere is an error.
func Follow(path string) (string, error) {
	if real, err := filepath.EvalSymlinks(path); !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = &fs.PathError{Op: "resolve", Path: path, Err: fs.ErrNotExist} // a link to nowhere
		}
		return "", err
	}
	parent, err := Follow(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	return filepath.Join(parent, filepath.Base(path)), nil
}

// Within reports whether an absolute path is a folder or leads below it; of the
// path a tail need not exist. Files are compared, not names: a file system may
// fold case, and a folder may be mounted twice. Links in the path are not looked
// behind, see [Follow].
func Within(path, folder string) bool {
	outer, failed := os.Stat(folder)
	for ; ; path = filepath.Dir(path) {
		if path == folder {
			return true
		}
		if info, err := os.Stat(path); failed == nil && err == nil && os.SameFile(info, outer) {
			return true
		}
		if path == filepath.Dir(path) {
			return false
		}
	}
}
