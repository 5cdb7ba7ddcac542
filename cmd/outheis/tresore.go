package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	tresoragent "outheis/agents/tresor"
	"outheis/config"
	"outheis/gateway"
	"outheis/tresor"
	"outheis/tresor/cli"
	"outheis/tresor/handbuch"
)

// tresore are the Tresore that are asked, and where they come from.
type tresore struct {
	p      *program
	log    *slog.Logger
	agent  *tresoragent.Agent
	keeper *tresoragent.Keeper

	mu      sync.Mutex             // guards the fields below
	told    map[string]time.Time   // by id: since when what administrators know of is out of service
	paths   map[string]string      // by id; the handbook, which is embedded, is not among them
	watched map[string]fs.FileInfo // the folders that are watched, as they were then
}

// openTresore opens the Tresore of dirs or, without any, those of the
// configuration, and the handbook. One that cannot be served is kept with its
// reason; of dirs each must open.
func (p *program) openTresore(ctx context.Context, c config.Config, dirs []string, log *slog.Logger) (*tresore, error) {
	paths, all, err := p.tresorPaths(c, dirs)
	if err != nil {
		return nil, err
	}
	snap, err := tresor.OpenFS(handbuch.FS(), handbuch.Name, tresor.Options{Lang: p.t.Lang()})
	if err != nil {
		return nil, err // the binary is broken
	}
	agent, err := tresoragent.New(tresoragent.Options{Tresore: append(all, tresoragent.Tresor{ID: handbuch.Name, Snapshot: snap, OnRequest: true})})
	if err != nil {
		return nil, err
	}
	t := &tresore{p: p, log: log, agent: agent, paths: paths}
	t.keeper = tresoragent.NewKeeper(agent, tresoragent.KeeperOptions{Lang: p.t.Lang(), Now: p.now, Changed: t.changed})
	for _, one := range all {
		if err := t.keeper.Keep(ctx, one.ID, paths[one.ID]); err != nil {
			return nil, err
		}
	}
	if len(dirs) > 0 {
		for _, bad := range t.keeper.Problems(ctx) {
			return nil, p.fail(exitUnavailable, "cmd.tresor_bad", bad.Path, p.tresorReason(bad.Path, bad.Err))
		}
	}
	return t, nil
}

// untold reports whether administrators do not know yet that a Tresor has been out
// of service since then, and notes that they do.
func (t *tresore) untold(id string, since time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.told[id].Equal(since) {
		return false
	}
	if t.told == nil {
		t.told = make(map[string]time.Time)
	}
	t.told[id] = since
	return true
}

// changed logs what has become of a Tresor.
func (t *tresore) changed(c tresoragent.Change) {
	switch {
	case c.Err == nil:
		t.log.Info("Tresor loaded", "tresor", c.ID, "version", c.Snapshot.Version(), "manifest", c.Snapshot.Manifest())
	case c.Snapshot != nil:
		t.log.Info("Tresor is being released", "tresor", c.ID, "err", c.Err)
	default:
		t.log.Error("Tresor not served", "tresor", c.ID, "err", c.Err)
	}
}

// tresorPaths returns where the Tresore lie, by id, and what is configured of
// them, in their order. The handbook's id is taken.
func (p *program) tresorPaths(c config.Config, dirs []string) (paths map[string]string, all []tresoragent.Tresor, err error) {
	paths = make(map[string]string)
	code := exitFailed // a mistake in the configuration
	if len(dirs) > 0 {
		code = exitUsage
	}
	add := func(v config.TresorVault) error {
		one := tresoragent.Tresor{ID: v.Name(), Scope: tresoragent.Scope(v.Scope), Audience: v.Audience}
		if one.Scope == tresoragent.NoScope {
			one.Scope = tresoragent.ScopeOf(filepath.Base(v.Path))
		}
		if len(dirs) > 0 { // their names are ours
			if paths[one.ID] != "" {
				one.ID = v.LongName()
			}
			for n, name := 2, one.ID; paths[one.ID] != "" || one.ID == handbuch.Name; n++ {
				one.ID = fmt.Sprintf("%s-%d", name, n)
			}
		}
		for _, other := range paths {
			if config.SameFolder(other, v.Path) {
				return p.fail(code, "cmd.tresor_same", v.Path)
			}
		}
		if paths[one.ID] != "" || one.ID == handbuch.Name {
			return p.fail(code, "cmd.tresor_twice", one.ID)
		}
		paths[one.ID] = v.Path
		all = append(all, one)
		return nil
	}
	for _, dir := range dirs {
		path, err := filepath.Abs(dir)
		if err != nil {
			return nil, nil, err
		}
		if err := add(config.TresorVault{Path: path}); err != nil {
			return nil, nil, err
		}
	}
	if len(dirs) == 0 {
		for _, v := range c.Tresor.Vaults {
			if err := add(v); err != nil {
				return nil, nil, err
			}
		}
	}
	return paths, all, nil
}

// replace serves the Tresore of another configuration. Those that stay in their
// place are only looked at.
func (t *tresore) replace(ctx context.Context, c config.Config) error {
	paths, all, err := t.p.tresorPaths(c, nil)
	if err != nil {
		return err
	}
	t.mu.Lock()
	old := t.paths
	t.paths = paths
	t.mu.Unlock()
	for id := range old {
		if paths[id] == "" {
			t.keeper.Forget(id)
		}
	}
	for _, one := range all {
		t.agent.Declare(one)
		if err := t.keeper.Keep(ctx, one.ID, paths[one.ID]); err != nil {
			return err
		}
	}
	return nil
}

// mostFolders is how many folders of a Tresor are watched. What changes in
// others is noticed when somebody asks, or after half a minute.
const mostFolders = 1000

// watch has w watch all folders of the Tresore, and returns the ids by folder.
// Those that were watched and are gone, or were put in the place of others, are
// let go. Without w it watches nothing.
func (t *tresore) watch(ctx context.Context, w *fsnotify.Watcher) map[string]string {
	t.mu.Lock()
	defer t.mu.Unlock()
	ids := make(map[string]string)
	folders := make(map[string]fs.FileInfo)
	for id, root := range t.paths {
		n := 0
		for path, info := range foldersOf(root) {
			if n++; n > mostFolders || ctx.Err() != nil {
				break
			}
			ids[path], folders[path] = id, info
			if w == nil {
				continue
			}
			if before := t.watched[path]; before != nil && !os.SameFile(before, info) {
				_ = w.Remove(path) // another folder was watched under this name
			}
			if err := w.Add(path); err != nil && ctx.Err() == nil {
				t.log.Warn("changes of a Tresor are noticed late", "tresor", id, "err", err)
				break
			}
		}
	}
	for path := range t.watched {
		if folders[path] == nil && w != nil {
			_ = w.Remove(path)
		}
	}
	t.watched = folders
	return ids
}

// foldersOf returns a folder and all below it, links not followed but at root.
func foldersOf(root string) iter.Seq2[string, fs.FileInfo] {
	return func(yield func(string, fs.FileInfo) bool) {
		root = filepath.Clean(root)
		info, err := os.Stat(root)
		if err != nil || !info.IsDir() || !yield(root, info) {
			return
		}
		list, _ := os.ReadDir(root) // it may be gone by now
		for _, e := range list {
			if !e.IsDir() {
				continue
			}
			for path, info := range foldersOf(filepath.Join(root, e.Name())) {
				if !yield(path, info) {
					return
				}
			}
		}
	}
}

// moved returns the Tresore at whose path there is another folder than the
// watched one: a release that was put in place as a whole, or by a link.
func (t *tresore) moved() (ids []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, path := range t.paths {
		if now, err := os.Stat(path); err == nil && !os.SameFile(now, t.watched[filepath.Clean(path)]) {
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

// topics are what help offers to ask, whoever reads it. The agent knows the names
// of the others, too.
func (t *tresore) topics() []gateway.Topic {
	var all []gateway.Topic
	for _, one := range t.agent.Tresore() {
		if one.Restricted() {
			continue
		}
		title := one.ID
		if one.Snapshot != nil {
			title = one.Snapshot.Name()
		}
		all = append(all, gateway.Topic{Mention: one.ID, Title: title})
	}
	return all
}

// tresorReason words why a Tresor is not served, for a sentence that names its
// path, dir: its first finding and how many more there are. Commands in it reach
// that Tresor from any folder.
func (p *program) tresorReason(dir string, err error) string {
	if errors.Is(err, tresoragent.ErrSlow) {
		return p.t.Say("cmd.cause_slow")
	}
	var invalid *tresor.InvalidError
	if !errors.As(err, &invalid) || len(invalid.Findings) == 0 {
		return p.cause(err)
	}
	first := invalid.Findings[0].String()
	if filepath.IsAbs(invalid.Findings[0].Label) { // about the folder itself
		first = invalid.Findings[0].Text
	}
	if n := len(invalid.Findings); n > 1 {
		first = p.t.Say("cmd.tresor_findings", n-1, first)
	}
	return cli.AtRoot(first, dir)
}
