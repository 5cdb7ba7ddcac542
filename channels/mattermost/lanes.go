package mattermost

import (
	"context"
	"hash/fnv"
	"sync"
	"sync/atomic"

	"outheis/channels"
)

const (
	// laneCount is how many chats are delivered side by side. They share writes
	// to the disk.
	laneCount = 16
	// laneLength is how many events may wait in a lane before receiving waits.
	laneLength = 64
)

// An item is an event of the network on its way: a frame of the websocket, or
// a post that was caught up with.
type item struct {
	chat    string // its order is kept
	frame   frame
	key     string // of an event that has no name of its own
	post    *post  // caught up with; frame is then empty
	channel channel
	reached int64 // of an item that only says how far a catch-up came, in ms
	call    *call // a press or a slash command; all else is then empty
}

// A call is an event of the listener, whose sender waits for what became of it.
type call struct {
	ctx   context.Context // of the request
	event channels.Event
	done  chan error // has room for one
}

// lanes carry items side by side, those of one chat in order.
type lanes struct {
	queues  []chan item
	running sync.WaitGroup
	waiting atomic.Int64

	mu    sync.Mutex    // guards empty
	empty chan struct{} // closed and renewed whenever waiting falls to nothing
}

// startLanes starts goroutines that call handle until ctx ends.
func startLanes(ctx context.Context, handle func(context.Context, item)) *lanes {
	l := &lanes{queues: make([]chan item, laneCount), empty: make(chan struct{})}
	for i := range l.queues {
		l.queues[i] = make(chan item, laneLength)
		l.running.Go(func() { l.run(ctx, l.queues[i], handle) })
	}
	return l
}

func (l *lanes) run(ctx context.Context, queue <-chan item, handle func(context.Context, item)) {
	for {
		select {
		case <-ctx.Done():
			return
		case it := <-queue:
			handle(ctx, it)
			if l.waiting.Add(-1) == 0 {
				l.mu.Lock()
				close(l.empty)
				l.empty = make(chan struct{})
				l.mu.Unlock()
			}
		}
	}
}

// put hands an item to the lane of its chat, and waits while that is full.
func (l *lanes) put(ctx context.Context, it item) error {
	h := fnv.New32a()
	h.Write([]byte(it.chat))
	l.waiting.Add(1)
	select {
	case l.queues[h.Sum32()%laneCount] <- it:
		return nil
	case <-ctx.Done():
		l.waiting.Add(-1)
		return ctx.Err()
	}
}

// idle waits until nothing is under way; nobody but the listener may put
// meanwhile.
func (l *lanes) idle(ctx context.Context) error {
	for {
		l.mu.Lock()
		empty := l.empty
		l.mu.Unlock()
		if l.waiting.Load() == 0 {
			return nil
		}
		select {
		case <-empty:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// wait returns when all goroutines have ended; ctx has to end for that.
func (l *lanes) wait() { l.running.Wait() }
