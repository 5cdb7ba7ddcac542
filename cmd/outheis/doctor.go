package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"outheis/config"
	"outheis/gateway"
	"outheis/store"
)

func (p *program) doctorCommand() *cobra.Command {
	var repair bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: p.t.Say("cmd.doctor"),
		Long:  p.t.Say("cmd.doctor_long"),
		Args:  p.noArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return p.doctor(c.Context(), repair) },
	}
	c.Flags().BoolVar(&repair, "repair", false, p.t.Say("cmd.flag_repair"))
	return c
}

// An examination collects what doctor finds, how many of it must be mended and
// how many somebody should look at.
type examination struct {
	p         *program
	bad, odds int
}

func (x *examination) good(key string, args ...any) { x.line("🟢", x.p.t.Say(key, args...)) }
func (x *examination) warn(key string, args ...any) { x.hint(x.p.t.Say(key, args...)) }
func (x *examination) hint(text string)             { x.odds++; x.line("🟡", text) }
func (x *examination) fail(text string)             { x.bad++; x.line("🔴", text) }

func (x *examination) line(mark, text string) { fmt.Fprintln(x.p.out, mark, text) }

// doctor looks at everything that can be looked at without a network, and
// changes nothing unless repair is set.
func (p *program) doctor(ctx context.Context, repair bool) error {
	dir, err := p.dir()
	if err != nil {
		return err
	}
	x := &examination{p: p}
	c := x.configuration(dir)
	running := x.gateway(ctx)
	if repair && running {
		return p.fail(exitUnavailable, "cmd.doctor_running")
	}
	x.directory(dir, c, repair)
	x.tresore(c)
	if x.bad > 0 {
		return p.fail(exitFailed, "cmd.doctor_bad", x.bad)
	}
	if x.odds > 0 {
		x.line("🟡", p.t.Say("cmd.doctor_odd", x.odds))
		return nil
	}
	x.line("🟢", p.t.Say("cmd.doctor_good"))
	return nil
}

func (x *examination) configuration(dir string) config.Config {
	c, problems, err := config.Load(dir, x.p.environment())
	if err != nil {
		x.fail(x.p.sentence(x.p.cannotRead(err)))
		return c
	}
	for _, problem := range problems {
		if problem.Severity == config.Error {
			x.fail(problem.Say(x.p.t.Say))
		} else {
			x.hint(problem.Say(x.p.t.Say))
		}
	}
	switch {
	case config.HasErrors(problems):
	case c.File == "":
		x.warn("cmd.config_none", dir)
	default:
		x.good("cmd.config_good", c.File)
	}
	return c
}

// gateway says whether one runs and how its channels stand.
func (x *examination) gateway(ctx context.Context) (running bool) {
	client, err := x.p.control()
	var exit *exitError
	if errors.As(err, &exit) && exit.code == exitUnavailable {
		x.good("cmd.doctor_no_gateway")
		return false
	}
	if err != nil {
		x.fail(err.Error())
		return false
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	raw, err := client.Status(ctx)
	var r report
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		x.fail(x.p.t.Say("cmd.status_silent", statusTime))
		return true
	}
	if err != nil {
		x.fail(x.p.t.Say("cmd.doctor_gateway_silent", err))
		return true
	}
	x.good("cmd.doctor_gateway", r.Version)
	if r.Gateway.State == gateway.Degraded {
		up := (time.Duration(r.Gateway.Uptime) * time.Second).String()
		x.fail(x.p.t.Say("cmd.status_state_degraded", up, r.Human) + " " + x.p.t.Say("cmd.status_reason", r.Gateway.Reason))
	}
	for _, a := range r.Gateway.Accounts {
		line := x.p.t.Say("cmd.doctor_account", a.Channel, a.Account, strings.Join(sentences(causeAndRemedy(a.Health)), " "))
		switch a.Health.State {
		case "green":
			x.line("🟢", strings.TrimSpace(x.p.t.Say("cmd.doctor_account_good", a.Channel, a.Account)+" "+a.Remark))
		case "red":
			x.fail(line)
		default:
			x.hint(line)
		}
	}
	return true
}

// sentences ends each of the texts with a full stop where it has no end: a cause
// may end in what a network said.
func sentences(all []string) []string {
	for i, s := range all {
		if !strings.ContainsAny(s[len(s)-1:], ".!?") {
			all[i] = s + "."
		}
	}
	return all
}

// directory looks at the human directory and reads its log from end to end.
func (x *examination) directory(dir string, c config.Config, repair bool) {
	h, err := store.Open(dir, store.Options{
		ReadOnly: !repair, AllowNetworkFS: c.Queue.AllowNetworkFS, Holder: "outheis doctor", Now: x.p.now,
	})
	if errors.Is(err, fs.ErrNotExist) {
		x.warn("cmd.doctor_no_dir", dir)
		return
	}
	if err != nil {
		x.fail(x.p.sentence(placed(dir, err)))
		return
	}
	defer h.Close()
	for _, w := range h.Warnings() {
		x.warn(w.Key, w.Args...)
	}
	for _, bad := range gateway.CheckRecords(h.Doc(gateway.RosterFile, store.DocOptions{}), h.Doc(gateway.LanguagesFile, store.DocOptions{})) {
		x.fail(bad.Say(x.p.t, filepath.Join(dir, bad.Name)))
	}
	if _, err := h.Root().Lstat(queueName); errors.Is(err, fs.ErrNotExist) {
		x.good("cmd.doctor_no_log", dir)
		return
	}
	log, found, err := store.OpenLog[gateway.Envelope](h, queueName, store.LogOptions{
		Family: store.FamilyMessages, Track: gateway.Track, Now: x.p.now, Zone: c.Human.Location(),
		Thorough: true, AcceptDamage: repair,
	})
	if err != nil {
		x.fail(x.p.sentence(placed(dir, err)))
		return
	}
	defer log.Close()
	stats := log.Stats()
	x.good("cmd.doctor_log", stats.Lines, stats.Bytes, stats.Open)
	for _, d := range found.Damage {
		x.warn("cmd.doctor_damage", queueName, d.Offset, d.Length, d.Kind)
	}
	for range found.Torn {
		x.warn("cmd.doctor_torn", queueName)
	}
	if n := found.Legacy + found.Altered + found.Newer; n > 0 {
		x.warn("cmd.doctor_untrusted", found.Legacy, found.Altered, found.Newer)
	}
	var damaged *store.TooDamagedError
	if errors.As(found.ReadOnly, &damaged) {
		x.fail(x.p.sentence(damaged))
	}
}

func (x *examination) tresore(c config.Config) {
	t, err := x.p.openTresore(context.Background(), c, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		x.fail(x.p.sentence(err))
		return
	}
	for _, one := range t.agent.Tresore() {
		if one.Snapshot == nil {
			x.fail(x.p.t.Say("cmd.tresor_bad", t.path(one.ID), x.p.tresorReason(t.path(one.ID), one.Err)))
			continue
		}
		x.good("cmd.doctor_tresor", one.ID, one.Snapshot.Version(), one.Snapshot.Claims())
	}
}
