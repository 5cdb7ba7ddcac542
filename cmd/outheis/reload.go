package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"outheis/gateway"
)

func (p *program) reloadCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "reload",
		Short: p.t.Say("cmd.reload"),
		Args:  p.noArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return p.reload(c.Context()) },
	}
}

// reload has the running gateway take the configuration. Only there it can be
// checked: the secrets may be in the environment of that process alone.
func (p *program) reload(ctx context.Context) error {
	c, err := p.control()
	if err != nil {
		return err
	}
	defer c.Close()
	err = c.Reload(ctx)
	var refusal *gateway.ControlError
	if errors.As(err, &refusal) && refusal.Code == gateway.CodeFailed {
		return &exitError{exitFailed, errors.New(refusal.Text)} // see [engine.reload]
	}
	if err := p.refused(ctx, err); err != nil {
		return err
	}
	fmt.Fprintln(p.out, p.t.Say("cmd.reloaded"))
	r, _, err := p.askStatus(ctx)
	p.printRestart(r)
	return err
}
