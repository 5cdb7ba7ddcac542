//go:build !linux && !darwin

package tree

import (
	"io/fs"
	"time"
)

func lastChange(info fs.FileInfo) time.Time { return info.ModTime() }
