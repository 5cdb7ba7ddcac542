package extern

import (
	"regexp"
	"strings"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
)

// An AnchorFile is everything that an anchor file says.
type AnchorFile struct {
	SourceID  string // X-nnnn
	Art       string // of the source
	Language  string
	Extractor check.Extractor
	Verified  bool
	Anchors   []Anchor // in the order of the file
}

// AnchorsPath returns where the anchors of a source lie.
func AnchorsPath(sourceID string) string { return profil.Derived + "/" + sourceID + "__anchors.json" }

// CataloguePath returns where the catalogue of a source lies.
func CataloguePath(sourceID string) string {
	return profil.Derived + "/" + sourceID + "__orchestrator.json"
}

// Document returns the anchors as the JSON document that [LoadAnchors] reads.
func (a AnchorFile) Document() pjson.Object {
	list := []any{}
	for _, a := range a.Anchors {
		list = append(list, pjson.Object{"id": a.ID, "document": a.Document, "document_sha256": a.DocumentSHA256, "sentence_index": a.SentenceIndex,
			"block": a.Block, "locator": a.Locator, "text": a.Text, "text_sha256": a.TextSHA256, "suspicious_instruction": a.Suspicious})
	}
	return pjson.Object{"schema": profil.SchemaAnchors, "source_id": a.SourceID, "source_kind": a.Art, "segmentation": profil.Segmentation,
		"language": a.Language, "extractor": a.Extractor.Document(), "verified": a.Verified, "anchors": list}
}

// Render returns the anchors as their file. What [ParseAnchors] would refuse
// gives a [*check.Refusal].
func (a AnchorFile) Render() ([]byte, error) {
	b := pjson.Encode(a.Document())
	if _, err := ParseAnchors(AnchorsPath(a.SourceID), b); err != nil {
		return nil, err
	}
	return b, nil
}

// ParseAnchors reads an anchor file for editing. What [LoadAnchors] would refuse
// whatever the registers and other files say gives a [*check.Refusal]; that it
// is not verified yet does not.
func ParseAnchors(path string, b []byte) (AnchorFile, error) {
	var f check.Findings
	where, o, source := single(path, b, anchorsName, anchorKeys, profil.SchemaAnchors, &f)
	if err := f.Refused(); err != nil {
		return AnchorFile{}, err
	}
	a := AnchorFile{SourceID: source.ID, Extractor: check.ExtractorOf(o["extractor"])}
	if a.Art, _ = o["source_kind"].(string); a.Art != register.ForeignTresor && a.Art != register.MarkdownTree {
		f.Error(where.Field(".source_kind"), "AN-7", register.MarkdownTree)
	}
	a.Language, _ = o["language"].(string)
	a.Verified, _ = o["verified"].(bool)
	a.Anchors, _ = anchorList(nil, where, o, true, map[string]bool{}, &f)
	return a, f.Refused()
}

// Document returns the catalogue as the JSON document that [LoadCatalogues]
// reads.
func (c Catalogue) Document() pjson.Object {
	list := []any{}
	for _, d := range c.Documents {
		list = append(list, pjson.Object{"path": d.Path, "sha256": orNull(d.SHA256), "title": d.Title, "summary": d.Summary, "tags": d.Tags,
			"top_tokens": d.TopTokens, "sentence_count": d.Sentences, "token_count": d.Tokens})
	}
	return pjson.Object{"schema": profil.SchemaCatalogue, "source_id": c.SourceID, "segmentation": profil.Segmentation,
		"generated_from_sha256": orNull(c.GeneratedFrom), "document_count": len(c.Documents), "documents": list}
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// Render returns the catalogue as its file. What [ParseCatalogue] would refuse
// gives a [*check.Refusal].
func (c Catalogue) Render() ([]byte, error) {
	b := pjson.Encode(c.Document())
	if _, err := ParseCatalogue(CataloguePath(c.SourceID), b); err != nil {
		return nil, err
	}
	return b, nil
}

// ParseCatalogue reads a catalogue for editing; otherwise like [ParseAnchors].
func ParseCatalogue(path string, b []byte) (Catalogue, error) {
	var f check.Findings
	where, o, source := single(path, b, catalogueName, catalogueKeys, profil.SchemaCatalogue, &f)
	if err := f.Refused(); err != nil {
		return Catalogue{}, err
	}
	if source.Ziel = register.Local; o["generated_from_sha256"] == nil {
		source.Ziel = "https://"
	}
	c, ok := catalogue(nil, where, o, source, &f)
	if !ok {
		return Catalogue{}, f.Refused()
	}
	return *c, f.Refused()
}

// single reads the head of one file without a register.
func single(path string, b []byte, name *regexp.Regexp, keys []string, schema string, f *check.Findings) (check.Where, pjson.Object, register.External) {
	where := check.File(path)
	v, ok := f.ParseJSON(where, b)
	if !ok {
		return where, nil, register.External{}
	}
	o, ok := f.Object(where, v, keys)
	if !ok {
		return where, nil, register.External{}
	}
	nameID := ""
	if m := name.FindStringSubmatch(strings.TrimPrefix(path, profil.Derived+"/")); m != nil {
		nameID = m[1]
	}
	source, _ := head(where, o, schema, nameID, map[string]register.External{nameID: {ID: nameID}}, f)
	return where, o, source
}
