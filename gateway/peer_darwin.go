package gateway

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

func peerUID(fd int) (int, error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}

// maxSocketPath is the longest path that fits the kernel's address.
const maxSocketPath = 103

// shortPath returns path when it fits, and says so when it does not.
func shortPath(path string) (string, *os.File, error) {
	if len(path) > maxSocketPath {
		return "", nil, fmt.Errorf("path is %d bytes long, a socket's can have %d: use a shorter human directory", len(path), maxSocketPath)
	}
	return path, nil, nil
}
