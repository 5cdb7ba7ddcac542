package store

import "golang.org/x/sys/unix"

const (
	renameNoReplace = unix.RENAME_NOREPLACE
	renameExchange  = unix.RENAME_EXCHANGE
)

func renameat(dir int, old, name string, flag uint) error {
	return unix.Renameat2(dir, old, dir, name, flag)
}

// checkFS refuses a network file system and warns of one whose content goes
// away with its container.
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
	kind, network := fsKind(int64(st.Type))
	switch {
	case network && !allowNetwork:
		return &NetworkFSError{Path: h.dir, Kind: kind}
	case network:
		h.warn("store.warn_network_fs", ".", kind)
	case kind == "overlay":
		h.warn("store.warn_overlay_fs", ".")
	}
	return nil
}

// fsKind names the file systems that we treat specially, by the magic number
// of statfs(2), and says whether one may be shared between machines. FUSE is
// taken for a network, because most of what is mounted by it is one.
func fsKind(magic int64) (kind string, network bool) {
	switch uint32(magic) {
	case unix.NFS_SUPER_MAGIC:
		return "nfs", true
	case unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC:
		return "smb", true
	case unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC:
		return "afs", true
	case unix.CODA_SUPER_MAGIC:
		return "coda", true
	case unix.NCP_SUPER_MAGIC:
		return "ncp", true
	case unix.V9FS_MAGIC:
		return "9p", true
	case unix.CEPH_SUPER_MAGIC:
		return "ceph", true
	case unix.OCFS2_SUPER_MAGIC:
		return "ocfs2", true
	case 0x01161970:
		return "gfs2", true
	case 0x0BD00BD0:
		return "lustre", true
	case 0x47504653:
		return "gpfs", true
	case unix.FUSE_SUPER_MAGIC:
		return "fuse", true
	case unix.OVERLAYFS_SUPER_MAGIC:
		return "overlay", false
	}
	return "", false
}
