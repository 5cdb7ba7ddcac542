package mattermost

import (
	"net/http"
	"sync"
	"time"

	"outheis/channels"
)

// A troubleKind is why nothing is received.
type troubleKind int

const (
	troubleNone troubleKind = iota
	troubleUnreached
	troubleServer // 5xx, 429, answers that cannot be read
	troubleForeign
	troubleToken
)

// trouble returns what a failed connection means.
func trouble(f *failure) troubleKind {
	switch f.kind {
	case unreached, unanswered:
		return troubleUnreached
	case foreign:
		return troubleForeign
	}
	if f.code == http.StatusUnauthorized {
		return troubleToken
	}
	return troubleServer
}

const (
	// longSilence is after how much silence a channel is red. The connection is
	// tried far more often.
	longSilence = 75 * time.Second
	// toldFor is for how long it is told that a catch-up was cut short.
	toldFor = 15 * time.Minute
)

// health is judged by what is received: events, answers to pings over the
// websocket, a catch-up that was completed. That a connection is open or that
// sending works says nothing.
type health struct {
	mu       sync.Mutex // guards the fields below
	started  time.Time
	received time.Time
	trouble  troubleKind
	detail   string
	cut      time.Time                // when a catch-up was cut short
	refused  time.Time                // when the store first refused an event; zero when it takes them
	left     time.Time                // when an event was delivered incomplete, or skipped
	unread   time.Time                // when the cursor could not be read
	working  map[*time.Time]time.Time // since when lanes have been busy with one event
	dead     string                   // why the listener has ended; "" while it serves
	buttons  string                   // why buttons do not work; "" when they do, or are not wanted
}

func (h *health) start(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started, h.dead = now, ""
}

// up notes that a connection stands and everything before it was asked for.
func (h *health) up(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.received, h.trouble, h.detail = now, troubleNone, ""
}

func (h *health) receive(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.received = now
}

// fail notes a failure and reports whether it is news.
func (h *health) fail(now time.Time, t troubleKind, f *failure) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	news := h.trouble != t
	h.trouble, h.detail = t, f.text
	return news
}

func (h *health) capped(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cut = now
}

// forgot notes that it is not known how far we have read.
func (h *health) forgot(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unread = now
}

// remembers notes that it could be read after all.
func (h *health) remembers() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unread = time.Time{}
}

// skip notes that an event was delivered incomplete, or left out.
func (h *health) skip(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.left = now
}

// work notes that an event is begun with, until done is called.
func (h *health) work(now time.Time) (done func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.working == nil {
		h.working = make(map[*time.Time]time.Time)
	}
	id := &now
	h.working[id] = now
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.working, id)
	}
}

// stuck reports whether one event has held up its chat for long; h.mu is held.
func (h *health) stuck(now time.Time) bool {
	for _, since := range h.working {
		if now.Sub(since) > longSilence {
			return true
		}
	}
	return false
}

// deaf notes that the listener has ended.
func (h *health) deaf(why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dead = why
}

// callback notes why buttons do not work, or "" when they do.
func (h *health) callback(why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.buttons = why
}

func (h *health) stored() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refused = time.Time{}
}

// unstored notes that an event was refused and reports whether it is news.
func (h *health) unstored(now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	news := h.refused.IsZero()
	if news {
		h.refused = now
	}
	return news
}

// Health implements [channels.Prober]. Yellow is a connection that failed or
// is late, a catch-up that was cut short, or buttons that find no way back;
// red is what an administrator must look at: a token that is not known or a
// disabled account, events that cannot be stored, or nothing received for more
// than a minute.
func (c *Channel) Health() channels.Health {
	h := &c.health
	h.mu.Lock()
	defer h.mu.Unlock()
	out := channels.Health{Received: h.received}
	now := c.opts.Now()
	silence := now.Sub(h.started)
	if h.received.After(h.started) {
		silence = now.Sub(h.received)
	}
	grace := 2 * c.opts.Ping
	say := c.texts.Say
	switch {
	case h.started.IsZero():
		out.State = channels.Starting
	case h.trouble == troubleToken:
		out.State = channels.Red
		out.Reason, out.Remedy = say("mattermost.token_wrong"), say("mattermost.token_wrong_remedy")
	case !h.refused.IsZero():
		out.State = channels.Red
		out.Reason, out.Remedy = say("mattermost.not_stored"), say("mattermost.not_stored_remedy")
	case h.trouble == troubleNone && h.received.IsZero() && silence <= grace:
		out.State = channels.Starting
	case h.trouble != troubleNone || silence > grace:
		out.State = channels.Yellow
		if silence > longSilence {
			out.State = channels.Red
		}
		out.Reason, out.Remedy = c.silent(h.trouble, h.detail)
	case h.stuck(now):
		out.State = channels.Red
		out.Reason, out.Remedy = say("mattermost.stuck"), say("mattermost.server_remedy")
	case !h.unread.IsZero() && now.Sub(h.unread) < toldFor:
		out.State = channels.Yellow
		out.Reason, out.Remedy = say("mattermost.forgotten"), say("mattermost.forgotten_remedy")
	case h.dead != "":
		out.State = channels.Red
		out.Reason, out.Remedy = say("mattermost.listener_ended", h.dead), say("mattermost.listen_remedy", c.opts.Listen)
	case h.buttons != "":
		out.State = channels.Yellow
		out.Reason, out.Remedy = say("mattermost.callback", h.buttons), say("mattermost.callback_remedy")
	case !h.cut.IsZero() && now.Sub(h.cut) < toldFor:
		out.State = channels.Yellow
		out.Reason, out.Remedy = say("mattermost.capped"), say("mattermost.capped_remedy")
	case !h.left.IsZero() && now.Sub(h.left) < toldFor:
		out.State = channels.Yellow
		out.Reason, out.Remedy = say("mattermost.left_out"), say("mattermost.left_out_remedy")
	default:
		out.State = channels.Green
	}
	return out
}

// silent returns why nothing is received, and what to do about it.
func (c *Channel) silent(t troubleKind, detail string) (reason, remedy string) {
	say := c.texts.Say
	switch t {
	case troubleUnreached:
		return say("mattermost.unreached", detail), say("mattermost.unreached_remedy")
	case troubleForeign:
		return say("mattermost.foreign", detail), say("mattermost.foreign_remedy")
	case troubleServer:
		return say("mattermost.server", detail), say("mattermost.server_remedy")
	}
	return say("mattermost.silent"), say("mattermost.unreached_remedy")
}
