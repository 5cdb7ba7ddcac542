package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"outheis/agents"
	"outheis/gateway"
	"outheis/relay"
)

func (p *program) sendCommand() *cobra.Command {
	var asJSON bool
	var timeout time.Duration
	c := &cobra.Command{
		Use:   "send " + p.t.Say("cmd.arg_question"),
		Short: p.t.Say("cmd.send"),
		Long:  p.t.Say("cmd.send_long"),
		Args:  p.atLeastOne,
		RunE: func(c *cobra.Command, args []string) error {
			question, err := p.question(args)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(c.Context(), timeout)
			defer cancel()
			err = p.send(ctx, question, asJSON)
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return p.fail(exitFailed, "cmd.send_timeout", timeout)
			}
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, p.t.Say("cmd.flag_json"))
	c.Flags().DurationVarP(&timeout, "timeout", "t", time.Minute, p.t.Say("cmd.flag_timeout"))
	c.Flags().Lookup("timeout").DefValue = "" // the sentence names it
	return c
}

// send asks the running gateway and prints its reply.
func (p *program) send(ctx context.Context, question string, asJSON bool) error {
	c, err := p.control()
	if err != nil {
		return err
	}
	defer c.Close()
	look := ""
	if p.color() {
		look = "color"
	}
	a, err := c.Send(ctx, gateway.LocalChat{Look: look, Lang: p.t.Lang()}, question)
	if err != nil {
		return p.refused(ctx, err)
	}
	code := exitCode(a.Status)
	switch {
	case a.Notice == gateway.ReasonTooLong, a.Notice == gateway.ReasonEmpty, a.Notice == gateway.ReasonCommand:
		a.Status, code = agents.StatusFailed, exitUsage
	case a.Notice != "":
		a.Status, code = agents.StatusUnavailable, exitUnavailable
	case a.Status == "": // a command
		a.Status, code = agents.StatusOK, exitOK
	}
	if err := p.printSent(a, asJSON); err != nil {
		return err
	}
	if code != exitOK {
		return &exitError{code: code}
	}
	return nil
}

// printSent prints what came back, as JSON in the form of ask.
func (p *program) printSent(a gateway.LocalAnswer, asJSON bool) error {
	if !asJSON {
		for _, part := range a.Reply.Parts {
			if _, err := fmt.Fprintln(p.out, part.Text); err != nil {
				return err
			}
		}
		return nil
	}
	if a.Answer != nil {
		return p.printJSON(*a.Answer, a.Status, relay.Text(*a.Answer, p.t.Lang()))
	}
	var texts []string
	for _, part := range a.Reply.Parts {
		texts = append(texts, part.Plain)
	}
	return p.printJSON(agents.Answer{}, a.Status, strings.Join(texts, "\n\n"))
}
