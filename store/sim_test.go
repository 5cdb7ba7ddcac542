package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// simFS is a file system in memory that behaves as badly as a real one may.
// What was written and not synced is lost or torn by powerCut; names that were
// not synced come and go; a failed sync marks the data clean without having
// written it. It can stop at any call, as a killed process does, or let any
// call fail.
type simFS struct {
	mu      sync.Mutex
	names   map[string]*simInode
	stable  map[string]*simInode // the names that survive a power cut
	pending []nameOp             // between stable and names
	nextID  uint64
	temps   int

	ops     int    // calls that change something
	stopAt  int    // the call in which the process dies; 0 for never
	stopIn  string // the first of this kind then, if given
	stopped bool
	fault   func(op int, kind, name string) error // consulted before each call
	partial func(n int) int                       // of a failing or dying write, what is written
	lies    func(kind, name string) bool          // a sync that does nothing
	free    uint64
	trace   []string
}

type simInode struct {
	id    uint64
	data  []byte // as the process sees it
	clean []byte // as it is on disk
	lost  bool   // a sync failed: later ones report success and do nothing
	mode  fs.FileMode
}

// A nameOp is an atomic change of names that no syncDir made durable yet.
type nameOp struct {
	set  map[string]*simInode // nil removes
	dirs []string
}

var errStopped = errors.New("the process is dead")

func newSimFS() *simFS {
	return &simFS{names: map[string]*simInode{}, stable: map[string]*simInode{}, free: 1 << 30}
}

// step counts a call and decides its fate.
func (s *simFS) step(kind, name string) error {
	if s.stopped {
		return errStopped
	}
	s.ops++
	s.trace = append(s.trace, kind+" "+name)
	if s.stopAt > 0 && s.ops >= s.stopAt && (s.stopIn == "" || s.stopIn == kind) {
		s.stopped = true
		return errStopped
	}
	if s.fault != nil {
		if err := s.fault(s.ops, kind, name); err != nil {
			return &fs.PathError{Op: kind, Path: name, Err: err}
		}
	}
	return nil
}

func (s *simFS) rename1(op nameOp) {
	for name, node := range op.set {
		if node == nil {
			delete(s.names, name)
		} else {
			s.names[name] = node
		}
	}
	s.pending = append(s.pending, op)
}

func (s *simFS) create(name string) (*simInode, error) {
	if err := s.step("create", name); err != nil {
		return nil, err
	}
	s.nextID++
	node := &simInode{id: s.nextID, mode: 0o600}
	s.rename1(nameOp{set: map[string]*simInode{name: node}, dirs: []string{path.Dir(name)}})
	return node, nil
}

func (s *simFS) open(name string, flag int) (logFile, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return nil, errStopped
	}
	node := s.names[name]
	switch {
	case node == nil && flag&os.O_CREATE == 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOENT}
	case node != nil && flag&os.O_EXCL != 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EEXIST}
	case node == nil:
		var err error
		if node, err = s.create(name); err != nil {
			return nil, err
		}
		if err := s.syncDirLocked(path.Dir(name)); err != nil {
			return nil, err
		}
	}
	return &simFile{s, node, name}, nil
}

func (s *simFS) stat(name string) (fileInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return fileInfo{}, errStopped
	}
	node := s.names[name]
	if node == nil {
		return fileInfo{}, &fs.PathError{Op: "stat", Path: name, Err: syscall.ENOENT}
	}
	return fileInfo{int64(len(node.data)), node.id}, nil
}

func (s *simFS) rename(oldName, newName string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.renameLocked(oldName, newName)
}

func (s *simFS) renameLocked(oldName, newName string) error {
	if err := s.step("rename", newName); err != nil {
		return err
	}
	node := s.names[oldName]
	if node == nil {
		return &fs.PathError{Op: "rename", Path: oldName, Err: syscall.ENOENT}
	}
	s.rename1(nameOp{
		set:  map[string]*simInode{oldName: nil, newName: node},
		dirs: []string{path.Dir(oldName), path.Dir(newName)},
	})
	return nil
}

func (s *simFS) renameNew(oldName, newName string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names[newName] != nil {
		return &fs.PathError{Op: "rename", Path: newName, Err: syscall.EEXIST}
	}
	return s.renameLocked(oldName, newName)
}

func (s *simFS) remove(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return errStopped
	}
	if s.names[name] == nil {
		return &fs.PathError{Op: "remove", Path: name, Err: syscall.ENOENT}
	}
	if err := s.step("remove", name); err != nil {
		return err
	}
	s.rename1(nameOp{set: map[string]*simInode{name: nil}, dirs: []string{path.Dir(name)}})
	return nil
}

func (s *simFS) syncDir(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.syncDirLocked(name)
}

func (s *simFS) syncDirLocked(dir string) error {
	if err := s.step("syncdir", dir); err != nil {
		return err
	}
	if s.lies != nil && s.lies("syncdir", dir) {
		return nil
	}
	rest := s.pending[:0]
	for _, op := range s.pending {
		if !slices.Contains(op.dirs, dir) {
			rest = append(rest, op)
			continue
		}
		apply(s.stable, op)
	}
	s.pending = rest
	return nil
}

func apply(names map[string]*simInode, op nameOp) {
	for name, node := range op.set {
		if node == nil {
			delete(names, name)
		} else {
			names[name] = node
		}
	}
}

func (s *simFS) list(dir string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return nil, errStopped
	}
	var names []string
	for name := range s.names {
		if path.Dir(name) == dir {
			names = append(names, path.Base(name))
		}
	}
	return names, nil
}

// writeAtomic goes through the steps of Human.writeAtomic.
func (s *simFS) writeAtomic(name string, b []byte) error {
	s.mu.Lock()
	s.temps++
	tmp := fmt.Sprintf("%s%d", path.Join(path.Dir(name), tempPrefix), s.temps)
	node, err := s.create(tmp)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	f := &simFile{s, node, tmp}
	if _, err = f.Write(b); err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = s.rename(tmp, name)
	}
	if err != nil {
		return errors.Join(err, s.remove(tmp))
	}
	return s.syncDir(path.Dir(name))
}

func (s *simFS) freeze(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	node := s.names[name]
	if node == nil {
		return &fs.PathError{Op: "chmod", Path: name, Err: syscall.ENOENT}
	}
	if err := s.step("chmod", name); err != nil {
		return err
	}
	node.mode = 0o400
	return nil
}

func (s *simFS) space() (free, all uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.free, 1 << 30, nil
}

// A simFile is an open file of a simFS.
type simFile struct {
	s    *simFS
	node *simInode
	name string
}

func (f *simFile) ReadAt(b []byte, off int64) (int, error) {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	if f.s.stopped {
		return 0, errStopped
	}
	if off >= int64(len(f.node.data)) {
		return 0, io.EOF
	}
	n := copy(b, f.node.data[off:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *simFile) Write(b []byte) (int, error) {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	wasStopped := f.s.stopped
	if err := f.s.step("write", f.name); err != nil {
		n := 0
		if f.s.partial != nil && !wasStopped {
			n = f.s.partial(len(b))
		}
		f.node.data = append(f.node.data, b[:n]...)
		return n, err
	}
	f.node.data = append(f.node.data, b...)
	return len(b), nil
}

func (f *simFile) Sync() error {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	if err := f.s.step("sync", f.name); err != nil {
		if !errors.Is(err, errStopped) {
			f.node.lost = true
		}
		return err
	}
	if f.node.lost || f.s.lies != nil && f.s.lies("sync", f.name) {
		return nil
	}
	f.node.clean = slices.Clone(f.node.data)
	return nil
}

func (f *simFile) Truncate(size int64) error {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	if size == int64(len(f.node.data)) {
		return nil
	}
	if err := f.s.step("truncate", f.name); err != nil {
		return err
	}
	f.node.data = slices.Clone(f.node.data[:size])
	return nil
}

func (f *simFile) stat() (fileInfo, error) {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	if f.s.stopped {
		return fileInfo{}, errStopped
	}
	return fileInfo{int64(len(f.node.data)), f.node.id}, nil
}

func (f *simFile) Close() error { return nil }

// reboot lets a new process begin on what the dead one left in the page cache.
func (s *simFS) reboot() *simFS {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped, s.stopAt, s.stopIn, s.ops, s.fault, s.partial, s.trace = false, 0, "", 0, nil, nil, nil
	return s
}

// clone returns a copy of everything, so that several ends can be tried.
func (s *simFS) clone() *simFS {
	c := newSimFS()
	c.nextID, c.temps, c.free, c.lies = s.nextID, s.temps, s.free, s.lies
	nodes := map[*simInode]*simInode{nil: nil}
	node := func(n *simInode) *simInode {
		if m, ok := nodes[n]; ok {
			return m
		}
		m := *n
		m.data, m.clean = slices.Clone(n.data), slices.Clone(n.clean)
		nodes[n] = &m
		return &m
	}
	for name, n := range s.names {
		c.names[name] = node(n)
	}
	for name, n := range s.stable {
		c.stable[name] = node(n)
	}
	for _, op := range s.pending {
		set := map[string]*simInode{}
		for name, n := range op.set {
			set[name] = node(n)
		}
		c.pending = append(c.pending, nameOp{set, op.dirs})
	}
	return c
}

// powerCut returns what may be on the disk after the power failed now: of what
// was not synced anything may be missing, block by block and name by name.
func (s *simFS) powerCut(r *rand.Rand) *simFS {
	c := s.clone()
	names := maps.Clone(c.stable)
	keep := len(c.pending)
	ordered := r.IntN(2) == 0
	if ordered {
		keep = r.IntN(len(c.pending) + 1)
	}
	for _, op := range c.pending[:keep] {
		if ordered || r.IntN(2) == 0 {
			apply(names, op)
		}
	}
	block := []int{512, 4096}[r.IntN(2)]
	mood := r.IntN(4)
	seen := map[*simInode]bool{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		n := names[name]
		if strings.Contains(name, tempPrefix) {
			delete(names, name) // Human.Open sweeps them away
			continue
		}
		if !seen[n] {
			seen[n] = true
			n.tear(r, block, mood)
		}
	}
	c.names, c.stable, c.pending = names, maps.Clone(names), nil
	return c
}

// keepNames returns what is on the disk when all data arrived there, and of the
// names that were not synced those of the mask.
func (s *simFS) keepNames(mask int) *simFS {
	c := s.clone()
	names := maps.Clone(c.stable)
	for i, op := range c.pending {
		if mask>>i&1 == 1 {
			apply(names, op)
		}
	}
	c.names, c.stable, c.pending = names, maps.Clone(names), nil
	return c
}

// tear leaves of the unsynced part what the disk may hold.
func (n *simInode) tear(r *rand.Rand, block, mood int) {
	defer func() { n.clean, n.lost = slices.Clone(n.data), false }()
	switch {
	case mood == 0:
		n.data = n.clean // nothing arrived
		return
	case mood == 1 && !n.lost:
		return // everything did
	}
	lo, hi := min(len(n.clean), len(n.data)), max(len(n.clean), len(n.data))
	size := lo + r.IntN(hi-lo+1)
	if r.IntN(2) == 0 {
		size = len(n.data)
	}
	torn := make([]byte, size)
	copy(torn, n.clean)
	for at := 0; at < size && !n.lost; at += block {
		if end := min(at+block, size); r.IntN(3) > 0 && at < len(n.data) {
			copy(torn[at:end], n.data[at:])
		}
	}
	n.data = torn
}
