// Package tresortest makes Tresore for benchmarks and tests: large ones, of
// invented words. It is no source of examples to read; those lie in testdata.
package tresortest

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"outheis/tresor"
)

// Generate lays a released Tresor with invented German to dir, always the same:
// pages pages with five claims each, or as many as IDs are enough for, 20
// domains, 200 concepts, 50 sources, relations to and fro.
func Generate(tb testing.TB, dir string, pages int) {
	tb.Helper()
	g := generator{rnd: rand.New(rand.NewPCG(1, 2)), files: map[string]string{}, each: min(5, 9999/pages)}
	g.schema(pages)
	g.sources()
	g.pages(pages)
	if err := os.MkdirAll(filepath.Join(dir, "graph"), 0o755); err != nil {
		tb.Fatal(err)
	}
	for path, content := range g.files {
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	if _, err := tresor.WriteIndex(tb.Context(), dir, tresor.Options{}); err != nil {
		tb.Fatal(err, tresor.Validate(dir, tresor.Options{}).Errors[:1])
	}
	if _, _, err := tresor.WriteGraph(tb.Context(), dir, tresor.Options{}); err != nil {
		tb.Fatal(err)
	}
	if _, err := tresor.WriteManifest(tb.Context(), dir, tresor.Options{}); err != nil {
		tb.Fatal(err)
	}
}

type generator struct {
	rnd   *rand.Rand
	files map[string]string
	each  int // claims on a page
}

const (
	domains  = 20
	concepts = 200
	sources  = 50
)

// word returns a compound; low numbers are frequent, as in a language.
func (g *generator) word() string {
	n := int(float64(4000) * g.rnd.Float64() * g.rnd.Float64() * g.rnd.Float64())
	return compound(n)
}

func compound(n int) string {
	first := []string{"Werk", "Halle", "Tür", "Schutz", "Lager", "Büro", "Prüf", "Wasser", "Strom", "Gäste", "Müll", "Schlüssel", "Netz", "Alarm", "Daten", "Haus", "Garten", "Labor", "Boot", "Druck"}
	second := []string{"ordnung", "zeit", "plan", "brille", "raum", "frist", "gebühr", "schein", "liste", "wart"}
	w := first[n%20] + second[n/20%10]
	if n >= 200 {
		w += second[n/200%10]
	}
	if n >= 2000 {
		w += "s" + second[n/2000%10]
	}
	return w
}

func (g *generator) sentence() string {
	small := []string{"der", "die", "und", "ist", "in", "mit", "nach", "für", "wird", "gilt", "muss", "bis", "vor", "jede", "keine"}
	var words []string
	for range 9 + g.rnd.IntN(8) {
		if g.rnd.IntN(2) == 0 {
			words = append(words, small[g.rnd.IntN(len(small))])
		} else {
			words = append(words, g.word())
		}
	}
	return strings.Join(words, " ") + "."
}

func (g *generator) schema(pages int) {
	g.files["VERSION"] = "1.0.0\n"
	g.files["sources/quarantine/README.md"] = "# Quarantäne\n"
	g.files["sources/derived/README.md"] = "# Abgeleitetes\n"
	g.files["schema/types.yaml"] = "_relationstypen: [ersetzt, verweist_auf]\n\nregel:\n  beschreibung: Vorschrift\n  kriterien: Gebot\n" +
		"  besonderheiten: keine\n  pflicht_extra: keine\n  graph_rolle: Knoten\n"
	var list []string
	for i := range concepts {
		broader := ""
		if i >= 10 {
			broader = fmt.Sprintf(`"B-%04d"`, 1+i%10)
		}
		list = append(list, fmt.Sprintf(`{"id": "B-%04d", "world": "BW-0001", "preferred": "%s", "aliases": ["%sbegriff"], "broader": [%s], "related": [], "definition_claim": "C-%04d"}`,
			i+1, compound(i*7), compound(i*7), broader, 1+g.each*(i%pages)))
	}
	g.files["schema/begriffswelten.json"] = `{"schema": "skillsafe.begriffswelten/v1", "worlds": [{"id": "BW-0001", "name": "Alles", "description": "Alle Begriffe."}], "concepts": [` +
		strings.Join(list, ",\n") + "]}\n"
	router := "# Router\n"
	for d := range domains {
		router += fmt.Sprintf("\n## bereich%02d\nschlagworte: %s, %s\n", d, compound(d*3), compound(d*3+100))
		for p := d; p < pages; p += domains {
			router += fmt.Sprintf("- knowledge/bereich%02d/seite%04d.md\n", d, p)
		}
	}
	g.files["ROUTER.md"] = router
}

func (g *generator) sources() {
	register := "| ID | Titel | Stand/Version | SHA-256 | Trust | Rechte | Ablage |\n|---|---|---|---|---|---|---|\n"
	for i := range sources {
		content := fmt.Sprintf("# Quelle %d\n\n%s\n", i, strings.Repeat(g.sentence()+"\n", 40))
		path := fmt.Sprintf("sources/raw/S-%04d__quelle.md", i+1)
		g.files[path] = content
		register += fmt.Sprintf("| S-%04d | Quelle %d | 2026-01-01 | %x | T1 | eigenes Dokument | %s |\n", i+1, i, sha256.Sum256([]byte(content)), path)
	}
	g.files["sources/REGISTER.md"] = register
}

func (g *generator) pages(pages int) {
	for p := range pages {
		source := 1 + p%sources
		var on []string
		for c := p; c < concepts; c += pages {
			on = append(on, fmt.Sprintf("B-%04d", c+1))
		}
		next := (p + 7) % pages
		s := fmt.Sprintf("---\ntype: regel\ntitle: %s und %s\ndomain: bereich%02d\nstatus: aktiv\nconfidence: hoch\nversion: 1.0.0\nstand: 2026-03-%02d\n"+
			"sources: [S-%04d]\ntags: [%s, %s]\nrelations: [verweist_auf -> bereich%02d/seite%04d.md]\nconcepts: [%s]\n---\n\n## Kurzfassung\n%s\n\n## Claims\n",
			g.word(), g.word(), p%domains, 1+p%28, source, g.word(), g.word(), next%domains, next, strings.Join(on, ", "), g.sentence())
		for c := range g.each {
			s += fmt.Sprintf("- **C-%04d** [S-%04d | § %d Abs. %d | Wortlaut] %s\n", p*g.each+c+1, source, p%97+1, c+1, g.sentence())
		}
		g.files[fmt.Sprintf("knowledge/bereich%02d/seite%04d.md", p%domains, p)] = s
	}
}

// Questions are 500 questions of frequent and rare words for such a Tresor.
func Questions() []string {
	g := generator{rnd: rand.New(rand.NewPCG(3, 4))}
	var list []string
	for range 500 {
		list = append(list, "Was gilt für "+g.word()+" und "+g.word()+" in der "+g.word()+"?")
	}
	return list
}
