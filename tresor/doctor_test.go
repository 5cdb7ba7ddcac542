package tresor_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"outheis/tresor"
)

// edit replaces text in a file of the Tresor.
func edit(t *testing.T, dir, path, from, to string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, path))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), from) {
		t.Fatalf("%s does not contain %q", path, from)
	}
	put(t, dir, path, strings.Replace(string(b), from, to, 1))
}

func diagnose(t *testing.T, dir string) tresor.Diagnosis {
	t.Helper()
	d, err := tresor.Diagnose(dir, tresor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const rules = "# Regeln\n\nDer Raum ist hell. Ohne Einweisung bleibt der Laser gesperrt.\n"

// bind binds X-0001 to a new folder with the document that it is cited from.
func bind(t *testing.T, dir, key, document string) (root string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if document != "" {
		put(t, root, "regeln/laser.md", document)
	}
	put(t, dir, ".vault-extern.json", fmt.Sprintf(`{"schema": "skillsafe.bindung/v1", "bindings": [
		{"key": %q, "source_id": "X-0001", "root": %q, "bound_at": "2026-05-06"}], "cache_ttl_seconds": 0}`, key, root))
	return root
}

func TestDiagnose(t *testing.T) {
	const page, other = "knowledge/werkstatt/halle3.md", "knowledge/werkstatt/laserraum.md"
	released, unbound := halle3(t), "DR-19 DR-19"
	for _, tt := range []struct {
		name                    string
		change                  func(t *testing.T, dir string)
		errors, warnings, hints string
	}{
		{"released", func(*testing.T, string) {}, "", "", unbound},
		{"no VERSION", func(t *testing.T, dir string) { remove(t, dir, "VERSION") }, "DR-29 DR-18", "", unbound},
		{"VERSION is no text", func(t *testing.T, dir string) { put(t, dir, "VERSION", "\xff") }, "DR-2 DR-18", "", unbound},
		{"VERSION", func(t *testing.T, dir string) { put(t, dir, "VERSION", "1.0\n") }, "DR-3 DR-18", "", unbound},
		{"no index", func(t *testing.T, dir string) { remove(t, dir, "INDEX.md") }, "DR-4 DR-18", "", unbound},
		{"index is no text", func(t *testing.T, dir string) { put(t, dir, "INDEX.md", "\xff") }, "DR-2 DR-18", "", unbound},
		{"graph with CRLF (D-28)", func(t *testing.T, dir string) { edit(t, dir, "graph/graph.json", "{\n", "{\r\n") }, "DR-5 DR-18", "", unbound},
		{"no manifest", func(t *testing.T, dir string) { remove(t, dir, "MANIFEST.sha256") }, "DR-18", "", unbound},
		{"VERSION with a byte-order mark", func(t *testing.T, dir string) { edit(t, dir, "VERSION", "1", "\ufeff1"); pin(t, dir) }, "DR-27", "", unbound},
		{"log.md with a byte-order mark", func(t *testing.T, dir string) { put(t, dir, "log.md", "\ufeff## [2026-05-04] note | a\n") }, "", "", "DR-28 " + unbound},
		{"graph folder gone", func(t *testing.T, dir string) {
			remove(t, dir, "graph/graph.json")
			remove(t, dir, "graph")
			if _, err := tresor.WriteManifest(t.Context(), dir, tresor.Options{}); err != nil {
				t.Fatal(err)
			}
		}, "DR-26", "", unbound},
		{"quarantine (D-74)", func(t *testing.T, dir string) { put(t, dir, "sources/quarantine/x.md", "x") }, "QU-1 DR-17", "", unbound},
		{"lock (D-65)", func(t *testing.T, dir string) { put(t, dir, ".vault-release.lock", "pid=1\nhost=a\n") }, "DR-6", "", "DR-7 " + unbound},
		{"lock is a folder", func(t *testing.T, dir string) { put(t, dir, ".vault-release.lock/x.md", "x") }, "DR-6 DR-18", "", unbound},
		{"lock leads nowhere", func(t *testing.T, dir string) { link(t, "nirgends", filepath.Join(dir, ".vault-release.lock")) }, "TR-1 DR-6 DR-18", "", unbound},
		{"staging (D-66)", func(t *testing.T, dir string) {
			put(t, filepath.Dir(dir), ".halle3-release-abcdefghijkl/00.orig", "x")
			put(t, filepath.Dir(dir), ".halle4-release-abcdefghijkl/00.orig", "x")
			put(t, filepath.Dir(dir), ".halle3-release-dateiabcdefg", "x")
			put(t, filepath.Dir(dir), ".halle3-release-2026-release-abcdefghijkl/00.orig", "x")
		}, "", "", "DR-8 " + unbound},
		{"router", func(t *testing.T, dir string) {
			put(t, dir, "ROUTER.md", "## werkstatt\nschlagworte: laser\n")
			pin(t, dir)
		}, "", "DR-9 DR-9 DR-10", unbound},
		{"keyword twice in a domain (D-72)", func(t *testing.T, dir string) {
			edit(t, dir, "ROUTER.md", "halle 3,", "halle 3, laser, Laser,")
			pin(t, dir)
		}, "", "", unbound},
		{"keyword in two domains", func(t *testing.T, dir string) {
			edit(t, dir, "ROUTER.md", "- knowledge/werkstatt/halle3.md\n", "- knowledge/werkstatt/halle3.md\n- knowledge/werkstatt/laserraum.md\n\n## hof\nschlagworte: hof, laser\n- knowledge/hof/tor.md\n\n## rest\n")
			edit(t, dir, "ROUTER.md", "## rest\n- knowledge/werkstatt/laserraum.md\n", "")
			put(t, dir, "knowledge/hof/tor.md", strings.NewReplacer("domain: werkstatt", "domain: hof", "C-0005", "C-0006").Replace(readFile(t, dir, other)))
			pin(t, dir)
		}, "", "", "DR-11 " + unbound},
		{"large page", func(t *testing.T, dir string) {
			var claims strings.Builder
			for i := range 20 {
				fmt.Fprintf(&claims, "- **C-%04d** [S-0001 | Punkt 2 | Auslegung] Satz %d.\n", 100+i, i)
			}
			edit(t, dir, other, "## Claims\n", "## Claims\n"+claims.String())
			pin(t, dir)
		}, "", "", "DR-12 " + unbound},
		{"400 lines", func(t *testing.T, dir string) { lengthen(t, dir, other, 400) }, "", "", unbound},
		{"401 lines", func(t *testing.T, dir string) { lengthen(t, dir, other, 401) }, "", "", "DR-13 " + unbound},
		{"confident without review", func(t *testing.T, dir string) {
			edit(t, dir, other, "confidence: niedrig", "confidence: hoch")
			pin(t, dir)
		}, "", "", "DR-14 " + unbound},
		{"confident, and nobody reviews", func(t *testing.T, dir string) {
			edit(t, dir, page, "geprueft_von: mensch:werkstattleitung\ngeprueft_am: 2026-05-04\n", "")
			pin(t, dir)
		}, "", "", unbound},
		{"relation type with digits (D-16)", func(t *testing.T, dir string) {
			edit(t, dir, "schema/types.yaml", "ersetzt,", "ersetzt, v2,")
			pin(t, dir)
		}, "", "", "DR-15 " + unbound},
		{"title with a pipe (D-19)", func(t *testing.T, dir string) {
			edit(t, dir, page, "title: Regeln der Halle 3", "title: Regeln | Halle 3")
			pin(t, dir)
		}, "", "", "DR-16 " + unbound},
		{"domain is a list, type empty (D-75)", func(t *testing.T, dir string) {
			edit(t, dir, other, "domain: werkstatt", "domain: [werkstatt]")
			edit(t, dir, other, "type: regel", "type:")
		}, "PG-3 PG-5 PG-5 PG-9 DR-5 DR-5 DR-18", "", unbound},
		{"nothing at all", func(t *testing.T, dir string) {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}, "TY-1 RG-1 JS-1 MD-1 QU-1 RW-1 KN-1 RO-1 DR-1 DR-4 DR-26 DR-17", "", ""},

		{"bound", func(t *testing.T, dir string) { bind(t, dir, "laser-regeln", rules) }, "", "", "DR-19"},
		{"bound, other key (D-59)", func(t *testing.T, dir string) { bind(t, dir, "alt", rules) }, "", "", "DR-20 DR-19"},
		{"bound, not listed", func(t *testing.T, dir string) {
			bind(t, dir, "laser-regeln", rules)
			edit(t, dir, ".vault-extern.json", "X-0001", "X-0009")
		}, "", "", "DR-21 DR-19 DR-19"},
		{"binding file is a link (D-59)", func(t *testing.T, dir string) { link(t, "VERSION", filepath.Join(dir, ".vault-extern.json")) }, "TR-1 BI-1 DR-18", "", unbound},
		{"document gone", func(t *testing.T, dir string) { bind(t, dir, "laser-regeln", "") }, "", "DR-23", "DR-19"},
		{"folder gone", func(t *testing.T, dir string) { remove(t, bind(t, dir, "laser-regeln", ""), "") }, "", "", unbound},
		{"sentence gone", func(t *testing.T, dir string) { bind(t, dir, "laser-regeln", "Ohne Einweisung ist er gesperrt.") }, "", "DR-24", "DR-19"},
		{"sentence moved", func(t *testing.T, dir string) { bind(t, dir, "laser-regeln", "Neu. "+rules) }, "", "DR-25", "DR-19"},
		{"sentence twice", func(t *testing.T, dir string) {
			bind(t, dir, "laser-regeln", "Ohne Einweisung bleibt der Laser gesperrt.\n\nA b.\n\nOhne Einweisung bleibt der Laser gesperrt.\n")
		}, "", "", "DR-19"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "halle3")
			if err := os.CopyFS(dir, os.DirFS(released)); err != nil {
				t.Fatal(err)
			}
			tt.change(t, dir)
			d := diagnose(t, dir)
			if got := rulesOf(d.Errors); got != tt.errors || d.OK() != (got == "") {
				t.Errorf("errors %q, want %q", got, tt.errors)
			}
			notUsed := func(f tresor.Finding) bool { return f.Rule == "WA-2" } // X-0002 and X-0003
			if got := rulesOf(slices.DeleteFunc(slices.Clone(d.Warnings), notUsed)); got != tt.warnings {
				t.Errorf("warnings %q, want %q", got, tt.warnings)
			}
			if got := rulesOf(d.Hints); got != tt.hints {
				t.Errorf("hints %q, want %q", got, tt.hints)
			}
			for _, f := range slices.Concat(d.Errors, d.Warnings, d.Hints) {
				if f.Text == "" || f.Rule == "DR-7" && f.String() != "Lock: pid=1, host=a" {
					t.Errorf("%+v", f)
				}
			}
		})
	}
}

func readFile(t *testing.T, dir, path string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// lengthen gives a page a body of n lines.
func lengthen(t *testing.T, dir, path string, n int) {
	t.Helper()
	s := readFile(t, dir, path)
	_, body, _ := strings.Cut(s[len("---"):], "---\n")
	put(t, dir, path, s+strings.Repeat("\n", n-strings.Count(body, "\n")))
	pin(t, dir)
}

// D-61: a foreign Tresor with fewer readers than this one.
func TestDiagnoseScopes(t *testing.T) {
	released := halle3(t)
	for name, want := range map[string]bool{
		"halle3": false, "wissenstresor-organisation": true, "wissenstresor-organisation-nord": true, "wissenstresor-fachbereich": false,
		"wissenstresor-projekt-a": false, "wissenstresor-persönlich": false, "wissenstresor-perso\u0308nlich": false, "wissenstresor-": false, "Wissenstresor-organisation": true,
	} {
		named := filepath.Join(t.TempDir(), name)
		if err := os.CopyFS(named, os.DirFS(released)); err != nil {
			t.Fatal(err)
		}
		d := diagnose(t, named)
		got := slices.ContainsFunc(d.Hints, func(f tresor.Finding) bool { return f.Rule == "DR-22" && f.Label == "X-0002" })
		if got != want {
			t.Errorf("%s: hint is %v", name, got)
		}
	}
}

// D-73: a document that cannot be read is named for each anchor, a source that
// is not bound once.
func TestDiagnoseNamesADocumentForEachAnchor(t *testing.T) {
	dir := halle3(t)
	file := "sources/derived/X-0001__anchors.json"
	s := readFile(t, dir, file)
	i, j := strings.Index(s, `    {"id"`), strings.LastIndex(s, "\n  ]")
	put(t, dir, file, s[:j]+",\n"+strings.Replace(s[i:j], "A-0003", "A-0004", 1)+s[j:])
	bind(t, dir, "laser-regeln", "")
	d := diagnose(t, dir)
	if got, want := rulesOf(d.Warnings), "WA-2 WA-2 WA-3 DR-23 DR-23"; got != want || d.Warnings[3].Label != "X-0001/regeln/laser.md" {
		t.Errorf("warnings %v, want %s", d.Warnings, want)
	}
	want := []tresor.ExternalState{{ID: "X-0001", Art: "markdown-tree", Mode: "lokal"}, {ID: "X-0002", Art: "skillsafe-vault", Mode: "unbound"}, {ID: "X-0003", Art: "markdown-tree", Mode: "netz"}}
	if !slices.Equal(d.External, want) {
		t.Errorf("external %v", d.External)
	}
}

// What doctor finds agrees with what the others find.
func TestDiagnoseAgrees(t *testing.T) {
	dir := halle3(t)
	put(t, dir, "neu.md", "x")
	edit(t, dir, "VERSION", "1.0.0", "1.0.1")
	d, report := diagnose(t, dir), tresor.Validate(dir, tresor.Options{})
	differences, _, err := tresor.Verify(dir, tresor.Options{})
	if err != nil || !slices.Equal(d.Manifest.Differences, differences) || d.Manifest.OK() {
		t.Errorf("differences %v, want %v, %v", d.Manifest.Differences, differences, err)
	}
	if d.Pages != report.Pages || d.Claims != report.Claims || d.Sources != report.Sources || !slices.Equal(d.Warnings[:len(report.Warnings)], report.Warnings) {
		t.Errorf("%+v, validation %+v", d, report)
	}
	var invalid *tresor.InvalidError
	if _, err := tresor.Diagnose(filepath.Join(dir, "fehlt"), tresor.Options{}); !errors.As(err, &invalid) {
		t.Errorf("no folder: %v", err)
	}
}

// D-75: values that are no text count in the form in which the format prints
// them.
func TestCountOfValuesThatAreNoText(t *testing.T) {
	dir := halle3(t)
	edit(t, dir, "knowledge/werkstatt/laserraum.md", "domain: werkstatt", `domain: [werk"statt, it's]`)
	edit(t, dir, "knowledge/werkstatt/laserraum.md", "type: regel", "type:")
	edit(t, dir, "knowledge/werkstatt/laserraum.md", "status: in-pruefung\n", "")
	edit(t, dir, "knowledge/werkstatt/halle3.md", "geprueft_von: mensch:werkstattleitung", "geprueft_von: [mensch:a]")
	s, err := tresor.Count(dir, tresor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for what, m := range map[string]map[string]int{"domains": s.Domains, "types": s.Types, "status": s.Status, "tiers": s.TrustTiers} {
		want := map[string]map[string]int{
			"domains": {"werkstatt": 1, `['werk"statt', "it's"]`: 1}, "types": {"regel": 1, "[]": 1}, "status": {"aktiv": 1, "?": 1}, "tiers": {"unverified": 2},
		}[what]
		if fmt.Sprint(m) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", what, m, want)
		}
	}
}
