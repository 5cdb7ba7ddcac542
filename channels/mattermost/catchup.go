package mattermost

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"
)

const (
	pageSize = 200 // the most that a server gives at once
	// mostCaught and oldestCaught bound a catch-up of one chat: how many posts,
	// and how old they may be. What is left out is told.
	mostCaught   = 1000
	oldestCaught = 7 * 24 * time.Hour
	// editSlack is how long before the server was last heard a chat must have
	// been silent for its last posts not to be looked at again: one of them may
	// have been edited.
	editSlack = 2 * time.Minute
)

// catchUp hands over what was posted since the marks, chat by chat, including
// chats that are new. It is called with nothing else put into the lanes.
func (r *receiver) catchUp(ctx context.Context) error {
	asked := r.c.serverNow()
	all, err := r.channels(ctx)
	if err != nil {
		return err
	}
	r.c.dir.know(all)
	heard, base := r.marks.heard(), int64(0)
	for _, ch := range all {
		base = max(base, min(ch.LastPostAt, asked))
		at, _ := r.marks.since(ch.ID)
		if ch.LastPostAt <= at && ch.LastPostAt < heard-editSlack.Milliseconds() {
			continue
		}
		if err := r.catchUpChat(ctx, ch); err != nil {
			return err
		}
	}
	r.marks.raise(base)
	r.caught = r.c.opts.Now()
	r.c.health.receive(r.caught)
	r.marks.hear(r.caught)
	return nil
}

// channels returns all chats in which we are, of all teams and direct ones.
func (r *receiver) channels(ctx context.Context) ([]channel, error) {
	var all []channel
	err := r.c.client.call(ctx, http.MethodGet, "/users/me/channels", nil, &all)
	var f *failure
	if errors.As(err, &f) && f.code == http.StatusNotFound {
		all, err = r.channelsByTeam(ctx) // a server before 6.1
	}
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(ch channel) bool { return !isID(ch.ID) || ch.DeleteAt != 0 })
	slices.SortFunc(all, func(a, b channel) int { return cmp.Compare(a.LastPostAt, b.LastPostAt) })
	return all, nil
}

func (r *receiver) channelsByTeam(ctx context.Context) ([]channel, error) {
	var teams []team
	if err := r.c.client.call(ctx, http.MethodGet, "/users/me/teams", nil, &teams); err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	var all []channel
	for _, t := range teams {
		var some []channel
		if err := r.c.client.call(ctx, http.MethodGet, "/users/me/teams/"+url.PathEscape(t.ID)+"/channels", nil, &some); err != nil {
			return nil, err
		}
		for _, ch := range some {
			if !seen[ch.ID] {
				seen[ch.ID] = true
				all = append(all, ch)
			}
		}
	}
	return all, nil
}

// catchUpChat hands over what is missing of one chat, oldest first.
func (r *receiver) catchUpChat(ctx context.Context, ch channel) error {
	posts, capped, err := r.missing(ctx, ch.ID)
	var f *failure
	if errors.As(err, &f) && f.gone() {
		return nil // we have been taken out of it meanwhile
	}
	if err != nil {
		return err
	}
	if capped {
		r.c.log.Warn("catching up was cut short, older messages are not answered", "chat", ch.ID, "kept", len(posts))
		r.c.health.capped(r.c.opts.Now())
	}
	r.marks.begin(ch.ID)
	for i := range posts {
		if err := r.lanes.put(ctx, item{chat: ch.ID, post: &posts[i], channel: ch}); err != nil {
			return err
		}
	}
	// The last post may have been deleted.
	return r.lanes.put(ctx, item{chat: ch.ID, reached: ch.LastPostAt})
}

// missing returns the posts of a chat since its mark, oldest first. It walks
// back from the newest: paging forwards from a post leaves out others of the
// same millisecond, and asking for what changed since a time gives at most a
// thousand posts and does not say that there are more.
func (r *receiver) missing(ctx context.Context, chat string) (posts []post, capped bool, err error) {
	_, known := r.marks.since(chat)
	from := max(known, r.c.opts.Now().Add(-oldestCaught).UnixMilli())
	seen := make(map[string]bool)
	before, skip := "", 0
	for {
		page, full, err := r.page(ctx, chat, before, skip)
		if err != nil {
			return nil, false, err
		}
		last := from
		for _, p := range page {
			last = p.CreateAt
			if !seen[p.ID] && p.CreateAt >= from {
				seen[p.ID] = true
				posts = append(posts, p)
			}
		}
		slices.SortFunc(posts, older)
		switch {
		case last < from:
			return posts, last >= known, nil
		case !full:
			return posts, false, nil
		case len(posts) > mostCaught:
			return posts[len(posts)-mostCaught:], true, nil
		}
		// The next page begins at a post that is newer than the oldest one, so
		// that none of the oldest one's millisecond is left out.
		next := before
		for _, p := range slices.Backward(page) {
			if p.CreateAt > last {
				next = p.ID
				break
			}
		}
		if next == before {
			skip++
			continue
		}
		before, skip = next, 0
	}
}

func older(a, b post) int {
	return cmp.Or(cmp.Compare(a.CreateAt, b.CreateAt), cmp.Compare(a.ID, b.ID))
}

// page asks for posts of a chat, newest first: those before a post, or the
// last ones. Full says that there may be more.
func (r *receiver) page(ctx context.Context, chat, before string, number int) (posts []post, full bool, err error) {
	path := fmt.Sprintf("/channels/%s/posts?per_page=%d&page=%d", chat, pageSize, number)
	if before != "" {
		path += "&before=" + url.QueryEscape(before)
	}
	var list postList
	if err := r.c.client.call(ctx, http.MethodGet, path, nil, &list); err != nil {
		return nil, false, err
	}
	for _, id := range list.Order {
		var p post
		if json.Unmarshal(list.Posts[id], &p) != nil || !isID(p.ID) || p.ChannelID != chat {
			r.c.log.Warn("post skipped", "id", safeText(id, ""), "err", "not of the expected form")
			continue
		}
		posts = append(posts, p)
	}
	slices.SortStableFunc(posts, func(a, b post) int { return cmp.Compare(b.CreateAt, a.CreateAt) })
	return posts, len(list.Order) >= pageSize, nil
}

// save saves the marks while there is something new, until ctx ends.
func (r *receiver) save(ctx context.Context) {
	if r.c.opts.Cursor == nil {
		return
	}
	tick := time.NewTicker(r.c.saveEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.saveNow()
		}
	}
}

// saveNow saves the marks once.
func (r *receiver) saveNow() {
	if r.c.opts.Cursor == nil {
		return
	}
	raw, err := r.marks.kept()
	if err == nil && raw != nil {
		err = r.c.opts.Cursor.Save(raw)
	}
	if err != nil {
		r.marks.again()
		r.c.log.Error("cursor not saved, after a restart some events will come again", "err", err)
	}
}
