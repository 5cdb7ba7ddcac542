package cli

import (
	"slices"

	"outheis/tresor"
)

func (c *call) release() int {
	level := tresor.Patch
	if len(c.args.words) > 0 {
		level = tresor.Level(c.args.words[0])
	}
	if !isLevel(string(level)) {
		return c.usage("cli.release.level", string(level))
	}
	return c.publish(level)
}

func isLevel(s string) bool { return slices.Contains(levels(), s) }

func levels() []string {
	return []string{string(tresor.Major), string(tresor.Minor), string(tresor.Patch)}
}

// publish releases the Tresor and prints what the release consists of.
func (c *call) publish(level tresor.Level) int {
	ctx, release := c.held()
	defer release()
	r, err := tresor.Release(ctx, c.dir(), level, c.options())
	if err != nil {
		return c.fails(err)
	}
	c.published(r)
	return success
}

// published prints what a release consists of.
func (c *call) published(r tresor.Released) {
	c.set("version", r.Version)
	c.set("entry", r.Entry)
	c.set("pages", r.Pages)
	c.set("nodes", r.Nodes)
	c.set("edges", r.Edges)
	c.set("files", r.Files)
	c.report.findings = append(c.report.findings, r.Warnings...)
	c.line("🟢 ", c.say("cli.release.index", r.Pages))
	c.line("🟢 ", c.say("cli.release.graph", r.Nodes, r.Edges))
	c.line("🟢 ", c.say("cli.release.checksum", r.Files))
	if len(r.Warnings) > 0 {
		c.line("🟡 ", c.say("cli.release.warnings", r.Version, len(r.Warnings)))
	} else {
		c.line("🟢 ", c.say("cli.release.done", r.Version))
	}
}
