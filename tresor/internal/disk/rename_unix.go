//go:build unix && !linux && !darwin

package disk

func renameNew(from int, name string, to int, toName string) error {
	return checkedRename(from, name, to, toName)
}
