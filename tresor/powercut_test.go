//go:build unix

package tresor_test

import (
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"outheis/tresor"
	"outheis/tresor/internal/disk"
)

// A powerDisk follows the calls to the disk and knows what a power failure would
// leave at any time: a name counts once its folder was synced, content once its
// file was. A rename is one step for both of its folders, as with every journal.
type powerDisk struct {
	root  string
	names map[string]*inode // by path below root
	kept  map[string]*inode // the names that would be there for certain
	open  []nameChange      // those that may or may not
	calls []func()          // the rest, to be run up to a call
}

// An inode is a file, or a folder.
type inode struct {
	folder  bool
	content string // when it was last looked at
	synced  bool
}

// A nameChange sets and removes names at once; nil is none.
type nameChange struct {
	set     map[string]*inode
	folders []string
}

func newPowerDisk(t *testing.T, root string) *powerDisk {
	t.Helper()
	d := &powerDisk{root: root, names: map[string]*inode{}}
	must(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		n := &inode{folder: e.IsDir(), synced: true}
		if !n.folder {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			n.content = string(b)
		}
		d.names[d.rel(path)] = n
		return nil
	}))
	d.kept = maps.Clone(d.names)
	return d
}

func (d *powerDisk) rel(path string) string { return strings.TrimPrefix(path, d.root+"/") }

// see is the hook: it notes what a call would do. The content of a file is what
// it holds when it is synced, and that is all that is ever written to it.
func (d *powerDisk) see(c disk.Call) error {
	path, to := d.rel(c.Path), d.rel(c.To)
	switch c.Op {
	case "create":
		d.note(func() { d.change(nameChange{map[string]*inode{path: {}}, []string{filepath.Dir(path)}}) })
	case "mkdir":
		d.note(func() {
			d.change(nameChange{map[string]*inode{path: {folder: true, synced: true}}, []string{filepath.Dir(path)}})
		})
	case "remove", "rmdir":
		d.note(func() { d.change(nameChange{map[string]*inode{path: nil}, []string{filepath.Dir(path)}}) })
	case "rename":
		d.note(func() {
			d.change(nameChange{map[string]*inode{path: nil, to: d.names[path]}, []string{filepath.Dir(path), filepath.Dir(to)}})
		})
	case "sync":
		b, err := os.ReadFile(c.Path)
		if err != nil {
			return err
		}
		d.note(func() { d.names[path].content, d.names[path].synced = string(b), true })
	case "syncdir":
		folder := d.rel(c.Path)
		if c.Path == d.root {
			folder = "."
		}
		d.note(func() {
			d.open = slices.DeleteFunc(d.open, func(n nameChange) bool {
				if !slices.Contains(n.folders, folder) {
					return false
				}
				apply(d.kept, n)
				return true
			})
		})
	case "write":
		d.note(func() {})
	}
	return nil
}

func (d *powerDisk) note(call func()) { d.calls = append(d.calls, call) }

func (d *powerDisk) change(n nameChange) {
	apply(d.names, n)
	d.open = append(d.open, n)
}

func apply(names map[string]*inode, n nameChange) {
	for path, node := range n.set {
		if node == nil {
			delete(names, path)
		} else {
			names[path] = node
		}
	}
}

// image lays what a power failure may leave now: of the names that were not
// synced those that keep says.
func (d *powerDisk) image(t *testing.T, dir string, keep func(i int) bool) {
	t.Helper()
	names := maps.Clone(d.kept)
	for i, n := range d.open {
		if keep(i) {
			apply(names, n)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(names)) { // folders come before what is in them
		n, full := names[path], filepath.Join(dir, path)
		if above := filepath.Dir(path); above != "." && names[above] == nil {
			continue // its folder never came about
		}
		switch {
		case n.folder:
			must(t, os.Mkdir(full, 0o755))
		case n.synced:
			// The machine comes back with the same paths.
			must(t, os.WriteFile(full, []byte(strings.ReplaceAll(n.content, d.root, dir)), 0o644))
		default:
			must(t, os.WriteFile(full, nil, 0o644))
		}
	}
}

// Whenever the power fails, recover leads to the former or the new Tresor: what
// was not synced is lost, or half of it.
func TestPowerCut(t *testing.T) {
	for _, w := range writers() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			dir := w.lay(t)
			former := whole(t, dir)
			d := newPowerDisk(t, filepath.Dir(dir))
			must(t, w.write(t.Context(), dir, day.WithHook(d.see)))
			latter := whole(t, dir)
			r := rand.New(rand.NewPCG(1, 2))
			images, recovered := 0, 0
			for i, call := range d.calls {
				call()
				if i%faultStep != 0 {
					continue
				}
				keeps := []func(int) bool{
					func(int) bool { return false },
					func(int) bool { return true },
					func(int) bool { return r.IntN(2) == 0 },
					func(int) bool { return r.IntN(2) == 0 },
				}
				for _, keep := range keeps[:min(len(keeps), 1+len(d.open))] {
					image := filepath.Join(t.TempDir(), "image")
					must(t, os.Mkdir(image, 0o755))
					d.image(t, image, keep)
					dir := filepath.Join(image, "halle3")
					bury(t, dir)
					_, locked := os.Lstat(filepath.Join(dir, lockName))
					if locked == nil || besides(t, dir) != "" {
						recovered++
					}
					images++
					recovers(t, dir, former, latter)
					if t.Failed() {
						t.Fatalf("after call %d of %d", i+1, len(d.calls))
					}
				}
			}
			// Without a fault the last image is the new Tresor, whatever was synced.
			t.Logf("%d images, %d of them to recover", images, recovered)
			if recovered == 0 {
				t.Error("no image needs to be recovered")
			}
			if left := difference(latter, former); left == "" {
				t.Error("the writer changes nothing")
			}
		})
	}
}

// The model is worth something: without the sync of a folder there would be a
// loss.
func TestPowerCutNoticesAMissingSync(t *testing.T) {
	w := writers()[0]
	dir := w.lay(t)
	former := whole(t, dir)
	d := newPowerDisk(t, filepath.Dir(dir))
	must(t, w.write(t.Context(), dir, day.WithHook(func(c disk.Call) error {
		if c.Op == "syncdir" {
			return nil
		}
		return d.see(c)
	})))
	for _, call := range d.calls {
		call()
	}
	image := filepath.Join(t.TempDir(), "image")
	must(t, os.Mkdir(image, 0o755))
	d.image(t, image, func(int) bool { return false })
	if difference(whole(t, filepath.Join(image, "halle3")), former) != "" {
		t.Error("without any sync the release is durable")
	}
	if _, err := tresor.Open(filepath.Join(image, "halle3"), tresor.Options{}); err == nil {
		t.Error("the release is there all the same")
	}
}
