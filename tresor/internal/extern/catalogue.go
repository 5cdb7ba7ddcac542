package extern

import (
	"regexp"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
	"outheis/tresor/internal/tree"
)

const (
	maxTitle   = 300
	maxSummary = 600
)

var catalogueName = regexp.MustCompile(`^(X-[0-9]{4})__orchestrator\.json$`)

// LoadCatalogues reads the catalogues by source.
func LoadCatalogues(t *tree.Tree, sources map[string]register.External, f *check.Findings) map[string]*Catalogue {
	all := make(map[string]*Catalogue)
	files(t, catalogueName, f, func(path, nameID string, v any) {
		where := check.File(path)
		o, ok := f.Object(where, v, catalogueKeys)
		if !ok {
			return
		}
		source, ok := head(where, o, profil.SchemaCatalogue, nameID, sources, f)
		if !ok {
			return
		}
		if source.Art != register.MarkdownTree {
			f.Error(where, "CA-6")
			return
		}
		if c, ok := catalogue(t, where, o, source, f); ok {
			all[source.ID] = c
		}
	})
	return all
}

// catalogueKeys are what a catalogue must say.
var catalogueKeys = []string{"schema", "source_id", "segmentation", "generated_from_sha256", "document_count", "documents"}

// catalogue checks what a catalogue lists; it is false without any document.
func catalogue(t *tree.Tree, where check.Where, o pjson.Object, source register.External, f *check.Findings) (*Catalogue, bool) {
	pinned(where.Field(".generated_from_sha256"), o["generated_from_sha256"], source, f)
	list, _ := o["documents"].([]any)
	if len(list) == 0 {
		f.Error(where.Field(".documents"), "CA-9")
		return nil, false
	}
	if n, ok := whole(o["document_count"], 0); !ok || n != len(list) {
		f.Error(where.Field(".document_count"), "CA-10", len(list))
	}
	c := &Catalogue{SourceID: source.ID}
	c.GeneratedFrom, _ = o["generated_from_sha256"].(string)
	seen := make(map[string]bool)
	for i, v := range list {
		if d, ok := entry(t, where.Field(".documents").Item(i+1), v, source, seen, f); ok {
			c.Documents = append(c.Documents, d)
		}
	}
	return c, true
}

// pinned checks a digest: a network source has none, because it moves.
func pinned(where check.Where, v any, source register.External, f *check.Findings) {
	switch {
	case source.IsNetwork() && v != nil:
		f.Error(where, "CA-7")
	case !source.IsNetwork() && !isSHA256(v):
		f.Error(where, "EX-7")
	}
}

func entry(t *tree.Tree, where check.Where, v any, source register.External, seen map[string]bool, f *check.Findings) (d Document, ok bool) {
	o, ok := f.Object(where, v, []string{"path", "sha256", "title", "summary", "tags", "sentence_count", "token_count", "top_tokens"})
	if !ok {
		return d, false
	}
	if d.Path, ok = document(t, where.Field(".path"), o["path"], f); !ok {
		return d, false
	}
	if seen[d.Path] {
		f.Error(where.Field(".path"), "CA-14", d.Path)
		return d, false
	}
	seen[d.Path] = true
	pinned(where.Field(".sha256"), o["sha256"], source, f)
	d.SHA256, _ = o["sha256"].(string)
	d.Title, _ = f.Plain(where.Field(".title"), o["title"], maxTitle)
	d.Summary, _ = f.PlainOrEmpty(where.Field(".summary"), o["summary"], maxSummary)
	d.Sentences = count(where.Field(".sentence_count"), o["sentence_count"], f)
	d.Tokens = count(where.Field(".token_count"), o["token_count"], f)
	d.Tags = textsOf(where.Field(".tags"), o["tags"], f)
	d.TopTokens = textsOf(where.Field(".top_tokens"), o["top_tokens"], f)
	return d, true
}

func count(where check.Where, v any, f *check.Findings) int {
	n, ok := whole(v, 0)
	if !ok {
		f.Error(where, "CA-18")
	}
	return n
}

// textsOf returns a list of texts, none of them empty.
func textsOf(where check.Where, v any, f *check.Findings) []string {
	list, ok := v.([]any)
	var texts []string
	for _, v := range list {
		s, _ := v.(string)
		ok = ok && s != ""
		texts = append(texts, s)
	}
	if !ok {
		f.Error(where, "CA-19")
	}
	return texts
}
