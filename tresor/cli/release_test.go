package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"outheis/tresor/cli"
)

// tresorOf lays the base Tresor to a fresh folder.
func tresorOf(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tresor")
	if err := os.CopyFS(dir, os.DirFS(base)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func read(t *testing.T, dir, path string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t *testing.T, dir, path, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, path), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func may() time.Time { return time.Date(2026, 5, 18, 9, 0, 0, 0, time.Local) }

func TestReleaseLines(t *testing.T) {
	dir := tresorOf(t)
	for _, tt := range []struct {
		lang, level, want string
	}{
		{"de", "minor", "🟡 release: v1.5.0 freigegeben, mit 2 Warnungen"},
		{"en", "patch", "🟡 release: v1.5.1 released, with 2 warnings"},
		{"de", "", "🟡 release: v1.5.2 "},
		{"de", "major", "🟡 release: v2.0.0 "},
	} {
		args := append([]string{"release"}, strings.Fields(tt.level)...)
		code, stdout, stderr := run(cli.Options{Root: dir, Lang: tt.lang, Now: may}, args...)
		lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
		if code != 0 || stderr != "" || len(lines) != 4 || !strings.HasPrefix(lines[3], tt.want) {
			t.Errorf("%q: exit %d, %s%s", args, code, stdout, stderr)
			continue
		}
		for i, begin := range []string{"🟢 index: 25 ", "🟢 graph: 25 ", "🟢 checksum: "} {
			if !strings.HasPrefix(lines[i], begin) {
				t.Errorf("line %q, want %q", lines[i], begin)
			}
		}
	}
	if got := read(t, dir, "VERSION"); got != "2.0.0\n" {
		t.Errorf("VERSION %q", got)
	}
	code, stdout, stderr := run(cli.Options{Root: dir}, "release", "mega")
	if code != 2 || stdout != "" || !strings.Contains(stderr, "mega") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
}

func TestReleaseDocument(t *testing.T) {
	dir := tresorOf(t)
	code, stdout, _ := run(cli.Options{Root: dir, Now: may}, "release", "--json")
	for _, part := range []string{`"command": "release"`, `"exit": 0`, `"version": "1.4.3"`, `"pages": 25`,
		`"entry": "## [2026-05-18] release | v1.4.3 — 25 Seiten, 148 Claims, 13 Quellen (patch)"`} {
		if code != 0 || !strings.Contains(stdout, part) {
			t.Errorf("exit %d, %s lacks %s", code, stdout, part)
		}
	}
}

func TestLogLines(t *testing.T) {
	dir := tresorOf(t)
	before := read(t, dir, "log.md")
	entry := "## [2026-05-18] note | Rücksprache | offen"
	code, stdout, stderr := run(cli.Options{Root: dir, Now: may}, "log", "note", "Rücksprache | offen")
	if code != 0 || !strings.HasPrefix(stdout, "🟢 log: ") || !strings.HasSuffix(stdout, entry+"\n") || stderr != "" {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	if got := read(t, dir, "log.md"); got != before+entry+"\n" {
		t.Errorf("log %q", got)
	}
	for _, args := range [][]string{{"log", "löschen", "x"}, {"log", "note", "a\nb"}, {"log", "note", "a\xff"}} {
		if code, stdout, _ := run(cli.Options{Root: dir}, args...); code != 1 || !strings.HasPrefix(stdout, "🔴 log: ") {
			t.Errorf("%q: exit %d, %s", args, code, stdout)
		}
	}
	for _, args := range [][]string{{"log"}, {"log", "note"}, {"log", "note", "a", "b"}} {
		if code, _, _ := run(cli.Options{Root: dir}, args...); code != 2 {
			t.Errorf("%q: exit %d", args, code)
		}
	}
}

func TestRecoverLines(t *testing.T) {
	tests := []struct {
		name  string
		lay   func(t *testing.T, dir string)
		args  string
		input string // what a person answers; "-" for nobody
		code  int
		parts []string
	}{
		{"sound", func(*testing.T, string) {}, "recover", "-", 0, []string{"🟢 recover: Kein Schreibvorgang"}},
		{"lock", layLock, "recover", "-", 1, []string{"🔴 .vault-release.lock: ", "   1. ", "--gone", "🔴 recover: Hier muss ein Mensch"}},
		{"lock, still unclear", layLock, "recover --apply", "j\n", 1, []string{"🔴 recover: Hier muss ein Mensch"}},
		{"lock, word", layLock, "recover --apply --gone", "-", 0, []string{"   1. .vault-release.lock entfernen.", "🟢 recover: Ausgeführt.", "🟢 recover: Der Tresor ist gültig"}},
		{"lock, asked", layLock, "recover --gone", "j\n", 0, []string{"🟡 recover: Diese Schritte sind sicher. Ausführen mit: outheis tresor recover --apply --gone\n", "🟢 recover: Ausgeführt."}},
		{"lock, no", layLock, "recover --gone", "n\n", 1, []string{"🟡 recover: Diese Schritte sind sicher. Ausführen mit: outheis tresor recover --apply --gone\n"}},
		{"lock, no answer", layLock, "recover --gone", "", 1, []string{"🟡 recover: Diese Schritte sind sicher. Ausführen mit: outheis tresor recover --apply --gone\n"}},
		{"document", layLock, "recover --apply --gone --json", "-", 0, []string{`"state": "repaired"`, `"pinned": true`, `"valid": true`, `"rule": "RV-5"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := tresorOf(t)
			tt.lay(t, dir)
			o := cli.Options{Dir: dir}
			if tt.input != "-" {
				o.In = strings.NewReader(tt.input)
			}
			code, stdout, _ := run(o, strings.Fields(tt.args)...)
			if code != tt.code {
				t.Errorf("exit %d, want %d: %s", code, tt.code, stdout)
			}
			for _, part := range tt.parts {
				if !strings.Contains(stdout, part) {
					t.Errorf("%s lacks %s", stdout, part)
				}
			}
			if _, err := os.Lstat(filepath.Join(dir, ".vault-release.lock")); (err == nil) != (code == 1) {
				t.Errorf("exit %d, lock %v", code, err)
			}
		})
	}
}

func layLock(t *testing.T, dir string) { write(t, dir, ".vault-release.lock", "pid=4711\n") }

// A writer that is told to stop before it began changes nothing and says so.
func TestAWriterIsStopped(t *testing.T) {
	dir := tresorOf(t)
	for _, command := range []string{"index", "graph", "checksum", "release", "log note x"} {
		hold := func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return ctx, func() {}
		}
		before, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		code, stdout, _ := run(cli.Options{Root: dir, Hold: hold}, strings.Fields(command)...)
		if code != 1 || !strings.Contains(stdout, "abgebrochen; nichts wurde verändert") {
			t.Errorf("%s: exit %d, %s", command, code, stdout)
		}
		after, err := os.ReadDir(dir)
		if err != nil || !slices.EqualFunc(before, after, func(a, b os.DirEntry) bool { return a.Name() == b.Name() }) {
			t.Errorf("%s: %v, then %v, %v", command, before, after, err)
		}
	}
}
