package netz_test

import (
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
	"strings"
	"sync"
	"sync/atomic"
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
