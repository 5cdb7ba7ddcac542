//go:build !linux && !darwin

package store

import (
	"errors"
	"io/fs"
	"os"
)

const (
	hasModes        = false
	openNonblock    = 0
	renameNoReplace = 1
	renameExchange  = 2
)

var (
	errWouldBlock = errors.New("would block")

	// errPlatform is why a human directory cannot be opened for writing here.
	errPlatform = errors.New("writing the human directory is not supported on this system; use Linux, macOS or WSL")
)

func tryFlock(*os.File) error { return errPlatform }

func unlock(*os.File) error { return nil }

func (h *Human) renameSpecial(string, string, uint) error { return errors.ErrUnsupported }

func syncDirFile(*os.File) error { return nil }

func isReadOnly(err error) bool {
	return errors.Is(err, errPlatform) || errors.Is(err, fs.ErrPermission)
}

func isUnsupported(error) bool { return false }

func checkOwner(string, fs.FileInfo) error { return nil }

func links(fs.FileInfo) uint64 { return 1 }

func keepGroup(*os.File, fs.FileInfo) {}

func processExists(int) bool { return false }

func (h *Human) checkFS(bool) error { return nil }
