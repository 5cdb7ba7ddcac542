package gateway

import (
	"context"
	"sync"
)

// rows keep two that change one message of ours apart: who edits the question of
// an answer, and who presses a button under it. They may be used by many
// goroutines.
type rows struct {
	mu sync.Mutex // guards of, and users of each
	of map[string]*row
}

type row struct {
	turn  chan struct{} // holds a token while somebody changes the message
	users int
}

// take waits for the message with that key; release lets the next one. The error
// is that of ctx.
func (r *rows) take(ctx context.Context, key string) (release func(), err error) {
	r.mu.Lock()
	if r.of == nil {
		r.of = make(map[string]*row)
	}
	m := r.of[key]
	if m == nil {
		m = &row{turn: make(chan struct{}, 1)}
		r.of[key] = m
	}
	m.users++
	r.mu.Unlock()
	leave := func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if m.users--; m.users == 0 {
			delete(r.of, key)
		}
	}
	select {
	case m.turn <- struct{}{}:
		return func() { <-m.turn; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
