package watch

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// A notifier tells of changes in a folder and all below it, as far as the system
// can. With an err it does not any more.
type notifier struct {
	w       *fsnotify.Watcher // nil with an err
	err     error
	watched map[string]os.FileInfo
	add     func(n *notifier, dir string) error
	rings   chan struct{} // one for any number of changes
	done    chan struct{} // closed when the goroutine has ended
}

func newNotifier(add func(*notifier, string) error) *notifier {
	if add == nil {
		add = (*notifier).addFolder
	}
	n := &notifier{add: add, watched: map[string]os.FileInfo{}}
	if n.w, n.err = fsnotify.NewWatcher(); n.err != nil {
		n.w = nil
		return n
	}
	n.rings, n.done = make(chan struct{}, 1), make(chan struct{})
	go n.drain(n.w)
	return n
}

// drain turns events into rings, so that the system's buffer stays empty while a
// validation runs. It ends when the watcher is closed. What the system could not
// keep is a change as well.
func (n *notifier) drain(w *fsnotify.Watcher) {
	defer close(n.done)
	for {
		select {
		case _, ok := <-w.Events:
			if !ok {
				return
			}
		case _, ok := <-w.Errors:
			if !ok {
				return
			}
		}
		select {
		case n.rings <- struct{}{}:
		default:
		}
	}
}

// changes tells that something changed since it was read last. It is nil, which
// never does, with an err.
func (n *notifier) changes() <-chan struct{} {
	if n.err != nil {
		return nil
	}
	return n.rings
}

func (n *notifier) addFolder(dir string) error { return n.w.Add(dir) }

// watch sees to it that exactly the folders that are there now are watched. A
// folder is added before it is read: what appears in it later gives an event. Of
// git's own folder nothing is told.
func (n *notifier) watch(root string) {
	if n.err != nil {
		return
	}
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return // it vanished just now
	}
	seen := map[string]bool{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path != root && (d == nil || d.IsDir()):
			return fs.SkipDir // gone again, or not ours to read: validation says so
		case err != nil:
			return nil
		case path != root && !d.IsDir():
			return nil
		case d.Name() == ".git" && path != root:
			return fs.SkipDir
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil
		}
		seen[path] = true
		if before, ok := n.watched[path]; ok {
			if os.SameFile(before, info) {
				return nil
			}
			_ = n.w.Remove(path) // of another folder that had this name; gone or not
		}
		err = n.add(n, path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil
		}
		n.watched[path] = info
		return err
	})
	if err != nil {
		n.stop(err)
		return
	}
	for path := range n.watched {
		if !seen[path] {
			_ = n.w.Remove(path)
			delete(n.watched, path)
		}
	}
}

// drop forgets all folders.
func (n *notifier) drop() {
	for path := range n.watched {
		if n.w != nil {
			_ = n.w.Remove(path)
		}
	}
	clear(n.watched)
}

// stop ends the watching for good: there is not enough of what it needs.
func (n *notifier) stop(err error) {
	n.close()
	n.err = err
	clear(n.watched)
}

// close ends the goroutine.
func (n *notifier) close() {
	if n.w != nil {
		_ = n.w.Close()
		<-n.done
		n.w = nil
	}
}

// fingerprint is a number that another state of the folder very likely does not
// have: of names, kinds, sizes and times.
func fingerprint(root string) uint64 {
	h := fnv.New64a()
	if resolved, err := filepath.EvalSymlinks(root); err == nil {
		root = resolved
	}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if d.IsDir() && d.Name() == ".git" && path != root {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		var b []byte
		b = append(b, path...)
		b = append(b, 0)
		b = binary.BigEndian.AppendUint32(b, uint32(info.Mode()))
		if !d.IsDir() {
			b = binary.BigEndian.AppendUint64(b, uint64(info.Size()))
			b = binary.BigEndian.AppendUint64(b, uint64(info.ModTime().UnixNano()))
		}
		_, _ = h.Write(b)
		return nil
	})
	return h.Sum64()
}
