package discord

import (
	"context"
	"net/http"
	"sync"

	"outheis/channels"
)

// take delivers a message that came, and reports whether it did: not when it was
// delivered already, and not when it cannot be handled. It is called in the
// channel's lane; guild is empty for direct channels.
func (r *receiver) take(ctx context.Context, m *message, id uint64, guild string) bool {
	took := false
	if !contained(r.c.log, func() { took = r.hand(ctx, m, id, guild) }) {
		// It would come again for ever, and hold back how far the channel was read.
		r.c.skipped(m.ChannelID, "message "+m.ID+" cannot be handled")
		r.c.marks.stored(m.ChannelID, guild == "", id)
	}
	return took
}

func (r *receiver) hand(ctx context.Context, m *message, id uint64, guild string) bool {
	at, err := r.place(ctx, m.ChannelID, guild)
	if err != nil {
		return false // only at the end; it stays pending and is fetched next time
	}
	if !r.seen.claim(id) {
		r.c.marks.left(id)
		return false
	}
	done := false
	defer func() {
		if !done {
			r.seen.release(id)
		}
	}()
	r.withheldText(m, at)
	e, ok, err := r.reader(at.guild).message(m, at)
	if err != nil {
		r.c.log.Warn("message skipped", "id", m.ID, "err", err)
	}
	if err == nil && ok {
		if r.deliver(ctx, e) != nil {
			return false
		}
		r.places.seen(at.guild, m.ChannelID)
		if at.direct() && e.Actor.Kind == channels.Person {
			r.c.marks.meet(e.Actor.ID, m.ChannelID)
		}
	}
	done = true
	r.c.marks.stored(m.ChannelID, at.direct(), id)
	return true
}

// withheldText notices messages whose text does not reach us.
func (r *receiver) withheldText(m *message, at place) {
	if at.direct() || m.Author == nil || m.Author.ID == r.c.whoami().user {
		return
	}
	switch {
	case m.empty():
		if r.c.health.emptied() {
			r.c.log.Error("message contents are withheld", "remedy", r.c.contentRemedy())
		}
	case m.Content != nil && *m.Content != "" && len(m.Mentions.value) == 0:
		r.c.health.filled()
	}
}

// deliver hands e over until it is durable, or until ctx ends and then returns
// its error.
func (r *receiver) deliver(ctx context.Context, e channels.Event) error {
	in := func(ctx context.Context, e channels.Event) error {
		return with(ctx, r.lanes.slots, func() error { return r.in(ctx, e) })
	}
	err := channels.Persist(ctx, in, e, r.c.opts.Retry, func(err error) {
		if r.c.health.unstored() {
			r.c.log.Error("events are not stored, they will be delivered again", "err", err)
		}
	})
	if err == nil {
		r.c.health.stored()
	}
	return err
}

// later delivers what build makes of a channel, in its lane.
func (r *receiver) later(lane, channel, guild string, build func(reader, place) (channels.Event, bool, error)) error {
	return r.lanes.add(lane, func(ctx context.Context) {
		at, err := r.place(ctx, channel, guild)
		if err != nil {
			return
		}
		e, ok, err := build(r.reader(at.guild), at)
		if err != nil {
			r.c.log.Warn("event skipped", "chat", channel, "err", err)
			return
		}
		if ok && r.deliver(ctx, e) == nil {
			r.places.seen(at.guild, channel)
		}
	})
}

// place returns what is known of a channel, and asks where nothing is. It is
// called in the channel's lane; the error is that of the context.
func (r *receiver) place(ctx context.Context, channel, guild string) (place, error) {
	if at, ok := r.places.of(channel, guild); ok {
		r.c.inSpace(channel, guild)
		return at, nil
	}
	wait := r.c.opts.Retry
	for try := 0; ; try++ {
		var one room
		err := r.c.get(ctx, "read a channel", "/channels/"+channel, &one)
		if err == nil && one.ID == channel {
			one.GuildID = guild
			return r.places.set(one, guild), nil
		}
		if ctx.Err() != nil {
			return place{}, ctx.Err()
		}
		if permanent(err) || try >= 5 {
			// It is not known whether this is a thread; answers go to the channel itself.
			r.c.log.Warn("channel not known", "chat", channel, "err", err)
			return place{guild: guild}, nil
		}
		if err := wait.Wait(ctx); err != nil {
			return place{}, err
		}
	}
}

// inSpace remembers the guild of a channel.
func (c *Channel) inSpace(channel, guild string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if guild != "" && c.spaces[channel] != guild {
		c.spaces[channel] = guild
	}
}

// permanent reports whether asking again would bring the same refusal.
func permanent(err error) bool {
	f, ok := err.(*failure)
	return ok && f.kind == answered && f.status != http.StatusTooManyRequests && f.status != http.StatusUnauthorized
}

// claims are the messages that were delivered lately, so that one that is both
// repeated by the gateway and fetched is delivered once.
type claims struct {
	mu    sync.Mutex // guards the fields below
	known map[uint64]bool
	ring  []uint64
	next  int
}

func newClaims() *claims {
	const kept = 8192
	return &claims{known: make(map[uint64]bool, 64), ring: make([]uint64, kept)}
}

// claim reports whether a message is new, and remembers it.
func (c *claims) claim(id uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known[id] {
		return false
	}
	delete(c.known, c.ring[c.next])
	c.ring[c.next] = id
	c.next = (c.next + 1) % len(c.ring)
	c.known[id] = true
	return true
}

// release takes a claim back.
func (c *claims) release(id uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.known, id)
}
