package txn

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"outheis/tresor/internal/disk"
	"outheis/tresor/internal/tree"
	"outheis/tresor/internal/wording"
)

// What is at a path, beside the digest of a plain file in hex.
const (
	absent  = Absent
	aFolder = "folder"
	other   = "other" // a link, a pipe, a file with a second name
)

// stateOf reads what is at a name.
func stateOf(f *disk.Folder, name string) (string, error) {
	info, err := f.Info(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return absent, nil
	case err != nil:
		return "", err
	case info.Mode.IsDir():
		return aFolder, nil
	case !info.Plain():
		return other, nil
	}
	file, err := f.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	err = copyWhole(h, file, info.Size)
	return digestOf(h), err
}

// copyWhole copies a file that has the given size. One that has another one when
// it is read is [tree.ErrChanged]; it may grow as fast as it is read.
func copyWhole(to io.Writer, file *disk.File, size int64) error {
	n, err := io.Copy(to, io.LimitReader(file, size+1))
	if err == nil && n != size {
		err = tree.ErrChanged
	}
	return err
}

func digestOf(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// The names in a staging folder.
const listName = "TARGETS"

func (s *step) staged() string { return fmt.Sprintf("%02d.stage", s.number) }
func (s *step) former() string { return former(s.number) }

func former(number int) string { return fmt.Sprintf("%02d.orig", number) }
func marked(number int) string { return fmt.Sprintf("%02d.absent", number) }

func (r *run) makeStaging() error {
	var err error
	if r.beside, err = disk.Open(filepath.Dir(r.Root), r.Hook); err != nil {
		return err
	}
	beside, err := r.beside.Self()
	if err != nil {
		return err
	}
	for _, f := range r.folders {
		if f.id.Device != beside.ID.Device {
			return fail(f.path, "TX-19", nil)
		}
	}
	name := stagingPrefix(r.Root) + strings.ToLower(rand.Text()[:12]) // as ourSuffix says
	if err := r.beside.Mkdir(name, 0o700); err != nil {
		return err
	}
	if r.staging, err = r.beside.Folder(name); err != nil {
		return errors.Join(err, r.beside.Rmdir(name))
	}
	return r.beginList()
}

// beginList makes the list before anything else, locks it for as long as this
// runs, and says in it whose the folder is.
func (r *run) beginList() error {
	var err error
	if r.list, err = r.staging.Create(listName, 0o600); err != nil {
		return err
	}
	// A file system without advisory locks only keeps [Inspect] from being sure.
	_, _ = r.list.Lock()
	root, err := openFolder(r.Root, ".", r.Hook)
	if err != nil {
		return err
	}
	defer root.Close()
	_, err = r.list.Write([]byte(r.Note + ownerLines(r.Root, root.id)))
	return err
}

// stageOne writes what a step needs: the new content, and the old one.
func (r *run) stageOne(s *step) error {
	var err error
	switch s.Kind {
	case Folder:
		s.after = aFolder
	case Move:
		if s.after, err = stateOf(s.from.Folder, path.Base(s.From)); err != nil {
			return fail(s.From, "TX-2", err)
		}
		if s.SHA256 != "" && s.after != s.SHA256 {
			return fail(s.From, "TX-15", nil)
		}
	case Remove:
		s.after = absent
		if s.before, err = stateOf(s.folder.Folder, s.name); err != nil {
			return fail(s.Path, "TX-2", err)
		}
	default:
		return r.stageContent(s)
	}
	if s.existed() {
		return nil
	}
	mark, err := r.keeper(s)
	if err == nil {
		err = mark.Close()
	}
	if err != nil {
		return fail(s.Path, "TX-5", err)
	}
	return nil
}

// stageContent prepares a Write or an Append.
func (r *run) stageContent(s *step) error {
	var content io.Reader = bytes.NewReader(s.Content)
	if s.Reader != nil {
		content = s.Reader
	}
	kept, err := r.keeper(s)
	if err != nil {
		return fail(s.Path, "TX-5", err)
	}
	defer kept.Close()
	stage, err := r.staging.Create(s.staged(), s.Mode)
	if err != nil {
		return fail(s.Path, "TX-5", err)
	}
	s.held = stage
	sum := sha256.New()
	into := io.MultiWriter(stage, sum)
	if s.existed() {
		last, err := r.keepFormer(s, kept, into)
		if err != nil {
			return err
		}
		if err := likeFormer(stage, s.original); err != nil {
			return fail(s.Path, "TX-5", err)
		}
		if s.Kind == Append && last != '\n' && s.original.Size > 0 {
			content = io.MultiReader(strings.NewReader("\n"), content)
		}
	}
	if s.Was != "" && s.before != s.Was {
		return fail(s.Path, "TX-16", nil) // somebody saved it since it was read
	}
	if s.Kind == Append {
		content = io.MultiReader(content, strings.NewReader("\n"))
	}
	_, err = io.Copy(into, content)
	if err == nil {
		err = stage.Sync()
	}
	if err != nil {
		return fail(s.Path, "TX-5", err)
	}
	s.after = digestOf(sum)
	if s.SHA256 != "" && s.after != s.SHA256 {
		return fail(s.Path, "TX-15", nil)
	}
	info, err := stage.Info()
	if err != nil {
		return fail(s.Path, "TX-5", err)
	}
	s.placed = info.ID
	return nil
}

// keeper makes the file for the former content, or the mark that there is none.
func (r *run) keeper(s *step) (*disk.File, error) {
	if !s.existed() {
		return r.staging.Create(marked(s.number), 0o600)
	}
	return r.staging.Create(former(s.number), 0o600)
}

// keepFormer copies the file that is there to kept, for an Append also to where
// its new content begins, and returns its last byte.
func (r *run) keepFormer(s *step, kept *disk.File, appended io.Writer) (last byte, err error) {
	file, err := s.folder.Open(s.name)
	if err != nil {
		return 0, fail(s.Path, "TX-2", err)
	}
	defer file.Close()
	info, err := file.Info()
	if err != nil || info.ID != s.original.ID {
		return 0, fail(s.Path, "TX-16", nil)
	}
	sum, end := sha256.New(), &lastByte{}
	into := []io.Writer{kept, sum, end}
	if s.Kind == Append {
		into = append(into, appended)
	}
	err = copyWhole(io.MultiWriter(into...), file, info.Size)
	if errors.Is(err, tree.ErrChanged) {
		return 0, fail(s.Path, "TX-16", nil)
	}
	if err == nil {
		err = kept.Sync()
	}
	if err != nil {
		return 0, fail(s.Path, "TX-5", err)
	}
	s.before = digestOf(sum)
	return end.b, nil
}

// likeFormer gives a file owner and permissions of the one that it replaces, so
// that who could read that can read this.
func likeFormer(f *disk.File, former disk.Info) error {
	if err := f.Chown(former); err != nil {
		return err
	}
	return f.Chmod(former.Mode)
}

type lastByte struct{ b byte }

func (l *lastByte) Write(p []byte) (int, error) {
	if len(p) > 0 {
		l.b = p[len(p)-1]
	}
	return len(p), nil
}

// stage writes the new contents, and beside them the old ones, to a folder next
// to the Tresor: inside it would be part of it (deviations D-62, D-66).
func (r *run) stage(ctx context.Context) error {
	if err := r.makeStaging(); err != nil {
		var worded *Error
		if errors.As(err, &worded) {
			return err
		}
		return unprepared(err)
	}
	for _, s := range r.steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.stageOne(s); err != nil {
			return err
		}
	}
	if err := r.writeList(); err != nil {
		return unprepared(err)
	}
	return nil
}

// unprepared is the error of preparing something beside the Tresor.
func unprepared(err error) *Error {
	e := fail("", "TX-4", err)
	if e.Why.Key == "TX-4" {
		e.Why.Args = append(e.Why.Args, wording.Remedy(err))
	}
	return e
}

// writeList says what will be changed, and makes the folder durable.
func (r *run) writeList() error {
	if _, err := r.list.Write(r.paths()); err != nil {
		return err
	}
	if err := r.list.Sync(); err != nil {
		return err
	}
	if err := r.staging.Sync(); err != nil {
		return err
	}
	return r.beside.Sync()
}

// paths are the rest of the list: the number of its lines, and for each path that
// changes the step, what is there before and after, and the path.
func (r *run) paths() []byte {
	var lines []string
	for _, s := range r.steps {
		for _, p := range s.names() {
			before, after := s.before, s.after
			if s.Kind == Move && p == s.From {
				before, after = after, before
			}
			lines = append(lines, fmt.Sprintf("%02d %s %s %s\n", s.number, before, after, p))
		}
	}
	return fmt.Appendf(nil, "paths=%d\n%s", len(lines), strings.Join(lines, ""))
}
