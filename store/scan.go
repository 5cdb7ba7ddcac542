package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"
)

// A standing is how far a line can be trusted.
type standing uint8

const (
	// intact lines have the right seal; only they have effects.
	intact standing = iota
	// legacy lines are from before the seal, or were appended by another
	// program. They are shown and never executed.
	legacy
	// altered lines are valid, but not what was sealed: edited by hand, or a
	// flipped bit. They are shown and never executed.
	altered
	// newer lines are of a later schema version. They are left alone.
	newer
	// malformed lines are no JSON object, or too long to be read.
	malformed
)

func (s standing) String() string {
	return [...]string{"intact", "legacy", "altered", "newer", "malformed"}[s]
}

// classify judges one line and reads its fields, of a log whose schema version
// is current.
func classify(line []byte, current int, f *fields) standing {
	if isSealed(line) && scanFields(line, f) {
		if f.v > current {
			return newer
		}
		return intact
	}
	*f = fields{}
	if !utf8.Valid(line) || !json.Valid(line) || !scanFields(line, f) {
		return malformed
	}
	switch {
	case f.hasSeq || f.sealed:
		return altered
	case f.v > current:
		return newer
	}
	return legacy
}

// A scanned is one line, or one piece of a damaged one, as the scanner hands
// it out. line and fields are valid until the visitor returns.
type scanned struct {
	off      int64
	length   int64 // without the LF
	line     []byte
	standing standing
	fields   fields
}

// errStop is what a visitor returns to end a scan early.
var errStop = errors.New("stop")

// A scanner reads the lines of a segment in order, in bounded memory.
type scanner struct {
	r       io.ReaderAt
	version int // current schema version
	visit   func(*scanned) error

	line scanned
	buf  []byte
}

// scan visits the lines in [from, to) and returns where the unterminated rest
// begins, which is where the bytes end when there is none. Blank lines are
// passed over; a line that is too long is visited without its bytes; a damaged
// one is visited in the pieces that can be told apart. from must be the
// beginning of a line. An error is the reader's or the visitor's.
func (s *scanner) scan(from, to int64) (tail int64, err error) {
	if s.buf == nil {
		s.buf = make([]byte, min(256<<10, max(4096, to-from)))
	}
	var (
		base     = from // the offset of buf[0]
		lo, hi   int    // buf[lo:hi] is read and not yet visited
		searched int    // there is no LF in buf[lo:searched]
		long     = int64(-1)
	)
	for {
		if i := bytes.IndexByte(s.buf[searched:hi], '\n'); i >= 0 {
			end := searched + i
			if long >= 0 {
				err = s.visitLong(long, base+int64(end))
				long = -1
			} else {
				err = s.visitLine(base+int64(lo), s.buf[lo:end])
			}
			if err != nil {
				return 0, err
			}
			lo, searched = end+1, end+1
			continue
		}
		if hi-lo > maxRead && long < 0 {
			long = base + int64(lo)
		}
		if long >= 0 {
			lo = hi
		}
		copy(s.buf, s.buf[lo:hi])
		base, lo, hi = base+int64(lo), 0, hi-lo
		searched = hi
		if hi == len(s.buf) {
			s.buf = append(s.buf, make([]byte, len(s.buf))...)
		}
		room := s.buf[hi:]
		if left := to - base - int64(hi); left < int64(len(room)) {
			room = room[:left]
		}
		n, err := s.r.ReadAt(room, base+int64(hi))
		hi += n
		switch {
		case n > 0:
		case len(room) == 0 || err == io.EOF:
			if long >= 0 {
				return long, nil
			}
			return base, nil
		case err != nil:
			return 0, err
		}
	}
}

func (s *scanner) visitLong(off, end int64) error {
	s.line = scanned{off: off, length: end - off, standing: malformed}
	return s.visit(&s.line)
}

func (s *scanner) visitLine(off int64, line []byte) error {
	if off == 0 {
		rest, _ := bytes.CutPrefix(line, []byte(byteOrderMark))
		off, line = int64(len(line)-len(rest)), rest
	}
	if len(line) > 0 && (line[0] != '{' || line[len(line)-1] != '}') {
		rest := bytes.TrimLeft(line, lineSpace)
		off, line = off+int64(len(line)-len(rest)), bytes.TrimRight(rest, lineSpace)
	}
	switch {
	case len(line) == 0:
		return nil
	case len(line) > maxRead:
		return s.visitLong(off, off+int64(len(line)))
	}
	s.line = scanned{off: off, length: int64(len(line)), line: line}
	if s.line.standing = classify(line, s.version, &s.line.fields); s.line.standing != malformed {
		return s.visit(&s.line)
	}
	return s.visitPieces(off, line)
}

// visitPieces visits what is left of a damaged line: the sealed lines in it,
// which were glued together when their LF or a torn neighbour came between,
// and the damage around them.
func (s *scanner) visitPieces(off int64, b []byte) error {
	for len(b) > 0 {
		start, end := findSealed(b)
		for _, p := range [...]struct{ from, to int }{{0, start}, {start, end}} {
			piece := b[p.from:p.to]
			if isBlank(piece) {
				continue
			}
			s.line = scanned{off: off + int64(p.from), length: int64(len(piece)), line: piece}
			s.line.standing = classify(piece, s.version, &s.line.fields)
			if err := s.visit(&s.line); err != nil {
				return err
			}
		}
		off, b = off+int64(end), b[end:]
	}
	return nil
}

// lineSpace is what may stand around the object of a line: an editor's spaces,
// another system's line ends.
const lineSpace = " \t\r\n"

func isBlank(b []byte) bool { return len(bytes.Trim(b, lineSpace)) == 0 }

// findSealed returns the first sealed line inside b, or len(b) twice. What it
// hashes is bounded, so that no line makes it slow.
func findSealed(b []byte) (start, end int) {
	budget := 64 * maxRead
	for at := 0; ; {
		i := bytes.Index(b[at:], []byte(sealStart))
		if i < 0 || budget <= 0 {
			return len(b), len(b)
		}
		at += i + len(sealStart)
		end = at - len(sealStart) + sealLen
		if end > len(b) || string(b[end-len(sealEnd):end]) != sealEnd {
			continue
		}
		for start = end; budget > 0; {
			if start = bytes.LastIndex(b[:start], []byte(lineStart)); start < 0 {
				break
			}
			if isSealed(b[start:end]) {
				return start, end
			}
			budget -= end - start
		}
	}
}

// readSealed reads the sealed line that begins at off. It answers false when
// none does: the offset is a guess that is confirmed here.
func readSealed(r io.ReaderAt, off int64) (line []byte, ok bool, err error) {
	buf := make([]byte, 2048)
	for n := 0; ; {
		k, err := r.ReadAt(buf[n:], off+int64(n))
		n += k
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 || err == io.EOF {
			if i < 0 {
				i = n
			}
			line := bytes.TrimRight(buf[:i], lineSpace)
			if isSealed(line) {
				return line, true, nil
			}
			start, end := findSealed(line)
			return line[start:end], start == 0 && end > 0, nil
		}
		if err != nil {
			return nil, false, err
		}
		if n > maxRead {
			return nil, false, nil
		}
		buf = append(buf, make([]byte, len(buf))...)
	}
}
