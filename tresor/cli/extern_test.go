package cli_test

import (
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"outheis/tresor"
	"outheis/tresor/cli"
	"outheis/tresor/netz"
)

// house lays the base with its external tree and foreign Tresor.
func house(t *testing.T) (root, tmp string) {
	t.Helper()
	tmp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for folder, base := range map[string]string{"vault": "genossenschaft", "baum": "handbuch", "fremd": "arbeitsschutz"} {
		if err := os.CopyFS(filepath.Join(tmp, folder), os.DirFS("../testdata/conformance/bases/"+base)); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(tmp, "vault"), tmp
}

func environment(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

func TestExternUsage(t *testing.T) {
	root, tmp := house(t)
	for _, args := range [][]string{{"extern"}, {"extern", "zeigen"}, {"extern", "\xff"}, {"extern", "bind", "\xff", "/a"}, {"extern", "bind", "X-0001", tmp, "x"},
		{"anchor-template", "X-0001"}, {"anchor-template", "X-0001", "a\xff.md"}, {"orchestrator-template"}, {"orchestrator-template", "X-0001", "x"},
		{"query", "x", "--source"}} {
		if code, stdout, stderr := run(cli.Options{Root: root}, args...); code != 2 || stdout != "" || stderr == "" {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
	for _, args := range [][]string{{"extern", "bind"}, {"extern", "unbind"}, {"extern", "bind", "X-0001"}, {"extern", "bind", "X-0001", ""}, {"extern", "bind", "X-0001", "baum"},
		{"extern", "bind", "X-0001", "/\xff"}, {"extern", "bind", "X-0003", tmp + "/baum"}, {"extern", "unbind", "X-0009"}} {
		if code, stdout, stderr := run(cli.Options{Root: root, Dir: tmp}, args...); code != 1 || !strings.HasPrefix(stdout, "🔴 extern: ") || stderr != "" {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}

func TestExternList(t *testing.T) {
	root, tmp := house(t)
	if code, stdout, _ := run(cli.Options{Root: root}, "extern", "bind", "X-0001", tmp+"/baum"); code != 0 || !strings.HasPrefix(stdout, "🟢 extern: X-0001") {
		t.Fatalf("exit %d, %s", code, stdout)
	}
	_, stdout, _ := run(cli.Options{Root: root, Env: environment(map[string]string{"SKILLSAFE_OFFLINE": "TRUE"})}, "extern", "list", "was", "auch")
	lines := strings.Split(stdout, "\n")
	for i, want := range []string{`^extern: 3 `, `^  🟢 X-0001  markdown-tree    Handbuch der Plattformgruppe$`, `^       lokal ` + tmp + `/baum$`,
		`^  🟡 X-0002  skillsafe-vault  Tresor des Arbeitsschutzes$`, `^       ungebunden — .*X-0002`, `^  🟡 X-0003  markdown-tree    Öffentliche Betriebsregeln$`,
		`^       Netz https://regeln.example.org/plattform/ \(SKILLSAFE_OFFLINE `, `^$`} {
		if i >= len(lines) || !regexp.MustCompile(want).MatchString(lines[i]) {
			t.Errorf("line %d of %q is not %s", i+1, lines, want)
		}
	}
	var doc struct {
		Exit    int
		Offline bool
		Sources []struct{ ID, Mode, Root string }
	}
	_, stdout, _ = run(cli.Options{Root: root, Env: environment(nil)}, "extern", "list", "--json")
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || doc.Offline || len(doc.Sources) != 3 || doc.Sources[0].Root != tmp+"/baum" || doc.Sources[2].Mode != "netz" {
		t.Errorf("%v, %s", err, stdout)
	}
	if code, stdout, _ := run(cli.Options{Root: root}, "extern", "unbind", "X-0001"); code != 0 || !strings.HasPrefix(stdout, "🟢 extern: ") {
		t.Errorf("exit %d, %s", code, stdout)
	}
	if code, stdout, _ := run(cli.Options{Root: root}, "extern", "unbind", "X-0001"); code != 0 || !strings.HasPrefix(stdout, "🟡 extern: X-0001 ") { // D-58
		t.Errorf("exit %d, %s", code, stdout)
	}
	if code, stdout, _ := run(cli.Options{Root: "../testdata/conformance/bases/klein"}, "extern", "list"); code != 0 || !strings.HasPrefix(stdout, "🟡 extern: ") {
		t.Errorf("nothing listed: exit %d, %s", code, stdout)
	}
}

// An operator's host on the loopback interface, over TLS, from the command line
// to the cache and the log.
func TestNetworkFromEndToEnd(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.URL.Path != "/plattform/ausrollen.md" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, "# Ausrollen\n\nDas Fenster zum Ausrollen endet um 15:00 Uhr.\n")
	}))
	defer server.Close()
	root, tmp := house(t)
	register := filepath.Join(root, "sources/EXTERN.md")
	b, err := os.ReadFile(register)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(register, []byte(strings.ReplaceAll(string(b), "https://regeln.example.org", server.URL)), 0o644); err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	now := time.Date(2026, 5, 6, 12, 0, 0, 0, time.UTC)
	o := cli.Options{Root: root, Now: func() time.Time { return now }, Env: environment(map[string]string{"XDG_CACHE_HOME": tmp + "/cache"}),
		Network: netz.Options{Roots: roots, Hosts: []string{"127.0.0.1"}}}
	if code, stdout, _ := run(o, "checksum"); code != 0 {
		t.Fatal(stdout)
	}
	var doc struct {
		State    string
		External struct {
			State, FetchedAt string
			Notes            []string
			Hits             []struct{ Document, Text string }
		}
		Fallback map[string]any
	}
	query := []string{"query", "Fenster zum Ausrollen", "--extern", "--source=X-0003"}
	code, stdout, stderr := run(o, query...)
	if err := json.Unmarshal([]byte(stdout), &doc); err != nil || code != 0 || stderr != "" {
		t.Fatalf("exit %d, %v, %s%s", code, err, stdout, stderr)
	}
	e := doc.External
	if e.State != "external_candidates_found" || len(e.Hits) != 1 || e.Hits[0].Document != "ausrollen.md" || len(e.Notes) != 2 ||
		!strings.HasPrefix(e.Notes[0], "X-0003/wartung.md: ") || doc.Fallback["external_live_lookup_used"] != true || asked.Load() != 2 {
		t.Errorf("%d requests, got %s", asked.Load(), stdout)
	}
	entries := func() int {
		b, err := os.ReadFile(filepath.Join(root, "log.md"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(b), "## [2026-05-06] extern | abruf "+server.URL+"/plattform/ausrollen.md sha256=")
	}
	if entries() != 1 {
		t.Errorf("%d entries in the log", entries())
	}

	// an anchor template comes from the cache now, even offline
	o.Env = environment(map[string]string{"XDG_CACHE_HOME": tmp + "/cache", "SKILLSAFE_OFFLINE": " Yes "})
	code, stdout, stderr = run(o, "anchor-template", "X-0003", "ausrollen.md")
	if code != 0 || !strings.Contains(stdout, `"text": "Das Fenster zum Ausrollen endet um 15:00 Uhr."`) || stderr != "" {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	if asked.Load() != 2 || entries() != 1 {
		t.Errorf("%d requests, %d entries", asked.Load(), entries())
	}

	// without the operator's word nobody reads from this machine
	o.Network.Hosts, o.Env = nil, environment(nil)
	code, stdout, _ = run(o, query...)
	if code != 0 || !strings.Contains(stdout, `"state": "not_bound"`) || asked.Load() != 2 {
		t.Errorf("exit %d, %d requests, %s", code, asked.Load(), stdout)
	}
}

// The command line says what the library says.
func TestExternalQueryAgreesWithTheLibrary(t *testing.T) {
	root, tmp := house(t)
	for id, folder := range map[string]string{"X-0001": "baum", "X-0002": "fremd"} {
		if code, stdout, _ := run(cli.Options{Root: root}, "extern", "bind", id, tmp+"/"+folder); code != 0 {
			t.Fatal(stdout)
		}
	}
	s, err := tresor.Open(root, tresor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sources := []string{"X-0001", "X-0002"}
	for _, q := range []string{"Alarm bestätigen", "Augenduschen", "Kaffeemaschine"} {
		r := s.QueryExternal(t.Context(), q, tresor.QueryOptions{}, tresor.LookupOptions{Sources: sources})
		code, stdout, _ := run(cli.Options{Root: root, Env: environment(nil)}, "query", q, "--extern", "--source", "X-0002", "--source", "X-0001")
		if code != r.ExitCode() || stdout != string(r.JSON()) {
			t.Errorf("%s: exit %d, library says %d", q, code, r.ExitCode())
		}
	}
}
