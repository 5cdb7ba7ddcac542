package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

const (
	// pageSize is how many messages one request returns, the most that Discord
	// allows.
	pageSize = 100
	// fillTries is how often one channel is asked for its messages before it is
	// left alone, so that it does not hold back what comes now.
	fillTries = 8
)

// fill lets a channel be caught up with, in its lane: what comes meanwhile waits
// behind.
func (r *receiver) fill(channel string, at place) {
	r.mu.Lock()
	r.fills++
	r.mu.Unlock()
	r.lanes.fill(channel, func(ctx context.Context) {
		// The only error is the end of the context; the marks stay where they are.
		_ = with(ctx, r.lanes.fetch, func() error { return r.catchUp(ctx, channel, at) })
		if ctx.Err() != nil {
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.fills--
	})
}

// catchUp delivers the messages of a channel that were written after what we
// have of it, oldest first, within the bounds of Options.
func (r *receiver) catchUp(ctx context.Context, channel string, at place) error {
	after := r.c.marks.after(channel)
	if oldest := idAt(r.c.opts.Now().Add(-r.c.opts.CatchUpAge)); oldest > after {
		r.c.skipped(channel, "older than "+r.c.opts.CatchUpAge.String())
		after = oldest
	}
	for read := 0; read < r.c.opts.CatchUpMessages; {
		want := min(pageSize, r.c.opts.CatchUpMessages-read)
		page, err := r.page(ctx, channel, after, want)
		if err != nil {
			return err
		}
		for _, raw := range page {
			m, id, err := decodeMessage(raw)
			if err != nil {
				r.c.log.Warn("message skipped", "chat", channel, "err", err)
				continue
			}
			after = max(after, id)
			m.ChannelID = channel
			r.c.marks.came(channel, at.direct(), id)
			r.take(ctx, m, id, at.guild)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		read += len(page)
		if len(page) < want {
			return nil
		}
	}
	r.c.skipped(channel, fmt.Sprintf("more than %d", r.c.opts.CatchUpMessages))
	return nil
}

// skipped tells that not everything was read.
func (c *Channel) skipped(channel, why string) {
	c.health.skipped(c.opts.Now())
	c.log.Warn("missed messages are left out", "chat", channel, "why", why)
}

// page asks for the messages of a channel after one, oldest first. An empty page
// is also what a channel has that we may not read. The error is that of the
// context.
func (r *receiver) page(ctx context.Context, channel string, after uint64, n int) ([]json.RawMessage, error) {
	wait := r.c.opts.Retry
	path := fmt.Sprintf("/channels/%s/messages?after=%d&limit=%d", channel, after, n)
	for try := 1; ; try++ {
		var page []json.RawMessage
		err := r.c.get(ctx, "read missed messages", path, &page)
		switch {
		case err == nil:
			slices.SortStableFunc(page, byID)
			return page, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case permanent(err):
			r.c.log.Debug("no missed messages", "chat", channel, "err", err)
			return nil, nil
		case try >= fillTries:
			r.c.skipped(channel, "they cannot be read")
			return nil, nil
		}
		var f *failure
		if errors.As(err, &f) && f.status == http.StatusTooManyRequests && f.after > 0 {
			try--
			err = pause(ctx, min(f.after, time.Minute))
		} else {
			err = wait.Wait(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
}

// byID sorts messages, which come in no order to rely on.
func byID(a, b json.RawMessage) int {
	return cmp.Compare(idOf(a), idOf(b))
}

func idOf(raw json.RawMessage) uint64 {
	var m struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(raw, &m) != nil {
		return 0
	}
	id, err := parseID(m.ID)
	if err != nil {
		return 0
	}
	return id
}
