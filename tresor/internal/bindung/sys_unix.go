//go:build unix

package bindung

import (
	"io/fs"
	"syscall"
)

// openFlags keep an open from waiting for the other end of a pipe, and from
// following a link.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOFOLLOW

func device(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Dev)
	}
	return 0
}

func links(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}
