package store

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// syncData makes the content and the length of f durable; on macOS
// [os.File.Sync] asks the drive itself to write (F_FULLFSYNC).
func syncData(f *os.File) error { return f.Sync() }

// renameBetween renames without replacing.
func renameBetween(from *os.File, oldName string, to *os.File, newName string) error {
	err := control(from, func(dir int) error {
		return control(to, func(other int) error {
			return unix.RenameatxNp(dir, oldName, other, newName, unix.RENAME_EXCL)
		})
	})
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return errors.ErrUnsupported
	}
	return wrapLink(oldName, newName, err)
}

// uptime returns how long the machine is up, with the time that it slept; 0
// when it cannot say.
func uptime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}
