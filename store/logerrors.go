package store

import (
	"errors"
	"fmt"
	"strconv"
)

var (
	// ErrDegraded means that the disk did not take the record (full, over
	// quota, read-only, broken) and that nothing was written. The caller waits
	// and tries again; the wrapped cause says why.
	ErrDegraded = errors.New("the log cannot be written at present")
	// ErrFailed means that an fsync failed. Whether the last records are on
	// disk is unknown, a second fsync would say yes to anything, and only a new
	// process can find out: this one must exit with status 74.
	ErrFailed = errors.New("an fsync of the log failed")
	// ErrTooLong means that a record's line is longer than 256 KiB. Long text
	// belongs into a blob.
	ErrTooLong = errors.New("record is longer than " + strconv.Itoa(maxLine>>10) + " KiB")
	// ErrClosed means that the log was closed.
	ErrClosed = errors.New("log is closed")
)

// A TooDamagedError says why a log was opened for reading only: so much of it
// is damaged that its owner should look first. Appends are refused with it and
// ErrReadOnly.
type TooDamagedError struct {
	Places int
	Bytes  int64
}

func (e *TooDamagedError) Error() string {
	return fmt.Sprintf("%d places with %d bytes of the log are damaged; run outheis doctor", e.Places, e.Bytes)
}

// A LineError is a line of a log that cannot be read.
type LineError struct {
	Segment string // the file, below the human directory
	Offset  int64
	Length  int64 // bytes
	Kind    string
}

func (e *LineError) Error() string {
	return fmt.Sprintf("%s: %s line at byte %d (%d bytes)", e.Segment, e.Kind, e.Offset, e.Length)
}
