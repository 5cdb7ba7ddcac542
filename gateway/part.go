package gateway

import (
	"time"

	"outheis/channels"
	"outheis/relay"
)

// A part is how far one part of a reply is, as the log tells it.
type part struct {
	tries  int
	first  time.Time // of the first try
	sent   bool
	plain  bool             // without markup from now on
	again  bool             // an earlier try may have arrived
	unsure int              // tries that ended without a clear answer
	died   int              // tries in which the process died
	failed int              // tries in a row that never left
	moves  int              // to another address
	to     channels.Address // where the chat went; zero when it did not
	notTil time.Time        // the network asked to wait until then
	end    End              // why no further try makes sense

	edit    string      // the message of ours in whose place it goes; "" for a new one
	text    relay.Part  // what is sent
	instead *relay.Part // what is sent where the message cannot be changed; nil for text
	origin  string      // that of the reply
}

// body returns what is sent next.
func (p *part) body() relay.Part {
	if p.edit == "" && p.instead != nil {
		return *p.instead
	}
	return p.text
}

// apply notes the failure that f, an event, tells of.
func (p *part) apply(f *Payload, at time.Time) {
	p.failed++
	switch f.Class {
	case channels.RetryAfter:
		p.failed, p.notTil = 0, at.Add(max(firstWait, time.Duration(f.After)*time.Millisecond))
	case channels.Unsure:
		p.again = true
		if p.unsure++; p.unsure > 1 {
			p.end = EndParked
		}
	case channels.Refused:
		switch {
		case p.edit != "" && (!f.Markup || p.plain): // it stays as it is: say it anew
			p.edit, p.plain, p.again, p.unsure = "", false, false, 0
			return
		case !f.Markup || p.plain:
			p.end = EndParked
		}
		p.plain = true
	case channels.Gone:
		if p.moves++; f.Moved.IsZero() || p.moves > mostMoves {
			p.end = EndGone
		}
		p.to = f.Moved
	}
}

// wait returns how long to wait before the next try; unsure is the wait behind
// one that may have arrived.
func (p *part) wait(last channels.Class, now time.Time, unsure time.Duration) time.Duration {
	switch last {
	case channels.NotSent, channels.Misconfigured:
		d := firstWait
		for i := 1; i < p.failed && d < longestTry; i++ {
			d *= waitFactor
		}
		return min(d, longestTry)
	case channels.Unsure:
		return unsure
	case channels.RetryAfter:
		return p.notTil.Sub(now)
	}
	return 0
}

// progressOf reads from the log how far part n of a reply is.
func (g *Gateway) progressOf(it *item, n int, reply *Payload) (part, error) {
	p := part{text: reply.Parts[n-1], origin: reply.Origin}
	if n <= len(reply.Edits) {
		p.edit = reply.Edits[n-1]
	}
	if p.edit != "" && n <= len(reply.Instead.Parts) {
		p.instead = &reply.Instead.Parts[n-1]
	}
	return g.replay(p, it, n)
}

// progress reads from the log how far part n is, whatever it says.
func (g *Gateway) progress(it *item, n int) (part, error) { return g.replay(part{}, it, n) }

// replay applies to p what the log says of part n.
func (g *Gateway) replay(p part, it *item, n int) (part, error) {
	if it.fresh {
		return p, nil
	}
	id := it.req.ID
	_, sent, err := g.queue.Lookup(okCause(id, n))
	if err != nil {
		return p, err
	}
	p.sent = sent
	for {
		try, ok, err := g.queue.Lookup(tryCause(id, n, p.tries+1))
		if err != nil || !ok {
			return p, err
		}
		if p.tries++; p.tries == 1 {
			p.first = g.passed(try.At.Time)
		}
		fail, ok, err := g.queue.Lookup(failCause(id, n, p.tries))
		switch {
		case err != nil:
			return p, err
		case ok:
			p.apply(&fail.Payload, g.passed(fail.At.Time))
		default:
			p.again = true // the process died before the network answered
			switch p.died++; {
			case it.crashes < poisonAt:
			case p.died >= parkAt:
				p.end = EndParked
			case p.died >= poisonAt:
				p.notTil = g.now().Add(restTime)
			}
		}
	}
}

// passed returns a time of the log, or now while that lies ahead: then the clock
// has been set back, and what is counted from it must not wait until it comes.
func (g *Gateway) passed(t time.Time) time.Time {
	if now := g.now(); now.Before(t) {
		return now
	}
	return t
}
