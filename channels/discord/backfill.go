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

	"github.com/bwmarrin/discordgo"

	"outheis/channels"
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
// behind. Last is the channel's last message as Discord says, or 0; it may be
// one that was deleted. Found, unless nil, is called when messages were there
// that had not come by themselves.
func (r *receiver) fill(channel string, at place, last uint64, found func()) {
	r.mu.Lock()
	r.fills++
	r.mu.Unlock()
	put := r.lanes.fill(channel, func(ctx context.Context) {
		err := with(ctx, r.lanes.fetch, func() error {
			fresh, all, err := r.catchUp(ctx, channel, at)
			if err == nil && all {
				r.c.marks.read(channel, at.direct(), last)
			}
			if err == nil && fresh > 0 && found != nil {
				found()
			}
			return err
		})
		if err != nil {
			return // only at the end; the marks stay where they are
		}
		r.filled()
	})
	if !put {
		r.filled()
	}
}

// filled says that one channel less is being caught up with.
func (r *receiver) filled() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fills--
}

// catchUp delivers the messages of a channel that were written after what we
// have of it, oldest first, within the bounds of Options. It returns how many
// of them had not come otherwise, and whether these were all.
func (r *receiver) catchUp(ctx context.Context, channel string, at place) (fresh int, all bool, err error) {
	after := r.c.marks.after(channel)
	if oldest := idAt(r.c.health.clock(r.c.opts.Now()).Add(-r.c.opts.CatchUpAge)); oldest > after {
		first, err := r.page(ctx, channel, after, 1)
		if err != nil {
			return 0, false, err
		}
		if len(first) > 0 && idOf(first[0]) < oldest {
			r.c.skipped(channel, "older than "+r.c.opts.CatchUpAge.String())
		}
		after = oldest
	}
	for read := 0; read < r.c.opts.CatchUpMessages; {
		want := min(pageSize, r.c.opts.CatchUpMessages-read)
		page, err := r.page(ctx, channel, after, want)
		if err != nil {
			return fresh, false, err
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
			if r.take(ctx, m, id, at.guild) {
				fresh++
			}
			if ctx.Err() != nil {
				return fresh, false, ctx.Err()
			}
		}
		read += len(page)
		if len(page) < want {
			return fresh, true, nil
		}
	}
	r.c.skipped(channel, fmt.Sprintf("more than %d", r.c.opts.CatchUpMessages))
	return fresh, false, nil
}

// skipped tells that not everything was read.
func (c *Channel) skipped(channel, why string) {
	c.log.Warn("missed messages are left out", "chat", channel, "why", why)
	c.health.skipped(c.opts.Now())
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
			err = channels.Pause(ctx, min(f.after, time.Minute))
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

const (
	// looked is how many channels are compared with what came, each time: those
	// in which something was written last, and some others.
	looked, others = 4, 2
	// settling is how old a message must be that should have come.
	settling = 20 * time.Second
)

// lookAround compares the last messages of some channels with what came. A
// session can live, with heartbeats answered, and bring nothing; then the
// messages are fetched and found is called.
func (r *receiver) lookAround(ctx context.Context, found func()) {
	if r.complete().IsZero() || len(r.lanes.room) > 0 {
		return // it is known that something is missing, or waits
	}
	asked := make(map[string]bool)
	for _, channel := range slices.Concat(r.c.marks.recent(looked), r.places.some(others)) {
		if asked[channel] {
			continue
		}
		asked[channel] = true
		at, known := r.places.known(channel)
		if !known {
			if !r.c.marks.isDirect(channel) {
				continue
			}
			at = place{kind: discordgo.ChannelTypeDM}
		}
		var one room
		if err := r.c.get(ctx, "read a channel", "/channels/"+channel, &one); err != nil {
			continue // what concerns all channels shows elsewhere
		}
		last, err := parseID(one.Last.value)
		if err != nil || r.c.marks.knows(channel, last) || r.c.health.clock(r.c.opts.Now()).Sub(madeAt(last)) < r.c.times.settle {
			continue
		}
		r.fill(channel, at, last, func() {
			r.c.log.Warn("messages did not come by themselves", "chat", channel)
			found()
		})
	}
}
