package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"outheis/agents"
	"outheis/config"
	"outheis/gateway"
	"outheis/store"
)

// stopGrace is how long posts under way are waited for at the end: what comes
// after them, as saving the cursors, has to fit into the 5 s that stopping may
// take.
const stopGrace = 4 * time.Second

// queueName is the log of all messages, below the human directory.
const queueName = "messages.jsonl"

// An engine is everything that works while outheis runs: the human directory
// with its lock, the queue, the Tresore and the gateway.
type engine struct {
	p       *program
	human   *store.Human
	queue   *store.Log[gateway.Envelope]
	tresore *tresore
	gateway *gateway.Gateway
	log     *slog.Logger
	level   *slog.LevelVar

	own      []gateway.Account // for the person who started the process
	networks bool              // whether the channels of the configuration are connected
	began    config.Config     // what the process started with
	rewatch  chan struct{}     // capacity 1; the Tresore to be watched may have changed

	reloading sync.Mutex // held while a configuration is taken; guards accounts
	accounts  []gateway.Account

	mu     sync.Mutex // guards config
	config config.Config
}

// start opens all parts for the configuration c. Own are accounts beside those
// of the configuration, for the person at this terminal; networks says whether
// to connect those of the configuration. The caller closes the engine.
func (p *program) start(c config.Config, networks bool, own []gateway.Account, holder string) (_ *engine, err error) {
	e := &engine{p: p, own: own, networks: networks, began: c, config: c, level: new(slog.LevelVar), rewatch: make(chan struct{}, 1)}
	e.level.Set(level(c))
	e.log = p.logger(c, e.level)
	dir, err := p.dir()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(placed(dir, err), e.close())
		}
	}()
	e.human, err = store.Open(dir, store.Options{Holder: holder, Now: p.now, AllowNetworkFS: c.Queue.AllowNetworkFS})
	if err != nil {
		return nil, err
	}
	for _, w := range e.human.Warnings() {
		fmt.Fprintln(p.err, "🟡 "+p.t.Say(w.Key, w.Args...))
	}
	var found store.Recovery
	e.queue, found, err = store.OpenLog[gateway.Envelope](e.human, queueName, store.LogOptions{
		Family: store.FamilyMessages, Track: gateway.Track, Now: p.now, Zone: c.Human.Location(),
	})
	if err != nil {
		return nil, err
	}
	if err = e.report(found); err != nil {
		return nil, err
	}
	if e.tresore, err = p.openTresore(context.Background(), c, nil, e.log); err != nil {
		return nil, err
	}
	if networks {
		if e.accounts, err = e.wiring(c).accounts(); err != nil {
			return nil, err
		}
	}
	e.gateway, err = gateway.New(gateway.Options{
		Queue: e.queue, Accounts: slices.Concat(own, e.accounts), Agents: e.agents(c), Settings: e.settings(c),
		Roster:    e.human.Doc(gateway.RosterFile, store.DocOptions{}),
		Languages: e.human.Doc(gateway.LanguagesFile, store.DocOptions{}), Files: e.human, Transcribe: p.transcribe(c),
		Local: looks(c.Human.Language), MaxParallel: c.Dispatcher.MaxParallel, Grace: stopGrace, Unsure: p.unsure, Now: p.now, Log: e.log,
	})
	if err != nil {
		return nil, err
	}
	if bad := e.damaged(); bad != nil {
		fmt.Fprintln(p.err, bad)
	}
	return e, nil
}

func (e *engine) wiring(c config.Config) wiring { return wiring{c, e.human, e.log, e.p.now} }

func (e *engine) agents(c config.Config) map[string]agents.Agent {
	all := make(map[string]agents.Agent)
	if c.Agents[tresorAgent].Enabled {
		all[tresorAgent] = e.tresore.keeper
	}
	return all
}

func (e *engine) settings(c config.Config) gateway.Settings {
	s := e.p.settings(c, e.accounts, e.tresore.topics())
	for _, a := range e.own {
		s.Lang = e.p.t.Lang()
		s.Policy.Access[gateway.AccountID{Channel: a.Channel.Kind(), Account: a.Name}] = gateway.Access{
			People: map[string]agents.Role{e.p.person(): agents.RoleAdmin}, Unlimited: true,
		}
	}
	return s
}

// report says what the log had to repair, and whether it takes records.
func (e *engine) report(found store.Recovery) error {
	facts := []any{"open", found.Open, "checkpoint", found.Checkpoint, "clean", found.Clean, "lines", found.Lines, "ms", found.Duration.Milliseconds()}
	if len(found.Torn)+len(found.Damage) > 0 || found.Rewritten || found.Rotation != "" {
		e.log.Warn("log was not as it was left", append(facts, "torn", len(found.Torn), "damage", len(found.Damage), "rotation", found.Rotation)...)
	} else {
		e.log.Info("log opened", facts...)
	}
	if found.ReadOnly != nil {
		return &exitError{exitUnavailable, found.ReadOnly}
	}
	return nil
}

// close ends all parts, the queue before the directory whose lock it needs.
func (e *engine) close() error {
	var errs []error
	if e.queue != nil {
		errs = append(errs, e.queue.Close())
	}
	if e.human != nil {
		errs = append(errs, e.human.Close())
	}
	return errors.Join(errs...)
}

// run works until ctx ends or stop is called through the control socket, which
// it serves, and then closes the engine. Whoever asked it to stop is answered
// after that: the human directory is free then.
func (e *engine) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	control, err := gateway.ListenControl(e.human.Dir())
	if err != nil {
		return err
	}
	var serving, background sync.WaitGroup
	defer serving.Wait()
	h := e.gateway.Handlers()
	h.Version, h.Stop, h.Reload, h.Status, h.Check = versionLine(), stop, e.reload, e.status, e.check
	serve, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	defer hangUp()
	serving.Go(func() {
		if err := control.Serve(serve, h, e.log); err != nil && serve.Err() == nil {
			e.log.Error("control socket failed", "err", err)
		}
	})
	background.Go(func() { e.watch(ctx) })
	background.Go(func() { e.guard(ctx, stop) })
	err = e.gateway.Run(ctx)
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	stop()
	background.Wait()
	return errors.Join(err, control.Close(), e.close())
}
