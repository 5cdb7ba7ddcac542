package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"outheis/config"
	"outheis/config/texts"
)

const (
	settleTime = 200 * time.Millisecond
	lookTime   = 2 * time.Second // between looks at what no event tells: folders that are put in the place of others
	allLooks   = 15              // looks from one at all Tresore to the next, for file systems that tell nothing
	tellTime   = 5 * time.Second // for which a Tresor is out of service before administrators are told: copying a release takes a moment
)

// watch reloads when somebody has changed the configuration, and has the Tresore
// looked at that somebody changed. It returns when ctx ends.
//
// No answer depends on it: every question has the Tresore looked at. It is for
// what must not wait for a question: loading a release, and telling the
// administrators.
func (e *engine) watch(ctx context.Context) {
	var events chan fsnotify.Event
	var failures chan error
	w, err := fsnotify.NewWatcher()
	if err != nil {
		e.log.Warn("changes of the configuration are not noticed, those of Tresore late", "err", err)
		w = nil
	} else {
		defer w.Close()
		events, failures = w.Events, w.Errors
		if err := w.Add(e.human.Dir()); err != nil {
			e.log.Warn("changes of the configuration are not noticed", "err", err)
		}
	}
	folders := e.tresore.watch(ctx, w)
	settled := time.NewTimer(time.Hour) // editors write a file in several steps
	defer settled.Stop()
	settled.Stop()
	look := time.NewTicker(lookTime)
	defer look.Stop()
	changed := make(map[string]bool)
	for n := 1; ; {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			for _, id := range e.tresore.moved() {
				changed[id] = true
				settled.Reset(settleTime)
			}
			if n++; n%allLooks == 0 {
				_ = e.tresore.keeper.LookAll(ctx) // it fails with ctx alone
			} else {
				_ = e.tresore.keeper.LookDoubtful(ctx)
			}
			e.tellTresore(ctx)
		case err := <-failures:
			e.log.Warn("watching files failed", "err", err)
		case <-e.rewatch:
			folders = e.tresore.watch(ctx, w)
		case event := <-events:
			folder, name := filepath.Dir(event.Name), filepath.Base(event.Name)
			switch {
			case folder == e.human.Dir() && (name == config.JSONName || name == config.YAMLName):
				changed[""] = true
			case folders[folder] != "":
				changed[folders[folder]] = true
			case folders[event.Name] != "": // a Tresor itself
				changed[folders[event.Name]] = true
			default:
				continue
			}
			settled.Reset(settleTime)
		case <-settled.C:
			for id := range changed {
				if id == "" { // the configuration
					var bad badConfig
					if err := e.reload(ctx); err != nil && !errors.As(err, &bad) {
						e.log.Error("configuration not taken", "err", err)
					}
					continue
				}
				_ = e.tresore.keeper.Look(ctx, id)
			}
			clear(changed)
			folders = e.tresore.watch(ctx, w)
		}
	}
}

// tellTresore tells the administrators of each Tresor that has been out of
// service for a while: once, until it has been served again, and at most once a
// day for one release.
func (e *engine) tellTresore(ctx context.Context) {
	for _, bad := range e.tresore.keeper.Problems(ctx) {
		now := e.p.now()
		if now.Sub(bad.Since) < tellTime || !e.tresore.untold(bad.ID, bad.Since) {
			continue
		}
		cause := "tresor/" + bad.ID + "/" + bad.Before + "/" + now.UTC().Format(time.DateOnly)
		e.gateway.TellAdmins(ctx, cause, func(t *texts.Texts) string {
			return t.Say("cmd.admin_tresor", bad.ID, bad.Path, strings.TrimRight(e.p.tresorReason(bad.Path, bad.Err), "."))
		})
	}
}
