// Package extern reads and writes what the Tresor holds about sources outside of it: the
// sentence anchors that claims cite and the catalogues that find documents
// (1-format sections 10 and 11); and it splits and scores documents that others
// read (5-extern section 6). The texts in them are untrusted data and never
// evidence. It reaches nothing outside of the Tresor.
package extern

import (
	"regexp"
	"strings"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
)

// An Anchor is a sentence of an external document.
type Anchor struct {
	ID             string // A-nnnn
	Document       string
	DocumentSHA256 string
	SentenceIndex  int
	Block          string
	Locator        string
	Text           string // in quote form
	TextSHA256     string
	Suspicious     bool // it holds what looks like an instruction
}

// A Catalogue lists the documents of an external tree.
type Catalogue struct {
	SourceID      string
	GeneratedFrom string // digest over all documents; "" for a network source
	Documents     []Document
}

// A Document is an entry of a catalogue.
type Document struct {
	Path      string
	SHA256    string // "" for a network source
	Title     string
	Summary   string
	Tags      []string
	TopTokens []string
	Sentences int // as the catalogue counts them
	Tokens    int
}

// files visits the files of sources/derived that match name. The state of the
// folder itself is the matter of package medien.
func files(t *tree.Tree, name *regexp.Regexp, f *check.Findings, visit func(path, id string, v any)) {
	for _, n := range t.Names(profil.Derived) {
		m := name.FindStringSubmatch(n)
		if m == nil {
			continue
		}
		path := profil.Derived + "/" + n
		if !t.SafeFile(path) {
			f.Error(check.File(path), "AN-1")
			continue
		}
		if v, ok := f.JSON(t, path); ok {
			visit(path, m[1], v)
		}
	}
}

// head checks what anchor files and catalogues begin with and returns the
// registered source.
func head(where check.Where, o pjson.Object, schema, nameID string, sources map[string]register.External, f *check.Findings) (register.External, bool) {
	if o["schema"] != schema {
		f.Error(where.Field(".schema"), "EX-1", schema)
	}
	if o["segmentation"] != profil.Segmentation {
		f.Error(where.Field(".segmentation"), "EX-1", profil.Segmentation)
	}
	id, _ := o["source_id"].(string)
	source, known := sources[id]
	switch where := where.Field(".source_id"); {
	case !profil.IsID("X", id):
		f.Error(where, "EX-2")
	case id != nameID:
		f.Error(where, "EX-3", id, nameID)
	case !known:
		f.Error(where, "EX-4", id)
	default:
		return source, true
	}
	return register.External{}, false
}

// document checks the path of an external document, without a tree only its
// form; it is false after an error that drops the entry.
func document(t *tree.Tree, where check.Where, v any, f *check.Findings) (string, bool) {
	s, ok := v.(string)
	if !ok {
		f.Error(where, "PT-1")
		return "", false
	}
	reason := tree.CheckRel(s)
	if reason == "" && t != nil {
		_, reason = t.Rel(".", s)
	}
	if reason != "" {
		f.Error(where, "EX-5", check.PathReason(reason))
		return "", false
	}
	if !strings.HasSuffix(s, ".md") {
		f.Error(where, "EX-6")
	}
	return s, true
}

func isSHA256(v any) bool {
	s, _ := v.(string)
	return profil.IsSHA256(s)
}

// whole returns an integer of at least lowest.
func whole(v any, lowest int64) (int, bool) {
	n, _ := v.(pjson.Number)
	i, ok := n.Int()
	return int(i), ok && i >= lowest
}

func signature(values ...any) bool {
	for _, v := range values {
		if s, ok := v.(string); ok && text.Signature(s) {
			return true
		}
	}
	return false
}
