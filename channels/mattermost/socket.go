package mattermost

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"github.com/mattermost/mattermost/server/public/model"
)

const (
	// maxFrame bounds one message of the websocket.
	maxFrame = 8 << 20
	// backlog is how many messages may wait for us; with more the server has to.
	backlog = 256
	// writeWait is how long a write may take.
	writeWait = 10 * time.Second
)

// A socket is one connection of the websocket. Its reader hands over what
// comes; everything else is called by the one goroutine that owns it.
type socket struct {
	conn   *websocket.Conn
	frames chan []byte // closed by the reader when the connection has ended
	quit   chan struct{}
	once   sync.Once
	done   sync.WaitGroup
	err    error // why the reader ended; to be read after frames was closed

	sent     int64     // number of what we asked last
	asked    int64     // number of the ping that has no answer yet; 0 for none
	deadline time.Time // of that answer
}

// dial connects with the account of a client and says who we are.
func dial(ctx context.Context, c *client, token string) (*socket, error) {
	f := &failure{op: "websocket", token: fingerprint(token)}
	if !isToken(token) {
		f.kind, f.code, f.text = answered, http.StatusUnauthorized, "the token has not the form of an access token"
		return nil, f
	}
	d := websocket.Dialer{NetDialContext: dialer().DialContext, HandshakeTimeout: c.timeout, Proxy: nil}
	conn, resp, err := d.DialContext(ctx, "ws"+strings.TrimPrefix(c.base, "http")+"/api/v4/websocket", http.Header{"User-Agent": {"outheis"}})
	if err != nil {
		if resp != nil {
			resp.Body.Close()
			f.code, f.kind, f.text = resp.StatusCode, foreign, "no websocket here"
			switch {
			case resp.StatusCode == http.StatusTooManyRequests:
				f.kind, f.text, f.retryAfter = answered, "too many requests", waitAsked(resp.Header)
			case resp.StatusCode >= 500:
				f.kind, f.text = outage, "the server is out of order"
			}
			return nil, f
		}
		f.transport(ctx, err, false, token)
		return nil, f
	}
	conn.SetReadLimit(maxFrame)
	s := &socket{conn: conn, frames: make(chan []byte, backlog), quit: make(chan struct{})}
	if err := s.ask("authentication_challenge", map[string]any{"token": token}); err != nil {
		conn.Close()
		f.transport(ctx, err, true, token)
		return nil, f
	}
	s.done.Go(s.read)
	return s, nil
}

// read hands over what comes until the connection ends.
func (s *socket) read() {
	defer close(s.frames)
	for {
		_, raw, err := s.conn.ReadMessage()
		if err != nil {
			s.err = err
			return
		}
		select {
		case s.frames <- raw:
		case <-s.quit:
			s.err = errors.New("closed by us")
			return
		}
	}
}

// close ends the connection and waits for the reader.
func (s *socket) close() {
	s.once.Do(func() {
		close(s.quit)
		s.conn.Close()
	})
	s.done.Wait()
}

// ask sends one request over the websocket.
func (s *socket) ask(action string, with map[string]any) error {
	s.sent++
	if err := s.conn.SetWriteDeadline(time.Now().Add(writeWait)); err != nil {
		return err
	}
	return s.conn.WriteJSON(&model.WebSocketRequest{Seq: s.sent, Action: action, Data: with})
}

// ping asks the server for a sign of life. It is a request of the interface
// and no control frame, because the server answers it only while it still knows
// our session: a connection whose session was ended stays open and silent.
func (s *socket) ping(now time.Time, wait time.Duration) error {
	if err := s.ask("ping", nil); err != nil {
		return err
	}
	s.asked, s.deadline = s.sent, now.Add(wait)
	return nil
}

// answered takes an answer to something that we asked. It returns false when
// the server does not know us any more.
func (s *socket) answered(f frame) bool {
	if f.replyTo != s.asked || s.asked == 0 {
		return f.status != "FAIL"
	}
	s.asked = 0
	return f.status != "FAIL"
}

// late reports whether the server owes us an answer for too long.
func (s *socket) late(now time.Time) bool { return s.asked != 0 && now.After(s.deadline) }

// A frame is one message of the websocket: an event, or the answer to something
// that we asked.
type frame struct {
	event  string
	data   map[string]any
	chat   string // of the broadcast
	person string // of the broadcast
	seq    int64

	status  string // of an answer
	replyTo int64
}

// decode reads a message of the websocket.
func decode(raw []byte) (frame, error) {
	e, err := model.WebSocketEventFromJSON(bytes.NewReader(raw))
	if err != nil {
		return frame{}, errors.New("not JSON of the expected form")
	}
	if e.IsValid() {
		f := frame{event: string(e.EventType()), data: e.GetData(), seq: e.GetSequence()}
		if b := e.GetBroadcast(); b != nil {
			f.chat, f.person = b.ChannelId, b.UserId
		}
		return f, nil
	}
	var answer model.WebSocketResponse
	if json.Unmarshal(raw, &answer) != nil {
		return frame{}, errors.New("neither an event nor an answer")
	}
	return frame{status: answer.Status, replyTo: answer.SeqReply}, nil
}

// text returns what comes with an event under a name, or "". Objects are JSON
// in a string.
func (f frame) text(name string) string {
	s, _ := f.data[name].(string)
	return s
}
