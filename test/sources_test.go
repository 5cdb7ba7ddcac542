package test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// root is the folder of the module.
const root = ".."

// lookAtSources tells go test that the result of t depends on all of the module
// and not only on the packages that it imports: other programs read the rest,
// and a result from the cache would be that of yesterday's sources.
func lookAtSources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // an editor's file that is gone again
			return nil
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".git":
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		_, _ = os.Stat(path) // looking is all
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
