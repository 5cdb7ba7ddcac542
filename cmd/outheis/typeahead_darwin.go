package main

import "golang.org/x/sys/unix"

// flushInput throws away what a terminal holds and nobody has read.
func flushInput(fd int) error {
	const read = 1 // FREAD
	return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, read)
}
