package discord

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"outheis/channels"
)

// Run implements [channels.Channel]. It returns ctx's error, or a SendError of
// class Misconfigured when the token is wrong or Discord will not let the
// account connect as it is.
func (c *Channel) Run(ctx context.Context, in channels.Deliver) error {
	now := c.opts.Now()
	c.health.start(now)
	if err := c.loadMarks(ctx); err != nil {
		return err
	}
	inner, cancel := context.WithCancel(ctx)
	r := newReceiver(inner, c, in)
	g := &gateway{c: c, in: r, started: now, wait: c.opts.Retry, kick: make(chan error, 1)}
	var aside sync.WaitGroup
	// Also when g.run panics: who fills the lanes ends first, then they do, and
	// the last to know how far we are is the cursor.
	defer c.saveNow()
	defer r.lanes.wait()
	defer aside.Wait()
	defer cancel()
	aside.Go(func() { c.saveMarks(inner, r) })
	aside.Go(func() { c.probe(inner, g, r) })
	return g.run(ctx)
}

// run connects again and again.
func (g *gateway) run(ctx context.Context) error {
	for {
		g.lived = time.Time{}
		err := g.connect(ctx)
		g.in.disconnected()
		g.c.health.lost()
		g.fruitless++
		if !g.lived.IsZero() {
			g.fruitless = 0
		}
		if !g.lived.IsZero() && g.c.opts.Now().Sub(g.lived) >= g.c.times.steady {
			g.wait.Reset()
		}
		if ended := ctx.Err(); ended != nil {
			return ended
		}
		if err := g.failed(ctx, err); err != nil {
			return err
		}
	}
}

// longestWait is after how long it is asked again whether a session may be
// started, though Discord named a later time.
const longestWait = 10 * time.Minute

// failed notes what went wrong and waits before the next connection. It returns
// an error only when no waiting can help, or when ctx has ended.
func (g *gateway) failed(ctx context.Context, err error) error {
	panicked(g.c.log, err)
	var f *failure
	if !errors.As(err, &f) {
		f = &failure{what: "receive", kind: unanswered, text: channels.Scrub(err.Error(), g.c.opts.Token())}
	}
	switch {
	case f.ending == endReconnect && g.fruitless <= 1:
		return g.wait.Wait(ctx) // nothing is wrong
	case f.ending == endRegained:
		g.forget()
		g.withheld = false
		return ctx.Err()
	case f.ending == endInvalid && g.fruitless <= 1:
		// Discord asks for a wait of one to five seconds.
		b := channels.Backoff{Min: g.c.times.identify, Max: g.c.times.identify}
		return b.Wait(ctx)
	case f.code == closeDisallowed && f.status == 0:
		return g.wait.Wait(ctx) // without contents this time
	case f.wrongToken(), f.code == closeAuthentication && f.status == 0:
		if g.token != fingerprint(g.c.opts.Token()) {
			return ctx.Err() // it has been changed meanwhile
		}
		g.c.health.fail(troubleToken, f.text)
		return &channels.SendError{Class: channels.Misconfigured, Err: f, Remedy: g.c.texts.Say("discord.token_wrong_remedy")}
	case f.status == 0 && (f.code == closeSharding || f.code == closeInvalidShard):
		g.c.health.fail(troubleShards, f.text)
		return &channels.SendError{Class: channels.Misconfigured, Err: f, Remedy: g.c.texts.Say("discord.shards_remedy")}
	case f.status == 0 && (f.code == closeVersion || f.code == closeInvalidIntents):
		g.c.health.fail(troubleVersion, f.text)
		return &channels.SendError{Class: channels.Misconfigured, Err: f, Remedy: g.c.texts.Say("discord.version_remedy")}
	}
	if g.c.health.fail(trouble(f), f.text) {
		g.c.log.Warn("channel does not receive", "err", f, "remedy", g.c.Health().Remedy)
	}
	if f.status == http.StatusTooManyRequests && f.after > 0 {
		return channels.Pause(ctx, min(f.after, longestWait))
	}
	if f.ending == endInvalid {
		return channels.Pause(ctx, max(g.wait.Next(), g.c.times.identify))
	}
	return g.wait.Wait(ctx)
}

// get asks the API for something.
func (c *Channel) get(ctx context.Context, what, path string, result any) error {
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	_, err := c.client.do(ctx, call{what: what, method: http.MethodGet, path: path}, result)
	return err
}

// identify learns who we are. It is asked for once.
func (c *Channel) identify(ctx context.Context) error {
	if c.whoami().user != "" {
		return nil
	}
	_, err := c.askApplication(ctx)
	return err
}

// whoami returns who we are, or nobody when that is not known yet.
func (c *Channel) whoami() identity {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.self
}

// An application is what the portal says of us.
type application struct {
	ID    string        `json:"id"`
	Name  maybe[string] `json:"name"`
	Flags maybe[int64]  `json:"flags"`
	Bot   maybe[*user]  `json:"bot"`
}

// The flags of an application that may see message contents; limited is for
// bots in fewer than a hundred guilds.
const (
	flagContent        = 1 << 18
	flagContentLimited = 1 << 19
)

// askApplication asks for our application and remembers who we are.
func (c *Channel) askApplication(ctx context.Context) (application, error) {
	var app application
	if err := c.get(ctx, "read the application", "/applications/@me", &app); err != nil {
		return app, err
	}
	me := app.Bot.value
	if me == nil {
		var u user
		if err := c.get(ctx, "read the account", "/users/@me", &u); err != nil {
			return app, err
		}
		me = &u
	}
	if _, err := parseID(app.ID); err != nil {
		return app, &failure{what: "read the application", kind: garbled, text: errForm.Error()}
	}
	if _, err := parseID(me.ID); err != nil {
		return app, &failure{what: "read the account", kind: garbled, text: errForm.Error()}
	}
	app.Bot.value = me
	c.mu.Lock()
	defer c.mu.Unlock()
	c.self = identity{user: me.ID, app: app.ID, flags: app.Flags.value}
	return app, nil
}

// mayReadContents reports whether the portal lets us ask for message contents.
func (a application) mayReadContents() bool {
	return a.Flags.value&(flagContent|flagContentLimited) != 0
}

// probe looks at our application from time to time: a token that was revoked
// and an intent that was switched show there, even while the socket is silent.
// Then it looks whether messages are there that did not come.
func (c *Channel) probe(ctx context.Context, g *gateway, r *receiver) {
	tick := time.NewTicker(c.times.probe)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-c.doubts:
		}
		panicked(c.log, channels.Contain(func() error {
			c.look(ctx, g, r)
			return nil
		}))
	}
}

// look is one look of probe.
func (c *Channel) look(ctx context.Context, g *gateway, r *receiver) {
	app, err := c.askApplication(ctx)
	var f *failure
	switch {
	case errors.As(err, &f) && f.wrongToken():
		g.end(f)
	case err == nil && app.mayReadContents() && c.health.isWithheld():
		c.health.released()
		g.end(ended(endRegained))
	case err == nil:
		r.lookAround(ctx, func() { g.end(ended(endOverlooked)) })
	}
}

// doubt says that the token was refused somewhere.
func (c *Channel) doubt() {
	select {
	case c.doubts <- struct{}{}:
	default:
	}
}

// end ends the present connection for a reason.
func (g *gateway) end(reason error) {
	select {
	case g.kick <- reason:
	default:
	}
}

// loadMarks takes over what the cursor holds. While the cursor cannot be read it
// waits: to go on would overwrite it, and what was missed would be lost. The
// error is that of the context.
func (c *Channel) loadMarks(ctx context.Context) error {
	if c.opts.Cursor == nil {
		return nil
	}
	wait := c.opts.Retry
	for {
		raw, err := c.opts.Cursor.Load()
		if err == nil || errors.Is(err, channels.ErrCursor) {
			c.health.cured(troubleCursor)
			if err == nil {
				err = c.marks.load(raw)
			} else {
				c.marks.lose()
			}
			if err != nil {
				c.health.forgot()
				c.log.Error("how far the channels were read is not known; they are read again as far back as missed messages are", "err", err)
			}
			return nil
		}
		if c.health.fail(troubleCursor, channels.Scrub(err.Error())) {
			c.log.Error("how far the channels were read cannot be found out", "err", err)
		}
		if err := wait.Wait(ctx); err != nil {
			return err
		}
	}
}

// saveMarks writes the cursor from time to time.
func (c *Channel) saveMarks(ctx context.Context, r *receiver) {
	tick := time.NewTicker(c.times.save)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if at := r.complete(); !at.IsZero() {
			c.marks.raise(c.health.clock(at).Add(-c.times.overlap))
		}
		c.saveNow()
	}
}

// saveNow writes the cursor if there is something new.
func (c *Channel) saveNow() {
	raw, err := c.marks.encode()
	if err == nil && raw != nil && c.opts.Cursor != nil {
		if err = c.opts.Cursor.Save(raw); err != nil {
			c.marks.unsaved()
		}
	}
	if c.health.saved(err == nil) {
		c.log.Error("how far the channels were read is not kept", "err", err)
	}
}
