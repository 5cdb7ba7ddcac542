package discord

import (
	"context"
	"encoding/json"
	"errors"
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

	mu       sync.Mutex      // guards the fields below
	live     bool            // a session lives and tells everything
	expected map[string]bool // guilds that have not described themselves
	began    time.Time       // when the session named them
	fills    int             // channels that are being caught up with
	owed     map[string]debt // channels whose missed messages could not be read yet
}

func newReceiver(ctx context.Context, c *Channel, in channels.Deliver) *receiver {
	// What was owed to a Run before is asked for again like everything else.
	c.marks.free()
	c.health.owes(0)
	return &receiver{
		c: c, in: in, lanes: newLanes(ctx, c.log), places: newPlaces(), seen: newClaims(), expected: make(map[string]bool),
		owed: make(map[string]debt),
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
	r.live, r.began = true, r.c.opts.Now()
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
				return channels.Contain(func() error {
					_, err := r.c.directWith(ctx, person)
					return err
				})
			})
			if !panicked(r.c.log, err) && err != nil && r.lanes.ctx.Err() == nil {
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

// guildWait is how long a guild is waited for that a session named. One that is
// out of order for longer must not hold up the mark for all others.
const guildWait = time.Hour

// disconnected says that from now on things happen of which we are not told.
func (r *receiver) disconnected() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.live = false
}

// complete returns up to when everything has come, or the zero time while
// something is being caught up with or owed. It may be called from any
// goroutine.
func (r *receiver) complete() time.Time {
	if !r.quiet() || len(r.debts()) > 0 {
		return time.Time{}
	}
	return r.c.health.lastReceived()
}

// quiet reports whether a session lives and nothing is being caught up with. It
// may be called from any goroutine.
func (r *receiver) quiet() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	waits := len(r.expected) > 0 && r.c.opts.Now().Sub(r.began) < guildWait
	return r.live && r.fills == 0 && !waits
}

// dispatch takes one event. What cannot be understood is skipped: it would come
// again for ever and hide what is behind it. The error is that of the context.
func (r *receiver) dispatch(kind, key string, raw json.RawMessage) error {
	handle := handlerOf(kind)
	if handle == nil {
		return nil
	}
	var err error
	if !contained(r.c.log, func() { err = handle(r, key, raw) }) {
		err = errPoison
	}
	if err != nil && r.lanes.ctx.Err() == nil {
		r.c.log.Warn("event skipped", "kind", kind, "id", key, "err", err)
		return nil
	}
	return r.lanes.ctx.Err()
}

// errPoison says that an event cannot be handled without a panic.
var errPoison = errors.New("it cannot be handled")

type handler func(r *receiver, key string, raw json.RawMessage) error

// handlerOf returns what handles a kind of event, or nil for those of no
// concern.
func handlerOf(kind string) handler {
	switch kind {
	case "MESSAGE_CREATE":
		return (*receiver).onMessage
	case "MESSAGE_UPDATE":
		return (*receiver).onEdit
	case "MESSAGE_DELETE", "MESSAGE_DELETE_BULK":
		return (*receiver).onDeletion
	case "MESSAGE_REACTION_ADD":
		return onReaction(true)
	case "MESSAGE_REACTION_REMOVE":
		return onReaction(false)
	case "INTERACTION_CREATE":
		return (*receiver).onInteraction
	case "GUILD_CREATE":
		return (*receiver).onGuild
	case "GUILD_DELETE":
		return (*receiver).onGuildGone
	case "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE":
		return (*receiver).onRole
	case "CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE":
		return (*receiver).onRoom
	case "CHANNEL_DELETE", "THREAD_DELETE":
		return (*receiver).onRoomGone
	case "THREAD_LIST_SYNC":
		return (*receiver).onThreads
	}
	return nil
}

func (r *receiver) onMessage(_ string, raw json.RawMessage) error {
	m, id, err := decodeMessage(raw)
	if err != nil {
		return err
	}
	if m.GuildID == "" && !r.c.marks.isDirect(m.ChannelID) {
		// Discord did not list this channel; what was written there before, while
		// nobody listened, is found now.
		r.fill(m.ChannelID, place{kind: discordgo.ChannelTypeDM}, 0, nil)
	}
	r.c.marks.came(m.ChannelID, m.GuildID == "", id)
	err = r.lanes.add(m.ChannelID, func(ctx context.Context) { r.take(ctx, m, id, m.GuildID) })
	if err != nil {
		r.c.marks.left(id)
	}
	return err
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
