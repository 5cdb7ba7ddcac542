package txn

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"outheis/tresor/internal/disk"
)

// rollback brings back what was there before, in reverse order, and returns
// what it could not. A name that somebody else has taken since is left alone
// (deviation D-67).
func (r *run) rollback() (failed []error) {
	for i := len(r.steps) - 1; i >= 0; i-- {
		if err := r.undo(r.steps[i]); err != nil {
			failed = append(failed, err)
		}
	}
	for _, f := range r.folders {
		if err := r.checkFolder(f); err != nil && !r.madeHere(f) {
			failed = append(failed, err)
		}
	}
	return failed
}

// madeHere reports whether the folder was made by this transaction, so that it
// is gone again.
func (r *run) madeHere(f *folder) bool {
	for _, s := range r.steps {
		if s.Kind == Folder && s.Path == f.path {
			return true
		}
	}
	return false
}

// undo takes one step back. A call that failed may have done its work all the
// same, so that what lies there counts and not what was reported.
func (r *run) undo(s *step) error {
	if s.folder == nil {
		return nil // its folder was never made
	}
	switch s.Kind {
	case Folder:
		return r.undoFolder(s)
	case Move:
		return r.undoMove(s)
	case Remove:
		return r.undoRemove(s)
	}
	there, err := s.there(s.folder.Folder, s.name)
	if !there {
		return err
	}
	if !s.existed() {
		err = s.folder.Remove(s.name)
	} else {
		name := fmt.Sprintf("rollback-%02d.stage", s.number)
		if err := r.copyBack(s, name); err != nil {
			return fail(s.Path, "TX-5", err)
		}
		err = r.staging.Rename(name, s.folder.Folder, s.name)
	}
	if err == nil {
		err = s.folder.Sync()
	}
	if err != nil {
		return fail(s.Path, "TX-6", err)
	}
	return nil
}

// there reports whether what was placed is at the name. Somebody else's in its
// place is an error if ours was there.
func (s *step) there(f *disk.Folder, name string) (bool, error) {
	info, err := f.Info(name)
	switch {
	case err == nil && info.ID == s.placed:
		return true, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return false, fail(s.Path, "TX-2", err)
	case s.done && (err == nil || s.existed() || s.Kind == Move):
		return false, fail(s.Path, "TX-10", nil)
	}
	return false, nil
}

// copyBack writes the former file anew, with its owner and permissions.
func (r *run) copyBack(s *step, name string) error {
	return copyFile(r.staging, s.former(), r.staging, name, s.original)
}

// copyFile makes a durable copy with owner and permissions of another file.
func copyFile(from *disk.Folder, name string, to *disk.Folder, toName string, like disk.Info) error {
	source, err := from.Open(name)
	if err != nil {
		return err
	}
	defer source.Close()
	info, err := source.Info()
	if err != nil {
		return err
	}
	target, err := to.Create(toName, 0o600)
	if err != nil {
		return err
	}
	defer target.Close()
	if err := likeFormer(target, like); err != nil {
		return err
	}
	if err := copyWhole(target, source, info.Size); err != nil {
		return err
	}
	if err := target.Sync(); err != nil {
		return err
	}
	return target.Close()
}

func (r *run) undoMove(s *step) error {
	there, err := s.there(s.folder.Folder, s.name)
	if !there {
		return err
	}
	err = s.folder.Move(s.name, s.from.Folder, path.Base(s.From))
	if err == nil {
		err = s.from.Sync()
	}
	if err == nil && s.from != s.folder {
		err = s.folder.Sync()
	}
	if err != nil {
		return fail(s.From, "TX-6", err)
	}
	return nil
}

func (r *run) undoRemove(s *step) error {
	there, err := s.there(r.staging, s.former())
	if !there {
		return err
	}
	err = r.staging.Move(s.former(), s.folder.Folder, s.name)
	if err == nil {
		err = s.folder.Sync()
	}
	if err != nil {
		return fail(s.Path, "TX-6", err)
	}
	return nil
}

// undoFolder removes the folder if it is the one that was made, and empty.
func (r *run) undoFolder(s *step) error {
	if !s.done {
		return nil
	}
	if s.placed != (disk.ID{}) {
		there, err := s.there(s.folder.Folder, s.name)
		if !there {
			return err
		}
	}
	err := s.folder.Rmdir(s.name)
	if err == nil {
		err = s.folder.Sync()
	}
	if err != nil {
		return fail(s.Path, "TX-6", err)
	}
	return nil
}

// clean removes the staging folder, which only this transaction wrote to, the
// list last. That it stays behind harms nothing.
func (r *run) clean() {
	if r.staging == nil {
		return
	}
	names, err := r.staging.Names()
	if err != nil {
		return
	}
	_ = removeStaging(r.beside, r.staging, names)
}

// removeStaging removes the names in a staging folder, then the folder. The list
// goes last: with it, [Inspect] understands what is left at any time.
func removeStaging(beside, staging *disk.Folder, names []string) error {
	for _, name := range names {
		if name == listName {
			continue
		}
		if err := staging.Remove(name); err != nil {
			return err
		}
	}
	if err := staging.Sync(); err != nil {
		return err
	}
	if err := staging.Remove(listName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := beside.Rmdir(path.Base(staging.Path())); err != nil {
		return err
	}
	return beside.Sync()
}
