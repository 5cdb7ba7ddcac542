package cli

import "outheis/tresor"

func (c *call) log() int {
	ctx, release := c.held()
	defer release()
	entry, err := tresor.Log(ctx, c.dir(), c.args.words[0], c.args.words[1], c.options())
	if err != nil {
		return c.fails(err)
	}
	c.set("entry", entry)
	c.line("🟢 ", c.say("cli.log", entry))
	return success
}
