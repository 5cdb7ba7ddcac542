package store

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"sync"
)

// packed ends the name of an archive that its owner compressed.
const packed = ".gz"

// openArchive opens an archived segment for reading, packed or not. Its causes
// are not known yet.
func (j *journal) openArchive(name string) (*segment, error) {
	f, err := j.fs.open(name, os.O_RDONLY)
	isPacked := errors.Is(err, fs.ErrNotExist)
	if isPacked {
		f, err = j.fs.open(name+packed, os.O_RDONLY)
	}
	if err != nil {
		return nil, err
	}
	st, err := f.stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	s := &segment{name: name, id: st.id, size: st.size, r: f, closer: f, copy: new(causeFile)}
	if isPacked {
		s.size, s.r = math.MaxInt64, &unpacker{file: f, size: st.size}
	}
	s.refs.Store(1)
	return s, nil
}

// An unpacker is an io.ReaderAt over gzip data. Reading on is cheap, reading
// back begins at the front again.
type unpacker struct {
	file io.ReaderAt
	size int64

	mu  sync.Mutex // guards what follows
	zip *bufio.Reader
	at  int64
}

// ReadAt implements [io.ReaderAt].
func (u *unpacker) ReadAt(b []byte, off int64) (int, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.zip == nil || off < u.at {
		zip, err := gzip.NewReader(io.NewSectionReader(u.file, 0, u.size))
		if err != nil {
			return 0, err
		}
		u.zip, u.at = bufio.NewReaderSize(zip, 64<<10), 0
	}
	n, err := io.CopyN(io.Discard, u.zip, off-u.at)
	u.at += n
	if err != nil {
		return 0, err
	}
	k, err := io.ReadFull(u.zip, b)
	u.at += int64(k)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return k, err
}
