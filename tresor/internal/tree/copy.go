package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
)

// Copy writes a safe regular file of any size to w; what was read and hashed
// before must be the same bytes, else [ErrChanged].
func (t *Tree) Copy(w io.Writer, path string) error {
	f, e, err := t.open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	for {
		n, err := f.Read(t.buffer[:])
		h.Write(t.buffer[:n])
		if _, err := w.Write(t.buffer[:n]); err != nil {
			return err
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	return e.pin(hex.EncodeToString(h.Sum(nil)))
}
