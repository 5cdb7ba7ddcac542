package txn

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"outheis/tresor/internal/disk"
	"outheis/tresor/internal/text"
)

// A run is a transaction at work.
type run struct {
	Transaction
	folders map[string]*folder // by path in the Tresor
	steps   []*step
	beside  *disk.Folder // that the Tresor lies in
	staging *disk.Folder // in it
	list    *disk.File   // in that, locked in the kernel while this runs
}

// A folder is an open folder of the Tresor.
type folder struct {
	*disk.Folder
	path string
	id   disk.ID
}

// A step is a target at work.
type step struct {
	Target
	number        int
	folder, from  *folder // from of a move; folder is nil until an earlier step made it
	name          string
	before, after string     // what is at the path: a digest, absent or aFolder
	original      disk.Info  // of the file that was there, or that is moved
	placed        disk.ID    // of what is put at the path
	held          *disk.File // that file: open, so that no other one gets its ID
	done          bool
}

func (s *step) existed() bool { return s.before != absent }

func (r *run) close() {
	for _, f := range r.folders {
		f.Close()
	}
	for _, s := range r.steps {
		if s.held != nil {
			s.held.Close()
		}
	}
	if r.list != nil {
		r.list.Close()
	}
	for _, f := range []*disk.Folder{r.staging, r.beside} {
		if f != nil {
			f.Close()
		}
	}
}

// prepare opens the folders and looks at what is there.
func (r *run) prepare() error {
	taken := make(map[string]bool)
	for i, t := range r.Targets {
		s := &step{Target: t, number: i, name: path.Base(t.Path), before: absent}
		for _, p := range s.names() {
			if !fs.ValidPath(p) || p == "." || text.HasControl(p) {
				return fail(p, "TX-12", nil)
			}
			if taken[p] {
				return fail(p, "TX-13", nil)
			}
			taken[p] = true
		}
		var err error
		if s.folder, err = r.folder(path.Dir(t.Path)); err != nil {
			return err
		}
		if t.Kind == Move {
			if s.from, err = r.folder(path.Dir(t.From)); err != nil {
				return err
			}
		}
		if err := s.look(); err != nil {
			return err
		}
		r.steps = append(r.steps, s)
	}
	return nil
}

// names are the paths that the step changes, the one that loses its file first.
func (s *step) names() []string {
	if s.Kind == Move {
		return []string{s.From, s.Path}
	}
	return []string{s.Path}
}

// folder opens a folder of the Tresor, once; nil if an earlier step makes it.
func (r *run) folder(dir string) (*folder, error) {
	if f := r.folders[dir]; f != nil {
		return f, nil
	}
	if slices.ContainsFunc(r.steps, func(s *step) bool { return s.Kind == Folder && s.Path == dir }) {
		return nil, nil
	}
	f, err := openFolder(r.Root, dir, r.Hook)
	if err != nil {
		return nil, fail(dir, "TX-1", err)
	}
	r.folders[dir] = f
	return f, nil
}

// openFolder opens a folder below root, component by component and through no
// link.
func openFolder(root, dir string, hook disk.Hook) (*folder, error) {
	f, err := disk.Open(root, hook)
	if err != nil {
		return nil, err
	}
	if dir != "." {
		for part := range strings.SplitSeq(dir, "/") {
			next, err := f.Folder(part)
			f.Close()
			if err != nil {
				return nil, err
			}
			f = next
		}
	}
	self, err := f.Self()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &folder{f, dir, self.ID}, nil
}

// look makes sure that the target can be what it is to be.
func (s *step) look() error {
	if s.Kind == Move {
		if err := s.lookFor(s.from, path.Base(s.From), s.From); err != nil {
			return err
		}
	}
	if s.folder == nil {
		if s.Kind == Remove {
			return fail(s.Path, "TX-2", fs.ErrNotExist)
		}
		return nil
	}
	switch s.Kind {
	case Remove:
		return s.lookFor(s.folder, s.name, s.Path)
	case Write, Append:
		if err := s.lookFor(s.folder, s.name, s.Path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	switch _, err := s.folder.Info(s.name); {
	case err == nil:
		return fail(s.Path, "TX-14", nil)
	case !errors.Is(err, fs.ErrNotExist):
		return fail(s.Path, "TX-2", err)
	}
	return nil
}

// lookFor remembers a file, which must be a plain one.
func (s *step) lookFor(f *folder, name, p string) error {
	if f == nil {
		return fail(p, "TX-2", fs.ErrNotExist)
	}
	info, err := f.Info(name)
	if err != nil {
		return fail(p, "TX-2", err)
	}
	if !info.Plain() {
		return fail(p, "TX-3", nil)
	}
	s.original = info
	switch s.Kind {
	case Write, Append:
		s.before = "" // until it is read
		return nil
	case Remove:
		s.before = ""
	}
	s.placed = info.ID
	if s.held, err = f.Open(name); err != nil {
		return fail(p, "TX-2", err)
	}
	return nil
}

func (r *run) commit() error {
	for _, s := range r.steps {
		if err := r.put(s); err != nil {
			return err
		}
	}
	if err := r.verify(); err != nil {
		return err
	}
	if r.After == nil {
		return nil
	}
	if err := check(r.After); err != nil {
		return err
	}
	return r.verify()
}

// check makes a panic an error: what is written by then must not stay.
func check(c func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return c()
}

// put does one step.
func (r *run) put(s *step) error {
	if s.folder == nil {
		s.folder = r.folders[path.Dir(s.Path)]
	}
	if err := r.checkFolders(s); err != nil {
		return err
	}
	if err := s.unchanged(); err != nil {
		return err
	}
	if s.Kind == Folder {
		return r.makeFolder(s)
	}
	var err error
	switch {
	case s.Kind == Move:
		err = s.from.Move(path.Base(s.From), s.folder.Folder, s.name)
	case s.Kind == Remove:
		err = s.folder.Move(s.name, r.staging, s.former())
	case s.existed():
		err = r.staging.Rename(s.staged(), s.folder.Folder, s.name)
	default:
		err = r.staging.Move(s.staged(), s.folder.Folder, s.name)
	}
	if err != nil {
		return fail(s.Path, "TX-6", err)
	}
	s.done = true
	return r.sync(s)
}

func (r *run) makeFolder(s *step) error {
	if err := s.folder.Mkdir(s.name, s.Mode); err != nil {
		return fail(s.Path, "TX-6", err)
	}
	s.done = true
	made, err := openFolder(r.Root, s.Path, r.Hook)
	if err != nil {
		return fail(s.Path, "TX-1", err)
	}
	s.placed, r.folders[s.Path] = made.id, made
	return r.sync(s)
}

// sync makes a step durable: the new name before the loss of the old one.
func (r *run) sync(s *step) error {
	gets, loses := s.folder.Folder, (*disk.Folder)(nil)
	switch {
	case s.Kind == Remove:
		gets, loses = r.staging, s.folder.Folder
	case s.Kind == Move && s.from != s.folder:
		loses = s.from.Folder
	}
	for _, f := range []*disk.Folder{gets, loses} {
		if f == nil {
			continue
		}
		if err := f.Sync(); err != nil {
			return fail(s.Path, "TX-6", err)
		}
	}
	return nil
}

// unchanged makes sure that what a step replaces is still what was looked at.
func (s *step) unchanged() error {
	f, name, p := s.folder, s.name, s.Path
	switch {
	case s.Kind == Move:
		f, name, p = s.from, path.Base(s.From), s.From
	case s.Kind == Folder || !s.existed():
		return nil // the step itself fails if the name is taken
	}
	now, err := f.Info(name)
	if err != nil {
		return fail(p, "TX-2", err)
	}
	if now.ID != s.original.ID || now.Size != s.original.Size || !now.Time.Equal(s.original.Time) {
		return fail(p, "TX-16", nil)
	}
	return nil
}

// checkFolders makes sure that the open folders are still those at their paths.
func (r *run) checkFolders(s *step) error {
	if err := r.checkFolder(s.folder); err != nil || s.from == nil {
		return err
	}
	return r.checkFolder(s.from)
}

func (r *run) checkFolder(f *folder) error {
	now, err := openFolder(r.Root, f.path, r.Hook)
	if err != nil {
		return fail(f.path, "TX-7", err)
	}
	defer now.Close()
	if now.id != f.id {
		return fail(f.path, "TX-8", nil)
	}
	return nil
}

// verify reads everything back.
func (r *run) verify() error {
	for _, s := range r.steps {
		if err := r.checkFolders(s); err != nil {
			return err
		}
		now, err := stateOf(s.folder.Folder, s.name)
		if err != nil {
			return fail(s.Path, "TX-2", err)
		}
		if now != s.after {
			return fail(s.Path, "TX-9", nil)
		}
	}
	return nil
}
