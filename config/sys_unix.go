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
