package cli

import (
	"strings"
	"unicode/utf8"

	"outheis/tresor"
	"outheis/tresor/internal/pjson"
	"outheis/tresor/internal/wording"
)

func (c *call) doctor() int {
	d, err := tresor.Diagnose(c.dir(), c.options())
	if err != nil {
		return c.fails(err)
	}
	c.heading("cli.doctor.head")
	c.heading("cli.doctor.external")
	external := make([]any, len(d.External))
	for i, e := range d.External {
		external[i] = pjson.Object{"id": e.ID, "kind": e.Art, "mode": e.Mode}
		c.line("   ", e.ID, " ", pad(wording.Printable(e.Art), 16), " ", e.Mode)
	}
	if d.External == nil {
		c.line("   ", c.say("cli.doctor.none"))
	}
	c.heading("cli.doctor.manifest")
	if d.Manifest.Quarantine == nil {
		c.differences(d.Manifest.Differences, d.Manifest.Files)
	}
	for _, f := range d.Manifest.Quarantine {
		c.line("🔴 ", c.told(f))
	}
	c.heading("cli.doctor.summary")
	c.findings(d.Errors)
	c.findings(d.Warnings)
	c.findings(d.Hints)
	c.set("pages", d.Pages)
	c.set("claims", d.Claims)
	c.set("sources", d.Sources)
	c.set("external", external)
	c.set("verify", c.verifyObject(d.Manifest))
	sum := c.say("cli.doctor.sum", len(d.Errors), len(d.Warnings), len(d.Hints), d.Pages, d.Claims, d.Sources)
	switch {
	case !d.OK():
		return c.concludes("🔴 ", sum)
	case d.Warnings != nil:
		c.line("🟡 ", sum)
	default:
		c.line("🟢 ", sum)
	}
	return success
}

// heading prints a title that a line goes on from.
func (c *call) heading(key string) {
	const width = 63
	title := "── " + c.say(key) + " "
	c.line(title, strings.Repeat("─", max(0, width-utf8.RuneCountInString(title))))
}

// pad fills s up with blanks to n characters.
func pad(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s)))
}
