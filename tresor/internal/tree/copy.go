package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// Copy writes a safe regular file of any size to w; what was read and hashed
// before must be the same bytes, else [ErrChanged], which also ends the copy of a
// file that grows while it is read.
func (t *Tree) Copy(w io.Writer, path string) error {
	f, e, err := t.open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.CopyBuffer(io.MultiWriter(h, w), io.LimitReader(f, e.Size+1), t.buffer[:])
	if err == nil && n != e.Size {
		err = ErrChanged
	}
	if err != nil {
		return err
	}
	return e.pin(hex.EncodeToString(h.Sum(nil)))
}
