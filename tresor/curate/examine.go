package curate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"outheis/tresor"
	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/medien"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
)

// maxSource is the largest source in bytes.
const maxSource = 2 << 30

// An Examination is what there is to know about a file before a person decides
// about it.
type Examination struct {
	Title      string      // what it would be called
	Medium     bool        // it is an image or a PDF and needs a description
	Suspicions []Suspicion // what reads like an instruction in it
	Opaque     bool        // it is no text that can be looked through for them
}

// Examine looks at a file that is to become a source, under the name that it is
// to have ("" for its own), and writes nothing. A file that no Tresor may hold
// is a [*Refusal].
func Examine(ctx context.Context, path, name string, o tresor.Options) (Examination, error) {
	f, err := examine(ctx, path, name, o)
	if err != nil {
		return Examination{}, err
	}
	defer f.close()
	return Examination{Title: f.title, Medium: medien.TypeOf(f.name) != "", Suspicions: f.suspicions, Opaque: f.opaque}, nil
}

// examine opens and reads a file; the caller closes it.
func examine(ctx context.Context, path, name string, o tresor.Options) (*file, error) {
	if name == "" {
		_, name = splitNumber(filepath.Base(path)) // it gets its own
	}
	if err := checkName(name, o); err != nil {
		return nil, err
	}
	open, info, err := tree.OpenFile(path)
	if err != nil {
		return nil, unreadable(path, err, o)
	}
	f := &file{File: open, path: path, name: fileNameFor(name), size: info.Size()}
	if f.size > maxSource {
		f.close()
		return nil, refuse(o, "", "CU-75", path, maxSource>>30)
	}
	head, look, err := f.read(ctx, o)
	switch {
	case err != nil:
		err = unreadable(path, err, o)
	case !look.visible && medien.TypeOf(f.name) == "":
		err = refuse(o, "", "CU-82", path)
	default:
		err = f.checkContent(head, o)
	}
	if err != nil {
		f.close()
		return nil, err
	}
	f.title = titleIn(look.head.String())
	if f.title == "" {
		f.title = text.CollapseSpace(strings.NewReplacer("_", " ", "-", " ").Replace(strings.TrimSuffix(f.name, profil.Suffix(f.name))))
	}
	f.suspicions, f.opaque = look.suspicions(), look.opaque()
	return f, nil
}

// unreadable refuses a file that could not be read.
func unreadable(path string, err error, o tresor.Options) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return refuse(o, "", "WR-8")
	case errors.Is(err, fs.ErrNotExist):
		return refuse(o, "", "SO-1", path)
	case errors.Is(err, tree.ErrUnsafe):
		return refuse(o, "", "SO-7", path)
	}
	return refuse(o, "", "CU-72", path, err)
}

// checkName refuses a name that the register or the Tresor cannot hold (D-76).
func checkName(name string, o tresor.Options) error {
	rule, suffix := bestand.ForbiddenName(name)
	switch {
	case medien.IsSVG(name):
		return refuse(o, "", "MD-24")
	case fileNameFor(name) != name && !isNormalOf(name):
		return refuse(o, "name", "CU-76", name, fileNameFor(name))
	case oneOf(strings.ToLower(suffix), ".txt", ".text", ".log", ".csv", ".tsv"):
		return refuse(o, "name", "CU-77", name, strings.TrimSuffix(name, profil.Suffix(name))+".md")
	case rule != "" && profil.Suffix(name) == "":
		return refuse(o, "name", "CU-77", name, strings.TrimSuffix(name, ".")+".md")
	case rule != "":
		return refuse(o, "", "CU-78", name, suffix)
	}
	return nil
}

// isNormalOf reports whether a name differs from the one it gets only in how its
// letters are composed.
func isNormalOf(name string) bool {
	return text.InvalidAt([]byte(name)) < 0 && fileNameFor(name) == normal(name)
}

// read hashes the file, looks through it if it is a text, and returns its first
// bytes, which show what it is.
func (f *file) read(ctx context.Context, o tresor.Options) (head []byte, look *scan, err error) {
	h, look := sha256.New(), newScan()
	isText := medien.TypeOf(f.name) == ""
	buffer := make([]byte, 256<<10)
	whole, done := io.LimitReader(f, f.size+1), int64(0) // somebody may still write it
	for {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		n, err := whole.Read(buffer)
		h.Write(buffer[:n])
		if done += int64(n); o.Progress != nil {
			o.Progress(tresor.StageBytes, int(done>>20), int(f.size>>20))
		}
		if room := medien.HeadSize - len(head); room > 0 {
			head = append(head, buffer[:min(n, room)]...)
		}
		if isText {
			_, _ = look.Write(buffer[:n]) // it never fails
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if done != f.size {
		return nil, nil, tree.ErrChanged
	}
	f.digest = hex.EncodeToString(h.Sum(nil))
	look.close()
	return head, look, nil
}

// checkContent refuses content that is not what the name says.
func (f *file) checkContent(head []byte, o tresor.Options) error {
	switch expected, detected := medien.TypeOf(f.name), medien.Detect(head); {
	case detected == "image/bmp" && expected == "":
		return refuse(o, "", "CU-79", f.path, detected) // deviation D-30
	case detected != "" && detected != expected && !medien.Allowed(detected):
		return refuse(o, "", "RM-10a", f.name, detected)
	case detected != "" && detected != expected:
		return refuse(o, "", "RM-10", f.name, detected)
	case detected == "" && expected != "":
		return refuse(o, "", "RM-11", f.name, expected)
	}
	return nil
}

// titleIn returns the first heading of a text, "" for none.
func titleIn(s string) string {
	for line := range strings.Lines(s) {
		if heading, ok := strings.CutPrefix(line, "# "); ok && isCell(text.CollapseSpace(heading)) {
			return text.CollapseSpace(heading)
		}
	}
	return ""
}

// isCell reports whether s can stand in a row of a register.
func isCell(s string) bool {
	return s != "" && !strings.Contains(s, "|") && !text.HasControl(s) && !hasHidden(s) && text.Len(s) <= 200
}
