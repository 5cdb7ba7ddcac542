package cli

import "outheis/tresor"

func (c *call) source() int {
	s, err := tresor.DescribeSource(c.dir(), c.path(c.args.words[0]), c.options())
	if err != nil {
		return c.fails(err)
	}
	c.set("id", s.ID)
	c.set("file", s.Name)
	c.set("bytes", int(s.Size))
	c.set("sha256", s.SHA256)
	c.set("path", s.Path)
	c.set("row", s.Row)
	c.report.findings = s.Hints
	c.line(c.say("cli.source.file", s.Name, int(s.Size)))
	c.line(c.say("cli.source.sha256", s.SHA256))
	c.line(c.say("cli.source.id", s.ID))
	c.line(c.say("cli.source.row", s.Path))
	c.line(s.Row)
	for _, h := range s.Hints {
		c.line(c.say("cli.source.hint", h.Text))
	}
	return success
}
