package gateway

import (
	"sync"
	"time"

	"outheis/agents"
)

const (
	turnAge  = 30 * time.Minute // older turns are not shown to an agent
	turnMost = 5                // turns of one conversation
	turnAll  = 1000             // conversations
)

// turns remembers, in memory only, the last questions and answers of each
// conversation. It may be used by many goroutines.
type turns struct {
	mu sync.Mutex // guards of
	of map[string][]turn
}

type turn struct {
	at time.Time
	agents.Turn
}

// recall returns the turns of the last 30 minutes, oldest first.
func (t *turns) recall(conversation string, now time.Time) []agents.Turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	var recent []agents.Turn
	for _, u := range t.of[conversation] {
		if now.Sub(u.at) < turnAge {
			recent = append(recent, u.Turn)
		}
	}
	return recent
}

// note adds a turn.
func (t *turns) note(conversation string, now time.Time, question string, answer agents.Answer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = make(map[string][]turn)
	}
	if _, ok := t.of[conversation]; !ok && len(t.of) >= turnAll {
		t.makeRoom(now)
	}
	all := append(t.of[conversation], turn{now, agents.Turn{Question: question, Answer: answer}})
	if len(all) > turnMost {
		all = append([]turn(nil), all[len(all)-turnMost:]...)
	}
	t.of[conversation] = all
}

// makeRoom drops the conversations that are over, or else the one that was
// quiet for the longest time. The caller holds mu.
func (t *turns) makeRoom(now time.Time) {
	var oldest string
	var oldestAt time.Time
	for c, all := range t.of {
		last := all[len(all)-1].at
		if now.Sub(last) >= turnAge {
			delete(t.of, c)
		} else if oldest == "" || last.Before(oldestAt) {
			oldest, oldestAt = c, last
		}
	}
	if len(t.of) >= turnAll {
		delete(t.of, oldest)
	}
}
