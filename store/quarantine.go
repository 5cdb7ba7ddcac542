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
// returns the copy's name. A copy that is there already is written once more:
// a crash may have left it unfinished, or not on disk. Another incident at the
// same place gets a name of its own.
func (j *journal) quarantine(r io.ReaderAt, name string, off, n int64) (string, error) {
	base := fmt.Sprintf("quarantine/%s-%d.bad", name, off)
	for i := 1; ; i++ {
		as := numbered(base, i)
		other, err := j.holdsOther(as, io.NewSectionReader(r, off, n))
		if err != nil {
			return "", err
		}
		if !other {
			return as, j.copyOut(as, io.NewSectionReader(r, off, n))
		}
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
	// The name may be from a process that died before it was durable.
	return errors.Join(f.Sync(), f.Close(), j.fs.syncDir("quarantine"))
}

// holdsOther reports whether the file name holds anything but what with reads,
// or a beginning of that.
func (j *journal) holdsOther(name string, with io.Reader) (bool, error) {
	f, err := j.fs.open(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	st, err := f.stat()
	if err != nil {
		return false, err
	}
	a, b := make([]byte, 32<<10), make([]byte, 32<<10)
	there := io.NewSectionReader(f, 0, st.size)
	for {
		n, err := io.ReadFull(there, a)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return false, err
		}
		m, err := io.ReadFull(with, b[:n])
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return false, err
		}
		if n == 0 || !bytes.Equal(a[:n], b[:m]) {
			return n > 0, nil
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
