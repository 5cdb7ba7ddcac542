package curate

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"outheis/tresor"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/medien"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
)

// A Medium is what a person says about an image or a PDF. What is missing stays
// open in its description, which is then not verified.
type Medium struct {
	Alt       string
	Language  string // und
	Extractor string // "kind | name | version": who took the content out, kind human, ocr, model or hybrid
	Regions   []Region
	// Verified says that a person has compared original and description. Nothing
	// here sets it otherwise.
	Verified bool
}

// A Region is a place in an image or PDF that claims can cite.
type Region struct {
	Kind       string // text, diagram, table, photo, chart or other
	Locator    string
	Text       string
	Confidence string // a number from 0 to 1; 1
	Box        string // "x,y,width,height", each from 0 to 1; none
	Suspicious bool   // it holds what looks like an instruction; also set where the format finds one
}

// ParseRegion reads "kind | locator | text".
func ParseRegion(s string) (Region, bool) {
	parts := strings.SplitN(s, "|", 3)
	if len(parts) != 3 {
		return Region{}, false
	}
	return Region{Kind: text.Trim(parts[0]), Locator: text.Trim(parts[1]), Text: text.Trim(parts[2])}, true
}

// parseExtractor reads "kind | name | version".
func parseExtractor(s string) (check.Extractor, bool) {
	parts := strings.Split(s, "|")
	if len(parts) != 3 {
		return check.Extractor{}, false
	}
	return check.Extractor{Kind: text.Trim(parts[0]), Name: text.Trim(parts[1]), Version: text.Trim(parts[2])}, true
}

// passage turns a region into that of a description.
func (p *plan) passage(id string, r Region) (medien.Passage, error) {
	m := medien.Passage{Region: medien.Region{ID: id, Kind: r.Kind}, Locator: text.Trim(r.Locator), Text: text.Trim(r.Text)}
	m.Suspicious = r.Suspicious || text.Signature(m.Locator) || text.Signature(m.Text)
	if m.Suspicious {
		p.note("CU-60", id)
	}
	var ok bool
	if m.Confidence, ok = number(r.Confidence, "1"); !ok {
		return m, p.refuse("confidence", "MD-21d")
	}
	if r.Box == "" {
		return m, nil
	}
	for part := range strings.SplitSeq(r.Box, ",") {
		n, ok := number(part, "")
		if !ok {
			return m, p.refuse("bbox", "MD-23")
		}
		m.Box = append(m.Box, n)
	}
	return m, nil
}

// number reads a decimal number as JSON spells it.
func number(s, otherwise string) (pjson.Number, bool) {
	if s = text.Trim(s); s == "" {
		s = otherwise
	}
	f, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	if err != nil || f < 0 || f > 1 {
		return "", false
	}
	return pjson.Number(strconv.FormatFloat(f, 'f', -1, 64)), true
}

// describe makes the description of a medium and says what is open in it.
func (p *plan) describe(id, digest, mediaType string, m Medium) (d medien.Description, open []string, err error) {
	d = medien.Description{SourceID: id, SourceSHA256: digest, MediaType: mediaType, Language: m.Language, AltText: text.Trim(m.Alt), Verified: m.Verified}
	if d.Language == "" {
		d.Language = "und"
	}
	if d.AltText == "" {
		d.AltText, open = profil.Fill, append(open, "alt_text")
	}
	var ok bool
	if m.Extractor == "" {
		d.Extractor, open = check.Extractor{Kind: "human", Name: profil.Fill, Version: profil.Fill}, append(open, "extractor")
	} else if d.Extractor, ok = parseExtractor(m.Extractor); !ok {
		return d, nil, p.refuse("extractor", "CU-61")
	}
	for i, r := range m.Regions {
		passage, err := p.passage(regionID(i+1), r)
		if err != nil {
			return d, nil, err
		}
		d.Regions = append(d.Regions, passage)
	}
	if len(d.Regions) == 0 {
		open = append(open, "regions")
		d.Regions = []medien.Passage{{Region: medien.Region{ID: regionID(1), Kind: "other", Confidence: "0"}, Locator: profil.Fill, Text: profil.Fill}}
	}
	if open != nil && d.Verified {
		return d, nil, p.refuse("verified", "CU-62", open)
	}
	if !d.Verified {
		p.Allow("MD-18")
		open = append(open, "verified")
	}
	return d, open, nil
}

func regionID(n int) string {
	digits := strconv.Itoa(n)
	return "R-" + strings.Repeat("0", max(0, 4-len(digits))) + digits
}

// A RegionOf is a new region of a registered image or PDF, and what else its
// description may lack.
type RegionOf struct {
	Source string // S-nnnn
	Region
	Alt       string // replaces that of the description; ""
	Language  string // likewise
	Extractor string // likewise, "kind | name | version"
	Verified  bool   // see [Medium]; without it the description is open again
}

// NewRegion adds a region to the description of a medium. The region that an
// empty description begins with makes room for it. What nobody has compared with
// the original is not evidence: a region that is not verified is refused where
// the description already is.
func NewRegion(ctx context.Context, dir string, r RegionOf, o tresor.Options) (Done, error) {
	return change(ctx, dir, "new", o, func(p *plan) error {
		path := medien.Path(r.Source)
		if _, known := p.Bestand.Sources[r.Source]; !known || !p.Tree.SafeFile(path) {
			return p.refuse("", "CU-63", r.Source)
		}
		p.done.Path = path
		err := p.edit(path, func(b []byte) ([]byte, error) {
			d, err := medien.Parse(path, b)
			if err != nil {
				return nil, err
			}
			if d.Verified && !r.Verified {
				return nil, p.refuse("verified", "CU-64", path)
			}
			if err := p.extend(&d, r); err != nil {
				return nil, err
			}
			return d.Render()
		})
		if err != nil {
			return err
		}
		return p.logGiven("Region "+p.done.ID+" von "+r.Source, path)
	})
}

// extend adds to a description.
func (p *plan) extend(d *medien.Description, r RegionOf) error {
	var used []string
	blank := slices.IndexFunc(d.Regions, func(m medien.Passage) bool { return m.Locator == profil.Fill && m.Text == profil.Fill })
	if blank >= 0 {
		d.Regions = slices.Delete(d.Regions, blank, blank+1)
	}
	for _, m := range d.Regions {
		used = append(used, m.ID)
	}
	retired := p.loggedRegions(r.Source)
	for _, c := range p.Bestand.Claims {
		if c.Source == r.Source {
			merge(retired, mentions('R', c.Fundstelle))
		}
	}
	id, err := p.newID("R", used, retired)
	if err != nil {
		return err
	}
	passage, err := p.passage(id, r.Region)
	if err != nil {
		return err
	}
	d.Regions = append(d.Regions, passage)
	p.done.ID = id
	if r.Alt != "" {
		d.AltText = text.Trim(r.Alt)
	}
	if r.Language != "" {
		d.Language = r.Language
	}
	if r.Extractor != "" {
		var ok bool
		if d.Extractor, ok = parseExtractor(r.Extractor); !ok {
			return p.refuse("extractor", "CU-61")
		}
	}
	d.Verified = r.Verified
	var open []string
	if d.AltText == profil.Fill {
		open = append(open, "alt_text")
	}
	if d.Extractor.Name == profil.Fill || d.Extractor.Version == profil.Fill {
		open = append(open, "extractor")
	}
	if open != nil && d.Verified {
		return p.refuse("verified", "CU-62", open)
	}
	if !d.Verified {
		p.Allow("MD-18")
		p.note("CU-65", medien.Path(r.Source), append(open, "verified"))
	}
	return nil
}
