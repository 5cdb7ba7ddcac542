package cli

import "outheis/tresor"

func (c *call) index() int {
	ctx, release := c.held()
	defer release()
	pages, err := tresor.WriteIndex(ctx, c.dir(), c.options())
	if err != nil {
		return c.fails(err)
	}
	c.set("pages", pages)
	c.line("🟢 ", c.say("cli.index", pages))
	return success
}
