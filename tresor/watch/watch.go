// Package watch validates a Tresor whenever something in its folder changes, and
// tells what that changed: for people who write in an editor and want to see at
// once what a release would say.
//
// [Run] watches the folder and everything below it. It waits until a burst of
// changes is over, as that of an editor that saves or of git, validates, and
// compares with what it found before. The folder may vanish and come back. Every
// other second it is looked at as well: not every file system tells of changes,
// and there may be no watch left to be had.
//
// The package reads only, keeps nothing and prints nothing.
package watch

import (
	"context"
	"os"
	"slices"
	"time"

	"outheis/tresor"
)

// Options are the settings of [Run]. The zero value is usable.
type Options struct {
	Tresor tresor.Options // of the validation
	// Quiet is how long nothing may have changed before it validates; 0 is
	// 200 ms. After ten times as long it validates all the same.
	Quiet time.Duration
	// Poll is the time between two looks at names, sizes and times, for what
	// nothing tells of; 0 is 2 s. A look that takes long makes it longer.
	Poll time.Duration
	Now  func() time.Time // the clock of what is told; nil is time.Now

	add func(n *notifier, dir string) error // watches a folder; tests break it
}

// A Change is what one validation found.
type Change struct {
	At     time.Time
	Report tresor.Report
	New    []tresor.Finding // that the validation before did not find; at first all
	Gone   []tresor.Finding // that only the validation before found
	First  bool             // there was no validation before
	// Missing says that there is no readable folder. New then holds the reason,
	// Gone nothing, and the next change is compared with the last one that had a
	// folder.
	Missing bool
	// Polling is why changes are only looked for every Options.Poll; nil if the
	// system tells of them.
	Polling error
}

// Run validates the Tresor in dir, and again after each change, until ctx ends.
// It calls tell from its own goroutine each time, and waits for it. What tell
// gets is its own to keep.
func Run(ctx context.Context, dir string, o Options, tell func(Change)) {
	if o.Quiet == 0 {
		o.Quiet = 200 * time.Millisecond
	}
	if o.Poll == 0 {
		o.Poll = 2 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	r := &runner{dir: dir, o: o, notifier: newNotifier(o.add)}
	defer func() { r.notifier.close() }()
	for ctx.Err() == nil {
		r.look(tell)
		r.wait(ctx)
	}
}

// A runner is one run.
type runner struct {
	dir      string
	o        Options
	notifier *notifier
	root     os.FileInfo // of the folder that was looked at last; nil without one
	seen     uint64      // fingerprint of the folder then
	cost     time.Duration
	missing  bool
	before   *tresor.Report // the last one of a folder
}

// look validates and tells. The folders are watched before they are read, so
// that no change falls in between; what was told of before is covered.
func (r *runner) look(tell func(Change)) {
	select {
	case <-r.notifier.changes():
	default:
	}
	r.root = folder(r.dir)
	if r.root == nil && r.missing {
		return
	}
	if r.root != nil {
		r.notifier.watch(r.dir)
		r.seen = r.fingerprint()
	}
	c := Change{At: r.o.Now(), Report: tresor.Validate(r.dir, r.o.Tresor), First: r.before == nil, Polling: r.notifier.err}
	was := r.missing
	if r.missing = noFolder(c.Report); r.missing {
		r.root = nil
		r.notifier.drop()
		c.Missing, c.New = true, c.Report.Errors
		if !was {
			tell(c)
		}
		return
	}
	var before tresor.Report
	if r.before != nil {
		before = *r.before
	}
	c.New, c.Gone = differences(before, c.Report)
	r.before = &c.Report
	tell(c)
}

// noFolder reports whether the report is of a folder that is not there or cannot
// be read.
func noFolder(r tresor.Report) bool {
	return slices.ContainsFunc(r.Errors, func(f tresor.Finding) bool { return f.Rule == "LD-10" })
}

// folder returns what is at the path, or nil if it is no folder.
func folder(dir string) os.FileInfo {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return nil
	}
	return info
}

// wait returns when something has changed and is quiet again, or when ctx ends.
func (r *runner) wait(ctx context.Context) {
	tick := time.NewTimer(r.pause())
	defer tick.Stop()
	quiet := time.NewTimer(time.Hour)
	defer quiet.Stop()
	quiet.Stop()
	var latest <-chan time.Time // the end of patience, once something has changed
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.notifier.changes():
			quiet.Reset(r.o.Quiet)
			if latest == nil {
				patience := time.NewTimer(10 * r.o.Quiet)
				defer patience.Stop()
				latest = patience.C
			}
		case <-quiet.C:
			return
		case <-latest:
			return
		case <-tick.C:
			if r.changed(latest == nil) {
				return
			}
			tick.Reset(r.pause())
		}
	}
}

// pause is the time until the next look. Looking takes at most a twentieth of
// all time.
func (r *runner) pause() time.Duration { return max(r.o.Poll, 20*r.cost) }

// changed reports whether something changed that no event tells: the folder
// came, went or is another one, or, with inside, anything in it.
func (r *runner) changed(inside bool) bool {
	root := folder(r.dir)
	switch {
	case root == nil || r.root == nil:
		return root != nil || r.root != nil
	case !os.SameFile(root, r.root):
		return true
	}
	return inside && r.fingerprint() != r.seen
}

func (r *runner) fingerprint() uint64 {
	began := time.Now()
	defer func() { r.cost = time.Since(began) }()
	return fingerprint(r.dir)
}
