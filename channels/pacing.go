package channels

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A Rate allows Burst posts at once and then one every Every. The zero Rate
// is no limit.
type Rate struct {
	Every time.Duration
	Burst int
}

// Limits say how many posts a network takes.
type Limits struct {
	Account Rate // all chats of the account together
	Chat    Rate // each chat, whatever its threads
	Group   Rate // each chat that InGroup names, beside Chat
	// InGroup tells chats of several people; nil stands for none.
	InGroup func(Address) bool
}

// A Pacer keeps an adapter's posts within the limits of its network, and keeps
// quiet for as long as the network asked: it is put around the function that
// sends. It makes posts wait and never drops one. A chat that has to wait does
// not hold up the others. A Pacer may be used by many goroutines.
type Pacer struct {
	limits  Limits
	account *rate.Limiter

	mu     sync.Mutex // guards the fields below
	until  time.Time  // when the account may send again
	chats  map[string]*paced
	sweepN int // number of chats at which idle ones are forgotten
}

// paced is what a Pacer knows of one chat.
type paced struct {
	chat, group *rate.Limiter
	until       time.Time // guarded by the Pacer's mu
}

// NewPacer returns a Pacer for one account.
func NewPacer(l Limits) *Pacer {
	return &Pacer{limits: l, account: l.Account.limiter(), chats: make(map[string]*paced), sweepN: 1024}
}

// Send waits until the network may be asked, and then calls send. When send
// returns a RetryAfter, posts to that chat, or of the whole account where the
// error's Scope says so, wait from then on for so long; the refused post
// itself goes back to the caller. When ctx ends before the turn comes, or will
// have ended by then, Send returns at once with a [SendError] of class NotSent.
func (p *Pacer) Send(ctx context.Context, post Post, send func(context.Context, Post) (Receipt, error)) (Receipt, error) {
	c := p.of(post.To)
	if err := p.turn(ctx, c); err != nil {
		return Receipt{}, &SendError{Class: NotSent, Err: fmt.Errorf("wait for the chat's turn: %w", err)}
	}
	receipt, err := send(ctx, post)
	var se *SendError
	if errors.As(err, &se) && se.Class == RetryAfter {
		p.block(c, se)
	}
	return receipt, err
}

// turn waits for the tokens of the chat, of the group and of the account, in
// this order: who waits for a chat must not hold a token of the account.
func (p *Pacer) turn(ctx context.Context, c *paced) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, l := range []*rate.Limiter{c.chat, c.group, p.account} {
		if err := p.quiet(ctx, c); err != nil {
			return err
		}
		if err := take(ctx, l); err != nil {
			return err
		}
	}
	return p.quiet(ctx, c)
}

// quiet waits until neither the chat nor the account has been asked to wait.
func (p *Pacer) quiet(ctx context.Context, c *paced) error {
	for {
		p.mu.Lock()
		until := c.until
		if p.until.After(until) {
			until = p.until
		}
		p.mu.Unlock()
		d := time.Until(until)
		if d <= 0 {
			return nil
		}
		if err := reachable(ctx, d); err != nil {
			return err
		}
		if err := pause(ctx, d); err != nil {
			return err
		}
	}
}

// block notes that the network asked to wait.
func (p *Pacer) block(c *paced, se *SendError) {
	until := time.Now().Add(se.After)
	p.mu.Lock()
	defer p.mu.Unlock()
	if se.Scope == ScopeAccount {
		if until.After(p.until) {
			p.until = until
		}
		return
	}
	if until.After(c.until) {
		c.until = until
	}
}

// of returns the record of a chat, and forgets idle chats from time to time.
func (p *Pacer) of(a Address) *paced {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, ok := p.chats[a.Chat()]; ok {
		return c
	}
	if len(p.chats) >= p.sweepN {
		now := time.Now()
		for id, c := range p.chats {
			if full(c.chat) && full(c.group) && c.until.Before(now) {
				delete(p.chats, id)
			}
		}
		p.sweepN = max(1024, 2*len(p.chats))
	}
	c := &paced{chat: p.limits.Chat.limiter()}
	if p.limits.InGroup != nil && p.limits.InGroup(a) {
		c.group = p.limits.Group.limiter()
	}
	p.chats[a.Chat()] = c
	return c
}

func (r Rate) limiter() *rate.Limiter {
	if r.Every <= 0 {
		return nil
	}
	return rate.NewLimiter(rate.Every(r.Every), max(1, r.Burst))
}

// take waits for a token of l.
func take(ctx context.Context, l *rate.Limiter) error {
	if l == nil {
		return nil
	}
	r := l.Reserve()
	d := r.Delay()
	err := reachable(ctx, d)
	if err == nil && d > 0 {
		err = pause(ctx, d)
	}
	if err != nil {
		r.Cancel()
	}
	return err
}

// reachable says in time that ctx will have ended before d is over.
func reachable(ctx context.Context, d time.Duration) error {
	if deadline, ok := ctx.Deadline(); ok && d > 0 && time.Until(deadline) < d {
		return context.DeadlineExceeded
	}
	return ctx.Err()
}

func full(l *rate.Limiter) bool { return l == nil || l.Tokens() >= float64(l.Burst()) }
