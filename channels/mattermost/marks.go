package mattermost

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	// overlap is by how much a catch-up looks behind what was delivered last.
	// Posts of several servers, or of transactions that took their time, may
	// become visible out of the order of their times.
	overlap = time.Minute
	// mostKeys is how many keys are remembered for a chat; with more the overlap
	// is shorter.
	mostKeys = 512
)

// marks say how far we have read, chat by chat. They may be used by many
// goroutines.
type marks struct {
	mu    sync.Mutex // guards the fields below
	me    string     // the account that they belong to; "" for none yet
	first int64      // when marks were first kept, in ms; what is older is not asked for
	base  int64      // of chats that have no mark of their own, in ms
	seen  int64      // when the server was last heard, in ms
	chats map[string]*mark
	dirty bool

	former []byte       // what was kept and could not be understood
	now    func() int64 // the server's time in ms; constant
}

// A mark is how far one chat has been read.
type mark struct {
	At int64 `json:"at"` // time of the newest post that was delivered, in ms
	// Keys of what was delivered since At minus overlap, or since From where that
	// is later, with the times of the posts.
	Keys map[string]int64 `json:"keys"`
	From int64            `json:"from,omitempty"`

	newest int64 // time of the newest post that we know of, also beyond At
}

// marksJSON is the kept form.
type marksJSON struct {
	V     int              `json:"v"`
	Me    string           `json:"me"`
	First int64            `json:"first"`
	Base  int64            `json:"base"`
	Seen  int64            `json:"seen"`
	Chats map[string]*mark `json:"chats"`
	// Former is a cursor of a form that was not understood; it is not used.
	Former []byte `json:"former,omitempty"`
}

const (
	// mostLoads is how often a cursor that cannot be read is tried.
	mostLoads = 4
	// lookBehind is how long before the start we look for posts when it is not
	// known how far we have read. What was delivered before has the same key.
	lookBehind = 24 * time.Hour
	// mostFormer bounds what is kept of a cursor that was not understood.
	mostFormer = 1 << 20
)

// loadMarks reads what the cursor has kept. Without anything kept we have read
// everything before the channel was made; where something was kept that cannot
// be read, some of it is read again and health says so. It returns an error
// only when ctx has ended.
func (c *Channel) loadMarks(ctx context.Context) (*marks, error) {
	m := newMarks(c.made, c.serverNow)
	if c.opts.Cursor == nil {
		return m, nil
	}
	var raw []byte
	wait := c.opts.Retry
	for tries := 1; ; tries++ {
		var err error
		if raw, err = c.opts.Cursor.Load(); err == nil {
			break
		}
		c.health.forgot(c.opts.Now())
		c.log.Error("cursor not read", "try", tries, "err", err)
		if tries == mostLoads {
			return newMarks(c.made.Add(-lookBehind), c.serverNow), nil
		}
		if err := wait.Wait(ctx); err != nil {
			return nil, err
		}
	}
	if raw == nil {
		return m, nil
	}
	if err := m.load(raw); err != nil {
		c.health.forgot(c.opts.Now())
		c.log.Error("cursor not understood, it is kept in the new one", "err", err)
		m = newMarks(c.made.Add(-lookBehind), c.serverNow)
		m.former = raw[:min(len(raw), mostFormer)]
		return m, nil
	}
	c.health.remembers()
	return m, nil
}

// serverNow returns the server's time, in ms.
func (c *Channel) serverNow() int64 { return c.opts.Now().UnixMilli() + c.client.ahead.Load() }

// newMarks returns marks of who has read everything before a time. Now returns
// the server's time in ms; no mark goes beyond it, whatever times posts have:
// some are imported, or come from a server whose clock is wrong.
func newMarks(read time.Time, now func() int64) *marks {
	at := read.UnixMilli()
	return &marks{first: at, base: at, seen: at, chats: make(map[string]*mark), now: now}
}

// load takes over what was kept.
func (m *marks) load(raw []byte) error {
	var kept marksJSON
	if json.Unmarshal(raw, &kept) != nil || kept.V != 1 || kept.Base <= 0 || !isID(kept.Me) {
		return errors.New("mattermost: not a cursor of version 1")
	}
	m.me, m.first, m.base, m.seen, m.former = kept.Me, kept.First, kept.Base, kept.Seen, kept.Former
	if m.seen > 0 { // nothing after it was read
		m.base = min(m.base, m.seen+overlap.Milliseconds())
	}
	for id, one := range kept.Chats {
		if one == nil || !isID(id) || one.At <= 0 {
			continue
		}
		if m.seen > 0 {
			one.At = min(one.At, m.seen+overlap.Milliseconds())
		}
		one.From = min(one.From, one.At)
		if one.Keys == nil {
			one.Keys = make(map[string]int64)
		}
		m.chats[id] = one
	}
	return nil
}

// belongTo says whose marks these are, and begins anew for another account
// than before; it then returns true.
func (m *marks) belongTo(me string, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	other := m.me != "" && m.me != me
	if other {
		m.first, m.base, m.chats = now.UnixMilli(), now.UnixMilli(), make(map[string]*mark)
	}
	if m.me != me {
		m.me, m.dirty = me, true
	}
	return other
}

// has reports whether an event was delivered, as far as is remembered.
func (m *marks) has(chat, key string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	one := m.chats[chat]
	if one == nil {
		return false
	}
	_, ok := one.Keys[key]
	return ok
}

// knows returns the time of the newest post of a chat that has come.
func (m *marks) knows(chat string) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if one := m.chats[chat]; one != nil {
		return max(one.At, one.newest)
	}
	return m.base
}

// since returns the time of the newest delivered post of a chat, and the time
// from which on a catch-up has to look.
func (m *marks) since(chat string) (at, from int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	one := m.chats[chat]
	if one == nil {
		return m.base, max(m.base-overlap.Milliseconds(), m.first)
	}
	return one.At, max(one.At-overlap.Milliseconds(), one.From, m.first)
}

// begin gives a chat a mark of its own, before anything of it is under way:
// raise does not move it then.
func (m *marks) begin(chat string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.chats[chat] == nil {
		m.chats[chat] = &mark{At: m.base, Keys: make(map[string]int64)}
	}
}

// hear notes when the server was last heard.
func (m *marks) hear(now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen = max(m.seen, now.UnixMilli())
}

// heard returns when the server was last heard, in ms.
func (m *marks) heard() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seen
}

// delivered notes that an event about a post of time at is durable, or of no
// concern.
func (m *marks) delivered(chat, key string, at int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	one := m.chats[chat]
	if one == nil {
		one = &mark{At: m.base, Keys: make(map[string]int64)}
		m.chats[chat] = one
	}
	one.At, one.newest = max(one.At, min(at, m.latest())), max(one.newest, at)
	one.Keys[key] = at
	m.dirty = true
	if len(one.Keys) > mostKeys {
		one.trim()
	}
}

// reach notes that everything of a chat up to a time was delivered.
func (m *marks) reach(chat string, at int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	one := m.chats[chat]
	if one == nil {
		return
	}
	one.newest = max(one.newest, at)
	if at = min(at, m.latest()); one.At < at {
		one.At, m.dirty = at, true
	}
}

// latest is as far as a mark may go: the present, as well as we know the
// server's clock. A catch-up looks twice as far behind a mark.
func (m *marks) latest() int64 { return m.now() + overlap.Milliseconds()/2 }

// trim forgets the keys before the overlap, and at least half of them.
func (o *mark) trim() {
	times := slices.Sorted(maps.Values(o.Keys))
	before := max(o.At-overlap.Milliseconds(), min(o.At, times[len(times)/2]))
	maps.DeleteFunc(o.Keys, func(_ string, at int64) bool { return at < before })
	o.From = before
}

// raise moves the time of all chats that have no mark: everything before it
// was delivered, or is about to be under a mark of its own.
func (m *marks) raise(base int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if base > m.base {
		m.base, m.dirty = base, true
	}
}

// kept returns the marks as they are kept, or nil when nothing has changed
// since the last time.
func (m *marks) kept() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.dirty || m.me == "" {
		return nil, nil
	}
	for _, one := range m.chats {
		before := one.At - overlap.Milliseconds()
		maps.DeleteFunc(one.Keys, func(_ string, at int64) bool { return at < before })
	}
	raw, err := json.Marshal(marksJSON{1, m.me, m.first, m.base, m.seen, m.chats, m.former})
	if err == nil {
		m.dirty = false
	}
	return raw, err
}

// again makes the next kept return the marks although nothing changed.
func (m *marks) again() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dirty = true
}
