package cli

import "outheis/tresor"

func (c *call) validate() int {
	r := tresor.Validate(c.dir(), c.options())
	c.set("pages", r.Pages)
	c.set("claims", r.Claims)
	c.set("sources", r.Sources)
	c.set("external", r.External)
	c.findings(r.Warnings)
	c.findings(r.Errors)
	c.findings(r.Hints)
	if !r.OK() {
		c.line()
		return c.concludes("", c.say("cli.validate.red", len(r.Errors), len(r.Warnings)))
	}
	external := ""
	if r.External > 0 {
		external = c.say("cli.validate.external", r.External)
	}
	c.line("🟢 ", c.say("cli.validate.green", len(r.Warnings), r.Pages, r.Claims, r.Sources), external, ".")
	return success
}
