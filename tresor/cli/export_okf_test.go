package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outheis/tresor/cli"
)

func TestExportUsage(t *testing.T) {
	for _, args := range [][]string{
		{"export"}, {"export", "--okf"}, {"export", "--out", "x"}, {"export", "--okf", "--out"}, {"export", "--okf", "--out="},
		{"export", "--okf", "--out", "x", "y"}, {"export", "--okf", "--out", "x", "--format"},
	} {
		code, stdout, stderr := run(cli.Options{Root: base}, args...)
		if code != 2 || stdout != "" || stderr == "" {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}

// D-78: the last line says where the earlier export is.
func TestExportLines(t *testing.T) {
	root, err := filepath.Abs(base)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	export := func(more ...string) string {
		t.Helper()
		code, stdout, stderr := run(cli.Options{Root: root, Dir: dir}, append([]string{"export", "--okf", "--out", "paket"}, more...)...)
		if code != 0 || stderr != "" {
			t.Fatalf("exit %d, %s%s", code, stdout, stderr)
		}
		return stdout
	}
	lines := strings.Split(export(), "\n")
	target := filepath.Join(dir, "paket")
	if len(lines) != 5 || !strings.HasPrefix(lines[0], "🟢 export: 31 Dokumente nach "+target+" ") || !strings.HasPrefix(lines[3], "   Rohquellen blieben") {
		t.Errorf("%q", lines)
	}
	lines = strings.Split(export("--with-sources"), "\n")
	if len(lines) != 6 || !strings.HasPrefix(lines[0], "🟢 export: 31 Dokumente + 13 Rohquellen nach ") || !strings.Contains(lines[3], "§11") ||
		!strings.Contains(lines[4], filepath.Join(dir, ".paket.okf-alt-")) {
		t.Errorf("%q", lines)
	}
	var doc struct {
		Command, Target, Former string
		Exit, Documents, Raw    int
	}
	if err := json.Unmarshal([]byte(export("--json")), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Command != "export" || doc.Target != target || doc.Documents != 31 || doc.Raw != 0 || doc.Exit != 0 || !strings.Contains(doc.Former, ".okf-alt-") {
		t.Errorf("%+v", doc)
	}
}

func TestExportRefusal(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(base)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "knowledge", "labor", "neu.md"), []byte("kaputt"), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "paket")
	code, stdout, _ := run(cli.Options{Root: dir}, "export", "--okf", "--out", out)
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	if code != 1 || !strings.HasPrefix(lines[0], "🔴 export: ") || len(lines) < 2 || !strings.HasPrefix(lines[1], "   knowledge/labor/neu.md") {
		t.Errorf("exit %d, %q", code, lines)
	}
	code, stdout, _ = run(cli.Options{Root: dir, Env: func(string) string { return filepath.Dir(out) }}, "export", "--okf", "--out", filepath.Dir(out), "--json")
	var doc struct {
		Exit     int
		Errors   []string
		Findings []struct{ Path string }
	}
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || code != 1 || doc.Exit != 1 || len(doc.Errors) != 1 || len(doc.Findings) == 0 {
		t.Errorf("exit %d, %v, %s", code, err, stdout)
	}
	if entries, err := os.ReadDir(filepath.Dir(out)); err != nil || len(entries) > 0 {
		t.Errorf("written: %v, %v", entries, err)
	}
}
