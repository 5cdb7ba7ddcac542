package cli

import (
	"cmp"
	"errors"
	"path/filepath"

	"outheis/tresor"
)

func (c *call) export() int {
	out, withSources := c.args.values["--out"], c.args.flags["--with-sources"]
	if !c.args.flags["--okf"] || out == "" {
		return c.usage("cli.export.okf")
	}
	ctx, release := c.held()
	defer release()
	done, err := tresor.Export(ctx, c.dir(), tresor.ExportOptions{
		Out:     c.path(out),
		Home:    cmp.Or(c.Env("HOME"), c.Env("USERPROFILE")),
		Sources: withSources,
	}, c.options())
	var failed *tresor.ExportError
	switch {
	case errors.As(err, &failed):
		c.refuse("cli.export.refused", c.typed(failed.Text))
		c.report.findings = append(c.report.findings, failed.Findings...)
		for _, f := range failed.Findings {
			c.line("   ", c.told(f))
		}
		return refused
	case err != nil:
		return c.fails(err)
	}
	c.set("target", done.Dir)
	c.set("documents", done.Documents)
	c.set("raw", done.Raw)
	c.set("former", nil)
	if done.Raw > 0 {
		c.line("🟢 ", c.say("cli.export.done.raw", done.Documents, done.Dir, done.Raw))
	} else {
		c.line("🟢 ", c.say("cli.export.done", done.Documents, done.Dir))
	}
	c.line("   ", c.say("cli.export.snapshot"))
	c.line("   ", c.say("cli.export.oneway"))
	if withSources {
		c.line("   ", c.say("cli.export.with"))
	} else {
		c.line("   ", c.say("cli.export.without"))
	}
	if done.Former != "" {
		c.set("former", done.Former)
		c.line("   ", c.say("cli.export.former", done.Former))
	}
	left := tresor.Abandoned(filepath.Dir(done.Dir), c.options())
	c.set("notes", append([]string{}, left...))
	for _, s := range left {
		c.line("🟡 ", s)
	}
	return success
}
