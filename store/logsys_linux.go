package store

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// syncData makes the content and the length of f durable.
func syncData(f *os.File) error { return control(f, unix.Fdatasync) }

// renameBetween renames without replacing.
func renameBetween(from *os.File, oldName string, to *os.File, newName string) error {
	err := control(from, func(dir int) error {
		return control(to, func(other int) error {
			return unix.Renameat2(dir, oldName, other, newName, unix.RENAME_NOREPLACE)
		})
	})
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return errors.ErrUnsupported
	}
	return wrapLink(oldName, newName, err)
}

// uptime returns how long the machine is up, with the time that it slept; 0
// when it cannot say.
func uptime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}
