package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"outheis/tresor"
)

// The almanach is a released Tresor in which each of twenty questions has one
// claim, so that answers can be told apart, and one claim is all emoji.

// almanachFacts are what claims C-0001 and following say.
var almanachFacts = []string{
	"Der Leuchtturm ist 31 Meter hoch.", "Das Freibad öffnet im Mai.", "Die Fähre legt um 6:40 Uhr ab.",
	"Der Marktplatz hat vier Brunnen.", "Die Bücherei verleiht Noten für zwei Wochen.", "Das Rathaus wurde 1897 gebaut.",
	"Der Friedhof schließt bei Dämmerung.", "Die Sternwarte zeigt freitags den Mond.", "Das Museum sammelt Uhren.",
	"Der Steinbruch liefert Basalt.", "Die Imkerei schleudert im Juli Honig.", "Das Moor ist elf Meter tief.",
	"Der Kiosk verkauft Briefmarken.", "Die Druckerei setzt mit Blei.", "Das Orchester probt montags.",
	"Der Stausee fasst neun Millionen Kubikmeter.", "Die Mühle mahlt Roggen.", "Das Kraftwerk verbrennt Holz.",
	"Der Zeppelin landet selten.", "Die Molkerei reift Käse im Keller.",
}

// almanachQuestions ask for one fact each.
var almanachQuestions = []string{
	"Wie hoch ist der Leuchtturm?", "Wann öffnet das Freibad?", "Wann legt die Fähre ab?", "Wie viele Brunnen hat der Marktplatz?",
	"Was verleiht die Bücherei?", "Wann wurde das Rathaus gebaut?", "Wann schließt der Friedhof?", "Was zeigt die Sternwarte?",
	"Was sammelt das Museum?", "Was liefert der Steinbruch?", "Was schleudert die Imkerei?", "Wie tief ist das Moor?",
	"Was verkauft der Kiosk?", "Womit setzt die Druckerei?", "Wann probt das Orchester?", "Wie viel fasst der Stausee?",
	"Was mahlt die Mühle?", "Was verbrennt das Kraftwerk?", "Wie oft landet der Zeppelin?", "Was reift die Molkerei?",
}

const (
	emojiQuestion = "Wie sieht das Feuerwerk aus?"
	emojiCount    = 3990
	// A family is one cluster of five code points.
	family = "👨‍👩‍👧"
)

// almanachClaim is the claim that answers the n-th question.
func almanachClaim(n int) string { return fmt.Sprintf("[C-%04d]", n+1) }

// writeAlmanach writes the Tresor and returns its folder.
func writeAlmanach(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "almanach")
	var claims strings.Builder
	for i, fact := range almanachFacts {
		fmt.Fprintf(&claims, "- **C-%04d** [S-0001 | Seite %d | Wortlaut] %s\n", i+1, i+1, fact)
	}
	fmt.Fprintf(&claims, "- **C-%04d** [S-0001 | Seite 99 | Wortlaut] Das Feuerwerk sieht so aus: %s%s\n", len(almanachFacts)+1,
		strings.Repeat("😀", emojiCount/2), strings.Repeat(family, emojiCount/10))
	const source = "Almanach der Gemeinde\n"
	for name, content := range map[string]string{
		"sources/raw/S-0001__almanach.md": source,
		"sources/REGISTER.md": fmt.Sprintf("# Quellen\n\n| S-0001 | Almanach | 2026-01-01 | %x | T1 | eigenes Dokument | sources/raw/S-0001__almanach.md |\n",
			sha256.Sum256([]byte(source))),
		"sources/quarantine/README.md": "leer\n",
		"sources/derived/README.md":    "leer\n",
		"schema/types.yaml":            "_relationstypen: [ersetzt]\n\nregel:\n  beschreibung: x\n  kriterien: x\n  besonderheiten: x\n  pflicht_extra: keine\n  graph_rolle: x\n",
		"schema/begriffswelten.json":   `{"schema":"skillsafe.begriffswelten/v1","worlds":[],"concepts":[]}`,
		"VERSION":                      "1.0.0\n",
		"log.md":                       "# Log\n",
		"ROUTER.md":                    "# Router\n\n## ort\nschlagworte: ort\n- knowledge/ort/almanach.md\n",
		"knowledge/ort/almanach.md": "---\ntype: regel\ntitle: Almanach\ndomain: ort\nstatus: aktiv\nconfidence: hoch\nversion: 1.0.0\nstand: 2026-05-02\n" +
			"sources: [S-0001]\ntags: [ort]\n---\n\n# Almanach\n\n## Kurzfassung\nKurz.\n\n## Claims\n" + claims.String(),
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "graph"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := tresor.WriteIndex(t.Context(), dir, tresor.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := tresor.WriteGraph(t.Context(), dir, tresor.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := tresor.WriteManifest(t.Context(), dir, tresor.Options{}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestAlmanachAnswersEachQuestionWithItsClaim(t *testing.T) {
	dir := writeAlmanach(t)
	for i, q := range append(almanachQuestions, emojiQuestion) {
		var out buffer
		p := &program{in: strings.NewReader(""), out: &out, err: &out, env: func(string) string { return "" }, now: time.Now}
		if code := p.run(t.Context(), []string{"ask", "--lang", "de", "--tresor", dir, q}); code != exitOK {
			t.Errorf("%s: exit %d\n%.300s", q, code, out.String())
		}
		first, _, _ := strings.Cut(out.String(), "]")
		if !strings.HasSuffix(first+"]", almanachClaim(i)) {
			t.Errorf("%s is answered with %.200q, want %s", q, first, almanachClaim(i))
		}
	}
}
