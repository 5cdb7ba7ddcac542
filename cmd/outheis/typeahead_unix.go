//go:build linux || darwin

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// settle is how long a terminal is quiet when nothing of a paste is left, in
// milliseconds; no person types a second line that fast.
const settle = 30

// dropTyped throws away what was typed into a terminal before it was asked for,
// as the other lines of a paste, and reports whether there was any.
func dropTyped(terminal *os.File) func() bool {
	fd := int(terminal.Fd())
	return func() (dropped bool) {
		for {
			poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			n, err := unix.Poll(poll, settle)
			if err == unix.EINTR {
				continue
			}
			waiting := err == nil && n > 0 && poll[0].Revents == unix.POLLIN // and nobody has hung up
			if flushInput(fd) != nil || !waiting {
				return dropped
			}
			dropped = true
		}
	}
}
