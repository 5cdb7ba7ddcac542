package gateway

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"outheis/store"
)

// A Verb is what a control request asks for.
type Verb string

// The verbs of the control socket. Each request and each response is one line
// of JSON.
//
// Ping, status, reload, stop and what concerns pairing are answered at once. After stop the connection
// is closed when the gateway has ended. Send waits for the reply. Chat turns
// the connection into a conversation: the client goes on with say, stop and
// bye, each of which is answered in order, and between these answers come
// events.
const (
	VerbPing   Verb = "ping"
	VerbStatus Verb = "status"
	VerbReload Verb = "reload"
	VerbStop   Verb = "stop" // in a chat: stop the question that is being answered
	VerbSend   Verb = "send"
	VerbChat   Verb = "chat"
	VerbSay    Verb = "say"
	VerbBye    Verb = "bye"

	VerbPairings    Verb = "pairings"
	VerbPair        Verb = "pair"
	VerbUnpair      Verb = "unpair"
	VerbOpenPairing Verb = "open_pairing"

	VerbStrangers Verb = "strangers" // who was turned away
	VerbCheck     Verb = "check"     // look over the setup of an account
)

// A ControlRequest is a line from a client.
type ControlRequest struct {
	Do   Verb      `json:"do"`
	Text string    `json:"text,omitempty"` // of send and say; of pair the code, of check the account
	Chat LocalChat `json:"chat,omitzero"`  // of send and chat
	// Who is the person of unpair, Seconds how long open_pairing opens the window.
	Who     Paired `json:"who,omitzero"`
	Seconds int64  `json:"seconds,omitempty"`
}

// A ControlResponse is a line from the gateway: the answer to a request, or an
// event of a chat.
type ControlResponse struct {
	OK    bool            `json:"ok"`
	Error *ControlError   `json:"error,omitempty"`
	Data  json.RawMessage `json:"data,omitempty"`
	Event *LocalEvent     `json:"event,omitempty"`
}

// A ControlError says why a request was not served.
type ControlError struct {
	Code ControlCode `json:"code"`
	Text string      `json:"text"` // for the log, not for people
}

func (e *ControlError) Error() string { return fmt.Sprintf("control: %s: %s", e.Code, e.Text) }

// A ControlCode is a kind of ControlError.
type ControlCode string

// The codes of a ControlError.
const (
	CodeBadRequest ControlCode = "bad_request" // no line of JSON with a known verb
	CodeTooLarge   ControlCode = "too_large"   // the line is longer than 64 KiB
	CodeBusy       ControlCode = "busy"        // too many connections
	CodeStopping   ControlCode = "stopping"
	CodeJoined     ControlCode = "joined"   // the chat has a session
	CodeDegraded   ControlCode = "degraded" // the disk takes nothing
	CodeFailed     ControlCode = "failed"

	CodeWrongCode ControlCode = "wrong_code" // [ErrWrongCode]
	CodePaused    ControlCode = "paused"     // [PausedError]; the text is its time in RFC 3339
	CodeNoPairing ControlCode = "no_pairing" // [ErrNoPairing]
	CodeNotPaired ControlCode = "not_paired" // [ErrNotPaired]
	CodeNamed     ControlCode = "named"      // [ErrNamed]
)

// A Pong is the answer to ping.
type Pong struct {
	PID     int    `json:"pid"`
	Version string `json:"version,omitempty"`
}

// Handlers do what control requests ask for. A nil function is answered with
// CodeFailed.
type Handlers struct {
	Version string
	Status  func() any // encoded as JSON
	Reload  func(context.Context) error
	Stop    func() // begins to stop; does not wait
	Ask     func(context.Context, LocalChat, string) (LocalAnswer, error)
	Join    func(LocalChat) (*Session, error)
	Pairing func(context.Context, ControlRequest) (any, error) // the verbs about pairing

	Strangers func() []Stranger
	Check     func(ctx context.Context, account string) (any, error)
}

// Handlers returns those that need nothing but g; Reload and Stop are left to
// the caller.
func (g *Gateway) Handlers() Handlers {
	return Handlers{
		Status: func() any { return g.Status() },
		Ask: func(ctx context.Context, c LocalChat, text string) (LocalAnswer, error) {
			g.awaitStart(ctx)
			return g.Ask(ctx, c, text)
		},
		Join: func(c LocalChat) (*Session, error) {
			g.awaitStart(context.Background())
			return g.Join(c)
		},
		Pairing: g.servePairing,

		Strangers: g.Strangers,
	}
}

const (
	controlLine  = 64 << 10 // bytes of a request
	controlConns = 32
	controlWait  = 10 * time.Second // for the first line, and for a client that does not read
)

// startWait bounds how long a client waits for a gateway that begins, which reads
// the end of a long log first.
const startWait = 30 * time.Second

func (g *Gateway) awaitStart(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	select {
	case <-g.ready:
	case <-ctx.Done(): // what is asked of it then says why not
	}
}

// Serve serves the control socket until ctx ends, and returns when every
// connection is closed. After Close it takes no further connection, and those
// that are open stay until ctx ends. It may be called once.
func (c *Control) Serve(ctx context.Context, h Handlers, log *slog.Logger) error {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	var conns sync.WaitGroup
	defer conns.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer c.Close()
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	slots := make(chan struct{}, controlConns)
	for {
		conn, err := c.listener.AcceptUnix()
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if errors.Is(err, net.ErrClosed) {
				<-ctx.Done()
				return ctx.Err()
			}
			log.Warn("control connection failed", "err", err)
			if err := sleep(ctx, 100*time.Millisecond); err != nil { // out of descriptors, say
				return err
			}
			continue
		}
		s := &controlConn{conn: conn, h: h, log: log}
		select {
		case slots <- struct{}{}:
			conns.Go(func() { defer func() { <-slots }(); s.serve(ctx) })
		default:
			conns.Go(func() { s.refuse(CodeBusy, "too many connections"); conn.Close() })
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// controlConn is one connection. Write may be called from two goroutines.
type controlConn struct {
	conn *net.UnixConn
	h    Handlers
	log  *slog.Logger
	mu   sync.Mutex // held while writing
}

// serve reads the first request, and what follows it.
func (s *controlConn) serve(ctx context.Context) {
	defer s.conn.Close()
	if err := checkPeer(s.conn); err != nil {
		s.log.Warn("control connection refused", "err", err)
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	hangUp := context.AfterFunc(ctx, func() { s.conn.SetReadDeadline(time.Unix(1, 0)) })
	defer hangUp()
	r := bufio.NewReaderSize(s.conn, controlLine)
	s.conn.SetReadDeadline(time.Now().Add(controlWait))
	req, err := s.next(r)
	if err != nil {
		return
	}
	s.conn.SetReadDeadline(time.Time{})
	if ctx.Err() != nil {
		return
	}
	switch req.Do {
	case VerbPing:
		s.answer(Pong{PID: os.Getpid(), Version: s.h.Version}, nil)
	case VerbStatus:
		if s.h.Status == nil {
			s.refuse(CodeFailed, "no status")
			return
		}
		s.answer(s.h.Status(), nil)
	case VerbReload:
		if s.h.Reload == nil {
			s.refuse(CodeFailed, "no reload")
			return
		}
		s.answer(nil, s.h.Reload(ctx))
	case VerbStop:
		if s.h.Stop == nil {
			s.refuse(CodeFailed, "no stop")
			return
		}
		s.answer(nil, nil)
		s.h.Stop()
		s.wait(r)
	case VerbSend:
		s.send(ctx, cancel, r, req)
	case VerbChat:
		s.chat(ctx, cancel, r, req)
	case VerbPairings, VerbPair, VerbUnpair, VerbOpenPairing:
		if s.h.Pairing == nil {
			s.refuse(CodeFailed, "no pairing")
			return
		}
		s.answer(s.h.Pairing(ctx, req))
	case VerbStrangers:
		if s.h.Strangers == nil {
			s.refuse(CodeFailed, "nobody is known")
			return
		}
		s.answer(s.h.Strangers(), nil)
	case VerbCheck:
		if s.h.Check == nil {
			s.refuse(CodeFailed, "nothing can be checked")
			return
		}
		s.answer(s.h.Check(ctx, req.Text))
	default:
		s.refuse(CodeBadRequest, "verb does not begin a connection")
	}
}

// next reads a request, and answers one that it cannot read.
func (s *controlConn) next(r *bufio.Reader) (ControlRequest, error) {
	line, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		s.refuse(CodeTooLarge, "line is longer than 64 KiB")
		return ControlRequest{}, err
	case err != nil:
		return ControlRequest{}, err
	}
	req, err := ParseControlRequest(line)
	if err != nil {
		s.refuse(CodeBadRequest, err.Error())
	}
	return req, err
}

// ParseControlRequest reads a line from a client. Fields that it does not know
// are ignored; a verb that it does not know is an error.
func ParseControlRequest(line []byte) (ControlRequest, error) {
	var req ControlRequest
	if err := json.Unmarshal(bytes.TrimSpace(line), &req); err != nil {
		return ControlRequest{}, errors.New("line is no JSON object of a request")
	}
	switch req.Do {
	case VerbPing, VerbStatus, VerbReload, VerbStop, VerbSend, VerbChat, VerbSay, VerbBye,
		VerbPairings, VerbPair, VerbUnpair, VerbOpenPairing, VerbStrangers, VerbCheck:
		return req, nil
	}
	return ControlRequest{}, fmt.Errorf("unknown verb %.40q", req.Do)
}

// wait returns when the client hangs up or the server ends.
func (s *controlConn) wait(r *bufio.Reader) {
	for {
		if _, err := r.ReadByte(); err != nil {
			return
		}
	}
}

// send asks and waits for the reply, as long as the client does.
func (s *controlConn) send(ctx context.Context, cancel context.CancelFunc, r *bufio.Reader, req ControlRequest) {
	if s.h.Ask == nil {
		s.refuse(CodeFailed, "no send")
		return
	}
	gone := make(chan struct{})
	go func() { defer close(gone); s.wait(r); cancel() }()
	a, err := s.h.Ask(ctx, req.Chat, req.Text)
	if ctx.Err() == nil {
		s.answer(a, err)
	}
	cancel()
	<-gone
}

// chat lets the client say more, and shows it what comes.
func (s *controlConn) chat(ctx context.Context, cancel context.CancelFunc, r *bufio.Reader, req ControlRequest) {
	if s.h.Join == nil {
		s.refuse(CodeFailed, "no chat")
		return
	}
	session, err := s.h.Join(req.Chat)
	if err != nil {
		s.answer(nil, err)
		return
	}
	defer session.Close()
	s.answer(nil, nil)
	var events sync.WaitGroup
	defer events.Wait()
	defer cancel()
	events.Go(func() {
		for {
			e, err := session.Next(ctx)
			if err != nil {
				return
			}
			if err := s.write(ControlResponse{OK: true, Event: &e}); err != nil {
				session.putBack(e)
				cancel()
				return
			}
		}
	})
	for {
		req, err := s.next(r)
		if err != nil {
			return
		}
		var id string
		switch req.Do {
		case VerbSay:
			id, err = session.Say(ctx, req.Text)
		case VerbStop:
			id, err = session.Stop(ctx)
		case VerbBye:
			s.answer(nil, nil)
			return
		default:
			s.refuse(CodeBadRequest, "verb does not belong into a chat")
			return
		}
		if s.answer(ControlAccepted{id}, err) != nil {
			return
		}
	}
}

// ControlAccepted is the answer to say, and to stop in a chat.
type ControlAccepted struct {
	Request string `json:"request"`
}

// answer writes data, or the error.
func (s *controlConn) answer(data any, err error) error {
	var coded *ControlError
	switch {
	case err == nil:
	case errors.As(err, &coded):
		return s.write(ControlResponse{Error: coded})
	case errors.Is(err, ErrStopping), errors.Is(err, ErrNotRunning):
		return s.refuse(CodeStopping, err.Error())
	case errors.Is(err, ErrJoined):
		return s.refuse(CodeJoined, err.Error())
	case errors.Is(err, store.ErrDegraded), errors.Is(err, store.ErrFailed):
		return s.refuse(CodeDegraded, err.Error())
	default:
		return s.refuse(CodeFailed, err.Error())
	}
	res := ControlResponse{OK: true}
	if data != nil {
		b, err := json.Marshal(data)
		if err != nil {
			return s.refuse(CodeFailed, err.Error())
		}
		res.Data = b
	}
	return s.write(res)
}

func (s *controlConn) refuse(code ControlCode, text string) error {
	return s.write(ControlResponse{Error: &ControlError{code, text}})
}

// write writes one line. A client that does not read loses its connection.
func (s *controlConn) write(res ControlResponse) error {
	b, err := json.Marshal(res)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn.SetWriteDeadline(time.Now().Add(controlWait))
	_, err = s.conn.Write(append(b, '\n'))
	return err
}
