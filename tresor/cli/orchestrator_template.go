package cli

import "outheis/tresor"

func (c *call) orchestratorTemplate() int {
	return c.template(tresor.OrchestratorTemplate(c.dir(), c.args.words[0], c.options()))
}
