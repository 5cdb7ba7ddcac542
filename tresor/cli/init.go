package cli

import (
	"path/filepath"

	"outheis/tresor/curate"
	"outheis/tresor/internal/wording"
)

// initTresor begins a Tresor.
func (c *call) initTresor() int {
	a := c.answers([]option{
		{name: "title", question: "cli.ask.tresor"},
		{name: "scope", question: "cli.ask.scope"},
		{name: "domain", question: "cli.ask.domain"},
	})
	a.complete()
	ctx, release := c.held()
	defer release()
	dir := c.path(c.args.words[0])
	for {
		done, err := curate.Init(ctx, dir, curate.NewTresor{Title: a.one("title"), Scope: a.one("scope"), Domain: a.one("domain")}, c.options())
		if err != nil && a.again(err) {
			continue
		}
		if err != nil {
			return c.refusedBy(err)
		}
		c.set("path", done.Path)
		c.set("files", done.Files)
		c.set("notes", append([]string{}, done.Notes...))
		c.line("🟢 ", c.say("cli.init.done", done.Path, len(done.Files)))
		for _, note := range done.Notes {
			c.line("ℹ️  ", note)
		}
		c.line("ℹ️  ", c.say("cli.init.next", wording.ShellWord(filepath.Clean(c.args.words[0]))))
		return success
	}
}
