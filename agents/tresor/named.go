package tresor

import (
	"slices"

	engine "outheis/tresor"
)

// named returns the claims that a question asks for by their ID, by the ID of
// their source or by that of a concept. It returns none if the Bestand does not
// have one of the IDs: then the question is not covered.
func (e *exchange) named(s *engine.Snapshot, a engine.Assessment) []engine.Fit {
	var out []engine.Fit
	for _, id := range a.Named {
		var claims []engine.Fit
		switch id[0] {
		case 'C':
			if f, ok := fitOf(s, id); ok {
				claims = append(claims, f)
			}
		case 'S':
			claims = ofSource(s, a, id)
		case 'B':
			for _, c := range s.Concepts() {
				if c.ID != id {
					continue
				}
				if f, ok := fitOf(s, c.DefinitionClaim); ok {
					claims = append(claims, f)
				}
			}
		}
		if len(claims) == 0 {
			return nil
		}
		out = append(out, claims...)
	}
	return out
}

// fitOf returns a claim that is asked for by its ID.
func fitOf(s *engine.Snapshot, id string) (engine.Fit, bool) {
	c, p, ok := s.Claim(id)
	if !ok {
		return engine.Fit{}, false
	}
	source, known := s.Source(c.Source)
	if !known {
		source = engine.Source{ID: c.Source}
	}
	return engine.Fit{Claim: c, Page: p, Source: source, Value: 1}, true
}

// ofSource returns claims of a source: those that fit what else the question
// says, or else its first ones.
func ofSource(s *engine.Snapshot, a engine.Assessment, id string) []engine.Fit {
	var out []engine.Fit
	for _, f := range a.Fits {
		if f.Claim.Source == id && f.Coverage > 0 && len(out) < mostStatements {
			f.Value = 1
			out = append(out, f)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, p := range s.Pages() {
		for _, c := range p.Claims {
			if c.Source == id && len(out) < mostStatements {
				f, _ := fitOf(s, c.ID)
				out = append(out, f)
			}
		}
	}
	return slices.Clip(out)
}
