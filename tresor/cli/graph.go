package cli

import "outheis/tresor"

func (c *call) graph() int {
	if _, ok := c.args.values["--format"]; ok {
		return c.picture()
	}
	if _, ok := c.args.values["--out"]; ok {
		return c.usage("cli.picture.out")
	}
	ctx, release := c.held()
	defer release()
	nodes, edges, err := tresor.WriteGraph(ctx, c.dir(), c.options())
	if err != nil {
		return c.fails(err)
	}
	c.set("nodes", nodes)
	c.set("edges", edges)
	c.line("🟢 ", c.say("cli.graph", nodes, edges))
	return success
}
