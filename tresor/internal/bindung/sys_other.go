//go:build !unix

package bindung

import "io/fs"

const openFlags = 0

// device and links cannot be told from the information at hand.
func device(fs.FileInfo) uint64 { return 0 }
func links(fs.FileInfo) uint64  { return 1 }
