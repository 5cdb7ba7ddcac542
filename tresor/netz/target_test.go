package netz_test

import (
	"bufio"
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"

	"outheis/tresor/netz"
)

// D-42: whole segments, host, port and scheme are compared, and no way leads up.
func TestCovers(t *testing.T) {
	tests := []struct {
		prefix, url string
		want        bool
	}{
		{"https://h.example/docs", "https://h.example/docs/a.md", true},
		{"https://h.example/docs", "https://h.example/docs", true},
		{"https://h.example/docs/", "https://h.example/docs", false},
		{"https://h.example/docs/", "https://h.example/docs/", true},
		{"https://h.example/docs", "https://h.example/docs-evil/a.md", false},
		{"https://h.example/docs", "https://h.example/doc", false},
		{"https://h.example", "https://h.example.evil.example/a.md", false},
		{"https://h.example", "https://h.example/a.md", true},
		{"https://h.example", "https://h.example", true},
		{"https://h.example/docs", "https://H.EXAMPLE:443/docs/a.md", true},
		{"https://H.Example:0443/docs", "https://h.example/docs/a.md", true},
		{"https://h.example/docs", "https://h.example:8443/docs/a.md", false},
		{"https://h.example:8443/docs", "https://h.example:8443/docs/a.md", true},
		{"https://h.example:8443/docs", "https://h.example/docs/a.md", false},
		{"https://h.example/docs", "http://h.example/docs/a.md", false},
		{"https://h.example/docs", "//h.example/docs/a.md", false},
		{"https://h.example/docs", "https:h.example/docs/a.md", false},
		{"https://h.example/docs", "https://user@h.example/docs/a.md", false},
		{"https://h.example/docs", "https://h.example@evil.example/docs/a.md", false},
		{"https://h.example/docs", "https://h.example./docs/a.md", false},
		{"https://kelvin.example/docs", "https://\u212aelvin.example/docs/a.md", false},
		{"https://h.example/docs", "https://h.example/docs/../evil", false},
		{"https://h.example/docs", "https://h.example/docs/./a.md", false},
		{"https://h.example/docs", "https://h.example/docs/%2e%2e/evil", false},
		{"https://h.example/docs", "https://h.example/docs/%252e%252e/evil", false},
		{"https://h.example/docs", "https://h.example/docs/..%2fevil", false},
		{"https://h.example/docs", `https://h.example/docs/..\evil`, false},
		{"https://h.example/docs", "https://h.example/docs/..%5cevil", false},
		{"https://h.example/docs", "https://h.example/docs/..;x/evil", false},
		{"https://h.example/docs", "https://h.example/docs/%c0%ae%c0%ae/evil", false},
		{"https://h.example/docs", "https://h.example/docs/a%00.md", false},
		{"https://h.example/docs", "https://h.example/docs/a%0d%0aHost:%20evil", false},
		{"https://h.example/docs", "https://h.example/docs/..a/b", true},
		{"https://h.example/docs", "https://h.example/%64ocs/a.md", true},
		{"https://h.example/docs", "https://h.example//docs/a.md", false},
		{"https://h.example/docs", "https://h.example/Docs/a.md", false},
		{"https://h.example/a b", "https://h.example/a%20b/c", true},
		{"https://h.example/docs", "https://h.example/docs%2fa.md", false},
		{"https://h.example/docs", "https://h.example/docs/a.md?x=../..", true},
	}
	for _, tt := range tests {
		if got := netz.Covers(tt.prefix, tt.url); got != tt.want {
			t.Errorf("%s covers %q: got %v, want %v", tt.prefix, tt.url, got, tt.want)
		}
	}
}

// D-43: every segment is encoded; a plain path stays as it is.
func TestJoin(t *testing.T) {
	tests := []struct{ prefix, path, want string }{
		{"https://h.example/docs/", "regeln/laser.md", "https://h.example/docs/regeln/laser.md"},
		{"https://h.example", "a.md", "https://h.example/a.md"},
		{"https://h.example/", "a.md", "https://h.example/a.md"},
		{"https://h.example//", "a.md", "https://h.example/a.md"},
		{"https://h.example:8443/docs", "a-._~.md", "https://h.example:8443/docs/a-._~.md"},
		{"https://h.example/docs", "Regeln für Halle 3.md", "https://h.example/docs/Regeln%20f%C3%BCr%20Halle%203.md"},
		{"https://h.example/docs", "a?b#c%2e%2e.md", "https://h.example/docs/a%3Fb%23c%252e%252e.md"},
		{"https://h.example/docs", "a+b&c=d;e:f@g!.md", "https://h.example/docs/a%2Bb%26c%3Dd%3Be%3Af%40g%21.md"},
		{"https://h.example/a b", "c.md", "https://h.example/a%20b/c.md"},
		{"https://h.example/a%20b/", "c.md", "https://h.example/a%20b/c.md"},
		{"https://h.example/docs", "a//b.md", "https://h.example/docs/a//b.md"},
	}
	for _, tt := range tests {
		if got, err := netz.Join(tt.prefix, tt.path); got != tt.want || err != nil {
			t.Errorf("%s and %s: got %s, %v, want %s", tt.prefix, tt.path, got, err, tt.want)
		}
	}
}

// D-45: what the register accepts and is no address is refused here.
func TestJoinRefuses(t *testing.T) {
	tests := []struct{ prefix, path, want string }{
		{"http://h.example/", "a.md", "net.outside"},
		{"https://h.example:port/", "a.md", "net.notpublic"},
		{"https://h.example:0/", "a.md", "net.notpublic"},
		{"https://h.example:65536/", "a.md", "net.notpublic"},
		{"https://h.example:-1/", "a.md", "net.notpublic"},
		{"https://h.example/%zz/", "a.md", "net.notpublic"},
		{"https://user:geheim@h.example/", "a.md", "net.notpublic"},
		{"https://h.example/?q", "a.md", "net.notpublic"},
		{"https://h_.example/", "a.md", "net.notpublic"},
		{"https://[::1]/", "a.md", "net.notpublic"},
		{"https://h.example/%2e%2e/", "a.md", "net.outside"},
		{"https://h.example/", "../a.md", "net.path"},
		{"https://h.example/", "/a.md", "net.path"},
		{"https://h.example/", "", "net.path"},
		{"https://h.example/", " a.md", "net.path"},
		{"https://h.example/", `a\b.md`, "net.path"},
		{"https://h.example/", "a\nb.md", "net.path"},
		{"https://h.example/", "./a.md", "net.outside"},
		{"https://h.example/", "a\xff.md", "net.outside"},
	}
	for _, tt := range tests {
		_, err := netz.Join(tt.prefix, tt.path)
		var refused *netz.Refusal
		if !errors.As(err, &refused) || refused.Key != tt.want {
			t.Errorf("%s and %q: got %v, want %s", tt.prefix, tt.path, err, tt.want)
			continue
		}
		for _, lang := range []string{"de", "en"} {
			if s := refused.In(lang); strings.Contains(s, "geheim") || s == "" {
				t.Errorf("%s and %q: says %q", tt.prefix, tt.path, s)
			}
		}
	}
}

// An accepted URL, as a server sees it, lies below the prefix: also where it
// decodes twice, takes "\" for "/" and resolves dot segments.
func FuzzCovers(f *testing.F) {
	for _, s := range []string{"/docs/a.md", "/docs/%2e%2e/x", "/docs/..%2fx", "/docs%2f..", `/docs\..\x`, "//docs/x", "/docs;x/../y", "/docs/%252e%252e/x", "https://h.example/docs/a?b#c", "https://h.example:443/docs/ä"} {
		f.Add("https://h.example/docs", s)
		f.Add("https://h.example/", s)
	}
	f.Fuzz(func(t *testing.T, prefix, s string) {
		base, err := url.Parse("https://h.example/docs/a")
		if err != nil {
			t.Fatal(err)
		}
		u, err := base.Parse(s)
		if err != nil || !netz.Covers(prefix, u.String()) {
			return
		}
		req, err := http.NewRequest(http.MethodGet, u.String(), nil)
		if err != nil {
			t.Fatalf("%q below %q makes no request: %v", s, prefix, err)
		}
		var wire strings.Builder
		if err := req.Write(&wire); err != nil {
			t.Fatalf("%q below %q: %v", s, prefix, err)
		}
		seen, err := http.ReadRequest(bufio.NewReader(strings.NewReader(wire.String())))
		if err != nil {
			t.Fatalf("%q below %q is no request for a server: %v", s, prefix, err)
		}
		p, err := url.Parse(prefix)
		if err != nil {
			t.Fatal(err)
		}
		host, _, _ := strings.Cut(seen.Host, ":")
		if !strings.EqualFold(host, p.Hostname()) {
			t.Errorf("%q below %q asks host %q", s, prefix, seen.Host)
		}
		once := seen.URL.Path
		ways := []string{once, strings.ReplaceAll(once, `\`, "/")}
		if twice, err := url.PathUnescape(once); err == nil {
			ways = append(ways, twice, strings.ReplaceAll(twice, `\`, "/"))
		}
		top := path.Clean("/" + p.Path)
		for _, way := range ways {
			if clean := path.Clean("/" + way); top != "/" && clean != top && !strings.HasPrefix(clean, top+"/") && !strings.Contains(p.Path, "%") && !strings.Contains(p.Path, `\`) {
				t.Errorf("%q below %q is seen as %q", s, prefix, clean)
			}
		}
	})
}
