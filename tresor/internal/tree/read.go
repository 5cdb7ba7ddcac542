package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"

	"outheis/tresor/internal/text"
	"outheis/tresor/internal/wording"
)

// MaxText is the largest text file that is parsed, in bytes (deviation D-09).
const MaxText = 16 << 20

// An EncodingError says that a text file is no UTF-8.
type EncodingError struct{ Offset int }

func (e *EncodingError) Error() string { return e.In("en") }

// In returns the error as a sentence in lang.
func (e *EncodingError) In(lang string) string { return wording.Say(lang, "os.utf8", e.Offset) }

// Read returns the content of a safe regular file of at most limit bytes:
// [ErrUnsafe] for anything else, a [*SizeError] for a larger one, [ErrChanged]
// if it is no longer what was seen or hashed before. What was hashed may come
// from memory.
func (t *Tree) Read(path string, limit int64) ([]byte, error) {
	if e := t.entries[path]; e != nil && e.kept != nil && e.Size <= limit {
		b := e.kept
		e.kept, t.kept = nil, t.kept-e.Size
		return b, nil
	}
	f, e, err := t.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if e.Size > limit {
		return nil, &SizeError{limit}
	}
	b, err := readAll(f, e.Size)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	if err := e.pin(hex.EncodeToString(sum[:])); err != nil {
		return nil, err
	}
	return b, nil
}

// Text reads a text file of at most [MaxText] bytes as [text.Decode] does; an
// [*EncodingError] says that it is none.
func (t *Tree) Text(path string) (string, error) {
	b, err := t.Read(path, MaxText)
	if err != nil {
		return "", err
	}
	s, bad := text.Decode(b)
	if bad >= 0 {
		return "", &EncodingError{bad}
	}
	return s, nil
}

// Head returns the first n bytes of a safe regular file, or all if it has less.
func (t *Tree) Head(path string, n int) ([]byte, error) {
	if e := t.entries[path]; e != nil && e.kept != nil {
		return e.kept[:min(n, len(e.kept))], nil
	}
	f, _, err := t.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, n)
	n, err = io.ReadFull(f, b)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return b[:n], nil
}

// What is kept of files that were hashed, until they are read: most are small
// texts, and opening each again is what takes the time.
const (
	maxKept  = 64 << 10 // of a file, in bytes
	keptRoom = 32 << 20 // in all
)

// Digest returns the SHA-256 of a safe regular file in hex, of any size. Once
// known it holds: a later [Tree.Read] of other bytes fails. A file that grows
// while it is read gives [ErrChanged].
func (t *Tree) Digest(path string) (string, error) {
	if e := t.entries[path]; e != nil && e.digest != "" {
		return e.digest, nil
	}
	f, e, err := t.open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if e.Size <= maxKept && t.kept+e.Size <= keptRoom {
		b, err := readAll(f, e.Size)
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(b)
		e.digest, e.kept = hex.EncodeToString(sum[:]), b
		t.kept += e.Size
		return e.digest, nil
	}
	h := sha256.New()
	n, err := io.CopyBuffer(h, &watched{Reader: io.LimitReader(f, e.Size+1), tree: t, size: e.Size}, t.buffer[:])
	if err != nil {
		return "", err
	}
	if n != e.Size {
		return "", ErrChanged
	}
	if err := e.pin(hex.EncodeToString(h.Sum(nil))); err != nil {
		return "", err
	}
	return e.digest, nil
}

// StageBytes is the stage of hashing one large file, in MiB.
const StageBytes = "bytes"

// A watched reader tells how far a large file is read. It has no method that
// would make a copy do without its buffer.
type watched struct {
	io.Reader
	tree       *Tree
	done, size int64
}

func (w *watched) Read(b []byte) (int, error) {
	const large = 64 << 20
	n, err := w.Reader.Read(b)
	if w.done += int64(n); w.size >= large {
		w.tree.Progress(StageBytes, int(w.done>>20), int(w.size>>20))
	}
	return n, err
}

// readAll reads a file that must have the given size.
func readAll(f fs.File, size int64) ([]byte, error) {
	b := make([]byte, size+1)
	n, err := io.ReadFull(f, b)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	if int64(n) != size {
		return nil, ErrChanged
	}
	return b[:n:n], nil
}

func (e *Entry) pin(digest string) error {
	if e.digest != "" && e.digest != digest {
		return ErrChanged
	}
	e.digest = digest
	return nil
}

// open opens a safe regular file and checks on the descriptor that it is the
// one that was seen.
func (t *Tree) open(path string) (fs.File, *Entry, error) {
	e := t.entries[path]
	if e == nil {
		return nil, nil, fs.ErrNotExist
	}
	if !e.Safe() {
		return nil, nil, ErrUnsafe
	}
	if t.root == nil {
		f, err := t.fsys.Open(path)
		return f, e, err
	}
	f, err := t.root.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, nil, err
	}
	if err := same(f, e); err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, e, nil
}

// same reports whether the open f is what e saw: following a link, or a name
// that got another file since, shows here.
func same(f *os.File, e *Entry) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(info, e.info) || info.Mode().Type() != e.info.Mode().Type() {
		return ErrChanged
	}
	if e.Kind == File && (links(info) != 1 || info.Size() != e.Size || !info.ModTime().Equal(e.info.ModTime())) {
		return ErrChanged
	}
	return nil
}
