package mattermost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"outheis/channels"
)

// item sorts an event of the websocket into the lane of its chat. It returns
// false for what is of no concern.
func (r *receiver) item(f frame) (item, bool) {
	it := item{frame: f, key: fmt.Sprintf("w:%s:%d", r.connID, r.seq-1)}
	switch f.event {
	case "posted", "post_edited", "post_deleted":
		// Broadcast names the channel; older servers name it in the post alone.
		it.chat = f.chat
		if it.chat == "" {
			if p, err := parsePost(f.text("post")); err == nil {
				it.chat = p.ChannelID
			}
		}
	case "reaction_added", "reaction_removed":
		it.chat = f.chat
	case "user_added", "channel_deleted", "channel_restored":
		it.chat = f.chat
		if it.chat == "" {
			it.chat = f.text("channel_id")
		}
	case "user_removed":
		it.chat = f.text("channel_id") // when it is us
		if it.chat == "" {
			it.chat = f.chat
		}
	default:
		return it, false
	}
	return it, isID(it.chat)
}

// handle delivers one item. It returns when the event is durable, of no
// concern, not to be understood, or when ctx has ended. One that makes us panic
// is tried again and then skipped.
func (r *receiver) handle(ctx context.Context, it item) {
	defer r.c.health.work(r.c.opts.Now())()
	wait := r.c.opts.Retry
	for strikes := 1; ; strikes++ {
		err := channels.Contain(func() error { return r.sort(ctx, it) })
		if err == nil || ctx.Err() != nil {
			return
		}
		var p *channels.PanicError
		if !errors.As(err, &p) {
			r.c.log.Warn("event skipped", "event", it.frame.event, "chat", it.chat, "err", err)
			return
		}
		r.c.log.Error("a mistake in the program", "event", it.frame.event, "chat", it.chat, "try", strikes, "err", err, "stack", string(p.Stack))
		if strikes == channels.MaxStrikes {
			r.c.health.skip(r.c.opts.Now())
			r.skipped(it)
			return
		}
		if wait.Wait(ctx) != nil {
			return
		}
	}
}

// skipped notes that the post of an item does not come, so that nothing waits
// for it.
func (r *receiver) skipped(it item) {
	p := it.post
	if p == nil {
		if one, err := parsePost(it.frame.text("post")); err == nil {
			p = &one
		}
	}
	if p != nil && isID(p.ID) && p.ChannelID == it.chat {
		r.marks.delivered(it.chat, key(*p, it.frame.event == "post_edited"), p.CreateAt)
	}
}

// arrive delivers an event of the listener behind what came before it in its
// chat, and returns when it is durable, or ctx has ended.
func (r *receiver) arrive(ctx context.Context, e channels.Event) error {
	one := call{ctx, e, make(chan error, 1)}
	if err := r.lanes.put(ctx, item{chat: e.Address.Chat(), call: &one}); err != nil {
		return err
	}
	select {
	case err := <-one.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sort delivers an item by what it is.
func (r *receiver) sort(ctx context.Context, it item) error {
	if it.call != nil {
		if it.call.ctx.Err() == nil { // else who sent it was told that it failed
			it.call.done <- r.deliver(it.call.ctx, it.call.event)
		}
		return nil
	}
	if it.reached > 0 {
		r.marks.reach(it.chat, it.reached)
		return nil
	}
	switch it.frame.event {
	case "":
		if it.post == nil {
			return nil
		}
		return r.caughtUp(ctx, it)
	case "posted":
		return r.posted(ctx, it)
	case "post_edited":
		return r.edited(ctx, it)
	case "post_deleted":
		return r.deleted(ctx, it)
	case "reaction_added", "reaction_removed":
		return r.reacted(ctx, it)
	}
	return r.member(ctx, it)
}

// posted delivers a new post of the websocket.
func (r *receiver) posted(ctx context.Context, it item) error {
	p, err := parsePost(it.frame.text("post"))
	if err != nil {
		return err
	}
	ch := channel{ID: p.ChannelID, Type: it.frame.text("channel_type"), TeamID: it.frame.text("team_id")}
	if ch.Type == "" {
		if ch, err = r.channel(ctx, p.ChannelID); err != nil {
			return err
		}
	}
	r.c.dir.know([]channel{ch})
	t := telling{post: p, channel: ch, mentions: parseMentions(it.frame.text("mentions"))}
	return r.tell(ctx, t, it.frame.text("sender_name"))
}

// caughtUp delivers a post of a catch-up: as a new one, or as an edit when it
// was delivered before and has been edited since.
func (r *receiver) caughtUp(ctx context.Context, it item) error {
	p := *it.post
	t := telling{post: p, channel: it.channel}
	if r.marks.has(p.ChannelID, key(p, false)) {
		if p.EditAt == 0 {
			return nil
		}
		t.edited = true
	}
	return r.tell(ctx, t, "")
}

// edited delivers a changed post of the websocket.
func (r *receiver) edited(ctx context.Context, it item) error {
	p, err := parsePost(it.frame.text("post"))
	if err != nil {
		return err
	}
	if p.EditAt == 0 {
		return nil // a reaction, a pin, a preview
	}
	ch, err := r.channel(ctx, p.ChannelID)
	if err != nil {
		return err
	}
	return r.tell(ctx, telling{post: p, channel: ch, edited: true}, "")
}

// tell delivers the event of a post, unless it was delivered before.
func (r *receiver) tell(ctx context.Context, t telling, sender string) error {
	p := &t.post
	name := key(*p, t.edited)
	if r.marks.has(p.ChannelID, name) {
		return nil
	}
	done := func() { r.marks.delivered(p.ChannelID, name, p.CreateAt) }
	if !r.reader.concern(*p) {
		done()
		return nil
	}
	if err := r.complete(ctx, &t, sender); err != nil {
		if ctx.Err() == nil {
			done()
		}
		return err
	}
	if p.RootID == "" {
		r.c.dir.started(*p)
	}
	e, ok, err := r.reader.event(t)
	if err == nil && ok {
		if err := r.deliver(ctx, e); err != nil {
			return err
		}
	}
	done()
	return err
}

// complete asks for what a post does not say itself: who wrote it, what its
// thread begins with, which files came with it.
func (r *receiver) complete(ctx context.Context, t *telling, sender string) error {
	p := &t.post
	var err error
	if t.author, err = r.c.dir.user(ctx, p.UserID); err != nil {
		r.c.log.Debug("name not known", "err", err)
		t.author = user{ID: p.UserID, Username: sender}
	}
	if p.RootID != "" {
		if err := r.persist(ctx, p.RootID, func() (err error) { t.root, err = r.c.dir.root(ctx, p.RootID); return err }); err != nil {
			return err
		}
	}
	// Some events come before the server has joined the files to the post.
	if len(p.FileIDs.value) == 0 && p.Message == "" || len(files(*p)) > len(p.Metadata.value.Files) {
		return r.persist(ctx, p.ID, func() error { return r.refetch(ctx, p) })
	}
	return nil
}

// refetch reads a post and its files again.
func (r *receiver) refetch(ctx context.Context, p *post) error {
	var again post
	if err := r.c.client.call(ctx, http.MethodGet, "/posts/"+p.ID, nil, &again); err != nil {
		return err
	}
	if again.ID != p.ID {
		return &failure{op: "GET /posts/…", kind: garbled, text: "another post"}
	}
	p.FileIDs, p.Metadata = again.FileIDs, again.Metadata
	if len(p.FileIDs.value) > len(p.Metadata.value.Files) {
		var infos []fileInfo
		if err := r.c.client.call(ctx, http.MethodGet, "/posts/"+p.ID+"/files/info", nil, &infos); err != nil {
			return err
		}
		p.Metadata.value.Files = infos
	}
	return nil
}

const (
	// mostAsked is how often the same is asked of a server that answers other
	// questions, before we go on without.
	mostAsked = 5
	// givenUpFor is for how long what was given up is asked for only once.
	givenUpFor = 10 * time.Minute
)

// persist repeats a question about an id until the server has answered it:
// with what was asked for, or with a refusal, which is no error. An outage is
// waited out, and so is a token that is not known; a question that the server
// alone of all does not answer is given up, since nothing behind it may wait
// for ever. Another error is ctx's.
func (r *receiver) persist(ctx context.Context, id string, ask func() error) error {
	wait := r.c.opts.Retry
	for tries := 1; ; tries++ {
		err := ask()
		var f *failure
		if err == nil {
			r.hopeless.forget(id)
			return nil
		}
		if errors.As(err, &f) && f.gone() {
			return nil
		}
		if ctx.Err() == nil && (tries >= mostAsked || r.hopeless.has(id, r.c.opts.Now())) && r.answers(ctx) {
			r.hopeless.add(id, r.c.opts.Now().Add(givenUpFor))
			r.c.health.skip(r.c.opts.Now())
			r.c.log.Warn("the server does not answer a question about a message, going on without", "id", id, "err", err)
			return nil
		}
		r.c.log.Debug("asking again", "err", err)
		if err := wait.Wait(ctx); err != nil {
			return err
		}
	}
}

// answers reports whether the server answers at all, and knows us.
func (r *receiver) answers(ctx context.Context) bool {
	var me user
	return r.c.client.call(ctx, http.MethodGet, "/users/me", nil, &me) == nil && me.ID == r.reader.me.ID
}

// hopeless are ids about which a server does not answer.
type hopeless struct {
	mu  sync.Mutex // guards all
	all map[string]time.Time
}

// mostHopeless bounds what is remembered.
const mostHopeless = 1000

func (h *hopeless) has(id string, now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return now.Before(h.all[id])
}

func (h *hopeless) add(id string, until time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all == nil || len(h.all) >= mostHopeless {
		h.all = make(map[string]time.Time)
	}
	h.all[id] = until
}

func (h *hopeless) forget(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.all, id)
}

// channel returns what a channel is.
func (r *receiver) channel(ctx context.Context, id string) (channel, error) {
	var ch channel
	err := r.persist(ctx, id, func() (err error) { ch, err = r.c.dir.channel(ctx, id); return err })
	if err == nil && ch.ID == "" {
		err = errors.New("channel: not open to us")
	}
	return ch, err
}

// deleted delivers that a post was deleted.
func (r *receiver) deleted(ctx context.Context, it item) error {
	p, err := parsePost(it.frame.text("post"))
	if err != nil || !r.reader.concern(p) {
		return err
	}
	ch, err := r.channel(ctx, p.ChannelID)
	if err != nil {
		return err
	}
	author, err := r.c.dir.user(ctx, p.UserID)
	if err != nil {
		author = user{ID: p.UserID}
	}
	e, err := r.reader.deletion(p, ch, author)
	if err != nil {
		return err
	}
	return r.deliver(ctx, e)
}

// reacted delivers that somebody shows an emoji, or no longer.
func (r *receiver) reacted(ctx context.Context, it item) error {
	var re reaction
	if json.Unmarshal([]byte(it.frame.text("reaction")), &re) != nil || !isID(re.PostID) || !isID(re.UserID) {
		return errors.New("reaction: not of the expected form")
	}
	if re.UserID == r.reader.me.ID {
		return nil
	}
	ch, err := r.channel(ctx, it.chat)
	if err != nil {
		return err
	}
	p := post{ID: re.PostID, ChannelID: it.chat}
	err = r.persist(ctx, re.PostID, func() error {
		known, err := r.c.dir.root(ctx, re.PostID)
		if err == nil && known.ID != "" {
			p.RootID = known.RootID
		}
		return err
	})
	if err != nil {
		return err
	}
	who, err := r.c.dir.user(ctx, re.UserID)
	if err != nil {
		who = user{ID: re.UserID}
	}
	e, err := r.reader.reaction(re, it.frame.event == "reaction_removed", it.key, p, ch, who)
	if err != nil {
		return err
	}
	return r.deliver(ctx, e)
}

// member delivers what became of us in a chat.
func (r *receiver) member(ctx context.Context, it item) error {
	f, change := it.frame, channels.ChangeJoined
	who := f.text("user_id")
	switch f.event {
	case "user_added":
		if who != r.reader.me.ID {
			return nil
		}
	case "user_removed":
		if who != r.reader.me.ID && f.person != r.reader.me.ID {
			return nil
		}
		change = channels.ChangeRemoved
	case "channel_deleted":
		change = channels.ChangeMuted
	}
	ch := channel{ID: it.chat, TeamID: f.text("team_id")}
	if known, err := r.c.dir.channel(ctx, it.chat); err == nil {
		ch = known
	}
	if change == channels.ChangeRemoved {
		r.c.dir.leave(it.chat)
	}
	e, err := r.reader.membership(it.key, change, ch, channels.Actor{Kind: channels.System})
	if err != nil {
		return err
	}
	return r.deliver(ctx, e)
}

// deliver hands e over until it is durable, or until ctx ends and then returns
// its error.
func (r *receiver) deliver(ctx context.Context, e channels.Event) error {
	err := channels.Persist(ctx, r.in, e, r.c.opts.Retry, func(err error) {
		if r.c.health.unstored(r.c.opts.Now()) {
			r.c.log.Error("events are not stored, they will be delivered again", "err", err)
		}
	})
	if err == nil {
		r.c.health.stored()
	}
	return err
}
