package tresor

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"outheis/tresor/internal/abruf"
	"outheis/tresor/internal/bindung"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/extern"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/tree"
	"outheis/tresor/internal/wording"
)

const (
	maxAnchors   = 9999 // of a document; IDs have four digits
	maxTopTokens = 12
)

// A Template is the frame of a file that a person fills in: a P-JSON document,
// or if OK is false a refusal, an object with schema, state and errors. The file
// that a person makes of it belongs into sources/derived.
type Template struct {
	JSON []byte
	OK   bool
	Note string // what went wrong beside it, for stderr; "" mostly
}

// AnchorTemplate returns the frame of sentence anchors for a document of a listed
// external source, with all its sentences as it is now (3-artefacts section 8.1).
// It writes nothing but an entry in log.md for a fetch from the network n, which
// may be nil.
func AnchorTemplate(ctx context.Context, dir, id, document string, n Network, o Options) Template {
	d := templateDraft{profil.SchemaAnchors, o}
	t, err := o.open(dir)
	if err != nil {
		return d.invalid(unreadable(dir, err, o).Findings)
	}
	defer t.Close()
	source, found := d.source(t, id)
	if found != nil {
		return d.invalid(found)
	}
	var ignored check.Findings
	file := bindung.Load(t, &ignored)
	status := file.Status(source, t.Root())
	reader := documentReader{vault: t.Root(), source: source, network: n, ttl: file.TTL}
	switch {
	case status.Mode == bindung.Unbound:
		return d.refuse("not_bound", *status.Reason)
	case !strings.HasSuffix(document, ".md"):
		return d.refuse("unreachable", *bindung.At(document, check.Reason("XT-1")))
	case status.Mode == bindung.Local:
		root, why := status.Root.Open()
		if why != nil {
			return d.refuse("unreachable", *bindung.At(document, *why))
		}
		defer root.Close()
		reader.dir = root
	}
	doc, record, why := reader.read(ctx, document)
	var result Template
	sentences := extern.Sentences(doc.Text)
	switch {
	case why != nil:
		result = d.refuse("unreachable", *bindung.At(document, *why))
	case len(sentences) > maxAnchors:
		result = d.refuse("budget_exceeded", *bindung.At(document, check.Reason("XT-2", maxAnchors)))
	default:
		result = Template{JSON: anchorTemplate(source, document, doc.SHA256, sentences), OK: true}
	}
	if why := logFetches(ctx, t.Root(), []abruf.Record{record}, o); why != "" {
		result.Note = wording.Say(o.Lang, "XQ-12", why)
	}
	return result
}

func anchorTemplate(source register.External, document, digest string, sentences []extern.Sentence) []byte {
	anchors := make([]extern.Anchor, len(sentences))
	for i, s := range sentences {
		anchors[i] = extern.Anchor{ID: fmt.Sprintf("A-%04d", s.Index), Document: document, DocumentSHA256: digest, SentenceIndex: s.Index,
			Block: s.Block, Locator: profil.Fill, Text: s.Text, TextSHA256: extern.Digest(s.Text), Suspicious: text.Signature(s.Text)}
	}
	return pjson.Encode(extern.AnchorFile{SourceID: source.ID, Art: source.Art, Language: "de",
		Extractor: check.Extractor{Kind: "human", Name: profil.Fill, Version: "1"}, Anchors: anchors}.Document())
}

// OrchestratorTemplate returns the frame of a catalogue for a bound tree, with
// all its documents as they are now (3-artefacts section 8.2). Names that end in
// .md in another spelling count in the tree's budgets, but are not listed: the
// format refuses them (deviation D-55).
func OrchestratorTemplate(dir, id string, o Options) Template {
	d := templateDraft{profil.SchemaCatalogue, o}
	t, err := o.open(dir)
	if err != nil {
		return d.invalid(unreadable(dir, err, o).Findings)
	}
	defer t.Close()
	source, found := d.source(t, id)
	if found != nil {
		return d.invalid(found)
	}
	if source.Art != register.MarkdownTree {
		return d.refuse("invalid_source", check.Reason("XT-4", id))
	}
	var ignored check.Findings
	status := bindung.Load(t, &ignored).Status(source, t.Root())
	switch status.Mode {
	case bindung.Unbound:
		return d.refuse("not_bound", *status.Reason)
	case bindung.Net:
		return d.refuse("not_bound", check.Reason("XT-5"))
	}
	root, why := status.Root.Open()
	if why != nil {
		return d.refuse("not_bound", *bindung.At(id, *why))
	}
	defer root.Close()
	documents, why := root.Documents()
	if why != nil {
		return d.refuse("budget_exceeded", *why)
	}
	documents = slices.DeleteFunc(documents, func(d bindung.Document) bool { return !strings.HasSuffix(d.Path, ".md") })
	result := Template{JSON: catalogueTemplate(source, documents, o), OK: true}
	if n := len(result.JSON); n > check.MaxJSON {
		result.Note = wording.Say(o.Lang, "XT-6", n, check.MaxJSON)
	}
	return result
}

func catalogueTemplate(source register.External, documents []bindung.Document, o Options) []byte {
	generated := sha256.New()
	c := extern.Catalogue{SourceID: source.ID}
	for i, d := range documents {
		o.progress(StageLookup, i, len(documents))
		fmt.Fprintf(generated, "%s\x00%s\n", d.Path, d.SHA256)
		sentences := extern.Sentences(d.Text)
		tokens := extern.Tokens(sentences)
		c.Documents = append(c.Documents, extern.Document{Path: d.Path, SHA256: d.SHA256, Title: profil.Fill, TopTokens: topTokens(tokens),
			Sentences: len(sentences), Tokens: len(tokens)})
	}
	c.GeneratedFrom = hex.EncodeToString(generated.Sum(nil))
	return pjson.Encode(c.Document())
}

// topTokens returns the most frequent tokens, of equally frequent ones the first
// in the alphabet.
func topTokens(tokens []string) []string {
	count := make(map[string]int)
	for _, t := range tokens {
		count[t]++
	}
	distinct := slices.Collect(maps.Keys(count))
	slices.SortFunc(distinct, func(a, b string) int { return cmp.Or(cmp.Compare(count[b], count[a]), strings.Compare(a, b)) })
	return distinct[:min(maxTopTokens, len(distinct))]
}

// A templateDraft is a template of a schema that is being made.
type templateDraft struct {
	schema string
	o      Options
}

func (d templateDraft) invalid(why []Finding) Template {
	return Template{JSON: templateRefusal(d.schema, "invalid_source", why)}
}

func (d templateDraft) refuse(state string, why wording.Sentence) Template {
	return Template{JSON: templateRefusal(d.schema, state, []Finding{{Text: why.In(d.o.Lang)}})}
}

// source returns the listed source with the ID, or why there is none.
func (d templateDraft) source(t *tree.Tree, id string) (register.External, []Finding) {
	var f check.Findings
	sources := register.LoadExternal(t, &f)
	source, ok := sources[id]
	if f.Errors == nil && !ok {
		f.Error(check.Where{}, "XT-3", id)
	}
	return source, findings(f.Errors, Error, d.o)
}
