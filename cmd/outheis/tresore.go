package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/fsnotify/fsnotify"

	tresoragent "outheis/agents/tresor"
	"outheis/config"
	"outheis/gateway"
	"outheis/tresor"
	"outheis/tresor/handbuch"
)

// released are the files of a Tresor that change last with a release: the
// manifest, and the lock that goes when the release is done.
func released(name string) bool { return name == "MANIFEST.sha256" || name == ".vault-release.lock" }

// tresore are the Tresore that are asked, and where they come from.
type tresore struct {
	p     *program
	log   *slog.Logger
	agent *tresoragent.Agent

	mu      sync.Mutex             // guards paths and folders
	paths   map[string]string      // by id; the handbook, which is embedded, is not among them
	folders map[string]fs.FileInfo // by id, what was watched at the path; none where nothing was
}

// openTresore opens the Tresore of dirs or, without any, those of the
// configuration, and the handbook. One that cannot be served is kept with its
// reason; of dirs each must open.
func (p *program) openTresore(c config.Config, dirs []string, log *slog.Logger) (*tresore, error) {
	paths, order, err := p.tresorPaths(c, dirs)
	if err != nil {
		return nil, err
	}
	var all []tresoragent.Tresor
	for _, id := range order {
		snap, err := tresor.Open(paths[id], tresor.Options{Lang: p.t.Lang()})
		switch {
		case err != nil && len(dirs) > 0:
			return nil, p.fail(exitUnavailable, "cmd.tresor_bad", paths[id], p.tresorReason(err))
		case err != nil:
			log.Error("Tresor not served", "tresor", id, "err", err)
		}
		all = append(all, tresoragent.Tresor{ID: id, Snapshot: snap, Err: err})
	}
	snap, err := tresor.OpenFS(handbuch.FS(), handbuch.Name, tresor.Options{Lang: p.t.Lang()})
	if err != nil {
		return nil, err // the binary is broken
	}
	all = append(all, tresoragent.Tresor{ID: handbuch.Name, Snapshot: snap, OnRequest: true})
	agent, err := tresoragent.New(tresoragent.Options{Tresore: all})
	if err != nil {
		return nil, err
	}
	return &tresore{p: p, log: log, agent: agent, paths: paths}, nil
}

// tresorPaths returns where the Tresore lie, by id, and their order. The
// handbook's id is taken.
func (p *program) tresorPaths(c config.Config, dirs []string) (paths map[string]string, order []string, err error) {
	paths = make(map[string]string)
	code := exitFailed // a mistake in the configuration
	if len(dirs) > 0 {
		code = exitUsage
	}
	add := func(id, path string) error {
		if id == "" {
			id = strings.ToLower(filepath.Base(path))
		}
		if paths[id] != "" || id == handbuch.Name {
			return p.fail(code, "cmd.tresor_twice", id)
		}
		paths[id] = path
		order = append(order, id)
		return nil
	}
	for _, dir := range dirs {
		path, err := filepath.Abs(dir)
		if err != nil {
			return nil, nil, err
		}
		if err := add("", path); err != nil {
			return nil, nil, err
		}
	}
	if len(dirs) == 0 {
		for _, v := range c.Tresor.Vaults {
			if err := add(v.ID, v.Path); err != nil {
				return nil, nil, err
			}
		}
	}
	return paths, order, nil
}

// refresh loads a Tresor's current release beside the one that is served, and
// puts it in its place. One that cannot be served is out of service until its
// next release: a drift is never answered from.
func (t *tresore) refresh(id string) {
	path := t.path(id)
	if path == "" {
		return
	}
	snap, err := tresor.Open(path, tresor.Options{Lang: t.p.t.Lang()})
	var invalid *tresor.InvalidError
	switch {
	case err == nil:
		t.agent.Set(id, snap)
		t.log.Info("Tresor loaded", "tresor", id, "version", snap.Version())
	case errors.As(err, &invalid) && invalid.State != tresor.InvalidVault:
		t.log.Info("Tresor is being released", "tresor", id, "err", err)
	default:
		if !t.fails(id, err) { // else it has been said
			t.log.Error("Tresor not served", "tresor", id, "err", err)
		}
		t.agent.SetUnavailable(id, err)
	}
}

// fails reports whether a Tresor is out of service because of err already.
func (t *tresore) fails(id string, err error) bool {
	return slices.ContainsFunc(t.agent.Tresore(), func(one tresoragent.Tresor) bool {
		return one.ID == id && one.Err != nil && one.Err.Error() == err.Error()
	})
}

// replace serves the Tresore of another configuration. Those that stay are not
// read again.
func (t *tresore) replace(c config.Config) error {
	paths, order, err := t.p.tresorPaths(c, nil)
	if err != nil {
		return err
	}
	t.mu.Lock()
	old := t.paths
	t.paths = paths
	t.mu.Unlock()
	for id := range old {
		if paths[id] == "" {
			t.agent.Remove(id)
		}
	}
	for _, id := range order {
		if old[id] == paths[id] {
			continue
		}
		snap, err := tresor.Open(paths[id], tresor.Options{Lang: t.p.t.Lang()})
		if err != nil {
			t.agent.SetUnavailable(id, err)
			t.log.Error("Tresor not served", "tresor", id, "err", err)
			continue
		}
		t.agent.Set(id, snap)
	}
	return nil
}

// retry looks again at the Tresore that are out of service.
func (t *tresore) retry() {
	for _, one := range t.agent.Tresore() {
		if one.Snapshot == nil {
			t.refresh(one.ID)
		}
	}
}

// watched has w watch the folders of the Tresore, and returns the ids by folder.
func (t *tresore) watched(ctx context.Context, w *fsnotify.Watcher) map[string]string {
	t.mu.Lock()
	defer t.mu.Unlock()
	ids := make(map[string]string, len(t.paths))
	folders := make(map[string]fs.FileInfo, len(t.paths))
	for id, path := range t.paths {
		if now, err := os.Stat(path); err == nil {
			folders[id] = now
			if !os.SameFile(now, t.folders[id]) {
				_ = w.Remove(path) // another folder was watched under this name, or none
			}
		}
		if err := w.Add(path); err != nil && ctx.Err() == nil {
			t.log.Warn("new releases are not noticed", "tresor", id, "err", err)
		}
		ids[filepath.Clean(path)] = id
	}
	t.folders = folders
	return ids
}

// lost notes that the folder of a Tresor has gone from its place.
func (t *tresore) lost(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.folders, id)
}

// swapped returns the Tresore at whose path there is another folder than the
// watched one: a release that was put in place as a whole, or by a link.
func (t *tresore) swapped() (ids []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, path := range t.paths {
		if now, err := os.Stat(path); err == nil && !os.SameFile(now, t.folders[id]) {
			ids = append(ids, id)
		}
	}
	return ids
}

// path returns where a Tresor lies, for messages.
func (t *tresore) path(id string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.paths[id]
}

// topics are what help offers to ask.
func (t *tresore) topics() []gateway.Topic {
	var all []gateway.Topic
	for _, one := range t.agent.Tresore() {
		title := one.ID
		if one.Snapshot != nil {
			title = one.Snapshot.Name()
		}
		all = append(all, gateway.Topic{Mention: one.ID, Title: title})
	}
	return all
}

// tresorReason words why a Tresor is not served, for a sentence that names its
// path: its first finding and how many more there are.
func (p *program) tresorReason(err error) string {
	var invalid *tresor.InvalidError
	if !errors.As(err, &invalid) || len(invalid.Findings) == 0 {
		return p.cause(err)
	}
	first := invalid.Findings[0].String()
	if filepath.IsAbs(invalid.Findings[0].Label) { // about the folder itself
		first = invalid.Findings[0].Text
	}
	if n := len(invalid.Findings); n > 1 {
		return p.t.Say("cmd.tresor_findings", n-1, first)
	}
	return first
}
