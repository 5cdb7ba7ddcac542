package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"outheis/channels"
	"outheis/formatting"
)

// Send implements [channels.Channel]. Unless TakeTurn has, it waits for the
// chat's turn first; the time limit of a request begins after that.
func (c *Channel) Send(ctx context.Context, p channels.Post) (channels.Receipt, error) {
	if err := c.mine(p.To); err != nil {
		return channels.Receipt{}, &channels.SendError{Class: channels.Refused, Err: err}
	}
	return c.pacer.Send(ctx, p, c.send)
}

// TakeTurn implements [channels.TurnTaker].
func (c *Channel) TakeTurn(ctx context.Context, to channels.Address, waits func() error) error {
	if c.mine(to) != nil {
		return ctx.Err() // Send will refuse it
	}
	return c.pacer.TakeTurn(ctx, to, waits)
}

// mine checks that an address is one of this account.
func (c *Channel) mine(a channels.Address) error {
	if a.Channel() != Kind || a.Account() != c.opts.Account {
		return fmt.Errorf("telegram: the address belongs to account %q of channel %q", a.Account(), a.Channel())
	}
	if _, err := strconv.ParseInt(a.Chat(), 10, 64); err != nil {
		return errors.New("telegram: the address holds no chat id")
	}
	return nil
}

// send posts p once.
func (c *Channel) send(ctx context.Context, p channels.Post) (channels.Receipt, error) {
	args, marked, err := body(p)
	if err != nil {
		return channels.Receipt{}, refused(err)
	}
	maps.Copy(args, c.place(p.To))
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	if receipt, err, done := c.extra(ctx, p, args); done {
		return receipt, err
	}
	var sent sentMessage
	if err := c.client.call(ctx, "sendMessage", args, &sent); err != nil {
		return channels.Receipt{}, c.sendError(err, p, marked)
	}
	return sent.receipt()
}

// body returns what a post says: text, markup, buttons.
func body(p channels.Post) (args params, marked bool, err error) {
	args = params{"text": p.Body.Plain, "link_preview_options": `{"is_disabled":true}`}
	marked = !p.Plain && p.Body.Mode != ""
	if !p.Plain {
		args["text"] = p.Body.Text
	}
	if marked {
		args["parse_mode"] = p.Body.Mode
	}
	markup, err := keyboard(p.Body.Buttons)
	if markup != "" {
		args["reply_markup"] = markup
	}
	return args, marked, err
}

// place returns where a post goes: chat, topic, and the message that it
// answers.
func (c *Channel) place(to channels.Address) params {
	args := params{"chat_id": to.Chat()}
	if thread := topic(to); thread != "" {
		args["message_thread_id"] = thread
	}
	answered, _, _ := strings.Cut(to.Private(), personMark)
	if id, ok := messageID(answered); ok {
		args["reply_parameters"] = `{"message_id":` + id + `,"allow_sending_without_reply":true}`
	}
	return args
}

// Edit implements [channels.Editor]. An edit counts like a post against
// Telegram's rates, and takes the same turns.
func (c *Channel) Edit(ctx context.Context, p channels.Post, remote string) error {
	if err := c.mine(p.To); err != nil {
		return refused(err)
	}
	id, ok := messageID(remote)
	if !ok {
		return refused(fmt.Errorf("telegram: %.40q is not the id of a message", remote))
	}
	_, err := c.pacer.Send(ctx, p, func(ctx context.Context, p channels.Post) (channels.Receipt, error) {
		return channels.Receipt{Remote: id}, c.edit(ctx, p, id)
	})
	return err
}

// edit changes a message once.
func (c *Channel) edit(ctx context.Context, p channels.Post, id string) error {
	args, marked, err := body(p)
	if err != nil {
		return refused(err)
	}
	args["chat_id"], args["message_id"] = p.To.Chat(), id
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	// The answer is the message, or only true.
	err = c.client.call(ctx, "editMessageText", args, &json.RawMessage{})
	var f *failure
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f) && f.kind == answered && strings.Contains(strings.ToLower(f.text), "not modified"):
		return nil // it stands there already
	}
	return c.sendError(err, p, marked)
}

// topic returns the thread to send to. General has an id but must not be
// named.
func topic(a channels.Address) string {
	if a.Thread() == strconv.Itoa(general) {
		return ""
	}
	return a.Thread()
}

// sendError says what a failed call means for another try.
func (c *Channel) sendError(err error, p channels.Post, marked bool) *channels.SendError {
	var f *failure
	if !errors.As(err, &f) {
		return &channels.SendError{Class: channels.Unsure, Err: err}
	}
	out := &channels.SendError{Err: f}
	switch f.kind {
	case unreached, foreign:
		out.Class = channels.NotSent
	case unanswered, garbled, outage:
		out.Class = channels.Unsure
	case answered:
		c.refusal(out, f, p, marked)
	}
	return out
}

// refusal sorts the refusals of the API. Their texts are part of the API in
// all but name: there is no other way to tell them apart.
func (c *Channel) refusal(out *channels.SendError, f *failure, p channels.Post, marked bool) {
	text := strings.ToLower(f.text)
	has := func(parts ...string) bool {
		for _, part := range parts {
			if strings.Contains(text, part) {
				return true
			}
		}
		return false
	}
	switch {
	case f.wrongToken():
		out.Class, out.Remedy = channels.Misconfigured, c.texts.Say("telegram.token_wrong_remedy")
	case f.code == http.StatusTooManyRequests:
		out.Class, out.After = channels.RetryAfter, f.retryAfter
		if out.After <= 0 {
			out.After = 5 * time.Second
		}
		out.Scope = c.scope(p.To, out.After)
	case f.moved != 0:
		out.Class = channels.Gone
		// The topic and the message that is answered are numbered anew there.
		if a, err := channels.NewAddress(Kind, c.opts.Account, strconv.FormatInt(f.moved, 10), "", ""); err == nil {
			out.Moved = a
		}
	case f.code == http.StatusForbidden && has("blocked", "deactivated"):
		out.Class, out.Remedy = channels.Gone, c.texts.Say("telegram.blocked_remedy")
	case f.code == http.StatusForbidden && has("initiate conversation"):
		out.Class, out.Remedy = channels.Gone, c.texts.Say("telegram.never_remedy")
	case f.code == http.StatusForbidden, f.code == http.StatusBadRequest && has("not enough rights", "no rights", "write_forbidden", "need administrator rights", "chat_restricted"):
		out.Class, out.Remedy = channels.Gone, c.texts.Say("telegram.closed_remedy")
	case f.code == http.StatusBadRequest && has("thread not found", "topic_closed", "topic_deleted"):
		out.Class, out.Remedy = channels.Gone, c.texts.Say("telegram.topic_remedy")
	case f.code == http.StatusBadRequest && has("chat not found", "peer_id_invalid", "chat_id_invalid", "user not found"):
		out.Class, out.Remedy = channels.Gone, c.texts.Say("telegram.chat_remedy")
	case f.code == http.StatusBadRequest && has("can't parse", "entit"):
		out.Class, out.Markup = channels.Refused, marked
	case f.code == http.StatusBadRequest && has("too long"):
		out.Class, out.Markup = channels.Refused, marked && plainFits(p.Body)
	default:
		out.Class = channels.Refused
	}
}

// plainFits reports whether the plain form is shorter than the marked-up one
// and within the limit.
func plainFits(b formatting.Part) bool {
	p := formatting.TelegramHTML()
	return len(b.Plain) < len(b.Text) && p.Measure.Of(b.Plain) <= p.Limit
}

// scope judges whom a request to wait concerns. Telegram does not say; when
// a second chat is asked to wait while the first still does, it is the bot.
func (c *Channel) scope(a channels.Address, after time.Duration) channels.Scope {
	now := c.opts.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	scope := channels.ScopeChat
	for chat, until := range c.limited {
		switch {
		case !until.After(now):
			delete(c.limited, chat)
		case chat != a.Chat():
			scope = channels.ScopeAccount
		}
	}
	c.limited[a.Chat()] = now.Add(after)
	return scope
}

// Direct implements [channels.Finder]: the direct chat with a person has the
// person's id. Telegram lets a bot write there once the person has started it.
func (c *Channel) Direct(person string) (channels.Address, error) {
	if id, err := strconv.ParseInt(person, 10, 64); err != nil || id <= 0 {
		return channels.Address{}, fmt.Errorf("telegram: %q is not the id of a person", person)
	}
	return channels.NewAddress(Kind, c.opts.Account, person, "", "")
}
