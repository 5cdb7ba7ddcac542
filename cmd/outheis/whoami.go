package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"outheis/channels"
	"outheis/gateway"
)

func (p *program) channelsWhoamiCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "whoami",
		Short: p.t.Say("cmd.channels_whoami"),
		Long:  p.t.Say("cmd.channels_whoami_long"),
		Args:  p.noArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return p.channelsWhoami(c.Context(), asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, p.t.Say("cmd.flag_json"))
	return c
}

// channelsWhoami prints who was turned away last, with what the configuration
// needs to let them in. Only the memory of the running gateway knows it.
func (p *program) channelsWhoami(ctx context.Context, asJSON bool) error {
	client, err := p.control()
	if err != nil {
		return err
	}
	defer client.Close()
	all, err := client.Strangers(ctx)
	if err != nil {
		return p.refused(ctx, err)
	}
	if asJSON {
		return p.printIndented(append([]gateway.Stranger{}, all...)) // a list, also of nobody
	}
	if len(all) == 0 {
		fmt.Fprintln(p.out, p.t.Say("cmd.whoami_nobody"))
		return nil
	}
	for _, s := range all {
		p.printStranger(s)
	}
	return nil
}

func (p *program) printStranger(s gateway.Stranger) {
	account, when := s.Channel+"/"+s.Account, p.ago(s.At)
	switch {
	case s.Reason == gateway.ReasonGroup:
		fmt.Fprintln(p.out, p.t.Say("cmd.whoami_group", account, s.Chat, when))
		if s.Space != "" {
			fmt.Fprintln(p.out, "  "+p.t.Say("cmd.whoami_space", s.Space))
		}
	case s.Reason == gateway.ReasonProgram:
		fmt.Fprintln(p.out, p.t.Say("cmd.whoami_program", account, s.Person, when))
	case s.Audience == channels.Direct:
		fmt.Fprintln(p.out, p.t.Say("cmd.whoami_direct", account, s.Person, when))
	default:
		fmt.Fprintln(p.out, p.t.Say("cmd.whoami_member", account, s.Person, s.Chat, when))
	}
}
