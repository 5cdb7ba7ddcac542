package mattermost

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"outheis/channels"
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

	err error // why what was kept could not be read; constant
}

// A mark is how far one chat has been read.
type mark struct {
	At int64 `json:"at"` // time of the newest post that was delivered, in ms
	// Keys of what was delivered since At minus overlap, or since From where that
	// is later, with the times of the posts.
	Keys map[string]int64 `json:"keys"`
	From int64            `json:"from,omitempty"`
}

// marksJSON is the kept form.
type marksJSON struct {
	V     int              `json:"v"`
	Me    string           `json:"me"`
	First int64            `json:"first"`
	Base  int64            `json:"base"`
	Seen  int64            `json:"seen"`
	Chats map[string]*mark `json:"chats"`
}

// loadMarks reads what a cursor has kept. Without anything kept we have read
// everything before now.
func loadMarks(c channels.Cursor, now time.Time) *marks {
	m := &marks{first: now.UnixMilli(), base: now.UnixMilli(), seen: now.UnixMilli(), chats: make(map[string]*mark)}
	if c == nil {
		return m
	}
	raw, err := c.Load()
	if err != nil || raw == nil {
		m.err = err
		return m
	}
	var kept marksJSON
	if json.Unmarshal(raw, &kept) != nil || kept.V != 1 || kept.Base <= 0 || !isID(kept.Me) {
		m.err = errors.New("mattermost: not a cursor of version 1")
		return m
	}
	m.me, m.first, m.base, m.seen = kept.Me, kept.First, kept.Base, kept.Seen
	for id, one := range kept.Chats {
		if one == nil || !isID(id) || one.At <= 0 {
			continue
		}
		if one.Keys == nil {
			one.Keys = make(map[string]int64)
		}
		m.chats[id] = one
	}
	return m
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
	one.At = max(one.At, at)
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
	if one := m.chats[chat]; one != nil && one.At < at {
		one.At, m.dirty = at, true
	}
}

// trim forgets the keys before the overlap, and at least half of them.
func (o *mark) trim() {
	times := slices.Sorted(maps.Values(o.Keys))
	before := max(o.At-overlap.Milliseconds(), times[len(times)/2])
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
	raw, err := json.Marshal(marksJSON{1, m.me, m.first, m.base, m.seen, m.chats})
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
