package mattermost

import (
	"net"
	"sync/atomic"
	"time"
)

// A listener wraps the connections, so that they can be slowed down.
type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &slowConn{Conn: c}, nil
}

// A slowConn writes byte by byte while delay is set.
type slowConn struct {
	net.Conn
	delay atomic.Int64
}

func (c *slowConn) Write(b []byte) (int, error) {
	delay := time.Duration(c.delay.Load())
	if delay == 0 {
		return c.Conn.Write(b)
	}
	for n := range b {
		if _, err := c.Conn.Write(b[n : n+1]); err != nil {
			return n, err
		}
		t := time.NewTimer(delay)
		<-t.C
	}
	return len(b), nil
}

// reset closes a connection so that the other side sees a reset.
func reset(c net.Conn) {
	if slow, ok := c.(*slowConn); ok {
		c = slow.Conn
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}
