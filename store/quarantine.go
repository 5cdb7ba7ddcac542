package store

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// quarantine copies n bytes at off of the segment name into the quarantine and
// returns the copy's name. A copy that is there already, or that a crash left
// unfinished, is used again; another incident at the same place gets a name of
// its own.
func (j *journal) quarantine(r io.ReaderAt, name string, off, n int64) (string, error) {
	base := fmt.Sprintf("quarantine/%s-%d.bad", name, off)
	for i := 1; ; i++ {
		as := numbered(base, i)
		state, err := j.compare(as, io.NewSectionReader(r, off, n))
		if err != nil {
			return "", err
		}
		switch state {
		case copySame:
			return as, nil
		case copyOther:
			continue
		}
		return as, j.copyOut(as, io.NewSectionReader(r, off, n))
	}
}

func (j *journal) copyOut(name string, from io.Reader) error {
	f, err := j.fs.open(name, os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return errors.Join(err, f.Close())
	}
	if _, err := io.Copy(f, from); err != nil {
		return errors.Join(err, f.Close())
	}
	return errors.Join(f.Sync(), f.Close())
}

// How a file in the quarantine relates to what should be put there.
const (
	copyMissing    = iota
	copyUnfinished // it is a beginning of it
	copySame
	copyOther
)

func (j *journal) compare(name string, with io.Reader) (state int, err error) {
	f, err := j.fs.open(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return copyMissing, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	st, err := f.stat()
	if err != nil {
		return 0, err
	}
	a, b := make([]byte, 32<<10), make([]byte, 32<<10)
	there := io.NewSectionReader(f, 0, st.size)
	for {
		n, err := io.ReadFull(there, a)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return 0, err
		}
		m, errWith := io.ReadFull(with, b[:max(1, n)])
		if errWith != nil && errWith != io.EOF && errWith != io.ErrUnexpectedEOF {
			return 0, errWith
		}
		switch {
		case n == 0 && m == 0:
			return copySame, nil
		case n == 0:
			return copyUnfinished, nil
		case !bytes.Equal(a[:n], b[:m]):
			return copyOther, nil
		}
	}
}

// rescued writes the fragment where somebody may find it when there is no room
// in the quarantine.
func (j *journal) rescued(off int64, fragment []byte) error {
	_, err := fmt.Fprintf(j.rescue, "%s: cut off at byte %d: %s\n", j.name, off, hex.EncodeToString(fragment))
	return err
}

// freeName returns the first of name, name-2, name-3 … that is not taken,
// packed or not.
func (j *journal) freeName(name string) (string, error) {
	for i := 1; ; i++ {
		as := numbered(name, i)
		_, err := j.fs.stat(as)
		_, errPacked := j.fs.stat(as + packed)
		if errors.Is(err, fs.ErrNotExist) && errors.Is(errPacked, fs.ErrNotExist) {
			return as, nil
		}
		if err := cmp.Or(err, errPacked); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
}

// numbered returns name for the first, and name-i before its extension for
// later ones.
func numbered(name string, i int) string {
	if i == 1 {
		return name
	}
	for _, ext := range []string{".jsonl", ".bad"} {
		if stem, ok := strings.CutSuffix(name, ext); ok {
			return fmt.Sprintf("%s-%d%s", stem, i, ext)
		}
	}
	return fmt.Sprintf("%s-%d", name, i)
}
