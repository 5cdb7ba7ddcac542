package tresor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"outheis/agents"
	engine "outheis/tresor"
)

// A Keeper keeps the Tresore of an [Agent] as they lie in their folders. It
// answers like the agent, but looks at the folders first: a question is answered
// from a state that was released, and that the folder still holds when the
// question has come.
//
// A folder that changed is loaded and validated beside what is served, and then
// swapped; answers in flight keep what they began with, and questions that come
// meanwhile wait for the new one. A folder that is not a release, because a file
// was changed, or the manifest or the whole folder is gone, takes its Tresor out
// of service until it is one again. While a release is under way, which a lock
// in the folder tells, the one before goes on answering for a while.
//
// Looking costs a few milliseconds for 1,000 pages, see [engine.Look]; questions
// that come at the same time share a look.
type Keeper struct {
	agent *Agent
	o     KeeperOptions

	mu      sync.Mutex // guards folders, and stuck of each; held while the agent is changed
	folders map[string]*folder
	stampOf func(path string) (engine.Stamp, error)
}

// KeeperOptions are how a [Keeper] works. The zero value is usable.
type KeeperOptions struct {
	Lang     string           // of findings; see [engine.Options]
	Now      func() time.Time // nil is time.Now
	Patience time.Duration    // how long a release may take; 0 is ten seconds
	Slow     time.Duration    // how long a look may take, with loading; 0 is half a minute
	// Changed is told what is served from now on, or why nothing is. It is called
	// from the goroutine that noticed, with the Tresor locked: it must not call
	// the keeper. Nil is none.
	Changed func(Change)
}

// A Change is what has become of a Tresor.
type Change struct {
	ID       string
	Snapshot *engine.Snapshot // what is served; nil if it is out of service
	Before   string           // digest of the manifest that was served last; "" for none
	Err      error            // why it is out of service, or, with a Snapshot, that it is being released
}

// A Problem is a Tresor that is out of service.
type Problem struct {
	ID     string
	Path   string
	Err    error
	Since  time.Time
	Before string // digest of the manifest that was served last; "" for none
}

// A folder is where a Tresor lies, and what has become of it.
type folder struct {
	path  string
	begun atomic.Uint64 // looks, counted where they begin
	stuck time.Time     // since when a look has not been answered; guarded by the keeper's mu

	look   chan struct{} // of capacity 1, holds something while somebody looks; guards what follows
	served *engine.Snapshot
	before string // manifest that was served last

	err       error
	refused   *engine.Stamp // of the state that err is about, where it is told apart for sure
	since     time.Time     // out of service
	releasing time.Time     // since when a release has been under way, beside what is served
}

// NewKeeper returns a keeper of the agent's Tresore. It keeps none until
// [Keeper.Keep] names their folders.
func NewKeeper(a *Agent, o KeeperOptions) *Keeper {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Patience == 0 {
		o.Patience = 10 * time.Second
	}
	if o.Slow == 0 {
		o.Slow = 30 * time.Second
	}
	if o.Changed == nil {
		o.Changed = func(Change) {}
	}
	return &Keeper{agent: a, o: o, folders: make(map[string]*folder), stampOf: engine.Look}
}

var _ agents.Agent = (*Keeper)(nil)

// Keep loads a Tresor from a folder and keeps it. The agent should know it
// already, see [Agent.Declare]. One that is kept in another folder goes on
// answering until the new one has been read.
func (k *Keeper) Keep(ctx context.Context, id, path string) error {
	k.mu.Lock()
	f := k.folders[id]
	if f == nil || f.path != path {
		f = &folder{path: path, look: make(chan struct{}, 1)}
		k.folders[id] = f
	}
	k.mu.Unlock()
	return k.lookAt(ctx, id, f)
}

// Forget ends keeping a Tresor, and removes it from the agent.
func (k *Keeper) Forget(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.folders, id)
	k.agent.Remove(id)
}

// Answer looks at the folders of the Tresore that r may be answered from, and
// then answers as [Agent.Answer] does.
func (k *Keeper) Answer(ctx context.Context, r agents.Request) (agents.Answer, error) {
	scope := strings.TrimPrefix(r.Scope, "@")
	for _, id := range k.ids() {
		if scope == "" || strings.EqualFold(scope, id) {
			if err := k.Look(ctx, id); err != nil {
				return agents.Answer{}, err
			}
		}
	}
	return k.agent.Answer(ctx, r)
}

// Look looks at the folder of a Tresor, and returns when what it holds is served
// or out of service. The error is that of ctx.
func (k *Keeper) Look(ctx context.Context, id string) error {
	k.mu.Lock()
	f := k.folders[id]
	k.mu.Unlock()
	if f == nil {
		return ctx.Err()
	}
	return k.lookAt(ctx, id, f)
}

// LookDoubtful looks at the folders of the Tresore that are out of service or
// being released.
func (k *Keeper) LookDoubtful(ctx context.Context) error {
	for _, id := range k.ids() {
		k.mu.Lock()
		f := k.folders[id]
		k.mu.Unlock()
		if f == nil {
			continue
		}
		switch err := k.lock(ctx, f); {
		case errors.Is(err, ErrSlow):
			continue
		case err != nil:
			return err
		}
		doubtful := f.served == nil || !f.releasing.IsZero()
		f.unlock()
		if !doubtful {
			continue
		}
		if err := k.lookAt(ctx, id, f); err != nil {
			return err
		}
	}
	return nil
}

// LookAll looks at all folders.
func (k *Keeper) LookAll(ctx context.Context) error {
	for _, id := range k.ids() {
		if err := k.Look(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// Problems returns the Tresore that are out of service, by name.
func (k *Keeper) Problems(ctx context.Context) []Problem {
	var all []Problem
	for _, id := range k.ids() {
		k.mu.Lock()
		f := k.folders[id]
		k.mu.Unlock()
		if f == nil {
			continue
		}
		if err := k.lock(ctx, f); errors.Is(err, ErrSlow) {
			k.mu.Lock()
			if !f.stuck.IsZero() {
				all = append(all, Problem{ID: id, Path: f.path, Err: ErrSlow, Since: f.stuck})
			}
			k.mu.Unlock()
			continue
		} else if err != nil {
			return all
		}
		if f.served == nil {
			all = append(all, Problem{ID: id, Path: f.path, Err: f.err, Since: f.since, Before: f.before})
		}
		f.unlock()
	}
	return all
}

func (k *Keeper) ids() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	ids := make([]string, 0, len(k.folders))
	for id := range k.folders {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// ErrSlow is why a Tresor is not available whose folder cannot be looked at in
// time, such as one on a file server that does not answer.
var ErrSlow = errors.New("the folder does not answer")

// lookAt returns when a look that began after the call is done: its own, or that
// of another one who came at the same time. If it takes too long, the Tresor is
// out of service until it is done; the others do not wait for it. Nothing can
// stop a call that the file system does not answer: such a look may outlive the
// keeper.
func (k *Keeper) lookAt(ctx context.Context, id string, f *folder) error {
	before := f.begun.Load()
	if err := k.lock(ctx, f); err != nil {
		if errors.Is(err, ErrSlow) {
			return nil // and it is out of service
		}
		return err
	}
	if f.begun.Load() > before {
		f.unlock()
		return nil
	}
	f.begun.Add(1)
	done := make(chan struct{})
	finished := false // guarded by k.mu
	go func() {
		defer close(done)
		defer f.unlock()
		k.check(id, f)
		k.mu.Lock()
		late := !f.stuck.IsZero()
		finished, f.stuck = true, time.Time{}
		if late && f.served != nil && k.folders[id] == f {
			k.agent.Set(id, f.served)
		}
		k.mu.Unlock()
		if late && f.served != nil {
			k.o.Changed(Change{ID: id, Snapshot: f.served, Before: f.before})
		}
	}()
	late := time.NewTimer(k.o.Slow)
	defer late.Stop()
	select { // not on ctx: others may wait for the same look
	case <-done:
		return nil
	case <-late.C:
	}
	k.mu.Lock()
	slow := !finished && k.folders[id] == f
	if slow {
		f.stuck = k.o.Now()
		k.agent.SetUnavailable(id, ErrSlow)
	}
	k.mu.Unlock()
	if slow {
		k.o.Changed(Change{ID: id, Err: ErrSlow})
	}
	return nil
}

// lock waits until nobody looks at a folder. It gives up with [ErrSlow] where a
// look is not answered.
func (k *Keeper) lock(ctx context.Context, f *folder) error {
	late := time.NewTicker(k.o.Slow)
	defer late.Stop()
	for {
		k.mu.Lock()
		stuck := !f.stuck.IsZero()
		k.mu.Unlock()
		if stuck {
			return ErrSlow
		}
		select {
		case f.look <- struct{}{}:
			return nil
		case <-late.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (f *folder) unlock() { <-f.look }

// serve has the agent change a Tresor, if it is still kept in the folder.
func (k *Keeper) serve(id string, f *folder, change func()) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.folders[id] != f {
		return false
	}
	change()
	return true
}

// check serves what the folder holds. The caller has locked it.
func (k *Keeper) check(id string, f *folder) {
	stamp, err := k.stampOf(f.path)
	if err == nil {
		switch {
		case f.served != nil && stamp.Same(f.served.Stamp()) && !f.served.Stamp().Young():
			f.releasing = time.Time{}
			return
		case f.served == nil && f.refused != nil && stamp.Same(*f.refused):
			return
		}
	}
	snapshot, err := k.open(f.path)
	if err == nil {
		changed := f.served == nil || f.served.Manifest() != snapshot.Manifest()
		c := Change{ID: id, Snapshot: snapshot, Before: f.before}
		f.served, f.before = snapshot, snapshot.Manifest()
		f.err, f.refused, f.since, f.releasing = nil, nil, time.Time{}, time.Time{}
		if k.serve(id, f, func() { k.agent.Set(id, snapshot) }) && changed {
			k.o.Changed(c)
		}
		return
	}
	now := k.o.Now()
	if f.served != nil && underWay(err) {
		if f.releasing.IsZero() {
			f.releasing = now
			k.o.Changed(Change{ID: id, Snapshot: f.served, Before: f.before, Err: err})
		}
		if now.Sub(f.releasing) < k.o.Patience {
			return
		}
	}
	if f.served != nil || f.since.IsZero() {
		f.since = now
	}
	said := f.served == nil && f.err != nil && f.err.Error() == err.Error()
	f.served, f.err, f.refused, f.releasing = nil, err, nil, time.Time{}
	if !stamp.Young() {
		f.refused = &stamp
	}
	if k.serve(id, f, func() { k.agent.SetUnavailable(id, err) }) && !said {
		k.o.Changed(Change{ID: id, Before: f.before, Err: err})
	}
}

// open opens a Tresor; a mistake of ours in doing so takes it out of service, and
// not the process.
func (k *Keeper) open(path string) (s *engine.Snapshot, err error) {
	defer func() {
		if v := recover(); v != nil {
			s, err = nil, fmt.Errorf("tresor agent: open %s: internal error: %v", path, v)
		}
	}()
	return engine.Open(path, engine.Options{Lang: k.o.Lang})
}

// underWay reports whether a Tresor cannot be read because it is being released.
func underWay(err error) bool {
	var invalid *engine.InvalidError
	return errors.As(err, &invalid) && (invalid.State == engine.VaultBusy || invalid.State == engine.SnapshotChanged)
}
