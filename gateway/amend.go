package gateway

import "context"

// replace puts an edited question into the place of the original, which ends
// in the same commit.
func (g *Gateway) replace(ctx context.Context, req Envelope) error {
	key := laneOf(&req)
	original, place := g.lanes.claim(key, errReplaced, isMessage(req.Payload.Message))
	original, err := g.unanswered(original, place)
	if err != nil {
		return err
	}
	if original == nil { // answered meanwhile
		g.counts.refused(ReasonEditLate)
		return nil
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
