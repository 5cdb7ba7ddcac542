package mattermost

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"outheis/channels"
)

const (
	// typingEvery is a little less than the 5 s that clients show it.
	typingEvery = 4 * time.Second
	// typingMost ends an indication that nobody stopped.
	typingMost = 5 * time.Minute
)

// Typing implements [channels.Typer].
func (c *Channel) Typing(ctx context.Context, to channels.Address) (stop func()) {
	if _, _, only := asker(to); only || c.mine(to) != nil || strings.HasPrefix(to.Chat(), personMark) {
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

// indicate shows that somebody types until ctx ends, or until the server
// refuses.
func (c *Channel) indicate(ctx context.Context, to channels.Address) {
	args := map[string]string{"channel_id": to.Chat()}
	if to.Thread() != "" {
		args["parent_id"] = to.Thread()
	}
	tick := time.NewTicker(c.typeEvery)
	defer tick.Stop()
	for {
		call, done := context.WithTimeout(ctx, c.typeEvery)
		err := c.client.call(call, http.MethodPost, "/users/me/typing", args, nil)
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
