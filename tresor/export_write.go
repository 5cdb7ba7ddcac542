package tresor

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"outheis/tresor/internal/disk"
	"outheis/tresor/internal/okf"
	"outheis/tresor/internal/tree"
	"outheis/tresor/internal/wording"
)

// write prepares the bundle beside the target and puts it in its place. It
// returns the path of the earlier export that was there.
func (x *exporter) write(ctx context.Context, to target, bundle *okf.Bundle) (former string, err error) {
	parent, err := x.openParent(to)
	if err != nil {
		return "", x.refuse(err, "XP-7", causeOf(err))
	}
	defer parent.Close()
	s := &staging{parent: parent, name: beside(to, "staging")}
	if err := parent.Mkdir(s.name, 0o700); err != nil {
		return "", x.refuse(err, "XP-7", causeOf(err))
	}
	err = s.fill(ctx, bundle, x.tree.Copy)
	if err == nil {
		if err = x.unchanged(); err == nil {
			err = ctx.Err()
		}
	}
	if err == nil {
		former, err = x.swap(parent, to, s.name)
	}
	var refused *ExportError
	switch {
	case err == nil:
		return former, nil
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		err = x.refuse(err, "XP-18")
	case !errors.As(err, &refused):
		err = x.refuse(err, "XP-8", causeOf(err))
	}
	s.clean()
	return "", err
}

// openParent opens the folder that the target lies in, making what is missing of
// it.
func (x *exporter) openParent(to target) (*disk.Folder, error) {
	if err := os.MkdirAll(filepath.Dir(to.path), 0o777); err != nil {
		return nil, err
	}
	now, err := tree.Follow(to.path)
	if err != nil {
		return nil, err
	}
	if now != to.resolved {
		return nil, errTargetChanged
	}
	return disk.Open(filepath.Dir(to.resolved), x.o.hook)
}

var errTargetChanged = errors.New("the target was replaced meanwhile")

// beside returns a fresh hidden name in the target's folder.
func beside(to target, what string) string {
	return "." + filepath.Base(to.resolved) + ".okf-" + what + "-" + strings.ToLower(rand.Text()[:10])
}

func causeOf(err error) any {
	switch {
	case errors.Is(err, disk.ErrPlatform):
		return wording.Sentence{Key: "TX-11"}
	case errors.Is(err, errTargetChanged):
		return wording.Sentence{Key: "XP-19"}
	}
	return err
}

// swap gives the staging folder the target's name. What is in that place gets
// another name first, and its own back if the bundle cannot take it.
func (x *exporter) swap(parent *disk.Folder, to target, staging string) (former string, err error) {
	name := filepath.Base(to.resolved)
	if to.there {
		info, err := parent.Info(name)
		if err != nil {
			return "", err
		}
		if info.ID != to.id {
			return "", errTargetChanged
		}
	}
	switch {
	case !to.there:
		err = parent.Move(staging, parent, name)
	case to.empty:
		err = parent.Rename(staging, parent, name) // fails if it is no longer empty
	default:
		former, err = x.displace(parent, to, staging, name)
	}
	if err != nil {
		return "", err
	}
	_ = parent.Sync() // the bundle is in place, and what was there before is kept
	return former, nil
}

// displace swaps with an earlier export, which it keeps (deviations D-78 and
// D-79).
func (x *exporter) displace(parent *disk.Folder, to target, staging, name string) (former string, err error) {
	kept := beside(to, "alt")
	former = filepath.Join(filepath.Dir(to.path), kept)
	if err := parent.Move(name, parent, kept); err != nil {
		return "", err
	}
	if err := parent.Move(staging, parent, name); err != nil {
		if failed := parent.Move(kept, parent, name); failed != nil {
			return "", x.refuse(errors.Join(err, failed), "XP-9", causeOf(err), former)
		}
		return "", err
	}
	return former, nil
}

// A staging folder remembers what this run put into it, which is all that it
// will remove.
type staging struct {
	parent *disk.Folder
	name   string
	dirs   []string // in it, each after the one above
	files  []string
}

// fill writes the bundle.
func (s *staging) fill(ctx context.Context, bundle *okf.Bundle, copyRaw func(io.Writer, string) error) error {
	root, err := s.parent.Folder(s.name)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range bundle.Files {
		if err := s.file(ctx, root, f.Path, func(w io.Writer) error {
			_, err := io.WriteString(w, f.Content)
			return err
		}); err != nil {
			return err
		}
	}
	for _, r := range bundle.Raw {
		if err := s.file(ctx, root, r.Path, func(w io.Writer) error { return copyRaw(w, r.Path) }); err != nil {
			return err
		}
	}
	for _, dir := range slices.Backward(s.dirs) {
		folder, err := s.folder(root, dir)
		if err != nil {
			return err
		}
		err = folder.Sync()
		folder.Close()
		if err != nil {
			return err
		}
	}
	return root.Sync()
}

func (s *staging) file(ctx context.Context, root *disk.Folder, p string, content func(io.Writer) error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	folder, err := s.folder(root, path.Dir(p))
	if err != nil {
		return err
	}
	defer folder.Close()
	f, err := folder.Create(path.Base(p), 0o666)
	if err != nil {
		return err
	}
	s.files = append(s.files, p)
	if err = content(f); err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// folder opens a folder in the staging folder, making what is missing of it.
func (s *staging) folder(root *disk.Folder, dir string) (*disk.Folder, error) {
	at, err := root.Folder(".")
	if err != nil || dir == "." {
		return at, err
	}
	made := ""
	for part := range strings.SplitSeq(dir, "/") {
		made = path.Join(made, part)
		if !slices.Contains(s.dirs, made) {
			if err := at.Mkdir(part, 0o777); err != nil {
				at.Close()
				return nil, err
			}
			s.dirs = append(s.dirs, made)
		}
		next, err := at.Folder(part)
		at.Close()
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// clean removes what fill wrote. What others put there, and so the folder, stays.
func (s *staging) clean() {
	root, err := s.parent.Folder(s.name)
	if err != nil {
		return
	}
	remove := func(p string, remove func(*disk.Folder, string) error) {
		if folder, err := s.folder(root, path.Dir(p)); err == nil {
			_ = remove(folder, path.Base(p)) // a rest harms nobody
			folder.Close()
		}
	}
	for _, p := range s.files {
		remove(p, (*disk.Folder).Remove)
	}
	for _, p := range slices.Backward(s.dirs) {
		remove(p, (*disk.Folder).Rmdir)
	}
	root.Close()
	_ = s.parent.Rmdir(s.name) // likewise
}
