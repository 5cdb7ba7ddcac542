package store

import "golang.org/x/sys/unix"

const (
	renameNoReplace = unix.RENAME_EXCL
	renameExchange  = unix.RENAME_SWAP
)

func renameat(dir int, old, name string, flag uint) error {
	return unix.RenameatxNp(dir, old, dir, name, uint32(flag))
}

// checkFS refuses a file system that is not local.
func (h *Human) checkFS(allowNetwork bool) error {
	d, err := h.root.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	var st unix.Statfs_t
	if err := control(d, func(fd int) error { return unix.Fstatfs(fd, &st) }); err != nil {
		return err
	}
	if st.Flags&unix.MNT_LOCAL != 0 {
		return nil
	}
	kind := unix.ByteSliceToString(st.Fstypename[:])
	if !allowNetwork {
		return &NetworkFSError{Path: h.dir, Kind: kind}
	}
	h.warn("store.warn_network_fs", ".", kind)
	return nil
}
