package discord

import (
	"context"
	"net/http"
	"sync"
	"time"

	"outheis/channels"
)

const (
	// typingEvery is a little less than the 10 s for which Discord shows it.
	typingEvery = 8 * time.Second
	// typingMost ends an indication that nobody stopped.
	typingMost = 5 * time.Minute
)

// Typing implements [channels.Typer].
func (c *Channel) Typing(ctx context.Context, to channels.Address) (stop func()) {
	if c.mine(to) != nil {
		return func() {}
	}
	ctx, cancel := context.WithTimeout(ctx, typingMost)
	var once sync.Once
	c.typing.Go(func() {
		defer cancel()
		c.indicate(ctx, to)
	})
	c.typing.Go(func() {
		defer cancel()
		select {
		case <-ctx.Done():
		case <-c.closing:
		}
	})
	return func() { once.Do(cancel) }
}

// indicate shows that somebody types until ctx ends, or until Discord refuses.
func (c *Channel) indicate(ctx context.Context, to channels.Address) {
	tick := time.NewTicker(c.times.typing)
	defer tick.Stop()
	for {
		call, done := context.WithTimeout(ctx, c.times.typing)
		err := c.showTyping(call, to)
		done()
		if err != nil {
			c.log.Debug("typing not shown", "err", err)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// showTyping shows it once.
func (c *Channel) showTyping(ctx context.Context, to channels.Address) error {
	channel, err := c.target(ctx, to)
	if err != nil {
		return err
	}
	_, err = c.client.do(ctx, call{what: "show typing", method: http.MethodPost, path: "/channels/" + channel + "/typing"}, nil)
	return err
}
