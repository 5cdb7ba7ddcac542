package gateway

import (
	"context"
	"sync"
	"time"

	"outheis/channels"
)

// tapTime is how close two presses of one button count as one.
const tapTime = 10 * time.Second

// taps remembers, in memory only, the buttons that were just pressed: a finger
// that hits twice means one thing. It may be used by many goroutines.
type taps struct {
	mu sync.Mutex // guards of
	of map[tap]time.Time
}

type tap struct {
	who     sender
	message string
	button  string
}

// again reports that the same was pressed just now, and notes it.
func (t *taps) again(p tap, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at, ok := t.of[p]; ok && now.Sub(at) < tapTime {
		return true
	}
	if t.of == nil {
		t.of = make(map[tap]time.Time)
	}
	if len(t.of) >= 1024 {
		for old, at := range t.of {
			if now.Sub(at) >= tapTime {
				delete(t.of, old)
			}
		}
	}
	t.of[p] = now
	return false
}

// takeAside puts what was said about an answer on its way.
func (g *Gateway) takeAside(ctx context.Context, e channels.Event, about subject, req Envelope, now time.Time) error {
	about.describe(&req)
	who := senderOf(e)
	if req.Intent != intentFeedback && e.Kind == channels.KindButton && g.taps.again(tap{who, e.Message, e.Button}, now) {
		return nil
	}
	var err error
	if req.Intent == intentFeedback {
		err = g.feedback(ctx, req)
	} else {
		err = g.queueRequest(ctx, req)
	}
	if err != nil {
		g.taps.forget(tap{who, e.Message, e.Button})
		return g.refuse(err)
	}
	g.counts.taken(now)
	g.ledger.pressed(who, now)
	if isProgram(e.Actor) { // whatever a program says counts for its budget
		g.ledger.asked(who, now)
	}
	return nil
}

// forget lets a press count again that could not be taken.
func (t *taps) forget(p tap) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.of, p)
}
