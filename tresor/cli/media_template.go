package cli

import "outheis/tresor"

func (c *call) mediaTemplate() int {
	return c.template(tresor.MediaTemplate(c.dir(), c.args.words[0], c.options()))
}
