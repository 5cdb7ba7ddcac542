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

const (
	// actionLife is how long an interaction can be answered, a little less than
	// the 15 minutes for which its token works.
	actionLife = 14*time.Minute + 30*time.Second
	// contextPrivate is a direct channel that is not the one with us.
	contextPrivate = int(discordgo.InteractionContextPrivateChannel)
	// mostActions bounds how many interactions are remembered.
	mostActions = 4096
)

// actions are the interactions that wait for an answer. Their tokens are kept
// here and nowhere else; after a restart an answer goes out as a message.
type actions struct {
	mu  sync.Mutex // guards all
	all map[string]*action
}

// An action is an interaction that was taken.
type action struct {
	token string
	until time.Time
	// settled is closed once Discord was told that the answer comes later; open
	// says that it agreed.
	settled chan struct{}
	open    bool
	taken   string // the key of the post that became the answer
}

// String keeps the token out of what is printed of a Channel.
func (a *actions) String() string { return "actions" }

// GoString does so for %#v.
func (a *actions) GoString() string { return "actions" }

// put remembers an interaction.
func (a *actions) put(id, token string, now time.Time) *action {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all == nil {
		a.all = make(map[string]*action)
	}
	if len(a.all) >= mostActions {
		a.makeRoom(now)
	}
	one := &action{token: token, until: now.Add(actionLife), settled: make(chan struct{})}
	a.all[id] = one
	return one
}

// makeRoom forgets what is over, or the oldest when nothing is. The caller holds
// the mutex.
func (a *actions) makeRoom(now time.Time) {
	oldest := ""
	for id, one := range a.all {
		if now.After(one.until) {
			delete(a.all, id)
		} else if oldest == "" || one.until.Before(a.all[oldest].until) {
			oldest = id
		}
	}
	if len(a.all) >= mostActions {
		delete(a.all, oldest)
	}
}

// settle says whether Discord agreed to wait.
func (a *actions) settle(one *action, open bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	one.open = open
	close(one.settled)
}

// take returns the token by which the post with the key becomes the answer to
// an interaction, or "" when it has to be a message: too late, not known any
// more, answered by another post. It waits until the interaction is settled.
func (a *actions) take(ctx context.Context, id, key string, now time.Time) string {
	a.mu.Lock()
	one := a.all[id]
	a.mu.Unlock()
	if one == nil {
		return ""
	}
	select {
	case <-one.settled:
	case <-ctx.Done():
		return ""
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !one.open || !now.Before(one.until) || one.taken != "" && one.taken != key {
		return ""
	}
	one.taken = key
	return one.token
}

// shut says that an interaction cannot be answered any more.
func (a *actions) shut(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.all, id)
}

// onInteraction takes a command or a pressed button. It does not wait for
// missed messages of its channel: Discord gives it three seconds.
func (r *receiver) onInteraction(_ string, raw json.RawMessage) error {
	var v interaction
	if json.Unmarshal(raw, &v) != nil {
		return errForm
	}
	for _, id := range []string{v.ID, v.ChannelID} {
		if _, err := parseID(id); err != nil {
			return err
		}
	}
	if one := v.Channel.value; one.ID == v.ChannelID && v.GuildID != "" {
		if _, known := r.places.of(v.ChannelID, v.GuildID); !known {
			r.places.set(one, v.GuildID)
		}
	}
	lane := v.ChannelID
	if r.lanes.filling(lane) {
		lane = "i:" + lane
	}
	return r.lanes.add(lane, func(ctx context.Context) {
		at, err := r.place(ctx, v.ChannelID, v.GuildID)
		if err != nil {
			return
		}
		if v.Context.value == contextPrivate {
			at.kind = discordgo.ChannelTypeGroupDM // somebody else reads along
		}
		e, ok, err := r.reader(at.guild).interaction(&v, at)
		if err != nil || !ok {
			r.c.log.Debug("interaction of no concern", "id", v.ID, "err", err)
			return
		}
		r.answerLater(ctx, &v, e)
	})
}

// answerLater delivers an interaction and then tells Discord that it was taken.
// An answer that is ready meanwhile waits for that.
func (r *receiver) answerLater(ctx context.Context, v *interaction, e channels.Event) {
	kind := discordgo.InteractionResponseDeferredMessageUpdate
	var one *action
	if e.Kind == channels.KindCommand {
		kind = discordgo.InteractionResponseDeferredChannelMessageWithSource
		one = r.c.actions.put(v.ID, v.Token, r.c.opts.Now())
	}
	agreed := false
	defer func() {
		if one != nil {
			r.c.actions.settle(one, agreed)
		}
	}()
	if r.deliver(ctx, e) != nil {
		return
	}
	r.places.seen(e.Space, v.ChannelID)
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err := r.c.client.do(ctx, call{
		what: "acknowledge an interaction", method: http.MethodPost, path: "/interactions/" + v.ID + "/" + v.Token + "/callback", secret: v.Token,
		body: struct {
			Type discordgo.InteractionResponseType `json:"type"`
		}{kind},
	}, nil)
	f, _ := err.(*failure)
	// Taken means that an earlier try arrived.
	agreed = err == nil || f != nil && f.is(codeInteractionTaken)
	if !agreed {
		r.c.log.Warn("interaction not acknowledged, its answer will be a message", "id", v.ID, "err", err)
	}
}
