package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"time"

	"outheis/config/texts"
	"outheis/relay"
	"outheis/store"
)

// carry takes a request to its end. Its lane waits for it; an error or a panic
// stays in it.
func (g *Gateway) carry(ctx context.Context, it *item) {
	log := g.log.With("conversation", it.req.Conversation, "id", it.req.ID)
	defer it.courtesy.takeFloor()
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
		if errors.Is(err, errNotAdmitted) {
			if !g.lanes.settle(it) {
				return "", nil
			}
			g.log.Info("question is not answered: its author may not ask any more", "channel", out.id.String(), "id", req.ID)
			g.local.finished(req, nil, EndBarred)
			return EndBarred, g.write(ctx, req.done(EndBarred))
		}
		if err != nil || !known {
			return "", err
		}
	}
	it.courtesy.takeFloor()
	end, err := g.send(ctx, it, out, &reply.Payload, &p)
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
		return g.ownReply(ctx, it, out, target, env, p)
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
	g.recent.note(req, res.Payload.Answer != nil, g.now())
	if res.Payload.Answer != nil {
		target.Remarks = g.remarks(req)
		g.turns.note(req.Conversation, g.now(), req.Payload.Text, *res.Payload.Answer)
		if !out.isOnce(req.Payload.Address) {
			target.Numbered, target.Buttons = true, buttons(req.ID, *res.Payload.Answer, req.Payload.Lang, "", "")
		}
		env.Payload.Reply = relay.Compose(*res.Payload.Answer, target)
		env.Payload.Origin = req.Cause
	} else {
		env.Payload.Reply = relay.Say(failureSentence(req, res.Payload.Failure), target)
	}
	target.Buttons, target.Remarks = nil, nil
	if res.Payload.Answer != nil { // a failure takes no answer's place (channels.md M5)
		if err := g.revise(&env, req, out, target); err != nil {
			return Envelope{}, false, err
		}
	}
	p.add(env)
	return g.fit(ctx, req, target, env, p)
}

// ownReply words the reply to a request that no agent answers. It answers false
// when the request was claimed meanwhile.
func (g *Gateway) ownReply(ctx context.Context, it *item, out *outlet, target relay.Target, env Envelope, p *pen) (Envelope, bool, error) {
	req := &it.req
	if req.Intent == intentFiles || req.Intent == intentEvidence { // fetching, keeping and proving are work as answering is
		poison, release, err := g.watch(ctx, it)
		if err != nil {
			return Envelope{}, false, err
		}
		defer release()
		if poison {
			g.tellPoison(ctx, req)
			env.Payload.Reply = relay.Say(failureSentence(req, g.explain(req, errPoison)), target)
			p.add(env)
			return env, g.lanes.settle(it), nil
		}
	}
	if _, may := g.standingOf(req); req.Intent == intentEvidence && !may {
		return Envelope{}, false, errNotAdmitted
	}
	if req.Intent == intentFiles {
		away, err := g.work(ctx, it, out, func(ctx context.Context, hold func(<-chan struct{})) error {
			_, ended, err := await(ctx, g, func() ([]KeptFile, error) { return g.keepFiles(ctx, it, out) })
			hold(ended)
			return err
		})
		if errors.Is(err, errOverloaded) {
			env.Payload.Reply = relay.Say(failureSentence(req, g.explain(req, err)), target)
			p.add(env)
			return env, g.lanes.settle(it), nil
		}
		if away || err != nil {
			return Envelope{}, false, err
		}
	}
	if !g.lanes.settle(it) {
		return Envelope{}, false, nil
	}
	if err := g.word(ctx, &env, req, out, target); err != nil {
		return Envelope{}, false, err
	}
	if it.crashes > 1 { // before the next suspect begins, this one is cleared
		return env, true, g.write(ctx, env)
	}
	p.add(env)
	return env, true, nil
}

// word words what the gateway says by itself.
func (g *Gateway) word(ctx context.Context, env *Envelope, req *Envelope, out *outlet, target relay.Target) (err error) {
	switch req.Intent {
	case intentFeedback:
		return g.acknowledge(env, req, out, target)
	case intentEvidence:
		env.Payload.Reply, err = g.exhibits(ctx, req, target)
		return err
	case intentFiles:
		env.Payload.Reply = relay.Say(g.filesRemark(req), target)
		return nil
	}
	env.Payload.Reply = relay.Say(g.sentence(req), target)
	return nil
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
	reply.Payload.Reply, reply.Payload.Origin = relay.Say(failureSentence(req, failure), target), ""
	reply.Payload.Edits, reply.Payload.Instead = nil, relay.Reply{}
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
	if heard, ok, err := g.queue.Lookup(heardCause(req.ID)); req.Payload.Unread == unreadVoice && ok && err == nil {
		return append(all, texts.For(req.Payload.Lang).Say("gateway.heard", heard.Payload.Text))
	}
	switch {
	case len(req.Payload.Files) > 0 && g.files != nil:
		all = append(all, g.filesRemark(req))
	case req.Payload.Unread != "" || len(req.Payload.Files) > 0:
		all = append(all, unreadRemark(req))
	}
	if req.Payload.Ref != "" {
		all = append(all, texts.For(req.Payload.Lang).Say("gateway.revised"))
	}
	return all
}
