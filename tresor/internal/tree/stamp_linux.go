package tree

import (
	"io/fs"
	"syscall"
	"time"
)

// lastChange returns when a file or what is known of it last changed, which
// nobody can set.
func lastChange(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(st.Ctim.Unix())
	}
	return info.ModTime()
}
