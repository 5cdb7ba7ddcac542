package tresor_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outheis/tresor"
)

// halle3 lays the example Tresor of the specification to a fresh folder and
// pins it as version 1.0.0.
func halle3(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "halle3")
	if err := os.CopyFS(dir, os.DirFS("testdata/halle3")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "graph"), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "VERSION", "1.0.0\n")
	put(t, dir, "log.md", "## [2026-05-06] release | v1.0.0 — 2 Seiten, 5 Claims, 2 Quellen (major)\n")
	pin(t, dir)
	return dir
}

// put writes a file of the Tresor in dir.
func put(t *testing.T, dir, path, content string) {
	t.Helper()
	full := filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// pin derives index and graph and writes the manifest.
func pin(t *testing.T, dir string) {
	t.Helper()
	if _, err := tresor.WriteIndex(t.Context(), dir, tresor.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := tresor.WriteGraph(t.Context(), dir, tresor.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := tresor.WriteManifest(t.Context(), dir, tresor.Options{}); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir string) *tresor.Snapshot {
	t.Helper()
	s, err := tresor.Open(dir, tresor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func digest(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func TestArtefactsOfTheExample(t *testing.T) {
	dir := halle3(t)
	for path, want := range map[string]string{
		"INDEX.md":         "29ee2fb8a3d8b413520408c2f32002abf31613ffd7ccdc50e36c099c358cd043",
		"graph/graph.json": "73a740619023e05190da8d9003b075fdaa454c21aa67eef8243c6703e885cadb",
		"MANIFEST.sha256":  "7d4a875e25f06602ccb713fc46a1269120eafd18ca7888c9d6b8dca400e3a530",
	} {
		if got := digest(t, filepath.Join(dir, path)); got != want {
			t.Errorf("%s has SHA-256 %s, want %s", path, got, want)
		}
	}
	s := open(t, dir)
	if got, want := s.Manifest(), "7d4a875e25f06602ccb713fc46a1269120eafd18ca7888c9d6b8dca400e3a530"; got != want {
		t.Errorf("manifest %s, want %s", got, want)
	}
	if s.Name() != "halle3" || s.Version() != "1.0.0" || s.Claims() != 5 {
		t.Errorf("%s %s with %d claims", s.Name(), s.Version(), s.Claims())
	}
}

func TestQueryVectors(t *testing.T) {
	s := open(t, halle3(t))
	tests := []struct {
		question, evidence, pages, fingerprint string
	}{
		{"Was gilt für die Schutzausrüstung im Laserraum?", "C-0004 195, C-0001 155, C-0002 155, C-0003 155, C-0005 5",
			"halle3 209, laserraum 40", "fe8b8f6ef8495ce21c77cfd533c4f35beada389096029b34a1b327b9475d7ebd"},
		{"psa", "C-0001 155, C-0002 155, C-0003 155, C-0004 155, C-0005 5",
			"halle3 175, laserraum 10", "774fb0d0e03ae5ebd8b3bb3ce3bd0b8d0fa0a92270f9a7db12c855f100b3518e"},
		{"c-0003", "C-0003 260, C-0001 10, C-0002 10, C-0004 10, C-0005 5",
			"halle3 192, laserraum 10", "c274815cb0b80f2bb18e163325bdaa1b6d0a18ff7f1184db0747e650ebe4c698"},
		{"laser S-0001", "C-0001 140, C-0004 140, C-0005 140, C-0002 20, C-0003 20",
			"halle3 134, laserraum 134", "2f61422311ffb3731712bc1eb349c429772b22241048fbf252d60ae0bc38dc2a"},
		{"Zugang zum Laserraum", "C-0005 10, C-0001 5, C-0002 5, C-0003 5, C-0004 5",
			"laserraum 140, halle3 10", "6d898d0757e557adeb0355ef90031372def725007b54f15a1c3f0f66b8cf52d3"},
		{"Muss", "", "", "123a66ed34d13c9a93dec8e539a04e746f9ef9f887d9167ef4b4bc98d2de1854"},
	}
	for _, tt := range tests {
		r := s.Query(tt.question, tresor.QueryOptions{})
		var evidence, pages []string
		for _, e := range r.Evidence {
			evidence = append(evidence, fmt.Sprint(e.Claim.ID, " ", e.Score))
		}
		for _, p := range r.Pages {
			name := strings.TrimSuffix(filepath.Base(p.Page.Path), ".md")
			pages = append(pages, fmt.Sprint(name, " ", p.Score))
		}
		if got := strings.Join(evidence, ", "); got != tt.evidence {
			t.Errorf("%s: evidence %s, want %s", tt.question, got, tt.evidence)
		}
		if got := strings.Join(pages, ", "); got != tt.pages {
			t.Errorf("%s: pages %s, want %s", tt.question, got, tt.pages)
		}
		if r.Fingerprint != tt.fingerprint {
			t.Errorf("%s: fingerprint %s, want %s", tt.question, r.Fingerprint, tt.fingerprint)
		}
		state := tresor.CandidatesFound
		if tt.evidence == "" {
			state = tresor.NoCandidates
		}
		if r.State != state || r.ExitCode() != 0 || r.ReviewRequired != (tt.evidence == "") || r.ClaimsScanned != 5 {
			t.Errorf("%s: state %s, exit %d, review %v, %d claims", tt.question, r.State, r.ExitCode(), r.ReviewRequired, r.ClaimsScanned)
		}
	}
}

func TestEnvelopeBytes(t *testing.T) {
	want, err := os.ReadFile("testdata/halle3-query.json")
	if err != nil {
		t.Fatal(err)
	}
	r := open(t, halle3(t)).Query("Was gilt für die Schutzausrüstung im Laserraum?", tresor.QueryOptions{Limit: 1})
	if len(r.Warnings) != 2 {
		t.Errorf("warnings %q", r.Warnings)
	}
	r.Warnings = nil // their wording is ours
	if got := string(r.JSON()); got != string(want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestWhatASnapshotHandsOut(t *testing.T) {
	s := open(t, halle3(t))
	c, p, ok := s.Claim("C-0002")
	if !ok || c.Region != "R-0001" || c.Source != "S-0002" || c.Line != 24 || c.Art != "Beobachtung" || c.Fundstelle != "R-0001: Grundriss links" {
		t.Errorf("claim %+v", c)
	}
	if want := "In der Halle gilt Schutzbrillenpflicht. Der Laser bleibt ohne Einweisung gesperrt."; p.Summary != want {
		t.Errorf("summary %q, want %q", p.Summary, want)
	}
	if p.TrustTier != "human-reviewed" || p.ReviewedAt != "2026-05-04" || p.Stand != "2026-05-02" {
		t.Errorf("page %+v", p)
	}
	if c, _, _ := s.Claim("C-0003"); c.Anchor != "A-0003" {
		t.Errorf("anchor %q", c.Anchor)
	}
	if _, _, ok := s.Claim("C-0006"); ok {
		t.Error("C-0006 is there")
	}
	other, ok := s.Page("knowledge/werkstatt/laserraum.md")
	if !ok || len(other.Relations) != 1 || other.Relations[0] != (tresor.Relation{Type: "verweist_auf", Target: "knowledge/werkstatt/halle3.md"}) {
		t.Errorf("page %+v", other)
	}
	var ids []string
	for _, source := range s.Sources() {
		ids = append(ids, source.ID+" "+source.Kind)
	}
	if got, want := strings.Join(ids, ", "), "S-0001 lokal, S-0002 lokal, X-0001 extern, X-0002 extern, X-0003 extern"; got != want {
		t.Errorf("sources %s, want %s", got, want)
	}
	if source, ok := s.Source("S-0001"); !ok || source.Trust != "T1" || source.Path != "sources/raw/S-0001__werkstattordnung.md" {
		t.Errorf("source %+v", source)
	}
	if got := s.Concepts(); len(got) != 2 || got[0].Preferred != "Schutzbrille" || got[0].Aliases[0] != "Augenschutz" || got[0].Broader[0] != "B-0002" {
		t.Errorf("concepts %+v", got)
	}
	if got := s.Worlds(); len(got) != 1 || got[0].Name != "Werkstatt" {
		t.Errorf("worlds %+v", got)
	}
	if got := s.Route("Was gilt für die Schutzbrille im Laserraum"); len(got) != 1 || strings.Join(got[0].Keywords, " ") != "laser schutzbrille" || len(got[0].Pages) != 2 {
		t.Errorf("routes %+v", got)
	}
}
