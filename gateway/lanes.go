package gateway

import (
	"context"
	"slices"
	"sync"
)

// lanes carry requests: one after the other within a lane, in parallel between
// lanes. A lane has a goroutine only while it has work. The zero value takes
// items and begins when start is called. All methods may be called from any
// goroutine.
type lanes struct {
	wg sync.WaitGroup // the goroutines of the lanes

	mu     sync.Mutex // guards the fields below and the phase of every item
	carry  func(*item)
	attend func(*item)      // told of each item that is put into a lane; must not block
	queue  []*item          // those that wait for a free agent, in their order
	of     map[string]*lane // lanes with work
	open   map[string]*item // by request id; a claimed item stays until it is let go
	closed bool
}

type lane struct {
	waiting []*item
	running *item
	told    bool // somebody who waits here was told their place
}

// An item is an open request on its way.
type item struct {
	lane string
	req  Envelope
	// fresh says that the log holds nothing but the request.
	fresh bool
	// crashes is how often in a row the process died while the request was open.
	crashes int
	// res is the response, once it is known to the goroutine of the lane.
	res *Payload

	courtesy courtesy

	phase  phase                   // guarded by lanes.mu
	cancel context.CancelCauseFunc // ends answering; guarded by lanes.mu
}

// phase is how far an item is.
type phase int

const (
	waiting   phase = iota
	answering       // until its response is about to be written
	answered        // its response is in the log, or will be
	claimed         // stopped or edited before that: nobody answers it any more
)

// place returns which place in the queue an item has: the next to be answered
// has 1, or 2 when one of its own lane is being answered. It is 0 when nothing has
// to be waited for, and when it was asked for another item since the lane had
// nothing to do: one person is told once, not with each of their questions.
func (l *lanes) place(it *item) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	q, ok := l.of[it.lane]
	if !ok || q.told {
		return 0
	}
	ahead := 0
	if q.running != nil {
		ahead = 1 + slices.Index(l.queue, q.running) // nothing more when that is being answered
		ahead = max(ahead, 1)
	}
	n := 0
	if q.running == it {
		n = 1 + slices.Index(l.queue, it)
	} else if i := slices.Index(q.waiting, it); i >= 0 {
		n = ahead + i + 1
	}
	q.told = n > 0
	return n
}

// queues notes that it waits for an agent, until the returned function is called.
func (l *lanes) queues(it *item) (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = append(l.queue, it)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if i := slices.Index(l.queue, it); i >= 0 {
			l.queue = slices.Delete(l.queue, i, i+1)
		}
	}
}

// start lets the lanes run.
func (l *lanes) start(carry func(*item)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.carry = carry
	for key := range l.of {
		l.wg.Go(func() { l.drain(key) })
	}
}

// push puts it at the end of its lane. It does nothing when the request is on
// its way already.
func (l *lanes) push(it *item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.insert(it, -1)
}

// insert puts it before the n-th waiting item of its lane, or at the end,
// unless its request is on its way. The caller holds mu.
func (l *lanes) insert(it *item, n int) {
	if l.closed || l.open[it.req.ID] != nil {
		return
	}
	if l.of == nil {
		l.of, l.open = make(map[string]*lane), make(map[string]*item)
	}
	l.open[it.req.ID] = it
	if l.attend != nil {
		l.attend(it)
	}
	q, ok := l.of[it.lane]
	if !ok {
		q = new(lane)
		l.of[it.lane] = q
		if l.carry != nil {
			l.wg.Go(func() { l.drain(it.lane) })
		}
	}
	if n < 0 || n > len(q.waiting) {
		n = len(q.waiting)
	}
	q.waiting = slices.Insert(q.waiting, n, it)
}

// drain carries the items of a lane until there are none.
func (l *lanes) drain(key string) {
	for {
		it := l.next(key)
		if it == nil {
			return
		}
		l.carry(it)
		l.mu.Lock()
		if l.open[it.req.ID] == it && it.phase != claimed {
			delete(l.open, it.req.ID)
		}
		l.mu.Unlock()
	}
}

// next takes the first waiting item; nil when the lane ends.
func (l *lanes) next(key string) *item {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.of[key]
	q.running = nil
	if len(q.waiting) == 0 || l.closed {
		delete(l.of, key)
		return nil
	}
	q.running = q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	return q.running
}

// begin notes that it is being answered and how to end that. It answers false
// when somebody claimed it before.
func (l *lanes) begin(it *item, cancel context.CancelCauseFunc) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if it.phase == claimed {
		return false
	}
	it.phase, it.cancel = answering, cancel
	return true
}

// settle notes that the response of it is about to be written, so that nobody
// can claim it any more. It answers false when somebody did.
func (l *lanes) settle(it *item) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if it.phase == claimed {
		return false
	}
	it.phase, it.cancel = answered, nil
	return true
}

// claim takes an item out of its lane that has no response yet and that match
// accepts: it will not be answered. The place is where another item can be
// put instead. Whoever claims an item ends its request in the log and calls
// replace, or calls release; until then it counts as being on its way.
func (l *lanes) claim(key string, cause error, match func(*item) bool) (it *item, place int) {
	if it := l.claimRunning(key, cause, match); it != nil {
		return it, 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	q, ok := l.of[key]
	if !ok {
		return nil, 0
	}
	i := slices.IndexFunc(q.waiting, match)
	if i < 0 {
		return nil, 0
	}
	return l.take(q, i), i
}

// claimRunning is claim for the one item that is being answered, or is about to
// be.
func (l *lanes) claimRunning(key string, cause error, match func(*item) bool) *item {
	l.mu.Lock()
	defer l.mu.Unlock()
	q, ok := l.of[key]
	if !ok {
		return nil
	}
	if q.running == nil && len(q.waiting) > 0 && match(q.waiting[0]) {
		return l.take(q, 0)
	}
	r := q.running
	if r == nil || r.phase >= answered || !match(r) {
		return nil
	}
	r.phase = claimed
	if r.cancel != nil {
		r.cancel(cause)
	}
	return r
}

// take claims the i-th waiting item. The caller holds mu.
func (l *lanes) take(q *lane, i int) *item {
	it := q.waiting[i]
	it.phase = claimed
	q.waiting = slices.Delete(q.waiting, i, i+1)
	return it
}

// replace forgets a claimed item, whose request has ended, and puts another at
// a place of its own lane.
func (l *lanes) replace(old, it *item, place int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, old.req.ID)
	l.insert(it, place)
}

// forget lets go of a claimed item whose request has ended.
func (l *lanes) forget(it *item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, it.req.ID)
}

// release puts a claimed item back into its place: its request goes on.
func (l *lanes) release(it *item, place int) {
	l.replace(it, &item{lane: it.lane, req: it.req, fresh: it.fresh, crashes: it.crashes}, place)
}

// keyOf returns the lane of an item that has no response yet, whosever lane it
// is.
func (l *lanes) keyOf(match func(*item) bool) (string, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, it := range l.open {
		if it.phase < answered && match(it) {
			return it.lane, true
		}
	}
	return "", false
}

// find returns the request of an item that has no response yet.
func (l *lanes) find(key string, match func(*item) bool) (Envelope, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q, ok := l.of[key]
	if !ok {
		return Envelope{}, false
	}
	if r := q.running; r != nil && r.phase < answered && match(r) {
		return r.req, true
	}
	if i := slices.IndexFunc(q.waiting, match); i >= 0 {
		return q.waiting[i].req, true
	}
	return Envelope{}, false
}

// load counts the open requests of a lane, and of all.
func (l *lanes) load(key string) (here, all int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if q, ok := l.of[key]; ok {
		here = len(q.waiting)
		if q.running != nil {
			here++
		}
	}
	return here, len(l.open)
}

// count returns how many lanes there are, and how many requests run and wait.
func (l *lanes) count() (lanes, running, waiting int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, q := range l.of {
		if q.running != nil {
			running++
		}
		waiting += len(q.waiting)
	}
	return len(l.of), running, waiting
}

// holds reports that the request is on its way.
func (l *lanes) holds(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open[id] != nil
}

// close lets no further item begin; what waits stays open in the log.
func (l *lanes) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

// wait returns when every lane has ended, and nobody who still waits is told so
// any more.
func (l *lanes) wait() {
	l.wg.Wait()
	l.mu.Lock()
	var all []*item
	for _, it := range l.open {
		all = append(all, it)
	}
	l.mu.Unlock()
	for _, it := range all {
		it.courtesy.takeFloor()
	}
}
