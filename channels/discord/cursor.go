package discord

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"
)

// marks are how far each channel was read. Ids of Discord sort by time across
// all channels, so one mark, the floor, says of every channel that all messages
// up to it are durable or older than our first start; beside it stand the
// channels that have come further. Direct channels are kept in any case, because
// Discord lists them nowhere.
type marks struct {
	mu      sync.Mutex // guards the fields below
	loaded  bool
	floor   uint64
	newest  uint64            // the newest message that came
	lost    bool              // what the cursor held is not understood
	unread  []byte            // it, so that it is not overwritten
	done    map[string]uint64 // last durable message, where above the floor
	direct  map[string]uint64 // direct channels and their last durable message
	people  map[string]string // direct channels by person
	pending map[uint64]int    // messages that came and are not durable yet
	held    map[string]bool   // channels whose marks must not move: something before is missing
	dirty   bool
}

// mostDirect is how many direct channels are kept, the latest ones.
const mostDirect = 1000

func newMarks() *marks {
	return &marks{
		done: make(map[string]uint64), direct: make(map[string]uint64), people: make(map[string]string), pending: make(map[uint64]int),
		held: make(map[string]bool),
	}
}

// savedMarks are marks as the cursor holds them.
type savedMarks struct {
	V      int               `json:"v"`
	Floor  string            `json:"floor"`
	Done   map[string]string `json:"channels,omitempty"`
	Direct map[string]string `json:"direct,omitempty"`
	People map[string]string `json:"people,omitempty"`
	// Unread is what a program before could not understand, of a later version or
	// damaged. It is kept as it was.
	Unread []byte `json:"unread,omitempty"`
}

// load takes over what the cursor holds, once.
func (m *marks) load(raw []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.loaded {
		return nil
	}
	m.loaded = true
	if len(raw) == 0 {
		return nil
	}
	var s savedMarks
	err := json.Unmarshal(raw, &s)
	if err == nil && s.V != 1 {
		m.lost, m.unread = true, slices.Clone(raw)
		return fmt.Errorf("the cursor has version %d, want 1", s.V)
	}
	floor, bad := parseID(s.Floor)
	if err != nil || bad != nil {
		m.lost, m.unread = true, slices.Clone(raw)
		return errors.New("the cursor is damaged")
	}
	m.floor, m.unread = floor, s.Unread
	for _, part := range []struct {
		from map[string]string
		to   map[string]uint64
	}{{s.Done, m.done}, {s.Direct, m.direct}} {
		for channel, last := range part.from {
			if id, err := parseID(last); err == nil || last == "0" {
				part.to[channel] = id
			}
		}
	}
	for person, channel := range s.People {
		if _, err := parseID(channel); err == nil {
			m.people[person] = channel
		}
	}
	return nil
}

// lose says that it is not known how far the account was read.
func (m *marks) lose() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lost, m.loaded = m.lost || !m.loaded, true
}

// meet notes the direct channel of a person.
func (m *marks) meet(person, channel string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.people[person] != channel {
		m.people[person], m.dirty = channel, true
	}
	if _, known := m.direct[channel]; !known {
		m.direct[channel], m.dirty = 0, true
	}
}

// with returns the direct channel of a person, or "".
func (m *marks) with(person string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.people[person]
}

// begin sets the floor of an account that starts for the first time. Where it
// is not known how far an account was read, or where the floor is a time that
// cannot be, oldest is the floor: what comes twice is known by its key.
func (m *marks) begin(at, oldest time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	future := idAt(at.Add(clocksApart))
	switch {
	case m.lost, m.floor > future:
		m.floor, m.lost, m.dirty = max(1, idAt(oldest)), false, true
		maps.DeleteFunc(m.done, func(_ string, id uint64) bool { return id > future })
	case m.floor == 0:
		m.floor, m.dirty = max(1, idAt(at)), true
	}
}

// clocksApart is how far a mark may lie in the future.
const clocksApart = 10 * time.Minute

// came notes a message that is on its way.
func (m *marks) came(channel string, direct bool, id uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pending[id]++
	m.newest = max(m.newest, id)
	if _, known := m.direct[channel]; direct && !known {
		m.direct[channel], m.dirty = 0, true
	}
}

// left notes that a message that came needs no record of its own.
func (m *marks) left(id uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(id)
}

func (m *marks) drop(id uint64) {
	if m.pending[id]--; m.pending[id] <= 0 {
		delete(m.pending, id)
	}
}

// stored notes that a message that came is durable.
func (m *marks) stored(channel string, direct bool, id uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(id)
	m.advance(channel, direct, id)
}

// read notes that all of a channel is durable up to id.
func (m *marks) read(channel string, direct bool, id uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.advance(channel, direct, id)
}

func (m *marks) advance(channel string, direct bool, id uint64) {
	if id > m.floor && id > m.done[channel] && !m.held[channel] {
		m.done[channel], m.dirty = id, true
	}
	if direct && id > m.direct[channel] {
		m.direct[channel], m.dirty = id, true
	}
}

// hold keeps the mark of a channel where it is, whatever becomes durable.
func (m *marks) hold(channel string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held[channel] = true
}

// letGo lets the mark of a channel move again.
func (m *marks) letGo(channel string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.held, channel)
}

// free lets all marks move again.
func (m *marks) free() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.held)
}

// after returns up to where a channel was read.
func (m *marks) after(channel string) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return max(m.floor, m.done[channel])
}

// directs returns the direct channels that we know, the latest first.
func (m *marks) directs() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.latest()
}

func (m *marks) latest() []string {
	return slices.SortedFunc(maps.Keys(m.direct), func(a, b string) int {
		return cmp.Or(cmp.Compare(m.direct[b], m.direct[a]), cmp.Compare(a, b))
	})
}

// recent returns the n channels in which something was written last.
func (m *marks) recent(n int) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := maps.Clone(m.direct)
	for channel, id := range m.done {
		last[channel] = max(last[channel], id)
	}
	all := slices.SortedFunc(maps.Keys(last), func(a, b string) int {
		return cmp.Or(cmp.Compare(last[b], last[a]), cmp.Compare(a, b))
	})
	return all[:min(len(all), n)]
}

// knows reports whether a message came, or is not newer than what came.
func (m *marks) knows(channel string, id uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.pending[id] > 0 || id <= max(m.floor, m.done[channel])
}

// isDirect reports whether a channel is a direct one that we know.
func (m *marks) isDirect(channel string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.direct[channel]
	return ok
}

// raise lifts the floor to t, up to which everything has come, but not above
// what is not durable yet, and not above what came: t is measured by clocks, and
// one of them may have been wrong for a moment.
func (m *marks) raise(t time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	floor := min(idAt(t), m.newest)
	for id := range m.pending {
		floor = min(floor, id-1)
	}
	if floor <= m.floor {
		return
	}
	m.floor, m.dirty = floor, true
	maps.DeleteFunc(m.done, func(_ string, id uint64) bool { return id <= floor })
}

// encode returns what the cursor has to hold, or nil when it holds it.
func (m *marks) encode() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.dirty || m.floor == 0 {
		return nil, nil
	}
	s := savedMarks{V: 1, Unread: m.unread, Floor: formatID(m.floor), Done: make(map[string]string), Direct: make(map[string]string)}
	for channel, id := range m.done {
		s.Done[channel] = formatID(id)
	}
	latest := m.latest()
	for i, channel := range latest {
		if i >= mostDirect {
			delete(m.direct, channel)
			continue
		}
		s.Direct[channel] = formatID(m.direct[channel])
	}
	maps.DeleteFunc(m.people, func(_, channel string) bool { _, kept := m.direct[channel]; return !kept })
	s.People = maps.Clone(m.people)
	b, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encode the cursor: %w", err)
	}
	m.dirty = false
	return b, nil
}

// unsaved says that the last encoded marks did not reach the cursor.
func (m *marks) unsaved() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dirty = true
}

// String keeps marks out of what is printed of a Channel.
func (m *marks) String() string { return "marks of " + strconv.Itoa(len(m.done)) + " channels" }
