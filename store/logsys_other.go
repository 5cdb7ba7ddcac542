//go:build !linux && !darwin

package store

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

func syncData(f *os.File) error { return f.Sync() }

func renameBetween(*os.File, string, *os.File, string) error { return errors.ErrUnsupported }

func uptime() time.Duration { return 0 }

func diskSpace(*os.File) (free, all uint64, err error) { return 0, 0, errors.ErrUnsupported }

func inode(fs.FileInfo) uint64 { return 0 }

func isFull(error) bool { return false }
