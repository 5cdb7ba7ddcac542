//go:build linux || darwin

package gateway

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
)

// peersAreKnown reports that this system says who is at the other end.
func peersAreKnown() error { return nil }

func isRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

// checkPeer refuses everybody but our own user, and root, who can do anything
// anyway.
func checkPeer(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var uid int
	var uidErr error
	if err := raw.Control(func(fd uintptr) { uid, uidErr = peerUID(int(fd)) }); err != nil {
		return err
	}
	if uidErr != nil {
		return fmt.Errorf("credentials of the peer: %w", uidErr)
	}
	if uid != os.Getuid() && uid != 0 {
		return fmt.Errorf("user %d is not the owner", uid)
	}
	return nil
}
