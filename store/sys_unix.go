//go:build linux || darwin

package store

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// hasModes says that permission bits mean something here.
	hasModes = true
	// openNonblock keeps an open of a FIFO from waiting for its other end.
	openNonblock = unix.O_NONBLOCK
)

var errWouldBlock error = unix.EWOULDBLOCK

// tryFlock takes an exclusive flock on f or returns errWouldBlock.
func tryFlock(f *os.File) error {
	return control(f, func(fd int) error { return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) })
}

// unlock gives the flock of f back at once. Closing f does so only when no
// process that is being started still has a copy of the descriptor.
func unlock(f *os.File) error {
	return control(f, func(fd int) error { return unix.Flock(fd, unix.LOCK_UN) })
}

// control calls do with f's descriptor.
func control(f *os.File, do func(fd int) error) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := c.Control(func(fd uintptr) {
		for {
			if inner = do(int(fd)); inner != unix.EINTR {
				return
			}
		}
	}); err != nil {
		return err
	}
	return inner
}

// renameSpecial renames old to name, both in the same directory of h, in the
// way that flag says. Where the system or the file system cannot do that, the
// error is errors.ErrUnsupported.
func (h *Human) renameSpecial(old, name string, flag uint) error {
	dir, err := h.root.Open(path.Dir(name))
	if err != nil {
		return err
	}
	defer dir.Close()
	err = control(dir, func(fd int) error {
		return renameat(fd, path.Base(old), path.Base(name), flag)
	})
	if errors.Is(err, unix.EINVAL) {
		err = errors.ErrUnsupported
	}
	if err != nil {
		return &os.LinkError{Op: "renameat", Old: h.path(old), New: h.path(name), Err: err}
	}
	return nil
}

func syncDirFile(d *os.File) error { return d.Sync() }

// isReadOnly reports whether err says that nothing can be written here at all.
func isReadOnly(err error) bool {
	return errors.Is(err, unix.EROFS) || errors.Is(err, fs.ErrPermission)
}

// isUnsupported reports whether err says that the file system cannot do this.
func isUnsupported(err error) bool {
	return errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EOPNOTSUPP) ||
		errors.Is(err, unix.EBADF) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS)
}

func checkOwner(path string, fi fs.FileInfo) error {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return &UnsafeError{Path: path, Reason: ForeignOwner}
	}
	return nil
}

func links(fi fs.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}

// keepGroup gives f the group of like where the system allows it; a group that
// we may not give changes nothing about who can read a 0600 file.
func keepGroup(f *os.File, like fs.FileInfo) {
	if st, ok := like.Sys().(*syscall.Stat_t); ok && int(st.Gid) != os.Getegid() {
		_ = f.Chown(-1, int(st.Gid))
	}
}

func processExists(pid int) bool {
	if pid <= 0 {
		return false
	}
	err := unix.Kill(pid, 0)
	return err == nil || errors.Is(err, unix.EPERM)
}
