package gateway

import (
	"context"
	"slices"
	"sync"
	"time"

	"outheis/channels"
	"outheis/config/texts"
	"outheis/relay"
)

// Times after which a person who waits is told why (spec/channels.md §4 row 7).
const (
	placeAfter   = 5 * time.Second  // of waiting behind others
	interimAfter = 10 * time.Second // of work
	courtesyTime = 10 * time.Second // for such a notice to be sent
)

// The notices to those who wait. Each is sent at most once for a question: it is
// written down before, and lost when the process dies in between.
const (
	noticePlace   = "place"   // the place in the queue
	noticeInterim = "interim" // still at work
)

// A courtesy is the notices about one question. They never come behind its
// answer: the lane takes the floor before it sends, and keeps it.
type courtesy struct {
	// floor holds a token while a notice is sent, and for ever once the answer is
	// about to be.
	floor chan struct{}
	taken bool // by the lane, or by Run once no lane works any more
	place *time.Timer
}

// takeFloor ends the notices and waits for one that is under way.
func (c *courtesy) takeFloor() {
	if c.taken {
		return
	}
	c.taken = true
	if c.place != nil {
		c.place.Stop()
	}
	c.floor <- struct{}{}
}

// attend watches over a question from when it is put into its lane: if it waits
// too long, its person is told at which place.
func (g *Gateway) attend(it *item) {
	it.courtesy.floor = make(chan struct{}, 1)
	if it.req.Intent != "" || !g.isCourteous(&it.req) {
		return
	}
	it.courtesy.place = time.AfterFunc(placeAfter, func() {
		defer g.contain("notice", accountOf(it.req.Payload.Address))
		if n := g.lanes.place(it); n > 0 {
			g.notify(it, noticePlace, func(t *texts.Texts) string { return t.Say("gateway.place", n) })
		}
	})
}

// atWork watches over the work on a question until the returned function is
// called: if it takes too long, its person is told that it goes on.
func (g *Gateway) atWork(it *item) (stop func()) {
	if it.courtesy.place != nil {
		it.courtesy.place.Stop()
	}
	if !g.isCourteous(&it.req) {
		return func() {}
	}
	timer := time.AfterFunc(interimAfter, func() {
		defer g.contain("notice", accountOf(it.req.Payload.Address))
		g.notify(it, noticeInterim, func(t *texts.Texts) string { return t.Say("gateway.interim") })
	})
	return func() { timer.Stop() }
}

// isCourteous reports that the asker is a person, on a network.
func (g *Gateway) isCourteous(req *Envelope) bool {
	id := accountOf(req.Payload.Address)
	if id.Channel == LocalChannel || req.From.User == nil {
		return false // programs on this machine show by themselves that they wait
	}
	return !slices.Contains(g.settings.Load().Policy.Access[id].Programs, req.From.User.Identity)
}

// notify sends a notice, if nobody has taken the floor and it was not sent
// before. It is tried once: a notice that comes late is none.
func (g *Gateway) notify(it *item, what string, say func(*texts.Texts) string) {
	if isClosed(g.stopping) {
		return
	}
	select {
	case it.courtesy.floor <- struct{}{}:
		defer func() { <-it.courtesy.floor }()
	default:
		return
	}
	req := &it.req
	out := g.outlets.at(accountOf(req.Payload.Address))
	if !out.isOpen() || out.gates.until(req.Payload.Address).After(g.now()) {
		return
	}
	if _, told, err := g.queue.Lookup(noticeCause(req.ID, what)); told || err != nil {
		return
	}
	var watch sync.WaitGroup
	defer watch.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), courtesyTime)
	defer cancel()
	watch.Go(func() {
		select {
		case <-g.stopping:
			cancel()
		case <-ctx.Done():
		}
	})
	e := req.event(eventNotice, noticeCause(req.ID, what))
	if _, err := g.queue.AppendAll(ctx, []Envelope{e}); err != nil {
		return // the queue says why when the answer is written
	}
	target := out.target(req.Payload.Address)
	target.Lang = req.Payload.Lang
	for _, body := range relay.Say(say(texts.For(req.Payload.Lang)), target).Parts {
		post := channels.Post{To: req.Payload.Address, Key: req.ID + "-" + what, Body: body}
		if g.takeTurn(ctx, out, post.To, new(pen)) != nil {
			return
		}
		if _, err := out.post(ctx, post); err != nil {
			if se := channels.AsSendError(err); se.Class == channels.RetryAfter {
				out.gates.block(post.To, se.Scope, g.now().Add(max(firstWait, se.After)))
			}
			g.log.Debug("notice was not delivered", "channel", out.id.String(), "id", req.ID, "err", err)
			return
		}
	}
}
