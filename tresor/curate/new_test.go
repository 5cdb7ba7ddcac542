package curate_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"outheis/tresor"
	"outheis/tresor/curate"
)

var ctx = context.Background()

func TestIDsAreNeverUsedTwice(t *testing.T) {
	dir := withPage(t)
	claim(t, dir)
	claim(t, dir)
	if _, err := tresor.Release(ctx, dir, tresor.Minor, may(6)); err != nil {
		t.Fatal(err)
	}
	// The last release had C-0002, and the log once had C-0003.
	change(t, dir, "knowledge/hof/tor.md", "- **C-0002** [S-0001 | Punkt 1 | Wortlaut] Das Tor ist nachts geschlossen.\n", "")
	if _, err := tresor.Log(ctx, dir, "update", "C-0003 gestrichen", may(6)); err != nil {
		t.Fatal(err)
	}
	if got, want := claim(t, dir).ID, "C-0004"; got != want {
		t.Errorf("claim %s, want %s", got, want)
	}
	// The manifest knows of a source that is gone.
	change(t, dir, "MANIFEST.sha256", "sources/raw/S-0001__", "sources/raw/S-0002__")
	if got, want := add(t, dir, textSource(t, "b.md", "b\n"))[0].ID, "S-0003"; got != want {
		t.Errorf("source %s, want %s", got, want)
	}
}

// A number in prose or a high one in the log does not use up the others.
func TestAHighNumberInTheLogIsOnlySkipped(t *testing.T) {
	dir := withPage(t)
	if _, err := tresor.Log(ctx, dir, "note", "Drucker C-9000 ersetzt, xC-0001, C-00012, C-0001", may(6)); err != nil {
		t.Fatal(err)
	}
	if got, want := claim(t, dir).ID, "C-0002"; got != want {
		t.Errorf("claim %s, want %s", got, want)
	}
}

func TestNumbersEnd(t *testing.T) {
	dir := withPage(t)
	claim(t, dir)
	change(t, dir, "knowledge/hof/tor.md", "**C-0001**", "**C-9999**")
	_, err := curate.NewClaim(ctx, dir, goodClaim(), may(6))
	if _, text := refusal(t, err); !strings.Contains(text, "C-9999") {
		t.Errorf("text %q", text)
	}
	change(t, dir, "sources/REGISTER.md", "S-0001 |", "S-9999 |")
	change(t, dir, "sources/REGISTER.md", "S-0001__", "S-9999__")
	for _, path := range []string{"knowledge/hof/tor.md"} {
		write(t, filepath.Join(dir, path), strings.ReplaceAll(read(t, dir, path), "S-0001", "S-9999"))
	}
	if err := os.Rename(filepath.Join(dir, "sources/raw/S-0001__hofordnung.md"), filepath.Join(dir, "sources/raw/S-9999__hofordnung.md")); err != nil {
		t.Fatal(err)
	}
	valid(t, dir)
	_, _, err = curate.Add(ctx, dir, []curate.Source{textSource(t, "b.md", "b")}, may(6))
	if _, text := refusal(t, err); !strings.Contains(text, "S-9999") {
		t.Errorf("text %q", text)
	}
}

func TestNewType(t *testing.T) {
	dir := fresh(t)
	before := tree(t, dir)
	answers := curate.Type{Name: "messung", Beschreibung: "Eine gemessene Größe: „Wert“", Kriterien: "Zahl mit Einheit", Besonderheiten: "Messunsicherheit nennen",
		PflichtExtra: "Einheit, Zeitpunkt", GraphRolle: "Blatt; gehoert_zu", Relations: []string{"gemessen_an"}}
	done, err := curate.NewType(ctx, dir, answers, may(2))
	if err != nil {
		t.Fatal(err)
	}
	want := "\nmessung:\n  beschreibung: Eine gemessene Größe: „Wert“\n  kriterien: Zahl mit Einheit\n  besonderheiten: Messunsicherheit nennen\n" +
		"  pflicht_extra: Einheit, Zeitpunkt\n  graph_rolle: Blatt; gehoert_zu\n"
	if got := read(t, dir, "schema/types.yaml"); !strings.HasSuffix(got, want) || !strings.Contains(got, "voraussetzung_fuer, gemessen_an]") {
		t.Errorf("types %q do not end in %q", got, want)
	}
	wantLog := before["log.md"][len("-rw-r--r-- "):] + "## [2026-05-02] onboarding | Typ messung — beschreibung: Eine gemessene Größe: „Wert“ — kriterien: Zahl mit Einheit — " +
		"besonderheiten: Messunsicherheit nennen — pflicht_extra: Einheit, Zeitpunkt — graph_rolle: Blatt; gehoert_zu — Relationstypen: gemessen_an\n"
	if got := read(t, dir, "log.md"); got != wantLog {
		t.Errorf("log %q, want %q", got, wantLog)
	}
	if done.ID != "messung" {
		t.Errorf("done %+v", done)
	}
	valid(t, dir)
	for field, change := range map[string]func(*curate.Type){
		"beschreibung":   func(t *curate.Type) { t.Beschreibung = " " },
		"kriterien":      func(t *curate.Type) { t.Kriterien = "a\nb" },
		"besonderheiten": func(t *curate.Type) { t.Besonderheiten = "" },
		"pflicht-extra":  func(t *curate.Type) { t.PflichtExtra = "" },
		"graph-rolle":    func(t *curate.Type) { t.GraphRolle = "" },
		"relation-type":  func(t *curate.Type) { t.Relations = []string{"stufe2"} },
		"":               func(t *curate.Type) { t.Name = "regel" },
	} {
		a := answers
		a.Name = "zaehlung"
		change(&a)
		_, err := curate.NewType(ctx, dir, a, may(2))
		if got, text := refusal(t, err); got != field || text == "" {
			t.Errorf("%s: field %q, text %q", field, got, text)
		}
	}
}

func TestWorldsAndConcepts(t *testing.T) {
	dir := withPage(t)
	claim(t, dir)
	good := curate.Concept{Preferred: "Einfahrt", Aliases: []string{"Tor"}, Definition: "C-0001"}
	_, err := curate.NewConcept(ctx, dir, good, may(6))
	if field, _ := refusal(t, err); field != "world" {
		t.Errorf("without a world: field %q", field)
	}
	if done, err := curate.NewWorld(ctx, dir, "Hof", "Wörter des Hofs.", may(6)); err != nil || done.ID != "BW-0001" {
		t.Fatalf("%+v, %v", done, err)
	}
	if done, err := curate.NewConcept(ctx, dir, good, may(6)); err != nil || done.ID != "B-0001" {
		t.Fatalf("%+v, %v", done, err)
	}
	if got := read(t, dir, "knowledge/hof/tor.md"); !strings.Contains(got, "concepts: [B-0001]\n") {
		t.Errorf("page %s", got)
	}
	done, err := curate.NewConcept(ctx, dir, curate.Concept{Preferred: "Schranke", World: "BW-0001", Definition: "C-0001", Broader: []string{"B-0001"}, Related: []string{"B-0001"}}, may(6))
	if err != nil || done.ID != "B-0002" {
		t.Fatalf("%+v, %v", done, err)
	}
	if r := valid(t, dir); r.Warnings != nil {
		t.Errorf("warnings %v", r.Warnings)
	}
	before := tree(t, dir)
	for i, tt := range []struct {
		c     curate.Concept
		field string
	}{
		{curate.Concept{Preferred: "X", World: "BW-0009", Definition: "C-0001"}, "world"},
		{curate.Concept{Preferred: "X", Definition: "C-0009"}, "definition"},
		{curate.Concept{Preferred: "X", Definition: "C-0001", Broader: []string{"B-0009"}}, "broader"},
		{curate.Concept{Preferred: "X", Definition: "C-0001", Related: []string{"tor"}}, "related"},
		{curate.Concept{Preferred: "EINFAHRT", Definition: "C-0001"}, ""},
		{curate.Concept{Preferred: "X", Definition: "C-0001", Aliases: []string{"tor"}}, ""},
		{curate.Concept{Preferred: "X", Definition: "C-0001", Aliases: []string{"the system prompt"}}, "alias"},
		{curate.Concept{Preferred: " ", Definition: "C-0001"}, ""},
	} {
		_, err := curate.NewConcept(ctx, dir, tt.c, may(6))
		if field, text := refusal(t, err); field != tt.field || text == "" {
			t.Errorf("%d: field %q, text %q; want field %q", i, field, text, tt.field)
		}
	}
	if _, err := curate.NewWorld(ctx, dir, "Hof", "Noch einmal.", may(6)); err == nil {
		t.Error("a second world of the same name is made")
	}
	if _, err := curate.NewWorld(ctx, dir, "Garten", "", may(6)); err == nil {
		t.Error("a world without description is made")
	}
	if got := changed(before, tree(t, dir)); len(got) > 0 {
		t.Errorf("changed: %v", got)
	}
}

// A Tresor that is broken, or at which somebody else writes, is left alone.
func TestNothingIsAddedToABrokenTresor(t *testing.T) {
	dir := withPage(t)
	write(t, filepath.Join(dir, "knowledge/hof/kaputt.md"), "---\n\xff")
	_, err := curate.NewClaim(ctx, dir, goodClaim(), may(6))
	var r *curate.Refusal
	if !errors.As(err, &r) || len(r.Findings) != 1 || r.Findings[0].Rule != "PG-0" {
		t.Errorf("got %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "knowledge/hof/kaputt.md")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, ".vault-release.lock"), "pid=1\n")
	_, err = curate.NewClaim(ctx, dir, goodClaim(), may(6))
	var invalid *tresor.InvalidError
	if !errors.As(err, &invalid) || invalid.State != tresor.VaultBusy {
		t.Errorf("got %v", err)
	}
	if err := os.Remove(filepath.Join(dir, ".vault-release.lock")); err != nil {
		t.Fatal(err)
	}
	claim(t, dir)
	elsewhere := t.TempDir()
	_, err = curate.NewClaim(ctx, elsewhere, goodClaim(), may(6))
	if _, text := refusal(t, err); !strings.Contains(text, "--root") {
		t.Errorf("a folder that is no Tresor: %s", text)
	}
	if left := tree(t, elsewhere); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := curate.NewClaim(ctx, filepath.Join(dir, "fehlt"), goodClaim(), may(6)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestAFilledQuarantineIsNamed(t *testing.T) {
	dir := withPage(t)
	write(t, filepath.Join(dir, "sources/quarantine/eingang.md"), "x")
	done := claim(t, dir)
	if !strings.Contains(fmt.Sprint(done.Notes), "sources/quarantine/eingang.md") {
		t.Errorf("notes %q", done.Notes)
	}
}

// Of writers at the same time each is let in or turned away, and nothing of
// theirs is mixed.
func TestWritersAtTheSameTime(t *testing.T) {
	dir := withPage(t)
	var wg sync.WaitGroup
	ids := make(chan string, 8)
	for range cap(ids) {
		wg.Go(func() {
			done, err := curate.NewClaim(ctx, dir, goodClaim(), may(6))
			var invalid *tresor.InvalidError
			if err != nil && (!errors.As(err, &invalid) || invalid.State != tresor.VaultBusy) {
				t.Errorf("got %v", err)
			}
			if err == nil {
				ids <- done.ID
			}
		})
	}
	wg.Wait()
	close(ids)
	seen := make(map[string]bool)
	for id := range ids {
		if seen[id] {
			t.Errorf("%s is given twice", id)
		}
		seen[id] = true
	}
	if r := valid(t, dir); r.Claims != len(seen) || len(seen) == 0 {
		t.Errorf("%d claims, %d written", r.Claims, len(seen))
	}
}

// What new and add gave once is given to nothing else, also if it is deleted and
// released away again: the log is the memory.
func TestANumberThatWasDeletedStaysGiven(t *testing.T) {
	dir := withPage(t)
	released := func() {
		t.Helper()
		if _, err := tresor.Release(ctx, dir, tresor.Patch, may(6)); err != nil {
			t.Fatal(err)
		}
	}
	claim(t, dir)
	claim(t, dir)
	if got, want := read(t, dir, "log.md"), "## [2026-05-06] update | C-0002 in knowledge/hof/tor.md angelegt (S-0001)\n"; !strings.HasSuffix(got, want) {
		t.Errorf("log %q does not end in %q", got, want)
	}
	world := func() string {
		t.Helper()
		done, err := curate.NewWorld(ctx, dir, "Hof", "Wörter.", may(6))
		if err != nil {
			t.Fatal(err)
		}
		return done.ID
	}
	concept := func(name string) string {
		t.Helper()
		done, err := curate.NewConcept(ctx, dir, curate.Concept{Preferred: name, Definition: "C-0001"}, may(6))
		if err != nil {
			t.Fatal(err)
		}
		return done.ID
	}
	none := read(t, dir, "schema/begriffswelten.json")
	world()
	noConcept, page := read(t, dir, "schema/begriffswelten.json"), read(t, dir, "knowledge/hof/tor.md")
	concept("Tor")
	released()
	write(t, filepath.Join(dir, "schema/begriffswelten.json"), noConcept)
	write(t, filepath.Join(dir, "knowledge/hof/tor.md"), page)
	released()
	if got, want := concept("Pforte"), "B-0002"; got != want {
		t.Errorf("concept %s, want %s", got, want)
	}
	write(t, filepath.Join(dir, "schema/begriffswelten.json"), none)
	write(t, filepath.Join(dir, "knowledge/hof/tor.md"), page)
	released()
	if got, want := world(), "BW-0002"; got != want {
		t.Errorf("world %s, want %s", got, want)
	}
	line := "- **C-0002** [S-0001 | Punkt 1 | Wortlaut] Das Tor ist nachts geschlossen.\n"
	change(t, dir, "knowledge/hof/tor.md", line, "")
	released()
	if got, want := claim(t, dir).ID, "C-0003"; got != want {
		t.Errorf("claim %s, want %s", got, want)
	}
}

// A region keeps its number within its source; another source has its own.
func TestTheNumberOfARegionStaysGiven(t *testing.T) {
	dir := fresh(t)
	medium := curate.Medium{Alt: "Plan.", Extractor: "human | Platzwart | 1", Verified: true,
		Regions: []curate.Region{{Kind: "text", Locator: "links", Text: "Tor"}, {Kind: "text", Locator: "rechts", Text: "Zaun"}}}
	for _, name := range []string{"a.png", "b.png"} {
		s := textSource(t, name, png+name)
		s.Medium = medium
		add(t, dir, s)
		medium.Regions = medium.Regions[:1]
	}
	region := func(source string) string {
		t.Helper()
		done, err := curate.NewRegion(ctx, dir, curate.RegionOf{Source: source, Verified: true,
			Region: curate.Region{Kind: "text", Locator: "unten", Text: "Weg"}}, may(6))
		if err != nil {
			t.Fatal(err)
		}
		return done.ID
	}
	const path = "sources/derived/S-0001__media.json"
	two := read(t, dir, path)
	if got, want := region("S-0001"), "R-0003"; got != want {
		t.Errorf("region %s, want %s", got, want)
	}
	write(t, filepath.Join(dir, path), two)
	if got, want := region("S-0001"), "R-0004"; got != want {
		t.Errorf("region %s, want %s", got, want)
	}
	if got, want := region("S-0002"), "R-0002"; got != want {
		t.Errorf("region %s, want %s", got, want)
	}
}

// A log that is larger than what is parsed is remembered all the same.
func TestALargeLogIsRemembered(t *testing.T) {
	dir := withPage(t)
	claim(t, dir)
	s := read(t, dir, "log.md")
	write(t, filepath.Join(dir, "log.md"), s+strings.Repeat("## [2026-05-06] note | "+strings.Repeat("x", 1000)+"\n", 17<<10))
	change(t, dir, "knowledge/hof/tor.md", "- **C-0001** [S-0001 | Punkt 1 | Wortlaut] Das Tor ist nachts geschlossen.\n", "")
	if got, want := claim(t, dir).ID, "C-0002"; got != want {
		t.Errorf("claim %s, want %s", got, want)
	}
}
