package texts_test

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"outheis/config/texts"
)

// root is the folder of the module.
const root = "../.."

// An area that has no sentence yet is being written; it is reported, no more.
func TestCodeAsksForWhatIsThere(t *testing.T) {
	u := scan(t, os.DirFS(root))
	forms := texts.For("de").Forms()
	areas := make(map[string]bool)
	for key := range forms {
		areas[area(key)] = true
	}
	for _, a := range u.asked {
		f, ok := forms[a.key]
		switch {
		case !areas[area(a.key)]:
			t.Logf("%s: Say(%q): area without a file", a.pos, a.key)
		case !ok:
			t.Errorf("%s: Say(%q): no such sentence", a.pos, a.key)
		case a.args >= 0 && a.args != len(arguments(t, a.key, f)):
			t.Errorf("%s: Say(%q) hands over %d arguments, the sentence reads %d", a.pos, a.key, a.args, len(arguments(t, a.key, f)))
		}
	}
	for _, p := range u.prefixes {
		if strings.Contains(p.key, ".") && !areas[area(p.key)] || p.args == perhaps {
			continue
		}
		if !slices.ContainsFunc(slices.Collect(maps.Keys(forms)), func(k string) bool { return strings.HasPrefix(k, p.key) }) {
			t.Errorf("%s: no sentence begins with %q", p.pos, p.key)
		}
	}
	if len(u.asked) == 0 {
		t.Log("no Say with a literal key in the tree")
	}
}

// An area that no code names yet is being written; it is reported, no more.
func TestNoSentenceIsThereForNothing(t *testing.T) {
	u := scan(t, os.DirFS(root))
	unused := make(map[string][]string)
	used := make(map[string]bool)
	for key := range texts.For("de").Forms() {
		if u.uses(key) {
			used[area(key)] = true
		} else {
			unused[area(key)] = append(unused[area(key)], key)
		}
	}
	for _, a := range slices.Sorted(maps.Keys(unused)) {
		if !used[a] {
			t.Logf("area %s: %d sentences and no code that says one yet", a, len(unused[a]))
			continue
		}
		slices.Sort(unused[a])
		for _, key := range unused[a] {
			t.Errorf("%s: no code says it; keys built from variables are listed in testdata/dynamic_keys.txt", key)
		}
	}
}

func TestScan(t *testing.T) {
	u := scan(t, fstest.MapFS{
		"a/a.go": {Data: []byte(`package a
func f(t T, n int, all []any, k string) {
	t.Say("store.locked", n, "x")
	t.Say("store.spread", all...)
	t.Say("store.refused_" + k)
	t.Say(fmt.Sprintf("store.state_%s", k))
	t.Say(k)
	g("store.elsewhere")
	s := func(k string) { t.Say("log." + k) }
	s("whole")
	s("begun_" + k)
	k = "store.built_" + k
	os.Open("config.json")
}`)},
		"a/a_test.go":     {Data: []byte("package a\nfunc g() { t.Say(\"store.only_tests\") }\n")},
		"a/broken.go":     {Data: []byte("package a\nfunc {")},
		"testdata/x.go":   {Data: []byte("package x\nvar k = \"store.testdata\"\n")},
		".hidden/x.go":    {Data: []byte("package x\nvar k = \"store.hidden\"\n")},
		"config/texts.md": {Data: []byte("store.text")},
	})
	var got []string
	for _, a := range u.asked {
		got = append(got, fmt.Sprintf("%s %s/%d", a.pos, a.key, a.args))
	}
	if want := []string{"a/a.go:3 store.locked/2", "a/a.go:4 store.spread/-1"}; !slices.Equal(got, want) {
		t.Errorf("asked: got %q, want %q", got, want)
	}
	for key, want := range map[string]bool{
		"store.locked": true, "store.spread": true, "store.refused_quota": true, "store.state_open": true,
		"store.elsewhere": true, "store.only_tests": false, "store.testdata": false, "store.hidden": false, "store.text": false,
		"store.built_here": true, "log.whole": true, "log.begun_well": true, "log.other": false,
	} {
		if got := u.uses(key); got != want {
			t.Errorf("uses(%q) = %v, want %v", key, got, want)
		}
	}
}

// area returns the part of a key that names its file.
func area(key string) string {
	a, _, _ := strings.Cut(key, ".")
	return a
}

// usage is what the Go files of a tree say about keys.
type usage struct {
	asked     []mention       // Say with a literal key
	prefixes  []mention       // Say with a key that begins with a literal, and the listed ones
	mentioned map[string]bool // literals that look like a key, or like its last part
}

type mention struct {
	pos, key string
	args     int // or spread, or perhaps
}

const (
	spread  = -1 // the arguments are those of a slice
	perhaps = -2 // what looks like the beginning of a key may be something else
)

// uses reports whether some code says key: it names it, or begins it. Code that
// begins keys with nothing but the area, as in Say("store."+key), has to name
// or begin the rest.
func (u *usage) uses(key string) bool {
	if u.mentioned[key] {
		return true
	}
	for _, p := range u.prefixes {
		rest, ok := strings.CutPrefix(key, p.key)
		switch {
		case !ok:
		case !strings.HasSuffix(p.key, "."), u.mentioned[rest]:
			return true
		default:
			for i, c := range rest {
				if c == '_' && u.mentioned[rest[:i+1]] {
					return true
				}
			}
		}
	}
	return false
}

var keyPattern = regexp.MustCompile(`^[a-z][a-z0-9]*(\.[a-z0-9_]+)+$|^[a-z0-9_]+$`)

var beginning = regexp.MustCompile(`^[a-z][a-z0-9]*\.[a-z0-9_.]*_$`)

// scan reads all Go files of fsys except tests, test data and hidden folders.
// A file that does not parse is somebody's work in progress and is reported.
func scan(t *testing.T, fsys fs.FS) *usage {
	t.Helper()
	u := &usage{mentioned: make(map[string]bool)}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() && name != "." && (base == "testdata" || base == "node_modules" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(base) != ".go" || strings.HasSuffix(base, "_test.go") {
			return nil
		}
		src, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
		if err != nil {
			t.Logf("skipped: %v", err)
			return nil
		}
		u.read(fset, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	u.listed(t)
	return u
}

func (u *usage) read(fset *token.FileSet, file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if s := literal(n); keyPattern.MatchString(s) {
				u.mentioned[s] = true
			}
		case *ast.BinaryExpr:
			if s := prefix(n); n.Op == token.ADD && beginning.MatchString(s) {
				u.prefixes = append(u.prefixes, mention{key: s, args: perhaps})
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Say" && len(n.Args) > 0 {
				p := fset.Position(n.Pos())
				m := mention{pos: fmt.Sprintf("%s:%d", p.Filename, p.Line), key: literal(n.Args[0]), args: len(n.Args) - 1}
				if n.Ellipsis.IsValid() {
					m.args = spread
				}
				if m.key != "" {
					u.asked = append(u.asked, m)
				} else if m.key = prefix(n.Args[0]); m.key != "" {
					u.prefixes = append(u.prefixes, m)
				}
			}
		}
		return true
	})
}

// literal returns the string that e is written as, or "".
func literal(e ast.Expr) string {
	b, ok := e.(*ast.BasicLit)
	if !ok || b.Kind != token.STRING {
		return ""
	}
	s, err := strconv.Unquote(b.Value)
	if err != nil {
		return ""
	}
	return s
}

// prefix returns the literal that the value of e begins with, or "".
func prefix(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		if s := literal(e.X); s != "" {
			return s
		}
		return prefix(e.X)
	case *ast.CallExpr:
		if len(e.Args) > 0 {
			s, _, _ := strings.Cut(literal(e.Args[0]), "%")
			return s
		}
	}
	return ""
}

// listed adds the prefixes of testdata/dynamic_keys.txt.
func (u *usage) listed(t *testing.T) {
	t.Helper()
	const name = "testdata/dynamic_keys.txt"
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(b))
	for n := 1; lines.Scan(); n++ {
		if s := strings.TrimSpace(lines.Text()); s != "" && !strings.HasPrefix(s, "#") {
			u.prefixes = append(u.prefixes, mention{pos: fmt.Sprintf("%s:%d", name, n), key: s})
		}
	}
}
