package discord

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// The paths of the websocket. A client gets the first from GET /gateway and the
// second from READY, for RESUME.
const (
	gatewayPath = "/gateway"
	resumePath  = "/resume"
)

// The codes with which Discord closes a websocket.
const (
	closeUnknownError   = 4000
	closeUnknownOpcode  = 4001
	closeDecodeError    = 4002
	closeNotAuthed      = 4003
	closeAuthFailed     = 4004
	closeAlreadyAuthed  = 4005
	closeInvalidSeq     = 4007
	closeRateLimited    = 4008
	closeTimedOut       = 4009
	closeInvalidVersion = 4012
	closeInvalidIntents = 4013
	closeDisallowed     = 4014
)

// The opcodes of the gateway.
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opIdentify       = 2
	opPresence       = 3
	opVoice          = 4
	opResume         = 6
	opReconnect      = 7
	opRequestMembers = 8
	opInvalidSession = 9
	opHello          = 10
	opAck            = 11
)

// compressFrom is the size from which payloads are compressed for a client that
// asked for it.
const compressFrom = 1024

// maxFrames is how many frames a client may send in a minute.
const maxFrames = 120

// A session outlives its connections until it is ended.
type session struct {
	id       string
	intents  int
	compress bool
	seq      int64
	replay   []event
	conn     *conn // nil while nobody is connected
	doomed   bool  // it cannot be resumed
}

type event struct {
	seq int64
	raw []byte
}

// A conn is one websocket connection.
type conn struct {
	s       *Server
	ws      *websocket.Conn
	net     net.Conn
	resume  bool // it came by the address of READY
	version string

	// guarded by Server.mu
	session *session
	out     []frame
	zombie  bool // nothing is answered and nothing is sent
	mute    bool // heartbeats are answered, events are not sent
	closing bool
	noReady bool
	reject  string // a frame in place of a session
	frames  []time.Time

	kick  chan struct{}
	ended chan struct{}
}

type frame struct {
	kind int // a message type of websocket
	data []byte
}

type payload struct {
	Op int             `json:"op"`
	D  json.RawMessage `json:"d"`
	S  *int64          `json:"s"`
	T  *string         `json:"t"`
}

// connect serves one websocket.
func (s *Server) connect(w http.ResponseWriter, r *http.Request) {
	f := s.takeRefusal()
	if f.kind == refuseStatus {
		http.Error(w, f.text, f.code)
		return
	}
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	ws, err := up.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	c := &conn{s: s, ws: ws, net: ws.NetConn(), resume: strings.HasPrefix(r.URL.Path, resumePath), version: r.URL.Query().Get("v"),
		noReady: f.kind == refuseReady, kick: make(chan struct{}, 1), ended: make(chan struct{})}
	s.mu.Lock()
	if s.http == nil {
		s.mu.Unlock()
		reset(c.net)
		return
	}
	s.conns[c] = true
	s.stats.Connects++
	if c.resume {
		s.stats.ResumeURL++
	}
	if f.kind == refuseSession {
		c.reject = f.text
	}
	switch {
	case f.kind == refuseHello:
		c.zombie = true
	case f.kind == refuseGarbage:
		c.push(frame{websocket.TextMessage, []byte(f.text)})
	case f.kind == refuseClose:
		c.close(f.code, f.text)
	case c.version != "9" && c.version != "10" || r.URL.Query().Get("encoding") != "json":
		c.close(closeInvalidVersion, "Invalid API version.")
	default:
		c.send(opHello, map[string]any{"heartbeat_interval": s.opts.Heartbeat.Milliseconds(), "_trace": []string{"fake"}})
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
	delete(s.conns, c)
	if c.session != nil && c.session.conn == c {
		c.session.conn = nil
	}
	s.wake()
	s.mu.Unlock()
	close(c.ended)
	<-written
	_ = c.ws.Close()
}

// read takes the client's frames until the connection ends.
func (c *conn) read() {
	patience := c.s.opts.Heartbeat + c.s.opts.Heartbeat/2
	c.ws.SetPingHandler(func(text string) error {
		c.s.mu.Lock()
		zombie := c.zombie
		c.s.mu.Unlock()
		if zombie {
			return nil
		}
		return c.ws.WriteControl(websocket.PongMessage, []byte(text), time.Now().Add(time.Second))
	})
	_ = c.ws.SetReadDeadline(time.Now().Add(patience))
	for {
		_, raw, err := c.ws.ReadMessage()
		if err != nil {
			c.gone(err)
			return
		}
		_ = c.ws.SetReadDeadline(time.Now().Add(patience))
		c.s.mu.Lock()
		c.take(raw)
		c.s.mu.Unlock()
	}
}

// gone ends what the connection leaves behind. A client that says good-bye with
// 1000 or 1001 ends its session.
func (c *conn) gone(err error) {
	s := c.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if ne, ok := err.(net.Error); ok && ne.Timeout() && !c.closing {
		s.stats.TimedOut++
		c.close(closeTimedOut, "Session timed out.")
		return
	}
	if websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseGoingAway) && c.session != nil && !c.closing {
		delete(s.sessions, c.session.id)
		s.stats.Goodbyes++
	}
}

// write sends what is queued until the connection ends. After a close frame
// the client has some time to close the connection itself.
func (c *conn) write() {
	for last := false; ; {
		c.s.mu.Lock()
		out := c.out
		c.out = nil
		c.s.mu.Unlock()
		for _, f := range out {
			if f.kind == websocket.CloseMessage {
				_ = c.ws.WriteControl(websocket.CloseMessage, f.data, time.Now().Add(time.Second))
				_ = c.ws.SetReadDeadline(time.Now().Add(2 * time.Second))
				continue
			}
			if c.ws.WriteMessage(f.kind, f.data) != nil {
				break
			}
		}
		if last {
			return
		}
		select {
		case <-c.ended:
			last = true
		case <-c.kick:
		}
	}
}

// push queues a frame. The caller holds mu.
func (c *conn) push(f frame) {
	if c.closing {
		return
	}
	c.out = append(c.out, f)
	select {
	case c.kick <- struct{}{}:
	default:
	}
}

// send queues a payload that is no event. The caller holds mu.
func (c *conn) send(op int, d any) {
	if c.zombie {
		return
	}
	c.push(frame{websocket.TextMessage, mustJSON(map[string]any{"op": op, "d": d, "s": nil, "t": nil})})
}

// close ends the connection with a code. The caller holds mu.
func (c *conn) close(code int, text string) {
	c.push(frame{websocket.CloseMessage, websocket.FormatCloseMessage(code, text)})
	c.closing = true
	if c.session != nil && c.session.conn == c {
		c.session.conn = nil
		if !resumable(code) {
			delete(c.s.sessions, c.session.id)
		}
	}
}

// resumable reports whether a session survives a closing code of the server.
func resumable(code int) bool {
	switch code {
	case websocket.CloseNormalClosure, websocket.CloseGoingAway, closeAuthFailed, closeInvalidSeq, closeTimedOut, closeInvalidVersion, closeInvalidIntents, closeDisallowed, 4010, 4011:
		return false
	}
	return true
}

// cut resets the connection; the session survives. The caller holds mu.
func (c *conn) cut() {
	if c.session != nil && c.session.conn == c {
		c.session.conn = nil
	}
	c.closing = true
	reset(c.net)
}

// take works on one frame of the client. The caller holds mu.
func (c *conn) take(raw []byte) {
	s := c.s
	if c.closing || c.zombie {
		return
	}
	now := time.Now()
	c.frames = append(slices.DeleteFunc(c.frames, func(t time.Time) bool { return now.Sub(t) > time.Minute }), now)
	if len(c.frames) > maxFrames {
		c.close(closeRateLimited, "You are being rate limited.")
		return
	}
	var p payload
	if json.Unmarshal(raw, &p) != nil {
		c.close(closeDecodeError, "Error while decoding payload.")
		return
	}
	if c.session == nil && p.Op != opHeartbeat && p.Op != opIdentify && p.Op != opResume {
		c.close(closeNotAuthed, "Not authenticated.")
		return
	}
	switch p.Op {
	case opHeartbeat:
		s.stats.Heartbeats++
		c.send(opAck, nil)
		s.wake()
	case opIdentify:
		c.identify(p.D)
	case opResume:
		c.resumeSession(p.D)
	case opRequestMembers:
		c.requestMembers(p.D)
	case opPresence, opVoice:
	default:
		c.close(closeUnknownOpcode, "Unknown opcode.")
	}
}

// dispatch sends an event to every session that asked for one of the intents
// in need; 0 goes to all. The caller holds mu.
func (s *Server) dispatch(need int, kind string, body any) {
	s.dispatchEach(need, kind, func(*session) any { return body })
}

// dispatchEach is dispatch for what looks different to different sessions.
func (s *Server) dispatchEach(need int, kind string, body func(*session) any) {
	if s.stats.lose > 0 {
		s.stats.lose--
		s.wake()
		return
	}
	for _, se := range s.sessions {
		if need == 0 || se.intents&need != 0 {
			s.event(se, kind, body(se))
		}
	}
	s.wake()
}

// event gives a session an event. The caller holds mu.
func (s *Server) event(se *session, kind string, body any) {
	se.seq++
	e := event{se.seq, mustJSON(map[string]any{"op": opDispatch, "d": body, "s": se.seq, "t": kind})}
	se.replay = append(se.replay, e)
	if n := len(se.replay); n > s.opts.Replay {
		se.replay = slices.Clone(se.replay[n-s.opts.Replay:])
	}
	if se.conn != nil {
		se.conn.event(e)
	}
}

func (c *conn) event(e event) {
	if c.zombie || c.mute {
		return
	}
	c.s.stats.Events++
	if c.session.compress && len(e.raw) >= compressFrom {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		_, _ = z.Write(e.raw) // a buffer takes everything
		_ = z.Close()
		c.push(frame{websocket.BinaryMessage, b.Bytes()})
		return
	}
	c.push(frame{websocket.TextMessage, e.raw})
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("fake discord: payload: %v", err))
	}
	return b
}
