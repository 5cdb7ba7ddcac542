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
	account *rate.Limiter // gives turns
	wire    *rate.Limiter // keeps posts apart whose turns came earlier

	mu     sync.Mutex // guards the fields below
	until  time.Time  // when the account may send again
	chats  map[string]*paced
	sweepN int // number of chats at which idle ones are forgotten
}

// paced is what a Pacer knows of one chat.
type paced struct {
	chat, group *rate.Limiter
	until       time.Time // guarded by the Pacer's mu
	turns       int       // taken and not used; guarded by the Pacer's mu
}

// NewPacer returns a Pacer for one account.
func NewPacer(l Limits) *Pacer {
	return &Pacer{limits: l, account: l.Account.limiter(), wire: l.Account.limiter(), chats: make(map[string]*paced), sweepN: 1024}
}

// TakeTurn does for an adapter what [TurnTaker] asks of it.
func (p *Pacer) TakeTurn(ctx context.Context, to Address, waits func() error) error {
	c := p.of(to)
	if err := p.turn(ctx, c, waits); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c.turns++
	return nil
}

// Send waits until the network may be asked, and then calls send. After
// TakeTurn it only keeps the account's posts apart, should many whose turns came
// one by one be sent at once; what the network has asked for since is returned
// as the RetryAfter that it would be answered with. When send returns a
// RetryAfter, posts to that chat, or of the whole account where the error's
// Scope says so, wait from then on for so long; the refused post itself goes
// back to the caller. When ctx ends before the turn comes, or will have ended by
// then, Send returns at once with a [SendError] of class NotSent.
func (p *Pacer) Send(ctx context.Context, post Post, send func(context.Context, Post) (Receipt, error)) (Receipt, error) {
	c := p.of(post.To)
	var err error
	if !p.useTurn(c) {
		err = p.turn(ctx, c, nil)
	} else if se := p.asked(c); se != nil {
		return Receipt{}, se
	}
	if err == nil {
		err = take(ctx, p.wire, nil)
	}
	if err != nil {
		return Receipt{}, &SendError{Class: NotSent, Err: fmt.Errorf("wait for the chat's turn: %w", err)}
	}
	receipt, err := send(ctx, post)
	var se *SendError
	if errors.As(err, &se) && se.Class == RetryAfter {
		p.block(c, se)
	}
	return receipt, err
}

// useTurn takes a turn that waits to be used, if there is one.
func (p *Pacer) useTurn(c *paced) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.turns == 0 {
		return false
	}
	c.turns--
	return true
}

// turn waits for the tokens of the chat, of the group and of the account, in
// this order: who waits for a chat must not hold a token of the account. It
// calls waits, unless nil, before the first wait.
func (p *Pacer) turn(ctx context.Context, c *paced, waits func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if waits != nil {
		waits = sync.OnceValue(waits)
	}
	for _, l := range []*rate.Limiter{c.chat, c.group, p.account} {
		if err := p.quiet(ctx, c, waits); err != nil {
			return err
		}
		if err := take(ctx, l, waits); err != nil {
			return err
		}
	}
	return p.quiet(ctx, c, waits)
}

// quiet waits until neither the chat nor the account has been asked to wait.
func (p *Pacer) quiet(ctx context.Context, c *paced, waits func() error) error {
	for {
		asked := p.asked(c)
		if asked == nil {
			return nil
		}
		if err := await(ctx, asked.After, waits); err != nil {
			return err
		}
	}
}

// Hold keeps posts to the chat of to waiting for d, as a RetryAfter would: for
// networks that say before they refuse when their limit is reached. A turn that
// was taken already is used up by it.
func (p *Pacer) Hold(to Address, d time.Duration) {
	if d > 0 {
		p.block(p.of(to), &SendError{Class: RetryAfter, After: d, Scope: ScopeChat})
	}
}

// asked returns the error that says how much longer the network wants nothing
// for the chat, or nil.
func (p *Pacer) asked(c *paced) *SendError {
	p.mu.Lock()
	until, scope := c.until, ScopeChat
	if p.until.After(until) {
		until, scope = p.until, ScopeAccount
	}
	p.mu.Unlock()
	d := time.Until(until)
	if d <= 0 {
		return nil
	}
	return &SendError{Class: RetryAfter, After: d, Scope: scope, Err: errors.New("asked to wait while another post was sent")}
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
			if full(c.chat) && full(c.group) && c.until.Before(now) && c.turns == 0 {
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
func take(ctx context.Context, l *rate.Limiter, waits func() error) error {
	if l == nil {
		return nil
	}
	r := l.Reserve()
	err := await(ctx, r.Delay(), waits)
	if err != nil {
		r.Cancel()
	}
	return err
}

// await waits for d, and calls waits, unless nil, before it does. It fails at
// once when ctx will have ended before d is over.
func await(ctx context.Context, d time.Duration, waits func() error) error {
	if d <= 0 {
		return ctx.Err()
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < d {
		return context.DeadlineExceeded
	}
	if waits != nil {
		if err := waits(); err != nil {
			return err
		}
	}
	return Pause(ctx, d)
}

func full(l *rate.Limiter) bool { return l == nil || l.Tokens() >= float64(l.Burst()) }
