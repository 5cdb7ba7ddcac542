package cli

import (
	"strings"

	"outheis/tresor"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/wording"
)

func (c *call) route() int {
	routes, err := tresor.Suggest(c.dir(), strings.Join(c.args.words, " "), c.options())
	if err != nil {
		return c.fails(err)
	}
	list := make([]any, len(routes))
	for i, r := range routes {
		list[i] = pjson.Object{"domain": r.Domain, "keywords": r.Keywords, "pages": r.Pages}
	}
	c.set("routes", list)
	if len(routes) == 0 {
		c.line(c.say("cli.route.none"))
		return refused
	}
	if len(routes) > 1 {
		var names []string
		for _, r := range routes {
			names = append(names, r.Domain)
		}
		c.line("🟡 ", c.say("cli.route.mixed", len(routes), names))
	}
	for _, r := range routes {
		c.line(c.say("cli.route.domain", r.Domain, r.Keywords))
		for _, p := range r.Pages {
			c.line("       → ", wording.Printable(p))
		}
	}
	c.line(c.say("cli.route.hint"))
	return success
}
