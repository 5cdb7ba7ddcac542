//go:build unix

package txn

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Replace writes the targets in the Tresor at the resolved path root. After any
// error but a [*RollbackError] the former state holds: an [*Error], or that of a
// check. A check that panics has failed.
func Replace(root string, targets []Target, checks Checks) error {
	if len(targets) == 0 {
		return nil
	}
	t := &transaction{root: root, folders: make(map[string]*folder)}
	defer t.close()
	if err := t.prepare(targets); err != nil {
		return err
	}
	if err := t.stage(); err != nil {
		t.clean()
		return err
	}
	if checks.Before != nil {
		if err := run(checks.Before); err != nil {
			t.clean()
			return err
		}
	}
	err := t.commit(checks)
	if err == nil {
		t.clean()
		return nil
	}
	if failed := t.rollback(); failed != nil {
		return &RollbackError{Cause: err, Failed: failed, Backup: t.staging}
	}
	t.clean()
	return err
}

type transaction struct {
	root    string
	folders map[string]*folder // by path in the Tresor
	targets []*target
	staging string // folder beside the Tresor
	stageFD int
}

// A folder is an open folder of the Tresor.
type folder struct {
	path string
	fd   int
	id   identity
}

type target struct {
	Target
	folder   *folder
	name     string
	original []byte
	before   *unix.Stat_t // nil if there was no file
	placed   identity     // of the staged file
	renamed  bool
}

type identity struct{ dev, ino uint64 }

func identityOf(st *unix.Stat_t) identity { return identity{uint64(st.Dev), uint64(st.Ino)} }

func (t *transaction) close() {
	for _, f := range t.folders {
		unix.Close(f.fd)
	}
	if t.stageFD > 0 {
		unix.Close(t.stageFD)
	}
}

// prepare opens the folders and remembers what is there.
func (t *transaction) prepare(targets []Target) error {
	for _, in := range targets {
		tg := &target{Target: in, name: path.Base(in.Path)}
		dir := path.Dir(in.Path)
		if t.folders[dir] == nil {
			fd, err := openFolder(t.root, dir)
			if err != nil {
				return fail(dir, "TX-1", err)
			}
			var st unix.Stat_t
			if err := unix.Fstat(fd, &st); err != nil {
				unix.Close(fd)
				return fail(dir, "TX-1", err)
			}
			t.folders[dir] = &folder{dir, fd, identityOf(&st)}
		}
		tg.folder = t.folders[dir]
		if err := tg.remember(); err != nil {
			return err
		}
		t.targets = append(t.targets, tg)
	}
	return nil
}

// openFolder opens a folder below root, component by component and through no
// link.
func openFolder(root, dir string) (int, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Open(root, flags, 0)
	if err != nil {
		return -1, err
	}
	if dir == "." {
		return fd, nil
	}
	for part := range strings.SplitSeq(dir, "/") {
		next, err := unix.Openat(fd, part, flags, 0)
		unix.Close(fd)
		if err != nil {
			return -1, err
		}
		fd = next
	}
	return fd, nil
}

func (tg *target) remember() error {
	st, err := tg.stat()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fail(tg.Path, "TX-2", err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || st.Nlink != 1 {
		return fail(tg.Path, "TX-3", nil)
	}
	if tg.original, err = tg.read(); err != nil {
		return fail(tg.Path, "TX-2", err)
	}
	tg.before = st
	return nil
}

func (tg *target) stat() (*unix.Stat_t, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(tg.folder.fd, tg.name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return nil, err
	}
	return &st, nil
}

func (tg *target) read() ([]byte, error) {
	fd, err := unix.Openat(tg.folder.fd, tg.name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), tg.Path)
	defer f.Close()
	var b bytes.Buffer
	_, err = b.ReadFrom(f)
	return b.Bytes(), err
}

// stage writes the new contents, and beside them the old ones, to a folder next
// to the Tresor: inside it would be part of it.
func (t *transaction) stage() error {
	dir, err := os.MkdirTemp(filepath.Dir(t.root), "."+filepath.Base(t.root)+"-release-*")
	if err != nil {
		return fail("", "TX-4", err)
	}
	t.staging = dir
	if t.stageFD, err = unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0); err != nil {
		return fail("", "TX-4", err)
	}
	var list strings.Builder
	for i, tg := range t.targets {
		st, err := t.write(fmt.Sprintf("%02d.stage", i), tg.Content, tg.Mode, tg.before)
		if err != nil {
			return fail(tg.Path, "TX-5", err)
		}
		tg.placed = identityOf(st)
		former := fmt.Sprintf("%02d.orig", i)
		if tg.before == nil {
			former = fmt.Sprintf("%02d.absent", i)
		}
		if _, err := t.write(former, tg.original, 0o600, nil); err != nil {
			return fail(tg.Path, "TX-5", err)
		}
		list.WriteString(former + " " + tg.Path + "\n")
	}
	if _, err := t.write("TARGETS", []byte(list.String()), 0o600, nil); err != nil {
		return fail("", "TX-4", err)
	}
	if err := unix.Fsync(t.stageFD); err != nil {
		return fail("", "TX-4", err)
	}
	return nil
}

// write creates a file in the staging folder, with the permissions of a former
// file if there is one.
func (t *transaction) write(name string, content []byte, mode fs.FileMode, former *unix.Stat_t) (*unix.Stat_t, error) {
	fd, err := unix.Openat(t.stageFD, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, uint32(mode.Perm()))
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	if former != nil {
		if err := f.Chmod(fs.FileMode(former.Mode).Perm()); err != nil {
			return nil, err
		}
	}
	if _, err := f.Write(content); err != nil {
		return nil, err
	}
	if err := f.Sync(); err != nil {
		return nil, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	return &st, f.Close()
}

func (t *transaction) commit(checks Checks) error {
	for i, tg := range t.targets {
		if err := t.checkFolder(tg.folder); err != nil {
			return err
		}
		if err := t.rename(fmt.Sprintf("%02d.stage", i), tg); err != nil {
			return fail(tg.Path, "TX-6", err)
		}
		tg.renamed = true
	}
	if err := t.verify(); err != nil {
		return err
	}
	if checks.After == nil {
		return nil
	}
	if err := run(checks.After); err != nil {
		return err
	}
	return t.verify()
}

// run makes a panic of a check an error: what is written by then must not stay
// (deviation D-02).
func run(check func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return check()
}

func (t *transaction) rename(staged string, tg *target) error {
	if err := unix.Renameat(t.stageFD, staged, tg.folder.fd, tg.name); err != nil {
		return err
	}
	return unix.Fsync(tg.folder.fd)
}

// checkFolder makes sure that the open folder is still the one at its path.
func (t *transaction) checkFolder(f *folder) error {
	fd, err := openFolder(t.root, f.path)
	if err != nil {
		return fail(f.path, "TX-7", err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fail(f.path, "TX-7", err)
	}
	if identityOf(&st) != f.id {
		return fail(f.path, "TX-8", nil)
	}
	return nil
}

func (t *transaction) verify() error {
	for _, tg := range t.targets {
		if err := t.checkFolder(tg.folder); err != nil {
			return err
		}
		b, err := tg.read()
		if err != nil {
			return fail(tg.Path, "TX-2", err)
		}
		if !bytes.Equal(b, tg.Content) {
			return fail(tg.Path, "TX-9", nil)
		}
	}
	return nil
}

// rollback brings back what was there before, in reverse order, and returns
// what it could not. A name that somebody else has taken since is left alone.
func (t *transaction) rollback() (failed []error) {
	for i := len(t.targets) - 1; i >= 0; i-- {
		if err := t.restore(i); err != nil {
			failed = append(failed, err)
		}
	}
	for _, tg := range t.targets {
		if err := t.checkFolder(tg.folder); err != nil {
			failed = append(failed, err)
		}
	}
	return failed
}

func (t *transaction) restore(i int) error {
	tg := t.targets[i]
	st, err := tg.stat()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if !tg.renamed || tg.before == nil {
			return nil
		}
		return fail(tg.Path, "TX-10", nil)
	case err != nil:
		return fail(tg.Path, "TX-2", err)
	case identityOf(st) != tg.placed:
		if !tg.renamed {
			return nil
		}
		return fail(tg.Path, "TX-10", nil)
	}
	if tg.before == nil {
		if err := unix.Unlinkat(tg.folder.fd, tg.name, 0); err != nil {
			return fail(tg.Path, "TX-6", err)
		}
		return syncFolder(tg)
	}
	name := fmt.Sprintf("rollback-%02d.stage", i)
	if _, err := t.write(name, tg.original, 0o600, tg.before); err != nil {
		return fail(tg.Path, "TX-5", err)
	}
	if err := t.rename(name, tg); err != nil {
		return fail(tg.Path, "TX-6", err)
	}
	return nil
}

func syncFolder(tg *target) error {
	if err := unix.Fsync(tg.folder.fd); err != nil {
		return fail(tg.Path, "TX-6", err)
	}
	return nil
}

// clean removes the staging folder, which only this transaction wrote to. That it
// stays behind harms nothing.
func (t *transaction) clean() {
	if t.staging != "" {
		_ = os.RemoveAll(t.staging)
	}
}
