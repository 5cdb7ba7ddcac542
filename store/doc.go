package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// ErrConflict means that somebody else changed a document in between, as often
// as we tried. Nothing of theirs was overwritten.
var ErrConflict = errors.New("changed by somebody else meanwhile")

// editTries bounds how often one edit is applied anew to a document that
// somebody is changing at the same moment.
const editTries = 5

// maxDoc is the size of the largest document that is read as a whole.
const maxDoc = 8 << 20

// A Doc is one Markdown or JSON file that people edit with their own tools
// while outheis edits it too. It is safe for use by many goroutines.
//
// What a Doc hands out and takes is the text: UTF-8 as it stands in the file,
// without a byte order mark and with LF at the ends of lines. The file keeps
// the mark and the CRLF that it had. A file that mixes CRLF and LF is left as
// it is, ends of lines included.
type Doc struct {
	h    *Human
	name string
	o    DocOptions
}

// DocOptions say how a document is kept.
type DocOptions struct {
	// Backup keeps the content before each edit as the file's name with .bak.
	Backup bool
}

// A Fingerprint tells one state of a document from another. Two states are the
// same when their Sum is, whatever the clock says.
type Fingerprint struct {
	Exists  bool
	Size    int64
	ModTime time.Time
	Sum     [sha256.Size]byte
}

// Same reports whether f and g are of the same content.
func (f Fingerprint) Same(g Fingerprint) bool { return f.Exists == g.Exists && f.Sum == g.Sum }

// Doc returns the document name, a slash-separated path below the directory.
// The file need not exist.
func (h *Human) Doc(name string, o DocOptions) *Doc { return &Doc{h: h, name: name, o: o} }

// Read returns the document's text and the fingerprint of its file. A document
// that does not exist is [fs.ErrNotExist], with a fingerprint that
// [Doc.Replace] accepts.
func (d *Doc) Read() ([]byte, Fingerprint, error) {
	raw, f, err := d.h.readWhole(d.name)
	if err != nil {
		return nil, f, fmt.Errorf("store: read %s: %w", d.name, err)
	}
	text, _ := decodeText(raw)
	return text, f, nil
}

// Edit replaces the text by what edit makes of it. edit gets nil when the
// document does not exist, else a text of its own that it may change; it must
// not call a Doc of the same Human. When it returns the same text, or an error,
// nothing is written; its error is returned as it is.
//
// When somebody else changes the file in between, edit is called again with
// their text; after five times Edit returns [ErrConflict]. The file is
// replaced as a whole: a reader sees the old content or the new, and a nil
// error means that the new survives a power cut. The one thing that cannot be
// noticed is a program that opened the old file before and writes into it
// after the replacement.
func (d *Doc) Edit(edit func(old []byte) ([]byte, error)) error {
	d.h.docs.Lock()
	defer d.h.docs.Unlock()
	for range editTries {
		raw, f, err := d.h.readWhole(d.name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("store: edit %s: %w", d.name, err)
		}
		old, style := decodeText(raw)
		text, err := edit(bytes.Clone(old))
		if err != nil {
			return err
		}
		if bytes.Equal(text, old) && (f.Exists || text == nil) {
			return nil
		}
		err = d.put(raw, f, style.encode(text))
		if errors.Is(err, ErrConflict) {
			continue
		}
		if err != nil {
			return fmt.Errorf("store: edit %s: %w", d.name, err)
		}
		return nil
	}
	return fmt.Errorf("store: edit %s: %w (%d tries)", d.name, ErrConflict, editTries)
}

// Replace writes text if the document still has the fingerprint since, as
// [Doc.Read] gave it, and otherwise returns [ErrConflict]. It is for edits
// that take long: a person in a form, a model.
func (d *Doc) Replace(since Fingerprint, text []byte) error {
	d.h.docs.Lock()
	defer d.h.docs.Unlock()
	if err := d.replace(since, text); err != nil {
		return fmt.Errorf("store: replace %s: %w", d.name, err)
	}
	return nil
}

func (d *Doc) replace(since Fingerprint, text []byte) error {
	raw, f, err := d.h.readWhole(d.name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !f.Same(since) {
		return ErrConflict
	}
	old, style := decodeText(raw)
	if f.Exists && bytes.Equal(old, text) {
		return nil
	}
	return d.put(raw, f, style.encode(text))
}

// put keeps the backup and swaps the new content in.
func (d *Doc) put(old []byte, since Fingerprint, content []byte) error {
	if len(content) > maxDoc {
		return &TooLargeError{What: d.h.path(d.name), Limit: maxDoc}
	}
	if d.o.Backup && since.Exists {
		if err := d.h.writeAtomic(d.name+".bak", old); err != nil {
			return fmt.Errorf("keep a backup: %w", err)
		}
	}
	return d.h.swap(d.name, since, content)
}

// readWhole reads the file name and says what state it is in.
func (h *Human) readWhole(name string) ([]byte, Fingerprint, error) {
	f, err := h.openFile(name, os.O_RDONLY)
	if err != nil {
		return nil, Fingerprint{}, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxDoc+1))
	if err != nil {
		return nil, Fingerprint{}, err
	}
	if len(b) > maxDoc {
		return nil, Fingerprint{}, &TooLargeError{What: h.path(name), Limit: maxDoc}
	}
	fi, err := f.Stat()
	if err != nil {
		return nil, Fingerprint{}, err
	}
	return b, Fingerprint{Exists: true, Size: int64(len(b)), ModTime: fi.ModTime(), Sum: sha256.Sum256(b)}, nil
}

// A textStyle is how a file writes its text.
type textStyle struct{ mark, crlf bool }

// byteOrderMark is U+FEFF in UTF-8.
const byteOrderMark = "\uFEFF"

// decodeText returns the text of a file and the style that writes it again.
func decodeText(raw []byte) ([]byte, textStyle) {
	var s textStyle
	raw, s.mark = bytes.CutPrefix(raw, []byte(byteOrderMark))
	lines, pairs := bytes.Count(raw, []byte("\n")), bytes.Count(raw, []byte("\r\n"))
	if lines > 0 && lines == pairs {
		s.crlf = true
		raw = bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n"))
	}
	return raw, s
}

func (s textStyle) encode(text []byte) []byte {
	if s.crlf {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	if s.mark {
		text = append([]byte(byteOrderMark), text...)
	}
	return text
}
