package main

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"outheis/config"
	"outheis/store"
)

// reload reads the configuration again and puts in force what can change while
// running. With an error in the file everything stays as it is.
func (e *engine) reload(ctx context.Context) error {
	next, problems, err := config.Load(e.human.Dir(), e.p.environment())
	if err != nil {
		return err
	}
	for _, problem := range problems {
		if problem.Severity == config.Error {
			e.log.Error("configuration not taken", "where", problem.Where(), "err", problem)
		}
	}
	if config.HasErrors(problems) {
		return errors.New(e.p.t.Say("cmd.reload_kept", count(problems, config.Error)))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	changes := config.Diff(e.config, next)
	if changes.None() {
		return nil
	}
	if changes.Tresors {
		if err := e.tresore.replace(next); err != nil {
			return err
		}
	}
	if len(changes.Channels) > 0 {
		e.log.Warn("channels need a restart", "channels", changes.Channels)
	}
	if err := e.gateway.Reload(e.settings(next)); err != nil {
		return err
	}
	e.level.Set(level(next))
	e.config = next
	e.log.Info("configuration taken", "live", changes.Live, "channels", changes.Channels, "tresore", changes.Tresors)
	if len(changes.Process) > 0 {
		e.log.Warn("configuration needs a restart", "keys", changes.Process)
	}
	return nil
}

// watch reloads when somebody has changed the configuration, and loads the
// Tresore that got a new release. It returns when ctx ends.
func (e *engine) watch(ctx context.Context) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		e.log.Warn("changes of files are not noticed", "err", err)
		return
	}
	defer w.Close()
	if err := w.Add(e.human.Dir()); err != nil {
		e.log.Warn("changes of the configuration are not noticed", "err", err)
	}
	manifests := e.tresore.watched(ctx, w)
	settled := time.NewTimer(time.Hour) // editors write a file in several steps
	defer settled.Stop()
	settled.Stop()
	changed := make(map[string]bool)
	for {
		select {
		case <-ctx.Done():
			return
		case err := <-w.Errors:
			e.log.Warn("watching files failed", "err", err)
		case event := <-w.Events:
			name := filepath.Base(event.Name)
			switch {
			case name == config.JSONName || name == config.YAMLName:
				changed["config"] = true
			case manifests[filepath.Clean(event.Name)] != "":
				changed[manifests[filepath.Clean(event.Name)]] = true
			default:
				continue
			}
			settled.Reset(settleTime)
		case <-settled.C:
			for what := range changed {
				if what == "config" {
					if err := e.reload(ctx); err != nil {
						e.log.Error("configuration not taken", "err", err)
					}
					manifests = e.tresore.watched(ctx, w)
					continue
				}
				e.tresore.refresh(what)
			}
			clear(changed)
		}
	}
}

const settleTime = 200 * time.Millisecond

// guard ends the process when the human directory is not ours any more.
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
		}
	}
}
