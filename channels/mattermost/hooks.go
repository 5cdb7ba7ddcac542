package mattermost

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mattermost/mattermost/server/public/model"

	"outheis/channels"
)

const (
	// hookLife and hookUses are for how long and how often the server takes an
	// answer to a slash command by its response_url, a little less than it does.
	hookLife  = 25 * time.Minute
	hookUses  = 5
	mostHooks = 10000
)

// A hook is where the answer to a slash command goes that was given in a chat
// in which we are not.
type hook struct {
	path  string // below the server's address; works like a password
	until time.Time
	uses  int
}

// hooks live in memory only: what is in an address must not open anything.
type hooks struct {
	now func() time.Time

	mu  sync.Mutex // guards all
	all map[string]*hook
}

func newHooks(now func() time.Time) *hooks { return &hooks{now: now, all: make(map[string]*hook)} }

// hookMark stands before the name of a hook in the private part of an address,
// which is "c:<name>:<person>".
const hookMark = "c:"

// asker returns the person for whose eyes alone what goes to an address is
// meant, and the name of the hook for it. Ok is false for an address whose chat
// may read it; the person is "" where an address does not name him.
func asker(a channels.Address) (person, hook string, ok bool) {
	rest, ok := strings.CutPrefix(a.Private(), hookMark)
	hook, person, _ = strings.Cut(rest, ":")
	if !isID(person) {
		person = ""
	}
	return person, hook, ok
}

// keep remembers a hook under a name.
func (h *hooks) keep(name, path string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	oldest := ""
	for other, one := range h.all {
		if now.After(one.until) {
			delete(h.all, other)
		} else if oldest == "" || one.until.Before(h.all[oldest].until) {
			oldest = other
		}
	}
	if len(h.all) >= mostHooks {
		delete(h.all, oldest)
	}
	h.all[name] = &hook{path: path, until: now.Add(hookLife), uses: hookUses}
}

// take returns the path of a hook by its name, if it can still be used.
func (h *hooks) take(name string) (string, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.all[name]
	if one == nil || one.uses == 0 || h.now().After(one.until) {
		return "", false
	}
	one.uses--
	return one.path, true
}

// respond answers a slash command in a chat in which we are not. Only who gave
// it sees the answer.
func (c *Channel) respond(ctx context.Context, path string, p channels.Post) (channels.Receipt, error) {
	text := c.message(p)
	if len(p.Body.Buttons) > 0 {
		text = c.withWords(text, p.Body.Buttons)
	}
	if err := c.server.tooLong(text); err != nil {
		return channels.Receipt{}, &channels.SendError{Class: channels.Refused, Err: err}
	}
	body := ephemeral(text)
	if err := c.client.hook(ctx, path, body); err != nil {
		return channels.Receipt{}, c.sendError(err)
	}
	return channels.Receipt{Remote: "hook:" + short(p.To.Private()+"\x00"+p.Key)}, nil
}

// hook posts to an address outside of the interface, without the token.
func (c *client) hook(ctx context.Context, path string, body *model.CommandResponse) error {
	bare := *c
	bare.token = func() string { return "none-needed" }
	raw, err := json.Marshal(body)
	if err != nil {
		return &failure{op: "POST /hooks/commands/…", kind: unreached, text: "the answer cannot be written as JSON"}
	}
	err = bare.exchange(ctx, http.MethodPost, path, "application/json", bytes.NewReader(raw), nil)
	var f *failure
	if errors.As(err, &f) {
		f.op = "POST /hooks/commands/…"
	}
	return err
}

// ephemeral is an answer to a slash command that only who gave it sees. The
// server does not read it as one of Slack's.
func ephemeral(text string) *model.CommandResponse {
	return &model.CommandResponse{ResponseType: model.CommandResponseTypeEphemeral, Text: text, SkipSlackParsing: true}
}

// callbacks waits for presses of the self-test.
type callbacks struct {
	works atomic.Bool

	mu      sync.Mutex // guards the fields below
	waiting map[string]chan struct{}
	trying  chan struct{} // closed when the self-test that runs or is to come has ended; nil without one
}

// patience is how long a post with buttons waits for the self-test.
const patience = 3 * time.Second

// await lets posts with buttons wait for the first self-test.
func (b *callbacks) await() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trying = make(chan struct{})
}

// begin notes that a self-test runs, until end is called.
func (b *callbacks) begin() (end func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.trying == nil {
		b.trying = make(chan struct{})
	}
	trying := b.trying
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.trying == trying {
			close(trying)
			b.trying = nil
		}
	}
}

// tried waits for the self-test that runs or is to come, if there is one, and
// has nobody wait for it again when it takes too long.
func (b *callbacks) tried(ctx context.Context) {
	b.mu.Lock()
	trying := b.trying
	b.mu.Unlock()
	if trying == nil {
		return
	}
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case <-trying:
	case <-ctx.Done():
	case <-t.C:
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.trying == trying {
			close(trying)
			b.trying = nil
		}
	}
}

func (b *callbacks) expect(nonce string) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == nil {
		b.waiting = make(map[string]chan struct{})
	}
	c := make(chan struct{})
	b.waiting[nonce] = c
	return c
}

func (b *callbacks) arrive(nonce string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c, ok := b.waiting[nonce]; ok {
		close(c)
		delete(b.waiting, nonce)
	}
}

func (b *callbacks) forget(nonce string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.waiting, nonce)
}
