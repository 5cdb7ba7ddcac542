package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"outheis/channels"
)

const (
	// lookBack is how many messages are searched for one that may have arrived.
	lookBack = 50
	// firstTry is how long ago the first try of a post may be that was begun
	// before the program started and answers nothing by which to tell.
	firstTry = 15 * time.Minute
	// triesKept is how many posts are remembered.
	triesKept = 1024
)

// arrived looks for a message of ours that says the same as o, to find out
// whether an earlier try arrived. It has to be younger than what it answers, or
// than the first try, and must not be known as another post: the same words are
// said to many questions, and notices repeat themselves. Not finding it is no
// proof, but for what was sent minutes ago there is no better one. An error says
// that it could not be looked for; where we may not read it never can, and that
// is none.
func (c *Channel) arrived(ctx context.Context, channel string, p channels.Post, o outgoing, file *filePart) (string, error) {
	var page []json.RawMessage
	err := c.get(ctx, "look for a message", fmt.Sprintf("/channels/%s/messages?limit=%d", channel, lookBack), &page)
	var f *failure
	if errors.As(err, &f) && f.kind == answered && (f.status == http.StatusForbidden || f.status == http.StatusNotFound) {
		c.log.Debug("it is not known whether a message arrived", "err", err)
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if err := c.identify(ctx); err != nil {
		return "", err
	}
	me, after := c.whoami().user, c.earliest(p, o.Nonce)
	found := ""
	for _, raw := range page {
		var m message
		if json.Unmarshal(raw, &m) != nil || idOf(raw) <= after || m.Author == nil || m.Author.ID != me || m.Content == nil {
			continue
		}
		switch {
		case *m.Content != o.Content, o.Reference != nil && o.Reference.MessageID != m.Reference.value.MessageID:
		case file != nil && (len(m.Attachments.value) != 1 || m.Attachments.value[0].Size.value != file.size):
		case file == nil && len(m.Attachments.value) > 0:
		case m.Action.value.ID != "" && p.To.Private() != answerTo+m.Action.value.ID:
		case c.sent.isOther(m.ID, o.Nonce):
		case m.Action.value.ID != "":
			return m.ID, nil // by the interaction that it answers
		case found == "":
			found = m.ID
		}
	}
	return found, nil
}

// earliest returns an id than which every try of p is younger.
func (c *Channel) earliest(p channels.Post, nonce string) uint64 {
	for _, prefix := range []string{asked, answerTo, replyTo} {
		if s, ok := strings.CutPrefix(p.To.Private(), prefix); ok {
			if id, err := parseID(s); err == nil {
				return id
			}
		}
	}
	first, known := c.sent.first(nonce)
	if !known {
		first = c.health.clock(c.opts.Now()).Add(-firstTry)
	}
	return idAt(first.Add(-clockRange)) // two clocks never agree quite
}

// tries are the posts that were sent lately.
type tries struct {
	mu    sync.Mutex // guards the fields below
	begun map[string]time.Time
	posts map[string]string // nonces by message
	order []string          // of the nonces, the oldest first
	ends  []string          // of the messages
}

func newTries() *tries {
	return &tries{begun: make(map[string]time.Time), posts: make(map[string]string)}
}

// begin notes the first try of a post.
func (t *tries) begin(nonce string, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.begun[nonce]; known {
		return
	}
	if len(t.order) >= triesKept {
		delete(t.begun, t.order[0])
		t.order = t.order[1:]
	}
	t.begun[nonce] = at
	t.order = append(t.order, nonce)
}

// end notes the message that a post has become.
func (t *tries) end(nonce, message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.posts[message]; known {
		return
	}
	if len(t.ends) >= triesKept {
		delete(t.posts, t.ends[0])
		t.ends = t.ends[1:]
	}
	t.posts[message] = nonce
	t.ends = append(t.ends, message)
}

// first returns when a post was first tried, if that was since the start.
func (t *tries) first(nonce string) (time.Time, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, ok := t.begun[nonce]
	return at, ok
}

// isOther reports whether a message is known to be another post.
func (t *tries) isOther(message, nonce string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	known, ok := t.posts[message]
	return ok && known != nonce
}
