package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strings"
	"time"

	"outheis/channels"
)

// Rich and ephemeral messages are of Bot API 10 and only sent on request: some
// clients show an empty message although the server said that it arrived, and
// an ephemeral message may miss a person who is not there. Whatever is wrong
// with them, the same call sends the post in the way that all clients know, and
// the chat gets no further ones until the program starts again.

// pressTime is how long an ephemeral message may answer a pressed button.
const pressTime = 12 * time.Second

// A press is a pressed button that can be answered for its person alone.
type press struct {
	query string
	until time.Time
}

// optIn remembers what the ways of Bot API 10 need. It may be used by many
// goroutines; the Channel's mu guards it.
type optIn struct {
	off     map[string]bool  // chats that get no rich or ephemeral messages
	presses map[string]press // by chat and the address's private part
}

// pressed notes a button that somebody pressed in a group, under the address to
// which the answer will go.
func (c *Channel) pressed(to channels.Address, query string) {
	if !c.opts.Ephemeral || !strings.Contains(to.Private(), personMark) || query == "" {
		return
	}
	now := c.opts.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, p := range c.optIn.presses {
		if p.until.Before(now) {
			delete(c.optIn.presses, key)
		}
	}
	c.optIn.presses[to.Chat()+" "+to.Private()] = press{query, now.Add(pressTime)}
}

// extra sends p as a rich or an ephemeral message where that is asked for and
// makes sense. It reports false when the post has to go out in the usual way.
func (c *Channel) extra(ctx context.Context, p channels.Post, args params) (channels.Receipt, error, bool) {
	method, args := c.extraCall(p, args)
	if method == "" {
		return channels.Receipt{}, nil, false
	}
	var sent struct {
		sentMessage
		Ephemeral json.Number `json:"ephemeral_message_id"`
		Rich      *struct {
			Blocks []json.RawMessage `json:"blocks"`
		} `json:"rich_message"`
	}
	err := c.client.call(ctx, method, args, &sent)
	var f *failure
	switch {
	case errors.As(err, &f) && f.kind == answered && f.code != http.StatusTooManyRequests && !f.wrongToken(), errors.As(err, &f) && f.kind == foreign:
		c.noMore(p.To, err)
		return channels.Receipt{}, nil, false
	case err != nil:
		return channels.Receipt{}, c.sendError(err, p, false), true
	case method == "sendRichMessage" && (sent.Rich == nil || len(sent.Rich.Blocks) == 0):
		// An empty message: put the words in its place.
		c.noMore(p.To, errors.New("telegram: the rich message came out empty"))
		if id, ok := messageID(sent.ID.String()); ok && c.edit(ctx, p, id) == nil {
			return channels.Receipt{Remote: id}, nil, true
		}
		return channels.Receipt{}, nil, false
	case sent.Ephemeral != "" && sent.Ephemeral != "0":
		return channels.Receipt{Remote: "ephemeral:" + sent.Ephemeral.String()}, nil, true
	}
	receipt, err := sent.receipt()
	return receipt, err, true
}

// extraCall returns the call of a rich or an ephemeral message, or "".
func (c *Channel) extraCall(p channels.Post, args params) (method string, call params) {
	now := c.opts.Now()
	c.mu.Lock()
	off, pressed := c.optIn.off[p.To.Chat()], c.optIn.presses[p.To.Chat()+" "+p.To.Private()]
	c.mu.Unlock()
	if off || p.Plain || p.Again {
		return "", nil
	}
	call = maps.Clone(args)
	if _, person, ok := strings.Cut(p.To.Private(), personMark); ok && pressed.until.After(now) && c.opts.Ephemeral {
		call["ephemeral_message_parameters"] = `{"receiver_user_id":` + person + `,"callback_query_id":"` + pressed.query + `"}`
		return "sendMessage", call
	}
	if !c.opts.Rich || p.Body.Mode != "HTML" {
		return "", nil
	}
	html, ok := rich(p.Body.Text)
	if !ok {
		return "", nil
	}
	message, err := json.Marshal(map[string]any{"html": html, "skip_entity_detection": true})
	if err != nil {
		return "", nil
	}
	for _, name := range []string{"text", "parse_mode", "link_preview_options"} {
		delete(call, name)
	}
	call["rich_message"] = string(message)
	return "sendRichMessage", call
}

// noMore ends rich and ephemeral messages for a chat.
func (c *Channel) noMore(to channels.Address, err error) {
	c.log.Warn("rich and ephemeral messages are off for a chat", "chat", to.Chat(), "err", err)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.optIn.off[to.Chat()] = true
}
