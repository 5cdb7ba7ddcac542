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
