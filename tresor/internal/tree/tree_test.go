//go:build unix

package tree_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"outheis/tresor/internal/tree"
)

// lay makes a folder of files by path; a value "-> x" makes a link, "/" a
// folder.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, content := range files {
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			err = os.Symlink(strings.ReplaceAll(target, "{root}", dir), full)
		} else if content == "/" {
			err = os.MkdirAll(full, 0o755)
		} else {
			err = os.WriteFile(full, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func look(t *testing.T, dir string) *tree.Tree {
	t.Helper()
	tr, err := tree.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	return tr
}

func TestEntriesAreSortedByWholePath(t *testing.T) {
	tr := look(t, lay(t, map[string]string{"B.md": "1", "a/x.md": "2", "a.md": "3", "b": "4", "ä.md": "5", "leer": "/"}))
	var got []string
	for _, e := range tr.Entries() {
		got = append(got, e.Path)
	}
	if want := []string{"B.md", "a", "a.md", "a/x.md", "b", "leer", "ä.md"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := tr.Names("."), []string{"B.md", "a", "a.md", "b", "leer", "ä.md"}; !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
	if got := tr.Below("a"); len(got) != 1 || got[0].Path != "a/x.md" {
		t.Errorf("below a: %v", got)
	}
	if !tr.SafeDir("leer") || !tr.SafeDir(".") || tr.SafeDir("b") || tr.SafeFile("a") || !tr.SafeFile("a.md") || tr.Exists("c") {
		t.Error("kinds are wrong")
	}
}

func TestLinksAreListedAndNeverEntered(t *testing.T) {
	dir := lay(t, map[string]string{
		"a/x.md": "x", "in": "-> a", "up": "-> a/../a/x.md", "abs": "-> {root}/a/x.md", "out": "-> /etc", "dotdot": "-> ../y",
		"loop": "-> loop2", "loop2": "-> loop", "dangling": "-> a/none.md", "chain": "-> up",
	})
	tr := look(t, dir)
	for path, want := range map[string]bool{
		"a/x.md": true, "in/x.md": true, "up": true, "abs": true, "chain": true, "out/passwd": false, "dotdot": false, "loop": false,
		"dangling": false, "in": false, "nix": false,
	} {
		if got := tr.IsFile(path); got != want {
			t.Errorf("IsFile(%s) = %v", path, got)
		}
	}
	if tr.Exists("in/x.md") || tr.SafeFile("up") || !tr.IsAlias("in") || tr.Entry("out").Kind != tree.Alias {
		t.Error("a link was followed")
	}
	if _, err := tr.Read("up", 10); !errors.Is(err, tree.ErrUnsafe) {
		t.Errorf("read through a link: %v", err)
	}
	for path, want := range map[string]tree.Reason{
		"a/x.md": "", "in/x.md": "", "in/none": "", ".": "", "a//./x.md": "", "C:x": "", "~/x": "", "http://x": "", "..a": "",
		"": tree.PathEmpty, " ": tree.PathEmpty, " a": tree.PathBlanks, "a\u00a0": tree.PathBlanks, "a\tb": tree.PathControl,
		`a\b`: tree.PathBackslash, "/a": tree.PathAbsolute, "C:/x": tree.PathAbsolute, "../a": tree.PathDotDot, "a/../b": tree.PathDotDot,
		"out/passwd": tree.PathOutside, "dotdot": tree.PathOutside, "loop": tree.PathOutside, "dangling": "",
	} {
		if _, got := tr.Rel(".", path); got != want {
			t.Errorf("Rel(%q) = %q, want %q", path, got, want)
		}
	}
	if _, got := tr.Rel("a", "x.md"); got != "" {
		t.Errorf("Rel below a: %q", got)
	}
	if !tr.Within("in/x.md", "a") || tr.Within("up", "in/b") || tr.Within("a", "a/x.md") {
		t.Error("Within is wrong")
	}
}

func TestSecondHardLinkIsUnsafe(t *testing.T) {
	dir := lay(t, map[string]string{"a.md": "x"})
	if err := os.Link(filepath.Join(dir, "a.md"), filepath.Join(dir, "b.md")); err != nil {
		t.Fatal(err)
	}
	tr := look(t, dir)
	if tr.SafeFile("a.md") || tr.Entry("b.md").Links != 2 {
		t.Errorf("entry %+v", tr.Entry("b.md"))
	}
	if _, err := tr.Digest("a.md"); !errors.Is(err, tree.ErrUnsafe) {
		t.Errorf("digest: %v", err)
	}
}

func TestReadLimits(t *testing.T) {
	tr := look(t, lay(t, map[string]string{"a": "12345", "utf8": "ab\xff", "crlf": "a\r\nb\rc"}))
	if b, err := tr.Read("a", 5); err != nil || string(b) != "12345" {
		t.Errorf("got %q, %v", b, err)
	}
	var size *tree.SizeError
	if _, err := tr.Read("a", 4); !errors.As(err, &size) || size.Limit != 4 {
		t.Errorf("too large: %v", err)
	}
	var encoding *tree.EncodingError
	if _, err := tr.Text("utf8"); !errors.As(err, &encoding) || encoding.Offset != 2 {
		t.Errorf("no UTF-8: %v", err)
	}
	if s, err := tr.Text("crlf"); err != nil || s != "a\nb\nc" {
		t.Errorf("got %q, %v", s, err)
	}
	if b, err := tr.Head("a", 3); err != nil || string(b) != "123" {
		t.Errorf("head %q, %v", b, err)
	}
	if b, err := tr.Head("a", 30); err != nil || string(b) != "12345" {
		t.Errorf("head %q, %v", b, err)
	}
	if _, err := tr.Read("none", 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}

func TestSparseGigabyteIsRefusedByItsSize(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "gross.md"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(1 << 30); err != nil {
		t.Fatal(err)
	}
	f.Close()
	var size *tree.SizeError
	if _, err := look(t, dir).Text("gross.md"); !errors.As(err, &size) {
		t.Errorf("got %v", err)
	}
}

// D-34: what was seen is what is read; a file that changed, or was exchanged,
// since is refused.
func TestExchangedFilesAreNoticed(t *testing.T) {
	exchange := map[string]func(t *testing.T, path string){
		"other file": func(t *testing.T, path string) {
			must(t, os.Remove(path))
			must(t, os.WriteFile(path, []byte("67890"), 0o644))
		},
		"link": func(t *testing.T, path string) {
			must(t, os.Rename(path, path+".alt"))
			must(t, os.Symlink(path+".alt", path))
		},
		"pipe": func(t *testing.T, path string) {
			must(t, os.Remove(path))
			must(t, mkfifo(path))
		},
		"second link": func(t *testing.T, path string) { must(t, os.Link(path, path+".zwei")) },
		"grown": func(t *testing.T, path string) {
			must(t, os.WriteFile(path, []byte("1234567"), 0o644))
		},
		"folder above": func(t *testing.T, path string) {
			must(t, os.Rename(filepath.Dir(path), filepath.Dir(path)+".alt"))
			must(t, os.Mkdir(filepath.Dir(path), 0o755))
			must(t, os.WriteFile(path, []byte("67890"), 0o644))
		},
	}
	for name, change := range exchange {
		t.Run(name, func(t *testing.T) {
			dir := lay(t, map[string]string{"d/a": "12345"})
			tr := look(t, dir)
			change(t, filepath.Join(dir, "d/a"))
			if b, err := tr.Read("d/a", 100); err == nil {
				t.Errorf("read %q", b)
			}
			if d, err := tr.Digest("d/a"); err == nil {
				t.Errorf("digest %s", d)
			}
		})
	}
	t.Run("same size after hashing", func(t *testing.T) {
		large := strings.Repeat("12345", 20_000)
		dir := lay(t, map[string]string{"small": "12345", "large": large})
		tr := look(t, dir)
		for _, name := range []string{"small", "large"} {
			if _, err := tr.Digest(name); err != nil {
				t.Fatal(err)
			}
		}
		must(t, os.WriteFile(filepath.Join(dir, "small"), []byte("67890"), 0o644))
		must(t, os.WriteFile(filepath.Join(dir, "large"), []byte(strings.ReplaceAll(large, "1", "6")), 0o644))
		if b, err := tr.Read("large", 1<<20); !errors.Is(err, tree.ErrChanged) {
			t.Errorf("read %.10q, %v", b, err)
		}
		// The bytes that were hashed, once; then it is read and noticed.
		if b, err := tr.Read("small", 100); string(b) != "12345" || err != nil {
			t.Errorf("read %q, %v", b, err)
		}
		if b, err := tr.Read("small", 100); !errors.Is(err, tree.ErrChanged) {
			t.Errorf("read %q, %v", b, err)
		}
	})
}

// A file that somebody writes to without end is not read without end.
func TestGrowingFileIsLeft(t *testing.T) {
	for _, size := range []int{5, 100_000} {
		endless := growing{bytes.Repeat([]byte("x"), size)}
		tr := tree.OpenFS(endless, "n")
		if d, err := tr.Digest("a"); !errors.Is(err, tree.ErrChanged) {
			t.Errorf("%d bytes: digest %s, %v", size, d, err)
		}
		if b, err := tr.Read("a", 1<<20); !errors.Is(err, tree.ErrChanged) {
			t.Errorf("%d bytes: read %.10q, %v", size, b, err)
		}
	}
}

// growing is a file system with a file that has no end.
type growing struct{ begin []byte }

func (g growing) Open(name string) (fs.File, error) {
	f, err := fstest.MapFS{"a": {Data: g.begin}}.Open(name)
	if err != nil || name != "a" {
		return f, err
	}
	return endless{f}, nil
}

type endless struct{ fs.File }

func (e endless) Read(b []byte) (int, error) { return len(b), nil }

func TestPipesAreOther(t *testing.T) {
	dir := t.TempDir()
	must(t, mkfifo(filepath.Join(dir, "p")))
	if e := look(t, dir).Entry("p"); e.Kind != tree.Other {
		t.Errorf("kind %v", e.Kind)
	}
}

func TestDepthBudget(t *testing.T) {
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, strings.Repeat("d/", 128)), 0o755))
	if err := look(t, dir).WalkError(); err != nil {
		t.Errorf("depth 128: %v", err)
	}
	must(t, os.MkdirAll(filepath.Join(dir, strings.Repeat("d/", 129)), 0o755))
	if err := look(t, dir).WalkError(); err == nil || !errors.Is(err, tree.ErrTooDeep) {
		t.Errorf("depth 129: %v", err)
	}
}

func TestNamesThatAreNoUTF8(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a\xff.md"), []byte("x"), 0o644); err != nil {
		t.Skip("the file system has only UTF-8 names")
	}
	tr := look(t, dir)
	if !tr.SafeFile("a\xff.md") {
		t.Errorf("entries %v", tr.Entries()[0])
	}
	if s, err := tr.Text("a\xff.md"); err != nil || s != "x" {
		t.Errorf("got %q, %v", s, err)
	}
}

func TestOpenFS(t *testing.T) {
	tr := tree.OpenFS(fstest.MapFS{"a/b.md": {Data: []byte("x"), Mode: 0o444}, "c": {Data: []byte("y"), Mode: 0o555}}, "n")
	if tr.Name() != "n" || tr.Root() != "" || !tr.SafeDir("a") || !tr.SafeFile("a/b.md") || tr.Entry("a/b.md").Exec || !tr.Entry("c").Exec {
		t.Errorf("%v", tr.Entries())
	}
	if s, err := tr.Text("a/b.md"); err != nil || s != "x" {
		t.Errorf("got %q, %v", s, err)
	}
}

func TestManyEntries(t *testing.T) {
	m := fstest.MapFS{}
	for i := range 20_000 {
		m[fmt.Sprintf("d%02d/f%05d", i%50, i)] = &fstest.MapFile{}
	}
	if got := len(tree.OpenFS(m, "n").Entries()); got != 20_050 {
		t.Errorf("%d entries", got)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A large file that is hashed says how far it is, a small one does not.
func TestDigestTellsHowFarItIs(t *testing.T) {
	dir := t.TempDir()
	for name, size := range map[string]int64{"gross.pdf": 64 << 20, "klein.pdf": 2 << 20} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(filepath.Join(dir, name), size); err != nil {
			t.Fatal(err)
		}
	}
	told := map[string]string{}
	tr, err := tree.OpenWatched(dir, func(stage string, done, total int) { told[stage] = fmt.Sprint(done, " of ", total) })
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	for name, want := range map[string]string{"klein.pdf": "", "gross.pdf": "64 of 64"} {
		delete(told, tree.StageBytes)
		if _, err := tr.Digest(name); err != nil || told[tree.StageBytes] != want {
			t.Errorf("%s: told %q, want %q, %v", name, told[tree.StageBytes], want, err)
		}
	}
	if got, want := told[tree.StageLook], "2 of 0"; got != want {
		t.Errorf("look: %s, want %s", got, want)
	}
}
