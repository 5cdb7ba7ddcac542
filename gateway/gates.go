package gateway

import (
	"sync"
	"time"

	"outheis/channels"
)

// gates keep posts back for as long as a network asked: those to one chat, or
// all of the account. They may be used by many goroutines.
type gates struct {
	mu      sync.Mutex // guards the fields below
	account time.Time
	chats   map[string]time.Time
}

// block keeps posts to a, or all, back until then.
func (g *gates) block(a channels.Address, scope channels.Scope, until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if scope == channels.ScopeAccount {
		if until.After(g.account) {
			g.account = until
		}
		return
	}
	if g.chats == nil {
		g.chats = make(map[string]time.Time)
	}
	for chat, t := range g.chats {
		if t.Before(until.Add(-ledgerDay)) {
			delete(g.chats, chat)
		}
	}
	if until.After(g.chats[a.Chat()]) {
		g.chats[a.Chat()] = until
	}
}

// until returns when the next post to a may go out.
func (g *gates) until(a channels.Address) time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t := g.chats[a.Chat()]; t.After(g.account) {
		return t
	}
	return g.account
}

// A pulse wakes those that wait for something to work again. The zero value is
// ready.
type pulse struct {
	mu sync.Mutex    // guards ch
	ch chan struct{} // nil while nobody waits
}

// next returns a channel that the next beat closes.
func (p *pulse) next() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ch == nil {
		p.ch = make(chan struct{})
	}
	return p.ch
}

// beat wakes everybody.
func (p *pulse) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ch != nil {
		close(p.ch)
		p.ch = nil
	}
}
