package gateway

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"outheis/channels"
	"outheis/relay"
)

// outlets are the accounts that there are. They may be used by many goroutines.
type outlets struct {
	mu sync.RWMutex // guards of
	of map[AccountID]*outlet
}

// get returns the outlet of an account, or nil.
func (l *outlets) get(id AccountID) *outlet {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.of[id]
}

// at returns the outlet of an account, and makes one without a channel where
// there is none.
func (l *outlets) at(id AccountID) *outlet {
	if o := l.get(id); o != nil {
		return o
	}
	return l.add(newOutlet(id, nil))
}

// add adds an outlet, unless its account has one; it returns the one that is
// there.
func (l *outlets) add(o *outlet) *outlet {
	l.mu.Lock()
	defer l.mu.Unlock()
	if there := l.of[o.id]; there != nil {
		return there
	}
	if l.of == nil {
		l.of = make(map[AccountID]*outlet)
	}
	l.of[o.id] = o
	return o
}

// all returns the outlets in the order of their names.
func (l *outlets) all() []*outlet {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.SortedFunc(maps.Values(l.of), func(a, b *outlet) int { return strings.Compare(a.id.String(), b.id.String()) })
}

// An outlet is one account as the outbox sees it: where posts go out, and how
// it stands. It stays the same when its channel is replaced.
type outlet struct {
	id    AccountID
	local *local // for the one outlet that is no channel
	gates gates
	works pulse // beats when a post went out or an event came in

	change chan struct{} // holds a token while the channel is replaced

	mu     sync.Mutex // guards the fields below
	line   *line
	health channels.Health
	hangUp context.CancelFunc // ends receiving
	ended  chan struct{}      // closed when receiving has ended

	began    time.Time                 // when the channel began to receive
	heard    time.Time                 // when the last event came
	unstored time.Time                 // since when events are refused; zero when they are taken
	cause    string                    // why they are
	lost     map[string]channels.Event // chats that we were put out of, or may not write in
	clock    clockCheck
	state    channels.State // as it was seen last
	since    time.Time      // since when
}

// A line is a channel in use, and the posts that are on their way over it.
type line struct {
	channel channels.Channel // nil while the account is removed
	posts   sync.WaitGroup
}

// newOutlet returns the outlet of an account; c is nil while it has no channel.
func newOutlet(id AccountID, c channels.Channel) *outlet {
	return &outlet{id: id, line: &line{channel: c}, change: make(chan struct{}, 1)}
}

// current returns the channel, or nil while the account is removed.
func (o *outlet) current() channels.Channel {
	if o.local != nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.line.channel
}

// seize returns the line for one post; the caller calls posts.Done behind it.
func (o *outlet) seize() *line {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.line.posts.Add(1)
	return o.line
}

// isOpen reports that posts can go out.
func (o *outlet) isOpen() bool { return o.local != nil || o.current() != nil }

// target says how replies to a look.
func (o *outlet) target(a channels.Address) relay.Target {
	if o.local != nil {
		return o.local.target(a)
	}
	if c := o.current(); c != nil {
		return relay.Target{Profile: c.Profile()}
	}
	return relay.Target{}
}

// post sends once. A panic of the adapter counts as an unsure try: nobody knows
// how far it came.
func (o *outlet) post(ctx context.Context, p channels.Post) (r channels.Receipt, err error) {
	if o.local != nil {
		return o.local.send(p)
	}
	defer func() {
		if v := recover(); v != nil {
			err = &channels.SendError{Class: channels.Unsure, Err: fmt.Errorf("adapter panicked: %v", v)}
		}
	}()
	l := o.seize()
	defer l.posts.Done()
	if l.channel == nil {
		return r, &channels.SendError{Class: channels.NotSent, Err: errors.New("account was removed")}
	}
	return l.channel.Send(ctx, p)
}

// stand returns the outlet's health: what the channel says of itself, unless its
// Run has ended and it does not know why.
func (o *outlet) stand() channels.Health {
	o.mu.Lock()
	h := o.health
	o.mu.Unlock()
	if p, ok := o.current().(channels.Prober); ok {
		own := probe(p)
		if h.State != channels.Red || own.State == channels.Red && own.Reason != "" {
			return own
		}
	}
	if h.State == "" {
		h.State = channels.Starting
	}
	return h
}

// probe asks an adapter how it stands. One that panics stands badly.
func probe(p channels.Prober) (h channels.Health) {
	defer func() {
		if v := recover(); v != nil {
			h = channels.Health{State: channels.Red, Reason: cut(fmt.Sprintf("adapter panicked: %v", v), 300)}
		}
	}()
	return p.Health()
}

// isWell reports that nothing is known to be wrong with the network, or that what
// is wrong has not kept it from answering since some time.
func (o *outlet) isWell(since time.Time) bool {
	p, ok := o.current().(channels.Prober)
	if !ok {
		return true
	}
	h := probe(p)
	return h.State != channels.Yellow && h.State != channels.Red || h.State == channels.Yellow && h.Received.After(since)
}

func (o *outlet) set(h channels.Health) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.health = h
}

// listening notes that a receiver begins, and returns its context and what to
// call when it has ended.
func (o *outlet) listening(ctx context.Context, now time.Time) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	o.mu.Lock()
	defer o.mu.Unlock()
	o.hangUp, o.ended = cancel, ended
	o.began, o.heard, o.unstored, o.lost, o.clock = now, time.Time{}, time.Time{}, nil, clockCheck{}
	return ctx, func() { cancel(); close(ended) }
}

// silence ends the receiver and waits for it.
func (o *outlet) silence() {
	o.mu.Lock()
	hangUp, ended := o.hangUp, o.ended
	o.mu.Unlock()
	if hangUp != nil {
		hangUp()
		<-ended
	}
}

// put replaces the channel, waits for the posts that are on their way over the
// old one, and returns that.
func (o *outlet) put(c channels.Channel) channels.Channel {
	o.mu.Lock()
	old := o.line
	o.line = &line{channel: c}
	o.mu.Unlock()
	old.posts.Wait()
	return old.channel
}

// closeChannel closes what an adapter keeps open.
func (g *Gateway) closeChannel(id AccountID, c channels.Channel) {
	closer, ok := c.(channels.Closer)
	if !ok {
		return
	}
	defer g.contain("close", id)
	if err := closer.Close(); err != nil {
		g.log.Warn("channel did not close cleanly", "channel", id.String(), "err", err)
	}
}
