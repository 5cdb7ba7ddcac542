package tree

import (
	"errors"
	"io"
)

// Tail returns the last n bytes of a safe regular file, or all if it has less.
func (t *Tree) Tail(path string, n int64) ([]byte, error) {
	f, e, err := t.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	at, ok := f.(io.ReaderAt)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	b := make([]byte, min(n, e.Size))
	read, err := at.ReadAt(b, e.Size-int64(len(b)))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b[:read], nil
}
