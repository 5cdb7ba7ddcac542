package telegram

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"outheis/channels"
)

const (
	longestPoll = 50 * time.Second
	// pollGrace is how much longer than asked a long poll may take.
	pollGrace = 15 * time.Second
	batchSize = 100
	// patience is how many answers in a row may be unreadable, first in batches,
	// then one by one, before an update is given up.
	patience = 3
	// askAgain is how often it is looked whether the bot may see all messages,
	// where it should.
	askAgain = time.Minute
	// deliveries is how many chats of a batch are delivered at the same time.
	// They then share one write to the disk.
	deliveries = 16
)

// wantedUpdates are the kinds of update that become events.
const wantedUpdates = `["message","edited_message","channel_post","edited_channel_post","callback_query","my_chat_member","message_reaction"]`

// Run implements [channels.Channel]. It returns ctx's error, or a SendError
// of class Misconfigured when the token is wrong.
func (c *Channel) Run(ctx context.Context, in channels.Deliver) error {
	if c.opts.Webhook != nil {
		return c.runWebhook(ctx, in)
	}
	p := newPoller(c, in)
	c.health.start(c.opts.Now())
	for {
		err := p.round(ctx)
		if ended := ctx.Err(); ended != nil {
			return ended
		}
		if err == nil {
			continue
		}
		if err := p.failed(ctx, err); err != nil {
			return err
		}
	}
}

func newPoller(c *Channel, in channels.Deliver) *poller {
	return &poller{c: c, in: in, wait: c.opts.Retry, waited: make(map[string]bool)}
}

// A poller is the state of one Run.
type poller struct {
	c    *Channel
	in   channels.Deliver
	wait channels.Backoff

	mu     sync.Mutex        // guards reader: with a webhook others read it
	token  [sha256.Size]byte // of the bot that reader.me is
	asked  time.Time         // when it was last asked who we are
	reader reader
	// offset confirms what is before it; 0 when there is nothing to confirm.
	// It is never kept once Telegram has heard of it: update ids may start
	// again at random, and a stale offset would hide them.
	offset int64
	// warm says that the last request succeeded. One that follows a failure
	// does not wait for updates, so that it is soon known how things stand.
	warm bool
	// unread counts the answers in a row that could not be read. After some of
	// them updates are asked for one by one, single many, to find the one that
	// spoils the answer.
	unread, single int
	// waited names the albums whose parts were waited for.
	waited map[string]bool
}

// round asks for one batch, delivers it and advances the offset.
func (p *poller) round(ctx context.Context) error {
	if err := p.identify(ctx); err != nil {
		return err
	}
	batch, err := p.ask(ctx)
	if err != nil {
		return err
	}
	p.c.health.receive(p.c.opts.Now())
	if !p.warm {
		p.c.log.Info("channel receives")
	}
	p.warm, p.unread, p.offset = true, 0, 0
	p.single = max(0, p.single-1)
	if len(batch) == 0 {
		p.single = 0
	}
	p.wait.Reset()
	all, last := p.read(batch)
	open := openAlbum(all, p.waited)
	if open > 0 {
		all = slices.DeleteFunc(all, func(d delivery) bool { return d.id >= open })
		last = open - 1
	} else {
		clear(p.waited)
	}
	if err := p.deliver(ctx, byChat(joinAlbums(all))); err != nil {
		return err
	}
	switch {
	case last > 0:
		p.offset = last + 1
	case len(batch) > 0:
		return &failure{method: "getUpdates", kind: garbled, text: errNoID.Error()}
	}
	if open == 0 {
		return nil
	}
	for _, raw := range batch {
		p.waitFor(raw)
	}
	return channels.Pause(ctx, p.c.album)
}

// waitFor notes that an update's album, if it has one, is being waited for.
func (p *poller) waitFor(raw json.RawMessage) {
	if id, err := updateID(raw); err == nil {
		if d, ok := p.c.read(p.reader, id, raw); ok && d.album != "" {
			p.waited[d.album] = true
		}
	}
}

// identify learns who we are, again when the token has changed: the count of
// updates belongs to the bot.
func (p *poller) identify(ctx context.Context) error {
	token, now := fingerprint(p.c.opts.Token()), p.c.opts.Now()
	known := token == p.token && p.reader.me.ID != 0
	if known && (!p.c.opts.AllMessages || now.Sub(p.asked) < askAgain) {
		return nil
	}
	var me bot
	if err := p.c.ask(ctx, "getMe", nil, &me); err != nil {
		return err
	}
	if me.ID <= 0 || me.Username == "" {
		return &failure{method: "getMe", kind: garbled, text: "the bot has no id or name"}
	}
	if me.ID != p.reader.me.ID {
		p.offset = 0
	}
	p.c.health.privacy(p.c.opts.AllMessages && !me.ReadsAll)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.token, p.asked = token, now
	p.reader = reader{account: p.c.opts.Account, me: me.user, now: p.c.opts.Now}
	return nil
}

// me returns the reader for who we are.
func (p *poller) me() reader {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reader
}

// ask asks for updates once.
func (p *poller) ask(ctx context.Context) ([]json.RawMessage, error) {
	wait := time.Duration(0)
	if p.warm {
		wait = p.c.opts.Poll
	}
	limit := batchSize
	if p.single > 0 {
		limit = 1
	}
	args := params{
		"timeout":         strconv.Itoa(int(wait / time.Second)),
		"limit":           strconv.Itoa(limit),
		"allowed_updates": wantedUpdates,
	}
	if p.offset > 0 {
		args["offset"] = strconv.FormatInt(p.offset, 10)
	}
	ctx, cancel := context.WithTimeout(ctx, wait+pollGrace)
	defer cancel()
	var batch []json.RawMessage
	err := p.c.client.call(ctx, "getUpdates", args, &batch)
	return batch, err
}

// read turns a batch into events, in order, and returns the highest update id.
// What cannot be understood is skipped and acknowledged: it would come again
// for ever and hide what is behind it.
func (p *poller) read(batch []json.RawMessage) (all []delivery, last int64) {
	for _, raw := range batch {
		id, err := updateID(raw)
		if err != nil {
			p.c.log.Warn("update skipped", "err", err)
			continue
		}
		last = max(last, id)
		if d, ok := p.c.read(p.reader, id, raw); ok {
			all = append(all, d)
		}
	}
	return all, last
}

// read turns an update into an event on its way, or reports false when it is of
// no concern or cannot be understood.
func (c *Channel) read(r reader, id int64, raw []byte) (delivery, bool) {
	var d delivery
	ok := false
	err := c.contained("id", id, func() (err error) {
		d, ok, err = r.delivery(id, raw)
		return err
	})
	switch {
	case err != nil:
		c.log.Warn("update skipped", "id", id, "err", channels.Scrub(err.Error()))
	case !ok:
		c.log.Debug("update of no concern", "id", id)
	}
	return d, ok && err == nil
}

// delivery turns an update into an event on its way.
func (r reader) delivery(id int64, raw []byte) (delivery, bool, error) {
	e, ok, err := r.event(id, raw)
	if err != nil || !ok {
		return delivery{}, false, err
	}
	return delivery{event: e, id: id, key: e.Key, query: query(raw, e.Kind), album: album(raw, e)}, true, nil
}

// byChat parts events by chat, each in order.
func byChat(all []delivery) [][]delivery {
	place := make(map[string]int)
	var chats [][]delivery
	for _, d := range all {
		i, seen := place[d.event.Address.Chat()]
		if !seen {
			i = len(chats)
			place[d.event.Address.Chat()] = i
			chats = append(chats, nil)
		}
		chats[i] = append(chats[i], d)
	}
	return chats
}

// A delivery is an event on its way.
type delivery struct {
	event channels.Event
	id    int64  // of the update
	key   string // of the update
	query string // the id of the pressed button's query, or ""
	album string // what the parts of an album have in common, or ""
}

// query returns the id by which a pressed button is answered.
func query(raw []byte, k channels.Kind) string {
	if k != channels.KindButton {
		return ""
	}
	var u struct {
		Query struct {
			ID string `json:"id"`
		} `json:"callback_query"`
	}
	if json.Unmarshal(raw, &u) != nil {
		return ""
	}
	return u.Query.ID
}

// deliver hands everything over: the events of one chat in order, those of
// several chats side by side. It returns when all of them are durable, or with
// ctx's error.
func (p *poller) deliver(ctx context.Context, byChat [][]delivery) error {
	slots := make(chan struct{}, deliveries)
	var wg sync.WaitGroup
	for _, chat := range byChat {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			for _, d := range chat {
				if p.hand(ctx, d) != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// hand delivers one event. One at which the program panics is tried again and
// then skipped: it would come again for ever and hide what is behind it. The
// error is that of the context.
func (p *poller) hand(ctx context.Context, d delivery) error {
	return p.c.contained("id", d.id, func() error {
		p.c.pressed(d.event.Address, d.query)
		if err := p.deliverOne(ctx, d.event); err != nil {
			return err
		}
		if d.query != "" {
			p.c.release(ctx, d.query)
		}
		return nil
	})
}

// contained runs do and returns its error. Where do panics it is tried again, and
// given up at the last strike, which is no error. What names the event for the
// log.
func (c *Channel) contained(name string, what any, do func() error) error {
	for strike := 1; ; strike++ {
		err := channels.Contain(do)
		var p *channels.PanicError
		if !errors.As(err, &p) {
			return err
		}
		c.log.Error("a mistake in the program was contained", name, what, "strike", strike, "err", p, "stack", string(p.Stack))
		if strike >= channels.MaxStrikes {
			c.log.Error("update skipped, it cannot be handled", name, what)
			return nil
		}
	}
}

// deliverOne hands e over until it is durable, or until ctx ends and then
// returns its error.
func (p *poller) deliverOne(ctx context.Context, e channels.Event) error {
	err := channels.Persist(ctx, p.in, e, p.c.opts.Retry, func(err error) {
		if p.c.health.unstored(p.c.opts.Now()) {
			p.c.log.Error("events are not stored, they will be delivered again", "err", err)
		}
	})
	if err == nil {
		p.c.health.stored()
	}
	return err
}

// release ends the waiting sign at a pressed button. It is a courtesy.
func (c *Channel) release(ctx context.Context, query string) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := c.client.call(ctx, "answerCallbackQuery", params{"callback_query_id": query}, nil); err != nil {
		c.log.Debug("button not released", "err", err)
	}
}

// failed notes what went wrong and waits before the next round. It returns an
// error only when no waiting can help, or when ctx has ended.
func (p *poller) failed(ctx context.Context, err error) error {
	var f *failure
	if !errors.As(err, &f) {
		return err
	}
	p.warm = false
	if f.wrongToken() {
		if f.token != fingerprint(p.c.opts.Token()) {
			return nil // it has been changed meanwhile
		}
		p.c.health.fail(p.c.opts.Now(), troubleToken, f)
		return p.c.sendError(f, channels.Post{}, false)
	}
	if p.c.health.fail(p.c.opts.Now(), trouble(f), f) {
		p.c.log.Warn("channel does not receive", "err", f, "remedy", p.c.Health().Remedy)
	}
	if _, hooked := f.conflict(); hooked {
		if p.unhook(ctx) {
			return nil
		}
	}
	if f.kind == garbled {
		p.skip(f)
	} else {
		p.unread = 0
	}
	if f.kind == answered && f.code == http.StatusTooManyRequests && f.retryAfter > 0 {
		return channels.Pause(ctx, f.retryAfter)
	}
	return p.wait.Wait(ctx)
}

// unhook removes a webhook that outheis has set, when it polls again. What waits
// for the webhook is not lost by it.
func (p *poller) unhook(ctx context.Context) bool {
	var info webhookInfo
	if p.c.ask(ctx, "getWebhookInfo", nil, &info) != nil || !ours(info.URL) {
		return false
	}
	err := p.c.ask(ctx, "deleteWebhook", nil, nil)
	p.c.log.Info("own webhook removed", "err", err)
	return err == nil
}

// skip gives up an update that makes the whole answer unreadable: an answer
// that was read to its end, came again and again, and holds no other update.
func (p *poller) skip(f *failure) {
	p.unread++
	if p.unread < patience {
		return
	}
	if p.single == 0 {
		p.unread, p.single = 0, batchSize
		return
	}
	if id, ok := firstID(f.body); ok {
		p.c.log.Error("unreadable update skipped", "id", id, "err", f)
		p.offset, p.unread = id+1, 0
		p.wait.Reset()
	}
}
