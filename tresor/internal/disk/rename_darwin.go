package disk

import (
	"errors"

	"golang.org/x/sys/unix"
)

func renameNew(from int, name string, to int, toName string) error {
	err := unix.RenameatxNp(from, name, to, toName, unix.RENAME_EXCL)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return checkedRename(from, name, to, toName)
	}
	return err
}
