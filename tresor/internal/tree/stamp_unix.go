//go:build unix

package tree

import (
	"encoding/binary"
	"io/fs"
	"syscall"
)

// appendIdentity appends what tells a file from another one of the same name.
func appendIdentity(b []byte, info fs.FileInfo) []byte {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		b = binary.AppendUvarint(b, uint64(st.Dev))
		b = binary.AppendUvarint(b, uint64(st.Ino))
	}
	return b
}
