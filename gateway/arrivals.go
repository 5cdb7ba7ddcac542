package gateway

import (
	"errors"
	"sync"
)

// errArriving means that another goroutine is just delivering the same event.
var errArriving = errors.New("gateway: this event is being delivered already")

// arrivals are the causes of the events that are being delivered. They may be
// used by many goroutines.
type arrivals struct {
	mu      sync.Mutex // guards the fields below
	of      map[string]bool
	strikes map[string]int // panics in a row, by cause
}

// strike counts one more panic of an event, and forgets the event with the last
// that it may have.
func (a *arrivals) strike(cause string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.strikes == nil {
		a.strikes = make(map[string]int)
	}
	a.strikes[cause]++
	n := a.strikes[cause]
	if n >= poisonAt {
		delete(a.strikes, cause)
	}
	return n
}

func (a *arrivals) begin(cause string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of[cause] {
		return false
	}
	if a.of == nil {
		a.of = make(map[string]bool)
	}
	a.of[cause] = true
	return true
}

func (a *arrivals) end(cause string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.of, cause)
}
