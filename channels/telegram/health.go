package telegram

import (
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
	troubleConflict
	troubleWebhook
	troubleToken
	troubleHook   // Telegram cannot bring updates to the webhook
	troubleListen // the webhook cannot listen
)

// trouble returns what a failed request for updates means.
func trouble(f *failure) troubleKind {
	if yes, webhook := f.conflict(); webhook {
		return troubleWebhook
	} else if yes {
		return troubleConflict
	}
	switch f.kind {
	case unreached, unanswered:
		return troubleUnreached
	case foreign:
		return troubleForeign
	}
	return troubleServer
}

// health is judged by what is received: a request for updates that returned.
// That a connection is open or that sending works says nothing.
type health struct {
	mu         sync.Mutex // guards the fields below
	started    time.Time
	received   time.Time
	trouble    troubleKind
	detail     string
	ahead      time.Duration // of our clock before the server's; 0 when they agree
	offset     time.Duration // the same, as it was measured
	conflicted time.Time     // the last conflict
	hidden     bool          // privacy mode keeps from us what should be answered
	refused    time.Time     // when the store first refused an event; zero when it takes them
}

func (h *health) start(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.started = now
}

func (h *health) receive(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.received, h.trouble, h.detail = now, troubleNone, ""
}

// clockRange is how far two clocks may be apart that agree: an answer is on its
// way for a while.
const clockRange = time.Minute

// compare notes what our clock says when the server's says date.
func (h *health) compare(now, date time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.offset = now.Sub(date)
	if h.ahead = h.offset; h.ahead.Abs() < clockRange {
		h.ahead = 0
	}
}

// clock returns a time of ours on the server's clock.
func (h *health) clock(t time.Time) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return t.Add(-h.offset)
}

// fail notes a failure and reports whether it is news.
func (h *health) fail(now time.Time, t troubleKind, f *failure) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	news := h.trouble != t
	h.trouble, h.detail = t, f.text
	if t == troubleConflict {
		h.conflicted = now
	}
	return news
}

// conflict notes that another program has changed where updates go.
func (h *health) conflict(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.conflicted = now
}

// privacy notes whether privacy mode keeps messages from us.
func (h *health) privacy(hidden bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hidden = hidden
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

// Health implements [channels.Prober]. Yellow is a request that failed or is
// late, red is what an administrator must look at: a wrong token, somebody else
// who takes the updates, events that cannot be stored, or nothing received for
// two long polls.
func (c *Channel) Health() channels.Health {
	h := &c.health
	h.mu.Lock()
	defer h.mu.Unlock()
	out := channels.Health{Received: h.received, Ahead: h.ahead}
	now := c.opts.Now()
	silence := now.Sub(h.started)
	if h.received.After(h.started) {
		silence = now.Sub(h.received)
	}
	say := c.texts.Say
	switch {
	case h.started.IsZero():
		out.State = channels.Starting
	case h.trouble == troubleToken:
		out.State = channels.Red
		out.Reason, out.Remedy = say("telegram.token_wrong"), say("telegram.token_wrong_remedy")
	case h.trouble == troubleWebhook:
		out.State = channels.Red
		out.Reason, out.Remedy = say("telegram.webhook"), say("telegram.webhook_remedy")
	case h.trouble == troubleHook:
		out.State = channels.Red
		out.Reason, out.Remedy = say("telegram.hook", h.detail), say("telegram.hook_remedy")
	case h.trouble == troubleListen:
		out.State = channels.Red
		out.Reason, out.Remedy = say("telegram.listen", h.detail), say("telegram.listen_remedy")
	case h.trouble == troubleConflict, !h.conflicted.IsZero() && now.Sub(h.conflicted) < c.opts.Poll:
		out.State = channels.Red
		out.Reason, out.Remedy = say("telegram.conflict"), say("telegram.conflict_remedy")
	case !h.refused.IsZero():
		out.State = channels.Red
		out.Reason, out.Remedy = say("telegram.not_stored"), say("telegram.not_stored_remedy")
	case h.trouble == troubleNone && h.received.IsZero() && silence <= c.opts.Poll:
		out.State = channels.Starting
	case h.trouble == troubleNone && silence <= c.opts.Poll+pollGrace && h.hidden:
		out.State = channels.Yellow
		out.Reason, out.Remedy = say("telegram.privacy"), say("telegram.privacy_remedy")
	case h.trouble == troubleNone && silence <= c.opts.Poll+pollGrace:
		out.State = channels.Green
	default:
		out.State = channels.Yellow
		if silence > 2*c.opts.Poll {
			out.State = channels.Red
		}
		out.Reason, out.Remedy = c.silent(h.trouble, h.detail)
	}
	return out
}

// silent returns why nothing is received, and what to do about it.
func (c *Channel) silent(t troubleKind, detail string) (reason, remedy string) {
	say := c.texts.Say
	switch t {
	case troubleUnreached:
		return say("telegram.unreached", detail), say("telegram.unreached_remedy")
	case troubleForeign:
		return say("telegram.foreign", detail), say("telegram.foreign_remedy")
	case troubleServer:
		return say("telegram.server", detail), say("telegram.server_remedy")
	}
	return say("telegram.silent"), say("telegram.unreached_remedy")
}
