package tresor

import (
	"path"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/medien"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
	"outheis/tresor/internal/tree"
)

// MediaTemplate returns the frame of a media description for the registered
// image or PDF with the ID, a P-JSON document of the schema skillsafe.media/v1
// that belongs into sources/derived once a person has filled it in, or why there
// is none. Nothing is written (3-artefacts section 8.3).
func MediaTemplate(dir, id string, o Options) Template {
	t, err := o.open(dir)
	if err != nil {
		return Template{JSON: templateRefusal(profil.SchemaMedia, "invalid_source", unreadable(dir, err, o).Findings)}
	}
	defer t.Close()
	var f check.Findings
	sources := register.Load(t, &f)
	source, known := sources[id]
	if f.Errors == nil && !known {
		f.Error(check.Where{}, "MT-1", id)
	}
	mediaType := ""
	if f.Errors == nil {
		mediaType = medium(t, source, &f)
	}
	if f.Errors != nil {
		return Template{JSON: templateRefusal(profil.SchemaMedia, "invalid_source", findings(f.Errors, Error, o))}
	}
	region := medien.Passage{Region: medien.Region{ID: "R-0001", Kind: "other", Confidence: "0"}, Locator: profil.Fill, Text: profil.Fill}
	return Template{OK: true, JSON: pjson.Encode(medien.Description{SourceID: id, SourceSHA256: source.SHA256, MediaType: mediaType, Language: "und",
		Extractor: check.Extractor{Kind: "human", Name: profil.Fill, Version: profil.Fill}, AltText: profil.Fill, Regions: []medien.Passage{region}}.Document())}
}

// medium returns the media type of a source's raw file, which must be what the
// register says it is.
func medium(t *tree.Tree, s register.Source, f *check.Findings) string {
	where := check.Where{Label: "REGISTER " + s.ID, Path: profil.RegisterFile, Line: s.Line}
	p, reason := t.Rel(".", s.Ablage)
	if reason != "" {
		f.Error(where, "RM-4", s.Ablage, check.PathReason(reason))
		return ""
	}
	name := path.Base(p)
	mediaType := medien.TypeOf(name)
	switch digest, err := t.Digest(p); {
	case medien.IsSVG(name):
		f.Error(where, "MD-24")
		return ""
	case mediaType == "":
		f.Error(where, "MD-12", name)
		return ""
	case err != nil:
		f.Error(where, "RM-12", s.Ablage, err)
		return ""
	case digest != s.SHA256:
		f.Error(where, "RM-9", digest)
		return ""
	}
	if head, err := t.Head(p, medien.HeadSize); err != nil {
		f.Error(where, "RM-12", s.Ablage, err)
	} else if medien.Detect(head) != mediaType {
		f.Error(where, "RM-11", name, mediaType)
	}
	return mediaType
}

// templateRefusal is the document of a template that is refused.
func templateRefusal(schema, state string, why []Finding) []byte {
	reasons := make([]string, len(why))
	for i, f := range why {
		reasons[i] = f.String()
	}
	return pjson.Encode(pjson.Object{"errors": reasons, "schema": schema, "state": state})
}
