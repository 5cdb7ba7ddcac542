package medien

import (
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/profil"
)

// A Description is everything that the file of a description says. A Tresor
// that is read keeps only a [Media] of it.
type Description struct {
	SourceID     string
	SourceSHA256 string
	MediaType    string
	Language     string
	Extractor    check.Extractor
	Verified     bool
	AltText      string
	Regions      []Passage // in the order of the file
}

// A Passage is a region with its text.
type Passage struct {
	Region
	Locator string
	Text    string
	Box     []pjson.Number // x, y, width and height, or nil
}

// Path returns where the description of a source lies.
func Path(sourceID string) string { return profil.Derived + "/" + sourceID + "__media.json" }

// Document returns the description as the JSON document that [Load] reads.
func (d Description) Document() pjson.Object {
	regions := []any{}
	for _, r := range d.Regions {
		regions = append(regions, r.document())
	}
	return pjson.Object{"schema": profil.SchemaMedia, "source_id": d.SourceID, "source_sha256": d.SourceSHA256, "media_type": d.MediaType,
		"language": d.Language, "extractor": d.Extractor.Document(), "verified": d.Verified, "alt_text": d.AltText, "regions": regions}
}

func (r Passage) document() pjson.Object {
	o := pjson.Object{"id": r.ID, "kind": r.Kind, "locator": r.Locator, "text": r.Text, "confidence": r.Confidence, "bbox": nil,
		"suspicious_instruction": r.Suspicious}
	if r.Box != nil {
		var box []any
		for _, n := range r.Box {
			box = append(box, n)
		}
		o["bbox"] = box
	}
	return o
}

// Render returns the description as its file. What [Parse] would refuse gives a
// [*check.Refusal].
func (d Description) Render() ([]byte, error) {
	where := check.File(Path(d.SourceID))
	for _, r := range d.Regions {
		if r.Confidence == "" {
			return nil, check.Refuse(where, "MD-21d")
		}
	}
	b := pjson.Encode(d.Document())
	if _, err := Parse(where.Path, b); err != nil {
		return nil, err
	}
	return b, nil
}

// Parse reads the file of a description for editing. What [Load] would refuse
// whatever the source gives a [*check.Refusal]; that it is not verified yet does
// not, and whether it fits the registered source is for validation.
func Parse(path string, b []byte) (Description, error) {
	p := parser{where: check.File(path), draft: true, Findings: &check.Findings{}}
	v, ok := p.ParseJSON(p.where, b)
	if !ok {
		return Description{}, p.Refused()
	}
	o, ok := p.Object(p.where, v, keys)
	if !ok {
		return Description{}, p.Refused()
	}
	d := describe(o)
	if o["schema"] != profil.SchemaMedia {
		p.Error(p.where.Field(".schema"), "MD-5", profil.SchemaMedia)
	}
	if !profil.IsID("S", d.SourceID) {
		p.Error(p.where.Field(".source_id"), "MD-6")
	} else if path != Path(d.SourceID) {
		p.Error(p.where.Field(".source_id"), "MD-7", d.SourceID, path)
	}
	if !profil.IsSHA256(d.SourceSHA256) {
		p.Error(p.where.Field(".source_sha256"), "MD-10", d.SourceID)
	}
	switch d.MediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp", "image/tiff", "application/pdf":
	default:
		p.Error(p.where.Field(".media_type"), "MD-12", d.MediaType)
	}
	p.description(o, map[string]Region{})
	return d, p.Refused()
}

// describe takes over an object that has the right keys.
func describe(o pjson.Object) Description {
	var d Description
	d.SourceID, _ = o["source_id"].(string)
	d.SourceSHA256, _ = o["source_sha256"].(string)
	d.MediaType, _ = o["media_type"].(string)
	d.Language, _ = o["language"].(string)
	d.Extractor = check.ExtractorOf(o["extractor"])
	d.Verified, _ = o["verified"].(bool)
	d.AltText, _ = o["alt_text"].(string)
	list, _ := o["regions"].([]any)
	for _, v := range list {
		o, _ := v.(pjson.Object)
		var r Passage
		r.ID, _ = o["id"].(string)
		r.Kind, _ = o["kind"].(string)
		r.Locator, _ = o["locator"].(string)
		r.Text, _ = o["text"].(string)
		r.Confidence, _ = o["confidence"].(pjson.Number)
		r.Suspicious, _ = o["suspicious_instruction"].(bool)
		box, _ := o["bbox"].([]any)
		for _, v := range box {
			n, _ := v.(pjson.Number)
			r.Box = append(r.Box, n)
		}
		d.Regions = append(d.Regions, r)
	}
	return d
}
