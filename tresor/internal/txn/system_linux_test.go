package txn_test

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"outheis/tresor/internal/txn"
)

// D-62: a Tresor that is itself a mounted file system is refused before anything
// is written, since nothing could be renamed into it.
func TestAMountedTresor(t *testing.T) {
	const mount = "/dev/shm"
	var in, above syscall.Stat_t
	if errors.Join(syscall.Stat(mount, &in), syscall.Stat("/dev", &above)) != nil || in.Dev == above.Dev {
		t.Skip(mount + " is not mounted here")
	}
	err := run(mount, txn.Transaction{Targets: []txn.Target{{Path: "outheis-test", Content: []byte("x")}}})
	var refused *txn.Error
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "another file system") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Lstat(mount + "/outheis-test"); err == nil {
		t.Error("it was written")
	}
}

// What root replaces still belongs to whom it belonged, also after a rollback.
func TestTheOwnerStays(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	for _, stop := range []error{nil, errors.New("stop")} {
		dir := vault(t)
		path := dir + "/a.md"
		must(t, os.Chown(path, 1234, 4321))
		err := run(dir, txn.Transaction{Targets: targets(), After: func() error { return stop }})
		if !errors.Is(err, stop) {
			t.Fatal(err)
		}
		var st syscall.Stat_t
		if err := syscall.Stat(path, &st); err != nil || st.Uid != 1234 || st.Gid != 4321 || st.Mode&0o777 != 0o640 {
			t.Errorf("stopped by %v: owner %d:%d, mode %o, %v", stop, st.Uid, st.Gid, st.Mode, err)
		}
	}
}
