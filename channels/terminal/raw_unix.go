//go:build linux || darwin

package terminal

import (
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// makeRaw lets every key through as it is pressed. Unlike [term.MakeRaw] it
// leaves line ends to the terminal, so that what others print meanwhile, such
// as a log, does not run down the screen like a staircase.
func makeRaw(fd int) (*term.State, error) {
	before, err := term.MakeRaw(fd)
	if err != nil {
		return nil, err
	}
	if t, err := unix.IoctlGetTermios(fd, getTermios); err == nil {
		t.Oflag |= unix.OPOST
		// Without it the screen is uglier, no more.
		_ = unix.IoctlSetTermios(fd, setTermios, t)
	}
	return before, nil
}
