package store

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"sync"
	"time"
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

// loadPast opens the segments before that may hold causes of the window.
func (j *journal) loadPast(c *checkpoint) error {
	since := j.last.at.Add(-j.tuning.window)
	for name := j.rotation.prev; name != "" && len(j.past) < maxPast; {
		s, err := j.openArchive(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // its owner took it away
		}
		if err != nil {
			return err
		}
		p := past{segment: s, archive: name}
		err = j.readPast(&p, c, since)
		j.past = append(j.past, p)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		if j.readOnly == nil {
			_ = j.fs.freeze(name) // a rotation may have been interrupted before it
		}
		if name = p.prev; p.began.Before(since) {
			break
		}
	}
	return nil
}

// readPast reads the header of p and the index of its causes, which is made
// from the segment's lines when no checkpoint vouches for a copy of it.
func (j *journal) readPast(p *past, c *checkpoint, since time.Time) error {
	line, ok, err := readSealed(p.r, 0)
	if err != nil {
		return err
	}
	var f fields
	var header segmentNote
	if ok && scanFields(line, &f) && string(f.intent) == intentSegment && notePayload(line, &header) == nil {
		p.began, p.prev = f.time(), header.Prev
	}
	if m := markOf(c, *p); m.Name != "" {
		if p.causes, _, err = loadCauses(j.fs, m, false); err == nil {
			p.mark = m
			return nil
		}
	}
	var from int64
	if p.size < math.MaxInt64 { // it is not packed
		if from, err = j.bisect(p.r, p.size, nil, func(f *fields) bool { return f.time().Before(since) }); err != nil {
			return err
		}
	}
	_, err = replaySegment(p.r, from, p.size, false, func() *replay {
		p.causes = newCauses()
		return &replay{version: j.version, causes: p.causes, after: since}
	})
	return err
}

// markOf returns how c vouches for the causes of p.
func markOf(c *checkpoint, p past) causeMark {
	if c == nil {
		return causeMark{}
	}
	for _, m := range c.Past {
		if m.Name == p.archive && m.ID == p.id && m.Size == p.size {
			return m.Causes
		}
	}
	return causeMark{}
}

// forget closes the segments in which nothing is young enough to be asked for.
func (j *journal) forget() {
	since, keep := j.last.at.Add(-j.tuning.window), len(j.past)
	for keep > 1 && j.past[keep-2].began.Before(since) {
		keep--
	}
	gone := j.past[keep:]
	j.mu.Lock()
	j.past = j.past[:keep:keep]
	j.mu.Unlock()
	for _, p := range gone {
		_ = p.release() // it was only read
	}
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
