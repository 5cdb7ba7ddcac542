package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outheis/tresor"
	"outheis/tresor/cli"
)

const base = "../testdata/conformance/bases/genossenschaft"

func run(o cli.Options, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = cli.Main(context.Background(), args, &out, &err, o)
	return code, out.String(), err.String()
}

func TestUsageErrors(t *testing.T) {
	for _, args := range [][]string{
		{}, {"unbekannt"}, {"--root"}, {"--root", base}, {"--rootx", base, "validate"}, {"-x"},
		{"validate", "--schnell"}, {"validate", "x"}, {"index", "--verify"}, {"query"}, {"search"}, {"route"}, {"query", "x", "--limit"},
		{"query", "x", "--world", "--limit", "3"}, {"query", "x", "--limit", "viele"}, {"query", "x", "--limit", " 3"}, {"query", "x", "--limit", "1_0"},
		{"query", "x", "--limit=+-3"}, {"query", "x", "--limit", "٣"}, {"search", "a\xff"}, {"query", "x", "-y"},
	} {
		for _, lang := range []string{"de", "en"} {
			code, stdout, stderr := run(cli.Options{Lang: lang, Root: base}, args...)
			if code != 2 || stdout != "" || !strings.HasSuffix(stderr, " --help\n") {
				t.Errorf("%q: exit %d, stdout %q, stderr %q", args, code, stdout, stderr)
			}
		}
	}
}

// A world that is named and is "" is unknown.
func TestQueryInNoWorld(t *testing.T) {
	for _, args := range [][]string{{"query", "Nachtruhe", "--world", ""}, {"query", "Nachtruhe", "--world="}, {"query", "--extern", "Nachtruhe", "--world="}} {
		if code, stdout, _ := run(cli.Options{Root: base}, args...); code != 2 || !strings.Contains(stdout, `"invalid_query"`) {
			t.Errorf("%q: exit %d, %s", args, code, stdout)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"-h"}, {"validate", "-h"}, {"--root", base, "query", "--help"}} {
		for lang, want := range map[string]string{"": "Aufruf: ", "en": "Usage: "} {
			code, stdout, stderr := run(cli.Options{Lang: lang}, args...)
			if code != 0 || !strings.HasPrefix(stdout, want) || stderr != "" {
				t.Errorf("%q: exit %d, stdout %q, stderr %q", args, code, stdout, stderr)
			}
		}
	}
}

func TestOptionsMayStandAnywhere(t *testing.T) {
	_, want, _ := run(cli.Options{Root: base}, "query", "--limit", "3", "--world", "BW-0001", "Wann beginnt die Nachtruhe?")
	for _, args := range [][]string{
		{"query", "Wann", "--limit=3", "beginnt", "--world=BW-0001", "die", "Nachtruhe?"},
		{"--root", base, "query", "--limit", "9", "--world", "BW-0001", "--limit", "+3", "--", "Wann", "beginnt", "die", "Nachtruhe?"},
		{"--root=" + base, "query", "Wann beginnt die Nachtruhe?", "--limit", "3", "--world", "BW-0001", "--source", "X-0001"},
	} {
		if code, got, stderr := run(cli.Options{Root: base}, args...); code != 0 || got != want {
			t.Errorf("%q: exit %d, %s%s", args, code, got, stderr)
		}
	}
}

func TestQueryPrintsOneDocument(t *testing.T) {
	tests := []struct {
		args []string
		code int
		part string
	}{
		{[]string{"query", "x", "--limit", "-1"}, 2, `"state": "invalid_query"`},
		{[]string{"query", "x", "--limit", "99999999999999999999"}, 2, `"state": "invalid_query"`},
		{[]string{"query", "a\xff"}, 1, `"query": "a�"`},
		{[]string{"query", "-5"}, 0, `"query": "-5"`},
		{[]string{"--root", "fehlt", "query", "x"}, 1, `"state": "invalid_vault"`},
	}
	for _, tt := range tests {
		code, stdout, stderr := run(cli.Options{Root: base}, tt.args...)
		if code != tt.code || !strings.Contains(stdout, tt.part) || !strings.HasSuffix(stdout, "}\n") || stderr != "" {
			t.Errorf("%q: exit %d, stdout %s, stderr %q", tt.args, code, stdout, stderr)
		}
	}
}

func TestARootThatIsNoFolder(t *testing.T) {
	for _, command := range []string{"validate", "index", "graph", "checksum", "stats"} {
		for root, want := range map[string]string{"fehlt": "fehlt", "cli_test.go": "cli_test.go"} {
			code, stdout, stderr := run(cli.Options{Root: root}, command)
			if code != 1 || !strings.HasPrefix(stdout, "🔴 "+command+": ") || !strings.Contains(stdout, want) || stderr != "" {
				t.Errorf("%s in %s: exit %d, stdout %q, stderr %q", command, root, code, stdout, stderr)
			}
		}
	}
}

func TestLanguages(t *testing.T) {
	_, german, _ := run(cli.Options{Root: base}, "validate")
	_, english, _ := run(cli.Options{Root: base, Lang: "en"}, "validate")
	if !strings.Contains(german, "Die Prüfung deckt den heutigen Inhalt nicht ab") || !strings.Contains(english, "the review does not cover the present content") {
		t.Errorf("German %s, English %s", german, english)
	}
	g, e := strings.Split(german, "\n"), strings.Split(english, "\n")
	for i := range g[:2] {
		labelG, _, _ := strings.Cut(g[i], ": ")
		labelE, _, _ := strings.Cut(e[i], ": ")
		if labelG != labelE || !strings.HasPrefix(labelG, "🟡 WARNUNG  ") {
			t.Errorf("label %q in German, %q in English", labelG, labelE)
		}
	}
	_, stats, _ := run(cli.Options{Root: base, Lang: "en"}, "stats")
	if !strings.HasPrefix(stats, "Profil oksv-lite/1.3 — 25 Seiten, 148 Claims, 13 Quellen, ") {
		t.Errorf("stats %s", stats)
	}
}

func TestSearchLines(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(base)); err != nil {
		t.Fatal(err)
	}
	line := "x\x1b[31m \u202e\u2066 GROẞ ﬆ İstanbul " + strings.Repeat("ü", 200)
	if err := os.WriteFile(filepath.Join(dir, "knowledge/labor/neu.md"), []byte("eins\n   "+line+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for term, hit := range map[string]bool{"groß": true, "GROSS": false, "ﬅ": true, "istanbul": true, "ıstanbul": true, "gro\u1e9e": true, "ÜÜ": true, "uu": false} {
		_, stdout, _ := run(cli.Options{Root: dir}, "search", term)
		if got := strings.Contains(stdout, "knowledge/labor/neu.md:2: x"); got != hit {
			t.Errorf("%s: hit is %v", term, got)
		}
	}
	_, stdout, _ := run(cli.Options{Root: dir}, "search", "[31m")
	first, _, _ := strings.Cut(stdout, "\n")
	if text := strings.TrimPrefix(first, "knowledge/labor/neu.md:2: "); len([]rune(text)) != 160 || strings.ContainsAny(text, "\x1b\u202e\u2066") {
		t.Errorf("line %q", first)
	}
	if code, stdout, _ := run(cli.Options{Root: dir}, "search", "a", " "); code != 1 || !strings.HasPrefix(stdout, "🔴 search: ") {
		t.Errorf("blank term: exit %d, %s", code, stdout)
	}
}

func TestALockStopsWritersAndStays(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(base)); err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(dir, ".vault-release.lock")
	if err := os.WriteFile(lock, []byte("pid=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"index", "graph", "checksum", "release", "log note x"} {
		name, _, _ := strings.Cut(command, " ")
		code, stdout, _ := run(cli.Options{Root: dir}, strings.Fields(command)...)
		if code != 1 || !strings.HasPrefix(stdout, "🔴 "+name+": ") || !strings.Contains(stdout, ".vault-release.lock") {
			t.Errorf("%s: exit %d, %s", command, code, stdout)
		}
	}
	if _, err := os.Stat(lock); err != nil {
		t.Error(err)
	}
}

func TestWritersAreNotCutOff(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(base)); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{"index": "held released", "graph": "held released", "checksum": "held released",
		"release": "held released", "log note x": "held released", "recover": "held released",
		"checksum --verify": "", "validate": "", "stats": ""} {
		var did []string
		hold := func(ctx context.Context) (context.Context, func()) {
			did = append(did, "held")
			return ctx, func() { did = append(did, "released") }
		}
		if code, stdout, _ := run(cli.Options{Root: dir, Hold: hold}, strings.Fields(command)...); code != 0 {
			t.Errorf("%s: exit %d, %s", command, code, stdout)
		}
		if got := strings.Join(did, " "); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// A reader that goes away changes neither the exit code nor anything else.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, errors.New("closed") }

func TestAClosedOutputIsNoError(t *testing.T) {
	if code := cli.Main(t.Context(), []string{"stats"}, closed{}, closed{}, cli.Options{Root: base}); code != 0 {
		t.Errorf("exit %d", code)
	}
}

func TestQueryAgreesWithTheLibrary(t *testing.T) {
	s, err := tresor.Open(base, tresor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"Wann beginnt die Nachtruhe?", "Protokoll", "nichts davon"} {
		r := s.Query(q, tresor.QueryOptions{})
		code, stdout, _ := run(cli.Options{Root: base}, "query", q)
		if code != r.ExitCode() || stdout != string(r.JSON()) {
			t.Errorf("%s: exit %d, library says %d", q, code, r.ExitCode())
		}
	}
}

func TestJSONInPlaceOfLines(t *testing.T) {
	for _, tt := range []struct {
		root string
		args []string
		code int
		part string
	}{
		{base, []string{"validate", "--json"}, 0, `"severity": "warning"`},
		{"fehlt", []string{"stats", "--json"}, 1, `"stats: `},
		{base, []string{"search", "--json", " "}, 1, `"errors": [`},
	} {
		code, stdout, stderr := run(cli.Options{Root: tt.root}, tt.args...)
		var doc map[string]any
		if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
			t.Errorf("%q: %v in %s", tt.args, err, stdout)
		}
		if code != tt.code || doc["exit"] != float64(code) || doc["command"] != tt.args[0] || !strings.Contains(stdout, tt.part) || stderr != "" {
			t.Errorf("%q: exit %d, stdout %s, stderr %q", tt.args, code, stdout, stderr)
		}
	}
}
