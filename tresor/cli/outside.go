package cli

import (
	"errors"
	"os"
	"path/filepath"

	"outheis/tresor/internal/tree"
)

// inside reports whether the path leads into the folder or below it, by whatever
// name; there need be nothing yet.
func inside(path, dir string) bool {
	at, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	root, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	if real, err := tree.Follow(at); err == nil {
		at = real
	}
	return tree.Within(at, root)
}

// writeFile puts a file in the place of the one that is there, whole or not at
// all. What is there and no file is left alone.
func writeFile(path string, content []byte) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return &os.PathError{Op: "write", Path: path, Err: os.ErrExist}
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the error is more telling
	}
	return err
}
