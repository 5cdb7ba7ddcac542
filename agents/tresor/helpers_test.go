package tresor_test

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"outheis/agents"
	"outheis/agents/tresor"
	engine "outheis/tresor"
)

// genossenschaft is a released Tresor of four domains, with superseded,
// contradictory and doubtful pages, and labels in two Begriffswelten.
const genossenschaft = "../../tresor/testdata/conformance/bases/genossenschaft"

func open(t testing.TB, dir string) *engine.Snapshot {
	t.Helper()
	s, err := engine.Open(dir, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newAgent(t testing.TB, all ...tresor.Tresor) *tresor.Agent {
	t.Helper()
	a, err := tresor.New(tresor.Options{Tresore: all})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func ask(t testing.TB, a agents.Agent, text string, turns ...agents.Turn) agents.Answer {
	t.Helper()
	answer, err := a.Answer(t.Context(), agents.Request{Text: text, Lang: "de", Turns: turns})
	if err != nil {
		t.Fatalf("Answer(%q): %v", text, err)
	}
	return answer
}

func asError(err error, known **agents.Error) bool { return errors.As(err, known) }

// cited returns the citations of an answer's statements, in order.
func cited(a agents.Answer) string {
	var ids []string
	for _, s := range a.Statements() {
		ids = append(ids, s.Citations...)
	}
	return strings.Join(ids, " ")
}

// hasNote reports whether a remark holds all of the parts.
func hasNote(a agents.Answer, parts ...string) bool {
	for _, n := range a.Notes() {
		all := true
		for _, p := range parts {
			all = all && strings.Contains(n, p)
		}
		if all {
			return true
		}
	}
	return false
}

// page is a page of a Tresor that a test makes; what is empty is ordinary.
type page struct {
	path       string // ‹domain›/‹name›.md
	title      string
	status     string
	confidence string
	stand      string
	reviewed   bool
	relations  []string // "ersetzt -> a/b.md"
	claims     []string // "C-0001 S-0001 Wortlaut: Text"
}

// build writes a released Tresor with the pages, S-0001 (T1) and S-0002 (T3),
// and opens it.
func build(t testing.TB, pages ...page) *engine.Snapshot {
	t.Helper()
	return open(t, write(t, pages...))
}

func write(t testing.TB, pages ...page) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tresor")
	put := func(path, content string) {
		t.Helper()
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	register := "# Quellen\n\n"
	for id, trust := range map[string]string{"S-0001": "T1", "S-0002": "T3"} {
		content := "Quelle " + id + "\n"
		name := "sources/raw/" + id + "__quelle.md"
		put(name, content)
		register += fmt.Sprintf("| %s | Quelle %s | 2026-01-01 | %x | %s | eigenes Dokument | %s |\n", id, id, sha256.Sum256([]byte(content)), trust, name)
	}
	put("sources/REGISTER.md", register)
	put("sources/quarantine/README.md", "leer\n")
	put("sources/derived/README.md", "leer\n")
	if err := os.Mkdir(filepath.Join(dir, "graph"), 0o755); err != nil {
		t.Fatal(err)
	}
	put("schema/types.yaml", "_relationstypen: [ersetzt, widerspricht]\n\nregel:\n  beschreibung: x\n  kriterien: x\n  besonderheiten: x\n  pflicht_extra: keine\n  graph_rolle: x\n")
	put("schema/begriffswelten.json", `{"schema":"skillsafe.begriffswelten/v1","worlds":[],"concepts":[]}`)
	put("VERSION", "1.2.3\n")
	put("log.md", "# Log\n")
	router := map[string]string{}
	for _, p := range pages {
		domain, _, _ := strings.Cut(p.path, "/")
		router[domain] += "- knowledge/" + p.path + "\n"
		put("knowledge/"+p.path, p.text(domain))
	}
	text := "# Router\n"
	for _, domain := range slices.Sorted(maps.Keys(router)) {
		text += "\n## " + domain + "\nschlagworte: " + domain + "\n" + router[domain]
	}
	put("ROUTER.md", text)
	if _, err := engine.Release(t.Context(), dir, engine.Patch, engine.Options{}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func (p page) text(domain string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\ntype: regel\ntitle: %s\ndomain: %s\nstatus: %s\nconfidence: %s\nversion: 1.0.0\nstand: %s\nsources: [S-0001, S-0002]\ntags: [%s]\n",
		p.title, domain, cmp.Or(p.status, "aktiv"), cmp.Or(p.confidence, "mittel"), cmp.Or(p.stand, "2026-05-02"), domain)
	if len(p.relations) > 0 {
		fmt.Fprintf(&b, "relations:\n  - %s\n", strings.Join(p.relations, "\n  - "))
	}
	if p.reviewed {
		b.WriteString("geprueft_von: mensch:leitung\ngeprueft_am: 2026-05-03\n")
	}
	fmt.Fprintf(&b, "---\n\n# %s\n\n## Kurzfassung\nKurz.\n\n## Claims\n", p.title)
	for _, c := range p.claims {
		head, text, _ := strings.Cut(c, ": ")
		f := strings.Fields(head)
		fmt.Fprintf(&b, "- **%s** [%s | Punkt 1 | %s] %s\n", f[0], f[1], f[2], text)
	}
	return b.String()
}
