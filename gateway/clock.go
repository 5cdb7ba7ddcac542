package gateway

import (
	"context"
	"time"

	"outheis/channels"
	"outheis/config/texts"
)

const (
	// clockOff is how far our clock may be from a network's before that is wrong:
	// more than messages take.
	clockOff = 5 * time.Minute
	// Messages of people who write now are recognised by their age, where the clock
	// alone makes it: it is the same for messages that come some time apart.
	liveApart = 5 * time.Second
	liveRange = 20 * time.Second
	liveTimes = 3
)

// A clockCheck compares our clock with the times of a network's messages. That
// the network's lie ahead shows at once; that ours does shows only when messages
// that come one after the other are all of one age, since single ones may have
// waited while we were away.
type clockCheck struct {
	off  time.Duration // of our clock before that of the network; 0 when all is well
	last time.Time     // of the network, of the last message: one that comes again tells nothing
	age  time.Duration // of the last message
	came time.Time     // when the last one came that counts
	n    int           // of messages of one age in a row
}

// note takes in a message that was written at a time of the network.
func (c *clockCheck) note(written, now time.Time) {
	if written.IsZero() || written.Equal(c.last) {
		return
	}
	c.last = written
	age := now.Sub(written)
	switch {
	case age <= -clockOff:
		c.off, c.n = age, 0
	case age < clockOff:
		c.off, c.n = 0, 0
	case c.n == 0 || (age-c.age).Abs() > liveRange:
		c.age, c.came, c.n = age, now, 1
	case now.Sub(c.came) >= liveApart:
		c.came = now
		if c.n++; c.n >= liveTimes {
			c.off = age
		}
	}
}

// clockState says what a clock that is off does: beyond MaxAge no question would
// be answered.
func clockState(off time.Duration, l Limits) channels.State {
	switch {
	case off >= l.MaxAge:
		return channels.Red
	case off.Abs() >= clockOff:
		return channels.Yellow
	}
	return channels.Green
}

// clockSentence says how wrong our clock is.
func clockSentence(t *texts.Texts, off time.Duration) string {
	if off < 0 {
		return t.Say("access.clock_behind", spanWords(t, -off))
	}
	return t.Say("access.clock_ahead", spanWords(t, off))
}

// spanWords words a time roughly.
func spanWords(t *texts.Texts, d time.Duration) string {
	switch {
	case d < 2*time.Hour:
		return t.Say("access.span_minutes", int(d.Round(time.Minute)/time.Minute))
	case d < 48*time.Hour:
		return t.Say("access.span_hours", int(d.Round(time.Hour)/time.Hour))
	}
	return t.Say("access.span_days", int(d.Round(24*time.Hour)/(24*time.Hour)))
}

// compareClocks takes in the time of a message of somebody who may ask, and tells
// the administrators, once a day, that a question is too old to be answered:
// either we were away for so long, or our clock is wrong.
func (g *Gateway) compareClocks(ctx context.Context, e channels.Event, v Verdict, now time.Time) {
	if v.Role == "" || e.Kind != channels.KindMessage && e.Kind != channels.KindCommand {
		return
	}
	id := accountOf(e.Address)
	if o := g.outlets.get(id); o != nil {
		o.mu.Lock()
		o.clock.note(e.At, now)
		o.mu.Unlock()
	}
	if v.Reason == ReasonExpired {
		zone := g.settings.Load().Zone
		g.tellAdmins(ctx, "expired/"+id.String()+"/"+now.UTC().Format(time.DateOnly), func(t *texts.Texts) string {
			return t.Say("access.admin_expired", id.String(), e.At.In(zone).Format(t.Say("access.time")), now.In(zone).Format(t.Say("access.time")))
		})
	}
}
