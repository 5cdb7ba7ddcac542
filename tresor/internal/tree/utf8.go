package tree

import (
	"errors"
	"io"
	"unicode/utf8"
)

// CheckText reads a safe regular file of any size and returns an
// [*EncodingError] if it is no UTF-8.
func (t *Tree) CheckText(path string) error {
	f, _, err := t.open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for at, kept := 0, 0; ; {
		n, err := f.Read(t.buffer[kept:])
		end := errors.Is(err, io.EOF)
		if err != nil && !end {
			return err
		}
		b := t.buffer[:kept+n]
		valid := validPrefix(b)
		if rest := b[valid:]; len(rest) > 0 && (end || utf8.FullRune(rest)) {
			return &EncodingError{at + valid}
		}
		if end {
			return nil
		}
		at, kept = at+valid, copy(t.buffer[:], b[valid:])
	}
}

// validPrefix returns how many bytes of b are whole characters.
func validPrefix(b []byte) int {
	i := 0
	for i < len(b) {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		i += size
	}
	return i
}
