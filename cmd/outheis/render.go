package main

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"outheis/formatting"
)

func (p *program) renderCommand() *cobra.Command {
	var channel string
	var lines bool
	c := &cobra.Command{
		Use:   "render [" + p.t.Say("cmd.arg_file") + "]",
		Short: p.t.Say("cmd.render"),
		Long:  p.t.Say("cmd.render_long"),
		Args:  p.atMostOne,
	}
	c.Flags().StringVar(&channel, "channel", "terminal", p.t.Say("cmd.flag_channel"))
	c.Flags().BoolVar(&lines, "jsonl", false, p.t.Say("cmd.flag_jsonl"))
	c.RunE = func(c *cobra.Command, args []string) error {
		profile, ok := p.profile(channel)
		if !ok {
			return p.usage(c, p.t.Say("cmd.no_channel", channel))
		}
		in := p.in
		if len(args) == 1 && args[0] != "-" {
			f, err := os.Open(args[0])
			if err != nil {
				return p.fail(exitFailed, "cmd.cannot_read", args[0], p.cause(err))
			}
			defer f.Close()
			in = f
		}
		out := bufio.NewWriter(p.out)
		if lines {
			if err := formatting.Batch(in, out, profile, p.now); err != nil {
				return p.fail(exitFailed, "cmd.render_bad", err)
			}
			return out.Flush()
		}
		return p.render(in, out, profile)
	}
	return c
}

// render prints one Markdown text as the parts that a channel would get,
// with a line between them.
func (p *program) render(in io.Reader, out *bufio.Writer, profile formatting.Profile) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	parts := formatting.Render(formatting.Parse(string(text)), profile)
	for i, part := range parts {
		if len(parts) > 1 {
			fmt.Fprintln(out, p.t.Say("cmd.render_part", i+1, len(parts)))
		}
		fmt.Fprintln(out, part.Text)
	}
	return out.Flush()
}
