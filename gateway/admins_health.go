package gateway

import (
	"context"
	"strconv"
	"sync"
	"time"

	"outheis/channels"
	"outheis/config/texts"
	"outheis/relay"
)

// shoutTime bounds a notice that goes out beside the queue.
const shoutTime = 15 * time.Second

// tellHealth tells every administrator: through the queue where their account
// works, else, and where the queue takes nothing, once and directly. An account
// that does not receive may well send. What cannot be sent so is not sent later:
// then it would be no news.
func (g *Gateway) tellHealth(ctx context.Context, telling *sync.WaitGroup, standing map[AccountID]channels.Health, cause string, say func(*texts.Texts) string) {
	admins := g.settings.Load().Admins
	g.log.Warn("administrator is told", "cause", cause, "admins", len(admins))
	for _, a := range admins {
		id := accountOf(a.Address)
		text := say(texts.For(a.Lang))
		if standing[id].State != channels.Red && g.tellAdmin(ctx, a, cause, text) == nil {
			continue
		}
		telling.Go(func() { g.shout(ctx, a, cause, text) })
	}
}

// shout sends a notice once, beside the queue.
func (g *Gateway) shout(ctx context.Context, a Admin, cause, text string) {
	out := g.outlets.get(accountOf(a.Address))
	if out == nil || !out.isOpen() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, shoutTime)
	defer cancel()
	target := out.target(a.Address)
	target.Lang = texts.For(a.Lang).Lang()
	for i, part := range relay.Say(text, target).Parts {
		post := channels.Post{To: a.Address, Key: conversationID(cause, a.Address.Chat()) + "-" + strconv.Itoa(i+1), Body: part}
		if _, err := out.post(ctx, post); err != nil {
			g.log.Warn("administrator could not be told through an account that is out of order", "channel", out.id.String(), "cause", cause, "err", err)
			return
		}
		g.counts.sent(out.id)
	}
}
