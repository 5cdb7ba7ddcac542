package mattermost

import (
	"encoding/json"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

const (
	maxSent    = 128 // events of a connection that are kept for a reconnect
	maxWaiting = 256 // events that wait for a reconnect

	// minPatience is how long a client may stay silent at least, however often
	// it is pinged.
	minPatience = 2 * time.Second
)

// A conn is one connection. It outlives its websocket for a reconnect.
type conn struct {
	s  *Server
	ws *websocket.Conn
	// net is the connection below the websocket.
	net net.Conn

	// guarded by Server.mu
	id      string
	authed  bool
	seq     int64 // of the next event
	log     []logged
	waiting int // events at the end of log that were not written
	out     []frame
	frozen  bool // nothing is answered and nothing is sent, pongs neither
	mute    bool // events are not sent
	ended   bool

	kick chan struct{}
	gone chan struct{}
}

// A logged event is kept for a reconnect; raw lacks the number and the end.
type logged struct {
	seq int64
	raw []byte
}

func (e logged) frame() frame {
	return frame{websocket.TextMessage, slices.Concat(e.raw, []byte(`,"seq":`+itoa(e.seq)+`}`))}
}

type frame struct {
	kind int // a message type of websocket
	data []byte
}

// A broadcast says whom an event concerns.
type broadcast struct {
	OmitUsers        map[string]bool `json:"omit_users"`
	UserID           string          `json:"user_id"`
	ChannelID        string          `json:"channel_id"`
	TeamID           string          `json:"team_id"`
	ConnectionID     string          `json:"connection_id"`
	OmitConnectionID string          `json:"omit_connection_id"`
	Sanitized        bool            `json:"contains_sanitized_data,omitempty"`
}

// connect serves one websocket.
func (s *Server) connect(w http.ResponseWriter, r *http.Request) {
	f := s.takeRefusal()
	switch f.kind {
	case refuseStatus:
		http.Error(w, http.StatusText(f.code), f.code)
		return
	case refuseUpgrade:
		s.mu.Lock()
		life := s.life
		s.mu.Unlock()
		select {
		case <-r.Context().Done():
		case <-life.Done():
		}
		return
	}
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	ws, err := up.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	c := &conn{s: s, ws: ws, net: ws.NetConn(), kick: make(chan struct{}, 1), gone: make(chan struct{})}
	s.mu.Lock()
	if s.http == nil {
		s.mu.Unlock()
		reset(c.net)
		return
	}
	s.open[c] = true
	s.stats.Connects++
	c.frozen = f.kind == refuseHello
	kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(kind, "bearer") && s.knows(token) {
		c.begin(r.URL.Query().Get("connection_id"), r.URL.Query().Get("sequence_number"))
	}
	s.wake()
	s.mu.Unlock()

	written := make(chan struct{})
	go func() {
		defer close(written)
		c.write()
	}()
	c.read()
	s.mu.Lock()
	delete(s.open, c)
	c.ended = true
	s.wake()
	s.mu.Unlock()
	close(c.gone)
	<-written
	_ = ws.Close()
}

// begin makes c a connection of the bot: it goes on where the one with the id
// ended, or is new. The caller holds mu.
func (c *conn) begin(id, seq string) {
	s := c.s
	c.authed = true
	s.stats.Authenticated++
	old := s.conns[id]
	next, err := strconv.ParseInt(seq, 10, 64)
	switch {
	case id == "" || err != nil || old == nil || !old.ended:
		c.id = s.newID("con")
		c.hello()
	case len(old.log) == 0 && next == old.seq, len(old.log) > 0 && next >= old.log[0].seq && next <= old.seq:
		delete(s.conns, id)
		c.id, c.seq, c.log = id, old.seq, old.log
		s.stats.Resumed++
		for _, e := range c.log {
			if e.seq >= next {
				c.push(e.frame())
			}
		}
	default:
		// Events are lost: the client hears it by another id.
		delete(s.conns, id)
		c.id = s.newID("con")
		s.stats.Lossy++
		c.hello()
		for _, e := range old.log[len(old.log)-old.waiting:] {
			c.event(e.raw)
		}
	}
	s.conns[c.id] = c
}

// hello begins a connection. The caller holds mu.
func (c *conn) hello() {
	s := c.s
	s.stats.Fresh++
	c.event(encodeEvent("hello", map[string]any{"connection_id": c.id, "server_hostname": "fake", "server_version": s.versionID()}, broadcast{UserID: s.bot.ID}))
}

// encodeEvent returns an event without its sequence number, which comes last.
func encodeEvent(kind string, data map[string]any, b broadcast) []byte {
	raw := mustJSON(struct {
		Event     string         `json:"event"`
		Data      map[string]any `json:"data"`
		Broadcast broadcast      `json:"broadcast"`
	}{kind, data, b})
	return raw[:len(raw)-1]
}

// event sends an event, or keeps it for a reconnect; raw is what encodeEvent
// returned. The caller holds mu.
func (c *conn) event(raw []byte) {
	e := logged{c.seq, raw}
	c.log = append(c.log, e)
	c.seq++
	if c.ended {
		c.waiting++
		return
	}
	if n := len(c.log); n > maxSent {
		c.log = slices.Clone(c.log[n-maxSent:])
	}
	if !c.mute {
		c.s.stats.Events++
		c.push(e.frame())
	}
}

// event tells the bot's connections what happened, when it concerns the bot.
// The caller holds mu.
func (s *Server) event(kind string, data map[string]any, b broadcast, concerned bool) {
	defer s.wake()
	if !concerned || s.disabled || s.revoked {
		return
	}
	if s.lose > 0 {
		s.lose--
		return
	}
	raw := encodeEvent(kind, data, b)
	for id, c := range s.conns {
		c.event(raw)
		if c.waiting > maxWaiting {
			delete(s.conns, id)
		}
	}
}

// push queues a frame. The caller holds mu.
func (c *conn) push(f frame) {
	if c.frozen {
		return
	}
	c.out = append(c.out, f)
	select {
	case c.kick <- struct{}{}:
	default:
	}
}

// read takes the client's frames until the connection ends.
func (c *conn) read() {
	s := c.s
	patience := max(s.opts.Ping*100/60, minPatience)
	c.ws.SetPingHandler(func(text string) error {
		s.mu.Lock()
		frozen := c.frozen
		s.stats.Pings++
		s.wake()
		s.mu.Unlock()
		if frozen {
			return nil
		}
		return c.ws.WriteControl(websocket.PongMessage, []byte(text), time.Now().Add(time.Second))
	})
	c.ws.SetPongHandler(func(string) error {
		s.mu.Lock()
		s.stats.Pongs++
		s.wake()
		s.mu.Unlock()
		return c.ws.SetReadDeadline(time.Now().Add(patience))
	})
	_ = c.ws.SetReadDeadline(time.Now().Add(s.opts.AuthTimeout))
	s.mu.Lock()
	if c.authed {
		_ = c.ws.SetReadDeadline(time.Now().Add(patience))
	}
	s.mu.Unlock()
	for {
		_, raw, err := c.ws.ReadMessage()
		if err != nil {
			return
		}
		s.mu.Lock()
		ok := c.take(raw)
		authed := c.authed
		s.mu.Unlock()
		if !ok {
			return
		}
		if authed {
			_ = c.ws.SetReadDeadline(time.Now().Add(patience))
		}
	}
}

// take works on one frame of the client; false ends the connection without a
// word. The caller holds mu.
func (c *conn) take(raw []byte) bool {
	s := c.s
	var req struct {
		Seq    int64          `json:"seq"`
		Action string         `json:"action"`
		Data   map[string]any `json:"data"`
	}
	if c.frozen {
		return true
	}
	if json.Unmarshal(raw, &req) != nil {
		return false
	}
	text := func(name string) string { v, _ := req.Data[name].(string); return v }
	switch {
	case req.Action == "":
		c.fail(req.Seq, refuse(http.StatusBadRequest, "api.web_socket_router.no_action.app_error", "No websocket action."))
	case req.Seq <= 0:
		c.fail(req.Seq, refuse(http.StatusBadRequest, "api.web_socket_router.bad_seq.app_error", "Invalid sequence for WebSocket message."))
	case req.Action == "authentication_challenge":
		if c.authed {
			return true
		}
		if !s.knows(text("token")) {
			s.stats.Rejected++
			return false
		}
		c.begin("", "")
		c.reply(req.Seq, nil)
		c.event(encodeEvent("status_change", map[string]any{"status": "online", "user_id": s.bot.ID}, broadcast{UserID: s.bot.ID}))
	case !c.authed:
		c.fail(req.Seq, refuse(http.StatusUnauthorized, "api.web_socket_router.not_authenticated.app_error", "WebSocket connection is not authenticated. Please log in and try again."))
	case req.Action == "user_typing":
		ch, ok := s.channels[text("channel_id")]
		if !ok || !ch.has(s.bot.ID) {
			c.fail(req.Seq, noPermission())
			return true
		}
		s.noteTyping(ch.ID, text("parent_id"))
		c.reply(req.Seq, nil)
	case req.Action == "get_statuses", req.Action == "get_statuses_by_ids":
		c.reply(req.Seq, map[string]any{s.bot.ID: "online"})
	case req.Action == "ping":
		c.reply(req.Seq, map[string]any{"text": "pong", "version": s.version, "server_time": s.millis(), "node_id": ""})
	case req.Action == "presence":
		c.reply(req.Seq, nil)
	default:
		c.fail(req.Seq, refuse(http.StatusInternalServerError, "api.web_socket_router.bad_action.app_error", "Unknown WebSocket action."))
	}
	s.wake()
	return true
}

// reply answers a frame of the client.
func (c *conn) reply(seq int64, data map[string]any) {
	body := map[string]any{"status": "OK", "seq_reply": seq}
	if data != nil {
		body["data"] = data
	}
	c.push(frame{websocket.TextMessage, mustJSON(body)})
}

func (c *conn) fail(seq int64, e *apiError) {
	c.push(frame{websocket.TextMessage, mustJSON(map[string]any{"status": "FAIL", "seq_reply": seq, "error": map[string]any{
		"id": e.id, "message": e.message, "detailed_error": "", "status_code": e.status}})})
}

// write sends what is queued, and pings, until the connection ends.
func (c *conn) write() {
	ticker := time.NewTicker(c.s.opts.Ping)
	defer ticker.Stop()
	for last := false; ; {
		c.s.mu.Lock()
		out, frozen := c.out, c.frozen
		c.out = nil
		c.s.mu.Unlock()
		for _, f := range out {
			var err error
			if f.kind == websocket.CloseMessage {
				err = c.ws.WriteControl(f.kind, f.data, time.Now().Add(time.Second))
				_ = c.ws.SetReadDeadline(time.Now().Add(2 * time.Second))
			} else {
				err = c.ws.WriteMessage(f.kind, f.data)
			}
			if err != nil {
				break
			}
		}
		if last {
			return
		}
		select {
		case <-c.gone:
			last = true
		case <-c.kick:
		case <-ticker.C:
			if !frozen {
				// A connection that is gone ends by its reader.
				_ = c.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second))
			}
		}
	}
}
