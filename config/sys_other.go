//go:build !unix

package config

import "io/fs"

const (
	hasModes     = false
	openNonblock = 0
)

func isForeign(fs.FileInfo) bool { return false }

func isOpen(fs.FileInfo) bool { return false }
