package netz

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"time"
)

// Patience shortens the waits of a reader.
func (r *Reader) Patience(wait, total time.Duration) { r.wait, r.total = wait, total }

// Resolve replaces the lookup of names.
func (r *Reader) Resolve(f func(ctx context.Context, host string) ([]netip.Addr, error)) {
	r.resolve = f
}

// Connect replaces the last step of a dial, after all checks.
func (r *Reader) Connect(f func(ctx context.Context, address string) (net.Conn, error)) {
	r.connect = func(ctx context.Context, _ net.Dialer, _, address string) (net.Conn, error) { return f(ctx, address) }
}

// Covers reports whether a URL lies below a prefix.
func Covers(prefix, s string) bool {
	p, err := parsePrefix(prefix)
	if err != nil {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && p.covers(u)
}

// Join returns the URL that is asked for.
func Join(prefix, path string) (string, error) {
	p, err := parsePrefix(prefix)
	if err != nil {
		return "", err
	}
	u, err := p.join(path)
	if err != nil {
		return "", err
	}
	return u.String(), nil
}
