// Package medien reads and writes the media descriptions in sources/derived: what a person
// has checked about an image or a PDF, region by region, so that claims can cite
// it (1-format section 9). No medium is ever decoded or rendered.
package medien

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

// The limits of a description.
const (
	maxAlt     = 1000
	maxLocator = 500
	maxText    = 20_000
	maxRegions = 1000
)

// A Media is the description of one source.
type Media struct {
	Path      string // of the description
	SourceID  string
	MediaType string
	Regions   map[string]Region
}

// A Region is a place in an image or PDF.
type Region struct {
	ID         string
	Kind       string
	Confidence pjson.Number
	Suspicious bool // it holds what looks like an instruction
}

var fileName = regexp.MustCompile(`^(S-[0-9]{4})__media\.json$`)
var externName = regexp.MustCompile(`^X-[0-9]{4}__(anchors|orchestrator)\.json$`)

// Load reads all descriptions, by source, and checks that each registered image
// and PDF has one. It also looks after the folder sources/derived as a whole.
func Load(t *tree.Tree, sources map[string]register.Source, f *check.Findings) map[string]*Media {
	if !t.SafeDir(profil.Derived) {
		f.Error(check.File(profil.Derived), "MD-1")
		return nil
	}
	all := make(map[string]*Media)
	for _, name := range t.Names(profil.Derived) {
		path := profil.Derived + "/" + name
		where := check.File(path)
		if name == "README.md" && t.SafeFile(path) {
			continue
		}
		if !t.SafeFile(path) {
			f.Error(where, "MD-3")
			continue
		}
		if externName.MatchString(name) {
			continue
		}
		m := fileName.FindStringSubmatch(name)
		if m == nil {
			f.Error(where, "MD-4")
			continue
		}
		if v, ok := f.JSON(t, path); ok {
			p := parser{t: t, sources: sources, where: where, Findings: f}
			if media := p.media(path, m[1], v); media != nil {
				all[media.SourceID] = media
			}
		}
	}
	for _, id := range register.IDs(sources) {
		s := sources[id]
		where := check.Where{Label: "REGISTER " + id, Path: profil.RegisterFile, Line: s.Line}
		if _, reason := t.Rel(".", s.Ablage); reason != "" {
			continue
		}
		switch {
		case IsSVG(s.FileName()):
			f.Error(where, "MD-24")
		case TypeOf(s.FileName()) != "" && all[id] == nil:
			f.Error(where, "MD-25", profil.Derived+"/"+id+"__media.json")
		}
	}
	return all
}

// keys are what a description must say.
var keys = []string{"schema", "source_id", "source_sha256", "media_type", "language", "extractor", "verified", "alt_text", "regions"}

type parser struct {
	t       *tree.Tree
	sources map[string]register.Source
	where   check.Where
	draft   bool // a person may still have to verify it
	*check.Findings
}

func (p *parser) media(path, nameID string, v any) *Media {
	o, ok := p.Object(p.where, v, keys)
	if !ok {
		return nil
	}
	if o["schema"] != profil.SchemaMedia {
		p.Error(p.where.Field(".schema"), "MD-5", profil.SchemaMedia)
	}
	id, _ := o["source_id"].(string)
	source, known := p.sources[id]
	switch where := p.where.Field(".source_id"); {
	case !profil.IsID("S", id):
		p.Error(where, "MD-6")
		return nil
	case id != nameID:
		p.Error(where, "MD-7", id, nameID)
		return nil
	case !known:
		p.Error(where, "MD-9", id)
		return nil
	}
	if o["source_sha256"] != source.SHA256 {
		p.Error(p.where.Field(".source_sha256"), "MD-10", id)
	}
	ablage, reason := p.t.Rel(".", source.Ablage)
	if reason != "" {
		p.Error(p.where, "MD-11", check.PathReason(reason))
		return nil
	}
	m := &Media{Path: path, SourceID: id, Regions: map[string]Region{}}
	m.MediaType, _ = o["media_type"].(string)
	p.mediaType(m, source, ablage)
	p.description(o, m.Regions)
	return m
}

// description checks what a description says of its own, apart from the source
// that it belongs to.
func (p *parser) description(o pjson.Object, regions map[string]Region) {
	if lang, _ := o["language"].(string); !profil.IsLanguage(lang) {
		p.Error(p.where.Field(".language"), "MD-15")
	}
	p.Plain(p.where.Field(".alt_text"), o["alt_text"], maxAlt)
	if alt, _ := o["alt_text"].(string); text.Signature(alt) {
		p.Error(p.where.Field(".alt_text"), "MD-16")
	}
	p.Extractor(p.where.Field(".extractor"), o["extractor"], "MD-17", 120, 80)
	if verified := o["verified"]; verified != true && !(p.draft && verified == false) {
		p.Error(p.where.Field(".verified"), "MD-18")
	}
	list, _ := o["regions"].([]any)
	if len(list) == 0 {
		p.Error(p.where.Field(".regions"), "MD-19")
	}
	if len(list) > maxRegions {
		p.Error(p.where.Field(".regions"), "MD-20", maxRegions)
	}
	for i, v := range list {
		p.region(p.where.Field(".regions").Item(i+1), v, regions)
	}
}

// mediaType checks that suffix, declared type and content agree.
func (p *parser) mediaType(m *Media, source register.Source, ablage string) {
	name := ablage[strings.LastIndexByte(ablage, '/')+1:]
	expected := TypeOf(name)
	switch {
	case expected == "":
		p.Error(p.where, "MD-12", name)
	case m.MediaType != expected:
		p.Error(p.where.Field(".media_type"), "MD-13", expected, name)
	case p.t.IsFile(ablage):
		if head, err := p.t.Head(ablage, HeadSize); err != nil || Detect(head) != expected {
			p.Error(p.where, "MD-14", name, expected)
		}
	}
}

func (p *parser) region(where check.Where, v any, regions map[string]Region) {
	o, ok := p.Object(where, v, []string{"id", "kind", "locator", "text", "confidence", "bbox", "suspicious_instruction"})
	if !ok {
		return
	}
	r := Region{}
	r.ID, _ = o["id"].(string)
	if !profil.IsID("R", r.ID) {
		p.Error(where.Field(".id"), "MD-21a")
		return
	}
	if _, twice := regions[r.ID]; twice {
		p.Error(where.Field(".id"), "MD-21b", r.ID)
		return
	}
	r.Kind, _ = o["kind"].(string)
	switch r.Kind {
	case "chart", "diagram", "other", "photo", "table", "text":
	default:
		p.Error(where.Field(".kind"), "MD-21c")
	}
	locator, _ := p.Plain(where.Field(".locator"), o["locator"], maxLocator)
	content, _ := p.Plain(where.Field(".text"), o["text"], maxText)
	r.Confidence, _ = o["confidence"].(pjson.Number)
	if c, ok := r.Confidence.Float(); !ok || c < 0 || c > 1 {
		p.Error(where.Field(".confidence"), "MD-21d")
	}
	if r.Suspicious, ok = o["suspicious_instruction"].(bool); !ok {
		p.Error(where.Field(".suspicious_instruction"), "MD-22a")
	} else if !r.Suspicious && (text.Signature(locator) || text.Signature(content)) {
		p.Error(where, "MD-22b")
	}
	if !isBox(o["bbox"]) {
		p.Error(where.Field(".bbox"), "MD-23")
	}
	regions[r.ID] = r
}

// isBox reports whether v is null or x, y, width and height within 0 to 1.
func isBox(v any) bool {
	if v == nil {
		return true
	}
	list, _ := v.([]any)
	if len(list) != 4 {
		return false
	}
	var b [4]float64
	for i, v := range list {
		n, _ := v.(pjson.Number)
		f, ok := n.Float()
		if !ok || f < 0 || f > 1 {
			return false
		}
		b[i] = f
	}
	const end = 1.000000001
	return b[2] > 0 && b[3] > 0 && b[0]+b[2] <= end && b[1]+b[3] <= end
}
