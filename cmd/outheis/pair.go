package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"outheis/gateway"
)

// pairing is what a gateway does for `channels pair`: the running one through its
// control socket, or one of our own that receives nothing.
type pairing interface {
	Pairings(context.Context) (gateway.Pairings, error)
	Pair(ctx context.Context, code string) (gateway.Paired, error)
	Unpair(ctx context.Context, account gateway.AccountID, person string) error
	OpenPairing(ctx context.Context, d time.Duration) (time.Time, error)
}

func (p *program) channelsPairCommand() *cobra.Command {
	var list, shut, asJSON bool
	var revoke string
	var open time.Duration
	c := &cobra.Command{
		Use:   "pair [" + p.t.Say("cmd.arg_code") + "]",
		Short: p.t.Say("cmd.channels_pair"),
		Long:  p.t.Say("cmd.channels_pair_long"),
		Args:  p.atMostOne,
	}
	flags := c.Flags()
	flags.BoolVar(&list, "list", false, p.t.Say("cmd.flag_pair_list"))
	flags.StringVar(&revoke, "revoke", "", p.t.Say("cmd.flag_pair_revoke"))
	flags.DurationVar(&open, "open", 0, p.t.Say("cmd.flag_pair_open"))
	flags.Lookup("open").NoOptDefVal = "10m"
	flags.BoolVar(&shut, "close", false, p.t.Say("cmd.flag_pair_close"))
	flags.BoolVar(&asJSON, "json", false, p.t.Say("cmd.flag_json"))
	c.RunE = func(c *cobra.Command, args []string) error {
		var do func(context.Context, pairing) error
		code := strings.Join(args, "")
		if flags.Changed("open") && code != "" { // "--open 30m", which pflag reads as two
			d, err := time.ParseDuration(code)
			if err != nil {
				return p.usage(c, p.t.Say("cmd.pair_open_form", code))
			}
			open, code = d, ""
		}
		asked := slices.DeleteFunc([]string{"list", "revoke", "open", "close"}, func(flag string) bool { return !flags.Changed(flag) })
		switch {
		case len(asked) > 1:
			return p.usage(c, p.t.Say("cmd.no_args", "--"+asked[1]))
		case code != "" && len(asked) > 0:
			return p.usage(c, p.t.Say("cmd.no_args", code))
		case revoke != "":
			account, person, ok := accountAndPerson(revoke)
			if !ok {
				return p.usage(c, p.t.Say("cmd.pair_revoke_form", revoke))
			}
			do = func(ctx context.Context, g pairing) error { return p.pairRevoke(ctx, g, account, person) }
		case flags.Changed("open"), shut:
			if flags.Changed("open") && (open < time.Minute || open > 24*time.Hour) {
				return p.usage(c, p.t.Say("cmd.pair_open_form", open))
			}
			if shut {
				open = -1
			}
			do = func(ctx context.Context, g pairing) error { return p.pairWindow(ctx, g, open) }
		case list, code == "":
			do = func(ctx context.Context, g pairing) error { return p.pairList(ctx, g, asJSON) }
		default:
			do = func(ctx context.Context, g pairing) error { return p.pairCode(ctx, g, code) }
		}
		return p.withPairing(c.Context(), do)
	}
	return c
}

// accountAndPerson reads "discord/main/123456789012345678".
func accountAndPerson(s string) (gateway.AccountID, string, bool) {
	parts := strings.Split(s, "/")
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" || parts[2] == "" {
		return gateway.AccountID{}, "", false
	}
	return gateway.AccountID{Channel: parts[0], Account: parts[1]}, parts[2], true
}

// withPairing calls do with the running gateway, or takes the human directory for
// as long as do needs it.
func (p *program) withPairing(ctx context.Context, do func(context.Context, pairing) error) error {
	client, err := p.control()
	var exit *exitError
	switch {
	case err == nil:
		client.Close()
		return do(ctx, remotePairing{p})
	case !errors.As(err, &exit) || exit.code != exitUnavailable:
		return err
	}
	c, err := p.loadUnresolved()
	if err != nil {
		return err
	}
	c.Log.Level = "error"
	e, err := p.start(c, false, nil, "outheis channels pair")
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, ownPairing{e.gateway}), e.close())
}

// remotePairing asks the running gateway, with a connection for each request.
type remotePairing struct{ p *program }

func (r remotePairing) dial(ctx context.Context, do func(*gateway.Client) error) error {
	c, err := r.p.control()
	if err != nil {
		return err
	}
	defer c.Close()
	return do(c)
}

func (r remotePairing) Pairings(ctx context.Context) (all gateway.Pairings, err error) {
	err = r.dial(ctx, func(c *gateway.Client) (err error) { all, err = c.Pairings(ctx); return err })
	return all, err
}

func (r remotePairing) Pair(ctx context.Context, code string) (who gateway.Paired, err error) {
	err = r.dial(ctx, func(c *gateway.Client) (err error) { who, err = c.Pair(ctx, code); return err })
	return who, err
}

func (r remotePairing) Unpair(ctx context.Context, account gateway.AccountID, person string) error {
	return r.dial(ctx, func(c *gateway.Client) error { return c.Unpair(ctx, account, person) })
}

func (r remotePairing) OpenPairing(ctx context.Context, d time.Duration) (until time.Time, err error) {
	err = r.dial(ctx, func(c *gateway.Client) (err error) { until, err = c.OpenPairing(ctx, d); return err })
	return until, err
}

// ownPairing is a gateway that does not run.
type ownPairing struct{ *gateway.Gateway }

func (o ownPairing) Pairings(context.Context) (gateway.Pairings, error) {
	return o.Gateway.Pairings(), nil
}

func (p *program) pairCode(ctx context.Context, g pairing, code string) error {
	who, err := g.Pair(ctx, code)
	if err != nil {
		return p.pairFailed(ctx, err)
	}
	fmt.Fprintln(p.out, "🟢 "+p.t.Say("cmd.paired", named(who.Name, who.Person), who.Channel+"/"+who.Account))
	return nil
}

func (p *program) pairRevoke(ctx context.Context, g pairing, account gateway.AccountID, person string) error {
	if err := g.Unpair(ctx, account, person); err != nil {
		return p.pairFailed(ctx, err)
	}
	fmt.Fprintln(p.out, "🟢 "+p.t.Say("cmd.unpaired", person, account))
	return nil
}

func (p *program) pairWindow(ctx context.Context, g pairing, d time.Duration) error {
	until, err := g.OpenPairing(ctx, d)
	if err != nil {
		return p.pairFailed(ctx, err)
	}
	if d < 0 {
		fmt.Fprintln(p.out, p.t.Say("cmd.pair_closed"))
		return nil
	}
	fmt.Fprintln(p.out, p.t.Say("cmd.pair_opened", p.clock(until)))
	return nil
}

func (p *program) pairList(ctx context.Context, g pairing, asJSON bool) error {
	all, err := g.Pairings(ctx)
	if err != nil {
		return p.pairFailed(ctx, err)
	}
	if asJSON {
		return p.printIndented(all)
	}
	say := func(key string, args ...any) { fmt.Fprintln(p.out, p.t.Say("cmd."+key, args...)) }
	if len(all.Accounts) == 0 {
		say("pair_nowhere")
	} else {
		say("pair_where", strings.Join(all.Accounts, ", "))
	}
	if !all.Until.IsZero() {
		say("pair_opened", p.clock(all.Until))
	}
	if !all.Paused.IsZero() {
		say("pair_paused", p.clock(all.Paused))
	}
	for _, who := range all.Pending {
		say("pair_pending", named(who.Name, who.Person), who.Channel+"/"+who.Account, p.clock(who.Until))
	}
	for _, who := range all.Paired {
		say("pair_paired", named(who.Name, who.Person), who.Channel+"/"+who.Account, p.clock(who.Since))
	}
	if len(all.Paired) == 0 {
		say("pair_nobody")
	}
	return nil
}

// named shows a person with the name that they give themselves, which anybody can
// take, and the id that is theirs.
func named(name, id string) string {
	if name == "" {
		return id
	}
	return fmt.Sprintf("%s (%q)", id, name)
}

// clock words a time in the zone of this machine.
func (p *program) clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// pairFailed words why pairing did not do what it was asked.
func (p *program) pairFailed(ctx context.Context, err error) error {
	var paused *gateway.PausedError
	var exit *exitError
	switch {
	case errors.As(err, &exit):
		return err
	case errors.As(err, &paused):
		return p.fail(exitUnavailable, "cmd.pair_paused", p.clock(paused.Until))
	case errors.Is(err, gateway.ErrWrongCode):
		return p.fail(exitNotFound, "cmd.pair_wrong")
	case errors.Is(err, gateway.ErrNotPaired):
		return p.fail(exitNotFound, "cmd.pair_unknown")
	case errors.Is(err, gateway.ErrNoPairing):
		return p.fail(exitUnavailable, "cmd.pair_nowhere")
	case errors.Is(err, gateway.ErrNamed):
		return p.fail(exitFailed, "cmd.pair_named")
	}
	return p.refused(ctx, err)
}
