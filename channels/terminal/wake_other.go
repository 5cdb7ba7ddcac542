//go:build !unix

package terminal

import "os"

// An interruptible is not there on this platform: a Read that waits for input
// ends with the input.
type interruptible struct{ *os.File }

func newInterruptible(*os.File) *interruptible { return nil }

func (i *interruptible) Interrupt() {}

func (i *interruptible) Close() {}
