// Package tresor is the agent that answers from Tresore: it quotes the claims
// that cover a question, with their evidence, or says "Nicht im Bestand".
//
// It follows the answering protocol of the Tresor (spec/tresor/8-answering.md)
// without a language model: query, evaluate the state, compare every claim
// with the question, quote what covers it word for word, name what is outdated,
// contradictory or uncertain, and abstain only after the full review. The same
// question to the same release gives the same answer.
//
// Of several Tresore each answers under its own name. Where two speak of the
// same, their scopes decide which goes first, and what gives way is named (section
// 3 there); see settle.go.
//
// An [Agent] holds snapshots and no files; who loads a Tresor or a new release
// hands it over with [Agent.Set]. A [Keeper] does that for folders, and looks at
// them before each answer. Neither knows who asks but for their role, nor through
// which channel, and a text of the question is never an instruction to it.
package tresor

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"outheis/agents"
	engine "outheis/tresor"
)

// A Tresor is a Tresor by the name that it is asked and cited by.
type Tresor struct {
	ID string // the configured id, else the name of its folder
	// Scope is the area that it holds for; see [ScopeOf].
	Scope Scope
	// Audience are the roles that may be answered from it, or "all", and places
	// that may, by their names in [agents.Request]; empty is all. Where others
	// read along only "all", "user" and the name of that place count, whoever
	// asks. A word that names nothing admits nobody.
	Audience []string
	// Snapshot is its release; nil if it is not available, and then Err says why.
	Snapshot *engine.Snapshot
	Err      error
	// OnRequest is set for a Tresor that answers by name only, as long as there
	// is another: the handbook.
	OnRequest bool
}

// Options are what an [Agent] starts with.
type Options struct {
	// Tresore are served. Their order has no effect on an answer.
	Tresore []Tresor
}

// An Agent answers questions from Tresore. Its methods may be called by many
// goroutines; a question that is being answered keeps the releases that it
// began with.
type Agent struct {
	mu      sync.Mutex // held while served is replaced
	current atomic.Pointer[[]Tresor]
}

var _ agents.Agent = (*Agent)(nil)

// New returns an agent for the Tresore of o. It fails if a Tresor has no ID, or
// the ID of another.
func New(o Options) (*Agent, error) {
	a := &Agent{}
	for i, t := range o.Tresore {
		if t.ID == "" {
			return nil, fmt.Errorf("tresor agent: Tresor %d has no id", i+1)
		}
		if slices.ContainsFunc(o.Tresore[:i], func(u Tresor) bool { return u.ID == t.ID }) {
			return nil, fmt.Errorf("tresor agent: two Tresore with the id %q", t.ID)
		}
	}
	all := slices.Clone(o.Tresore)
	a.current.Store(&all)
	return a, nil
}

// Declare adds a Tresor behind the others, or changes the scope and the audience
// of the one with its ID, which keeps its release.
func (a *Agent) Declare(t Tresor) {
	if slices.ContainsFunc(a.Tresore(), func(u Tresor) bool { return u.ID == t.ID }) {
		a.replace(t.ID, func(u *Tresor) { u.Scope, u.Audience = t.Scope, t.Audience })
		return
	}
	a.replace(t.ID, func(u *Tresor) { *u = t })
}

// Set puts a release in the place of the Tresor's current one, or adds the
// Tresor behind the others. Answers in flight keep the release that they began
// with.
func (a *Agent) Set(id string, s *engine.Snapshot) {
	a.replace(id, func(t *Tresor) { t.Snapshot, t.Err = s, nil })
}

// ErrNotLoaded is why a Tresor is not available that never was.
var ErrNotLoaded = errors.New("not loaded yet")

// SetUnavailable takes a Tresor out of service. As long as it is, questions that
// only it could answer get an error that names it, and never "Nicht im Bestand".
func (a *Agent) SetUnavailable(id string, err error) {
	if err == nil {
		err = ErrNotLoaded
	}
	a.replace(id, func(t *Tresor) { t.Snapshot, t.Err = nil, err })
}

// Remove forgets a Tresor.
func (a *Agent) Remove(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := slices.DeleteFunc(slices.Clone(*a.current.Load()), func(t Tresor) bool { return t.ID == id })
	a.current.Store(&all)
}

// Tresore returns what the agent serves, in its order.
func (a *Agent) Tresore() []Tresor { return slices.Clone(*a.current.Load()) }

func (a *Agent) replace(id string, change func(*Tresor)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := slices.Clone(*a.current.Load())
	i := slices.IndexFunc(all, func(t Tresor) bool { return t.ID == id })
	if i < 0 {
		i = len(all)
		all = append(all, Tresor{ID: id})
	}
	change(&all[i])
	a.current.Store(&all)
}
