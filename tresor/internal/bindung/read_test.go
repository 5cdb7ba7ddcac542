//go:build unix

package bindung_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"outheis/tresor/internal/bindung"
	"outheis/tresor/internal/wording"
)

// lay makes files by path in a new folder; a value "-> x" makes a link, "|" a
// pipe, "/" a folder.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for p, content := range files {
		full := filepath.Join(dir, p)
		must(t, os.MkdirAll(filepath.Dir(full), 0o755))
		switch target, link := strings.CutPrefix(content, "-> "); {
		case link:
			must(t, os.Symlink(target, full))
		case content == "|":
			must(t, syscall.Mkfifo(full, 0o644))
		case content == "/":
			must(t, os.MkdirAll(full, 0o755))
		default:
			must(t, os.WriteFile(full, []byte(content), 0o644))
		}
	}
	return dir
}

func open(t *testing.T, dir string) *bindung.Dir {
	t.Helper()
	root, why := bindung.Resolve(dir, "")
	if why != nil {
		t.Fatal(why.In("en"))
	}
	d, why := root.Open()
	if why != nil {
		t.Fatal(why.In("en"))
	}
	t.Cleanup(d.Close)
	return d
}

// keys returns the key of a reason and of the reason within it; both languages
// must have a sentence.
func keys(why *wording.Sentence) string {
	if why == nil {
		return ""
	}
	_, _ = why.In("de"), why.In("en")
	if why.Key == "BI-0" {
		inner := why.Args[1].(wording.Sentence)
		return why.Args[0].(string) + ": " + inner.Key
	}
	return why.Key
}

func TestResolve(t *testing.T) {
	dir := lay(t, map[string]string{"a/b": "/", "datei": "x", "in": "-> a", "kreis": "-> kreis", "tresor/knowledge": "/", "zum-tresor": "-> tresor"})
	vault := dir + "/tresor"
	for _, tt := range []struct {
		root any
		want string
	}{
		{nil, "BR-2"}, {7, "BR-2"}, {[]any{}, "BR-2"}, {"", "BR-2"}, {" \u00a0", "BR-2"},
		{"\xff/a", "path.utf8"}, // D-04
		{" /a", "path.blanks"}, {"/a\u2003", "path.blanks"}, {"/a\x1fb", "path.control"}, {"/a\x7f", "path.control"},
		{"a", "BR-3"}, {"./a", "BR-3"}, {"~/a", "BR-3"}, {dir + "/a/../a", "path.dotdot"},
		{dir + "/fehlt", "BR-4"}, {dir + "/datei/x", "BR-4"}, {dir + "/kreis", "BR-4"}, // D-05
		{dir + "/datei", "BR-6"}, {"/dev/null", "BR-6"},
		{vault, "BR-7"}, {dir + "/zum-tresor", "BR-7"}, {vault + "/knowledge", "BR-7"}, {dir, "BR-7"}, {"/", "BR-7"},
		{dir + "/a", ""}, {dir + "/./a//b/", ""}, {dir + "/in", ""}, {dir + "/in/b", ""},
	} {
		root, why := bindung.Resolve(tt.root, vault)
		if got := keys(why); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.root, got, tt.want)
		}
		if why == nil && (!strings.HasPrefix(root.Path, dir+"/a") || strings.HasSuffix(root.Path, "/")) {
			t.Errorf("%v: resolved to %s", tt.root, root.Path)
		}
	}
}

func TestOverlaps(t *testing.T) {
	dir := lay(t, map[string]string{"a/b": "/", "ab": "/"})
	resolve := func(p string) bindung.Root {
		r, why := bindung.Resolve(dir+"/"+p, "")
		if why != nil {
			t.Fatal(why.In("en"))
		}
		return r
	}
	for pair, want := range map[[2]string]bool{{"a", "a"}: true, {"a", "a/b"}: true, {"a/b", "a"}: true, {"a", "ab"}: false, {"a/b", "ab"}: false} {
		if got := resolve(pair[0]).Overlaps(resolve(pair[1])); got != want {
			t.Errorf("%v: %v", pair, got)
		}
	}
}

func TestRead(t *testing.T) {
	exact := strings.Repeat("ü", bindung.MaxDocument/2)
	dir := lay(t, map[string]string{
		"a.md": "eins\r\nzwei\r", "bom.md": "\ufeffx", "latin1.md": "gr\xfc\xdfe", "genau.md": exact, "mehr.md": exact + "x",
		"ordner.md/x.md": "y", "pipe.md": "|", "link.md": "-> a.md", "in": "-> echt", "echt/b.md": "z", "raus": "-> /etc", "draussen.md": "-> ../x.md",
		"tief/in": "-> ../echt", "Größe ß.md": "q", "rohr": "|",
	})
	must(t, os.Link(dir+"/a.md", dir+"/zweiter.md"))
	d := open(t, dir)
	for p, want := range map[string]string{
		"a.md": "", "./a.md": "", "echt//b.md": "", "zweiter.md": "", "bom.md": "", "genau.md": "", "Größe ß.md": "",
		"": "path.empty", " a.md": "path.blanks", "/a.md": "path.absolute", "../a.md": "path.dotdot", "echt/../a.md": "path.dotdot", `a\b.md`: "path.backslash",
		"a\x00.md": "path.control", "a\xff.md": "path.utf8", ".": "BD-3",
		"fehlt.md": "BD-1", "echt/fehlt/x.md": "BD-1", "a.md/x.md": "BD-1", "rohr/x.md": "BD-1", "rohr/tief/x.md": "BD-1", "latin1.md": "BD-5", "mehr.md": "BD-4", "ordner.md": "BD-3", "pipe.md": "BD-3",
		// D-54: no link in any component, wherever it leads
		"link.md": "BD-2", "in/b.md": "BD-2", "tief/in/b.md": "BD-2", "raus/passwd": "BD-2", "draussen.md": "BD-2",
	} {
		doc, why := d.Read(p)
		if got := keys(why); got != want {
			t.Errorf("%q: %q, want %q", p, got, want)
		}
		if want != "" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, p))
		must(t, err)
		if doc.Text != string(b) || doc.SHA256 != fmt.Sprintf("%x", sha256.Sum256(b)) || doc.Path != p {
			t.Errorf("%q: other bytes", p)
		}
	}
}

// D-54: whatever comes to lie at the path of a root, a Dir reads what was bound,
// and a root that was replaced before it was opened is refused.
func TestExchangedRootD54(t *testing.T) {
	dir := lay(t, map[string]string{"w/a.md": "gebunden", "neu/a.md": "untergeschoben", "neu/b.md": "x"})
	root, why := bindung.Resolve(dir+"/w", "")
	if why != nil {
		t.Fatal(why.In("en"))
	}
	d, why := root.Open()
	if why != nil {
		t.Fatal(why.In("en"))
	}
	defer d.Close()
	for _, exchange := range []func() error{
		func() error { return os.Rename(dir+"/neu", dir+"/w") },
		func() error { must(t, os.RemoveAll(dir+"/w")); return os.Symlink(dir+"/alt", dir+"/w") },
		func() error { must(t, os.Remove(dir+"/w")); return os.WriteFile(dir+"/w", nil, 0o644) },
	} {
		if _, err := os.Stat(dir + "/alt"); err != nil {
			must(t, os.Rename(dir+"/w", dir+"/alt"))
		}
		must(t, exchange())
		if doc, why := d.Read("a.md"); why != nil || doc.Text != "gebunden" {
			t.Errorf("read %q, %v", doc.Text, keys(why))
		}
		if docs, why := d.Documents(); why != nil || len(docs) != 1 {
			t.Errorf("%d documents, %v", len(docs), keys(why))
		}
	}
	must(t, os.Remove(dir+"/w"))
	must(t, os.Mkdir(dir+"/w", 0o755))
	if _, why := root.Open(); keys(why) != "BR-8" {
		t.Errorf("an exchanged root: %q", keys(why))
	}
	must(t, os.Remove(dir+"/w"))
	if _, why := root.Open(); keys(why) != "BR-4" {
		t.Errorf("a removed root: %q", keys(why))
	}
	must(t, syscall.Mkfifo(dir+"/w", 0o644))
	if _, why := root.Open(); keys(why) != "BR-4" {
		t.Errorf("a pipe in place of a root: %q", keys(why))
	}
}

// A folder in the path that turns into a link and back at any moment never leads
// anywhere else.
func TestFolderThatTurnsIntoALink(t *testing.T) {
	dir := lay(t, map[string]string{"w/m/a.md": "gut", "w/andere/a.md": "untergeschoben", "w/link": "-> andere"})
	d := open(t, dir+"/w")
	stop, done := make(chan struct{}), make(chan error)
	go func() {
		rename := func(from, to string) error { return os.Rename(dir+"/w/"+from, dir+"/w/"+to) }
		for {
			for _, step := range [][2]string{{"m", "m.alt"}, {"link", "m"}, {"m", "link"}, {"m.alt", "m"}} {
				if err := rename(step[0], step[1]); err != nil {
					done <- err
					return
				}
			}
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
		}
	}()
	reads := 0
	for range 500 {
		doc, why := d.Read("m/a.md")
		if why == nil {
			reads++
			if doc.Text != "gut" {
				t.Errorf("read %q", doc.Text)
			}
		}
		if docs, why := d.Documents(); why == nil && len(docs) != 2 && len(docs) != 1 {
			t.Errorf("%d documents", len(docs))
		}
	}
	close(stop)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, why := d.Read("m/a.md"); why != nil {
		t.Error(keys(why))
	}
	t.Logf("%d of 500 reads came through", reads)
}

// A document that lies on a file system of its own is refused. The machine must
// have two for this test.
func TestOtherDevice(t *testing.T) {
	const shm = "/dev/shm"
	var a, b syscall.Stat_t
	if syscall.Stat("/dev", &a) != nil || syscall.Stat(shm, &b) != nil || a.Dev == b.Dev {
		t.Skip("no second file system below a common folder")
	}
	f, err := os.CreateTemp(shm, "fremd-*.md")
	if err != nil {
		t.Skip(err)
	}
	defer os.Remove(f.Name())
	f.Close()
	d := open(t, "/dev")
	if _, why := d.Read("shm/" + filepath.Base(f.Name())); keys(why) != "BD-6" {
		t.Errorf("got %q", keys(why))
	}
	if _, why := d.Read("null"); keys(why) != "BD-3" {
		t.Errorf("a device: %q", keys(why))
	}
}

func TestDocuments(t *testing.T) {
	dir := lay(t, map[string]string{
		"z.md": "z", "a/x.md": "x", "a.md": "a", "a/B.MD": "b", "a/.versteckt/c.md": "-> /dev/null", ".md": "-> nix", ".git/y.md": "-> nix",
		"bild.png": "-> nix", "a/l": "-> ..", "leer": "/", "kein-md.": "x", "x.md.txt": "|",
	})
	docs, why := open(t, dir).Documents()
	var got []string
	for _, d := range docs {
		got = append(got, d.Path+"="+d.Text)
	}
	if want := "a.md=a a/B.MD=b a/x.md=x z.md=z"; why != nil || strings.Join(got, " ") != want {
		t.Errorf("got %q, %s", got, keys(why))
	}
}

// Any one thing refuses the whole tree.
func TestDocumentsRefuse(t *testing.T) {
	deep := strings.Repeat("d/", 13)
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"link":              {map[string]string{"b.md": "-> a.md"}, "b.md: BD-3"},
		"pipe":              {map[string]string{"b.MD": "|"}, "b.MD: BD-3"},
		"folder":            {map[string]string{"b/c.md": "/"}, "b/c.md: BD-3"},
		"no UTF-8":          {map[string]string{"b.md": "\xff"}, "b.md: BD-5"},
		"too large":         {map[string]string{"b.md": strings.Repeat("x", bindung.MaxDocument+1)}, "b.md: BD-4"},
		"unportable name":   {map[string]string{`b\c.md`: "x"}, `b\c.md: path.backslash`},
		"name is no UTF-8":  {map[string]string{"b\xff.md": "x"}, "b\xff.md: path.utf8"},
		"deep empty folder": {map[string]string{deep: "/"}, strings.TrimSuffix(deep, "/") + ": BD-10"},
		"just deep enough":  {map[string]string{deep[2:] + "a.md": "x"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tt.files["a.md"] = "a"
			docs, why := open(t, lay(t, tt.files)).Documents()
			if got := keys(why); got != tt.want || why != nil && docs != nil {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	t.Run("hard link D-57", func(t *testing.T) {
		dir := lay(t, map[string]string{"a.md": "a"})
		must(t, os.Link(dir+"/a.md", dir+"/b.md"))
		d := open(t, dir)
		if _, why := d.Documents(); keys(why) != "a.md: BD-3" {
			t.Errorf("got %q", keys(why))
		}
		if _, why := d.Read("b.md"); why != nil {
			t.Errorf("a single document: %q", keys(why))
		}
	})
}

func TestBudgets(t *testing.T) {
	fill := func(n int, name, content string) string {
		dir := lay(t, nil)
		for i := range n {
			must(t, os.WriteFile(fmt.Sprintf("%s/%05d%s", dir, i, name), []byte(content), 0o644))
		}
		return dir
	}
	dir := fill(5000, ".md", "x")
	must(t, os.WriteFile(dir+"/leer", nil, 0o644))
	for i := range 14_999 {
		must(t, os.Link(dir+"/leer", fmt.Sprintf("%s/%05d", dir, i)))
	}
	if docs, why := open(t, dir).Documents(); why != nil || len(docs) != 5000 {
		t.Errorf("5,000 documents among 20,000 entries: %d, %q", len(docs), keys(why))
	}
	must(t, os.Mkdir(dir+"/ordner", 0o755))
	if _, why := open(t, dir).Documents(); keys(why) != ".: BD-12" {
		t.Errorf("20,001 entries: %q", keys(why))
	}
	must(t, os.Remove(dir+"/ordner"))
	must(t, os.Remove(dir+"/leer"))
	must(t, os.WriteFile(dir+"/leer.md", nil, 0o644))
	if _, why := open(t, dir).Documents(); keys(why) != "BD-8" {
		t.Errorf("5,001 documents: %q", keys(why))
	}
	dir = fill(64, ".md", "")
	for i := range 64 {
		must(t, os.Truncate(fmt.Sprintf("%s/%05d.md", dir, i), bindung.MaxDocument))
	}
	if docs, why := open(t, dir).Documents(); why != nil || len(docs) != 64 {
		t.Errorf("64 MiB: %d documents, %q", len(docs), keys(why))
	}
	must(t, os.WriteFile(dir+"/a.md", []byte("x"), 0o644))
	if _, why := open(t, dir).Documents(); keys(why) != "BD-9" {
		t.Errorf("64 MiB and a byte: %q", keys(why))
	}
}
