package extern_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/extern"
	"outheis/tresor/internal/register"
	"outheis/tresor/internal/tree"
)

func TestQuoteForm(t *testing.T) {
	for in, want := range map[string]string{
		"  a \t\u00a0b\n": "a b", "u\u0308ber ﬁ ½": "über ﬁ ½", "": "", "Ohne Einweisung bleibt der Laser gesperrt.": "Ohne Einweisung bleibt der Laser gesperrt.",
	} {
		if got := extern.QuoteForm(in); got != want {
			t.Errorf("QuoteForm(%q) = %q, want %q", in, got, want)
		}
	}
	if got, want := extern.Digest(" Ohne Einweisung  bleibt der Laser gesperrt."), "fb534ecdbe89fd0618f9d0a3b21154a239290f744d4fd6000fe4916d3d69a8a4"; got != want {
		t.Errorf("digest %s, want %s", got, want)
	}
}

const (
	anchorFile = `{"schema": "skillsafe.anchors/v1", "source_id": "X-0001", "source_kind": "markdown-tree", "segmentation": "satzsegmentierung/v1",
		"language": "de", "extractor": {"kind": "human", "name": "a", "version": "1"}, "verified": true, "anchors": [{"id": "A-0003", "document": "a.md",
		"document_sha256": "f40477c2428f20eec938467164987ea68927c1c7d96ac04817a713e8b8974099", "sentence_index": 3, "block": "absatz", "locator": "Satz 2",
		"text": "Ohne Einweisung bleibt der Laser gesperrt.", "text_sha256": "fb534ecdbe89fd0618f9d0a3b21154a239290f744d4fd6000fe4916d3d69a8a4",
		"suspicious_instruction": false}]}`
	catalogueFile = `{"schema": "skillsafe.orchestrator/v1", "source_id": "X-0001", "segmentation": "satzsegmentierung/v1",
		"generated_from_sha256": "f40477c2428f20eec938467164987ea68927c1c7d96ac04817a713e8b8974099", "document_count": 1, "documents": [{"path": "a.md",
		"sha256": "f40477c2428f20eec938467164987ea68927c1c7d96ac04817a713e8b8974099", "title": "t", "summary": "", "tags": ["x"], "sentence_count": 1,
		"token_count": 1, "top_tokens": []}]}`
)

// No bytes make the loaders panic, whatever they are put in as; what they accept
// is written and reads back the same.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(anchorFile), false)
	f.Add([]byte(catalogueFile), false)
	f.Add([]byte(strings.ReplaceAll(catalogueFile, `"f40477c2428f20eec938467164987ea68927c1c7d96ac04817a713e8b8974099"`, "null")), true)
	f.Add([]byte(strings.Replace(anchorFile, `"absatz"`, "[]", 1)), false)
	f.Add([]byte(strings.Replace(catalogueFile, `"document_count": 1`, `"document_count": 1e999`, 1)), false)
	f.Fuzz(func(t *testing.T, b []byte, network bool) {
		anchors, catalogues, errs := load(b, network)
		if len(anchors) > 0 && len(catalogues) > 0 {
			t.Fatalf("%q is both", b)
		}
		for _, e := range errs {
			if !strings.HasPrefix(e.Label, "sources/derived/X-0001__") {
				t.Fatalf("label %q", e.Label)
			}
		}
		// Each is no file of the other kind, so there are always errors; count those
		// of its own.
		own := func(name string) (n int) {
			for _, e := range errs {
				if strings.HasSuffix(e.Path, name) {
					n++
				}
			}
			return n
		}
		if anchors["X-0001"] != nil && own("anchors.json") == 0 {
			a, err := extern.ParseAnchors(extern.AnchorsPath("X-0001"), b)
			if err != nil {
				t.Fatalf("%q is accepted but not read: %v", b, err)
			}
			rendered, err := a.Render()
			if err != nil {
				t.Fatalf("%q is accepted but not written: %v", b, err)
			}
			if again, _, _ := load(rendered, network); !reflect.DeepEqual(again, anchors) {
				t.Fatalf("%q became %q", b, rendered)
			}
		}
		if catalogues["X-0001"] != nil && own("orchestrator.json") == 0 {
			c, err := extern.ParseCatalogue(extern.CataloguePath("X-0001"), b)
			if err != nil {
				t.Fatalf("%q is accepted but not read: %v", b, err)
			}
			rendered, err := c.Render()
			if err != nil {
				t.Fatalf("%q is accepted but not written: %v", b, err)
			}
			if _, again, _ := load(rendered, network); !reflect.DeepEqual(again, catalogues) {
				t.Fatalf("%q became %q", b, rendered)
			}
		}
	})
}

// load loads b both as anchors and as a catalogue.
func load(b []byte, network bool) (map[string]map[string]extern.Anchor, map[string]*extern.Catalogue, []check.Finding) {
	m := fstest.MapFS{}
	for _, name := range []string{"X-0001__anchors.json", "X-0001__orchestrator.json"} {
		m["sources/derived/"+name] = &fstest.MapFile{Data: b}
	}
	tr := tree.OpenFS(m, "t")
	source := register.External{ID: "X-0001", Art: register.MarkdownTree, Ziel: register.Local}
	if network {
		source.Ziel = "https://a.example/"
	}
	sources := map[string]register.External{"X-0001": source}
	var found check.Findings
	return extern.LoadAnchors(tr, sources, &found), extern.LoadCatalogues(tr, sources, &found), found.Errors
}

func TestRender(t *testing.T) {
	a, err := extern.ParseAnchors(extern.AnchorsPath("X-0001"), []byte(anchorFile))
	if err != nil {
		t.Fatal(err)
	}
	b, err := a.Render()
	if err != nil || !strings.HasPrefix(string(b), "{\n  \"anchors\": [\n    {\n      \"block\": \"absatz\",\n      \"document\": \"a.md\",\n") {
		t.Errorf("got %s, %v", b, err)
	}
	for rule, change := range map[string]func(*extern.AnchorFile){
		"AN-13": func(a *extern.AnchorFile) { a.Anchors = append(a.Anchors, a.Anchors[0]) },
		"AN-11": func(a *extern.AnchorFile) { a.Anchors = nil },
		"AN-23": func(a *extern.AnchorFile) { a.Anchors[0].Text = "Anders." },
		"AN-22": func(a *extern.AnchorFile) { a.Anchors[0].Text = "a  b" },
		"AN-7":  func(a *extern.AnchorFile) { a.Art = "x" },
		"EX-5":  func(a *extern.AnchorFile) { a.Anchors[0].Document = "../a.md" },
		"EX-2":  func(a *extern.AnchorFile) { a.SourceID = "S-0001" },
		"EX-7":  func(a *extern.AnchorFile) { a.Anchors[0].DocumentSHA256 = "" },
		"":      func(a *extern.AnchorFile) { a.Verified = false },
	} {
		a, err := extern.ParseAnchors(extern.AnchorsPath("X-0001"), []byte(anchorFile))
		if err != nil {
			t.Fatal(err)
		}
		change(&a)
		got := ""
		var refusal *check.Refusal
		if _, err := a.Render(); errors.As(err, &refusal) {
			got = refusal.Key
		}
		if got != rule {
			t.Errorf("got %s, want %s", got, rule)
		}
	}
	c, err := extern.ParseCatalogue(extern.CataloguePath("X-0001"), []byte(catalogueFile))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := c.Render(); err != nil || !strings.HasPrefix(string(b), "{\n  \"document_count\": 1,\n  \"documents\": [\n") {
		t.Errorf("got %s, %v", b, err)
	}
	c.GeneratedFrom = "" // then no document has a digest either
	var refusal *check.Refusal
	if _, err := c.Render(); !errors.As(err, &refusal) || refusal.Key != "CA-7" {
		t.Errorf("got %v, want CA-7", err)
	}
}
