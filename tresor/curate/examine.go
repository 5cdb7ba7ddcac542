package curate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
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

// maxScanned is how much of a text is looked through for instructions, in bytes.
const maxScanned = tree.MaxText

// An Examination is what there is to know about a file before a person decides
// about it.
type Examination struct {
	Title      string      // what it would be called
	Medium     bool        // it is an image or a PDF and needs a description
	Suspicions []Suspicion // what reads like an instruction in it
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
	return Examination{Title: f.title, Medium: medien.TypeOf(f.name) != "", Suspicions: f.suspicions}, nil
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
		return nil, refuse(o, "", "CU-72", path, errors.New(tree.Cause(err)))
	}
	f := &file{File: open, path: path, name: fileNameFor(name), size: info.Size()}
	if f.size > maxSource {
		f.close()
		return nil, refuse(o, "", "CU-75", path, maxSource>>30)
	}
	head, start, err := f.read(ctx, o)
	if err == nil {
		err = f.checkContent(head, o)
	} else {
		err = refuse(o, "", "CU-72", path, err)
	}
	if err != nil {
		f.close()
		return nil, err
	}
	f.look(start)
	return f, nil
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

// read hashes the file and returns its first bytes, twice: those that show what
// it is, and those that are looked through.
func (f *file) read(ctx context.Context, o tresor.Options) (head, start []byte, err error) {
	h := sha256.New()
	buffer := make([]byte, 256<<10)
	for done := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		n, err := f.Read(buffer)
		h.Write(buffer[:n])
		if done += int64(n); o.Progress != nil {
			o.Progress(tresor.StageBytes, int(done>>20), int(f.size>>20))
		}
		if room := maxScanned - len(start); room > 0 {
			start = append(start, buffer[:min(n, room)]...)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
	}
	f.digest = hex.EncodeToString(h.Sum(nil))
	return start[:min(len(start), medien.HeadSize)], start, nil
}

// checkContent refuses content that is not what the name says.
func (f *file) checkContent(head []byte, o tresor.Options) error {
	switch expected, detected := medien.TypeOf(f.name), medien.Detect(head); {
	case detected == "image/bmp" && expected == "":
		return refuse(o, "", "CU-79", f.path, detected) // deviation D-30
	case detected != "" && detected != expected:
		return refuse(o, "", "RM-10", f.name, detected)
	case detected == "" && expected != "":
		return refuse(o, "", "RM-11", f.name, expected)
	}
	return nil
}

// look finds a title and, in a text, what reads like an instruction.
func (f *file) look(start []byte) {
	f.title = text.CollapseSpace(strings.NewReplacer("_", " ", "-", " ").Replace(strings.TrimSuffix(f.name, profil.Suffix(f.name))))
	if medien.TypeOf(f.name) != "" {
		return
	}
	s, _ := text.Decode([]byte(strings.ToValidUTF8(string(start), "\ufffd")))
	for line := range strings.SplitSeq(s, "\n") {
		if heading, ok := strings.CutPrefix(line, "# "); ok && isCell(text.CollapseSpace(heading)) {
			f.title = text.CollapseSpace(heading)
			break
		}
	}
	f.suspicions = Suspicions(s)
}

// isCell reports whether s can stand in a row of a register.
func isCell(s string) bool {
	return s != "" && !strings.Contains(s, "|") && !text.HasControl(s) && text.Len(s) <= 200
}
