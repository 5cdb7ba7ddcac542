package cli

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"outheis/tresor"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/wording"
)

// stats prints numbers that other programs read; they are the same in every
// language.
func (c *call) stats() int {
	s, err := tresor.Count(c.dir(), c.options())
	if err != nil {
		return c.fails(err)
	}
	for key, n := range map[string]int{"pages": s.Pages, "claims": s.Claims, "sources": s.Sources, "edges": s.Edges,
		"validation_errors": s.Errors, "validation_warnings": s.Warnings, "worlds": s.Worlds, "concepts": s.Concepts, "media": s.Media,
		"external": s.External, "anchors": s.Anchors, "catalogues": s.Catalogues} {
		c.set(key, n)
	}
	for key, m := range map[string]map[string]int{"domains": s.Domains, "types": s.Types, "status": s.Status, "trust_tiers": s.TrustTiers} {
		o := pjson.Object{}
		for value, n := range m {
			o[value] = n
		}
		c.set(key, o)
	}
	c.line(c.say("cli.stats.head", s.Pages, s.Claims, s.Sources, s.Edges, s.Errors, s.Warnings))
	c.line(c.say("cli.stats.concepts", s.Worlds, s.Concepts, s.Media))
	c.line(c.say("cli.stats.external", s.External, s.Anchors, s.Catalogues))
	c.line("  Domänen: ", counts(s.Domains))
	c.line("  Typen: ", counts(s.Types))
	c.line("  Status: ", counts(s.Status))
	c.line("  Trust-Tiers: ", counts(s.TrustTiers))
	return success
}

func counts(m map[string]int) string {
	var list []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		list = append(list, wording.Printable(k)+"="+strconv.Itoa(m[k]))
	}
	return strings.Join(list, ", ")
}
