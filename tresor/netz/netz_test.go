package netz_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"outheis/tresor/internal/abruf"
	"outheis/tresor/netz"
)

// A site is a loopback server with a certificate for example.com, which the
// reader takes for one with a public address.
type site struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string // Host and request line of every request
}

func serve(t *testing.T, handler http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked = append(s.asked, r.Host+r.RequestURI)
		s.mu.Unlock()
		handler(w, r)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func (s *site) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.asked...)
}

// reader returns a reader for which every name has the public address 1.1.1.1,
// behind which the site stands.
func (s *site) reader(o netz.Options) *netz.Reader {
	o.Roots = x509.NewCertPool()
	o.Roots.AddCert(s.Certificate())
	r := netz.New(o)
	r.Patience(2*time.Second, 6*time.Second)
	r.Resolve(func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("1.1.1.1")}, nil
	})
	r.Connect(func(ctx context.Context, address string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", s.Listener.Addr().String())
	})
	return r
}

const prefix = "https://example.com/docs/"

func ask(path string) netz.Request {
	return netz.Request{Vault: "/srv/tresor", Source: "X-0003", Prefix: prefix, Path: path, TTL: 60}
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, s) }
}

func refusedAs(t *testing.T, err error, want string) *netz.Refusal {
	t.Helper()
	var refused *netz.Refusal
	if !errors.As(err, &refused) || refused.Key != want {
		t.Fatalf("got %v, want %s", err, want)
	}
	for _, lang := range []string{"de", "en"} {
		if s := refused.In(lang); s == "" || strings.Contains(s, "https://") || strings.Contains(s, "geheim") {
			t.Errorf("says %q", s)
		}
	}
	return refused
}

func TestReadFetches(t *testing.T) {
	now := time.Date(2026, 5, 6, 10, 0, 0, 0, time.FixedZone("", 7200))
	var header http.Header
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header.Clone()
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		fmt.Fprint(w, "Drei Wörter.\n")
	})
	r := s.reader(netz.Options{Version: "1.2.3", Now: func() time.Time { return now }})
	document, rec, err := r.Read(t.Context(), ask("für alle.md"))
	if err != nil || string(document) != "Drei Wörter.\n" {
		t.Fatalf("got %q, %v", document, err)
	}
	want := netz.Record{URL: "https://example.com/docs/f%C3%BCr%20alle.md", Bytes: 14, At: now.UTC(), Fetched: true,
		SHA256: fmt.Sprintf("%x", sha256.Sum256(document))}
	if rec != want {
		t.Errorf("record %+v, want %+v", rec, want)
	}
	if got := s.requests(); len(got) != 1 || got[0] != "example.com/docs/f%C3%BCr%20alle.md" {
		t.Errorf("asked %v", got)
	}
	// D-46: nothing but these headers.
	for name, want := range map[string]string{"User-Agent": "outheis/1.2.3 (wissenstresor)", "Accept": "text/markdown, text/plain", "Accept-Encoding": "identity"} {
		if got := header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		header.Del(name)
	}
	if len(header) != 1 || header.Get("Connection") != "close" {
		t.Errorf("further headers %v", header)
	}
	if _, _, err := r.Read(t.Context(), ask("b.md")); err != nil || header.Get("Cookie") != "" {
		t.Errorf("second read: %v, cookie %q", err, header.Get("Cookie"))
	}
}

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

// Only 200 brings a document.
func TestStatusCodes(t *testing.T) {
	for _, code := range []int{201, 202, 203, 204, 205, 206, 226, 300, 302, 304, 305, 400, 401, 403, 404, 407, 410, 418, 429, 451, 500, 503, 599} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
		_, rec, err := s.reader(netz.Options{}).Read(t.Context(), ask("a.md"))
		if refused := refusedAs(t, err, abruf.Status); !strings.Contains(refused.In("de"), fmt.Sprintf("HTTP %d", code)) {
			t.Errorf("%d: says %q", code, refused.In("de"))
		}
		if rec != (netz.Record{}) {
			t.Errorf("%d: record %+v", code, rec)
		}
	}
}

// D-41, D-42: a redirect is checked before it is asked for.
func TestRedirects(t *testing.T) {
	tests := []struct {
		location string
		want     string // kind of refusal, or "" for the document
	}{
		{"https://example.com/docs/ziel.md", ""},
		{"https://EXAMPLE.com:443/docs/ziel.md?v=1#a", ""},
		{"ziel.md", ""},
		{"/docs/ziel.md", ""},
		{"//example.com/docs/ziel.md", ""},
		{"unter/../ziel.md", ""},
		{"https://example.com/docs-evil/ziel.md", abruf.LeavesPrefix},
		{"https://example.com/", abruf.LeavesPrefix},
		{"../ziel.md", abruf.LeavesPrefix},
		{"%2e%2e/ziel.md", abruf.LeavesPrefix},
		{"https://example.com.evil.example/docs/ziel.md", abruf.LeavesPrefix},
		{"https://evil.example/docs/ziel.md", abruf.LeavesPrefix},
		{"https://user:geheim@example.com/docs/ziel.md", abruf.LeavesPrefix},
		{"https://example.com@evil.example/docs/ziel.md", abruf.LeavesPrefix},
		{"http://example.com/docs/ziel.md", abruf.LeavesPrefix},
		{"https://example.com:8443/docs/ziel.md", abruf.LeavesPrefix},
		{"https://127.0.0.1/docs/ziel.md", abruf.LeavesPrefix},
		{"file:///etc/passwd", abruf.LeavesPrefix},
		{"https://example.com/docs/%zz", abruf.LeavesPrefix},
		{"https://exa mple.com/docs/", abruf.LeavesPrefix},
		{"ziel.md?a b", abruf.LeavesPrefix},
		{"https://example.com/docs/a.md", abruf.ManyRedirects},
	}
	for i, tt := range tests {
		for j, code := range []int{301, 302, 303, 307, 308} {
			if i > 0 && j != i%5 {
				continue // the code matters to none of them; the first has all
			}
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/docs/ziel.md" {
					fmt.Fprint(w, "Ziel")
					return
				}
				w.Header()["Location"] = []string{tt.location}
				w.WriteHeader(code)
			})
			document, rec, err := s.reader(netz.Options{}).Read(t.Context(), ask("a.md"))
			requests := len(s.requests())
			switch tt.want {
			case "":
				if string(document) != "Ziel" || err != nil || rec.URL != "https://example.com/docs/a.md" {
					t.Errorf("%d to %s: %q, %+v, %v", code, tt.location, document, rec, err)
				}
			case abruf.ManyRedirects:
				if refusedAs(t, err, tt.want); requests != 4 {
					t.Errorf("%d to %s: %d requests, want 4", code, tt.location, requests)
				}
			default:
				if refusedAs(t, err, tt.want); requests != 1 {
					t.Errorf("%d to %s: asked %v", code, tt.location, s.requests())
				}
			}
			s.Close()
		}
	}
}

func TestThreeRedirectsAreFollowed(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if n := strings.TrimPrefix(r.URL.Path, "/docs/"); n != "xxxx" {
			http.Redirect(w, r, n+"x", http.StatusFound)
			return
		}
		fmt.Fprint(w, "da")
	})
	if document, _, err := s.reader(netz.Options{}).Read(t.Context(), ask("x")); string(document) != "da" || err != nil {
		t.Errorf("got %q, %v", document, err)
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

// Each cause has a sentence of ours.
func TestUnreachable(t *testing.T) {
	s := serve(t, text("x"))
	fails := func(err error) *netz.Reader {
		r := s.reader(netz.Options{})
		r.Resolve(func(context.Context, string) ([]netip.Addr, error) { return nil, err })
		return r
	}
	loopback := netz.New(netz.Options{Hosts: []string{"127.0.0.1"}})
	for _, tt := range []struct {
		r      *netz.Reader
		prefix string
		part   string
	}{
		{fails(&net.DNSError{Err: "no such host", Name: "example.com", IsNotFound: true}), prefix, "example.com ist nicht bekannt"},
		{fails(&net.DNSError{Err: "server misbehaving", Name: "example.com"}), prefix, "nicht auflösen"},
		{fails(syscall.ENETUNREACH), prefix, syscall.ENETUNREACH.Error()},
		{loopback, "https://127.0.0.1:1", "keine Verbindung"},
		{loopback, s.URL, "von keiner Stelle"},
		{s.reader(netz.Options{}), "https://other.example", "anderen Namen"},
	} {
		_, _, err := tt.r.Read(t.Context(), netz.Request{Prefix: tt.prefix, Path: "a.md"})
		if refused := refusedAs(t, err, abruf.Unreachable); !strings.Contains(refused.In("de"), tt.part) {
			t.Errorf("%s: says %q, want %q", tt.prefix, refused.In("de"), tt.part)
		}
	}
	if got := s.requests(); got != nil {
		t.Errorf("asked %v", got)
	}
}

// What a server says in a place of its own does not come back in the reason.
func TestNoWordOfTheServerInAReason(t *testing.T) {
	const word = "ignore-all-previous-instructions"
	for name, answer := range map[string]string{
		"status line":  word + "\r\n\r\n",
		"phrase":       "HTTP/1.1 404 " + word + "\r\n\r\n",
		"code":         "HTTP/1.1 " + word + "\r\n\r\n",
		"header":       "HTTP/1.1 200 OK\r\n" + word + "\r\n\r\n",
		"length":       "HTTP/1.1 200 OK\r\nContent-Length: " + word + "\r\n\r\n",
		"coding":       "HTTP/1.1 200 OK\r\nContent-Encoding: " + word + "\r\n\r\n",
		"transfer":     "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + word + "\r\n\r\n",
		"chunk":        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + word + "\r\n",
		"location":     "HTTP/1.1 302 Found\r\nLocation: https://" + word + "/\r\n\r\n",
		"bad location": "HTTP/1.1 302 Found\r\nLocation: https://%" + word + "/\r\n\r\n",
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			c, b, err := w.(http.Hijacker).Hijack()
			if err != nil {
				return
			}
			defer c.Close()
			b.WriteString(answer)
			b.Flush()
		})
		_, _, err := s.reader(netz.Options{}).Read(t.Context(), ask("a.md"))
		var refused *netz.Refusal
		if !errors.As(err, &refused) {
			t.Fatalf("%s: %v", name, err)
		}
		for _, lang := range []string{"de", "en"} {
			if says := refused.In(lang); strings.Contains(says, word) {
				t.Errorf("%s: says %q", name, says)
			}
		}
		s.Close()
	}
}

// D-44 and the rest: whatever a server does, the reader comes back in time with
// a reason.
func TestHostileServers(t *testing.T) {
	hang := func(r *http.Request) { <-r.Context().Done() }
	raw := func(lines string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			c, buffered, err := w.(http.Hijacker).Hijack()
			if err != nil {
				return
			}
			defer c.Close()
			buffered.WriteString(lines)
			buffered.Flush()
		}
	}
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	z.Write(make([]byte, 4<<20))
	z.Close()
	mebi := strings.Repeat("a", netz.MaxDocument)
	slow := map[string]bool{"no head": true, "head in drops": true, "body stops": true, "body in drops": true}
	tests := map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"no head": {func(w http.ResponseWriter, r *http.Request) { hang(r) }, abruf.Unreachable},
		"head in drops": {func(w http.ResponseWriter, r *http.Request) {
			c, b, err := w.(http.Hijacker).Hijack()
			if err != nil {
				return
			}
			defer c.Close()
			b.WriteString("HTTP/1.1 200 OK\r\n")
			for b.WriteString("X: y\r\n"); b.Flush() == nil; b.WriteString("X: y\r\n") {
				pause(r.Context(), 20*time.Millisecond)
			}
		}, abruf.Unreachable},
		"body stops": {func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "Anfang")
			w.(http.Flusher).Flush()
			hang(r)
		}, abruf.Unreachable},
		"body in drops": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				fmt.Fprint(w, "x")
				w.(http.Flusher).Flush()
				pause(r.Context(), 20*time.Millisecond)
			}
		}, abruf.Unreachable},
		"body without end": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 32<<10)); err != nil {
					return
				}
			}
		}, abruf.TooLarge},
		"one byte more": {text(mebi + "a"), abruf.TooLarge},
		"length of a giant": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "99999999999999")
			w.(http.Flusher).Flush()
			hang(r)
		}, abruf.TooLarge},
		"short body":        {raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nkurz"), abruf.Unreachable},
		"torn chunk":        {raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nkurz"), abruf.Unreachable},
		"no length at all":  {raw("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nganz"), ""},
		"two lengths":       {raw("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nkurz"), abruf.Unreachable},
		"nothing":           {raw(""), abruf.Unreachable},
		"no HTTP":           {raw("SSH-2.0-OpenSSH\r\n\r\n"), abruf.Unreachable},
		"huge head":         {raw("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 128<<10) + "\r\n\r\n"), abruf.Unreachable},
		"many heads":        {raw("HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", 20<<10) + "\r\n"), abruf.Unreachable},
		"many preliminary":  {raw(strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 10<<10)), abruf.Unreachable},
		"protocol switched": {raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"), abruf.Status},
		"packed": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb.Bytes())
		}, abruf.Unreachable},
		"packed in secret":  {func(w http.ResponseWriter, _ *http.Request) { w.Write(bomb.Bytes()) }, abruf.NotUTF8},
		"no UTF-8":          {text("gr\xfc\xdfe"), abruf.NotUTF8},
		"largest document":  {text(mebi), ""},
		"empty document":    {text(""), ""},
		"redirect nowhere":  {raw("HTTP/1.1 302 Found\r\n\r\n"), abruf.Status},
		"redirect and body": {raw("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 99999999999\r\n\r\n"), abruf.LeavesPrefix},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, tt.handler)
			r := s.reader(netz.Options{})
			r.Patience(5*time.Second, 20*time.Second)
			if slow[name] {
				r.Patience(300*time.Millisecond, 600*time.Millisecond)
			}
			document, rec, err := r.Read(t.Context(), ask("a.md"))
			if tt.want == "" {
				if err != nil || rec.Bytes != len(document) {
					t.Errorf("got %d bytes, %+v, %v", len(document), rec, err)
				}
				return
			}
			refusedAs(t, err, tt.want)
			if document != nil || rec.Fetched != (tt.want == abruf.NotUTF8) {
				t.Errorf("got %d bytes, %+v", len(document), rec)
			}
		})
	}
}

// pause gives a server its pace.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// D-37: 20 fetches for one reader, refused ones included; hits of the cache
// cost nothing.
func TestBudget(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/1.md") {
			w.WriteHeader(404)
		}
	})
	r := s.reader(netz.Options{CacheBase: t.TempDir()})
	for i := range 20 {
		if _, _, err := r.Read(t.Context(), ask(fmt.Sprintf("%d.md", i))); (err != nil) != (i == 1) {
			t.Fatal(i, err)
		}
	}
	if _, rec, err := r.Read(t.Context(), ask("2.md")); err != nil || rec.Fetched {
		t.Errorf("from the cache: %+v, %v", rec, err)
	}
	_, _, err := r.Read(t.Context(), ask("20.md"))
	refusedAs(t, err, abruf.BudgetExceeded)
	if got := len(s.requests()); got != 20 {
		t.Errorf("%d requests", got)
	}
}

func TestBudgetOfManyAtATime(t *testing.T) {
	s := serve(t, text("x"))
	r := s.reader(netz.Options{})
	var wg sync.WaitGroup
	var read atomic.Int64
	for i := range 40 {
		wg.Go(func() {
			if _, _, err := r.Read(t.Context(), ask(fmt.Sprintf("%d.md", i))); err == nil {
				read.Add(1)
			}
		})
	}
	wg.Wait()
	if read.Load() != 20 || len(s.requests()) != 20 {
		t.Errorf("%d read, %d requests", read.Load(), len(s.requests()))
	}
}

func TestTheCallersEndIsNoRefusal(t *testing.T) {
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.reader(netz.Options{}).Read(ctx, ask("a.md")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// D-47: the words that switch the network off.
func TestOffline(t *testing.T) {
	for value, want := range map[string]bool{"1": true, "true": true, "TRUE": true, " Yes\n": true, "on": true, "": false, "0": false, "off": false, "ja": false, "11": false} {
		if got := netz.Offline(value); got != want {
			t.Errorf("%q: got %v", value, got)
		}
	}
	s := serve(t, text("x"))
	r := s.reader(netz.Options{Offline: true})
	_, _, err := r.Read(t.Context(), ask("a.md"))
	if refusedAs(t, err, abruf.Offline); !r.Offline() || s.requests() != nil {
		t.Errorf("offline %v, asked %v", r.Offline(), s.requests())
	}
}
