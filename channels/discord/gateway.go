package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"outheis/channels"
)

// Operations of the gateway (discord.com/developers/docs/topics/gateway).
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opIdentify       = 2
	opResume         = 6
	opReconnect      = 7
	opInvalidSession = 9
	opHello          = 10
	opAck            = 11
)

// Codes with which the gateway closes a connection.
const (
	closeAuthentication = 4004
	closeInvalidSeq     = 4007
	closeTimedOut       = 4009
	closeInvalidShard   = 4010
	closeSharding       = 4011
	closeVersion        = 4012
	closeInvalidIntents = 4013
	closeDisallowed     = 4014
	// closeZombie is ours: any code but 1000 and 1001 keeps the session.
	closeZombie = 4900
)

const (
	// maxFrame bounds what the gateway sends at once; the description of a large
	// guild has some megabytes.
	maxFrame  = 32 << 20
	helloWait = 20 * time.Second
	writeWait = 10 * time.Second
	leastBeat = 50 * time.Millisecond
	worstBeat = 5 * time.Minute
)

// wanted are the intents without which we would not see what is meant for us.
const wanted = discordgo.IntentGuilds | discordgo.IntentGuildMessages | discordgo.IntentGuildMessageReactions |
	discordgo.IntentDirectMessages | discordgo.IntentDirectMessageReactions

// A gateway is the one state machine that keeps a session: it connects, resumes
// while the session lives and identifies anew when it does not, one connection
// at a time (spec/channels.md D9). Its fields belong to Run's goroutine, but for
// those that say otherwise.
type gateway struct {
	c    *Channel
	in   *receiver
	wait channels.Backoff
	// started is when Run began: what is written from then on is read.
	started time.Time

	token      [32]byte // with which the session began
	session    string   // empty when there is none
	resumeURL  string
	seq        int64
	identified time.Time // the last IDENTIFY
	lived      time.Time // since when the present connection has a session
	fruitless  int       // connections in a row that had none
	// withheld says that the portal does not let us ask for message contents;
	// then we live without, and with what mentions us.
	withheld bool
	// kick ends a connection for a reason that another goroutine found out.
	kick chan error
}

// connect keeps one connection until it ends; the error says why. After it, the
// session may be resumed when there is one.
func (g *gateway) connect(ctx context.Context) error {
	select {
	case <-g.kick: // it was meant for the connection before
	default:
	}
	token := g.c.opts.Token()
	if fingerprint(token) != g.token {
		g.forget()
		g.token = fingerprint(token)
	}
	if err := g.c.identify(ctx); err != nil {
		return err
	}
	began := g.c.health.clock(g.started)
	g.c.marks.begin(began.Add(-g.c.times.first), began.Add(-g.c.opts.CatchUpAge))
	address := g.resumeURL
	if g.session == "" {
		var err error
		if address, err = g.start(ctx); err != nil {
			return err
		}
	}
	conn, err := g.dial(ctx, address)
	if err != nil {
		if g.session != "" && ctx.Err() == nil {
			// The address to resume at may be gone; the public one knows the session too.
			g.resumeURL = ""
		}
		return err
	}
	l := &link{conn: conn, health: &g.c.health, now: g.c.opts.Now}
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { l.watch(ctx, done, g.kick) })
	err = channels.Contain(func() error { return g.talk(ctx, l, token) })
	close(done)
	l.end()
	watch.Wait()
	if reason := l.reason(); reason != nil && ctx.Err() == nil {
		return reason
	}
	return err
}

// start asks for the address of the gateway and for how often we may still
// identify, and waits until we may.
func (g *gateway) start(ctx context.Context) (string, error) {
	var answer struct {
		URL   string `json:"url"`
		Limit struct {
			Total     int     `json:"total"`
			Remaining *int    `json:"remaining"`
			Reset     float64 `json:"reset_after"` // milliseconds
		} `json:"session_start_limit"`
	}
	if err := g.c.get(ctx, "find the gateway", "/gateway/bot", &answer); err != nil {
		return "", err
	}
	limit := answer.Limit
	if limit.Remaining == nil {
		return answer.URL, nil
	}
	g.c.health.budget(*limit.Remaining, limit.Total)
	if *limit.Remaining <= 0 {
		f := &failure{what: "identify", kind: answered, status: http.StatusTooManyRequests, text: "no session may be started any more today"}
		f.after = time.Duration(min(max(limit.Reset, 1000), 24*3600*1000)) * time.Millisecond
		g.c.health.exhausted(g.c.opts.Now().Add(f.after))
		g.c.log.Error("no session may be started for a while", "after", f.after, "of", limit.Total)
		return "", f
	}
	g.c.log.Info("a session is started", "left_today", *limit.Remaining-1, "of", limit.Total)
	apart := g.c.times.identify
	if *limit.Remaining < lowBudget {
		// What is left has to last until there is more.
		left := time.Duration(limit.Reset/float64(*limit.Remaining)) * time.Millisecond
		apart = max(apart, min(left, g.c.times.spread))
	}
	return answer.URL, channels.Pause(ctx, apart-g.c.opts.Now().Sub(g.identified))
}

// dial opens a connection. The token is written to it, so that it has to be as
// safe as the one to the API.
func (g *gateway) dial(ctx context.Context, address string) (*websocket.Conn, error) {
	f := &failure{what: "connect to the gateway", kind: unreached}
	if address == "" {
		var answer struct {
			URL string `json:"url"`
		}
		if err := g.c.get(ctx, "find the gateway", "/gateway", &answer); err != nil {
			return nil, err
		}
		address = answer.URL
	}
	u, err := g.c.gatewayURL(address)
	if err != nil {
		f.kind, f.text = foreign, err.Error()
		return nil, f
	}
	conn, resp, err := g.c.dialer.DialContext(ctx, u, http.Header{"User-Agent": {userAgent}})
	if resp != nil && resp.Body != nil {
		resp.Body.Close()
	}
	if err != nil {
		f.transport(ctx, err, false, g.c.opts.Token())
		if resp != nil {
			f.status, f.kind = resp.StatusCode, outage
			if resp.StatusCode < 500 {
				f.kind = foreign
			}
		}
		return nil, f
	}
	conn.SetReadLimit(maxFrame)
	return conn, nil
}

// gatewayURL checks and completes an address that the API told us.
func (c *Channel) gatewayURL(s string) (string, error) {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.User != nil {
		return "", errors.New("the gateway's address has an unknown form")
	}
	plain := strings.HasPrefix(c.client.base, "http://")
	host := strings.ToLower(u.Hostname())
	switch {
	case u.Scheme == "ws" && plain && private(host):
	case u.Scheme != "wss":
		return "", errors.New("the gateway's address is not encrypted")
	case c.client.base == publicAPI && host != "discord.gg" && !strings.HasSuffix(host, ".discord.gg"):
		return "", errors.New("the gateway's address is not one of Discord")
	}
	u.RawQuery = "v=10&encoding=json"
	return u.String(), nil
}

// A frame is what the gateway sends.
type frame struct {
	Op   *int            `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  maybe[int64]    `json:"s"`
	Type maybe[string]   `json:"t"`
}

// talk greets, and reads until the connection ends.
func (g *gateway) talk(ctx context.Context, l *link, token string) error {
	if err := l.conn.SetReadDeadline(time.Now().Add(helloWait)); err != nil {
		return l.failed(ctx, err, token)
	}
	var hello struct {
		Interval float64 `json:"heartbeat_interval"` // milliseconds
	}
	f, err := l.read()
	if err != nil {
		return g.closed(l.failed(ctx, err, token), err)
	}
	if f.Op == nil || *f.Op != opHello || json.Unmarshal(f.Data, &hello) != nil || !(hello.Interval > 0) {
		return &failure{what: "greet the gateway", kind: garbled, text: "it does not say hello"}
	}
	l.interval = max(leastBeat, min(time.Duration(hello.Interval*float64(time.Millisecond)), worstBeat))
	if err := g.greet(l, token); err != nil {
		return l.failed(ctx, err, token)
	}
	// The gateway can answer heartbeats and never begin a session.
	l.begun = time.AfterFunc(g.c.times.greet, func() {
		l.stop(&failure{what: "begin a session", kind: unanswered, text: "the gateway does not answer"})
	})
	defer l.begun.Stop()
	var beats sync.WaitGroup
	done := make(chan struct{})
	l.seq.Store(g.seq)
	beats.Go(func() { l.beat(done) })
	defer beats.Wait()
	defer close(done)
	for {
		// Every interval there is an answer at least. When nothing comes, the
		// connection is dead, whatever the system says.
		if err := l.conn.SetReadDeadline(time.Now().Add(l.interval + min(l.interval, 15*time.Second))); err != nil {
			return l.failed(ctx, err, token)
		}
		f, err := l.read()
		if err != nil {
			return g.closed(l.failed(ctx, err, token), err)
		}
		if f.Op == nil {
			g.c.log.Warn("frame skipped", "err", errForm)
			continue
		}
		l.heard()
		if err := g.frame(l, f); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// greet resumes the session, or begins one.
func (g *gateway) greet(l *link, token string) error {
	type object = map[string]any
	if g.session != "" {
		return l.send(opResume, object{"token": token, "session_id": g.session, "seq": g.seq})
	}
	intents := wanted
	if !g.withheld {
		intents |= discordgo.IntentMessageContent
	}
	g.identified = g.c.opts.Now()
	return l.send(opIdentify, object{
		"token": token, "intents": int(intents), "large_threshold": 50,
		"properties": object{"os": "linux", "browser": "outheis", "device": "outheis"},
	})
}

// frame handles one frame.
func (g *gateway) frame(l *link, f frame) error {
	switch *f.Op {
	case opAck:
		l.acked.Store(true)
	case opHeartbeat:
		l.beatNow()
	case opReconnect:
		return ended(endReconnect)
	case opInvalidSession:
		var resumable bool
		if json.Unmarshal(f.Data, &resumable) != nil || !resumable {
			g.forget()
		}
		return ended(endInvalid)
	case opDispatch:
		return g.dispatch(l, f)
	}
	return nil
}

// dispatch handles one event. The sequence moves on when the event has its place
// in a lane: from there it is delivered even when the connection ends.
func (g *gateway) dispatch(l *link, f frame) error {
	l.busy.Store(true)
	defer l.busy.Store(false)
	if l.begun.Stop() { // what was missed is repeated before the session goes on
		l.begun.Reset(g.c.times.greet)
	}
	seq := f.Seq.value
	switch f.Type.value {
	case "READY":
		var r ready
		if json.Unmarshal(f.Data, &r) != nil || r.SessionID == "" {
			return &failure{what: "begin a session", kind: garbled, text: errForm.Error()}
		}
		g.session, g.resumeURL, g.seq = r.SessionID, r.Resume, 0
		g.established(l)
		g.c.log.Info("channel receives", "guilds", len(r.Guilds))
		g.in.ready(r)
	case "RESUMED":
		g.established(l)
		g.in.resumed()
		g.c.log.Info("channel receives again")
	default:
		if err := g.in.dispatch(f.Type.value, g.eventKey(seq), f.Data); err != nil {
			return err
		}
	}
	if seq > g.seq {
		g.seq = seq
		l.seq.Store(seq)
	}
	return nil
}

// established notes that the session lives.
func (g *gateway) established(l *link) {
	l.begun.Stop()
	g.lived = g.c.opts.Now()
	g.c.health.established(g.c.opts.Now(), g.withheld)
}

// eventKey names an event of which Discord gives neither id nor time. A session
// that is resumed repeats it with the same number.
func (g *gateway) eventKey(seq int64) string {
	sum := fingerprint(g.session)
	return fmt.Sprintf("s:%x:%d", sum[:6], seq)
}

// forget ends the session.
func (g *gateway) forget() { g.session, g.resumeURL, g.seq = "", "", 0 }

// closed reads what the gateway said when it closed the connection.
func (g *gateway) closed(f *failure, err error) error {
	if errors.Is(err, websocket.ErrReadLimit) {
		// It would come again with the session.
		g.forget()
		f.kind, f.text = garbled, "a frame is too large"
		return f
	}
	var e *websocket.CloseError
	if !errors.As(err, &e) {
		return f
	}
	f.kind, f.code, f.text = answered, e.Code, channels.Scrub(e.Text, g.c.opts.Token())
	switch e.Code {
	case closeAuthentication, closeInvalidShard, closeSharding, closeVersion, closeInvalidIntents, closeInvalidSeq, closeTimedOut:
		g.forget()
	case closeDisallowed:
		g.forget()
		g.withheld = true
		if g.c.health.withhold() {
			g.c.log.Error("message contents are withheld", "remedy", g.c.contentRemedy())
		}
	case websocket.CloseAbnormalClosure, websocket.CloseNoStatusReceived:
		f.kind = unanswered
	}
	return f
}
