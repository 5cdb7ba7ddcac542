package curate

import (
	"context"
	"slices"
	"strconv"

	"outheis/tresor"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/extern"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/text"
)

// An Anchor is a new sentence anchor on a document of a listed external source.
type Anchor struct {
	Source    string // X-nnnn
	Document  string // as in the source, ending in .md
	Sentence  string // its number, as the anchor template counts
	Locator   string // where it stands, for people
	Language  string // of the document; de, or that of the file
	Extractor string // "kind | name | version"; needed for the first anchor of a source
	Verified  bool   // a person has read the sentence where it stands; nothing is an anchor without
}

// NewAnchor reads the document as it is now and adds one of its sentences to the
// anchors of the source. The network may be nil.
func NewAnchor(ctx context.Context, dir string, a Anchor, n tresor.Network, o tresor.Options) (Done, error) {
	if !a.Verified {
		return Done{}, refuse(o, "verified", "CU-50")
	}
	path := extern.AnchorsPath(a.Source)
	template := tresor.AnchorTemplate(ctx, dir, a.Source, a.Document, n, o)
	if !template.OK {
		return Done{}, &Refusal{Text: reasonOf(template.JSON)}
	}
	drawn, err := extern.ParseAnchors(path, template.JSON)
	if err != nil {
		return Done{}, blamed(err, o)
	}
	number, err := strconv.Atoi(a.Sentence)
	i := slices.IndexFunc(drawn.Anchors, func(s extern.Anchor) bool { return s.SentenceIndex == number })
	if err != nil || i < 0 {
		return Done{}, refuse(o, "sentence", "CU-51", a.Sentence, len(drawn.Anchors))
	}
	sentence := drawn.Anchors[i]
	sentence.Locator = text.Trim(a.Locator)
	return change(ctx, dir, "new", o, func(p *plan) error {
		for id, old := range p.Bestand.Anchors[a.Source] {
			if old.Document == sentence.Document && old.TextSHA256 == sentence.TextSHA256 && old.SentenceIndex == number {
				return p.refuse("sentence", "CU-52", id)
			}
		}
		id, err := p.nextAnchor()
		if err != nil {
			return err
		}
		sentence.ID = id
		if sentence.Suspicious {
			p.note("CU-60", id)
		}
		if template.Note != "" {
			p.done.Notes = append(p.done.Notes, template.Note)
		}
		p.done.ID, p.done.Path = id, path
		err = p.edit(path, func(b []byte) ([]byte, error) { return p.anchor(path, b, a, drawn, sentence) })
		if err != nil {
			return err
		}
		return p.logGiven("Anker "+id+" von "+a.Source, sentence.Document)
	})
}

// anchor returns the anchor file with a sentence more, or a first one.
func (p *plan) anchor(path string, b []byte, a Anchor, drawn extern.AnchorFile, sentence extern.Anchor) ([]byte, error) {
	file := extern.AnchorFile{SourceID: a.Source, Art: drawn.Art, Language: "de", Verified: true}
	if b != nil {
		var err error
		if file, err = extern.ParseAnchors(path, b); err != nil {
			return nil, err
		}
	}
	if a.Language != "" {
		file.Language = a.Language
	}
	if a.Extractor != "" || file.Extractor == (check.Extractor{}) {
		var ok bool
		if file.Extractor, ok = parseExtractor(a.Extractor); !ok {
			return nil, p.refuse("extractor", "CU-61")
		}
	}
	file.Anchors = append(file.Anchors, sentence)
	return file.Render()
}

// reasonOf returns why a template was refused.
func reasonOf(document []byte) string {
	v, err := pjson.Parse(document)
	if err != nil {
		return string(document)
	}
	o, _ := v.(pjson.Object)
	errors, _ := o["errors"].([]any)
	if len(errors) == 0 {
		return string(document)
	}
	s, _ := errors[0].(string)
	return s
}
