package discord

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/gorilla/websocket"
)

// GatewayStats counts what happened on the gateway since the start.
type GatewayStats struct {
	Connects    int // websockets that were opened
	ResumeURL   int // of them at the address that READY named
	Identifies  int
	Ready       int // IDENTIFYs that were answered with READY
	Resumes     int // attempts
	Resumed     int // attempts that worked
	Invalidated int // attempts that were answered with "invalid session"
	Heartbeats  int
	Events      int // events that were sent, repeated ones too
	Goodbyes    int // sessions that the client ended with 1000 or 1001
	TimedOut    int // connections without a heartbeat
	Intents     int // of the last IDENTIFY

	lose int
}

// Gateway returns what happened on the gateway.
func (s *Server) Gateway() GatewayStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := s.stats
	stats.lose = 0
	return stats
}

// AwaitGateway waits until ok is true of what happened on the gateway. It is
// called with a lock held and must not call the server.
func (s *Server) AwaitGateway(ctx context.Context, what string, ok func(GatewayStats) bool) error {
	return s.await(ctx, what, func() bool { return ok(s.stats) })
}

// AwaitConnected waits until a session has a connection on which events go out.
func (s *Server) AwaitConnected(ctx context.Context) error {
	return s.await(ctx, "a session", func() bool { return s.connected() > 0 })
}

// AwaitDisconnected waits until no session has a connection.
func (s *Server) AwaitDisconnected(ctx context.Context) error {
	return s.await(ctx, "the end of all sessions' connections", func() bool { return s.connected() == 0 })
}

// Connected returns how many sessions have a connection on which events go out.
func (s *Server) Connected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connected()
}

func (s *Server) connected() int {
	n := 0
	for _, se := range s.sessions {
		if se.conn != nil && !se.conn.zombie {
			n++
		}
	}
	return n
}

// CutGateway resets every websocket; the sessions can be resumed.
func (s *Server) CutGateway() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.cut()
	}
	s.wake()
}

// CloseGateway closes every websocket with a code. With 1000, 1001, 4004, 4007,
// 4009 to 4014 the sessions end as well.
func (s *Server) CloseGateway(code int, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.close(code, text)
	}
	s.wake()
}

// Reconnect asks every client to reconnect and resume, opcode 7, and leaves the
// connections open.
func (s *Server) Reconnect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.send(opReconnect, nil)
	}
}

// Invalidate tells every client that its session is invalid, opcode 9. Unless
// resumable, the sessions are gone, and the client may identify on the same
// connection.
func (s *Server) Invalidate(resumable bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.send(opInvalidSession, resumable)
		if c.session != nil && !resumable {
			delete(s.sessions, c.session.id)
			c.session = nil
		}
	}
	s.wake()
}

// ForgetSessions makes every present session impossible to resume once its
// connection has ended: what happens in the gap is found by REST only.
func (s *Server) ForgetSessions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, se := range s.sessions {
		se.doomed = true
	}
}

// Freeze turns every present connection into one that stays open while nothing
// comes: no event and no answer to heartbeats.
func (s *Server) Freeze() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.zombie = true
	}
	s.wake()
}

// Mute holds back the events of every present connection and goes on answering
// heartbeats. Resuming brings what was held back.
func (s *Server) Mute() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.mute = true
	}
}

// Lose drops the next n events: no session gets them, now or by resuming.
func (s *Server) Lose(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.lose += n
}

// Repeat sends the last n events of every session again, with their sequence
// numbers, as Discord does at times when a session is resumed.
func (s *Server) Repeat(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, se := range s.sessions {
		if se.conn == nil {
			continue
		}
		for _, e := range se.replay[max(0, len(se.replay)-n):] {
			se.conn.event(e)
		}
	}
}

// Inject sends bytes to every connection as one text frame, well-formed or not.
func (s *Server) Inject(raw string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.push(frame{websocket.TextMessage, []byte(raw)})
	}
}

// InjectEvent gives every session an event of any kind and body.
func (s *Server) InjectEvent(kind string, body any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dispatch(0, kind, body)
}

// AskHeartbeat asks every client for a heartbeat at once, opcode 1.
func (s *Server) AskHeartbeat() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.send(opHeartbeat, nil)
	}
}

// SlowGateway lets every present connection write one byte per delay; 0 ends
// it.
func (s *Server) SlowGateway(delay time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		if slow, ok := c.net.(*slowConn); ok {
			slow.delay.Store(int64(delay))
		}
	}
}

type refusalKind int

const (
	refuseNothing refusalKind = iota
	refuseStatus
	refuseHello
	refuseGarbage
	refuseClose
	refuseReady
	refuseSession
)

// A refusal is what goes wrong with one of the next connections.
type refusal struct {
	kind  refusalKind
	code  int
	text  string
	times int
}

// RefuseConnects answers the next n attempts to open a websocket with an HTTP
// status; a negative n stands for all until [Server.ClearFaults].
func (s *Server) RefuseConnects(n, status int) {
	s.refuse(refusal{refuseStatus, status, http.StatusText(status), n})
}

// HangConnects opens the next n websockets without ever saying HELLO.
func (s *Server) HangConnects(n int) { s.refuse(refusal{kind: refuseHello, times: n}) }

// GarbageConnects sends text in place of HELLO on the next n websockets.
func (s *Server) GarbageConnects(n int, text string) {
	s.refuse(refusal{kind: refuseGarbage, text: text, times: n})
}

// CloseConnects closes the next n websockets with a code in place of HELLO.
func (s *Server) CloseConnects(n, code int, text string) {
	s.refuse(refusal{refuseClose, code, text, n})
}

// WithholdReady never answers IDENTIFY and RESUME on the next n websockets.
func (s *Server) WithholdReady(n int) { s.refuse(refusal{kind: refuseReady, times: n}) }

// RejectConnects answers IDENTIFY and RESUME with a frame of the caller's, as
// opcode 7 or 9, on the next n websockets; a negative n stands for all until
// [Server.ClearFaults].
func (s *Server) RejectConnects(n int, frame string) {
	s.refuse(refusal{kind: refuseSession, text: frame, times: n})
}

func (s *Server) refuse(r refusal) {
	if r.times == 0 {
		panic(fmt.Sprintf("fake discord: a fault of kind %d for no connection", r.kind))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusals = append(s.refusals, r)
}

func (s *Server) takeRefusal() refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.refusals) == 0 {
		return refusal{}
	}
	r := &s.refusals[0]
	taken := *r
	if r.times > 0 {
		r.times--
	}
	if r.times == 0 {
		s.refusals = s.refusals[1:]
	}
	return taken
}

// refuseSession answers what wants a session. The server's lock is held.
func (c *conn) refuseSession() { c.push(frame{websocket.TextMessage, []byte(c.reject)}) }
