package extern

import (
	"regexp"
	"slices"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
	"outheis/tresor/internal/tree"
)

const (
	maxAnchorLocator = 200
	maxAnchorText    = 2000
)

var anchorsName = regexp.MustCompile(`^(X-[0-9]{4})__anchors\.json$`)

// LoadAnchors reads the anchor files, by source and anchor ID.
func LoadAnchors(t *tree.Tree, sources map[string]register.External, f *check.Findings) map[string]map[string]Anchor {
	all := make(map[string]map[string]Anchor)
	used := make(map[string]bool) // an anchor's ID is unique in the whole Tresor
	files(t, anchorsName, f, func(path, nameID string, v any) {
		where := check.File(path)
		o, ok := f.Object(where, v, anchorKeys)
		if !ok {
			return
		}
		source, ok := head(where, o, profil.SchemaAnchors, nameID, sources, f)
		if !ok {
			return
		}
		if o["source_kind"] != source.Art {
			f.Error(where.Field(".source_kind"), "AN-7", source.Art)
		}
		list, ok := anchorList(t, where, o, false, used, f)
		if !ok {
			return
		}
		anchors := make(map[string]Anchor)
		for _, a := range list {
			anchors[a.ID] = a
		}
		all[source.ID] = anchors
	})
	return all
}

// anchorKeys are what an anchor file must say.
var anchorKeys = []string{"schema", "source_id", "source_kind", "segmentation", "language", "extractor", "verified", "anchors"}

// anchorList checks what an anchor file says of its own, apart from the source
// that it belongs to; it is false without any anchor. A draft may still have to
// be verified.
func anchorList(t *tree.Tree, where check.Where, o pjson.Object, draft bool, used map[string]bool, f *check.Findings) ([]Anchor, bool) {
	if lang, _ := o["language"].(string); !profil.IsLanguage(lang) {
		f.Error(where.Field(".language"), "AN-8")
	}
	f.Extractor(where.Field(".extractor"), o["extractor"], "AN-9", 200, 50)
	if verified := o["verified"]; verified != true && !(draft && verified == false) {
		f.Error(where.Field(".verified"), "AN-10")
	}
	list, _ := o["anchors"].([]any)
	if len(list) == 0 {
		f.Error(where.Field(".anchors"), "AN-11")
		return nil, false
	}
	var anchors []Anchor
	for i, v := range list {
		if a, ok := anchor(t, where.Field(".anchors").Item(i+1), v, used, f); ok {
			anchors = append(anchors, a)
		}
	}
	return anchors, true
}

func anchor(t *tree.Tree, where check.Where, v any, used map[string]bool, f *check.Findings) (a Anchor, ok bool) {
	o, ok := f.Object(where, v, []string{"id", "document", "document_sha256", "sentence_index", "block", "locator", "text",
		"text_sha256", "suspicious_instruction"})
	if !ok {
		return a, false
	}
	a.ID, _ = o["id"].(string)
	if !profil.IsID("A", a.ID) {
		f.Error(where.Field(".id"), "AN-12")
		return a, false
	}
	if used[a.ID] {
		f.Error(where.Field(".id"), "AN-13", a.ID)
		return a, false
	}
	used[a.ID] = true
	if a.Document, ok = document(t, where.Field(".document"), o["document"], f); !ok {
		return a, false
	}
	for _, field := range []string{"document_sha256", "text_sha256"} {
		if !isSHA256(o[field]) {
			f.Error(where.Field("."+field), "EX-7")
		}
	}
	if a.SentenceIndex, ok = whole(o["sentence_index"], 1); !ok {
		f.Error(where.Field(".sentence_index"), "AN-18")
	}
	a.Block, _ = o["block"].(string)
	if !slices.Contains([]string{"absatz", "listenpunkt", "tabellenzelle", "ueberschrift", "zitat"}, a.Block) {
		f.Error(where.Field(".block"), "AN-19")
	}
	a.DocumentSHA256, _ = o["document_sha256"].(string)
	a.Locator, _ = f.Plain(where.Field(".locator"), o["locator"], maxAnchorLocator)
	a.Text, _ = f.Plain(where.Field(".text"), o["text"], maxAnchorText)
	if a.Suspicious, ok = o["suspicious_instruction"].(bool); !ok {
		f.Error(where.Field(".suspicious_instruction"), "AN-21")
	}
	a.TextSHA256, _ = o["text_sha256"].(string)
	if sentence, ok := o["text"].(string); ok {
		if QuoteForm(sentence) != sentence {
			f.Error(where.Field(".text"), "AN-22")
		} else if _, isText := o["text_sha256"].(string); isText && a.TextSHA256 != Digest(sentence) {
			f.Error(where.Field(".text_sha256"), "AN-23")
		}
		if !a.Suspicious && signature(sentence, o["locator"]) {
			f.Error(where, "AN-24")
		}
	}
	return a, true
}
