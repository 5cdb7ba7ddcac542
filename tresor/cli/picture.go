package cli

import (
	"errors"
	"os"
	"slices"

	"outheis/tresor"
	"outheis/tresor/internal/wording"
	"outheis/tresor/picture"
)

// picture prints the graph as a picture, or writes it to a file outside of the
// Tresor.
func (c *call) picture() int {
	format := c.args.values["--format"]
	out, toFile := c.args.values["--out"]
	if !slices.Contains([]string{"svg", "dot", "mermaid"}, format) {
		return c.usage("cli.picture.format", format)
	}
	switch {
	case toFile && out == "":
		return c.usage("cli.picture.empty")
	case out == "-":
		toFile = false
	}
	if toFile && inside(c.path(out), c.dir()) {
		return c.refuse("cli.picture.inside", out)
	}
	pages, err := tresor.ReadPages(c.dir(), c.options())
	if err != nil {
		return c.fails(err)
	}
	drawn, err := c.draw(format, pages)
	switch {
	case errors.Is(err, picture.ErrNoGraphviz):
		return c.refuse("cli.picture.graphviz")
	case err != nil:
		return c.refuse("cli.picture.failed", err)
	}
	c.set("format", format)
	if !toFile {
		c.set("picture", string(drawn))
		c.out.Write(drawn)
		return success
	}
	err = writeFile(c.path(out), drawn)
	if info, failed := os.Lstat(c.path(out)); errors.Is(err, os.ErrExist) && failed == nil && info.Mode().IsRegular() {
		return c.refuse("cli.picture.exists", out, format, wording.ShellWord(out))
	}
	if err != nil {
		return c.refuse("cli.picture.unwritten", out, err)
	}
	c.set("out", out)
	c.line("🟢 ", c.say("cli.picture.written", out, len(pages)))
	return success
}

func (c *call) draw(format string, pages []tresor.Page) ([]byte, error) {
	switch format {
	case "mermaid":
		return picture.Mermaid(pages), nil
	case "dot":
		return picture.DOT(pages), nil
	}
	return picture.SVG(c.ctx, picture.DOT(pages))
}
