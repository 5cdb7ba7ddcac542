package discord

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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

// A debt is a channel whose missed messages could not be read yet.
type debt struct {
	at    place
	last  uint64
	tried bool // in vain
}

// fill lets a channel be caught up with, in its lane: what comes meanwhile waits
// behind. Last is the channel's last message as Discord says, or 0; it may be
// one that was deleted. Found, unless nil, is called when messages were there
// that had not come by themselves.
//
// A channel that cannot be read stays owed: its mark does not move until it was
// read, and it is tried again with each look around.
func (r *receiver) fill(channel string, at place, last uint64, found func()) {
	r.mu.Lock()
	r.fills++
	_, again := r.owed[channel]
	r.mu.Unlock()
	tries := fillTries
	if again {
		tries = 1 // what comes now has waited for it before
	}
	put := r.lanes.fill(channel, func(ctx context.Context) {
		// Owed from the start: neither a panic nor the end counts as read.
		r.owe(channel, debt{at, last, again})
		contained(r.c.log, func() { r.pay(ctx, channel, debt{at, last, again}, tries, found) })
		if d, owed := r.debts()[channel]; owed && ctx.Err() == nil {
			d.tried = true
			r.owe(channel, d)
		}
		r.filled()
	})
	if !put {
		r.filled()
	}
}

// pay catches up with a channel that is owed.
func (r *receiver) pay(ctx context.Context, channel string, d debt, tries int, found func()) {
	err := with(ctx, r.lanes.fetch, func() error {
		fresh, upTo, err := r.catchUp(ctx, channel, d.at, tries)
		if err != nil {
			return err
		}
		r.settle(channel)
		r.c.marks.read(channel, d.at.direct(), max(d.last, upTo))
		if fresh > 0 && found != nil {
			found()
		}
		return nil
	})
	if err != nil && ctx.Err() == nil && tries > 1 {
		r.c.log.Warn("missed messages cannot be read yet", "chat", channel, "err", err)
	}
}

// filled says that one channel less is being caught up with.
func (r *receiver) filled() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fills--
}

// owe notes that a channel has to be read, and holds its mark.
func (r *receiver) owe(channel string, d debt) {
	r.c.marks.hold(channel)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.owed[channel] = d
	r.tellDebts()
}

// settle says that a channel was read.
func (r *receiver) settle(channel string) {
	r.c.marks.letGo(channel)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.owed, channel)
	r.tellDebts()
}

// tellDebts lets health say what was tried in vain. The caller holds the mutex.
func (r *receiver) tellDebts() {
	n := 0
	for _, d := range r.owed {
		if d.tried {
			n++
		}
	}
	r.c.health.owes(n)
}

// debts returns the channels that are owed.
func (r *receiver) debts() map[string]debt {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.owed)
}

// catchUp delivers the messages of a channel that were written after what we
// have of it, oldest first, within the bounds of Options; of too many the newest
// are kept, for which somebody may still wait. It returns how many of them had
// not come otherwise, and up to where the channel was read.
func (r *receiver) catchUp(ctx context.Context, channel string, at place, tries int) (fresh int, upTo uint64, err error) {
	after := r.c.marks.after(channel)
	if oldest := idAt(r.c.health.clock(r.c.opts.Now()).Add(-r.c.opts.CatchUpAge)); oldest > after {
		first, err := r.page(ctx, channel, fmt.Sprintf("after=%d", after), 1, tries)
		if err != nil {
			return 0, 0, err
		}
		if len(first) > 0 && idOf(first[0]) < oldest {
			r.c.skipped(channel, "older than "+r.c.opts.CatchUpAge.String())
		}
		after = oldest
	}
	missed, err := r.missed(ctx, channel, after, tries)
	if err != nil {
		return 0, 0, err
	}
	for _, raw := range missed {
		m, id, err := decodeMessage(raw)
		if err != nil {
			r.c.log.Warn("message skipped", "chat", channel, "err", err)
			continue
		}
		upTo = max(upTo, id)
		m.ChannelID = channel
		r.c.marks.came(channel, at.direct(), id)
		if r.take(ctx, m, id, at.guild) {
			fresh++
		}
		if ctx.Err() != nil {
			return fresh, upTo, ctx.Err()
		}
	}
	return fresh, upTo, nil
}

// missed returns the messages of a channel after one, oldest first: the newest
// ones when there are too many.
func (r *receiver) missed(ctx context.Context, channel string, after uint64, tries int) ([]json.RawMessage, error) {
	all, err := r.page(ctx, channel, fmt.Sprintf("after=%d", after), pageSize, tries)
	if err != nil || len(all) < pageSize && len(all) <= r.c.opts.CatchUpMessages {
		return all, err
	}
	// There may be too many: they are read from the newest on.
	all = nil
	query := ""
	for {
		page, err := r.page(ctx, channel, query, pageSize, tries)
		if err != nil {
			return nil, err
		}
		full := len(page) >= pageSize
		if len(page) > 0 {
			query = fmt.Sprintf("before=%d", idOf(page[0]))
		}
		fresh := slices.DeleteFunc(page, func(raw json.RawMessage) bool { return idOf(raw) <= after })
		full = full && len(fresh) >= pageSize
		all = append(fresh, all...)
		if most := r.c.opts.CatchUpMessages; len(all) > most {
			r.c.skipped(channel, fmt.Sprintf("more than %d", most))
			return all[len(all)-most:], nil
		}
		if !full {
			return all, nil
		}
	}
}

// skipped tells that not everything was read.
func (c *Channel) skipped(channel, why string) {
	c.log.Warn("missed messages are left out", "chat", channel, "why", why)
	c.health.skipped(c.opts.Now())
}

// page asks for n messages of a channel, oldest first: the newest ones, or those
// of a query. An empty page is also what a channel has that we may not read. Any
// other failure is an error, that of the context when it has ended.
func (r *receiver) page(ctx context.Context, channel, query string, n, tries int) ([]json.RawMessage, error) {
	wait := r.c.opts.Retry
	path := fmt.Sprintf("/channels/%s/messages?limit=%d", channel, n)
	if query != "" {
		path += "&" + query
	}
	for try := 1; ; try++ {
		var page []json.RawMessage
		err := r.c.get(ctx, "read missed messages", path, &page)
		var f *failure
		switch {
		case err == nil:
			slices.SortStableFunc(page, byID)
			return page, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, &f) && f.kind == answered && (f.status == http.StatusForbidden || f.status == http.StatusNotFound):
			r.c.log.Debug("no missed messages", "chat", channel, "err", err)
			return nil, nil
		case permanent(err), try >= tries:
			return nil, err
		}
		if f != nil && f.status == http.StatusTooManyRequests && f.after > 0 {
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
	for channel, d := range r.debts() {
		r.fill(channel, d.at, d.last, nil)
	}
	if !r.quiet() || len(r.lanes.room) > 0 {
		return // it is known that something is missing, or waits
	}
	asked := make(map[string]bool)
	for _, channel := range slices.Concat(r.c.marks.recent(looked), r.places.some(others)) {
		if _, owed := r.debts()[channel]; owed || asked[channel] {
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
