//go:build unix

package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

const openFolder = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC

// A Folder is a folder that is held open. Close it.
type Folder struct {
	fd   int
	path string
	hook Hook
}

// Open opens the folder at an absolute path; its last component may be no link.
func Open(path string, hook Hook) (*Folder, error) {
	if err := hook.see("open", path); err != nil {
		return nil, err
	}
	fd, err := again(func() (int, error) { return unix.Open(path, openFolder, 0) })
	if err != nil {
		return nil, wrap("open", path, err)
	}
	return &Folder{fd, path, hook}, nil
}

// Path returns the path that the folder was opened at.
func (f *Folder) Path() string { return f.path }

// Close releases the folder.
func (f *Folder) Close() error { return unix.Close(f.fd) }

// Folder opens a folder in f.
func (f *Folder) Folder(name string) (*Folder, error) {
	path := filepath.Join(f.path, name)
	if err := f.hook.see("open", path); err != nil {
		return nil, err
	}
	fd, err := again(func() (int, error) { return unix.Openat(f.fd, name, openFolder, 0) })
	if err != nil {
		return nil, wrap("open", path, err)
	}
	return &Folder{fd, path, f.hook}, nil
}

// Self returns what the folder itself is.
func (f *Folder) Self() (Info, error) {
	if err := f.hook.see("stat", f.path); err != nil {
		return Info{}, err
	}
	var st unix.Stat_t
	err := retry(func() error { return unix.Fstat(f.fd, &st) })
	return infoOf(&st), wrap("stat", f.path, err)
}

// Info returns what is at a name, which is not followed if it is a link.
func (f *Folder) Info(name string) (Info, error) {
	path := filepath.Join(f.path, name)
	if err := f.hook.see("stat", path); err != nil {
		return Info{}, err
	}
	var st unix.Stat_t
	err := retry(func() error { return unix.Fstatat(f.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	return infoOf(&st), wrap("stat", path, err)
}

// Names returns the names in the folder, sorted.
func (f *Folder) Names() ([]string, error) {
	if err := f.hook.see("list", f.path); err != nil {
		return nil, err
	}
	fd, err := again(func() (int, error) { return unix.Openat(f.fd, ".", openFolder, 0) })
	if err != nil {
		return nil, wrap("list", f.path, err)
	}
	dir := os.NewFile(uintptr(fd), f.path)
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

// Sync makes the names in the folder durable.
func (f *Folder) Sync() error {
	if err := f.hook.see("syncdir", f.path); err != nil {
		return err
	}
	return wrap("sync", f.path, retry(func() error { return unix.Fsync(f.fd) }))
}

// Mkdir makes a folder; the umask applies.
func (f *Folder) Mkdir(name string, mode fs.FileMode) error {
	path := filepath.Join(f.path, name)
	if err := f.hook.see("mkdir", path); err != nil {
		return err
	}
	return wrap("mkdir", path, retry(func() error { return unix.Mkdirat(f.fd, name, uint32(mode.Perm())) }))
}

// Rename gives a file another name, in place of what may be there.
func (f *Folder) Rename(name string, to *Folder, toName string) error {
	return f.rename(name, to, toName, unix.Renameat)
}

// Move gives a file a name that must be free, else [fs.ErrExist].
func (f *Folder) Move(name string, to *Folder, toName string) error {
	return f.rename(name, to, toName, renameNew)
}

func (f *Folder) rename(name string, to *Folder, toName string, call func(int, string, int, string) error) error {
	from, target := filepath.Join(f.path, name), filepath.Join(to.path, toName)
	if err := f.hook.seeBoth("rename", from, target); err != nil {
		return err
	}
	if err := retry(func() error { return call(f.fd, name, to.fd, toName) }); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: target, Err: err}
	}
	return nil
}

// checkedRename is renameNew where the system cannot do it in one step.
func checkedRename(from int, name string, to int, toName string) error {
	var st unix.Stat_t
	err := unix.Fstatat(to, toName, &st, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case err == nil:
		return unix.EEXIST
	case !errors.Is(err, unix.ENOENT):
		return err
	}
	return unix.Renameat(from, name, to, toName)
}

// Remove removes a name that is no folder.
func (f *Folder) Remove(name string) error { return f.unlink("remove", name, 0) }

// Rmdir removes an empty folder.
func (f *Folder) Rmdir(name string) error { return f.unlink("rmdir", name, unix.AT_REMOVEDIR) }

func (f *Folder) unlink(op, name string, flags int) error {
	path := filepath.Join(f.path, name)
	if err := f.hook.see(op, path); err != nil {
		return err
	}
	return wrap(op, path, retry(func() error { return unix.Unlinkat(f.fd, name, flags) }))
}

// A File is an open file.
type File struct {
	file *os.File
	hook Hook
}

var (
	_ io.Reader = (*File)(nil)
	_ io.Writer = (*File)(nil)
)

// Create makes a file to write, which must not be there; the umask applies.
func (f *Folder) Create(name string, mode fs.FileMode) (*File, error) {
	return f.file("create", name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL, mode)
}

// Open opens a regular file to read. Anything else fails, with [ErrNoFile] if it
// can be opened, and is not waited for.
func (f *Folder) Open(name string) (*File, error) {
	return f.file("open", name, unix.O_RDONLY|unix.O_NONBLOCK, 0)
}

// OpenWrite opens a regular file, like [Folder.Open], to read and to write at its
// end.
func (f *Folder) OpenWrite(name string) (*File, error) {
	return f.file("open", name, unix.O_RDWR|unix.O_APPEND|unix.O_NONBLOCK, 0)
}

func (f *Folder) file(op, name string, flags int, mode fs.FileMode) (*File, error) {
	path := filepath.Join(f.path, name)
	if err := f.hook.see(op, path); err != nil {
		return nil, err
	}
	fd, err := again(func() (int, error) {
		return unix.Openat(f.fd, name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, uint32(mode.Perm()))
	})
	if err != nil {
		return nil, wrap(op, path, err)
	}
	var st unix.Stat_t
	if err := retry(func() error { return unix.Fstat(fd, &st) }); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		if err == nil {
			err = ErrNoFile
		}
		_ = unix.Close(fd) // the first error says more
		return nil, wrap(op, path, err)
	}
	return &File{os.NewFile(uintptr(fd), path), f.hook}, nil
}

// Read reads on.
func (f *File) Read(b []byte) (int, error) {
	if err := f.hook.see("read", f.file.Name()); err != nil {
		return 0, err
	}
	return f.file.Read(b)
}

// Write writes on.
func (f *File) Write(b []byte) (int, error) {
	if err := f.hook.see("write", f.file.Name()); err != nil {
		return 0, err
	}
	return f.file.Write(b)
}

// Chmod sets the permissions.
func (f *File) Chmod(mode fs.FileMode) error {
	if err := f.hook.see("chmod", f.file.Name()); err != nil {
		return err
	}
	return f.file.Chmod(mode.Perm())
}

// Chown gives the file the owner and group of another one, as far as this user
// may: only root can give files away.
func (f *File) Chown(like Info) error {
	now, err := f.Info()
	if err != nil || now.Owner == like.Owner && now.Group == like.Group {
		return err
	}
	if err := f.hook.see("chown", f.file.Name()); err != nil {
		return err
	}
	err = f.file.Chown(int(like.Owner), int(like.Group))
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// Sync makes the content durable.
func (f *File) Sync() error {
	if err := f.hook.see("sync", f.file.Name()); err != nil {
		return err
	}
	return f.file.Sync()
}

// Info returns what the file is.
func (f *File) Info() (Info, error) {
	if err := f.hook.see("stat", f.file.Name()); err != nil {
		return Info{}, err
	}
	var st unix.Stat_t
	err := retry(func() error { return unix.Fstat(int(f.file.Fd()), &st) })
	return infoOf(&st), wrap("stat", f.file.Name(), err)
}

// Lock takes the file's advisory lock, which ends with the process; ok is false
// if another one holds it.
func (f *File) Lock() (ok bool, err error) {
	if err := f.hook.see("lock", f.file.Name()); err != nil {
		return false, err
	}
	err = retry(func() error { return unix.Flock(int(f.file.Fd()), unix.LOCK_EX|unix.LOCK_NB) })
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, wrap("lock", f.file.Name(), err)
}

// Close releases the file, and its advisory lock.
func (f *File) Close() error { return f.file.Close() }

func infoOf(st *unix.Stat_t) Info {
	mode := fs.FileMode(st.Mode & 0o777)
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	default:
		mode |= fs.ModeIrregular
	}
	return Info{ID{uint64(st.Dev), uint64(st.Ino)}, mode, st.Uid, st.Gid, uint64(st.Nlink), st.Size, time.Unix(st.Mtim.Unix())}
}

// retry calls again what a signal interrupted.
func retry(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func again(call func() (int, error)) (n int, err error) {
	err = retry(func() error { n, err = call(); return err })
	return n, err
}

func wrap(op, path string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}
