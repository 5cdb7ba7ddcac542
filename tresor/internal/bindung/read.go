package bindung

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
	"outheis/tresor/internal/wording"
)

// The budgets of reading; all are counted, none is a clock.
const (
	MaxDocument  = 1 << 20 // bytes of one document
	MaxTotal     = 64 << 20
	MaxDocuments = 5_000
	MaxEntries   = 20_000 // names of any kind below a root
	MaxDepth     = 12     // of folders below a root
)

// A Document is a Markdown document outside of the Tresor: untrusted data.
type Document struct {
	Path   string // below the root
	Text   string // UTF-8; line ends and a byte-order mark as in the file
	SHA256 string // of the file's bytes
}

// A Dir is a bound root, opened. Whatever its path leads to meanwhile, a Dir
// reads what was bound. It is not safe for concurrent use. Close it.
type Dir struct {
	root   *os.Root
	device uint64
}

// Open opens the root. If the path no longer leads to the folder that was
// resolved, it is refused (deviation D-54).
func (r Root) Open() (*Dir, *wording.Sentence) {
	root, err := tree.OpenFolder(r.Path)
	if err != nil {
		return nil, reason("BR-4", err)
	}
	info, err := root.Stat(".")
	if err != nil || !os.SameFile(info, r.info) {
		root.Close()
		return nil, reason("BR-8")
	}
	return &Dir{root, device(info)}, nil
}

// Close releases the root.
func (d *Dir) Close() { d.root.Close() }

// CheckPath checks the form of a document's path, relative and safe.
func CheckPath(p string) *wording.Sentence {
	if !utf8.ValidString(p) {
		return reason("path.utf8")
	}
	if r := tree.CheckRel(p); r != "" {
		return reason(string(r))
	}
	return nil
}

// Read reads one document of at most [MaxDocument] bytes: a regular file on the
// root's file system, reached through no link. It may have several hard links.
func (d *Dir) Read(p string) (Document, *wording.Sentence) {
	f, size, why := d.open(p)
	if why != nil {
		return Document{}, why
	}
	defer f.Close()
	if size > MaxDocument {
		return Document{}, reason("BD-4", MaxDocument)
	}
	return document(f, p)
}

func document(f io.Reader, p string) (Document, *wording.Sentence) {
	b, err := io.ReadAll(io.LimitReader(f, MaxDocument+1))
	switch {
	case err != nil:
		return Document{}, reason("BD-1", err)
	case len(b) > MaxDocument:
		return Document{}, reason("BD-4", MaxDocument)
	}
	if bad := text.InvalidAt(b); bad >= 0 {
		return Document{}, reason("BD-5", bad)
	}
	sum := sha256.Sum256(b)
	return Document{Path: p, Text: string(b), SHA256: hex.EncodeToString(sum[:])}, nil
}

// open opens a regular file of the root's file system, component by component
// and through no link.
func (d *Dir) open(p string) (f *os.File, size int64, why *wording.Sentence) {
	if why := CheckPath(p); why != nil {
		return nil, 0, why
	}
	dir, name := path.Split(path.Clean(p))
	folder, why := d.folder(path.Clean(dir))
	if why != nil {
		return nil, 0, why
	}
	if folder != d.root {
		defer folder.Close()
	}
	return d.openIn(folder, name)
}

func (d *Dir) openIn(folder *os.Root, name string) (*os.File, int64, *wording.Sentence) {
	seen, err := folder.Lstat(name)
	switch {
	case err != nil:
		return nil, 0, reason("BD-1", err)
	case isLink(seen):
		return nil, 0, reason("BD-2")
	case !seen.Mode().IsRegular():
		return nil, 0, reason("BD-3")
	}
	f, err := folder.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, 0, reason("BD-1", err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		why := reason("BD-1", err)
		f.Close()
		return nil, 0, why
	case !os.SameFile(info, seen) || !info.Mode().IsRegular():
		f.Close()
		return nil, 0, reason("BD-7")
	case device(info) != d.device:
		f.Close()
		return nil, 0, reason("BD-6")
	}
	return f, info.Size(), nil
}

// folder opens the folder dir below the root. The caller closes it unless it is
// the root itself.
func (d *Dir) folder(dir string) (*os.Root, *wording.Sentence) {
	at := d.root
	if dir == "." {
		return at, nil
	}
	for part := range strings.SplitSeq(dir, "/") {
		next, why := enter(at, part)
		if at != d.root {
			at.Close()
		}
		if why != nil {
			return nil, why
		}
		at = next
	}
	return at, nil
}

// enter opens the folder with the name. That it is a folder and no link is
// checked on what was opened: the name may get another meaning at any time.
func enter(in *os.Root, name string) (*os.Root, *wording.Sentence) {
	seen, err := in.Lstat(name)
	switch {
	case err != nil:
		return nil, reason("BD-1", err)
	case isLink(seen):
		return nil, reason("BD-2")
	}
	next, err := tree.EnterFolder(in, name)
	if err != nil {
		return nil, reason("BD-1", err)
	}
	info, err := next.Stat(".")
	if err != nil || !os.SameFile(info, seen) {
		next.Close()
		return nil, reason("BD-7")
	}
	return next, nil
}

func isLink(info fs.FileInfo) bool { return info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0 }
