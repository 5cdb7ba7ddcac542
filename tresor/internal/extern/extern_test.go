package extern_test

import (
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

// No bytes make the loaders panic, whatever they are put in as.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"schema": "skillsafe.anchors/v1", "source_id": "X-0001", "source_kind": "markdown-tree", "segmentation": "satzsegmentierung/v1",
		"language": "de", "extractor": {"kind": "human", "name": "a", "version": "1"}, "verified": true, "anchors": [{"id": "A-0001", "document": "a.md",
		"document_sha256": "", "sentence_index": 1, "block": [], "locator": "a", "text": "b", "text_sha256": "", "suspicious_instruction": false}]}`))
	f.Add([]byte(`{"schema": "skillsafe.orchestrator/v1", "source_id": "X-0001", "segmentation": "satzsegmentierung/v1", "generated_from_sha256": null,
		"document_count": 1e999, "documents": [{"path": "a.md", "sha256": null, "title": "t", "summary": "", "tags": [""], "sentence_count": -1, "token_count": 1.0, "top_tokens": {}}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m := fstest.MapFS{}
		for _, name := range []string{"X-0001__anchors.json", "X-0001__orchestrator.json"} {
			m["sources/derived/"+name] = &fstest.MapFile{Data: b}
		}
		tr := tree.OpenFS(m, "t")
		sources := map[string]register.External{"X-0001": {ID: "X-0001", Art: register.MarkdownTree, Ziel: register.Local}}
		var found check.Findings
		anchors, catalogues := extern.LoadAnchors(tr, sources, &found), extern.LoadCatalogues(tr, sources, &found)
		if len(anchors) > 0 && len(catalogues) > 0 {
			t.Fatalf("%q is both", b)
		}
		for _, e := range found.Errors {
			if !strings.HasPrefix(e.Label, "sources/derived/X-0001__") {
				t.Fatalf("label %q", e.Label)
			}
		}
	})
}
