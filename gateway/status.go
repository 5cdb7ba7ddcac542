package gateway

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"outheis/agents"
	"outheis/channels"
	"outheis/config/texts"
)

// Status is how a running gateway stands; counters begin with the process.
type Status struct {
	State    Phase                     `json:"state"`
	Reason   string                    `json:"reason,omitempty"` // why it is degraded
	Since    time.Time                 `json:"since"`            // start of the process
	Uptime   int64                     `json:"uptime_s"`
	Accounts []AccountStatus           `json:"accounts"`
	Agents   []string                  `json:"agents"`
	Lanes    int                       `json:"lanes"`   // conversations with work
	Open     int                       `json:"open"`    // requests without an end that are on their way
	Running  int                       `json:"running"` // requests under way
	Waiting  int                       `json:"waiting"` // requests behind them
	Busy     int                       `json:"busy"`    // agents answering
	Taken    uint64                    `json:"taken"`
	LastIn   time.Time                 `json:"last_in,omitzero"`
	Repeated uint64                    `json:"repeated"` // deliveries of an event that was there
	Refused  map[Reason]uint64         `json:"refused,omitempty"`
	Answers  map[string]uint64         `json:"answers,omitempty"` // by status
	Ends     map[End]uint64            `json:"ends,omitempty"`
	Failures map[channels.Class]uint64 `json:"failures,omitempty"` // tries to send, by class
}

// Phase is what a gateway does.
type Phase string

// The phases of a gateway.
const (
	Running  Phase = "running"
	Degraded Phase = "degraded" // the queue cannot write; channels keep what comes
	Stopping Phase = "stopping"
)

// AccountStatus is how one account stands.
type AccountStatus struct {
	Channel string          `json:"channel"`
	Account string          `json:"account"`
	Health  channels.Health `json:"health"`
	Since   time.Time       `json:"since,omitzero"`   // since when it stands so
	Heard   time.Time       `json:"heard,omitzero"`   // when the last event came, since the start
	Remark  string          `json:"remark,omitempty"` // a sentence, in the language of the settings
	Sent    uint64          `json:"sent"`
}

// Status returns how the gateway stands. It touches no file and no network.
func (g *Gateway) Status() Status {
	s := Status{State: Running, Since: g.since, Uptime: int64(g.now().Sub(g.since).Seconds()), Busy: len(g.slots)}
	if reason := g.troubled.reason(); reason != "" {
		s.State, s.Reason = Degraded, reason
	}
	if isClosed(g.stopping) {
		s.State = Stopping
	}
	s.Agents = slices.Sorted(maps.Keys(g.agents))
	s.Lanes, s.Running, s.Waiting = g.lanes.count()
	s.Open = s.Running + s.Waiting
	g.counts.into(&s)
	for _, o := range g.outlets.all() {
		if o.current() != nil {
			s.Accounts = append(s.Accounts, g.accountStatus(o))
		}
	}
	return s
}

func (g *Gateway) accountStatus(o *outlet) AccountStatus {
	h := g.standing(o)
	since := o.observe(h.State, g.now())
	o.mu.Lock()
	heard := o.heard
	o.mu.Unlock()
	return AccountStatus{o.id.Channel, o.id.Account, h, since, heard, g.remark(o, h), g.counts.sentBy(o.id)}
}

// Because words why events were not taken: the end of a sentence that counts
// them.
func (r Reason) Because(t *texts.Texts) string {
	switch r {
	case ReasonNobody, ReasonSender, ReasonPairing, ReasonBlocked, ReasonAnonymous:
		return t.Say("access.because_sender")
	case ReasonProgram, ReasonMuted, ReasonLoop:
		return t.Say("access.because_program")
	case ReasonGroup, ReasonAudience:
		return t.Say("access.because_group")
	case ReasonUnaddressed:
		return t.Say("access.because_unaddressed")
	case ReasonExpired, ReasonStale, ReasonEditLate, ReasonEditSame, ReasonCommandEdit:
		return t.Say("access.because_late")
	case ReasonQuota, ReasonDaily, ReasonBusy:
		return t.Say("access.because_quota")
	case ReasonKind, ReasonCommand, ReasonTooLong, ReasonUnsupported, ReasonEmpty:
		return t.Say("access.because_nothing")
	case ReasonBroken:
		return t.Say("access.because_broken")
	}
	return string(r)
}

// WhyRefused lists how many events were not taken, and why, the most frequent
// reason first.
func (s Status) WhyRefused(t *texts.Texts) []string {
	because := make(map[string]uint64)
	for r, n := range s.Refused {
		because[r.Because(t)] += n
	}
	words := slices.SortedFunc(maps.Keys(because), func(a, b string) int {
		return cmp.Or(cmp.Compare(because[b], because[a]), strings.Compare(a, b))
	})
	for i, w := range words {
		words[i] = fmt.Sprintf("%d × %s", because[w], w)
	}
	return words
}

// counts are the counters of Status. They may be used by many goroutines.
type counts struct {
	mu       sync.Mutex // guards the fields below
	in       uint64
	lastIn   time.Time
	known    uint64
	reasons  map[Reason]uint64
	statuses map[string]uint64
	ends     map[End]uint64
	classes  map[channels.Class]uint64
	posts    map[AccountID]uint64
}

func (c *counts) taken(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.in++
	c.lastIn = now
}

func (c *counts) repeated() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known++
}

func (c *counts) refused(r Reason)            { count(c, &c.reasons, r) }
func (c *counts) ended(e End)                 { count(c, &c.ends, e) }
func (c *counts) failed(class channels.Class) { count(c, &c.classes, class) }
func (c *counts) sent(id AccountID)           { count(c, &c.posts, id) }

func (c *counts) answered(res *Envelope) {
	status := agents.StatusFailed
	switch {
	case res.Payload.Answer != nil:
		status = res.Payload.Answer.Status()
	case res.Payload.Failure != nil:
		status = res.Payload.Failure.Status
	}
	count(c, &c.statuses, string(status))
}

func count[K comparable](c *counts, m *map[K]uint64, k K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if *m == nil {
		*m = make(map[K]uint64)
	}
	(*m)[k]++
}

func (c *counts) sentBy(id AccountID) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.posts[id]
}

func (c *counts) into(s *Status) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Taken, s.LastIn, s.Repeated = c.in, c.lastIn, c.known
	s.Refused, s.Answers = maps.Clone(c.reasons), maps.Clone(c.statuses)
	s.Ends, s.Failures = maps.Clone(c.ends), maps.Clone(c.classes)
}

// trouble remembers that the queue cannot write, and why. It may be used by
// many goroutines.
type trouble struct {
	mu    sync.Mutex // guards the fields below
	why   string
	since time.Time
}

// begin notes the error and reports that it is news.
func (t *trouble) begin(err error, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	news := t.why == ""
	if news {
		t.since = now
	}
	t.why = err.Error()
	return news
}

func (t *trouble) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.why = ""
}

func (t *trouble) reason() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.why
}
