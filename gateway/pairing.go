package gateway

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/config/texts"
)

// Pairing says when a stranger who writes to an account directly gets a code
// with which the owner can let them in (spec/reliability.md T5).
type Pairing string

// The ways of pairing. Without one, strangers get no reply at all.
const (
	NoPairing       Pairing = ""
	PairingInWindow Pairing = "window" // while [Gateway.OpenPairing] has opened it
	PairingAlways   Pairing = "always"
)

// pairingWindow is how long strangers get codes when nobody says how long, and
// longestWindow the longest that it can be.
const (
	pairingWindow = 10 * time.Minute
	longestWindow = 24 * time.Hour
)

// Errors of pairing.
var (
	// ErrWrongCode means that no such code waits: mistyped, used, or over.
	ErrWrongCode = errors.New("no such code waits to be confirmed")
	// ErrNoPairing means that no account allows pairing.
	ErrNoPairing = errors.New("no account allows pairing")
	// ErrNotPaired means that nobody of that name was paired.
	ErrNotPaired = errors.New("nobody of that id was paired")
	// ErrNamed means that the configuration says what the person may do.
	ErrNamed = errors.New("the configuration names that person")
)

// A PausedError means that codes were entered wrongly too often.
type PausedError struct{ Until time.Time }

func (e *PausedError) Error() string {
	return "too many wrong codes; next try after " + e.Until.UTC().Format(time.RFC3339)
}

// confirmed is who confirms on the command line: whoever can open the control
// socket, which is the owner of the human directory.
const confirmed = "owner"

// Pairings is how pairing stands.
type Pairings struct {
	Accounts []string  `json:"accounts"`              // that allow it, as "telegram/main"
	Until    time.Time `json:"until,omitzero"`        // of the window, if it is open
	Paused   time.Time `json:"paused_until,omitzero"` // no code is taken before
	Paired   []Paired  `json:"paired"`                // let in
	Pending  []Pending `json:"pending"`               // have a code
}

// Pending is somebody who has got a code that nobody has confirmed. The code
// itself is only theirs to tell.
type Pending struct {
	Channel string    `json:"channel"`
	Account string    `json:"account"`
	Person  string    `json:"person"`
	Name    string    `json:"name,omitempty"`
	At      time.Time `json:"at"`
	Until   time.Time `json:"until"`
}

// Pairings returns how pairing stands. It touches no file.
func (g *Gateway) Pairings() Pairings {
	v, now := g.roster.view(), g.now()
	p := Pairings{Paired: slices.Clone(v.Paired)}
	for id, a := range g.settings.Load().Policy.Access {
		if a.Pairing != NoPairing {
			p.Accounts = append(p.Accounts, id.String())
		}
	}
	slices.Sort(p.Accounts)
	if v.isOpen(now) {
		p.Until = v.Until
	}
	if v.Misses.paused(now) {
		p.Paused = v.Misses.Until
	}
	for _, c := range v.Codes {
		if !c.Link && now.Before(c.until()) {
			p.Pending = append(p.Pending, Pending{c.Channel, c.Account, c.Person, c.Name, c.At, c.until()})
		}
	}
	return p
}

// isOpen reports that the window is open.
func (r *records) isOpen(now time.Time) bool { return !now.Before(r.From) && now.Before(r.Until) }

// OpenPairing lets strangers ask for codes for a while, on the accounts that
// allow pairing: 0 stands for ten minutes, more than a day for a day, and less
// than nothing closes the window. It returns when the window ends.
func (g *Gateway) OpenPairing(_ context.Context, d time.Duration) (time.Time, error) {
	if d >= 0 && len(g.Pairings().Accounts) == 0 {
		return time.Time{}, ErrNoPairing
	}
	if d == 0 {
		d = pairingWindow
	}
	now := g.now().UTC()
	var until time.Time
	err := g.roster.edit(func(all *records) bool {
		all.From, all.Until = now, now.Add(min(d, longestWindow))
		if d < 0 {
			all.From, all.Until = time.Time{}, time.Time{}
		}
		until = all.Until
		return true
	})
	return until, err
}

// Pair lets in the person who has got the code, as a user of the account where
// they wrote, in their direct chat with us and nowhere else, and tells them. A
// code is good for one call. The error is [ErrWrongCode], a [*PausedError] after
// too many of those, [ErrNamed], or one of the disk.
func (g *Gateway) Pair(ctx context.Context, text string) (Paired, error) {
	typed, ok := readCode(text)
	var found code
	var failed error
	err := g.roster.edit(func(all *records) bool {
		now := g.now()
		found, failed = code{}, nil
		if all.Misses.paused(now) {
			failed = &PausedError{all.Misses.Until}
			return false
		}
		at := all.match(typed, false)
		if !ok || at < 0 {
			if all.Misses.miss(now); all.Misses.paused(now) {
				failed = &PausedError{all.Misses.Until}
			} else {
				failed = ErrWrongCode
			}
			return true
		}
		found, all.Misses = all.Codes[at], misses{}
		all.Codes = slices.Delete(all.Codes, at, at+1)
		a := g.settings.Load().Policy.Access[found.account()]
		_, named := a.People[found.Person]
		switch {
		case a.Pairing == NoPairing: // by now
			failed = ErrWrongCode
		case named:
			failed = ErrNamed
		default:
			all.Paired = slices.DeleteFunc(all.Paired, func(p Paired) bool { return p.identity() == found.identity })
			all.Paired = append(all.Paired, found.paired(now))
		}
		return true
	})
	if err != nil {
		return Paired{}, err
	}
	if failed != nil {
		return Paired{}, failed
	}
	g.log.Info("person was paired", "channel", found.account().String(), "sender", found.Person)
	g.tell(ctx, found, noticePaired, "", "paired/"+found.Cause)
	return found.paired(g.now()), nil
}

func (c code) paired(now time.Time) Paired {
	return Paired{c.Channel, c.Account, c.Person, c.Name, now.UTC().Truncate(time.Second), confirmed}
}

// match returns the place of a code of one use, or -1. It looks at all of them,
// so that the time tells nothing.
func (r *records) match(typed string, link bool) int {
	at := -1
	for i, c := range r.Codes {
		if sameCode(c.Code, typed) && c.Link == link {
			at = i
		}
	}
	return at
}

// Unpair takes back what [Gateway.Pair] gave, and what the person has joined to
// that account. The error is [ErrNotPaired], or one of the disk.
func (g *Gateway) Unpair(_ context.Context, account AccountID, person string) error {
	who := identity{account.Channel, account.Account, person}
	known := false
	err := g.roster.edit(func(all *records) bool {
		n := len(all.Paired)
		all.Paired = slices.DeleteFunc(all.Paired, func(p Paired) bool { return p.identity() == who })
		if known = len(all.Paired) < n; !known {
			return false
		}
		all.Codes = slices.DeleteFunc(all.Codes, func(c code) bool { return c.identity == who })
		all.part(who)
		return true
	})
	if err == nil && !known {
		err = ErrNotPaired
	}
	return err
}

// strangerQuiet is how long a stranger gets no other code on an account that
// always gives them.
const strangerQuiet = time.Hour

// offersCode reports that a stranger gets a code: in a chat of two, on an account
// that allows it, and while no other of theirs is good. Where codes are always
// given, it is no more than one an hour.
func offersCode(e channels.Event, a Access, s State) bool {
	if e.Audience != channels.Direct || e.Actor.Kind != channels.Person || e.Actor.ID == "" || e.Actor.ID == Everybody ||
		e.Kind == channels.KindEdit || ageOf(e, s.Now) > codeLife {
		return false
	}
	last, told := s.Told[ReasonPairing]
	switch a.Pairing {
	case PairingAlways:
		return !told || s.Now.Sub(last) >= strangerQuiet
	case PairingInWindow:
		return !s.Now.Before(s.PairingFrom) && s.Now.Before(s.PairingUntil) && (!told || last.Before(s.PairingFrom) || s.Now.Sub(last) >= codeLife)
	}
	return false
}

// offer gives a stranger a code, unless they have one or too many others do. The
// event that was told of its code gets the same when it comes again.
func (g *Gateway) offer(ctx context.Context, e channels.Event, cause string, v Verdict, now time.Time) error {
	who := identityOf(e)
	state := State{Now: now}
	g.ledger.recall(senderOf(e), &state)
	_, again := state.Told[ReasonPairing]
	if all := &g.roster.view().records; !all.has(who) {
		if _, ok := all.room(who.account(), again, now); !ok {
			g.tellCrowd(ctx, who.account(), now)
			g.counts.refused(ReasonSender)
			return nil
		}
	}
	var mine *code
	known := g.roster.damaged.Load() != nil
	err := g.roster.edit(func(all *records) bool {
		mine = nil
		for i, c := range all.Codes {
			if !c.Link && c.identity == who {
				if c.Cause == cause {
					mine = &all.Codes[i]
				}
				return false
			}
		}
		out, ok := all.room(who.account(), again, now)
		if !ok {
			return false
		}
		if out >= 0 {
			all.Codes = slices.Delete(all.Codes, out, out+1)
		}
		mine = all.draw(code{identity: who, Name: e.Actor.Name, Cause: cause, To: e.Address, At: now.UTC(), Again: again})
		return true
	})
	if err != nil && !known { // strangers may write as often as they like
		g.log.Error("code was not given", "channel", who.account().String(), "err", err)
		g.tellDamaged(ctx)
	}
	if err != nil || mine == nil { // a stranger's message must not hold up those of others
		g.counts.refused(ReasonSender)
		return nil
	}
	req := request(e, cause, "", v, g.settings.Load())
	req.Payload.Name, req.Payload.Until = showCode(mine.Code), mine.until().UTC()
	if err := g.refuse(g.queueRequest(ctx, req)); err != nil {
		return err
	}
	g.counts.refused(ReasonPairing)
	g.ledger.told(senderOf(e), ReasonPairing, now)
	g.log.Info("stranger got a code", "channel", who.account().String(), "sender", who.Person)
	return nil
}

// has reports that a stranger has a code, which may be over.
func (r *records) has(who identity) bool {
	return slices.ContainsFunc(r.Codes, func(c code) bool { return !c.Link && c.identity == who })
}

// room reports whether a stranger can get a code of the account, and which one
// gives way to it; -1 for none. When as many are out as there may be, somebody who
// has had none for a day takes the place of the oldest that is not its person's
// first: who asks again and again keeps nobody out, and no first code is ever taken
// away before its time.
func (r *records) room(account AccountID, again bool, now time.Time) (out int, ok bool) {
	out = -1
	waiting := 0
	for i, c := range r.Codes {
		if c.Link || c.account() != account || !now.Before(c.until()) {
			continue
		}
		waiting++
		if c.Again && (out < 0 || c.At.Before(r.Codes[out].At)) {
			out = i
		}
	}
	if waiting < mostPending {
		return -1, true
	}
	return out, out >= 0 && !again
}

// tellCrowd tells the administrators, once a day, that strangers get no code
// because too many others have one.
func (g *Gateway) tellCrowd(ctx context.Context, account AccountID, now time.Time) {
	day := now.UTC().Format(time.DateOnly)
	if before := g.crowded.Swap(&crowd{account, day}); before != nil && *before == (crowd{account, day}) {
		return // spares the log a line for each message
	}
	g.tellAdmins(ctx, "pairing/"+account.String()+"/"+day, func(t *texts.Texts) string {
		return t.Say("access.admin_crowd", account.String(), mostPending)
	})
}

// A crowd is an account, and the day when too many strangers asked there.
type crowd struct {
	account AccountID
	day     string
}

// draw gives c a code that no other has, and adds it.
func (r *records) draw(c code) *code {
	for c.Code == "" || slices.ContainsFunc(r.Codes, func(o code) bool { return o.Code == c.Code }) {
		c.Code = newCode()
	}
	r.Codes = append(r.Codes, c)
	return &r.Codes[len(r.Codes)-1]
}

// tell says something to the person who got a code, in the chat where it was
// said. It is a courtesy: what cannot be written now is not said.
func (g *Gateway) tell(ctx context.Context, c code, what Reason, name, cause string) {
	lang := c.Lang
	if lang == "" {
		lang = g.settings.Load().Lang
	}
	req := Envelope{
		Conversation: conversationID(c.Channel, c.Account, c.To.Chat(), c.To.Thread(), c.Person), Cause: cause, Type: TypeRequest,
		From: From{Agent: partDispatcher}, To: partRelay, Intent: intentNotice, Priority: PriorityNormal,
		Payload: Payload{Notice: what, Name: name, Address: c.To, Audience: channels.Direct, Role: agents.RoleUser, Lang: lang},
	}
	if err := g.queueRequest(ctx, req); err != nil {
		g.log.Warn("person could not be told", "channel", c.account().String(), "what", what, "err", fmt.Errorf("queue: %w", err))
	}
}
