package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"outheis/channels"
)

// A link is one connection. Its fields are set before its goroutines start, but
// for those that are atomic or guarded.
type link struct {
	conn     *websocket.Conn
	health   *health
	now      func() time.Time
	interval time.Duration
	begun    *time.Timer // ends the connection unless a session begins; the reader's

	seq   atomic.Int64
	acked atomic.Bool // the last heartbeat was answered
	busy  atomic.Bool // the reader waits for events to be stored

	writing sync.Mutex // one frame at a time

	mu    sync.Mutex // guards cause
	cause error
}

// read reads one frame. What is no frame is returned as one without operation.
func (l *link) read() (frame, error) {
	_, raw, err := l.conn.ReadMessage()
	if err != nil {
		return frame{}, err
	}
	var f frame
	if json.Unmarshal(raw, &f) != nil {
		return frame{}, nil
	}
	return f, nil
}

// heard notes that the gateway said something.
func (l *link) heard() { l.health.receive(l.now()) }

// send writes one frame.
func (l *link) send(op int, data any) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if err := l.conn.SetWriteDeadline(time.Now().Add(writeWait)); err != nil {
		return err
	}
	return l.conn.WriteJSON(struct {
		Op   int `json:"op"`
		Data any `json:"d"`
	}{op, data})
}

// beatNow sends a heartbeat. A failure shows at the reader.
func (l *link) beatNow() {
	var seq any
	if n := l.seq.Load(); n > 0 {
		seq = n
	}
	if err := l.send(opHeartbeat, seq); err != nil {
		l.stop(fmt.Errorf("heartbeat: %w", err))
	}
}

// beat sends heartbeats until done, the first after a part of the interval so
// that many clients do not beat at once. One that was not answered ends the
// connection.
func (l *link) beat(done <-chan struct{}) {
	first := channels.Backoff{Min: l.interval, Max: l.interval}
	tick := time.NewTimer(first.Next())
	defer tick.Stop()
	l.acked.Store(true)
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		if !l.acked.Swap(false) && !l.busy.Load() {
			l.stop(&failure{what: "receive", kind: unanswered, text: "the heartbeat was not answered"})
			return
		}
		l.beatNow()
		tick.Reset(l.interval)
	}
}

// watch ends the connection with ctx, or when somebody asks for it.
func (l *link) watch(ctx context.Context, done <-chan struct{}, kick <-chan error) {
	select {
	case <-done:
	case <-ctx.Done():
		l.stop(nil)
	case err := <-kick:
		l.stop(err)
	}
}

// stop ends the connection; the reader returns.
func (l *link) stop(cause error) {
	l.mu.Lock()
	if l.cause == nil {
		l.cause = cause
	}
	l.mu.Unlock()
	code := closeZombie
	if cause == nil {
		code = websocket.CloseNormalClosure
	}
	// The other side may be gone.
	_ = l.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(100*time.Millisecond))
	_ = l.conn.Close()
}

// reason returns why we ended the connection, or nil.
func (l *link) reason() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cause
}

// end closes the connection. It is closed in any case; an error says nothing.
func (l *link) end() { _ = l.conn.Close() }

// failed returns what a failed read or write means.
func (l *link) failed(ctx context.Context, err error, token string) *failure {
	f := &failure{what: "receive"}
	f.transport(ctx, err, true, token)
	return f
}
