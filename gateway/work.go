package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/relay"
	"outheis/store"
)

// slotWait is how long a question waits for a free agent before the person is
// told that there is none: many times what a busy day brings.
const slotWait = 10 * time.Minute

// typingAfter is how long an answer takes before the chat shows that it is
// being prepared. Quick answers need no such sign.
const typingAfter = 500 * time.Millisecond

// carry takes a request to its end. Its lane waits for it; an error or a panic
// stays in it.
func (g *Gateway) carry(ctx context.Context, it *item) {
	log := g.log.With("conversation", it.req.Conversation, "id", it.req.ID)
	defer func() {
		if r := recover(); r != nil {
			log.Error("request panicked", "err", r, "stack", string(debug.Stack()))
			g.abandon(ctx, it)
		}
	}()
	switch end, err := g.steps(ctx, it); {
	case err == nil && end != "":
		g.counts.ended(end)
	case err == nil, errors.Is(err, ErrStopping), ctx.Err() != nil:
	default:
		log.Error("request stays open", "err", err)
		g.local.gaveUp(&it.req)
	}
}

// abandon parks a request that can be taken no further.
func (g *Gateway) abandon(ctx context.Context, it *item) {
	if !g.lanes.settle(it) {
		return
	}
	if err := g.write(ctx, it.req.done(EndParked)); err != nil {
		return
	}
	g.counts.ended(EndParked)
	g.tellParked(ctx, &it.req, "panic")
	g.local.gaveUp(&it.req)
}

// steps takes each step that the log does not hold yet. The end is "" when
// somebody else has ended the request.
func (g *Gateway) steps(ctx context.Context, it *item) (End, error) {
	req := &it.req
	if !it.fresh {
		if _, ok, err := g.queue.Lookup(doneCause(req.ID)); ok || err != nil {
			return "", err
		}
	}
	var p pen
	out := g.outlets.at(accountOf(req.Payload.Address))
	if !out.isOpen() {
		if g.isOld(req) && g.lanes.settle(it) {
			return EndExpired, g.write(ctx, req.done(EndExpired))
		}
		g.log.Warn("request waits for its account", "channel", out.id.String(), "id", req.ID)
	}
	if err := g.untilOpen(ctx, out, &p); err != nil {
		return "", err
	}
	reply, known, err := g.lookUp(it, replyCause(req.ID))
	switch {
	case err != nil:
		return "", err
	case known:
		if !g.lanes.settle(it) {
			return "", nil
		}
	case g.isExpired(req):
		if !g.lanes.settle(it) {
			return "", nil
		}
		err := g.write(ctx, req.done(EndExpired))
		g.local.finished(req, nil, EndExpired)
		return EndExpired, err
	default:
		reply, known, err = g.reply(ctx, it, out, &p)
		if err != nil || !known {
			return "", err
		}
	}
	end, err := g.send(ctx, it, out, reply.Payload.Reply, &p)
	if err != nil {
		return "", err
	}
	p.add(req.done(end))
	if err := g.flush(ctx, &p); err != nil {
		return "", err
	}
	g.local.finished(req, it.res, end)
	return end, nil
}

// A pen holds steps that are taken and not written yet. They are written
// together, and always before anything leaves the process.
type pen struct{ steps []Envelope }

func (p *pen) add(e Envelope) { p.steps = append(p.steps, e) }

func (g *Gateway) flush(ctx context.Context, p *pen) error {
	if len(p.steps) == 0 {
		return nil
	}
	err := g.write(ctx, p.steps...)
	if err == nil {
		p.steps = p.steps[:0]
	}
	return err
}

// lookUp finds a step in the log. A fresh request has none.
func (g *Gateway) lookUp(it *item, cause string) (Envelope, bool, error) {
	if it.fresh {
		return Envelope{}, false, nil
	}
	return g.queue.Lookup(cause)
}

// isExpired reports that req waited longer than anybody wants an answer.
func (g *Gateway) isExpired(req *Envelope) bool {
	unlimited := g.settings.Load().Policy.Access[accountOf(req.Payload.Address)].Unlimited
	return !unlimited && req.Intent != intentAdmin && g.isOld(req)
}

// isOld reports that req is older than what people want an answer to.
func (g *Gateway) isOld(req *Envelope) bool {
	return g.now().Sub(askedAt(req)) > g.settings.Load().Policy.Limits.withDefaults().MaxAge
}

// askedAt returns when the person wrote, as far as we know.
func askedAt(req *Envelope) time.Time {
	if a := req.Payload.Asked; !a.IsZero() && a.Before(req.At.Time) {
		return a
	}
	return req.At.Time
}

// reply words the reply: of the gateway itself, or of what an agent answered.
// It answers false when the request was claimed meanwhile.
func (g *Gateway) reply(ctx context.Context, it *item, out *outlet, p *pen) (Envelope, bool, error) {
	req := &it.req
	target := out.target(req.Payload.Address)
	target.Lang = req.Payload.Lang
	env := req.step(TypeResponse, replyCause(req.ID), partRelay, partTransport)
	if req.Intent != "" {
		if !g.lanes.settle(it) {
			return Envelope{}, false, nil
		}
		env.Payload.Reply = relay.Say(g.sentence(req), target)
		p.add(env)
		return env, true, nil
	}
	res, known, err := g.lookUp(it, responseCause(req.ID))
	switch {
	case err != nil:
		return Envelope{}, false, err
	case known:
		if !g.lanes.settle(it) {
			return Envelope{}, false, nil
		}
	default:
		res, known, err = g.response(ctx, it, out)
		if err != nil || !known {
			return Envelope{}, false, err
		}
		p.add(res)
		g.counts.answered(&res)
	}
	it.res = &res.Payload
	if res.Payload.Answer != nil {
		g.turns.note(req.Conversation, g.now(), req.Payload.Text, *res.Payload.Answer)
		target.Remarks = g.remarks(req)
		env.Payload.Reply = relay.Compose(*res.Payload.Answer, target)
	} else {
		env.Payload.Reply = relay.Say(failureSentence(req, res.Payload.Failure), target)
	}
	p.add(env)
	return g.fit(ctx, req, target, env, p)
}

// fit makes sure that what the pen holds fits the log. Where that is not plain
// it is written at once, and a reply that is too long is worded anew, as a
// sentence that says so.
func (g *Gateway) fit(ctx context.Context, req *Envelope, target relay.Target, reply Envelope, p *pen) (Envelope, bool, error) {
	if p.isSmall() {
		return reply, true, nil
	}
	err := g.flush(ctx, p)
	if !errors.Is(err, store.ErrTooLong) {
		return reply, err == nil, err
	}
	failure := g.failure(req, "too_large", err)
	res := req.step(TypeResponse, responseCause(req.ID), req.To, partRelay)
	res.Payload.Failure = failure
	reply.Payload.Reply = relay.Say(failureSentence(req, failure), target)
	p.steps = []Envelope{res, reply}
	return reply, true, nil
}

// comfortable is how many bytes of text fit a line of the log however they are
// escaped there.
const comfortable = 32 << 10

// isSmall reports that every step surely fits a line of the log.
func (p *pen) isSmall() bool {
	for _, e := range p.steps {
		n := 0
		for _, part := range e.Payload.Reply.Parts {
			n += len(part.Text) + len(part.Plain)
		}
		if e.Payload.Answer != nil {
			b, err := json.Marshal(e.Payload.Answer)
			if err != nil {
				return false
			}
			n += len(b)
		}
		if n >= comfortable {
			return false
		}
	}
	return true
}

// remarks are sentences that stand behind an answer: that it comes late, or
// that something was not read.
func (g *Gateway) remarks(req *Envelope) []string {
	var all []string
	now, s := g.now(), g.settings.Load()
	if asked := askedAt(req); now.Sub(asked) > s.Policy.Limits.withDefaults().Late && g.sorry.first(req.Conversation, now) {
		all = append(all, lateRemark(req, asked.In(s.Zone)))
	}
	if req.Payload.Unread != "" {
		all = append(all, unreadRemark(req))
	}
	return all
}

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
	agent := g.agents[req.To]
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
		a, err := g.ask(ctx, req, agent, out)
		switch {
		case err == nil:
			res.Payload.Answer = &a
		case errors.Is(err, ErrStopping):
			return Envelope{}, false, err
		case context.Cause(ctx) != nil:
			if cause := context.Cause(ctx); cause != errStopped && cause != errReplaced {
				return Envelope{}, false, ErrStopping
			}
			return Envelope{}, false, nil
		default:
			res.Payload.Failure = g.explain(req, err)
		}
	}
	return res, g.lanes.settle(it), nil
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
func (g *Gateway) ask(ctx context.Context, req *Envelope, agent agents.Agent, out *outlet) (agents.Answer, error) {
	free := time.NewTimer(slotWait)
	defer free.Stop()
	select {
	case g.slots <- struct{}{}:
	default:
		select {
		case g.slots <- struct{}{}:
		case <-g.stopping:
			return agents.Answer{}, ErrStopping
		case <-ctx.Done():
			return agents.Answer{}, ctx.Err()
		case <-free.C:
			return agents.Answer{}, errOverloaded
		}
	}
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
		Turns: g.turns.recall(req.Conversation, g.now()),
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
