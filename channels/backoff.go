package channels

import (
	"context"
	"math/rand/v2"
	"time"
)

// A Backoff says how long to wait before the next try: each wait is up to
// twice as long as the one before, with jitter, so that many clients of one
// network do not return at the same moment. The zero value grows from 1 s to
// 60 s. A Backoff belongs to one goroutine.
type Backoff struct {
	Min, Max time.Duration
	// Rand returns numbers in [0,1); nil stands for [rand.Float64].
	Rand func() float64

	tries int
}

// Next returns the wait before the next try: at least half and at most all of
// the present step.
func (b *Backoff) Next() time.Duration {
	step, most, random := b.Min, b.Max, b.Rand
	if step <= 0 {
		step = time.Second
	}
	if most <= 0 {
		most = time.Minute
	}
	if random == nil {
		random = rand.Float64
	}
	for range b.tries {
		if step >= most {
			break
		}
		step *= 2
	}
	b.tries++
	step = min(step, most)
	return step/2 + time.Duration(random()*float64(step-step/2))
}

// Wait waits for Next, or until ctx ends and then returns its error.
func (b *Backoff) Wait(ctx context.Context) error {
	return Pause(ctx, b.Next())
}

// Reset makes the next wait a short one again. It is called after a success.
func (b *Backoff) Reset() { b.tries = 0 }

// Pause waits for d, or until ctx ends and then returns its error. A d that is
// not positive does not wait.
func Pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
