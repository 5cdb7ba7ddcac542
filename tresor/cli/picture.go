package cli

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"outheis/tresor"
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
	if err := writeFile(c.path(out), drawn); err != nil {
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

// writeFile puts a file in the place of the one that is there, whole or not at
// all. What is there and no file is left alone.
func writeFile(path string, content []byte) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return &os.PathError{Op: "write", Path: path, Err: os.ErrExist}
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the error is more telling
	}
	return err
}

// inside reports whether the path leads into the folder or below it, by whatever
// name; there need be nothing yet.
func inside(path, dir string) bool {
	root, err := os.Stat(dir)
	if err != nil {
		return false
	}
	at, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	if real, err := filepath.EvalSymlinks(at); err == nil {
		at = real
	} else if real, err := filepath.EvalSymlinks(filepath.Dir(at)); err == nil {
		at = filepath.Join(real, filepath.Base(at))
	}
	for ; ; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil && os.SameFile(info, root) {
			return true
		}
		if at == filepath.Dir(at) {
			return false
		}
	}
}
