package tree

import (
	"crypto/sha256"
	"encoding/binary"
	"io/fs"
	"time"
)

// A Stamp tells looks at a tree apart without reading a file: it is made of the
// names and kinds of all entries and, of the files that count, of size, inode,
// and the times of change.
type Stamp struct {
	sum    [sha256.Size]byte
	newest time.Time // change among the files that count
	looked time.Time // when the look began
}

// Same reports whether two stamps are of the same state.
func (s Stamp) Same(o Stamp) bool { return s.sum == o.sum }

// clockStep is more than the steps in which file systems of machines count the
// time of a change (1 to 10 ms).
const clockStep = 50 * time.Millisecond

// Young reports whether a file had changed so shortly before the look that a
// further change may have got the same time: then the stamp does not tell them
// apart.
func (s Stamp) Young() bool { return s.looked.Sub(s.newest).Abs() < clockStep }

// Stamp returns the stamp of the tree as it was looked at; counts says of which
// files more than name, kind and links matter.
func (t *Tree) Stamp(counts func(path string) bool) Stamp {
	s := Stamp{looked: t.looked}
	h := sha256.New()
	var b []byte
	put := func(path string, info fs.FileInfo, kind Kind, links uint64, whole bool) {
		b = append(b[:0], path...)
		b = append(b, 0, byte(kind))
		b = binary.AppendUvarint(b, links)
		if whole {
			b = appendIdentity(b, info)
		}
		if whole && kind == File {
			changed := lastChange(info)
			b = binary.AppendVarint(b, info.Size())
			b = binary.AppendVarint(b, info.ModTime().UnixNano())
			b = binary.AppendVarint(b, changed.UnixNano())
			if changed.After(s.newest) {
				s.newest = changed
			}
		}
		b = append(b, 0)
		h.Write(b)
	}
	if t.root != nil {
		if info, err := t.root.Stat("."); err == nil {
			put(".", info, Dir, 0, true)
		}
	}
	for _, e := range t.order {
		links := e.Links
		if e.Kind == Dir {
			links = 0 // it counts the folders in it
		}
		put(e.Path, e.info, e.Kind, links, e.Kind == File && counts(e.Path))
	}
	if t.err != nil {
		h.Write([]byte(t.err.Error()))
	}
	h.Sum(s.sum[:0])
	return s
}
