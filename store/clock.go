package store

import (
	"hash/fnv"
	"os"
	"time"
)

const (
	// A step of the wall clock beyond clockStep is an event of the log; one of
	// more than clockLeap forward holds what a wrong date would spoil until
	// the clock has run evenly for clockHold (spec/reliability.md §1.2 rule 10).
	clockStep = 5 * time.Minute
	clockLeap = 35 * 24 * time.Hour
	clockHold = 10 * time.Minute
)

// A reading is one look at the clocks.
type reading struct {
	wall time.Time     // with Go's monotonic reading, if it has one
	up   time.Duration // of the machine
}

// passed returns how much time really went by. Go's monotonic clock may stand
// still while the machine sleeps and the uptime may be unknown, so it is the
// longer of the two: waking up is no step of the clock.
func passed(from, to reading) time.Duration {
	return max(to.wall.Sub(from.wall), to.up-from.up)
}

// A clock reads the wall clock and notices when somebody sets it. It belongs
// to one goroutine.
type clock struct {
	now    func() time.Time
	up     func() time.Duration
	passed func(from, to reading) time.Duration

	last reading
	hold time.Duration // how long the clock must still run evenly
	// guess is the time without the leap that is held; zero when the wall
	// clock is believed.
	guess time.Time
}

func (c *clock) look() reading { return reading{c.now(), c.up()} }

// start takes the first reading, for a log whose last line was written at
// last. The returned step is zero when there is nothing to report: a clock
// that is ahead may only have been off for long.
func (c *clock) start(last time.Time) (step time.Duration) {
	c.last = c.look()
	if last.IsZero() {
		return 0
	}
	switch step = c.last.wall.Round(0).Sub(last); {
	case step > clockLeap:
		c.hold = clockHold
		return step
	case step < -clockStep:
		return step
	}
	return 0
}

// read returns the time to stamp records with, and the step that the clock
// made since the last reading when it is worth an event. While a leap is held
// the time goes on from before it: a clock that is soon set right again leaves
// no record from the future.
func (c *clock) read() (now time.Time, step time.Duration) {
	before := c.last
	c.last = c.look()
	now = c.last.wall.Round(0)
	passed := c.passed(before, c.last)
	step = now.Sub(before.wall.Round(0)) - passed
	c.hold = max(0, c.hold-max(0, passed))
	if !c.guess.IsZero() {
		c.guess = c.guess.Add(passed)
	}
	switch {
	case step.Abs() <= clockStep:
		step = 0
	case step > clockLeap:
		if c.guess.IsZero() {
			c.guess = before.wall.Round(0).Add(passed)
		}
		c.hold = clockHold
	case c.hold > 0 && !c.guess.IsZero() && now.Sub(c.guess).Abs() <= clockStep:
		c.hold = 0
	case c.hold > 0:
		c.hold = clockHold
	}
	if c.hold == 0 {
		c.guess = time.Time{}
	}
	if !c.guess.IsZero() {
		return c.guess, step
	}
	return now, step
}

func (c *clock) held() bool { return c.hold > 0 }

// A stamp is what was given to the last record.
type stamp struct {
	seq uint64
	id  uint64
	at  time.Time
}

const (
	machineBits = 10
	serialBits  = 12
)

// machineID returns the bits of the ids that tell machines apart.
func machineID() uint64 {
	name, _ := os.Hostname()
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64() & (1<<machineBits - 1)
}

// next returns the stamp of the record after s. Neither the time nor the id
// ever goes back, whatever the clock does (spec/outheis.md §2.2).
func (s stamp) next(now time.Time, machine uint64) stamp {
	at := now.UTC().Truncate(time.Millisecond)
	if at.Before(s.at) {
		at = s.at
	}
	const shift = machineBits + serialBits
	ms := uint64(max(0, at.UnixMilli()-epochMilli))
	id := ms<<shift | machine<<serialBits
	if id <= s.id {
		id = s.id + 1
		if id>>serialBits != s.id>>serialBits || s.id>>serialBits&(1<<machineBits-1) != machine {
			id = (s.id>>shift+1)<<shift | machine<<serialBits
		}
	}
	return stamp{seq: s.seq + 1, id: id, at: at}
}

// head returns the head of the record with this stamp.
func (s stamp) head(version int) Head {
	return Head{V: version, Seq: s.seq, ID: formatID(s.id), At: Time{s.at}}
}
