package mattermost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

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
// concern, not to be understood, or when ctx has ended.
func (r *receiver) handle(ctx context.Context, it item) {
	var err error
	if it.reached > 0 {
		r.marks.reach(it.chat, it.reached)
		return
	}
	switch it.frame.event {
	case "":
		if it.post == nil {
			return
		}
		err = r.caughtUp(ctx, it)
	case "posted":
		err = r.posted(ctx, it)
	case "post_edited":
		err = r.edited(ctx, it)
	case "post_deleted":
		err = r.deleted(ctx, it)
	case "reaction_added", "reaction_removed":
		err = r.reacted(ctx, it)
	default:
		err = r.member(ctx, it)
	}
	if err != nil && ctx.Err() == nil {
		r.c.log.Warn("event skipped", "event", it.frame.event, "chat", it.chat, "err", safeText(err.Error(), ""))
	}
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
		if err := r.persist(ctx, func() (err error) { t.root, err = r.c.dir.root(ctx, p.RootID); return err }); err != nil {
			return err
		}
	}
	// Some events come before the server has joined the files to the post.
	if len(p.FileIDs.value) == 0 && p.Message == "" || len(files(*p)) > len(p.Metadata.value.Files) {
		return r.persist(ctx, func() error { return r.refetch(ctx, p) })
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

// persist repeats a question until the server has answered it: with what was
// asked for, or with a refusal, which is no error. Another error is ctx's.
func (r *receiver) persist(ctx context.Context, ask func() error) error {
	wait := r.c.opts.Retry
	for {
		err := ask()
		var f *failure
		if err == nil || errors.As(err, &f) && (f.gone() || f.wrongToken()) {
			return nil
		}
		r.c.log.Debug("asking again", "err", err)
		if err := wait.Wait(ctx); err != nil {
			return err
		}
	}
}

// channel returns what a channel is.
func (r *receiver) channel(ctx context.Context, id string) (channel, error) {
	var ch channel
	err := r.persist(ctx, func() (err error) { ch, err = r.c.dir.channel(ctx, id); return err })
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
	err = r.persist(ctx, func() error {
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
	wait := r.c.opts.Retry
	for {
		err := r.in(ctx, e)
		if err == nil {
			r.c.health.stored()
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if r.c.health.unstored(r.c.opts.Now()) {
			r.c.log.Error("events are not stored, they will be delivered again", "err", err)
		}
		if err := wait.Wait(ctx); err != nil {
			return err
		}
	}
}
