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

// writeFile makes a new file. What is there already is left alone, with an error
// that is [os.ErrExist].
func writeFile(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		_ = os.Remove(path) // the error is more telling
	}
	return err
}
