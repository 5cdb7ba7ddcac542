package gateway

import (
	"context"
	"sync"
	"time"

	"outheis/channels"
	"outheis/config/texts"
)

// Times of the outbox (spec/reliability.md §1.7, spec/outheis.md §8.1).
const (
	firstWait  = time.Second      // before the second try of a part that was not sent
	waitFactor = 4                // each further wait is so much longer
	longestTry = 15 * time.Minute // and none longer than this
	unsureWait = 30 * time.Second // before a part that may have arrived is sent once more, unless Options say otherwise
	unwellWait = 10 * time.Minute // at most so much longer while the channel says that its network is out of order
	unwellLook = 5 * time.Second  // between two looks at that
	giveUp     = 24 * time.Hour   // after the first try of a part
	mostMoves  = 3                // of one part to another address
)

// send delivers the parts of a reply in order, from the first that has no
// receipt. What p holds is written before anything is sent. The error is
// ErrStopping when the gateway ends meanwhile; then the rest stays open.
func (g *Gateway) send(ctx context.Context, it *item, out *outlet, reply *Payload, p *pen) (End, error) {
	to := it.req.Payload.Address
	for i := range reply.Parts {
		progress, err := g.progressOf(it, i+1, reply)
		if err != nil {
			return "", err
		}
		if !progress.to.IsZero() {
			to = progress.to
		}
		if progress.sent {
			continue
		}
		post := channels.Post{To: to, Key: postKey(it.req.ID, i+1)}
		if progress.end == EndParked && progress.died >= parkAt {
			g.tellParked(ctx, &it.req, "poison")
		}
		end, err := g.sendPart(ctx, it, out, post, i+1, &progress, p)
		if err != nil || end != EndSent {
			return end, err
		}
		if !progress.to.IsZero() {
			to = progress.to
		}
	}
	return EndSent, nil
}

// sendPart sends one part until it arrived or no further try makes sense. This
// is the only loop in the program that sends again.
func (g *Gateway) sendPart(ctx context.Context, it *item, out *outlet, post channels.Post, n int, at *part, p *pen) (End, error) {
	req := &it.req
	for at.end == "" {
		if err := g.waitForTurn(ctx, out, post.To, at, p); err != nil {
			return "", err
		}
		if at.tries > 0 && g.now().Sub(at.first) > giveUp {
			at.end = EndExpired
			g.tellParked(ctx, req, string(EndExpired))
			break
		}
		try := req.event(eventTry, tryCause(req.ID, n, at.tries+1))
		try.Payload.Part, try.Payload.Try, try.Payload.Key = n, at.tries+1, post.Key
		p.add(try)
		if err := g.flush(ctx, p); err != nil {
			return "", err
		}
		if at.tries++; at.tries == 1 {
			at.first = g.now()
		}
		receipt, err := g.put(ctx, out, g.dress(post, at, req, out), n, at, req)
		if err == nil {
			g.locate(p, it, at, n, post.To, receipt.Remote)
			ok := req.event(eventOK, okCause(req.ID, n))
			ok.Payload.Part, ok.Payload.Try, ok.Payload.Key, ok.Payload.Remote = n, at.tries, post.Key, receipt.Remote
			p.add(ok)
			g.counts.sent(out.id)
			out.works.beat()
			return EndSent, nil
		}
		if err := g.failedTry(ctx, it, out, &post, n, at, p, channels.AsSendError(err)); err != nil {
			return "", err
		}
	}
	return at.end, nil
}

// dress prepares a post for the next try.
func (g *Gateway) dress(post channels.Post, at *part, req *Envelope, out *outlet) channels.Post {
	post.Body, post.Plain, post.Again = at.body(), at.plain, at.again
	if at.again && at.edit == "" { // changing a message twice changes nothing
		post.Body = out.target(post.To).Profile.Notice(post.Body, texts.For(req.Payload.Lang).Say("gateway.maybe_twice"))
	}
	return post
}

// failedTry writes down why a try failed, and waits as long as the next one has
// to wait. Nothing waits while what happened is only in memory.
func (g *Gateway) failedTry(ctx context.Context, it *item, out *outlet, post *channels.Post, n int, at *part, p *pen, se *channels.SendError) error {
	if err := ctx.Err(); err != nil {
		return err // the gateway has ended: the try stays without an answer
	}
	req := &it.req
	now := g.now()
	fail := req.event(eventFail, failCause(req.ID, n, at.tries))
	f := &fail.Payload
	f.Part, f.Try, f.Key, f.Class, f.Markup, f.Moved = n, at.tries, post.Key, se.Class, se.Markup, se.Moved
	f.After, f.Error = se.After.Milliseconds(), cut(se.Error(), 300)
	p.add(fail)
	at.apply(f, now)
	if !at.to.IsZero() {
		post.To = at.to
	}
	g.counts.failed(se.Class)
	log := g.log.With("channel", out.id.String(), "id", req.ID, "part", n, "try", at.tries)
	wait := at.wait(se.Class, now, g.unsure)
	if at.end == "" && now.Add(wait).Sub(at.first) > giveUp {
		at.end = EndExpired
	}
	if at.end != "" {
		log.Error("part was not delivered", "class", se.Class, "end", at.end, "err", se)
		if at.end != EndGone {
			g.tellParked(ctx, req, string(se.Class))
		}
		return nil
	}
	log.Warn("part was not delivered, will try again", "class", se.Class, "after", wait, "err", se)
	switch se.Class {
	case channels.RetryAfter:
		out.gates.block(post.To, se.Scope, at.notTil)
	case channels.Misconfigured:
		g.tellMisconfigured(ctx, out.id, se)
	}
	if err := g.flush(ctx, p); err != nil {
		return err
	}
	switch se.Class {
	case channels.NotSent, channels.Misconfigured:
		return g.pauseUntilWorks(ctx, out, wait)
	case channels.Unsure:
		failed := g.now()
		if err := g.pause(ctx, wait); err != nil {
			return err
		}
		return g.pauseUntilWell(ctx, out, failed)
	}
	return nil // a RetryAfter waits at the gate
}

// pauseUntilWell waits while the channel says that its network is out of order:
// the one further try of an unsure part is not spent on an outage. A network that
// has answered since the try failed is in order as far as that goes.
func (g *Gateway) pauseUntilWell(ctx context.Context, out *outlet, failed time.Time) error {
	for range int(unwellWait / unwellLook) {
		if out.isWell(failed) {
			return nil
		}
		works := out.works.next()
		timer := time.NewTimer(unwellLook)
		select {
		case <-timer.C:
		case <-works:
		case <-g.stopping:
			timer.Stop()
			return ErrStopping
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
		timer.Stop()
	}
	return nil
}

// pauseUntilWorks waits for d, and less when another post or a reload shows
// earlier that the network can be reached; never less than a second.
func (g *Gateway) pauseUntilWorks(ctx context.Context, out *outlet, d time.Duration) error {
	works, reloaded := out.works.next(), g.reloaded.next()
	least := min(d, firstWait)
	if err := g.pause(ctx, least); err != nil {
		return err
	}
	timer := time.NewTimer(d - least)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-works:
	case <-reloaded:
	case <-g.stopping:
		return ErrStopping
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// untilOpen waits until the account has a channel. What p holds is written
// before a wait.
func (g *Gateway) untilOpen(ctx context.Context, out *outlet, p *pen) error {
	for {
		works := out.works.next()
		if out.isOpen() {
			return nil
		}
		if err := g.flush(ctx, p); err != nil {
			return err
		}
		select {
		case <-works:
		case <-g.stopping:
			return ErrStopping
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// waitForTurn waits until neither the part, nor the chat, nor the account has
// been asked to wait, and the channel is there and lets it go out.
func (g *Gateway) waitForTurn(ctx context.Context, out *outlet, to channels.Address, at *part, p *pen) error {
	for {
		if err := g.untilOpen(ctx, out, p); err != nil {
			return err
		}
		until := out.gates.until(to)
		if at.notTil.After(until) {
			until = at.notTil
		}
		d := until.Sub(g.now())
		if d <= 0 {
			return g.takeTurn(ctx, out, to, p)
		}
		if err := g.flush(ctx, p); err != nil {
			return err
		}
		if err := g.pause(ctx, d); err != nil {
			return err
		}
	}
}

// takeTurn lets a channel that keeps a pace do its waiting before the post
// counts as tried: a process that dies meanwhile has not sent it. What p holds
// is written before a wait.
func (g *Gateway) takeTurn(ctx context.Context, out *outlet, to channels.Address, p *pen) error {
	taker, ok := out.current().(channels.TurnTaker)
	if !ok {
		return nil
	}
	defer g.contain("turn", out.id) // Send decides then
	wait, cancel := context.WithCancel(ctx)
	var watch sync.WaitGroup
	defer watch.Wait()
	defer cancel()
	var unwritten error
	err := taker.TakeTurn(wait, to, func() error {
		watch.Go(func() {
			select {
			case <-g.stopping:
				cancel()
			case <-wait.Done():
			}
		})
		unwritten = g.flush(ctx, p)
		return unwritten
	})
	switch {
	case err == nil, unwritten != nil:
		return unwritten
	case ctx.Err() != nil:
		return ctx.Err()
	case isClosed(g.stopping):
		return ErrStopping
	}
	return nil // Send decides
}
