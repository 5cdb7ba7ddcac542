package gateway

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"outheis/channels"
	"outheis/config/texts"
)

// Times of the watch over what accounts receive (spec/channels.md §4 point 14):
// an administrator knows of a cause within two minutes of the time when the
// account turns red.
const (
	healthLook  = 10 * time.Second // between two looks
	redPatience = 40 * time.Second // an account is out of order for so long before anybody is told
	calm        = time.Minute      // and in order for so long before that is told
	startTime   = time.Minute      // an account may be starting
	storeTime   = 30 * time.Second // events may be refused by the queue
	putOut      = time.Minute      // in which several chats are lost at a time
	silentAfter = time.Minute      // behind the start, that nothing came is worth a remark
)

// standing returns how an account stands: what its adapter says of itself, or
// what the gateway knows, whichever is worse. Its sentences are in the language
// of the settings.
func (g *Gateway) standing(o *outlet) channels.Health {
	h := o.stand()
	now, s := g.now(), g.settings.Load()
	for _, f := range o.findings(texts.For(s.Lang), now, s.Policy) {
		if severity(f.State) > severity(h.State) {
			f.Received = h.Received
			h = f
		}
	}
	if h.State == channels.Red && h.Remedy == "" {
		h.Remedy = texts.For(s.Lang).Say("access.look_into_log")
	}
	return h
}

func severity(s channels.State) int {
	switch s {
	case channels.Green:
		return 0
	case channels.Starting:
		return 1
	case channels.Yellow:
		return 2
	}
	return 3
}

// findings are what the gateway itself knows to be wrong with the account.
func (o *outlet) findings(t *texts.Texts, now time.Time, p Policy) []channels.Health {
	own := o.stand()
	o.mu.Lock()
	defer o.mu.Unlock()
	var all []channels.Health
	add := func(s channels.State, reason, remedy string) {
		all = append(all, channels.Health{State: s, Reason: reason, Remedy: remedy})
	}
	if own.State == channels.Starting && !o.began.IsZero() && now.Sub(o.began) >= startTime {
		add(channels.Red, t.Say("access.starting"), t.Say("access.starting_remedy"))
	}
	if !o.unstored.IsZero() && now.Sub(o.unstored) >= storeTime {
		add(channels.Red, t.Say("access.unstored", o.cause), t.Say("access.unstored_remedy"))
	}
	for _, chat := range slices.Sorted(maps.Keys(o.lost)) {
		l := o.lost[chat]
		if !o.misses(l, p.Access[o.id]) {
			continue
		}
		if l.Change == channels.ChangeMuted {
			add(channels.Yellow, t.Say("access.muted", l.Address.Chat()), t.Say("access.muted_remedy"))
		} else {
			add(channels.Red, t.Say("access.removed", l.Address.Chat()), t.Say("access.removed_remedy"))
		}
	}
	off := o.clock.off
	if own.Ahead != 0 {
		off = own.Ahead
	}
	if state := clockState(off, p.Limits.withDefaults()); state != channels.Green {
		add(state, clockSentence(t, off), t.Say("access.clock_remedy"))
	}
	return all
}

// clockOff returns how far our clock is known to be ahead of the network's.
func (o *outlet) clockOff() time.Duration {
	if own := o.stand(); own.Ahead != 0 {
		return own.Ahead
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.clock.off
}

// misses reports that a chat that we lost is one that we should answer in. Of a
// guild or team that is listed as a whole, chats come and go; only several at a
// time mean that we were put out of it. The caller holds mu.
func (o *outlet) misses(l channels.Event, a Access) bool {
	if _, listed := a.group(l); !listed {
		return false
	}
	if _, itself := a.Groups[l.Address.Chat()]; itself {
		return true
	}
	n := 0
	for _, other := range o.lost {
		if other.Space == l.Space && other.Change == l.Change && other.At.Sub(l.At).Abs() <= putOut {
			n++
		}
	}
	return n > 1
}

// lose notes what became of us in a chat, or that we are there again.
func (o *outlet) lose(e channels.Event, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	chat := e.Address.Chat()
	delete(o.lost, chat)
	if e.Change == channels.ChangeRemoved || e.Change == channels.ChangeMuted {
		if o.lost == nil {
			o.lost = make(map[string]channels.Event)
		}
		o.lost[chat] = channels.Event{Address: e.Address, Space: e.Space, Change: e.Change, At: now}
	}
}

// hear notes that an event came, and what became of it.
func (o *outlet) hear(now time.Time, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.heard = now
	if err == nil {
		o.unstored, o.cause = time.Time{}, ""
		return
	}
	if o.unstored.IsZero() {
		o.unstored = now
	}
	o.cause, _, _ = strings.Cut(cut(err.Error(), 200), "\n")
}

// observe notes how the account stands and returns since when it stands so.
func (o *outlet) observe(s channels.State, now time.Time) (since time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.state != s {
		o.state, o.since = s, now
	}
	return o.since
}

// remark is what is worth saying about an account that seems to be in order.
func (g *Gateway) remark(o *outlet, h channels.Health) string {
	o.mu.Lock()
	silent := o.heard.IsZero() && !o.began.IsZero() && g.now().Sub(o.began) >= silentAfter
	o.mu.Unlock()
	if silent && h.State == channels.Green {
		return texts.For(g.settings.Load().Lang).Say("access.silent")
	}
	return ""
}

// An ailment is a time in which an account, or the queue, is out of order.
type ailment struct {
	since, last time.Time
	health      channels.Health // as it was last
	told        bool
	flaps       time.Time     // told as one of those that come and go since then
	quiet       time.Duration // and for how long nothing more is told of them
}

// A ward holds the ailments that there are, those that there were lately, and how
// everybody stood at the last look. It belongs to one goroutine.
type ward struct {
	ill  map[AccountID]*ailment
	past map[AccountID]*bout
	seen map[AccountID]channels.Health
}

func newWard() ward {
	return ward{make(map[AccountID]*ailment), make(map[AccountID]*bout), make(map[AccountID]channels.Health)}
}

// A bout is the ailments of somebody that follow each other, of which the first was
// told as any other.
type bout struct {
	first, over time.Time     // the first began, the last ended
	quiet       time.Time     // until then nothing is told
	told        int           // how often it was told that they come and go
	owed        bool          // that it is over, since it was told the last time
	longest     time.Duration // of those that are over or told
}

// Ailments that come and go are told as such, then after growing pauses; but one
// that lasts much longer than any before is told at once.
const (
	boutEnd  = 6 * time.Hour    // in order for so long, the next ailment is a new matter
	boutCalm = time.Hour        // and for so long, it is told that they are over
	lasting  = 10 * time.Minute // shorter ailments count as those that come and go
)

// pause is for how long nothing is told after it was told n times.
func (b *bout) pause() time.Duration {
	switch b.told {
	case 0:
		return time.Hour
	case 1:
		return 6 * time.Hour
	}
	return 24 * time.Hour
}

// queueID and clockID stand in a ward for the queue and for our clock.
func queueID() AccountID { return AccountID{} }
func clockID() AccountID { return AccountID{Channel: "clock"} }

// note takes in how somebody stands and reports what is to be told: that they
// are out of order, or that they are well again.
func (w ward) note(id AccountID, h channels.Health, now time.Time) (a *ailment, red, green bool) {
	a = w.ill[id]
	switch {
	case h.State == channels.Red:
		if a == nil {
			a = &ailment{since: now}
			w.ill[id] = a
		}
		a.last, a.health = now, h
		if !a.told && now.Sub(a.since) >= redPatience && w.isNews(id, a, now) {
			a.told = true
			return a, true, false
		}
	case a != nil && h.State != channels.Starting && now.Sub(a.last) >= calm:
		delete(w.ill, id)
		if b := w.past[id]; b != nil {
			b.over, b.longest = a.last, max(b.longest, a.last.Sub(a.since))
		}
		return a, false, a.told && a.flaps.IsZero()
	case a == nil:
		return w.settle(id, now)
	}
	return a, false, false
}

// isNews reports that an ailment is to be told.
func (w ward) isNews(id AccountID, a *ailment, now time.Time) bool {
	b := w.past[id]
	if b == nil {
		w.past[id] = &bout{first: a.since}
		return true
	}
	age := now.Sub(a.since)
	if now.Before(b.quiet) && age < 2*max(b.longest, lasting) {
		return false
	}
	a.flaps, a.quiet = b.first, b.pause()
	b.quiet, b.owed, b.longest = now.Add(a.quiet), true, max(b.longest, age)
	b.told++
	return true
}

// settle ends what comes and goes once it has stayed away.
func (w ward) settle(id AccountID, now time.Time) (a *ailment, red, green bool) {
	b := w.past[id]
	if b == nil {
		return nil, false, false
	}
	if now.Sub(b.over) >= boutEnd {
		delete(w.past, id)
	}
	if b.owed && now.Sub(b.over) >= boutCalm {
		b.owed = false
		return &ailment{since: b.first, last: b.over, flaps: b.first}, false, true
	}
	return nil, false, false
}

// watchHealth looks after the accounts until ctx ends: what changes is logged,
// and what stays out of order is told to the administrators, once, and when it is
// over.
func (g *Gateway) watchHealth(ctx context.Context) {
	var telling sync.WaitGroup
	defer telling.Wait()
	w := newWard()
	tick := time.NewTicker(healthLook)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			g.lookAround(ctx, w, &telling)
		case <-ctx.Done():
			return
		}
	}
}

// lookAround looks at every account and at the queue once.
func (g *Gateway) lookAround(ctx context.Context, w ward, telling *sync.WaitGroup) {
	now := g.now()
	queue := channels.Health{State: channels.Green}
	if why := g.troubled.reason(); why != "" {
		queue = channels.Health{State: channels.Red, Reason: why}
	}
	clock := channels.Health{State: channels.Green}
	for _, o := range g.outlets.all() {
		if o.current() == nil {
			delete(w.ill, o.id)
			delete(w.past, o.id)
			delete(w.seen, o.id)
			continue
		}
		h := g.standing(o)
		o.observe(h.State, now)
		if before := w.seen[o.id]; before.State != h.State || before.Reason != h.Reason {
			g.logHealth(o.id, h)
		}
		w.seen[o.id] = h
		limits := g.settings.Load().Policy.Limits.withDefaults()
		if off := o.clockOff(); clockState(off, limits) == channels.Yellow { // what is worse makes the account red
			clock = channels.Health{State: channels.Red, Ahead: off}
		}
	}
	tell := func(id AccountID, h channels.Health) {
		a, red, green := w.note(id, h, now)
		if !red && !green {
			return
		}
		cause := "health/" + id.String() + "/" + a.since.UTC().Format(time.RFC3339)
		if !a.flaps.IsZero() {
			cause += "/" + a.last.UTC().Format(time.RFC3339)
		}
		if green {
			cause += "/over"
		}
		g.tellHealth(ctx, telling, w.seen, cause, func(t *texts.Texts) string { return g.healthSentence(t, id, a, now, green) })
	}
	tell(queueID(), queue)
	tell(clockID(), clock)
	for id, h := range w.seen {
		if o := g.outlets.get(id); queue.State == channels.Red && o.isUnstored() {
			continue // it is the queue that is ill
		}
		tell(id, h)
	}
}

// isUnstored reports that the last event of the account was refused.
func (o *outlet) isUnstored() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.unstored.IsZero()
}

func (g *Gateway) logHealth(id AccountID, h channels.Health) {
	facts := []any{"channel", id.String(), "state", h.State, "reason", h.Reason, "remedy", h.Remedy}
	switch h.State {
	case channels.Red:
		g.log.Error("account is out of order", facts...)
	case channels.Yellow:
		g.log.Warn("account is not quite in order", facts...)
	default:
		g.log.Info("account stands", facts...)
	}
}

// healthSentence tells an administrator what is out of order, and what to do, or
// that it is over; and that it comes and goes.
func (g *Gateway) healthSentence(t *texts.Texts, id AccountID, a *ailment, now time.Time, over bool) string {
	s := g.ailmentSentence(t, id, a, now, over)
	if over || a.flaps.IsZero() {
		return s
	}
	since := a.flaps.In(g.settings.Load().Zone).Format(t.Say("access.time"))
	return s + " " + t.Say("access.admin_flaps", since, spanWords(t, a.quiet))
}

func (g *Gateway) ailmentSentence(t *texts.Texts, id AccountID, a *ailment, now time.Time, over bool) string {
	zone := g.settings.Load().Zone
	format := func(at time.Time) string { return at.In(zone).Format(t.Say("access.time")) }
	switch {
	case id == queueID() && over:
		return t.Say("access.admin_queue_over", format(a.since), format(a.last))
	case id == queueID():
		return t.Say("access.admin_queue", format(a.since), a.health.Reason)
	case id == clockID() && over:
		return t.Say("access.admin_clock_over")
	case id == clockID():
		return t.Say("access.admin_clock", clockSentence(t, a.health.Ahead), t.Say("access.clock_remedy"))
	case over:
		return t.Say("access.admin_over", id.String(), format(a.since), format(a.last))
	}
	return strings.TrimSpace(t.Say("access.admin_red", id.String(), format(a.since), a.health.Reason, a.health.Remedy))
}
