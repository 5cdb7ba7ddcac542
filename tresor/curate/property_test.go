package curate_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"outheis/tresor"
	"outheis/tresor/curate"
)

// TestMain draws few sequences unless the command line says how many: each step
// is a transaction on disk.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", "15"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// text draws what people type, and what they should not.
var text = rapid.OneOf(
	rapid.StringMatching(`[a-zA-ZäöüÄÖÜß0-9 ,.;:'"#§()-]{1,30}`),
	rapid.SampledFrom([]string{"", " ", "a|b", "a]b", "[a](b.md)", "- **C-0001** x", "## Claims", "---", "system prompt", "R-0001", "A-0001", "a\nb", "\xff", "'", `"a"`, "a, b", "[x]", "\u202e"}),
)

func name(t *rapid.T) string {
	return rapid.SampledFrom([]string{"a", "b", "hof", "tor", "Tor", "x/y", "index", "..", ""}).Draw(t, "name")
}

func pick(t *rapid.T, label string, values ...string) string {
	return rapid.OneOf(rapid.SampledFrom(values), text).Draw(t, label)
}

// Whatever is asked for in whatever order, the Tresor stays without errors, all
// that a call changes is what it says, and no ID comes twice.
func TestASequenceKeepsTheTresorValid(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		dir := withPage(t)
		defer os.RemoveAll(dir)
		files := t.TempDir()
		ids := make(map[string]bool)
		before := tree(t, dir)
		for i := range rapid.IntRange(1, 6).Draw(r, "steps") {
			what, done, err := step(r, dir, filepath.Join(files, fmt.Sprint(i)))
			after := tree(t, dir)
			diff := changed(before, after)
			before = after
			if err != nil {
				var refused *curate.Refusal
				var write *tresor.WriteError
				if !errors.As(err, &refused) && !errors.As(err, &write) {
					r.Fatalf("%s: %v", what, err)
				}
				if len(diff) > 0 {
					r.Fatalf("%s is refused (%v), but changed %v", what, err, diff)
				}
				continue
			}
			for path := range diff {
				if !slices.Contains(done.Files, path) && !slices.Contains(done.Files, strings.TrimPrefix(path, "-")) {
					r.Fatalf("%s changed %s, which it does not tell", what, path)
				}
			}
			if done.ID != "" && ids[done.ID] {
				r.Fatalf("%s used %s again", what, done.ID)
			}
			ids[done.ID] = true
			if report := tresor.Validate(dir, tresor.Options{}); !report.OK() {
				r.Fatalf("after %s: %v", what, report.Errors)
			}
		}
		if _, err := tresor.Release(ctx, dir, tresor.Minor, may(9)); err != nil {
			r.Fatalf("release: %v", err)
		}
	})
}

func step(r *rapid.T, dir, file string) (what string, done curate.Done, err error) {
	o := may(rapid.IntRange(1, 28).Draw(r, "day"))
	what = rapid.SampledFrom([]string{"add", "domain", "page", "claim", "claim", "world", "concept", "relation", "type"}).Draw(r, "what")
	switch what {
	case "add":
		if err := os.WriteFile(file, []byte(text.Draw(r, "content")), 0o644); err != nil {
			r.Fatal(err)
		}
		done, _, err = curate.Add(ctx, dir, []curate.Source{{File: file, Name: pick(r, "file name", "a.md", "Ä b.md"), Title: pick(r, "title", "Titel"),
			Stand: pick(r, "stand", "2026"), Trust: pick(r, "trust", "T1"), Rights: pick(r, "rights", "frei")}}, o)
	case "domain":
		done, err = curate.NewDomain(ctx, dir, name(r), []string{pick(r, "keyword", "wort")}, o)
	case "page":
		done, err = curate.NewPage(ctx, dir, curate.Page{Domain: name(r), Name: name(r), Title: pick(r, "title", "Titel"), Type: pick(r, "type", "regel"),
			Sources: []string{pick(r, "source", "S-0001", "S-0002")}, Tags: []string{pick(r, "tag", "tag")}, Summary: pick(r, "summary", "", "Kurz.")}, o)
	case "claim":
		done, err = curate.NewClaim(ctx, dir, curate.Claim{Page: pick(r, "page", "hof/tor", "hof/a", "a/b"), Source: pick(r, "source", "S-0001", "S-0002"),
			Fundstelle: pick(r, "fundstelle", "Punkt 1"), Art: pick(r, "art", "Wortlaut", "Auslegung"), Text: pick(r, "text", "Ein Satz.")}, o)
	case "world":
		done, err = curate.NewWorld(ctx, dir, pick(r, "world", "Welt"), pick(r, "description", "Wörter."), o)
	case "concept":
		done, err = curate.NewConcept(ctx, dir, curate.Concept{Preferred: pick(r, "label", "Wort"), Aliases: []string{pick(r, "alias", "Ausdruck")},
			Definition: pick(r, "claim", "C-0001", "C-0002")}, o)
	case "relation":
		done, err = curate.NewRelation(ctx, dir, curate.Relation{Page: "hof/tor", Type: pick(r, "relation", "ersetzt"), Target: pick(r, "target", "hof/a", "a/b")}, o)
	case "type":
		done, err = curate.NewType(ctx, dir, curate.Type{Name: pick(r, "type", "neu"), Beschreibung: pick(r, "1", "a"), Kriterien: pick(r, "2", "a"),
			Besonderheiten: pick(r, "3", "a"), PflichtExtra: pick(r, "4", "a"), GraphRolle: pick(r, "5", "a"), Relations: []string{pick(r, "relation type", "kennt")}}, o)
	}
	return what, done, err
}
