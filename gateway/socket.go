package gateway

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
)

// ControlSocket is the name of the control socket below the human directory.
const ControlSocket = "control.sock"

// ErrNoGateway means that no gateway listens on the control socket.
var ErrNoGateway = errors.New("no gateway is running")

// A Control is the listening control socket of a gateway.
type Control struct {
	listener *net.UnixListener
	path     string
	ours     fs.FileInfo
	dir      *os.File // held for a path that is too long; else nil
	close    func() error
}

// ListenControl makes the control socket in the human directory dir, with mode
// 0600. The caller holds the directory's lock, so that a socket which is there
// already is a leftover; it is removed. Anything else of that name is an error,
// and so is a socket that somebody answers on.
func ListenControl(dir string) (*Control, error) {
	c, err := listenControl(dir)
	if err != nil {
		return nil, fmt.Errorf("gateway: control socket: %w", err)
	}
	return c, nil
}

func listenControl(dir string) (*Control, error) {
	if err := peersAreKnown(); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, ControlSocket)
	short, held, err := shortPath(path)
	if err != nil {
		return nil, err
	}
	c := &Control{path: path, dir: held}
	if err := removeStale(path, short); err != nil {
		c.release()
		return nil, err
	}
	c.listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: short, Net: "unix"})
	if err != nil {
		c.release()
		return nil, plain(err)
	}
	c.listener.SetUnlinkOnClose(false)
	c.close = sync.OnceValue(c.shut)
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if c.ours, err = os.Lstat(path); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Close stops listening and removes the socket. It may be called more than once
// and from any goroutine.
func (c *Control) Close() error { return c.close() }

func (c *Control) shut() error {
	err := c.listener.Close()
	if there, e := os.Lstat(c.path); e == nil && c.ours != nil && os.SameFile(there, c.ours) {
		err = errors.Join(err, os.Remove(c.path))
	}
	c.release()
	return err
}

func (c *Control) release() {
	if c.dir != nil {
		c.dir.Close()
	}
}

// removeStale removes a socket that nobody listens on.
func removeStale(path, short string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%s is there and no socket", path)
	}
	if conn, err := net.Dial("unix", short); err == nil {
		conn.Close()
		return fmt.Errorf("another program listens on %s", path)
	}
	return os.Remove(path)
}

// dialControl connects to the control socket in dir.
func dialControl(dir string) (*net.UnixConn, error) {
	path := filepath.Join(dir, ControlSocket)
	short, held, err := shortPath(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, ErrNoGateway
		}
		return nil, err
	}
	if held != nil {
		defer held.Close()
	}
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: short, Net: "unix"})
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || isRefused(err) {
			return nil, ErrNoGateway
		}
		return nil, plain(err)
	}
	return conn, nil
}

// plain drops the path from err, which may be a stand-in for the real one.
func plain(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err
	}
	return err
}
