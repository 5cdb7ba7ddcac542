package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"outheis/agents"
	"outheis/channels"
)

// slotWait is how long a question waits for a free agent before the person is
// told that there is none: many times what a busy day brings.
const slotWait = 10 * time.Minute

// typingAfter is how long an answer takes before the chat shows that it is
// being prepared. Quick answers need no such sign.
const typingAfter = 500 * time.Millisecond

// response has the agent answer. It answers false when the person stopped or
// edited the question meanwhile.
func (g *Gateway) response(ctx context.Context, it *item, out *outlet) (Envelope, bool, error) {
	req := &it.req
	res := req.step(TypeResponse, responseCause(req.ID), req.To, partRelay)
	res.From.Agent = req.To
	poison, release, err := g.watch(ctx, it)
	if err != nil {
		return Envelope{}, false, err
	}
	defer release()
	var a agents.Answer
	var asked *heard
	if poison {
		err = errPoison
		g.tellPoison(ctx, req)
	} else {
		var away bool
		away, err = g.work(ctx, it, out, func(ctx context.Context, hold func(<-chan struct{})) (err error) {
			var ended <-chan struct{}
			asked, ended, err = await(ctx, g, func() (*heard, error) { return g.listenTo(ctx, it, out) })
			if hold(ended); err != nil {
				return err
			}
			a, ended, err = g.ask(ctx, it, asked)
			hold(ended)
			return err
		})
		if away || isOpenError(err) {
			return Envelope{}, false, err
		}
	}
	if err == nil {
		res.Payload.Answer = &a
	} else {
		res.Payload.Failure = g.explain(req, err)
	}
	settled := g.lanes.settle(it)
	if settled && asked != nil { // nobody else reads the request now
		asked.put(req)
		res.From.Agent = req.To
	}
	if settled && it.crashes > 1 { // before the next suspect begins, this one is cleared
		if err := g.write(ctx, res); err != nil {
			return Envelope{}, false, err
		}
	}
	return res, settled, nil
}

// An openError leaves a request open: the next start goes on with it.
type openError struct{ error }

func (e openError) Unwrap() error { return e.error }

func isOpenError(err error) bool { return errors.As(err, new(openError)) }

// work does f, which is what a request needs to be answered, under a slot;
// meanwhile the chat shows that somebody works. Whoever stops, edits or deletes the
// request ends f by its context, and then the request is away. The slot stays taken
// until all has ended that f told hold of: what does not heed its context is not
// waited for. Before f it is looked whether the person may still ask.
func (g *Gateway) work(ctx context.Context, it *item, out *outlet, f func(ctx context.Context, hold func(<-chan struct{})) error) (away bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if !g.lanes.begin(it, cancel) {
		return true, nil
	}
	if err = g.takeSlot(ctx, it); err == nil {
		err = func() error {
			var last <-chan struct{}
			defer func() { g.freeSlot(last) }()
			if _, may := g.standingOf(&it.req); !may {
				return openError{errNotAdmitted}
			}
			defer g.atWork(it)()
			defer g.typing(ctx, out, it.req.Payload.Address)()
			return f(ctx, func(ended <-chan struct{}) { last = ended })
		}()
	}
	switch cause := context.Cause(ctx); {
	case err == nil:
		return false, nil
	case errors.Is(err, ErrStopping):
		return false, openError{ErrStopping}
	case cause == errStopped, cause == errReplaced, cause == errDeleted:
		return true, nil
	case cause != nil:
		return false, openError{ErrStopping}
	}
	return false, err
}

// freeSlot frees a slot once what was done under it has ended.
func (g *Gateway) freeSlot(ended <-chan struct{}) {
	if ended == nil || isClosed(ended) {
		<-g.slots
		return
	}
	g.answers.Go(func() {
		<-ended
		<-g.slots
	})
}

// await does f and returns what f does, but does not wait for it any longer than
// ctx; ended is closed when f has returned. A panic is a [panicError].
func await[T any](ctx context.Context, g *Gateway, f func() (T, error)) (v T, ended <-chan struct{}, err error) {
	var got T
	var failed error
	done := make(chan struct{})
	g.answers.Go(func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				failed = &panicError{p, debug.Stack()}
			}
		}()
		got, failed = f()
	})
	select {
	case <-done:
		return got, done, failed
	case <-ctx.Done():
		return v, done, context.Cause(ctx)
	}
}

var (
	errTimeout    = errors.New("agent took too long")
	errOverloaded = errors.New("no agent was free")
	errPoison     = errors.New("the process died three times while this was answered")
)

// A panicError is a panic of an agent.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("agent panicked: %v\n%s", e.value, e.stack) }

// takeSlot waits for a free slot.
func (g *Gateway) takeSlot(ctx context.Context, it *item) error {
	select {
	case g.slots <- struct{}{}:
		return nil
	default:
	}
	free := time.NewTimer(slotWait)
	defer free.Stop()
	defer g.lanes.queues(it)()
	select {
	case g.slots <- struct{}{}:
		return nil
	case <-g.stopping:
		return ErrStopping
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-free.C:
		return errOverloaded
	}
}

// ask asks the agent, and does not wait for one whose time is over.
func (g *Gateway) ask(ctx context.Context, it *item, asked *heard) (agents.Answer, <-chan struct{}, error) {
	req := it.req // of our own: what was heard is not for others yet
	asked.put(&req)
	agent := g.agents[req.To]
	if agent == nil {
		return agents.Answer{}, nil, noAgentError(req.To)
	}
	role, may := g.standingOf(&req)
	if !may {
		return agents.Answer{}, nil, openError{errNotAdmitted}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, g.settings.Load().Timeout, errTimeout)
	defer cancel()
	r := agents.Request{
		ID: req.ID, Conversation: req.Conversation, Text: req.Payload.Text, At: askedAt(&req), Lang: req.Payload.Lang,
		Scope: req.Payload.Scope, Role: role, Public: req.Payload.Audience != channels.Direct,
		Audience: placesOf(&req.Payload),
		Turns:    g.turns.recall(req.Conversation, g.now()),
	}
	a, ended, err := await(ctx, g, func() (agents.Answer, error) {
		a, err := agent.Answer(ctx, r)
		if err == nil && a.IsZero() {
			err = errors.New("agent returned no answer")
		}
		return a, err
	})
	if err != nil && context.Cause(ctx) == errTimeout {
		err = errTimeout
	}
	return a, ended, err
}

// A noAgentError is the name of an agent that is not there.
type noAgentError string

func (e noAgentError) Error() string { return fmt.Sprintf("no agent %q", string(e)) }

// typing shows in the chat that an answer is being prepared, from half a second
// on until the returned function is called.
func (g *Gateway) typing(ctx context.Context, o *outlet, to channels.Address) (stop func()) {
	typer, ok := o.current().(channels.Typer)
	if !ok {
		return func() {}
	}
	var mu sync.Mutex // guards the fields below
	var end func()
	over := false
	timer := time.AfterFunc(typingAfter, func() {
		defer g.contain("typing", o.id)
		mu.Lock()
		defer mu.Unlock()
		if !over && ctx.Err() == nil {
			end = typer.Typing(ctx, to)
		}
	})
	return func() {
		defer g.contain("typing", o.id)
		timer.Stop()
		mu.Lock()
		defer mu.Unlock()
		over = true
		if end != nil {
			end()
		}
	}
}

// explain turns the error of an agent into what the person is told, and logs
// the cause.
func (g *Gateway) explain(req *Envelope, err error) *Failure {
	var known *agents.Error
	switch {
	case errors.As(err, &known) && known.Text != "":
		f := g.failure(req, "agent", err)
		f.Status, f.Text = known.Status, known.Text
		return f
	case errors.Is(err, errTimeout):
		return g.failure(req, "timeout", err)
	case errors.Is(err, errOverloaded):
		return g.failure(req, "overloaded", err)
	case errors.Is(err, errPoison):
		return g.failure(req, "poison", err)
	case errors.As(err, new(noAgentError)):
		return g.failure(req, "no_agent", err)
	}
	return g.failure(req, "failed", err)
}

// failure logs why a question got no answer and returns what stands in the log
// and what the person is told.
func (g *Gateway) failure(req *Envelope, code string, err error) *Failure {
	f := &Failure{Status: agents.StatusFailed, Code: code, Incident: incident(req.ID)}
	g.log.Error("question got no answer", "agent", req.To, "conversation", req.Conversation, "id", req.ID, "incident", f.Incident, "err", err)
	return f
}

// incident is a short name for a failure that a person can read out.
func incident(id string) string {
	sum := sha256.Sum256([]byte(id))
	return strings.ToUpper(base32.HexEncoding.EncodeToString(sum[:])[:5])
}
