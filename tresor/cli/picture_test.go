package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outheis/tresor/cli"
)

func TestGraphAsAPicture(t *testing.T) {
	const halle3 = "../testdata/halle3" // valid, not released, without a folder graph
	before, err := os.ReadDir(halle3)
	if err != nil {
		t.Fatal(err)
	}
	for format, part := range map[string]string{"dot": "digraph tresor {\n", "mermaid": "flowchart LR\n"} {
		code, stdout, stderr := run(cli.Options{Root: halle3}, "graph", "--format", format)
		if code != 0 || !strings.HasPrefix(stdout, part) || !strings.Contains(stdout, "Regeln der Halle 3") || stderr != "" {
			t.Errorf("%s: exit %d, %s%s", format, code, stdout, stderr)
		}
		out := filepath.Join(t.TempDir(), "bild")
		code, said, _ := run(cli.Options{Root: halle3}, "graph", "--format", format, "--out", out)
		if b, err := os.ReadFile(out); code != 0 || err != nil || string(b) != stdout || !strings.HasPrefix(said, "🟢 graph: ") {
			t.Errorf("%s: exit %d, %s, file %q, %v", format, code, said, b, err)
		}
		if _, dash, _ := run(cli.Options{Root: halle3}, "graph", "--format", format, "--out", "-"); dash != stdout {
			t.Errorf("%s --out -: %s", format, dash)
		}
		if left, err := os.ReadDir(filepath.Dir(out)); err != nil || len(left) != 1 {
			t.Errorf("%s: left behind %v, %v", format, left, err)
		}
		var doc struct{ Format, Picture string }
		_, document, _ := run(cli.Options{Root: halle3}, "graph", "--format", format, "--json")
		if err := json.Unmarshal([]byte(document), &doc); err != nil || doc.Format != format || doc.Picture != stdout {
			t.Errorf("%s: %v in %s", format, err, document)
		}
	}
	if after, err := os.ReadDir(halle3); err != nil || len(after) != len(before) {
		t.Errorf("the Tresor was written to: %v, %v", after, err)
	}
}

// A file of somebody is never overwritten, and the refusal says what to type
// instead.
func TestAPictureOverwritesNothing(t *testing.T) {
	dir := t.TempDir()
	file(t, dir, "mein bild", "wichtig\n")
	root, err := filepath.Abs(base)
	if err != nil {
		t.Fatal(err)
	}
	code, stdout, _ := curated(dir, "-", "--root", root, "graph", "--format", "dot", "--out", "mein bild")
	if code != 1 || !strings.Contains(stdout, "gibt es schon") || !strings.Contains(stdout, "outheis tresor --root "+root+" graph --format dot > 'mein bild'") {
		t.Errorf("exit %d, %s", code, stdout)
	}
	if got := content(t, dir, "mein bild"); got != "wichtig\n" {
		t.Errorf("the file is %q", got)
	}
	if err := os.Symlink("fern", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if code, stdout, _ := curated(dir, "-", "--root", root, "graph", "--format", "dot", "--out", "link"); code != 1 || !strings.Contains(stdout, "es ist schon da") {
		t.Errorf("exit %d, %s", code, stdout)
	}
	if code, _, stderr := curated(dir, "-", "--root", root, "graph", "--format", "dot", "--out", ""); code != 2 || !strings.Contains(stderr, "--out") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 2 {
		t.Errorf("left behind %v, %v", names, err)
	}
}

func TestGraphAsAPictureRefuses(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // without Graphviz
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(base)); err != nil {
		t.Fatal(err)
	}
	broken := t.TempDir()
	if err := os.Mkdir(filepath.Join(broken, "sources"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		root string
		args []string
		code int
		says string
	}{
		{base, []string{"--format", "png"}, 2, "png"},
		{base, []string{"--out", "x"}, 2, "--format"},
		{base, []string{"--format", "svg"}, 1, "Graphviz installieren"},
		{dir, []string{"--format", "dot", "--out", filepath.Join(dir, "bild.md")}, 1, "liegt im Tresor"},
		{dir, []string{"--format", "dot", "--out", filepath.Join(dir, "graph", "graph.json")}, 1, "liegt im Tresor"},
		{base, []string{"--format", "dot", "--out", t.TempDir()}, 1, "wurde nicht geschrieben"},
		{base, []string{"--format", "dot", "--out", filepath.Join(t.TempDir(), "fehlt", "bild")}, 1, "wurde nicht geschrieben"},
		{broken, []string{"--format", "dot"}, 1, "graph: abgebrochen"},
	} {
		code, stdout, stderr := run(cli.Options{Root: tt.root}, append([]string{"graph"}, tt.args...)...)
		if code != tt.code || !strings.Contains(stdout+stderr, tt.says) {
			t.Errorf("%q: exit %d, %s%s", tt.args, code, stdout, stderr)
		}
	}
}
