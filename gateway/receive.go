package gateway

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"outheis/channels"
	"outheis/config/texts"
)

// A change gives an account another channel, or none.
type change struct {
	id      AccountID
	channel channels.Channel
	done    chan error
}

// Replace gives an account another channel while Run works, or adds the
// account: the one that was there stops receiving, finishes the posts that are
// on their way and is closed. Open requests of the account, also those that
// waited for it to come, go on over the new channel. Other accounts do not
// notice. On an error nothing has changed.
func (g *Gateway) Replace(ctx context.Context, a Account) error {
	if a.Channel == nil {
		return errors.New("gateway: replace: no channel")
	}
	return g.submit(ctx, AccountID{a.Channel.Kind(), a.Name}, a.Channel)
}

// Remove closes an account while Run works. Its open requests wait for another
// channel.
func (g *Gateway) Remove(ctx context.Context, id AccountID) error {
	if o := g.outlets.get(id); o == nil || !o.isOpen() {
		return fmt.Errorf("gateway: remove: no account %s", id)
	}
	return g.submit(ctx, id, nil)
}

func (g *Gateway) submit(ctx context.Context, id AccountID, ch channels.Channel) error {
	if id.Channel == LocalChannel || id.Account == "" {
		return fmt.Errorf("gateway: account %s: name is missing or reserved", id)
	}
	if err := g.isOpen(); err != nil {
		return err
	}
	c := change{id, ch, make(chan error, 1)}
	select {
	case g.changes <- c:
	case <-g.stopping:
		return ErrStopping
	case <-ctx.Done():
		return ctx.Err()
	}
	return <-c.done
}

// swap carries out a change. It waits for posts that are on their way.
func (g *Gateway) swap(ctx context.Context, receivers *sync.WaitGroup, c change) {
	o := g.outlets.at(c.id)
	o.change <- struct{}{}
	defer func() { <-o.change }()
	o.silence()
	old := o.put(c.channel)
	g.closeChannel(c.id, old)
	o.set(channels.Health{State: channels.Starting})
	if c.channel != nil {
		g.listen(ctx, receivers, o)
		o.works.beat()
	}
	c.done <- nil
}

// listen begins to receive from an account.
func (g *Gateway) listen(ctx context.Context, receivers *sync.WaitGroup, o *outlet) {
	ctx, ended := o.listening(ctx, g.now())
	c := o.current()
	receivers.Go(func() {
		defer ended()
		var menus sync.WaitGroup
		menus.Go(func() { g.setMenus(ctx, o.id, c) })
		g.receive(ctx, o, c)
		menus.Wait()
	})
}

// Waits before a channel is tried again that its network refused: a refusal may
// pass by itself, or somebody may give the account back what it lacks.
const (
	firstRefusal = 5 * time.Second
	lastRefusal  = 10 * time.Minute
)

// receive runs one channel until ctx ends. One that ends by itself, because it
// is misconfigured or has a mistake in it, is tried again after growing waits:
// what comes in is durable and comes twice without harm, and one odd message
// should silence no account for good. Meanwhile it is red, with the remedy, and
// leaves the others alone.
func (g *Gateway) receive(ctx context.Context, o *outlet, c channels.Channel) {
	log := g.log.With("channel", o.id.String())
	o.set(channels.Health{State: channels.Green})
	in := func(ctx context.Context, e channels.Event) error {
		if accountOf(e.Address) != o.id {
			log.Error("event of another account", "err", accountOf(e.Address).String())
			g.counts.refused(ReasonKind)
			return nil
		}
		o.set(channels.Health{State: channels.Green})
		err := g.Deliver(ctx, e)
		if !errors.Is(err, ErrStopping) && !errors.Is(err, errArriving) && ctx.Err() == nil {
			o.hear(g.now(), err)
		}
		o.works.beat()
		return err
	}
	wait := channels.Backoff{Min: firstRefusal, Max: lastRefusal}
	for {
		began := g.now()
		err := run(ctx, c, in)
		if ctx.Err() != nil {
			return // asked to end
		}
		g.ended(o, c, err)
		if g.now().Sub(began) > lastRefusal {
			wait.Reset() // it had worked
		}
		if wait.Wait(ctx) != nil {
			return
		}
		if _, ok := c.(channels.Prober); ok {
			o.set(channels.Health{State: channels.Green}) // it knows by itself how it stands
		}
	}
}

// ended notes why a channel has ended; the watch over its health tells the
// administrators.
func (g *Gateway) ended(o *outlet, c channels.Channel, err error) {
	if err == nil {
		err = errors.New("receiving ended without a reason")
	}
	se := channels.AsSendError(err)
	t := texts.For(g.settings.Load().Lang)
	why, _, _ := strings.Cut(cut(err.Error(), 200), "\n")
	health := channels.Health{State: channels.Red, Reason: t.Say("access.ended", why), Remedy: se.Remedy}
	if health.Remedy == "" {
		health.Remedy = t.Say("access.ended_remedy")
	}
	if p, ok := c.(channels.Prober); ok && p.Health().State == channels.Red {
		health = p.Health() // says the same in words for an administrator
	}
	o.set(health)
	g.log.Error("channel ended", "channel", o.id.String(), "err", err, "remedy", health.Remedy)
}

// contain ends a panic of an adapter in something that may as well fail.
func (g *Gateway) contain(what string, id AccountID) {
	if v := recover(); v != nil {
		g.log.Error("adapter panicked", "in", what, "channel", id.String(), "err", v, "stack", string(debug.Stack()))
	}
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
