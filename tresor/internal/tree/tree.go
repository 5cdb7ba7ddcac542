// Package tree is the tree of files that a Tresor consists of. [Open] and
// [OpenFS] look at every entry once; afterwards the [Tree] answers what is
// where, resolves links on paper and reads files such that what was seen, what
// is hashed and what is parsed are the same bytes of the same file (README
// sections 5.11 to 5.15, deviation D-34).
//
// Nothing is read through a link, a second hard link or a name that changed its
// file since the look. Paths are relative to the root with "/"; the root is ".".
package tree

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"outheis/tresor/internal/wording"
)

// The budgets of a look. They stop a hostile or mistaken root, such as "/",
// before it exhausts the machine; no Tresor comes near them.
const (
	maxEntries = 1_000_000
	maxDepth   = 128
)

// Kind is what an entry is.
type Kind int

// The kinds.
const (
	File  Kind = iota + 1
	Dir        // a real folder
	Alias      // a symbolic link or reparse point; never entered
	Other      // a pipe, socket or device
)

// An Entry is one name in the tree, as it was when the tree was looked at.
type Entry struct {
	Path  string
	Kind  Kind
	Links uint64 // hard links; 1 where the system does not say
	Exec  bool   // an execute bit is set
	Size  int64

	info   fs.FileInfo
	target string // of an alias
	digest string // once known
	kept   []byte // the content from being hashed until it is read; may be nil
}

// Safe reports whether the entry is a regular file with one link. No entry has
// an alias above it.
func (e *Entry) Safe() bool { return e != nil && e.Kind == File && e.Links == 1 }

// A Tree is a looked-at tree. It is not safe for concurrent use. Close it.
type Tree struct {
	name    string
	root    *os.Root // nil for a tree in an fs.FS
	real    string   // resolved path of the root on disk
	fsys    fs.FS    // nil for a tree on disk
	entries map[string]*Entry
	order   []*Entry            // by path
	names   map[string][]string // of the entries of each folder, sorted
	aliases bool                // there is one
	err     *WalkError
	looked  time.Time // when the look began
	watch   Watch
	kept    int64          // bytes in entries
	buffer  [64 << 10]byte // for hashing
}

// A WalkError is why a tree could not be looked at completely.
type WalkError struct {
	Path string
	Err  error
}

func (e *WalkError) Error() string { return e.Path + ": " + Cause(e.Err) }
func (e *WalkError) Unwrap() error { return e.Err }

// A Watch is told how far something is that can take long: done of total, which
// is 0 where nobody knows. It is called often and must be cheap. Nil watches
// nothing.
type Watch func(stage string, done, total int)

// Progress tells the tree's watch how far a stage is.
func (t *Tree) Progress(stage string, done, total int) {
	if t.watch != nil {
		t.watch(stage, done, total)
	}
}

// StageLook is the stage of [Open]: entries seen, without a total.
const StageLook = "look"

// The errors of a look and of reading.
var (
	ErrTooMany = error(wording.NewFault("os.entries", maxEntries))
	ErrTooDeep = error(wording.NewFault("os.depth", maxDepth))
	ErrUnsafe  = error(wording.NewFault("os.unsafe"))
	ErrChanged = error(wording.NewFault("os.changed"))
)

// A SizeError says that a file is larger than its limit in bytes.
type SizeError struct{ Limit int64 }

func (e *SizeError) Error() string { return e.In("en") }

// In returns the error as a sentence in lang.
func (e *SizeError) In(lang string) string { return wording.Say(lang, "os.large", int(e.Limit)) }

// Open looks at the tree in the folder dir, whose links are resolved first. The
// error says that dir itself is no readable folder; what lies below and cannot
// be looked at is told by [Tree.WalkError].
func Open(dir string) (*Tree, error) { return OpenWatched(dir, nil) }

// OpenWatched is [Open] of a tree that tells watch how far it is, and whoever
// works on it.
func OpenWatched(dir string, watch Watch) (*Tree, error) {
	abs, err := Resolve(dir)
	if err != nil {
		return nil, err
	}
	root, err := OpenFolder(abs)
	if err != nil {
		return nil, err
	}
	t := &Tree{name: filepath.Base(abs), root: root, real: abs, watch: watch}
	t.look()
	return t, nil
}

// Resolve returns the path that [Open] finds the root at, as [Tree.Root], for
// who has to do something there before looking. The error says that dir is no
// folder.
func Resolve(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return "", err
	}
	info, err := os.Stat(abs)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: abs, Err: syscall.ENOTDIR}
	}
	return abs, err
}

// OpenFS looks at the tree in fsys. Name is what its root is called.
func OpenFS(fsys fs.FS, name string) *Tree {
	t := &Tree{name: name, fsys: fsys}
	t.look()
	return t
}

// Again looks at the same root anew.
func (t *Tree) Again() (*Tree, error) {
	if t.root == nil {
		return OpenFS(t.fsys, t.name), nil
	}
	root, err := t.root.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	again := &Tree{name: t.name, root: root, real: t.real, watch: t.watch}
	again.look()
	return again, nil
}

// Unchanged reports whether later, a look [Tree.Again] at t's root, shows that
// no file that counts was touched since the first look, so that what was read
// of them still holds. It can be false although nothing changed: shortly after a
// change, and where the system does not tell a file's last change.
func (t *Tree) Unchanged(later *Tree, counts func(path string) bool) bool {
	if t.root == nil || runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		return false
	}
	s := t.Stamp(counts)
	return !s.Young() && s.Same(later.Stamp(counts))
}

// Close releases the root.
func (t *Tree) Close() {
	if t.root != nil {
		t.root.Close()
	}
}

// Name returns the last component of the root's resolved path, or the name
// given to [OpenFS].
func (t *Tree) Name() string { return t.name }

// Root returns the root's resolved path on disk; "" for an [fs.FS].
func (t *Tree) Root() string { return t.real }

// WalkError returns why the tree is incomplete, or nil.
func (t *Tree) WalkError() *WalkError { return t.err }

// Entries returns all entries in path order, the root excepted.
func (t *Tree) Entries() []*Entry { return t.order }

// Entry returns the entry at the cleaned path, or nil. Links are not followed.
func (t *Tree) Entry(path string) *Entry { return t.entries[path] }

// Exists reports whether there is an entry of any kind at the path.
func (t *Tree) Exists(path string) bool { return t.entries[path] != nil }

// SafeFile reports whether a regular file with one link and without a link
// above it is at the path.
func (t *Tree) SafeFile(path string) bool { return t.entries[path].Safe() }

// SafeDir reports whether a real folder without a link above it is at the path.
func (t *Tree) SafeDir(path string) bool {
	e := t.entries[path]
	return path == "." || e != nil && e.Kind == Dir
}

// Names returns the names in a folder, sorted.
func (t *Tree) Names(dir string) []string { return t.names[dir] }

// Below returns the entries below a folder in path order.
func (t *Tree) Below(dir string) []*Entry {
	if dir == "." {
		return t.order
	}
	prefix := dir + "/"
	from, _ := slices.BinarySearchFunc(t.order, prefix, func(e *Entry, p string) int { return strings.Compare(e.Path, p) })
	to := from
	for to < len(t.order) && strings.HasPrefix(t.order[to].Path, prefix) {
		to++
	}
	return t.order[from:to]
}

func (t *Tree) look() {
	t.looked = time.Now()
	t.entries = make(map[string]*Entry)
	t.names = make(map[string][]string)
	type folder struct {
		path  string
		depth int
	}
	for stack := []folder{{".", 0}}; len(stack) > 0; {
		dir := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if dir.depth > maxDepth {
			t.fail(dir.path, ErrTooDeep)
			continue
		}
		infos, err := t.readDir(dir.path)
		if err != nil {
			t.fail(dir.path, err)
			continue
		}
		slices.SortFunc(infos, func(a, b fs.FileInfo) int { return strings.Compare(b.Name(), a.Name()) })
		for _, info := range infos {
			if len(t.order) == maxEntries {
				t.fail(".", ErrTooMany)
				stack = nil
				break
			}
			e := t.entry(path.Join(dir.path, info.Name()), info)
			t.entries[e.Path] = e
			t.order = append(t.order, e)
			t.names[dir.path] = append(t.names[dir.path], info.Name())
			if e.Kind == Dir {
				stack = append(stack, folder{e.Path, dir.depth + 1})
			}
		}
		slices.Reverse(t.names[dir.path])
		t.Progress(StageLook, len(t.order), 0)
	}
	slices.SortFunc(t.order, func(a, b *Entry) int { return strings.Compare(a.Path, b.Path) })
}

func (t *Tree) fail(path string, err error) {
	if t.err == nil {
		t.err = &WalkError{path, err}
	}
}

func (t *Tree) entry(p string, info fs.FileInfo) *Entry {
	e := &Entry{Path: p, Links: links(info), Exec: info.Mode().Perm()&0o111 != 0, Size: info.Size(), info: info}
	switch mode := info.Mode(); {
	case mode&(fs.ModeSymlink|fs.ModeIrregular) != 0:
		e.Kind, t.aliases = Alias, true
		e.target = t.readLink(p)
	case mode.IsDir():
		e.Kind = Dir
	case mode.IsRegular():
		e.Kind = File
	default:
		e.Kind = Other
	}
	return e
}

func (t *Tree) readDir(dir string) ([]fs.FileInfo, error) {
	if t.root == nil {
		list, err := fs.ReadDir(t.fsys, dir)
		if err != nil {
			return nil, err
		}
		return infosOf(list)
	}
	f, err := t.root.OpenFile(dir, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if e := t.entries[dir]; e != nil {
		if err := same(f, e); err != nil {
			return nil, err
		}
	}
	var infos []fs.FileInfo
	for len(infos) <= maxEntries { // not all at once: there may be any number
		list, err := f.ReadDir(4096)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if len(list) == 0 {
			break
		}
		some, err := infosOf(list)
		if err != nil {
			return nil, err
		}
		infos = append(infos, some...)
	}
	return infos, nil
}

func infosOf(list []fs.DirEntry) ([]fs.FileInfo, error) {
	infos := make([]fs.FileInfo, len(list))
	for i, e := range list {
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		infos[i] = info
	}
	return infos, nil
}

func (t *Tree) readLink(p string) string {
	var target string
	var err error
	if t.root == nil {
		target, err = fs.ReadLink(t.fsys, p)
	} else {
		target, err = t.root.Readlink(p)
	}
	if err != nil {
		return ""
	}
	return filepath.ToSlash(target)
}

// Cause returns what an error says without the operation and the path.
func Cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
