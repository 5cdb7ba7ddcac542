package gateway

import (
	"context"
	"errors"
	"iter"

	"outheis/store"
)

// A Tail is a [Queue] that can be read from near its end, as [store.Log] can.
// With it the gateway knows after a restart who asked how much, which programs
// are muted and what was answered last; without it, that begins anew.
type Tail interface {
	// From yields the lines whose seq is at least seq, in their order.
	From(ctx context.Context, seq uint64) iter.Seq2[Envelope, error]
	// Stats says which seq the last line has.
	Stats() store.LogStats
}

// tailLines bounds how far the log is read back at start: about 3,000 answered
// questions, in well under a second.
const tailLines = 20_000

// remember fills what the gateway keeps in memory from the end of the log. What
// cannot be read there is left out.
func (g *Gateway) remember(ctx context.Context) {
	tail, ok := g.queue.(Tail)
	if !ok {
		return
	}
	var from uint64
	if last := tail.Stats().Seq; last > tailLines {
		from = last - tailLines
	}
	now := g.now()
	asked := make(map[string]Envelope) // questions without a response so far
	for e, err := range tail.From(ctx, from) {
		switch {
		case err != nil:
			var line *store.LineError
			if !errors.As(err, &line) {
				g.log.Warn("end of the log cannot be read back", "err", err)
				return
			}
			continue
		case e.Untrusted() != "":
			continue
		}
		at := g.passed(e.At.Time)
		recent := now.Sub(at) < ledgerDay
		switch {
		case e.Type == TypeRequest && e.From.User != nil:
			if recent {
				g.recount(&e)
			}
			switch e.Intent {
			case "":
				asked[e.ID] = e
			case intentFeedback:
				g.noteMark(&e)
			}
		case e.Type == TypeResponse && e.To == partRelay:
			if req, ok := asked[e.ReplyTo]; ok {
				g.recent.note(&req, e.Payload.Answer != nil, at)
				delete(asked, e.ReplyTo)
			}
		case e.Type == TypeEvent && e.Intent == eventMute && e.From.User != nil:
			g.ledger.mute(sender{account: accountOf(e.Payload.Address), id: e.From.User.Identity}, e.Payload.Until, now)
		}
	}
}

// recount counts a request of the last day as it was counted when it came.
func (g *Gateway) recount(e *Envelope) {
	if isAhead(e.At.Time, g.now()) {
		return
	}
	at := g.passed(e.At.Time)
	who := sender{account: accountOf(e.Payload.Address), id: e.From.User.Identity}
	if who.id == "" {
		who.chat = e.Payload.Address.Chat()
	}
	if e.Intent == intentNotice {
		g.ledger.told(who, e.Payload.Notice, at)
	}
	switch {
	case e.Payload.By != "":
		g.ledger.pressed(who, at)
		if e.From.User.Program {
			g.ledger.asked(who, at)
		}
	case e.Payload.Notice != ReasonQuota && e.Payload.Notice != ReasonDaily && e.Payload.Notice != ReasonBusy:
		g.ledger.asked(who, at)
	}
}
