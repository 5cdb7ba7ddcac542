package mattermost

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"time"

	"outheis/channels"
)

const (
	// savingEvery is how often the cursor is saved while there is something new.
	savingEvery = 3 * time.Second
	// steadyAfter is how long a connection has to hold for the waits between tries
	// to be short ones again.
	steadyAfter = 30 * time.Second
	// leastBetween is the least time between two catch-ups on one connection.
	leastBetween = time.Second
)

// Run implements [channels.Channel]. It returns ctx's error, or a SendError
// of class Misconfigured when the server does not know the token or has
// disabled the account, or when the listener's address cannot be used.
func (c *Channel) Run(ctx context.Context, in channels.Deliver) (err error) {
	c.health.start(c.opts.Now())
	m, err := c.loadMarks(ctx)
	if err != nil {
		return err
	}
	r := &receiver{c: c, in: in, wait: c.opts.Retry, marks: m}
	ctx, cancel := context.WithCancel(ctx)
	lanes := startLanes(ctx, r.handle)
	r.lanes = lanes
	stopListening, lerr := c.listen(ctx, r.arrive)
	if lerr != nil {
		cancel()
		lanes.wait()
		return lerr
	}
	saver := make(chan struct{})
	go func() {
		defer close(saver)
		r.save(ctx)
	}()
	// Nothing delivers any more when the cursor is saved for the last time.
	defer func() {
		cancel()
		stopListening()
		lanes.wait()
		<-saver
		r.saveNow()
	}()
	for {
		err := r.connection(ctx)
		if ended := ctx.Err(); ended != nil {
			return ended
		}
		if err := r.failed(ctx, err); err != nil {
			return err
		}
	}
}

// A receiver is the state of one Run. Its fields belong to the goroutine of
// Run but for what is said to be shared.
type receiver struct {
	c     *Channel
	in    channels.Deliver
	wait  channels.Backoff
	lanes *lanes
	marks *marks // shared

	hopeless hopeless // shared

	token  [sha256.Size]byte // of the bot that reader.me is
	reader reader            // read by the lanes while a connection stands

	connID string
	seq    int64 // of the next event
	caught time.Time
}

// connection connects once, catches up, and hands events to the lanes until
// something goes wrong.
func (r *receiver) connection(ctx context.Context) error {
	if err := r.identify(ctx); err != nil {
		return err
	}
	token := r.c.opts.Token()
	s, err := dial(ctx, r.c.client, token)
	if err != nil {
		return err
	}
	defer s.close()
	stop := context.AfterFunc(ctx, s.close)
	defer stop()
	if err := r.hello(ctx, s, token); err != nil {
		return err
	}
	since := r.c.opts.Now()
	if err := r.catchUp(ctx); err != nil {
		return err
	}
	r.c.health.up(r.c.opts.Now())
	r.c.log.Info("channel receives")
	defer r.c.selfTest(ctx, r.reader.me.ID)()
	err = r.attend(ctx, s, token)
	if r.c.opts.Now().Sub(since) >= r.c.steady {
		r.wait.Reset()
	}
	return err
}

// identify learns who we are. Without that nothing is received: we would
// answer ourselves.
func (r *receiver) identify(ctx context.Context) error {
	token := fingerprint(r.c.opts.Token())
	var me user
	if err := r.c.client.call(ctx, http.MethodGet, "/users/me", nil, &me); err != nil {
		return err
	}
	if !isID(me.ID) || me.Username == "" {
		return &failure{op: "GET /users/me", kind: garbled, text: "the account has no id or name"}
	}
	if token == r.token && me == r.reader.me {
		return nil
	}
	// The lanes read reader; they have nothing to do before the first
	// connection, and are emptied before the account changes.
	if err := r.lanes.idle(ctx); err != nil {
		return err
	}
	if r.marks.belongTo(me.ID, r.c.opts.Now()) {
		r.c.log.Warn("cursor of another account left unused")
	}
	r.token = token
	r.reader = reader{account: r.c.opts.Account, me: me, flat: r.c.opts.Flat, now: r.c.opts.Now}
	r.c.server.refresh(ctx, r.c.client)
	return nil
}

// hello waits until the server has greeted us. A wrong token shows as a
// connection that ends before.
func (r *receiver) hello(ctx context.Context, s *socket, token string) error {
	f := &failure{op: "websocket", kind: unanswered, token: fingerprint(token)}
	timer := time.NewTimer(r.c.opts.Timeout)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			f.text = "the server does not greet"
			return f
		case raw, ok := <-s.frames:
			if !ok {
				f.transport(ctx, s.err, true, token)
				return f
			}
			fr, err := decode(raw)
			if err != nil || fr.event != "hello" {
				continue
			}
			// A new connection counts anew; what was missed is caught up with.
			r.connID, r.seq = fr.text("connection_id"), fr.seq+1
			return nil
		}
	}
}

// attend hands over events until the connection ends.
func (r *receiver) attend(ctx context.Context, s *socket, token string) error {
	f := &failure{op: "websocket", kind: unanswered, token: fingerprint(token)}
	ping, probe := time.NewTicker(r.c.opts.Ping/2), time.NewTicker(r.c.opts.Probe)
	defer ping.Stop()
	defer probe.Stop()
	tick, late := 0, map[string]int64(nil)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ping.C:
			now := r.c.opts.Now()
			if s.late(now) {
				f.text = "no answer to a ping"
				return f
			}
			if tick++; tick%2 == 1 && s.asked == 0 {
				if err := s.ping(now, r.c.opts.Ping/2); err != nil {
					f.transport(ctx, err, true, token)
					return f
				}
			}
		case <-probe.C:
			if fingerprint(r.c.opts.Token()) != fingerprint(token) {
				f.text = "the token was changed"
				return f
			}
			var err error
			if late, err = r.probe(ctx, late); err != nil && !tooMany(err) {
				return err
			}
		case raw, ok := <-s.frames:
			if !ok {
				f.transport(ctx, s.err, true, token)
				return f
			}
			r.c.health.receive(r.c.opts.Now())
			r.marks.hear(r.c.opts.Now())
			if err := r.take(ctx, s, raw); err != nil {
				return err
			}
		}
	}
}

// probe asks over REST what the websocket does not tell: whether we are known
// still, and whether there are posts that did not come. Late are the chats that
// were behind at the last probe, with the times of their last posts; who is
// still behind them has missed something, although the connection looks well.
func (r *receiver) probe(ctx context.Context, late map[string]int64) (map[string]int64, error) {
	all, err := r.channels(ctx)
	if err != nil {
		return late, err
	}
	behind := make(map[string]int64)
	for _, ch := range all {
		at := r.marks.knows(ch.ID)
		if was, ok := late[ch.ID]; ok && at < was && r.lanes.waiting.Load() == 0 {
			return nil, &failure{op: "websocket", kind: unanswered, text: "posts do not arrive"}
		}
		if at < ch.LastPostAt {
			behind[ch.ID] = ch.LastPostAt
		}
	}
	return behind, nil
}

// take hands one message of the websocket to its lane.
func (r *receiver) take(ctx context.Context, s *socket, raw []byte) error {
	fr, err := decode(raw)
	if err != nil {
		r.c.log.Warn("event skipped", "err", err, "bytes", len(raw))
		r.seq++ // it was most likely one
		return nil
	}
	if fr.event == "" {
		if fr.status != "" && !s.answered(fr) {
			return &failure{op: "websocket", kind: unanswered, text: "the server does not know our session any more"}
		}
		return nil
	}
	if fr.event == "hello" { // under the same roof a new count
		r.connID, r.seq = fr.text("connection_id"), 0
	}
	gap := fr.seq != r.seq
	r.seq = fr.seq + 1
	if gap && fr.event != "hello" {
		r.c.log.Warn("events are missing, catching up")
		if err := r.catchUpSoon(ctx); err != nil {
			return err
		}
	}
	it, ok := r.item(fr)
	if !ok {
		return nil
	}
	return r.lanes.put(ctx, it)
}

// catchUpSoon catches up, but not again and again within a moment.
func (r *receiver) catchUpSoon(ctx context.Context) error {
	if d := leastBetween - r.c.opts.Now().Sub(r.caught); d > 0 {
		if err := channels.Pause(ctx, d); err != nil {
			return err
		}
	}
	return r.catchUp(ctx)
}

// tooMany reports whether a call was refused only because there were too many.
func tooMany(err error) bool {
	var f *failure
	return errors.As(err, &f) && f.kind == answered && f.code == http.StatusTooManyRequests
}

// failed notes what went wrong and waits before the next connection. It
// returns an error only when no waiting can help, or when ctx has ended.
func (r *receiver) failed(ctx context.Context, err error) error {
	var f *failure
	if !errors.As(err, &f) {
		return err
	}
	if f.wrongToken() {
		if f.token != fingerprint(r.c.opts.Token()) {
			return nil // it has been changed meanwhile
		}
		r.c.health.fail(r.c.opts.Now(), troubleToken, f)
		return r.c.sendError(f)
	}
	if r.c.health.fail(r.c.opts.Now(), trouble(f), f) {
		r.c.log.Warn("channel does not receive", "err", f, "remedy", r.c.Health().Remedy)
	}
	if f.kind == answered && f.retryAfter > 0 {
		if err := channels.Pause(ctx, f.retryAfter); err != nil {
			return err
		}
	}
	return r.wait.Wait(ctx)
}
