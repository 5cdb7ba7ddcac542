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
	poison, release, err := g.watch(ctx, it)
	if err != nil {
		return Envelope{}, false, err
	}
	defer release()
	files, err := g.keepFiles(ctx, it, out)
	if err != nil {
		return Envelope{}, false, err
	}
	if err := g.hear(ctx, it, files); err != nil {
		if errors.Is(err, ErrStopping) || ctx.Err() != nil || !errors.As(err, new(*agents.Error)) {
			return Envelope{}, false, err
		}
		res.Payload.Failure = g.explain(req, err)
		return res, g.lanes.settle(it), nil
	}
	agent := g.agents[req.To]
	res.From.Agent = req.To
	switch {
	case poison:
		res.Payload.Failure = g.failure(req, "poison", errors.New("the process died three times while this was answered"))
		g.tellPoison(ctx, req)
	case agent == nil:
		res.Payload.Failure = g.failure(req, "no_agent", fmt.Errorf("no agent %q", req.To))
	default:
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		if !g.lanes.begin(it, cancel) {
			return Envelope{}, false, nil
		}
		a, err := g.ask(ctx, it, agent, out)
		switch {
		case err == nil:
			res.Payload.Answer = &a
		case errors.Is(err, ErrStopping):
			return Envelope{}, false, err
		case context.Cause(ctx) != nil:
			if cause := context.Cause(ctx); cause != errStopped && cause != errReplaced && cause != errDeleted {
				return Envelope{}, false, ErrStopping
			}
			return Envelope{}, false, nil
		default:
			res.Payload.Failure = g.explain(req, err)
		}
	}
	settled := g.lanes.settle(it)
	if settled && it.crashes > 1 { // before the next suspect begins, this one is cleared
		if err := g.write(ctx, res); err != nil {
			return Envelope{}, false, err
		}
	}
	return res, settled, nil
}

var (
	errTimeout    = errors.New("agent took too long")
	errOverloaded = errors.New("no agent was free")
)

// A panicError is a panic of an agent.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("agent panicked: %v\n%s", e.value, e.stack) }

// ask waits for a free slot and for the agent. It does not wait for an agent
// whose time is over; the slot stays taken until that agent really ends.
func (g *Gateway) ask(ctx context.Context, it *item, agent agents.Agent, out *outlet) (agents.Answer, error) {
	req := &it.req
	free := time.NewTimer(slotWait)
	defer free.Stop()
	select {
	case g.slots <- struct{}{}:
	default:
		served := g.lanes.queues(it)
		err := func() error {
			select {
			case g.slots <- struct{}{}:
				return nil
			case <-g.stopping:
				return ErrStopping
			case <-ctx.Done():
				return ctx.Err()
			case <-free.C:
				return errOverloaded
			}
		}()
		served()
		if err != nil {
			return agents.Answer{}, err
		}
	}
	defer g.atWork(it)()
	ctx, cancel := context.WithTimeoutCause(ctx, g.settings.Load().Timeout, errTimeout)
	defer cancel()
	defer g.typing(ctx, out, req.Payload.Address)()

	type result struct {
		answer agents.Answer
		err    error
	}
	done := make(chan result, 1)
	r := agents.Request{
		ID: req.ID, Conversation: req.Conversation, Text: req.Payload.Text, At: askedAt(req), Lang: req.Payload.Lang,
		Scope: req.Payload.Scope, Role: req.Payload.Role, Public: req.Payload.Audience != channels.Direct,
		Audience: placesOf(&req.Payload),
		Turns:    g.turns.recall(req.Conversation, g.now()),
	}
	g.answers.Go(func() {
		var res result
		defer func() {
			if p := recover(); p != nil {
				res.err = &panicError{p, debug.Stack()}
			}
			<-g.slots
			done <- res
		}()
		res.answer, res.err = agent.Answer(ctx, r)
		if res.err == nil && res.answer.IsZero() {
			res.err = errors.New("agent returned no answer")
		}
	})
	select {
	case res := <-done:
		if res.err != nil && context.Cause(ctx) == errTimeout {
			res.err = errTimeout
		}
		return res.answer, res.err
	case <-ctx.Done():
		return agents.Answer{}, context.Cause(ctx)
	}
}

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
