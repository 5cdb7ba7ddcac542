package netz_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"outheis/tresor/internal/abruf"
	"outheis/tresor/netz"
)

// A shelf is a cache with a clock and a site that counts its answers.
type shelf struct {
	base string
	now  time.Time
	*site
	r *netz.Reader
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	sh := &shelf{base: filepath.Join(t.TempDir(), "cache"), now: time.Date(2026, 5, 6, 10, 0, 0, 999_000_000, time.UTC)}
	n := 0
	sh.site = serve(t, func(w http.ResponseWriter, _ *http.Request) {
		n++
		fmt.Fprintf(w, "Fassung %d", n)
	})
	sh.r = sh.reader(netz.Options{CacheBase: sh.base, Now: func() time.Time { return sh.now }})
	return sh
}

// read returns the document and whether it was fetched.
func (sh *shelf) read(t *testing.T, q netz.Request) (string, netz.Record) {
	t.Helper()
	document, rec, err := sh.r.Read(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return string(document), rec
}

// files returns what lies in the cache, with modes.
func (sh *shelf) files(t *testing.T) map[string]fs.FileMode {
	t.Helper()
	found := map[string]fs.FileMode{}
	err := filepath.WalkDir(sh.base, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(sh.base, p)
		found[rel] = info.Mode()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// D-48: an own place, for this user alone.
func TestCachePlace(t *testing.T) {
	sh := newShelf(t)
	sh.read(t, ask("a.md"))
	files, folders := 0, 0
	for p, mode := range sh.files(t) {
		switch {
		case mode.IsDir():
			folders++
			if mode.Perm() != 0o700 {
				t.Errorf("%s has mode %v", p, mode)
			}
		default:
			files++
			parts := strings.Split(p, string(filepath.Separator))
			if mode != 0o600 || len(parts) != 5 || parts[0] != "outheis" || parts[1] != "tresor" || len(parts[2]) != 64 || parts[3] != "X-0003" {
				t.Errorf("%s has mode %v", p, mode)
			}
		}
	}
	if files != 2 || folders != 5 {
		t.Errorf("%d files and %d folders: %v", files, folders, sh.files(t))
	}
	q := ask("a.md")
	q.Vault = "/srv/anderer"
	if _, rec := sh.read(t, q); !rec.Fetched {
		t.Error("another Tresor's document was taken")
	}
	q = ask("a.md")
	q.Source = "X-0004"
	if _, rec := sh.read(t, q); !rec.Fetched {
		t.Error("another source's document was taken")
	}
}

// The age counts in whole seconds from the stored time, and never below zero.
func TestCacheAge(t *testing.T) {
	start := time.Date(2026, 5, 6, 10, 0, 0, 999_000_000, time.UTC)
	tests := []struct {
		after   time.Duration
		ttl     int
		fetched bool
		age     int
	}{
		{0, 60, false, 0},
		{999 * time.Millisecond, 60, false, 0},
		{time.Second, 60, false, 1},
		{60*time.Second + 999*time.Millisecond, 60, false, 60},
		{61 * time.Second, 60, true, 0},
		{time.Second, 0, true, 0},
		{time.Second, -1, true, 0},
		{-time.Hour, 60, false, 0},
		{-time.Hour, 0, true, 0},
		{1e9 * time.Second, 2e9, false, 1e9},
	}
	for _, tt := range tests {
		sh := newShelf(t)
		_, first := sh.read(t, ask("a.md"))
		if !first.Fetched || !first.At.Equal(start) {
			t.Errorf("first record %+v", first)
		}
		sh.now = start.Add(tt.after)
		q := ask("a.md")
		q.TTL = tt.ttl
		document, rec := sh.read(t, q)
		want := "Fassung 1"
		if tt.fetched {
			want = "Fassung 2"
		}
		if document != want || rec.Fetched != tt.fetched || rec.Age != tt.age {
			t.Errorf("after %v with TTL %d: %q, %+v", tt.after, tt.ttl, document, rec)
		}
		if !tt.fetched && (rec.SHA256 != first.SHA256 || !rec.At.Equal(start) || rec.URL != first.URL || rec.Bytes != first.Bytes) {
			t.Errorf("after %v: %+v, first %+v", tt.after, rec, first)
		}
	}
}

// D-48: what is not what was written is not there.
func TestCacheMisses(t *testing.T) {
	spoil := map[string]func(document, meta string) error{
		"other bytes":  func(d, _ string) error { return os.WriteFile(d, []byte("Fassung 9"), 0o600) },
		"no UTF-8":     func(d, _ string) error { return os.WriteFile(d, []byte("\xff"), 0o600) },
		"no meta":      func(_, m string) error { return os.Remove(m) },
		"empty meta":   func(_, m string) error { return os.WriteFile(m, nil, 0o600) },
		"wrong time":   func(_, m string) error { return replace(m, "at=2026", "at=gestern") },
		"other URL":    func(_, m string) error { return replace(m, "docs", "evil") },
		"other digest": func(_, m string) error { return replace(m, "sha256=", "sha256=0") },
		"giant":        func(d, _ string) error { return os.Truncate(d, 1<<40) },
		"a link": func(d, _ string) error {
			if err := os.Rename(d, d+".alt"); err != nil {
				return err
			}
			return os.Symlink(filepath.Base(d)+".alt", d)
		},
		"meta is a link": func(_, m string) error {
			if err := os.Rename(m, m+".alt"); err != nil {
				return err
			}
			return os.Symlink(filepath.Base(m)+".alt", m)
		},
		"a pipe": func(d, _ string) error {
			if err := os.Remove(d); err != nil {
				return err
			}
			return mkfifo(d)
		},
		"document is a folder": func(d, _ string) error {
			if err := os.Remove(d); err != nil {
				return err
			}
			return os.Mkdir(d, 0o700)
		},
	}
	for name, spoil := range spoil {
		t.Run(name, func(t *testing.T) {
			sh := newShelf(t)
			sh.read(t, ask("a.md"))
			var document string
			for p := range sh.files(t) {
				if strings.HasSuffix(p, ".md") {
					document = filepath.Join(sh.base, p)
				}
			}
			if err := spoil(document, strings.TrimSuffix(document, ".md")+".meta"); errors.Is(err, errors.ErrUnsupported) {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
			if got, rec := sh.read(t, ask("a.md")); got != "Fassung 2" || !rec.Fetched {
				t.Errorf("got %q, %+v", got, rec)
			}
			if name == "document is a folder" {
				return // it stays; nothing is kept then
			}
			if got, rec := sh.read(t, ask("a.md")); got != "Fassung 2" || rec.Fetched {
				t.Errorf("again: got %q, %+v", got, rec)
			}
		})
	}
}

func replace(file, from, to string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(strings.Replace(string(b), from, to, 1)), 0o600)
}

// A folder that is a link, or that others may write to, is no place: nothing is
// written through it, and reading goes on without a cache.
func TestCacheFoldersOfOthers(t *testing.T) {
	elsewhere := t.TempDir()
	for name, prepare := range map[string]func(base string) error{
		"link out": func(base string) error { return os.Symlink(elsewhere, filepath.Join(base, "outheis")) },
		"link inside": func(base string) error {
			if err := os.Mkdir(filepath.Join(base, "real"), 0o700); err != nil {
				return err
			}
			return os.Symlink("real", filepath.Join(base, "outheis"))
		},
		"writable": func(base string) error {
			if err := os.Mkdir(filepath.Join(base, "outheis"), 0o700); err != nil {
				return err
			}
			return os.Chmod(filepath.Join(base, "outheis"), 0o777)
		},
		"a file":         func(base string) error { return os.WriteFile(filepath.Join(base, "outheis"), nil, 0o600) },
		"a pipe":         func(base string) error { return mkfifo(filepath.Join(base, "outheis")) },
		"base is a file": func(base string) error { return os.Remove(base) },
		"base is a pipe": func(base string) error {
			if err := os.Remove(base); err != nil {
				return err
			}
			return mkfifo(base)
		},
	} {
		t.Run(name, func(t *testing.T) {
			sh := newShelf(t)
			if err := os.MkdirAll(sh.base, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := prepare(sh.base); errors.Is(err, errors.ErrUnsupported) {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
			if name == "base is a file" {
				if err := os.WriteFile(sh.base, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			before := len(sh.files(t))
			for want := 1; want < 3; want++ {
				if got, rec := sh.read(t, ask("a.md")); got != fmt.Sprintf("Fassung %d", want) || !rec.Fetched {
					t.Errorf("got %q, %+v", got, rec)
				}
			}
			if after := sh.files(t); len(after) != before {
				t.Errorf("written: %v", after)
			}
			if entries, err := os.ReadDir(elsewhere); err != nil || len(entries) > 0 {
				t.Errorf("written elsewhere: %v, %v", entries, err)
			}
		})
	}
}

// Without a Tresor, a source or a base there is no place.
func TestNoCache(t *testing.T) {
	for _, q := range []netz.Request{
		{Source: "X-0003", Prefix: prefix, Path: "a.md", TTL: 60},
		{Vault: "/srv/tresor", Source: "../../X", Prefix: prefix, Path: "a.md", TTL: 60},
		{Vault: "/srv/tresor", Prefix: prefix, Path: "a.md", TTL: 60},
	} {
		sh := newShelf(t)
		sh.read(t, q)
		if _, err := os.Stat(sh.base); err == nil {
			t.Errorf("%+v: written %v", q, sh.files(t))
		}
	}
}

// Offline, a fresh copy is still read; a stale one is never a way out.
func TestCacheOfflineAndStale(t *testing.T) {
	sh := newShelf(t)
	sh.read(t, ask("a.md"))
	sh.r = sh.reader(netz.Options{CacheBase: sh.base, Offline: true, Now: func() time.Time { return sh.now }})
	if got, rec := sh.read(t, ask("a.md")); got != "Fassung 1" || rec.Fetched {
		t.Errorf("got %q, %+v", got, rec)
	}
	sh.now = sh.now.Add(time.Hour)
	_, _, err := sh.r.Read(t.Context(), ask("a.md"))
	refusedAs(t, err, abruf.Offline)
	sh.r = sh.reader(netz.Options{CacheBase: sh.base, Now: func() time.Time { return sh.now }})
	sh.Close()
	_, rec, err := sh.r.Read(t.Context(), ask("a.md"))
	if refusedAs(t, err, abruf.Unreachable); rec != (netz.Record{}) {
		t.Errorf("record %+v", rec)
	}
}
