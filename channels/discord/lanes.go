package discord

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"outheis/channels"
)

const (
	// deliveries is how many events are delivered at the same time. They then
	// share one write to the disk.
	deliveries = 16
	// waiting is how many events may wait to be delivered. When there are more,
	// nothing is read from the gateway.
	waiting = 2048
	// fetches is how many channels are caught up with at the same time.
	fetches = 4
)

// lanes do work in the order of each channel, and that of several channels side
// by side. Work that panics is tried again and then given up; what is behind it
// goes on.
type lanes struct {
	ctx   context.Context
	log   *slog.Logger
	room  chan struct{} // one for each event that waits
	slots chan struct{} // one for each event that is delivered
	fetch chan struct{} // one for each channel that is caught up with
	work  sync.WaitGroup

	mu     sync.Mutex // guards the fields below
	queues map[string]*lane
}

// A lane is the work of one channel.
type lane struct {
	jobs    []job
	filling int  // how many of them, or of the one at work, catch up
	owing   bool // one of those that wait catches up
}

// A job is work in a lane. It ends early with the lanes' context.
type job struct {
	do     func(context.Context)
	counts bool // it takes room
	fills  bool // it catches up
}

func newLanes(ctx context.Context, log *slog.Logger) *lanes {
	return &lanes{
		ctx:    ctx,
		log:    log,
		room:   make(chan struct{}, waiting),
		slots:  make(chan struct{}, deliveries),
		fetch:  make(chan struct{}, fetches),
		queues: make(map[string]*lane),
	}
}

// add puts an event into the lane of a channel, and waits while too many wait.
// It returns the context's error when that has ended.
func (l *lanes) add(channel string, do func(context.Context)) error {
	select {
	case l.room <- struct{}{}:
	case <-l.ctx.Done():
		return l.ctx.Err()
	}
	l.put(channel, job{do: do, counts: true})
	return nil
}

// fill puts the catching up of a channel into its lane, unless one waits there
// that has not begun, and reports whether it did.
func (l *lanes) fill(channel string, do func(context.Context)) bool {
	return l.put(channel, job{do: do, fills: true})
}

// filling reports whether a channel is being caught up with.
func (l *lanes) filling(channel string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.queues[channel]
	return q != nil && q.filling > 0
}

func (l *lanes) put(channel string, j job) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.queues[channel]
	fresh := q == nil
	if !fresh && j.fills && q.owing {
		return false
	}
	if fresh {
		q = &lane{}
		l.queues[channel] = q
	}
	q.jobs = append(q.jobs, j)
	if j.fills {
		q.filling++
		q.owing = true
	}
	if fresh {
		l.work.Go(func() { l.run(channel, q) })
	}
	return true
}

// run does the work of one lane until there is none.
func (l *lanes) run(channel string, q *lane) {
	for {
		l.mu.Lock()
		if len(q.jobs) == 0 {
			delete(l.queues, channel)
			l.mu.Unlock()
			return
		}
		j := q.jobs[0]
		q.jobs[0] = job{}
		q.jobs = q.jobs[1:]
		if j.fills {
			q.owing = false
		}
		l.mu.Unlock()
		if l.ctx.Err() == nil {
			contained(l.log, func() { j.do(l.ctx) })
		}
		if j.counts {
			<-l.room
		}
		if j.fills {
			l.mu.Lock()
			q.filling--
			l.mu.Unlock()
		}
	}
}

// contained runs do, again where it panics, and gives it up at the last strike.
// It reports whether do came to its end.
func contained(log *slog.Logger, do func()) bool {
	for strike := 1; ; strike++ {
		err := channels.Contain(func() error {
			do()
			return nil
		})
		if err == nil {
			return true
		}
		panicked(log, err, "strike", strike)
		if strike >= channels.MaxStrikes {
			return false
		}
	}
}

// panicked logs a mistake in the program with what leads to it, and reports
// whether err is one.
func panicked(log *slog.Logger, err error, args ...any) bool {
	var p *channels.PanicError
	if !errors.As(err, &p) {
		return false
	}
	log.Error("a mistake in the program was contained", append(args, "err", err, "stack", string(p.Stack))...)
	return true
}

// with holds a place of limit while do runs. It does not run once the context
// has ended.
func with(ctx context.Context, limit chan struct{}, do func() error) error {
	select {
	case limit <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-limit }()
	return do()
}

// wait waits for the end of all work; the lanes' context has ended.
func (l *lanes) wait() { l.work.Wait() }
