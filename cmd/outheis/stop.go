package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func (p *program) stopCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: p.t.Say("cmd.stop"),
		Args:  p.noArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return p.stop(c.Context()) },
	}
}

// stop has the running gateway stop and waits until it has.
func (p *program) stop(ctx context.Context) error {
	c, err := p.control()
	if err != nil {
		return err
	}
	defer c.Close()
	if err := p.refused(ctx, c.Stop(ctx)); err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.out, p.t.Say("cmd.stopped"))
	return err
}
