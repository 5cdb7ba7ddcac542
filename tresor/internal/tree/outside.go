package tree

import (
	"fmt"
	"io/fs"
	"os"
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
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(before, info) {
		err = ErrChanged
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
