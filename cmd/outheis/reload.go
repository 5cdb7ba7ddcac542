package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func (p *program) reloadCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reload",
		Short: p.t.Say("cmd.reload"),
		Args:  p.noArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return p.reload(c.Context()) },
	}
}

// reload checks the configuration here, where its problems can be shown, and
// has the running gateway take it.
func (p *program) reload(ctx context.Context) error {
	if _, err := p.load(); err != nil {
		return err
	}
	c, err := p.control()
	if err != nil {
		return err
	}
	defer c.Close()
	if err := p.refused(ctx, c.Reload(ctx)); err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.out, p.t.Say("cmd.reloaded"))
	return err
}
