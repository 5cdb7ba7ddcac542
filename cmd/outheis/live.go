package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"outheis/config"
	"outheis/config/texts"
	"outheis/gateway"
	"outheis/store"
)

// reload reads the configuration again and puts in force what can change while
// running. With a mistake in the file everything stays as it is; the error is
// then a [badConfig]. It is one as well when a document of people is damaged,
// which keeps nothing of the configuration from its force.
func (e *engine) reload(ctx context.Context) error {
	e.reloading.Lock()
	defer e.reloading.Unlock()
	load := config.Load
	if !e.networks {
		load = config.LoadUnresolved
	}
	next, problems, err := load(e.human.Dir(), e.p.environment())
	if err != nil {
		return errors.New(e.p.sentence(e.p.cannotRead(err)))
	}
	if was := e.current().File; was != "" && next.File == "" && !config.HasErrors(problems) {
		return e.configGone(ctx, was)
	}
	if config.HasErrors(problems) {
		var lines []string
		for i, problem := range problems {
			if problem.Severity == config.Error && i < maxComplaints {
				e.log.Error("configuration not taken", "where", problem.Where(), "err", problem)
			}
			lines = append(lines, e.p.problem(problem))
		}
		e.gateway.TellAdmins(ctx, "config/"+fingerprint(lines), func(t *texts.Texts) string { return complaint(t, problems) })
		lines = append(lines, e.p.t.Say("cmd.reload_kept", count(problems, config.Error)))
		return badConfig(strings.Join(lines, "\n"))
	}
	if err := e.tresore.keeper.LookAll(ctx); err != nil {
		return err
	}
	defer func() {
		select {
		case e.rewatch <- struct{}{}:
		default:
		}
	}()
	changes := config.Diff(e.current(), next)
	if changes.None() { // people may have mended what stands beside it
		return errors.Join(e.gateway.Reload(e.settings(next)), e.damaged())
	}
	accounts, err := e.accountsAfter(next, changes.Channels)
	if err != nil {
		return err
	}
	if changes.Tresors {
		if err := e.tresore.replace(ctx, next); err != nil {
			return err
		}
	}
	e.accounts = accounts
	if err := e.gateway.Reload(e.settings(next)); err != nil {
		return err
	}
	e.level.Set(level(next))
	e.mu.Lock()
	e.config = next
	e.mu.Unlock()
	e.log.Info("configuration taken", "live", changes.Live, "channels", changes.Channels, "tresore", changes.Tresors)
	if len(changes.Process) > 0 {
		e.log.Warn("configuration needs a restart", "keys", changes.Process)
	}
	return errors.Join(e.restart(ctx, changes.Channels), e.damaged())
}

// damaged says which documents of people the gateway cannot use; the error is a
// [badConfig]. The configuration is in force all the same.
func (e *engine) damaged() error {
	var lines []string
	for _, bad := range e.gateway.Damaged() {
		e.log.Error("records cannot be used", "file", bad.Name, "err", bad.Err)
		lines = append(lines, "🔴 "+bad.Say(e.p.t, filepath.Join(e.human.Dir(), bad.Name)))
	}
	if len(lines) == 0 {
		return nil
	}
	return badConfig(strings.Join(lines, "\n"))
}

// configGone keeps what holds when the file is not there any more: defaults in
// its place would cut everybody off because of a slip of the hand.
func (e *engine) configGone(ctx context.Context, file string) error {
	e.log.Error("configuration not taken", "where", file, "err", fs.ErrNotExist)
	e.gateway.TellAdmins(ctx, "config/gone/"+fingerprint([]string{file}), func(t *texts.Texts) string {
		return t.Say("cmd.admin_config_gone", file)
	})
	return badConfig("🔴 " + e.p.t.Say("cmd.admin_config_gone", file))
}

// fingerprint is short and the same for the same lines.
func fingerprint(lines []string) string {
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:8])
}

// maxComplaints is how many mistakes are told to somebody who did not ask.
const maxComplaints = 10

// complaint tells an administrator what is wrong with a configuration.
func complaint(t *texts.Texts, problems []config.Problem) string {
	n := count(problems, config.Error)
	lines := []string{t.Say("cmd.admin_config", n)}
	for _, problem := range problems {
		if problem.Severity != config.Error {
			continue
		}
		if len(lines) > maxComplaints {
			lines = append(lines, "- "+t.Say("cmd.admin_config_more", n-maxComplaints))
			break
		}
		lines = append(lines, "- "+problem.Say(t.Say))
	}
	return strings.Join(lines, "\n")
}

// A badConfig is a configuration that is not taken: its problems in sentences, a
// line each. They have been logged.
type badConfig string

func (b badConfig) Error() string { return string(b) }

// current returns the configuration in force.
func (e *engine) current() config.Config {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.config
}

// accountsAfter returns the accounts that there are when changes are done, those
// that are to start or to restart with a new channel.
func (e *engine) accountsAfter(c config.Config, changes []config.ChannelChange) ([]gateway.Account, error) {
	if !e.networks {
		return nil, nil
	}
	all := slices.Clone(e.accounts)
	for _, change := range changes {
		all = slices.DeleteFunc(all, func(a gateway.Account) bool { return isOf(a, change) })
		if change.Action == config.Stop {
			continue
		}
		a, err := e.wiring(c).account(change.Channel, change.Account)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

func isOf(a gateway.Account, c config.ChannelChange) bool {
	return a.Channel.Kind() == c.Channel && a.Name == c.Account
}

// restart has the gateway put the channels in the place of the old ones that
// accountsAfter has made. The other channels do not notice.
func (e *engine) restart(ctx context.Context, changes []config.ChannelChange) error {
	if !e.networks {
		return nil
	}
	var errs []error
	for _, change := range changes {
		if i := slices.IndexFunc(e.accounts, func(a gateway.Account) bool { return isOf(a, change) }); i >= 0 {
			errs = append(errs, e.gateway.Replace(ctx, e.accounts[i]))
			continue
		}
		errs = append(errs, e.gateway.Remove(ctx, gateway.AccountID{Channel: change.Channel, Account: change.Account}))
	}
	return errors.Join(errs...)
}

// guard ends the process when the human directory is not ours any more, and
// lets the queue look at its file: one that somebody removed is gone for good
// when the process ends before the next append.
func (e *engine) guard(ctx context.Context, stop func()) {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := e.human.CheckLock(); errors.Is(err, store.ErrLockLost) {
				e.log.Error("human directory is lost", "err", err)
				stop()
				return
			}
			_ = e.queue.Probe(ctx) // the next append says the same
		}
	}
}
