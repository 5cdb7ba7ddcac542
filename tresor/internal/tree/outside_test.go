package tree_test

import (
	"os"
	"path/filepath"
	"testing"

	"outheis/tresor/internal/tree"
)

func TestFollowAndWithin(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	inner := filepath.Join(base, "hof", "halle")
	if err := os.MkdirAll(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	link, nowhere := filepath.Join(base, "link"), filepath.Join(base, "nirgends")
	for name, target := range map[string]string{link: inner, nowhere: filepath.Join(base, "weg")} {
		if err := os.Symlink(target, name); err != nil {
			t.Skip(err) // a system without them
		}
	}
	for path, want := range map[string]string{
		inner: inner, link: inner, filepath.Join(link, "neu", "datei"): filepath.Join(inner, "neu", "datei"),
	} {
		if got, err := tree.Follow(path); err != nil || got != want {
			t.Errorf("Follow(%s) = %s, %v, want %s", path, got, err, want)
		}
	}
	if got, err := tree.Follow(nowhere); err == nil {
		t.Errorf("a link to nowhere leads to %s", got)
	}
	hof := filepath.Join(base, "hof")
	for _, c := range []struct {
		path, folder string
		want         bool
	}{
		{hof, hof, true}, {inner, hof, true}, {filepath.Join(inner, "neu"), hof, true}, {hof, inner, false},
		{filepath.Join(base, "hof2"), hof, false}, {link, inner, true}, {base, hof, false},
	} {
		if got := tree.Within(c.path, c.folder); got != c.want {
			t.Errorf("Within(%s, %s) = %v", c.path, c.folder, got)
		}
	}
}
