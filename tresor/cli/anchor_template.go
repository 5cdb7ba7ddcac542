package cli

import "outheis/tresor"

func (c *call) anchorTemplate() int {
	ctx, release := c.held() // a fetch is written to the log
	defer release()
	return c.template(tresor.AnchorTemplate(ctx, c.dir(), c.args.words[0], c.args.words[1], c.network(), c.options()))
}
