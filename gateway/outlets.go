package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"outheis/channels"
	"outheis/config/texts"
	"outheis/relay"
)

// An outlet is one account as the outbox sees it: where posts go out, and how
// it stands.
type outlet struct {
	id      AccountID
	channel channels.Channel // nil for the local outlet
	target  func(channels.Address) relay.Target
	send    func(context.Context, channels.Post) (channels.Receipt, error)
	gates   gates
	works   pulse // beats when a post went out or an event came in

	mu     sync.Mutex // guards health
	health channels.Health
}

func newOutlet(id AccountID, c channels.Channel) *outlet {
	return &outlet{
		id: id, channel: c, send: c.Send,
		target: func(channels.Address) relay.Target { return relay.Target{Profile: c.Profile()} },
	}
}

// post sends once. A panic of the adapter counts as an unsure try: nobody knows
// how far it came.
func (o *outlet) post(ctx context.Context, p channels.Post) (r channels.Receipt, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &channels.SendError{Class: channels.Unsure, Err: fmt.Errorf("adapter panicked: %v", v)}
		}
	}()
	return o.send(ctx, p)
}

// typing shows in the chat that an answer is being prepared, from half a second
// on until the returned function is called.
func (o *outlet) typing(ctx context.Context, to channels.Address) (stop func()) {
	typer, ok := o.channel.(channels.Typer)
	if !ok {
		return func() {}
	}
	var mu sync.Mutex // guards the fields below
	var end func()
	over := false
	timer := time.AfterFunc(typingAfter, func() {
		mu.Lock()
		defer mu.Unlock()
		if !over && ctx.Err() == nil {
			end = typer.Typing(ctx, to)
		}
	})
	return func() {
		timer.Stop()
		mu.Lock()
		defer mu.Unlock()
		over = true
		if end != nil {
			end()
		}
	}
}

// stand returns the outlet's health: what Run said when it ended, else what the
// channel says of itself.
func (o *outlet) stand() channels.Health {
	o.mu.Lock()
	h := o.health
	o.mu.Unlock()
	if h.State == channels.Red {
		return h
	}
	if p, ok := o.channel.(channels.Prober); ok {
		return p.Health()
	}
	if h.State == "" {
		h.State = channels.Starting
	}
	return h
}

func (o *outlet) set(h channels.Health) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.health = h
}

// close closes what the adapter keeps open.
func (o *outlet) close(log *slog.Logger) {
	c, ok := o.channel.(channels.Closer)
	if !ok {
		return
	}
	if err := c.Close(); err != nil {
		log.Warn("channel did not close cleanly", "channel", o.id.String(), "err", err)
	}
}

// receive runs one channel until ctx ends. A channel that ends before leaves
// the others alone; it stays red until the program starts anew.
func (g *Gateway) receive(ctx context.Context, o *outlet) {
	log := g.log.With("channel", o.id.String())
	o.set(channels.Health{State: channels.Green})
	in := func(ctx context.Context, e channels.Event) error {
		if accountOf(e.Address) != o.id {
			log.Error("event of another account", "err", accountOf(e.Address).String())
			g.counts.refused(ReasonKind)
			return nil
		}
		err := g.Deliver(ctx, e)
		o.works.beat()
		return err
	}
	err := run(ctx, o.channel, in)
	if ctx.Err() != nil {
		return
	}
	h := channels.Health{State: channels.Red, Reason: fmt.Sprint(err)}
	se := channels.AsSendError(err)
	if se == nil {
		se = &channels.SendError{Class: channels.Misconfigured, Err: errors.New("receiving ended")}
		h.Reason = se.Error()
	}
	h.Remedy = se.Remedy
	o.set(h)
	log.Error("channel ended", "err", err)
	if se.Class == channels.Misconfigured {
		g.tellMisconfigured(ctx, o.id, se)
		return
	}
	g.tellAdmins(ctx, "ended/"+o.id.String()+"/"+g.now().UTC().Format(time.RFC3339), func(t *texts.Texts) string {
		return t.Say("gateway.admin_ended", o.id.String())
	})
}

// run calls the channel's Run and turns a panic into an error.
func run(ctx context.Context, c channels.Channel, in channels.Deliver) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("adapter panicked: %v\n%s", v, debug.Stack())
		}
	}()
	return c.Run(ctx, in)
}
