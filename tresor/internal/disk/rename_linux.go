package disk

import (
	"errors"

	"golang.org/x/sys/unix"
)

func renameNew(from int, name string, to int, toName string) error {
	err := unix.Renameat2(from, name, to, toName, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return checkedRename(from, name, to, toName)
	}
	return err
}
