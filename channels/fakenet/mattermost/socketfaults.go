package mattermost

import (
	"context"
	"time"

	"github.com/gorilla/websocket"
)

// SocketStats counts what happened on websockets since the start.
type SocketStats struct {
	Connects      int // websockets that were opened
	Authenticated int
	Rejected      int // websockets that came with a token that does not work
	Fresh         int // connections that began with hello
	Resumed       int // connections that went on where another had ended
	Lossy         int // connections that wanted to, and events were lost
	Pings, Pongs  int // that the client sent
	Events        int // that were sent
	Refused       int // attempts that met a fault
}

// Sockets returns what happened on websockets.
func (s *Server) Sockets() SocketStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

// AwaitSockets waits until ok is true of what happened on websockets. It is
// called with a lock held and must not call the server.
func (s *Server) AwaitSockets(ctx context.Context, what string, ok func(SocketStats) bool) error {
	return s.await(ctx, what, func() bool { return ok(s.stats) })
}

// AwaitConnected waits until a websocket is open on which events go out.
func (s *Server) AwaitConnected(ctx context.Context) error {
	return s.await(ctx, "a websocket", func() bool { return s.connected() > 0 })
}

// AwaitDisconnected waits until no such websocket is open.
func (s *Server) AwaitDisconnected(ctx context.Context) error {
	return s.await(ctx, "the end of all websockets", func() bool { return s.connected() == 0 })
}

// Connected returns how many websockets are open on which events go out.
func (s *Server) Connected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connected()
}

func (s *Server) connected() int {
	n := 0
	for c := range s.open {
		if c.authed && !c.frozen && !c.mute && !c.ended {
			n++
		}
	}
	return n
}

// CutSockets resets every websocket.
func (s *Server) CutSockets() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.open {
		c.ended = true
		reset(c.net)
	}
	s.wake()
}

// CloseSockets closes every websocket with a code.
func (s *Server) CloseSockets(code int, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.open {
		c.push(frame{websocket.CloseMessage, websocket.FormatCloseMessage(code, text)})
		c.ended = true
	}
	s.wake()
}

// ForgetConnections makes every connection impossible to resume: what happens
// while nobody is connected is found by REST only.
func (s *Server) ForgetConnections() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, c := range s.conns {
		if c.ended {
			delete(s.conns, id)
			continue
		}
		delete(s.conns, id)
		c.id = s.newID("con") // the id that the client knows is no longer one
		s.conns[c.id] = c
	}
}

// Freeze turns every open websocket into a half-open one: it stays open, and
// nothing comes, no event, no ping and no pong.
func (s *Server) Freeze() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.open {
		c.frozen = true
	}
	s.wake()
}

// Mute holds back the events of every open websocket, while pings go on.
func (s *Server) Mute() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.open {
		c.mute = true
	}
	s.wake()
}

// Lose drops the next n events: no connection gets them, now or later, and the
// sequence numbers show nothing.
func (s *Server) Lose(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lose += n
}

// SkipSequence leaves n sequence numbers out on every connection, as it looks
// when events were lost on the way.
func (s *Server) SkipSequence(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		c.seq += n
	}
}

// Repeat sends the last n events of every connection again.
func (s *Server) Repeat(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		if !c.ended {
			for _, e := range c.log[max(0, len(c.log)-n):] {
				c.push(e.frame())
			}
		}
	}
}

// HideFiles leaves the file ids out of the next n posted events; the posts have
// them.
func (s *Server) HideFiles(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bare += n
}

// Inject sends bytes to every open websocket as one text frame, well-formed or
// not.
func (s *Server) Inject(raw string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.open {
		c.push(frame{websocket.TextMessage, []byte(raw)})
	}
}

// InjectEvent sends an event of any kind and data to every connection.
func (s *Server) InjectEvent(kind string, data map[string]any, channelID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.event(kind, data, broadcast{ChannelID: channelID}, true)
}

// SlowSockets lets every open websocket write one byte per delay; 0 ends it.
func (s *Server) SlowSockets(delay time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.open {
		if slow, ok := c.net.(*slowConn); ok {
			slow.delay.Store(int64(delay))
		}
	}
}

type refusalKind int

const (
	refuseNothing refusalKind = iota
	refuseStatus
	refuseUpgrade
	refuseHello
)

// A refusal is what goes wrong with one of the next websockets.
type refusal struct {
	kind        refusalKind
	code, times int
}

// RefuseConnects answers the next n attempts to open a websocket with an HTTP
// status; a negative n stands for all until [Server.ClearFaults].
func (s *Server) RefuseConnects(n, status int) { s.refuseNext(refusal{refuseStatus, status, n}) }

// HangConnects never answers the next n attempts to open a websocket.
func (s *Server) HangConnects(n int) { s.refuseNext(refusal{refuseUpgrade, 0, n}) }

// FreezeConnects opens the next n websockets and sends nothing on them.
func (s *Server) FreezeConnects(n int) { s.refuseNext(refusal{refuseHello, 0, n}) }

func (s *Server) refuseNext(r refusal) {
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
	s.stats.Refused++
	s.wake()
	taken := s.refusals[0]
	if s.refusals[0].times > 0 {
		s.refusals[0].times--
	}
	if s.refusals[0].times == 0 {
		s.refusals = s.refusals[1:]
	}
	return taken
}
