package netz_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"

	"outheis/tresor/internal/abruf"
	"outheis/tresor/netz"
)

// D-46: a proxy that the operator configures gets the host by name, after its
// addresses were looked at as far as they are known here.
func TestProxy(t *testing.T) {
	s := serve(t, text("da"))
	var tunnels []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tunnels = append(tunnels, r.Method+" "+r.Host)
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		to, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			return
		}
		defer to.Close()
		fmt.Fprint(c, "HTTP/1.1 200 OK\r\n\r\n")
		var wg sync.WaitGroup
		wg.Go(func() { io.Copy(to, c) })
		io.Copy(c, to)
		c.Close()
		wg.Wait()
	}))
	defer proxy.Close()
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	for _, tt := range []struct {
		answer []netip.Addr
		err    error
		want   string
	}{
		{[]netip.Addr{netip.MustParseAddr("1.1.1.1")}, nil, ""},
		{nil, errors.New("no names of the internet here"), ""},
		{[]netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil, abruf.NotPublic},
	} {
		tunnels = nil
		r := netz.New(netz.Options{Roots: roots, Proxy: at})
		r.Resolve(func(ctx context.Context, host string) ([]netip.Addr, error) {
			if host == "example.com" {
				return tt.answer, tt.err
			}
			return []netip.Addr{netip.MustParseAddr(host)}, nil
		})
		document, _, err := r.Read(t.Context(), ask("a.md"))
		if tt.want != "" {
			if refusedAs(t, err, tt.want); tunnels != nil {
				t.Errorf("tunnels %v", tunnels)
			}
			continue
		}
		if string(document) != "da" || err != nil || len(tunnels) != 1 || tunnels[0] != "CONNECT example.com:443" {
			t.Errorf("got %q, %v through %v", document, err, tunnels)
		}
	}
}

// D-46: the environment's proxy is not asked.
func TestReadTakesNoProxyFromTheEnvironment(t *testing.T) {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, "http://127.0.0.1:1")
	}
	s := serve(t, text("x"))
	if _, _, err := s.reader(netz.Options{}).Read(t.Context(), ask("a.md")); err != nil {
		t.Error(err)
	}
}

// D-45: addresses are checked for the first request and for every redirect, all
// of a name, and what was checked is what is dialled.
func TestAddresses(t *testing.T) {
	public, private := netip.MustParseAddr("1.1.1.1"), netip.MustParseAddr("10.0.0.1")
	redirect := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/docs/a.md" {
			http.Redirect(w, r, "b.md", http.StatusFound)
		}
	}
	tests := []struct {
		name    string
		answers [][]netip.Addr // of one lookup after the other
		dialled int
		want    string
	}{
		{"private", [][]netip.Addr{{private}}, 0, abruf.NotPublic},
		{"mixed", [][]netip.Addr{{public, private}}, 0, abruf.NotPublic},
		{"none", [][]netip.Addr{{}}, 0, abruf.NotPublic},
		{"mapped", [][]netip.Addr{{netip.MustParseAddr("::ffff:127.0.0.1")}}, 0, abruf.NotPublic},
		{"turns private at the redirect", [][]netip.Addr{{public}, {private}}, 1, abruf.NotPublic},
		{"stays public", [][]netip.Addr{{public}, {public}}, 2, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, redirect)
			r := s.reader(netz.Options{})
			lookups := 0
			r.Resolve(func(_ context.Context, host string) ([]netip.Addr, error) {
				lookups++
				return tt.answers[min(lookups, len(tt.answers))-1], nil
			})
			var dialled []string
			r.Connect(func(ctx context.Context, address string) (net.Conn, error) {
				dialled = append(dialled, address)
				var d net.Dialer
				return d.DialContext(ctx, "tcp", s.Listener.Addr().String())
			})
			_, _, err := r.Read(t.Context(), ask("a.md"))
			if tt.want != "" {
				if refused := refusedAs(t, err, tt.want); !strings.Contains(refused.In("de"), "example.com") {
					t.Errorf("says %q", refused.In("de"))
				}
			} else if err != nil {
				t.Error(err)
			}
			if len(dialled) != tt.dialled || len(dialled) > 0 && dialled[0] != "1.1.1.1:443" {
				t.Errorf("dialled %v, want %d", dialled, tt.dialled)
			}
			if lookups != max(1, len(tt.answers)) {
				t.Errorf("%d lookups", lookups)
			}
		})
	}
}

// The real lookup and dial know the addresses of this machine for what they are;
// a host that the operator lists may be there.
func TestLoopbackIsAskedOnlyIfListed(t *testing.T) {
	s := serve(t, text("hier"))
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	q := netz.Request{Vault: "/srv/tresor", Source: "X-0003", Prefix: s.URL + "/docs", Path: "a.md"}
	_, _, err = netz.New(netz.Options{Roots: roots}).Read(t.Context(), q)
	refusedAs(t, err, abruf.NotPublic)
	if got := s.requests(); got != nil {
		t.Errorf("asked %v", got)
	}
	document, _, err := netz.New(netz.Options{Roots: roots, Hosts: []string{u.Hostname()}}).Read(t.Context(), q)
	if string(document) != "hier" || err != nil {
		t.Errorf("listed: got %q, %v", document, err)
	}
	for _, prefix := range []string{"https://localhost:" + u.Port(), "https://127.1:" + u.Port(), "https://2130706433:" + u.Port(), "https://0x7f000001:" + u.Port()} {
		q.Prefix = prefix
		if _, _, err := netz.New(netz.Options{Roots: roots}).Read(t.Context(), q); err == nil {
			t.Errorf("%s was read", prefix)
		}
	}
	if got := s.requests(); len(got) != 1 {
		t.Errorf("asked %v", got)
	}
}

// The first address that answers is used; an address that does not must not
// take all of the time.
func TestFurtherAddressesAreTried(t *testing.T) {
	s := serve(t, text("da"))
	r := s.reader(netz.Options{})
	r.Resolve(func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("2606:4700::1111"), netip.MustParseAddr("1.1.1.1")}, nil
	})
	r.Connect(func(ctx context.Context, address string) (net.Conn, error) {
		if address != "1.1.1.1:443" {
			return nil, errors.New("no route")
		}
		var d net.Dialer
		return d.DialContext(ctx, "tcp", s.Listener.Addr().String())
	})
	if document, _, err := r.Read(t.Context(), ask("a.md")); string(document) != "da" || err != nil {
		t.Errorf("got %q, %v", document, err)
	}
}
