//go:build unix

package config

import (
	"io/fs"
	"os"
	"syscall"
)

const (
	// hasModes says that permission bits mean something here.
	hasModes = true
	// openNonblock keeps an open of a FIFO from waiting for its other end.
	openNonblock = syscall.O_NONBLOCK
)

// isForeign reports whether a file belongs to somebody who is neither us nor
// root.
func isForeign(fi fs.FileInfo) bool {
	st, ok := fi.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) != os.Geteuid() && st.Uid != 0
}

// isOpen reports whether a file can be read or changed by others than us and
// root. Root's group counts as root: a service's credentials from systemd are
// root's with mode 0440, the service being let in by an access list.
func isOpen(fi fs.FileInfo) bool {
	perm := fi.Mode().Perm()
	if st, ok := fi.Sys().(*syscall.Stat_t); ok && st.Uid == 0 && st.Gid == 0 {
		perm &^= 0o040
	}
	return perm&0o077 != 0
}
