package main

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func (p *program) runCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "run",
		Short: p.t.Say("cmd.run"),
		Long:  p.t.Say("cmd.run_long"),
		Args:  p.noArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return p.serve(c.Context()) },
	}
}

// serve runs the gateway with the configured channels until ctx ends.
func (p *program) serve(ctx context.Context) (err error) {
	c, err := p.load()
	if err != nil {
		return err
	}
	limitCores()
	ctx, stop := untilSignal(ctx)
	defer stop()
	signal.Ignore(syscall.SIGPIPE) // whoever read our log may go, the gateway stays
	e, err := p.start(c, true, nil, "outheis run")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	p.printAccess(p.err, c)
	if len(e.accounts) == 0 {
		fmt.Fprintln(p.err, "🟡 "+p.t.Say("cmd.no_channels"))
	}
	fmt.Fprintln(p.err, p.t.Say("cmd.running", e.human.Dir()))
	return e.run(ctx)
}
