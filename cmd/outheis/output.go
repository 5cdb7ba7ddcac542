package main

import (
	"errors"
	"io"
	"syscall"
)

// An output is standard output, and remembers why something did not reach it:
// an answer that could not be printed is no success. That its reader has gone is
// none of these: whoever goes has read enough. It belongs to one goroutine.
type output struct {
	to  io.Writer
	err error
}

// Write implements [io.Writer].
func (o *output) Write(b []byte) (int, error) {
	n, err := o.to.Write(b)
	if o.err == nil && !errors.Is(err, syscall.EPIPE) {
		o.err = err
	}
	return n, err
}

// stdout returns what p prints to, as it was handed in: a terminal, perhaps.
func (p *program) stdout() io.Writer {
	if o, ok := p.out.(*output); ok {
		return o.to
	}
	return p.out
}
