package tresor

import "outheis/tresor/internal/tree"

// A Stamp tells states of a Tresor's folder apart by what the file system says
// of its entries: names and kinds of all, and sizes, inodes and times of change
// of the files that a release pins and of its manifest. No file is read for it.
// A file that a release does not pin, such as log.md, counts by its name alone.
//
// As long as [Look] gives the same stamp as [Snapshot.Stamp], and that is not
// young, every check of the snapshot loader still holds, without doing them
// again.
type Stamp struct{ s tree.Stamp }

// Look returns the stamp of the Tresor in the folder dir, whose links are
// resolved first. The error says that dir is no readable folder.
func Look(dir string) (Stamp, error) {
	t, err := tree.Open(dir)
	if err != nil {
		return Stamp{}, unreadable(dir, err, Options{})
	}
	defer t.Close()
	return stampOf(t), nil
}

// Stamp returns the stamp of the folder that the snapshot was read from, looked
// at before anything was read. It is the zero Stamp for a snapshot of [OpenFS].
func (s *Snapshot) Stamp() Stamp { return s.stamp }

// Same reports whether two stamps are of the same state of a folder.
func (s Stamp) Same(o Stamp) bool { return s.s.Same(o.s) }

// Young reports whether a file had changed so shortly before the look that the
// file system may give a further change the same time. Then the stamp may not
// tell the two apart; one that is taken a tenth of a second later does.
func (s Stamp) Young() bool { return s.s.Young() }

func stampOf(t *tree.Tree) Stamp { return Stamp{t.Stamp(pinned)} }
