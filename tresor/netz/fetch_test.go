package netz_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"outheis/tresor/internal/abruf"
	"outheis/tresor/netz"
)

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
