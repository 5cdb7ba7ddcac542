package netz

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"syscall"
	"time"

	"outheis/tresor/internal/abruf"
)

// maxHeader bounds the head of an answer, in bytes.
const maxHeader = 64 << 10

// transport makes connections for one fetch: each for one request, so that the
// address is checked for every redirect anew.
func (r *Reader) transport() *http.Transport {
	t := &http.Transport{
		DialContext:            r.dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: r.options.Roots, NextProtos: []string{"http/1.1"}},
		TLSHandshakeTimeout:    r.wait,
		ResponseHeaderTimeout:  r.wait,
		MaxResponseHeaderBytes: maxHeader,
		DisableKeepAlives:      true,
		DisableCompression:     true,
		Protocols:              new(http.Protocols),
	}
	t.Protocols.SetHTTP1(true)
	if r.options.Proxy != nil {
		t.Proxy = http.ProxyURL(r.options.Proxy)
	}
	return t
}

// dial connects to a host whose addresses are all public, or that the operator
// lists. The address dialled is one of those checked (deviation D-45).
func (r *Reader) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, r.wait)
	defer cancel()
	allowed := r.allows(host) || r.isProxy(host, port)
	addresses, err := r.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	if len(addresses) == 0 || !allowed && !allPublic(addresses) {
		return nil, abruf.Refuse(abruf.NotPublic, nil, host)
	}
	return r.dialFirst(ctx, network, addresses, port, allowed)
}

// dialFirst tries the addresses in turn, each with its share of the time.
func (r *Reader) dialFirst(ctx context.Context, network string, addresses []netip.Addr, port string, allowed bool) (net.Conn, error) {
	control := func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || !allowed && !IsPublic(to.Addr()) {
			return abruf.Refuse(abruf.NotPublic, err, address)
		}
		return nil
	}
	deadline, _ := ctx.Deadline()
	var first error
	for i, a := range addresses {
		share := time.Until(deadline) / time.Duration(len(addresses)-i)
		d := net.Dialer{Timeout: share, Control: control, KeepAlive: -1}
		c, err := r.connect(ctx, d, network, net.JoinHostPort(a.String(), port))
		if err == nil {
			return &impatient{c, r.wait}, nil
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, first
}

// lookup returns the addresses of a name or of an address in writing.
func lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	for i, a := range addresses {
		addresses[i] = a.Unmap()
	}
	return addresses, err
}

func connect(ctx context.Context, d net.Dialer, network, address string) (net.Conn, error) {
	return d.DialContext(ctx, network, address)
}

func (r *Reader) allows(host string) bool {
	return slices.ContainsFunc(r.options.Hosts, func(h string) bool { return lower(h) == lower(host) })
}

func (r *Reader) isProxy(host, port string) bool {
	p := r.options.Proxy
	return p != nil && p.Hostname() == host && (p.Port() == port || p.Port() == "")
}

// checkBehindProxy looks at the addresses of a host that a proxy will resolve.
// Where names of the internet are not known on this side of it, the proxy
// decides; that is what an operator configures one for.
func (r *Reader) checkBehindProxy(ctx context.Context, u *url.URL) error {
	if r.options.Proxy == nil || r.allows(u.Hostname()) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, r.wait)
	defer cancel()
	addresses, err := r.resolve(ctx, u.Hostname())
	if err == nil && !allPublic(addresses) {
		return abruf.Refuse(abruf.NotPublic, nil, u.Hostname())
	}
	return nil
}

func allPublic(addresses []netip.Addr) bool {
	return !slices.ContainsFunc(addresses, func(a netip.Addr) bool { return !IsPublic(a) })
}

// An impatient connection gives up when nothing comes or goes for a while.
type impatient struct {
	net.Conn
	wait time.Duration
}

func (c *impatient) Read(b []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.wait)); err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
}

func (c *impatient) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.wait)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}
