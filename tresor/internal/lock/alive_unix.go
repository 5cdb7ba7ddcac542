//go:build unix && !linux

package lock

import (
	"errors"

	"golang.org/x/sys/unix"
)

// exists reports whether there may be a process with the number.
func exists(pid int) bool { return !errors.Is(unix.Kill(pid, 0), unix.ESRCH) }
