//go:build unix

package bindung_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"outheis/tresor/internal/bindung"
)

// manifest lists files with their digests in the form of each line.
func manifest(files map[string]string, form string, paths ...string) string {
	var b strings.Builder
	for _, p := range paths {
		fmt.Fprintf(&b, form, sha256.Sum256([]byte(files[p])), p)
	}
	return b.String()
}

func TestForeignTresor(t *testing.T) {
	pages := map[string]string{"VERSION": "1.0.0\n", "knowledge/a/b.md": "b\r\n", "knowledge/a/.x/C.MD": "c", "knowledge/bild.png": "p", "docs/d.md": "d",
		"knowledge/a b.md": "leer"}
	all := slices.Sorted(maps.Keys(pages))
	big := strings.Repeat("x", bindung.MaxDocument+1)
	for name, tt := range map[string]struct {
		more     map[string]string
		manifest string
		want     string
		pages    string
	}{
		"plain":             {nil, manifest(pages, "%x  %s\n", all...), "", "knowledge/a b.md knowledge/a/.x/C.MD knowledge/a/b.md"},
		"star and CRLF":     {nil, manifest(pages, "  %x *%s \r\n\r\n", all...), "", "knowledge/a b.md knowledge/a/.x/C.MD knowledge/a/b.md"},
		"some":              {nil, manifest(pages, "%x\u00a0./%s\n", "knowledge//a/b.md", "VERSION"), "knowledge/a/b.md: BF-3", ""},
		"uncleaned":         {nil, fmt.Sprintf("%x ./knowledge//a/b.md\n", sha256.Sum256([]byte("b\r\n"))), "", "knowledge/a/b.md"},
		"twice":             {nil, manifest(pages, "%x  %s\n", "knowledge/a/b.md", "knowledge/a/b.md"), "", "knowledge/a/b.md"},
		"no line":           {nil, "\n \r\n", "BF-4", ""},
		"no path":           {nil, strings.Repeat("0", 64) + "\n", "BF-1", ""},
		"no digest":         {nil, "abc VERSION\n", "BF-1", ""},
		"upper-case digest": {nil, strings.ToUpper(manifest(pages, "%x", "VERSION")) + " VERSION\n", "BF-1", ""},
		"outside":           {nil, strings.Repeat("0", 64) + " ../x\n", "BF-2", ""},
		"missing":           {nil, strings.Repeat("0", 64) + " fehlt.md\n", "fehlt.md: BD-1", ""},
		"link":              {map[string]string{"l.md": "-> VERSION"}, strings.Repeat("0", 64) + " l.md\n", "l.md: BD-2", ""},
		"pipe":              {map[string]string{"p.md": "|"}, strings.Repeat("0", 64) + " p.md\n", "p.md: BD-3", ""},
		"pipe in the path":  {map[string]string{"p": "|"}, strings.Repeat("0", 64) + " p/a.md\n", "p/a.md: BD-1", ""},
		"pipe for a folder": {map[string]string{"knowledge/d": "|"}, manifest(pages, "%x  %s\n", "VERSION"), "", ""},
		"changed":           {nil, strings.Repeat("0", 64) + " VERSION\n", "VERSION: BF-3", ""},
		// D-53: a page that the manifest does not name is not read
		"unlisted": {map[string]string{"knowledge/neu.md": "\xff", "knowledge/l.md": "-> a", "knowledge/gross.md": big, "knowledge/p.md": "|"},
			manifest(pages, "%x  %s\n", "knowledge/a/b.md"), "", "knowledge/a/b.md"},
		"no pages":      {nil, manifest(pages, "%x  %s\n", "VERSION"), "", ""},
		"page no UTF-8": {map[string]string{"knowledge/u.md": "\xff"}, fmt.Sprintf("%x knowledge/u.md\n", sha256.Sum256([]byte("\xff"))), "knowledge/u.md: BD-5", ""},
		"large page":    {map[string]string{"knowledge/g.md": big}, fmt.Sprintf("%x knowledge/g.md\n", sha256.Sum256([]byte(big))), "knowledge/g.md: BD-4", ""},
		"large medium":  {map[string]string{"sources/raw/g.md": big}, fmt.Sprintf("%x sources/raw/g.md\n", sha256.Sum256([]byte(big))), "", ""},
		"deep": {map[string]string{"knowledge/" + strings.Repeat("d/", 13): "/"}, manifest(pages, "%x  %s\n", "VERSION"),
			"knowledge/" + strings.Repeat("d/", 12) + "d: BD-10", ""},
	} {
		t.Run(name, func(t *testing.T) {
			files := maps.Clone(pages)
			maps.Copy(files, tt.more)
			files["MANIFEST.sha256"] = tt.manifest
			got, why, err := open(t, lay(t, files)).ForeignTresor(t.Context())
			if err != nil || keys(why) != tt.want {
				t.Fatalf("%q, %v; want %q", keys(why), err, tt.want)
			}
			if why != nil {
				return
			}
			var paths []string
			for _, p := range got.Pages {
				paths = append(paths, p.Path)
				if p.Text != files[p.Path] {
					t.Errorf("%s: %q", p.Path, p.Text)
				}
			}
			if strings.Join(paths, " ") != tt.pages || got.Manifest != fmt.Sprintf("%x", sha256.Sum256([]byte(tt.manifest))) || got.Verified == 0 {
				t.Errorf("pages %q, manifest %s, verified %d", paths, got.Manifest, got.Verified)
			}
		})
	}
}

func TestForeignTresorWithoutAManifest(t *testing.T) {
	_, why, err := open(t, lay(t, map[string]string{"knowledge/a.md": "x"})).ForeignTresor(t.Context())
	if err != nil || keys(why) != "MANIFEST.sha256: BD-1" {
		t.Errorf("%q, %v", keys(why), err)
	}
}

// D-53: the budgets of a tree hold for a foreign Tresor.
func TestForeignTresorBudget(t *testing.T) {
	dir := lay(t, map[string]string{"knowledge": "/"})
	var m strings.Builder
	sum := sha256.Sum256(make([]byte, bindung.MaxDocument))
	for i := range 65 {
		p := fmt.Sprintf("knowledge/%02d.md", i)
		must(t, os.WriteFile(dir+"/"+p, nil, 0o644))
		must(t, os.Truncate(dir+"/"+p, bindung.MaxDocument))
		fmt.Fprintf(&m, "%x %s\n", sum, p)
	}
	must(t, os.WriteFile(dir+"/MANIFEST.sha256", []byte(m.String()), 0o644))
	if _, why, _ := open(t, dir).ForeignTresor(t.Context()); keys(why) != "BD-9" {
		t.Errorf("got %q", keys(why))
	}
}

// What is hashed has a budget of its own, which is checked by the size that a
// file has and so before a byte is read: a file may have any size and take no
// room on disk.
func TestForeignTresorHashingBudget(t *testing.T) {
	for name, tt := range map[string]struct {
		sizes []int64 // of the files 0, 1, ...
		lines []int   // of the manifest, by file
		want  string
	}{
		"one huge file":         {[]int64{200 << 30}, []int{0}, "0: BF-5"},
		"one byte too many":     {[]int64{bindung.MaxHashed + 1}, []int{0}, "0: BF-5"},
		"in total":              {[]int64{1 << 10, bindung.MaxHashed}, []int{0, 1}, "1: BF-5"},
		"one file again":        {[]int64{1 << 10, bindung.MaxHashed - 1<<10}, []int{0, 0, 1}, "1: BF-5"},
		"nothing beyond limits": {[]int64{1 << 10, 1 << 20}, []int{0, 1, 0}, ""},
	} {
		dir := lay(t, nil)
		var m strings.Builder
		for i, size := range tt.sizes {
			must(t, os.WriteFile(fmt.Sprintf("%s/%d", dir, i), nil, 0o644))
			must(t, os.Truncate(fmt.Sprintf("%s/%d", dir, i), size))
		}
		for _, i := range tt.lines {
			sum := strings.Repeat("0", 64)
			if tt.sizes[i] <= 1<<20 {
				sum = fmt.Sprintf("%x", sha256.Sum256(make([]byte, tt.sizes[i])))
			}
			fmt.Fprintf(&m, "%s %d\n", sum, i)
		}
		must(t, os.WriteFile(dir+"/MANIFEST.sha256", []byte(m.String()), 0o644))
		if _, why, err := open(t, dir).ForeignTresor(t.Context()); err != nil || keys(why) != tt.want {
			t.Errorf("%s: %q, %v; want %q", name, keys(why), err, tt.want)
		}
	}
}

func FuzzManifestLine(f *testing.F) {
	sum := strings.Repeat("0a", 32)
	for _, seed := range []string{sum + "  a.md", sum + " *a b.md\r", sum, "\u00a0" + sum + "\u2003*", sum + "  ", "x y", sum + "\x1c\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		got, p, ok := bindung.ManifestLine(line)
		if !ok {
			return
		}
		if len(got) != 64 || strings.Trim(got, "0123456789abcdef") != "" || !strings.Contains(line, got) || !strings.Contains(line, p) {
			t.Fatalf("%q: %q, %q", line, got, p)
		}
		if bindung.CheckPath(p) != nil || strings.HasPrefix(p, "*") {
			return
		}
		if again, q, ok := bindung.ManifestLine(got + "  " + p); !ok || again != got || q != p {
			t.Fatalf("%q: %q is read back as %q, %v", line, p, q, ok)
		}
	})
}

// Hashing a huge file ends with the context.
func TestForeignTresorEndsWithTheContext(t *testing.T) {
	dir := lay(t, map[string]string{"MANIFEST.sha256": strings.Repeat("0", 64) + " gross\n"})
	f, err := os.Create(dir + "/gross")
	must(t, err)
	must(t, f.Truncate(bindung.MaxHashed))
	must(t, f.Close())
	ctx, cancel := context.WithCancel(t.Context())
	d := open(t, dir)
	done := make(chan error)
	go func() {
		_, _, err := d.ForeignTresor(ctx)
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
