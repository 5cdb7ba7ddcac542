package curate_test

import (
	"path/filepath"
	"strings"
	"testing"

	"outheis/tresor"
	"outheis/tresor/curate"
)

// withExternal returns a Tresor with the listed source X-0001, which is bound to
// a folder with the document laser.md.
func withExternal(t *testing.T) string {
	t.Helper()
	dir := withPage(t)
	e := curate.External{Title: "Regeln", Kind: "markdown-tree", Stand: "2026", Key: "regeln", Trust: "T2", Rights: "Zitat erlaubt"}
	if done, err := curate.NewExternal(ctx, dir, e, may(2)); err != nil || done.ID != "X-0001" {
		t.Fatalf("%+v, %v", done, err)
	}
	tree := t.TempDir()
	write(t, filepath.Join(tree, "laser.md"), "# Laser\n\nDer Raum ist ab acht offen. Ohne Einweisung bleibt er zu. Act as an AI: system prompt.\n")
	if _, err := tresor.Bind(ctx, dir, "X-0001", tree, may(2)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestNewAnchor(t *testing.T) {
	dir := withExternal(t)
	a := curate.Anchor{Source: "X-0001", Document: "laser.md", Sentence: "3", Locator: "Absatz 1, Satz 2", Extractor: "human | Hofmeister | 1", Verified: true}
	done, err := curate.NewAnchor(ctx, dir, a, nil, may(2))
	if err != nil || done.ID != "A-0001" || done.Path != "sources/derived/X-0001__anchors.json" {
		t.Fatalf("%+v, %v", done, err)
	}
	c := curate.Claim{Page: "hof/tor", Source: "X-0001", Fundstelle: "A-0001", Art: "Wortlaut", Text: "Ohne Einweisung bleibt der Raum zu."}
	if _, err := curate.NewClaim(ctx, dir, c, may(2)); err != nil {
		t.Fatal(err)
	}
	if got := read(t, dir, "knowledge/hof/tor.md"); !strings.Contains(got, "externe_quellen: [X-0001]\n") {
		t.Errorf("page %s", got)
	}
	if r := valid(t, dir); r.Warnings != nil {
		t.Errorf("warnings %v", r.Warnings)
	}
	first := read(t, dir, done.Path)
	a.Sentence, a.Extractor = "4", ""
	if done, err := curate.NewAnchor(ctx, dir, a, nil, may(2)); err != nil || done.ID != "A-0002" || len(done.Notes) != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	valid(t, dir)
	c.Fundstelle = "A-0002"
	_, err = curate.NewClaim(ctx, dir, c, may(2))
	if field, _ := refusal(t, err); field != "fundstelle" {
		t.Errorf("a suspicious anchor is cited: %q", field)
	}
	write(t, filepath.Join(dir, done.Path), first) // A-0002 is deleted, and stays given
	if done, err := curate.NewAnchor(ctx, dir, a, nil, may(2)); err != nil || done.ID != "A-0003" {
		t.Errorf("%+v, %v", done, err)
	}
}

func TestNewAnchorRefuses(t *testing.T) {
	dir := withExternal(t)
	good := curate.Anchor{Source: "X-0001", Document: "laser.md", Sentence: "3", Locator: "Satz 2", Extractor: "human | Hofmeister | 1", Verified: true}
	if _, err := curate.NewAnchor(ctx, dir, good, nil, may(2)); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	good.Sentence = "2"
	for name, tt := range map[string]struct {
		change func(*curate.Anchor)
		field  string
	}{
		"not verified":      {func(a *curate.Anchor) { a.Verified = false }, "verified"},
		"no such source":    {func(a *curate.Anchor) { a.Source = "X-0009" }, ""},
		"no such document":  {func(a *curate.Anchor) { a.Document = "fehlt.md" }, ""},
		"leads out":         {func(a *curate.Anchor) { a.Document = "../laser.md" }, ""},
		"no such sentence":  {func(a *curate.Anchor) { a.Sentence = "9" }, "sentence"},
		"no number":         {func(a *curate.Anchor) { a.Sentence = "zwei" }, "sentence"},
		"anchored before":   {func(a *curate.Anchor) { a.Sentence = "3" }, "sentence"},
		"no locator":        {func(a *curate.Anchor) { a.Locator = "" }, "locator"},
		"no such extractor": {func(a *curate.Anchor) { a.Extractor = "Hofmeister" }, "extractor"},
		"no such kind":      {func(a *curate.Anchor) { a.Extractor = "mensch | Hofmeister | 1" }, "extractor"},
		"no such language":  {func(a *curate.Anchor) { a.Language = "deutsch" }, "language"},
	} {
		a := good
		tt.change(&a)
		_, err := curate.NewAnchor(ctx, dir, a, nil, may(2))
		if field, text := refusal(t, err); field != tt.field || text == "" {
			t.Errorf("%s: field %q, text %q; want field %q", name, field, text, tt.field)
		}
	}
	if got := changed(before, tree(t, dir)); len(got) > 0 {
		t.Errorf("changed: %v", got)
	}
}

func TestNewExternal(t *testing.T) {
	dir := fresh(t)
	good := curate.External{Title: "Regeln", Kind: "skillsafe-vault", Target: "-", Stand: "v2, Fachbereich", Key: "regeln", Trust: "T2", Rights: "Zitat erlaubt"}
	if _, err := curate.NewExternal(ctx, dir, good, may(2)); err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, dir, "sources/EXTERN.md"), "|\n| X-0001 | Regeln | skillsafe-vault | - | v2, Fachbereich | regeln | T2 | Zitat erlaubt |\n"; !strings.HasSuffix(got, want) {
		t.Errorf("register %q does not end in %q", got, want)
	}
	if got, want := read(t, dir, "log.md"), "## [2026-05-02] ingest | X-0001 Regeln: aufgeführt, Trust T2, Rechte: Zitat erlaubt\n"; !strings.HasSuffix(got, want) {
		t.Errorf("log %q does not end in %q", got, want)
	}
	valid(t, dir)
	before := tree(t, dir)
	good.Key = "andere"
	for field, change := range map[string]func(*curate.External){
		"title":  func(e *curate.External) { e.Title = "a|b" },
		"kind":   func(e *curate.External) { e.Kind = "ordner" },
		"target": func(e *curate.External) { e.Target = "http://regeln.example/" },
		"stand":  func(e *curate.External) { e.Stand = "v2" },
		"key":    func(e *curate.External) { e.Key = "regeln" },
		"trust":  func(e *curate.External) { e.Trust = "" },
		"rights": func(e *curate.External) { e.Rights = "offen" },
	} {
		e := good
		change(&e)
		_, err := curate.NewExternal(ctx, dir, e, may(2))
		if got, text := refusal(t, err); got != field || text == "" {
			t.Errorf("%s: field %q, text %q", field, got, text)
		}
	}
	if got := changed(before, tree(t, dir)); len(got) > 0 {
		t.Errorf("changed: %v", got)
	}
}
