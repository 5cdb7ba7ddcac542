package discord

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"outheis/channels"
)

// A receiver takes the events of one Run apart and brings them to Deliver, each
// channel in order. Its methods are called from the gateway's goroutine, but for
// those that say otherwise.
type receiver struct {
	c      *Channel
	in     channels.Deliver
	lanes  *lanes
	places *places
	seen   *claims

	mu       sync.Mutex // guards the fields below
	live     bool       // a session lives and tells everything
	expected map[string]bool
	fills    int // channels that are being caught up with
}

func newReceiver(ctx context.Context, c *Channel, in channels.Deliver) *receiver {
	return &receiver{
		c: c, in: in, lanes: newLanes(ctx), places: newPlaces(), seen: newClaims(), expected: make(map[string]bool),
	}
}

// reader returns the reader for events of a guild.
func (r *receiver) reader(guild string) reader {
	return reader{account: r.c.opts.Account, me: r.c.whoami().user, role: r.places.ours(guild), now: r.c.opts.Now}
}

// ready takes over a new session: what happened before it is asked for. The
// guilds describe themselves in events of their own.
func (r *receiver) ready(d ready) {
	r.mu.Lock()
	r.live = true
	clear(r.expected)
	for _, g := range d.Guilds {
		r.expected[g.ID] = true
	}
	r.mu.Unlock()
	r.c.know(d)
	for _, g := range d.Guilds {
		r.places.enter(g.ID)
	}
	r.places.keep(d.Guilds)
	r.c.health.guilds(r.places.count())
	r.openDirects()
	for _, channel := range r.c.marks.directs() {
		r.fill(channel, place{kind: discordgo.ChannelTypeDM}, 0, nil)
	}
}

// openDirects finds the direct channels of [Options.People], before anything
// that is written there now takes its place in the lane. What it does not find
// in time it looks for again with the next session.
func (r *receiver) openDirects() {
	ctx, cancel := context.WithTimeout(r.lanes.ctx, 15*time.Second)
	defer cancel()
	var asked sync.WaitGroup
	for _, person := range r.c.opts.People {
		if r.c.marks.with(person) != "" {
			continue
		}
		asked.Go(func() {
			err := with(ctx, r.lanes.fetch, func() error {
				_, err := r.c.directWith(ctx, person)
				return err
			})
			if err != nil && r.lanes.ctx.Err() == nil {
				r.c.log.Warn("direct channel not found", "id", person, "err", err)
			}
		})
	}
	asked.Wait()
}

// know takes over who we are from a new session.
func (c *Channel) know(d ready) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := parseID(d.User.ID); err == nil {
		c.self.user = d.User.ID
	}
	if _, err := parseID(d.App.ID); err == nil {
		c.self.app, c.self.flags = d.App.ID, d.App.Flags.value
	}
}

// resumed says that the session goes on and has repeated what was missed.
func (r *receiver) resumed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.live = true
}

// disconnected says that from now on things happen of which we are not told.
func (r *receiver) disconnected() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.live = false
}

// complete returns up to when everything has come, or the zero time while
// something is being caught up with. It may be called from any goroutine.
func (r *receiver) complete() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.live || r.fills > 0 || len(r.expected) > 0 {
		return time.Time{}
	}
	return r.c.health.lastReceived()
}

// dispatch takes one event. What cannot be understood is skipped: it would come
// again for ever and hide what is behind it. The error is that of the context.
func (r *receiver) dispatch(kind, key string, raw json.RawMessage) error {
	handle, ok := handlers()[kind]
	if !ok {
		return nil
	}
	err := handle(r, key, raw)
	if err != nil && r.lanes.ctx.Err() == nil {
		r.c.log.Warn("event skipped", "kind", kind, "id", key, "err", err)
		return nil
	}
	return r.lanes.ctx.Err()
}

type handler func(r *receiver, key string, raw json.RawMessage) error

// handlers are the events that concern us.
func handlers() map[string]handler {
	return map[string]handler{
		"MESSAGE_CREATE":          (*receiver).onMessage,
		"MESSAGE_UPDATE":          (*receiver).onEdit,
		"MESSAGE_DELETE":          (*receiver).onDeletion,
		"MESSAGE_DELETE_BULK":     (*receiver).onDeletion,
		"MESSAGE_REACTION_ADD":    onReaction(true),
		"MESSAGE_REACTION_REMOVE": onReaction(false),
		"INTERACTION_CREATE":      (*receiver).onInteraction,
		"GUILD_CREATE":            (*receiver).onGuild,
		"GUILD_DELETE":            (*receiver).onGuildGone,
		"GUILD_ROLE_CREATE":       (*receiver).onRole,
		"GUILD_ROLE_UPDATE":       (*receiver).onRole,
		"CHANNEL_CREATE":          (*receiver).onRoom,
		"CHANNEL_UPDATE":          (*receiver).onRoom,
		"CHANNEL_DELETE":          (*receiver).onRoomGone,
		"THREAD_CREATE":           (*receiver).onRoom,
		"THREAD_UPDATE":           (*receiver).onRoom,
		"THREAD_DELETE":           (*receiver).onRoomGone,
		"THREAD_LIST_SYNC":        (*receiver).onThreads,
	}
}

func (r *receiver) onMessage(_ string, raw json.RawMessage) error {
	m, id, err := decodeMessage(raw)
	if err != nil {
		return err
	}
	r.c.marks.came(m.ChannelID, m.GuildID == "", id)
	err = r.lanes.add(m.ChannelID, func(ctx context.Context) { r.take(ctx, m, id, m.GuildID) })
	if err != nil {
		r.c.marks.left(id)
	}
	return err
}

// take delivers a message that came, and reports whether it did: not when it was
// delivered already. It is called in the channel's lane; guild is empty for
// direct channels.
func (r *receiver) take(ctx context.Context, m *message, id uint64, guild string) bool {
	at, err := r.place(ctx, m.ChannelID, guild)
	if err != nil {
		return false // only at the end; it stays pending and is fetched next time
	}
	if !r.seen.claim(id) {
		r.c.marks.left(id)
		return false
	}
	r.withheldText(m, at)
	e, ok, err := r.reader(at.guild).message(m, at)
	if err != nil {
		r.c.log.Warn("message skipped", "id", m.ID, "err", err)
	}
	if err == nil && ok {
		if r.deliver(ctx, e) != nil {
			r.seen.release(id)
			return false
		}
		r.places.seen(at.guild, m.ChannelID)
		if at.direct() && e.Actor.Kind == channels.Person {
			r.c.marks.meet(e.Actor.ID, m.ChannelID)
		}
	}
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
	wait := r.c.opts.Retry
	for {
		err := with(ctx, r.lanes.slots, func() error { return r.in(ctx, e) })
		if err == nil {
			r.c.health.stored()
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if r.c.health.unstored() {
			r.c.log.Error("events are not stored, they will be delivered again", "err", err)
		}
		if err := wait.Wait(ctx); err != nil {
			return err
		}
	}
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

func (r *receiver) onEdit(_ string, raw json.RawMessage) error {
	m, _, err := decodeMessage(raw)
	if err != nil {
		return err
	}
	return r.later(m.ChannelID, m.ChannelID, m.GuildID, func(rd reader, at place) (channels.Event, bool, error) {
		return rd.edit(m, at)
	})
}

func (r *receiver) onDeletion(_ string, raw json.RawMessage) error {
	var d deletion
	if json.Unmarshal(raw, &d) != nil {
		return errForm
	}
	if _, err := parseID(d.ChannelID); err != nil {
		return err
	}
	if d.ID != "" {
		d.IDs = append(d.IDs, d.ID)
	}
	for _, id := range d.IDs {
		err := r.later(d.ChannelID, d.ChannelID, d.GuildID, func(rd reader, at place) (channels.Event, bool, error) {
			return rd.deletion(d.ChannelID, id, at)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func onReaction(added bool) handler {
	return func(r *receiver, key string, raw json.RawMessage) error {
		var v reaction
		if json.Unmarshal(raw, &v) != nil {
			return errForm
		}
		if _, err := parseID(v.ChannelID); err != nil {
			return err
		}
		return r.later(v.ChannelID, v.ChannelID, v.GuildID, func(rd reader, at place) (channels.Event, bool, error) {
			return rd.reaction(&v, key, added, at)
		})
	}
}

func (r *receiver) onGuild(key string, raw json.RawMessage) error {
	var g guild
	if json.Unmarshal(raw, &g) != nil {
		return errForm
	}
	if _, err := parseID(g.ID); err != nil {
		return err
	}
	if g.Unavailable.value {
		return nil
	}
	fresh := r.places.enter(g.ID)
	r.places.describe(g, r.c.whoami().user)
	r.c.health.guilds(r.places.count())
	r.c.mu.Lock()
	r.c.tiers[g.ID] = g.Tier.value
	r.c.mu.Unlock()
	for _, rooms := range [][]room{g.Channels.value, g.Threads.value} {
		for _, one := range rooms {
			r.meet(one, g.ID)
		}
	}
	r.mu.Lock()
	delete(r.expected, g.ID)
	r.mu.Unlock()
	if !fresh {
		return nil
	}
	return r.told(g.ID, r.places.welcome(g), key, channels.ChangeJoined)
}

// meet remembers a channel of a guild, and catches up with it where something
// was written since.
func (r *receiver) meet(one room, guild string) {
	if _, err := parseID(one.ID); err != nil {
		return
	}
	at := r.places.set(one, guild)
	last, err := parseID(one.Last.value)
	if err != nil || !at.texts() || last <= r.c.marks.after(one.ID) {
		return
	}
	r.fill(one.ID, at, last, nil)
}

func (r *receiver) onGuildGone(key string, raw json.RawMessage) error {
	var g guild
	if json.Unmarshal(raw, &g) != nil {
		return errForm
	}
	if g.Unavailable.value {
		return nil // out of order, and back by itself
	}
	seen := r.places.leave(g.ID)
	r.c.health.guilds(r.places.count())
	r.mu.Lock()
	delete(r.expected, g.ID)
	r.mu.Unlock()
	return r.told(g.ID, seen, key, channels.ChangeRemoved)
}

// told delivers what became of us in channels of a guild.
func (r *receiver) told(guild string, rooms []string, key string, change channels.Change) error {
	for _, channel := range rooms {
		at, ok := r.places.known(channel)
		if !ok {
			at = place{guild: guild}
		}
		e, err := r.reader(guild).membership(channel, key, at, change)
		if err != nil {
			return err
		}
		err = r.lanes.add(channel, func(ctx context.Context) {
			// Only the end of the context is an error; a session that is resumed repeats it.
			_ = r.deliver(ctx, e)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *receiver) onRole(_ string, raw json.RawMessage) error {
	var v struct {
		GuildID string `json:"guild_id"`
		Role    role   `json:"role"`
	}
	if json.Unmarshal(raw, &v) != nil {
		return errForm
	}
	r.places.role(v.GuildID, v.Role, r.c.whoami().user)
	return nil
}

func (r *receiver) onRoom(_ string, raw json.RawMessage) error {
	var one room
	if json.Unmarshal(raw, &one) != nil {
		return errForm
	}
	if _, err := parseID(one.ID); err != nil {
		return err
	}
	r.places.set(one, "")
	return nil
}

func (r *receiver) onThreads(_ string, raw json.RawMessage) error {
	var v struct {
		GuildID string        `json:"guild_id"`
		Threads maybe[[]room] `json:"threads"`
	}
	if json.Unmarshal(raw, &v) != nil {
		return errForm
	}
	for _, one := range v.Threads.value {
		r.meet(one, v.GuildID)
	}
	return nil
}

func (r *receiver) onRoomGone(key string, raw json.RawMessage) error {
	var one room
	if json.Unmarshal(raw, &one) != nil {
		return errForm
	}
	if _, err := parseID(one.ID); err != nil {
		return err
	}
	at, ok := r.places.known(one.ID)
	r.places.forget(one.ID)
	if !ok || !at.texts() {
		return nil
	}
	e, err := r.reader(at.guild).membership(one.ID, key, at, channels.ChangeRemoved)
	if err != nil {
		return err
	}
	return r.lanes.add(one.ID, func(ctx context.Context) {
		// Only the end of the context is an error; a session that is resumed repeats it.
		_ = r.deliver(ctx, e)
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
