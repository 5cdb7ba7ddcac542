package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"outheis/channels"
	"outheis/config"
	"outheis/gateway"
	"outheis/tresor/cli"
)

func (p *program) channelsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "channels",
		Short: p.t.Say("cmd.channels"),
		Args:  p.noSuchCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(p.channelsListCommand(), p.channelsTestCommand(), p.channelsPairCommand(), p.channelsWhoamiCommand())
	return c
}

// A channelReport is how an account stands; `channels list --json` prints them.
type channelReport struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Enabled bool   `json:"enabled"`
	// Account is what the running gateway says, if one runs and has the account.
	Account *gateway.AccountStatus `json:"account,omitempty"`
}

func (r channelReport) id() string { return r.Kind + "/" + r.Name }

type channelsReport struct {
	Running  bool            `json:"running"`
	Channels []channelReport `json:"channels"`
}

func (p *program) channelsListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: p.t.Say("cmd.channels_list"),
		Args:  p.noArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return p.channelsList(c.Context(), asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, p.t.Say("cmd.flag_json"))
	return c
}

// channelsList prints all accounts of the configuration and how they stand.
func (p *program) channelsList(ctx context.Context, asJSON bool) error {
	c, err := p.loadUnresolved()
	if err != nil {
		return err
	}
	all := channelsReport{Channels: []channelReport{}}
	status, _, err := p.askStatus(ctx)
	var exit *exitError
	switch {
	case err == nil:
		all.Running = true
	case errors.As(err, &exit) && exit.code == exitUnavailable:
	default:
		return err
	}
	for _, a := range c.Accounts() {
		r := channelReport{Kind: a.Channel, Name: a.Name, Enabled: a.Enabled}
		for _, s := range status.Gateway.Accounts {
			if s.Channel == a.Channel && s.Account == a.Name {
				r.Account = &s
			}
		}
		all.Channels = append(all.Channels, r)
	}
	if asJSON {
		return p.printIndented(all)
	}
	p.printChannels(all)
	return nil
}

func (p *program) printIndented(v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.out, "%s\n", b)
	return err
}

func (p *program) printChannels(all channelsReport) {
	if len(all.Channels) == 0 {
		fmt.Fprintln(p.out, p.t.Say("cmd.channels_none"))
		return
	}
	if !all.Running {
		fmt.Fprintln(p.out, p.t.Say("cmd.channels_not_running"))
	}
	for _, r := range all.Channels {
		switch {
		case !r.Enabled:
			fmt.Fprintln(p.out, "⚪ "+p.t.Say("cmd.channels_off", r.id()))
		case r.Account == nil:
			fmt.Fprintln(p.out, "⚪ "+p.t.Say("cmd.channels_on", r.id()))
		default:
			p.printAccount(*r.Account)
		}
	}
}

// printAccount prints how an account stands. Status and `channels list` have it
// in the same words, and doctor has the cause and the remedy.
func (p *program) printAccount(a gateway.AccountStatus) {
	fmt.Fprintln(p.out, p.t.Say("cmd.status_account", a.Sent, light(string(a.Health.State)), a.Channel, a.Account))
	if !a.Since.IsZero() {
		fmt.Fprintln(p.out, "  "+p.t.Say("cmd.channels_since", p.clock(a.Since)))
	}
	if received := a.Health.Received; !received.IsZero() {
		fmt.Fprintln(p.out, "  "+p.t.Say("cmd.channels_received", p.ago(received)))
	}
	for _, line := range causeAndRemedy(a.Health) {
		fmt.Fprintln(p.out, "  "+line)
	}
	if a.Remark != "" {
		fmt.Fprintln(p.out, "  "+a.Remark)
	}
}

// causeAndRemedy says what is wrong with a channel and what helps, as the
// channel words it.
func causeAndRemedy(h channels.Health) []string {
	return slices.DeleteFunc([]string{h.Reason, h.Remedy}, func(s string) bool { return s == "" })
}

// ago words how long something is past.
func (p *program) ago(t time.Time) string {
	return p.t.Say("cmd.ago", max(p.now().Sub(t), 0).Truncate(time.Second))
}

// A checkReport is what was found out about the setup of an account.
type checkReport struct {
	Kind     string             `json:"kind"`
	Name     string             `json:"name"`
	Findings []channels.Finding `json:"findings"`
}

// checkTime is how long looking over one account may take.
const checkTime = time.Minute

func (p *program) channelsTestCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "test [" + p.t.Say("cmd.arg_account") + "]",
		Short: p.t.Say("cmd.channels_test"),
		Long:  p.t.Say("cmd.channels_test_long"),
		Args:  p.atMostOne,
		RunE: func(c *cobra.Command, args []string) error {
			return p.channelsTest(c.Context(), strings.Join(args, ""), asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, p.t.Say("cmd.flag_json"))
	return c
}

// channelsTest looks over the setup of the accounts that wanted names, or of all
// that are switched on. A running gateway is asked to, since the secrets may be in
// its environment alone.
func (p *program) channelsTest(ctx context.Context, wanted string, asJSON bool) error {
	c, err := p.loadUnresolved()
	if err != nil {
		return err
	}
	accounts, err := p.wantedAccounts(c, wanted)
	if err != nil {
		return err
	}
	check, err := p.checker()
	if err != nil {
		return err
	}
	bad := 0
	reports := []checkReport{}
	for _, a := range accounts {
		one := checkReport{Kind: a.Channel, Name: a.Name}
		if one.Findings, err = check(ctx, a.Channel, a.Name); err != nil {
			return err
		}
		if isBad(one.Findings) {
			bad++
		}
		if !asJSON {
			p.printCheck(one)
		}
		reports = append(reports, one)
	}
	if asJSON {
		err = p.printIndented(reports)
	}
	if err == nil && bad > 0 {
		return p.fail(exitFailed, "cmd.channels_test_bad", bad)
	}
	return err
}

func isBad(found []channels.Finding) bool {
	return slices.ContainsFunc(found, func(f channels.Finding) bool { return f.Level == channels.Red })
}

func (p *program) printCheck(r checkReport) {
	fmt.Fprintln(p.out, p.t.Say("cmd.channels_test_account", r.Kind, r.Name))
	for _, f := range r.Findings {
		fmt.Fprintln(p.out, "  "+light(string(f.Level))+" "+f.Text)
		if f.Remedy != "" {
			fmt.Fprintln(p.out, "     "+f.Remedy)
		}
	}
}

// wantedAccounts returns the accounts that a name stands for: "discord/main",
// "main" or "discord" where that is one account; all that are switched on for "".
func (p *program) wantedAccounts(c config.Config, name string) ([]config.Account, error) {
	var fit, on []config.Account
	var names []string
	for _, a := range c.Accounts() {
		id := a.Channel + "/" + a.Name
		names = append(names, a.Channel, a.Name, id)
		if a.Enabled {
			on = append(on, a)
		}
		if slices.Contains([]string{id, a.Name, a.Channel}, strings.ToLower(name)) {
			fit = append(fit, a)
		}
	}
	switch {
	case name == "" && len(on) == 0:
		return nil, p.fail(exitNotFound, "cmd.channels_none")
	case name == "":
		return on, nil
	case len(fit) > 1:
		return nil, p.fail(exitAmbiguous, "cmd.channels_several", name)
	case len(fit) == 0:
		if near := cli.Nearest(name, names); near != "" {
			return nil, p.fail(exitNotFound, "cmd.channels_unknown_near", name, near)
		}
		return nil, p.fail(exitNotFound, "cmd.channels_unknown", name)
	case !fit[0].Enabled:
		return nil, p.fail(exitUnavailable, "cmd.channels_test_off", fit[0].Channel+"/"+fit[0].Name)
	}
	return fit, nil
}

// checker returns what looks over an account: the running gateway, or this
// process where none runs.
func (p *program) checker() (func(ctx context.Context, kind, name string) ([]channels.Finding, error), error) {
	client, err := p.control()
	var exit *exitError
	switch {
	case err == nil:
		client.Close()
		return p.remoteCheck, nil
	case !errors.As(err, &exit) || exit.code != exitUnavailable:
		return nil, err
	}
	c, err := p.load()
	if err != nil {
		return nil, err
	}
	w := wiring{c: c, log: slog.New(slog.DiscardHandler), now: p.now}
	return func(ctx context.Context, kind, name string) ([]channels.Finding, error) {
		a, err := w.account(kind, name)
		if err != nil {
			return nil, err
		}
		defer closeChannel(a.Channel)
		return p.check(ctx, a.Channel), nil
	}, nil
}

func closeChannel(c channels.Channel) {
	if closer, ok := c.(channels.Closer); ok {
		_ = closer.Close() // it has done what it was made for
	}
}

// remoteCheck has the running gateway look over an account.
func (p *program) remoteCheck(ctx context.Context, kind, name string) ([]channels.Finding, error) {
	client, err := p.control()
	if err != nil {
		return nil, err
	}
	defer client.Close()
	raw, err := client.Check(ctx, kind+"/"+name)
	if err != nil {
		return nil, p.refused(ctx, err)
	}
	var found []channels.Finding
	if err := json.Unmarshal(raw, &found); err != nil {
		return nil, fmt.Errorf("check %s/%s: answer of the gateway: %w", kind, name, err)
	}
	return found, nil
}

// check looks over the setup of a channel.
func (p *program) check(ctx context.Context, c channels.Channel) []channels.Finding {
	checker, ok := c.(channels.Checker)
	if !ok {
		return []channels.Finding{{Level: channels.Yellow, Text: p.t.Say("cmd.channels_test_none")}}
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	return checker.Check(ctx)
}

// check answers the control socket. An account that is switched on and not yet
// taken is as good as none.
func (e *engine) check(ctx context.Context, account string) (any, error) {
	e.reloading.Lock()
	accounts := slices.Clone(e.accounts)
	e.reloading.Unlock()
	for _, a := range accounts {
		if a.Channel.Kind()+"/"+a.Name == account {
			return e.p.check(ctx, a.Channel), nil
		}
	}
	return nil, errors.New(e.p.t.Say("cmd.channels_not_taken", account))
}
