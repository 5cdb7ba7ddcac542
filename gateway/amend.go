package gateway

import (
	"context"
	"crypto/sha256"

	"outheis/channels"
)

// original finds the question whose message e edits: one that waits, or one that
// has its answer.
func (g *Gateway) original(conversation string, e channels.Event) *Original {
	to := g.route(e)
	if req, ok := g.lanes.find(conversation, isMessage(e.Message)); ok {
		return &Original{
			At:   req.Payload.Asked,
			Same: to.Agent == req.To && to.Scope == req.Payload.Scope && to.text == req.Payload.Text,
		}
	}
	q, ok := g.recent.find(conversation, e.Message)
	if !ok {
		return nil
	}
	return &Original{At: q.asked, Same: to.Route == q.Route && sha256.Sum256([]byte(to.text)) == q.text, Answered: true}
}

// isMessageIn matches the question of a message, whoever asked it: of a deletion
// networks do not tell whose it was.
func isMessageIn(e channels.Event) func(*item) bool {
	is := isMessage(e.Message)
	return func(it *item) bool {
		a := it.req.Payload.Address
		return is(it) && accountOf(a) == accountOf(e.Address) && a.Chat() == e.Address.Chat()
	}
}

// withdraw ends the question of a message that was deleted before its answer.
func (g *Gateway) withdraw(ctx context.Context, e channels.Event) error {
	match := isMessageIn(e)
	key, ok := g.lanes.keyOf(match)
	if !ok {
		return nil
	}
	it, place := g.lanes.claim(key, errDeleted, match)
	it, err := g.unanswered(it, place)
	if it == nil || err != nil {
		return err
	}
	if _, err := g.queue.AppendAll(ctx, []Envelope{it.req.done(EndDeleted)}); err != nil {
		g.lanes.release(it, place)
		return err
	}
	g.lanes.forget(it)
	g.counts.ended(EndDeleted)
	g.local.finished(&it.req, nil, EndDeleted)
	return nil
}

// replace puts an edited question into the place of the original, which ends
// in the same commit. One that has its answer is asked anew, and the new answer
// goes into the place of the old one.
func (g *Gateway) replace(ctx context.Context, req Envelope) error {
	key := laneOf(&req)
	original, place := g.lanes.claim(key, errReplaced, isMessage(req.Payload.Message))
	original, err := g.unanswered(original, place)
	if err != nil {
		return err
	}
	if original == nil {
		q, ok := g.recent.find(req.Conversation, req.Payload.Message)
		if !ok {
			g.counts.refused(ReasonEditLate)
			return nil
		}
		if req.Intent == "" {
			req.Payload.Ref = q.id
			if stands, ok := g.recent.answer(req.Conversation, req.Payload.Message); ok {
				req.Payload.Ref = stands.id // below which only a failure was told
			}
		}
		return g.queueRequest(ctx, req)
	}
	if req.Intent == "" {
		req.Payload.Ref = original.req.Payload.Ref // of an edit that has an answer before it, which still stands
	}
	es, err := g.queue.AppendAll(ctx, []Envelope{req, original.req.done(EndReplaced)})
	if err != nil {
		g.lanes.release(original, place)
		return err
	}
	g.lanes.replace(original, &item{lane: key, req: es[0], fresh: true}, place)
	g.counts.ended(EndReplaced)
	g.local.finished(&original.req, nil, EndReplaced)
	return nil
}

// unanswered gives a claimed item back, and returns nil, when the log has its
// response: from before a restart, which its lane has not looked up yet.
func (g *Gateway) unanswered(it *item, place int) (*item, error) {
	if it == nil {
		return nil, nil
	}
	_, answered, err := g.lookUp(it, responseCause(it.req.ID))
	if answered || err != nil {
		g.lanes.release(it, place)
		return nil, err
	}
	return it, nil
}

// stopRunning ends the question that is being answered, in the same commit in
// which it takes the command.
func (g *Gateway) stopRunning(ctx context.Context, req Envelope) error {
	running := g.lanes.claimRunning(req.Conversation, errStopped, func(*item) bool { return true })
	running, err := g.unanswered(running, 0)
	if err != nil {
		return err
	}
	if running == nil {
		return g.queueRequest(ctx, req)
	}
	req.Payload.Ref = running.req.ID
	es, err := g.queue.AppendAll(ctx, []Envelope{req, running.req.done(EndStopped)})
	if err != nil {
		g.lanes.release(running, 0)
		return err
	}
	g.lanes.replace(running, &item{lane: laneOf(&es[0]), req: es[0], fresh: true}, -1)
	g.counts.ended(EndStopped)
	g.local.finished(&running.req, nil, EndStopped)
	return nil
}
