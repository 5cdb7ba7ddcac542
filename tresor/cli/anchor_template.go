package cli

import "outheis/tresor"

func (c *call) anchorTemplate() int {
	ctx, release := c.held() // a fetch is written to the log
	defer release()
	return c.template(tresor.AnchorTemplate(ctx, c.dir(), c.args.words[0], c.args.words[1], c.network(), c.options()))
}

// template prints a template or the refusal in its place.
func (c *call) template(t tresor.Template) int {
	c.out.Write(t.JSON)
	if t.Note != "" {
		c.err.WriteString(t.Note + "\n")
	}
	if !t.OK {
		return refused
	}
	return success
}
