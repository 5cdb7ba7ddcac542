package bestand

import (
	"strings"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/claim"
)

// loadClaims reads the claims of a page. A claim is kept whatever is wrong with
// what it refers to; a line outside of the grammar is none.
func (l *loader) loadClaims(p *Page) {
	n := p.Offset
	for line := range strings.SplitSeq(p.Body, "\n") {
		n++
		if !claim.IsCandidate(line) {
			if claim.LooksLike(line) {
				l.Hint(check.Line(p.Path, n), "CL-20")
			}
			continue
		}
		where := check.Line(p.Path, n)
		parsed, ok := claim.Parse(line)
		if !ok {
			l.Error(where, "CL-1")
			continue
		}
		c := &Claim{Claim: parsed, Page: p, Line: n}
		claim.CheckText(where, parsed, l.Findings)
		if earlier := l.Claims[c.ID]; earlier != nil {
			l.Error(where, "CL-5", c.ID, earlier.Page.Path, earlier.Line)
		}
		l.checkClaimSource(where, c)
		l.checkAnchor(where, c)
		l.checkRegion(where, c)
		l.Claims[c.ID] = c
		p.Claims = append(p.Claims, c)
	}
	if p.Claims == nil {
		l.Warn(check.File(p.Path), "CL-19")
	}
}

func (l *loader) checkClaimSource(where check.Where, c *Claim) {
	if c.external() {
		if _, ok := l.Externals[c.Source]; !ok {
			l.Error(where, "CL-6", c.ID, c.Source)
		} else if !c.Page.externals[c.Source] {
			l.Error(where, "CL-7", c.ID, c.Source)
		}
		return
	}
	if _, ok := l.Sources[c.Source]; !ok {
		l.Error(where, "CL-8", c.ID, c.Source)
	} else if !c.Page.sources[c.Source] {
		l.Error(where, "CL-9", c.ID, c.Source)
	}
}

func (c *Claim) external() bool { return c.Source[0] == 'X' }

func (l *loader) checkAnchor(where check.Where, c *Claim) {
	anchors := c.Anchors()
	switch {
	case !c.external():
		if anchors != nil {
			l.Error(where, "CL-13", c.ID, c.Source)
		}
		return
	case len(anchors) != 1:
		l.Error(where, "CL-10", c.ID, c.Source)
		return
	}
	c.Anchor = anchors[0]
	if anchor, ok := l.Anchors[c.Source][c.Anchor]; !ok {
		l.Error(where, "CL-11", c.ID, c.Anchor, c.Source)
	} else if anchor.Suspicious {
		l.Error(where, "CL-12", c.ID, c.Anchor)
	}
}

func (l *loader) checkRegion(where check.Where, c *Claim) {
	regions, media := c.Regions(), l.Media[c.Source]
	if media == nil {
		if regions != nil {
			l.Error(where, "CL-17", c.ID, c.Source)
		}
		if c.Art == claim.Beobachtung {
			l.Error(where, "CL-18", c.ID)
		}
		return
	}
	if len(regions) != 1 {
		l.Error(where, "CL-14", c.ID, c.Source)
		return
	}
	c.Region = regions[0]
	if region, ok := media.Regions[c.Region]; !ok {
		l.Error(where, "CL-15", c.ID, c.Region, c.Source)
	} else if region.Suspicious {
		l.Error(where, "CL-16", c.ID, c.Region)
	}
}
