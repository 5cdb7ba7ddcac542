//go:build unix

package terminal

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// An interruptible reads from a file until it is told to stop, which a plain
// Read from a terminal or a pipe never notices. Read and Close are called by
// one goroutine, Interrupt by any before Close.
type interruptible struct {
	f            *os.File
	fd           int
	wakeR, wakeW *os.File
}

// newInterruptible returns nil when f cannot be waited for.
func newInterruptible(f *os.File) *interruptible {
	fd := int(f.Fd())
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	if fd >= unix.FD_SETSIZE || int(r.Fd()) >= unix.FD_SETSIZE {
		r.Close()
		w.Close()
		return nil
	}
	return &interruptible{f: f, fd: fd, wakeR: r, wakeW: w}
}

// Read implements [io.Reader]; it returns io.EOF once interrupted.
func (i *interruptible) Read(p []byte) (int, error) {
	wake := int(i.wakeR.Fd())
	for {
		var set unix.FdSet
		set.Set(i.fd)
		set.Set(wake)
		// Not poll: on macOS it does not know terminals.
		_, err := unix.Select(max(i.fd, wake)+1, &set, nil, nil, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return 0, fmt.Errorf("wait for input: %w", err)
		case set.IsSet(wake):
			return 0, io.EOF
		case set.IsSet(i.fd):
			return i.f.Read(p)
		}
	}
}

// Interrupt ends the present and every later Read.
func (i *interruptible) Interrupt() {
	// One byte that nobody takes out; a full pipe has been written to before.
	_, _ = i.wakeW.Write([]byte{0})
}

// Close gives the descriptors back; the file stays open.
func (i *interruptible) Close() {
	i.wakeR.Close()
	i.wakeW.Close()
}
