package gateway

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

func peerUID(fd int) (int, error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}

// maxSocketPath is the longest path that fits the kernel's address.
const maxSocketPath = 107

// shortPath returns a path to the socket that fits, and the directory that has
// to stay open while it is used; nil when the path itself fits.
func shortPath(path string) (string, *os.File, error) {
	if len(path) <= maxSocketPath {
		return path, nil, nil
	}
	dir, err := os.OpenFile(filepath.Dir(path), unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return "", nil, err
	}
	short := "/proc/self/fd/" + strconv.Itoa(int(dir.Fd())) + "/" + filepath.Base(path)
	if _, err := os.Stat(filepath.Dir(short)); err != nil { // without /proc
		dir.Close()
		return "", nil, fmt.Errorf("path is %d bytes long, a socket's can have %d: use a shorter human directory", len(path), maxSocketPath)
	}
	return short, dir, nil
}
