package tresor

import (
	"outheis/tresor/internal/bestand"
	"outheis/tresor/internal/hybrid"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/register"
)

func publicPage(p *bestand.Page) Page {
	page := Page{
		Path:       p.Path,
		Title:      p.Front.TextOf("title"),
		Domain:     p.Front.TextOf("domain"),
		Type:       p.Front.TextOf("type"),
		Status:     p.Front.TextOf("status"),
		Confidence: p.Front.TextOf("confidence"),
		Version:    p.Front.TextOf("version"),
		Stand:      p.Front.TextOf("stand"),
		Tags:       p.Front.ListOf("tags"),
		Concepts:   p.Front.ListOf("concepts"),
		Summary:    p.Summary(),
		ReviewedBy: p.Front.TextOf("geprueft_von"),
		ReviewedAt: p.Front.TextOf("geprueft_am"),
		TrustTier:  profil.TrustTier(p.Front.TextOf("geprueft_von")),
	}
	for _, c := range p.Claims {
		page.Claims = append(page.Claims, Claim{ID: c.ID, Source: c.Source, Fundstelle: c.Fundstelle, Art: c.Art, Text: c.Text,
			Page: p.Path, Line: c.Line, Region: c.Region, Anchor: c.Anchor})
	}
	for _, r := range p.Relations {
		page.Relations = append(page.Relations, Relation{Type: r.Type, Target: r.Target})
	}
	return page
}

func rankedPage(p Page) hybrid.Page {
	ranked := hybrid.Page{Path: p.Path, Title: p.Title, Tags: p.Tags, Concepts: p.Concepts}
	for _, c := range p.Claims {
		ranked.Claims = append(ranked.Claims, hybrid.Claim{ID: c.ID, Source: c.Source, Text: c.Text, Fundstelle: c.Fundstelle})
	}
	for _, r := range p.Relations {
		ranked.Relations = append(ranked.Relations, r.Target)
	}
	return ranked
}

func publicSources(b *bestand.Bestand) []Source {
	var list []Source
	for _, id := range register.IDs(b.Sources) {
		s := b.Sources[id]
		list = append(list, Source{ID: id, Kind: "lokal", Title: s.Title, Stand: s.Stand, Trust: s.Trust, Rights: s.Rights,
			Path: s.Ablage, SHA256: s.SHA256, Line: s.Line})
	}
	for _, id := range register.IDs(b.Externals) {
		list = append(list, externalSource(b.Externals[id]))
	}
	return list
}

func externalSource(e register.External) Source {
	return Source{ID: e.ID, Kind: "extern", Title: e.Title, Stand: e.Stand, Trust: e.Trust, Rights: e.Rights, Line: e.Line,
		Art: e.Art, Ziel: e.Ziel, Key: e.Key}
}
