package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// A rehearsal is one thing that can go wrong, and what has to hold then.
type rehearsal struct {
	name string
	run  func(ctx context.Context, s *stage, size selftestSize, r *rehearsalReport) error
}

// patience is how long a rehearsal may take.
const patience = 40 * time.Second

// rehearsals are played in this order, with one outheis after the other in the
// same folder.
func rehearsals() []rehearsal {
	return []rehearsal{
		{"questions", func(ctx context.Context, s *stage, size selftestSize, r *rehearsalReport) error {
			if err := s.start(ctx); err != nil {
				return err
			}
			return s.play(ctx, r, size.people, nil)
		}},
		{"cut_before", func(ctx context.Context, s *stage, size selftestSize, r *rehearsalReport) error {
			return s.play(ctx, r, size.people, func(n standIn) { n.breakSends(cutBefore, size.people) })
		}},
		{"cut_after", func(ctx context.Context, s *stage, size selftestSize, r *rehearsalReport) error {
			return s.play(ctx, r, size.people, func(n standIn) { n.breakSends(cutAfter, size.people/2) })
		}},
		{"too_many", func(ctx context.Context, s *stage, size selftestSize, r *rehearsalReport) error {
			return s.play(ctx, r, size.people, func(n standIn) { n.breakSends(throttled, 2*size.people) })
		}},
		{"outage", rehearseOutage},
		{"crash", rehearseCrash},
		{"flood", rehearseFlood},
		{"stop", rehearseStop},
	}
}

// rehearse plays one rehearsal.
func (s *stage) rehearse(ctx context.Context, r rehearsal, size selftestSize) rehearsalReport {
	ctx, cancel := context.WithTimeout(ctx, patience+time.Duration(2*size.kills+size.flood/3)*time.Second)
	defer cancel()
	begun := time.Now()
	report := rehearsalReport{Name: r.name}
	if err := r.run(ctx, s, size, &report); err != nil {
		report.Error = err.Error()
	}
	report.Seconds = seconds(time.Since(begun))
	report.OK = report.Error == "" && report.Lost == 0 && report.Doubled == 0
	return report
}

// play has people ask on networks of which each is broken first.
func (s *stage) play(ctx context.Context, r *rehearsalReport, people int, broken func(standIn)) error {
	if broken != nil {
		for _, n := range s.nets {
			broken(n)
		}
	}
	a := s.audience(false)
	defer a.judge(r)
	a.ask(people)
	return a.settle(ctx)
}

// rehearseOutage takes the networks away while answers are due.
func rehearseOutage(ctx context.Context, s *stage, size selftestSize, r *rehearsalReport) error {
	a := s.audience(true)
	defer a.judge(r)
	a.ask(size.people / 2)
	for _, n := range s.nets {
		if err := n.down(); err != nil {
			return err
		}
	}
	if err := pause(ctx, 2*time.Second); err != nil {
		return err
	}
	for _, n := range s.nets {
		if err := n.up(); err != nil {
			return err
		}
	}
	a.ask(size.people - size.people/2)
	return a.settle(ctx)
}

// rehearseCrash kills outheis at random moments while people ask, and starts it
// again.
func rehearseCrash(ctx context.Context, s *stage, size selftestSize, r *rehearsalReport) error {
	a := s.audience(true)
	defer a.judge(r)
	r.Facts = map[string]int{"kills": size.kills}
	for range size.kills {
		a.ask(size.people / 2)
		if err := pause(ctx, time.Duration(rand.IntN(250))*time.Millisecond); err != nil {
			return err
		}
		if err := s.kill(); err != nil {
			return err
		}
		a.ask(1) // while nobody is there
		if err := s.start(ctx); err != nil {
			return err
		}
	}
	return a.settle(ctx)
}

// rehearseFlood has many people ask at once.
func rehearseFlood(ctx context.Context, s *stage, size selftestSize, r *rehearsalReport) error {
	before, err := s.status(ctx)
	if err != nil {
		return err
	}
	begun := time.Now()
	if err := s.play(ctx, r, size.flood, nil); err != nil {
		return err
	}
	after, err := s.status(ctx)
	if err != nil {
		return err
	}
	r.Facts = map[string]int{
		"rate":   int(float64(r.Answered) / time.Since(begun).Seconds()),
		"memory": int(after.Process.Runtime >> 20),
		"before": int(before.Process.Runtime >> 20),
	}
	return nil
}

// stopTime is how long outheis may take to stop.
const stopTime = 5 * time.Second

// rehearseStop stops outheis in order, and looks for tokens where none may be.
func rehearseStop(ctx context.Context, s *stage, _ selftestSize, r *rehearsalReport) error {
	took, err := s.stop(ctx)
	if err != nil {
		return err
	}
	if took > stopTime {
		return fmt.Errorf("it stopped after %s; at most %s is right", took.Round(time.Millisecond), stopTime)
	}
	found, err := s.secretsIn()
	r.Facts = map[string]int{"stop_ms": int(took.Milliseconds()), "tokens": len(found)}
	if err == nil && len(found) > 0 {
		err = fmt.Errorf("a token is in %v", found)
	}
	return err
}

// pause waits for d or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
