package manifest_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"outheis/tresor/internal/manifest"
	"outheis/tresor/internal/tree"
)

func TestTracked(t *testing.T) {
	for path, want := range map[string]bool{
		"INDEX.md": true, "sub/log.md": true, "sub/MANIFEST.sha256": true, ".git/config": true, "sub/evals/x": true, ".zz.md": true, ".pyc": true,
		"sources/quarantine/README.md": true, "sources/quarantine2/x": true,
		"MANIFEST.sha256": false, "log.md": false, ".vault-release.lock": false, ".vault-extern.json": false, "evals/x.md": false, "evals": false,
		"a/__pycache__/b": false, "__pycache__": false, "a.pyc": false, "sources/quarantine": false, "sources/quarantine/x.md": false,
		"sources/quarantine/sub/README.md": false, ".": false,
	} {
		if got := manifest.Tracked(path); got != want {
			t.Errorf("Tracked(%s) = %v", path, got)
		}
	}
}

const digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881" // of "x"

func TestStatus(t *testing.T) {
	tests := []struct {
		name, manifest, want string
	}{
		{"equal", digest + "  a.md\n\n" + digest + "  b.md\n", ""},
		{"CRLF", digest + "  a.md\r\n" + digest + "  b.md\r\n", ""},
		{"differences", strings.Replace(digest, "2", "3", 1) + "  b.md\n" + digest + "  c.md\n", "NEU a.md; FEHLT c.md; GEÄNDERT b.md"},
		{"lines", "abc  a.md\n" + digest + " a.md\n" + digest + "   a.md\n" + digest + "  ../a\n" + digest + "  log.md\n" + digest + "  x//a\n" + digest + "  a.md\n" + digest + "  a.md\n",
			"MF-9:1; MF-9:2; MF-9:3; MF-10:4; MF-10:5; MF-10:6; MF-11:8"},
		{"no UTF-8", "\xff", "MF-8:0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := fstest.MapFS{"MANIFEST.sha256": {Data: []byte(tt.manifest)}, "a.md": {Data: []byte("x")}, "b.md": {Data: []byte("x")}}
			problems, n := manifest.Status(tree.OpenFS(m, "t"))
			var got []string
			for _, p := range problems {
				if text := p.In("de"); p.Key == "MF-12" || p.Key == "MF-13" || p.Key == "MF-14" {
					got = append(got, text)
				} else {
					got = append(got, fmt.Sprintf("%s:%d", p.Key, p.Line))
				}
			}
			if s := strings.Join(got, "; "); s != tt.want || s == "" && n != 2 {
				t.Errorf("got %s and %d files, want %s", s, n, tt.want)
			}
		})
	}
}

// A file that is no manifest gives a bounded number of problems.
func TestProblemsAreBounded(t *testing.T) {
	_, problems := manifest.Parse(strings.Repeat("x\n", 20_000))
	if n := len(problems); n != 10_001 || problems[n-1].Key != "MX-1" {
		t.Errorf("%d problems, the last %s", n, problems[n-1].Key)
	}
}

func TestEntriesWithOverride(t *testing.T) {
	m := fstest.MapFS{"a.md": {Data: []byte("alt")}, "log.md": {Data: []byte("x")}}
	entries, problem := manifest.Entries(tree.OpenFS(m, "t"), map[string][]byte{"a.md": []byte("x"), "VERSION": []byte("x"), "log.md": []byte("x")})
	if problem != nil {
		t.Fatal(problem)
	}
	if got, want := string(manifest.Bytes(entries)), digest+"  VERSION\n"+digest+"  a.md\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A manifest that is accepted is written back the same, but for its order.
func FuzzParse(f *testing.F) {
	f.Add(digest + "  a.md\n" + digest + "  ä/b.md\n")
	f.Add(digest + "  a\n" + digest + "  a\n x")
	f.Fuzz(func(t *testing.T, s string) {
		pinned, problems := manifest.Parse(s)
		if problems != nil {
			return
		}
		again, problems := manifest.Parse(string(manifest.Bytes(pinned)))
		if problems != nil || len(again) != len(pinned) {
			t.Fatalf("%q: %v", s, problems)
		}
		for p, d := range pinned {
			if again[p] != d {
				t.Fatalf("%q: %s is %s, was %s", s, p, again[p], d)
			}
		}
	})
}
