package tresor

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/medien"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
	"outheis/tresor/internal/wording"
)

// A RefusedError is why something that only reads was not done, with the remedy.
type RefusedError struct {
	Text string // in the language of the options
	Err  error  // may be nil
}

func (e *RefusedError) Error() string { return "tresor: " + e.Text }

// Unwrap returns the cause.
func (e *RefusedError) Unwrap() error { return e.Err }

func refuseRead(o Options, err error, rule string, args ...any) error {
	return &RefusedError{Text: wording.Say(o.Lang, rule, args...), Err: err}
}

// A RawSource is a file that is to become a source, as the source register would
// describe it.
type RawSource struct {
	ID     string // S-nnnn, the next free one
	Name   string // of the file
	Size   int64
	SHA256 string
	Path   string // where it belongs in the Tresor, sources/raw/…
	Row    string // of the register; title, Stand, trust and rights are to be filled in
	// Hints are why validation would refuse the file as it is, and that it is
	// registered already.
	Hints []Finding
}

// DescribeSource looks at a file anywhere on disk that is to become a source of
// the Tresor in dir, and writes nothing. Size and hash are of the same open file,
// which streams; its last component may be no link. A [*RefusedError] says why
// the file cannot be a source, an [*InvalidError] that dir is no readable folder;
// errors in the register count for nothing (3-artefacts section 7).
func DescribeSource(dir, file string, o Options) (RawSource, error) {
	t, err := o.open(dir)
	if err != nil {
		return RawSource{}, unreadable(dir, err, o)
	}
	defer t.Close()
	f, info, err := tree.OpenFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return RawSource{}, refuseRead(o, err, "SO-1", file)
	case errors.Is(err, tree.ErrUnsafe):
		return RawSource{}, refuseRead(o, err, "SO-7", file)
	case err != nil:
		return RawSource{}, refuseRead(o, err, "SO-8", file, err)
	}
	defer f.Close()
	sources := register.Load(t, &check.Findings{})
	s := RawSource{Name: filepath.Base(file)}
	if s.ID = nextSource(sources); s.ID == "" {
		return RawSource{}, refuseRead(o, nil, "SO-2")
	}
	if !canStandInRegister(s.Name) {
		return RawSource{}, refuseRead(o, nil, "SO-3")
	}
	head, err := s.read(io.LimitReader(f, info.Size()+1), info.Size(), o)
	if err == nil && s.Size != info.Size() {
		err = tree.ErrChanged // somebody still writes it
	}
	if err != nil {
		return RawSource{}, refuseRead(o, err, "SO-4", err)
	}
	s.Path = profil.Raw + "/" + s.ID + "__" + s.Name
	s.Row = fmt.Sprintf("| %s | TITEL | JJJJ-MM-TT | %s | T? | RECHTE | %s |", s.ID, s.SHA256, s.Path)
	s.Hints = findings(s.doubts(head, info.Mode()&0o111 != 0, sources), Hint, o)
	return s, nil
}

// nextSource returns the ID behind the highest of the register, "" behind S-9999.
func nextSource(sources map[string]register.Source) string {
	next := "S-0001"
	if ids := register.IDs(sources); len(ids) > 0 {
		n, _ := strconv.Atoi(ids[len(ids)-1][len("S-"):]) // the register holds digits only
		next = fmt.Sprintf("S-%04d", n+1)
	}
	if !profil.IsID("S", next) {
		return ""
	}
	return next
}

// canStandInRegister reports whether a file name survives as the end of a table
// row and as a portable path (deviation D-76).
func canStandInRegister(name string) bool {
	return text.InvalidAt([]byte(name)) < 0 && text.Trim(name) == name && !text.HasControl(name) && !strings.ContainsAny(name, `|\`)
}

// read sets size and hash and returns the front of the file.
func (s *RawSource) read(f io.Reader, size int64, o Options) (head []byte, err error) {
	h := sha256.New()
	buffer := make([]byte, 256<<10)
	for {
		n, err := f.Read(buffer)
		h.Write(buffer[:n])
		s.Size += int64(n)
		if room := medien.HeadSize - len(head); room > 0 {
			head = append(head, buffer[:min(n, room)]...)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		o.progress(StageBytes, int(s.Size>>20), int(size>>20))
	}
	s.SHA256 = hex.EncodeToString(h.Sum(nil))
	return head, nil
}

// doubts are what validation would have against the file, as far as it shows.
func (s *RawSource) doubts(head []byte, executable bool, sources map[string]register.Source) []check.Finding {
	var f check.Findings
	where := check.Where{Label: wording.Printable(s.Name)}
	if rule, arg := bestand.ForbiddenName(s.Name); medien.IsSVG(s.Name) {
		f.Hint(where, "MD-24")
	} else if rule != "" {
		f.Hint(where, rule, arg)
	}
	if executable {
		f.Hint(where, "TR-3c")
	}
	switch expected, detected := medien.TypeOf(s.Name), medien.Detect(head); {
	case detected == "image/bmp" && expected == "":
		f.Hint(where, "SO-5", detected)
	case detected != "" && detected != expected && !medien.Allowed(detected):
		if !medien.IsSVG(s.Name) {
			f.Hint(where, "RM-10a", s.Name, detected)
		}
	case detected != "" && detected != expected:
		f.Hint(where, "RM-10", s.Name, detected)
	case detected == "" && expected != "":
		f.Hint(where, "RM-11", s.Name, expected)
	}
	for _, id := range register.IDs(sources) {
		if sources[id].SHA256 == s.SHA256 {
			f.Hint(where, "SO-6", id)
		}
	}
	return f.Hints
}
