package gateway

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// controlAnswer is how long a line from the gateway may be, in bytes.
const controlAnswer = 4 << 20

// A Client is a connection to the control socket of a running gateway, for one
// request or one chat. Its methods may not be called at the same time, except
// as [ChatClient] says.
type Client struct {
	conn *net.UnixConn
	r    *bufio.Reader
}

// DialControl connects to the gateway that owns the human directory dir. The
// error is [ErrNoGateway] when none is running.
func DialControl(dir string) (*Client, error) {
	conn, err := dialControl(dir)
	if err != nil {
		return nil, fmt.Errorf("gateway: control socket: %w", err)
	}
	return &Client{conn: conn, r: bufio.NewReader(conn)}, nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.conn.Close() }

// Ping asks whether the gateway is there.
func (c *Client) Ping(ctx context.Context) (Pong, error) {
	var p Pong
	return p, c.call(ctx, ControlRequest{Do: VerbPing}, &p)
}

// Status asks how the gateway stands, and returns the JSON of its Handlers.Status.
func (c *Client) Status(ctx context.Context) (json.RawMessage, error) {
	var s json.RawMessage
	return s, c.call(ctx, ControlRequest{Do: VerbStatus}, &s)
}

// Reload has the gateway read its configuration again.
func (c *Client) Reload(ctx context.Context) error {
	return c.call(ctx, ControlRequest{Do: VerbReload}, nil)
}

// Stop has the gateway stop, and returns when it has.
func (c *Client) Stop(ctx context.Context) error {
	if err := c.call(ctx, ControlRequest{Do: VerbStop}, nil); err != nil {
		return err
	}
	defer c.until(ctx)()
	_, err := c.r.ReadByte()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		return errors.New("gateway: stop: unexpected answer")
	}
	return nil // closed, or reset by a process that has ended
}

// Send asks a question and waits for the reply.
func (c *Client) Send(ctx context.Context, chat LocalChat, text string) (LocalAnswer, error) {
	var a LocalAnswer
	return a, c.call(ctx, ControlRequest{Do: VerbSend, Chat: chat, Text: text}, &a)
}

// call makes one request and decodes the data of its answer into v. An answer
// that says why not is a [*ControlError].
func (c *Client) call(ctx context.Context, req ControlRequest, v any) error {
	defer c.until(ctx)()
	if err := c.write(req); err != nil {
		return c.failed(ctx, req.Do, err)
	}
	res, err := c.read()
	if err != nil {
		return c.failed(ctx, req.Do, err)
	}
	if err := res.into(v); err != nil {
		return fmt.Errorf("gateway: %s: %w", req.Do, err)
	}
	return nil
}

func (c *Client) failed(ctx context.Context, do Verb, err error) error {
	if ctx.Err() != nil {
		err = ctx.Err()
	} else if errors.Is(err, io.EOF) {
		err = errors.New("connection was closed")
	}
	return fmt.Errorf("gateway: %s: %w", do, plain(err))
}

// until ends waiting on the connection with ctx; the returned function ends
// that.
func (c *Client) until(ctx context.Context) (stop func()) {
	end := context.AfterFunc(ctx, func() { c.conn.SetDeadline(time.Unix(1, 0)) })
	return func() {
		if end() {
			c.conn.SetDeadline(time.Time{})
		}
	}
}

func (c *Client) write(req ControlRequest) error {
	b, err := json.Marshal(req)
	if err != nil {
		return err
	}
	if len(b) >= controlLine {
		return &ControlError{CodeTooLarge, fmt.Sprintf("request of %d bytes", len(b))}
	}
	_, err = c.conn.Write(append(b, '\n'))
	return err
}

func (c *Client) read() (ControlResponse, error) {
	var line []byte
	for {
		piece, err := c.r.ReadSlice('\n')
		line = append(line, piece...)
		switch {
		case err == nil:
			var res ControlResponse
			if err := json.Unmarshal(bytes.TrimSpace(line), &res); err != nil {
				return res, fmt.Errorf("answer is no JSON: %w", err)
			}
			return res, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return ControlResponse{}, err
		case len(line) > controlAnswer:
			return ControlResponse{}, errors.New("answer is too long")
		}
	}
}

// into decodes the data of an answer.
func (r *ControlResponse) into(v any) error {
	switch {
	case r.Error != nil:
		return r.Error
	case !r.OK:
		return errors.New("answer says neither yes nor why not")
	case v == nil || len(r.Data) == 0:
		return nil
	}
	return json.Unmarshal(r.Data, v)
}

// A ChatClient is a conversation through the control socket. Its methods may be
// called from any goroutine, Next from one at a time.
type ChatClient struct {
	c      *Client
	events chan LocalEvent
	closed chan struct{} // closed by Close
	done   chan struct{} // closed when nothing more comes
	err    error         // why; set before done is closed
	close  func()

	mu   sync.Mutex // held while writing, so that answers come in the order of asks
	asks []chan chatAnswer
}

type chatAnswer struct {
	id  string
	err error
}

// Chat joins the conversation. The connection belongs to the chat from then on.
func (c *Client) Chat(ctx context.Context, chat LocalChat) (*ChatClient, error) {
	if err := c.call(ctx, ControlRequest{Do: VerbChat, Chat: chat}, nil); err != nil {
		return nil, err
	}
	cc := &ChatClient{c: c, events: make(chan LocalEvent, unreadParts), closed: make(chan struct{}), done: make(chan struct{})}
	cc.close = sync.OnceFunc(func() { close(cc.closed); c.conn.Close() })
	go cc.receive()
	return cc, nil
}

// Say asks a question and returns the id of the request, which is durable then.
func (c *ChatClient) Say(ctx context.Context, text string) (string, error) {
	return c.ask(ctx, ControlRequest{Do: VerbSay, Text: text})
}

// Stop stops the question that is being answered.
func (c *ChatClient) Stop(ctx context.Context) (string, error) {
	return c.ask(ctx, ControlRequest{Do: VerbStop})
}

// Next returns the next event and waits for it. When the gateway has ended the
// error is [io.EOF], or what broke the connection.
func (c *ChatClient) Next(ctx context.Context) (LocalEvent, error) {
	select {
	case e := <-c.events:
		return e, nil
	default:
	}
	select {
	case e := <-c.events:
		return e, nil
	case <-c.done:
		return LocalEvent{}, c.err
	case <-ctx.Done():
		return LocalEvent{}, ctx.Err()
	}
}

// Close leaves the conversation. Open questions are answered all the same.
func (c *ChatClient) Close() {
	c.close()
	<-c.done
}

// ask writes a request and waits for its answer.
func (c *ChatClient) ask(ctx context.Context, req ControlRequest) (string, error) {
	answer := make(chan chatAnswer, 1)
	c.mu.Lock()
	c.asks = append(c.asks, answer)
	c.c.conn.SetWriteDeadline(time.Now().Add(controlWait))
	err := c.c.write(req)
	if err != nil {
		c.asks = c.asks[:len(c.asks)-1]
	}
	c.mu.Unlock()
	if err != nil {
		return "", c.c.failed(ctx, req.Do, err)
	}
	select {
	case a := <-answer:
		return a.id, a.err
	case <-c.done:
		return "", c.c.failed(ctx, req.Do, c.err)
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// receive sorts what comes into answers and events, until the connection ends.
func (c *ChatClient) receive() {
	defer close(c.done)
	for {
		res, err := c.c.read()
		if err != nil {
			c.err = plain(err)
			return
		}
		if res.Event != nil {
			select {
			case c.events <- *res.Event:
			case <-c.closed:
			}
			continue
		}
		var accepted ControlAccepted
		a := chatAnswer{err: res.into(&accepted)}
		a.id = accepted.Request
		c.mu.Lock()
		if len(c.asks) > 0 {
			c.asks[0] <- a
			c.asks = c.asks[1:]
		}
		c.mu.Unlock()
	}
}
