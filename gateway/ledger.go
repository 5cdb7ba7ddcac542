package gateway

import (
	"slices"
	"sync"
	"time"

	"outheis/channels"
)

// A sender is somebody at one of our accounts: whom quotas and loop budgets
// count. Senders without a name count together in each chat.
type sender struct {
	account AccountID
	id      string // the network's account id
	chat    string // only when id is empty
}

func senderOf(e channels.Event) sender {
	s := sender{account: accountOf(e.Address), id: e.Actor.ID}
	if s.id == "" {
		s.chat = e.Address.Chat()
	}
	return s
}

// A ledger remembers, for a day, who asked when. It is in memory, and filled anew
// from the end of the log at start. It may be used by many goroutines.
type ledger struct {
	mu     sync.Mutex // guards the fields below
	of     map[sender]*account
	sweepN int // number of senders at which idle ones are forgotten
}

type account struct {
	asked   []time.Time // of the last 24 h, oldest first
	pressed []time.Time // the same for what was said about answers
	told    map[Reason]time.Time
	muted   time.Time
}

const ledgerDay = 24 * time.Hour

// recall fills in what State holds of one sender.
func (l *ledger) recall(s sender, state *State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, ok := l.of[s]
	if !ok {
		return
	}
	a.forget(state.Now)
	state.Asked = append([]time.Time(nil), a.asked...)
	state.Pressed = append([]time.Time(nil), a.pressed...)
	state.Muted = a.muted
	state.Told = make(map[Reason]time.Time, len(a.told))
	for r, t := range a.told {
		state.Told[r] = t
	}
}

// asked notes that a request of s was taken.
func (l *ledger) asked(s sender, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.account(s, now)
	a.asked = append(a.asked, now)
}

// pressed notes that s said something about an answer.
func (l *ledger) pressed(s sender, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.account(s, now)
	a.pressed = append(a.pressed, now)
}

// told notes that s got the sentence of r.
func (l *ledger) told(s sender, r Reason, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.account(s, now)
	if a.told == nil {
		a.told = make(map[Reason]time.Time)
	}
	a.told[r] = now
}

// mute notes that s gets no answer until then.
func (l *ledger) mute(s sender, until, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.account(s, now).muted = until
}

// account returns the page of s. The caller holds mu.
func (l *ledger) account(s sender, now time.Time) *account {
	if a, ok := l.of[s]; ok {
		return a
	}
	if l.of == nil {
		l.of, l.sweepN = make(map[sender]*account), 1024
	}
	if len(l.of) >= l.sweepN {
		for s, a := range l.of {
			if a.forget(now) {
				delete(l.of, s)
			}
		}
		l.sweepN = max(1024, 2*len(l.of))
	}
	a := new(account)
	l.of[s] = a
	return a
}

// forget drops what is older than a day, and reports that nothing is left.
func (a *account) forget(now time.Time) bool {
	a.asked, a.pressed = sinceYesterday(a.asked, now), sinceYesterday(a.pressed, now)
	for r, t := range a.told {
		if now.Sub(t) >= ledgerDay || isAhead(t, now) {
			delete(a.told, r)
		}
	}
	return len(a.asked) == 0 && len(a.pressed) == 0 && len(a.told) == 0 && !now.Before(a.muted)
}

// isAhead reports that t was taken from a clock that was ahead and has been set
// right since: it says nothing about when something was.
func isAhead(t, now time.Time) bool { return t.Sub(now) > time.Minute }

// sinceYesterday drops the times that are older than a day, and those that are
// still to come.
func sinceYesterday(times []time.Time, now time.Time) []time.Time {
	if slices.ContainsFunc(times, func(t time.Time) bool { return isAhead(t, now) }) {
		times = slices.DeleteFunc(slices.Clone(times), func(t time.Time) bool { return isAhead(t, now) })
	}
	i := 0
	for i < len(times) && now.Sub(times[i]) >= ledgerDay {
		i++
	}
	return times[i:]
}
