package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// A simRecord is the record of these tests.
type simRecord struct {
	Head
	Cause   string     `json:"cause,omitempty"`
	To      string     `json:"to,omitempty"`
	Type    string     `json:"type"`
	Intent  string     `json:"intent,omitempty"`
	Payload simPayload `json:"payload"`
}

type simPayload struct {
	Text string `json:"text,omitempty"`
	Ref  string `json:"ref,omitempty"`
}

func simTrack(f Facts) (opens, closes string) {
	switch {
	case f.Type == "request":
		return f.ID, ""
	case f.Intent == "done":
		return "", f.Ref
	}
	return "", ""
}

// A world is a log on a disk together with what its users were told.
type world struct {
	fs   *simFS
	real disk // in place of fs, when it is not nil
	now  time.Time

	acked     map[string]simRecord // by cause
	attempted map[string]string    // text by cause
	closed    map[string]bool      // ids whose done was acknowledged
	closing   map[string]bool      // ids whose done was tried
	n         int
}

// A disk is where the log of a world is.
type disk interface {
	logFS
	segments() map[string]string // the contents of the log's files by their names
}

func (w *world) disk() disk {
	if w.real != nil {
		return w.real
	}
	return w.fs
}

func newWorld() *world {
	return &world{
		fs: newSimFS(), now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
		acked: map[string]simRecord{}, attempted: map[string]string{},
		closed: map[string]bool{}, closing: map[string]bool{},
	}
}

// after returns the world as it is remembered by its users, on another disk.
func (w *world) after(fs *simFS) *world {
	c := *w
	c.fs = fs
	c.acked, c.attempted = maps.Clone(w.acked), maps.Clone(w.attempted)
	c.closed, c.closing = maps.Clone(w.closed), maps.Clone(w.closing)
	return &c
}

func (w *world) options() LogOptions {
	t := defaultTuning()
	t.checkpoint, t.ballast, t.batchRecords = 5, 100, 4
	machine := uint64(7)
	return LogOptions{
		Family: FamilyMessages, Track: simTrack, fs: w.disk(), tuning: &t, machine: &machine,
		Now:    func() time.Time { return w.now },
		passed: func(from, to reading) time.Duration { return to.wall.Sub(from.wall) },
		Rescue: new(bytes.Buffer),
	}
}

func (w *world) open() (*Log[simRecord], Recovery, error) {
	return openLog[simRecord]("messages.jsonl", false, w.options())
}

// append appends one record and remembers what came of it.
func (w *world) append(l *Log[simRecord], recs ...simRecord) error {
	w.tried(recs)
	got, err := l.AppendAll(context.Background(), recs)
	if err != nil {
		return err
	}
	w.got(got)
	return nil
}

// tried remembers what somebody is about to append.
func (w *world) tried(recs []simRecord) {
	for _, r := range recs {
		w.attempted[r.Cause] = r.Payload.Text
		if r.Intent == "done" {
			w.closing[r.Payload.Ref] = true
		}
	}
}

// got remembers what was acknowledged.
func (w *world) got(recs []simRecord) {
	for _, r := range recs {
		w.acked[r.Cause] = r
		if r.Intent == "done" {
			w.closed[r.Payload.Ref] = true
		}
	}
}

func (w *world) newRequest(size int) simRecord {
	w.n++
	return simRecord{Cause: fmt.Sprintf("tg:%d", w.n), To: "dispatcher", Type: "request",
		Payload: simPayload{Text: fmt.Sprintf("Frage %d %s", w.n, strings.Repeat("ä\n", size))}}
}

// recent returns the causes that a network may deliver again.
func (w *world) recent() []string {
	var causes []string
	for cause, r := range w.acked {
		if w.now.Sub(r.At.Time) < 34*24*time.Hour {
			causes = append(causes, cause)
		}
	}
	slices.Sort(causes)
	return causes
}

// openRequests returns the requests that nobody has tried to close.
func (w *world) openRequests() []simRecord {
	var open []simRecord
	for _, r := range w.acked {
		if r.Type == "request" && !w.closing[r.ID] {
			open = append(open, r)
		}
	}
	slices.SortFunc(open, func(a, b simRecord) int { return cmp.Compare(a.Seq, b.Seq) })
	return open
}

func doneWith(r simRecord) simRecord {
	return simRecord{Cause: r.ID + ">done", To: "dispatcher", Type: "event", Intent: "done", Payload: simPayload{Ref: r.ID}}
}

// script does a bit of everything, the same for the same seed, until it is
// through or the process dies.
func (w *world) script(r *rand.Rand, steps int) (err error) {
	l, _, err := w.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	for range steps {
		w.now = w.now.Add(time.Duration(r.IntN(5000)) * time.Millisecond)
		switch r.IntN(13) {
		case 0, 1, 2, 3, 4:
			err = w.append(l, w.newRequest(r.IntN(40)))
		case 5:
			var group []simRecord
			for range 2 + r.IntN(6) {
				group = append(group, w.newRequest(r.IntN(250)))
			}
			err = w.append(l, group...)
		case 6, 7, 8:
			if open := w.openRequests(); len(open) > 0 {
				err = w.append(l, doneWith(open[r.IntN(len(open))]))
			}
		case 9: // the network delivers again
			if recent := w.recent(); len(recent) > 0 {
				cause := recent[r.IntN(len(recent))]
				err = w.append(l, simRecord{Cause: cause, To: "dispatcher", Type: "request", Payload: simPayload{Text: w.attempted[cause]}})
			}
		case 10:
			w.now = w.now.Add(time.Duration(r.IntN(20)) * 24 * time.Hour)
		case 11:
			w.fs.foreign("messages.jsonl", []string{"von Hand\n", "halb"}[r.IntN(2)])
		case 12:
			var again *Log[simRecord]
			if err = l.Close(); err == nil {
				again, _, err = w.open()
			}
			if err != nil {
				return err
			}
			l = again
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// check recovers the world's disk and states what must hold then.
func (w *world) check() (found Recovery, err error) {
	l, found, err := w.open()
	if err != nil {
		return found, fmt.Errorf("recovery: %w", err)
	}
	if found.ReadOnly != nil {
		return found, fmt.Errorf("recovery opened for reading only: %w", found.ReadOnly)
	}
	if err := errors.Join(w.checkOpen(l), w.checkLines()); err != nil {
		return found, err
	}
	// A second recovery, after the process died again, changes nothing.
	before := w.disk().segments()
	kill(l)
	l, _, err = w.open()
	if err != nil {
		return found, fmt.Errorf("second recovery: %w", err)
	}
	if after := w.disk().segments(); !maps.Equal(before, after) {
		return found, fmt.Errorf("second recovery changed the log:\n%s\n→\n%s", show(before), show(after))
	}
	if err := errors.Join(w.checkOpen(l), w.checkKnown(l)); err != nil {
		return found, err
	}
	if err := w.append(l, w.newRequest(1)); err != nil {
		return found, fmt.Errorf("append after recovery: %w", err)
	}
	return found, errors.Join(w.checkOpen(l), w.checkLines(), l.Close())
}

// kill ends the committer of a process that did not come to an orderly stop.
func kill(l *Log[simRecord]) {
	l.j.queue.close()
	l.j.wg.Wait()
}

// checkOpen: what was opened and not closed is open, and nothing else.
func (w *world) checkOpen(l *Log[simRecord]) error {
	open := map[string]bool{}
	var last uint64
	for _, e := range l.Open() {
		open[e.Rec.ID] = true
		if text, ok := w.attempted[e.Rec.Cause]; !ok || text != e.Rec.Payload.Text || e.Rec.Type != "request" {
			return fmt.Errorf("open line %+v was never asked for", e.Rec)
		}
		if w.closed[e.Rec.ID] {
			return fmt.Errorf("closed line %s is open", e.Rec.ID)
		}
		if e.Rec.Seq <= last {
			return fmt.Errorf("open lines out of order: %d after %d", e.Rec.Seq, last)
		}
		last = e.Rec.Seq
	}
	for cause, r := range w.acked {
		if r.Type == "request" && !w.closing[r.ID] && !open[r.ID] {
			return fmt.Errorf("acknowledged request %s (%s) is not open", r.ID, cause)
		}
	}
	return nil
}

// checkLines: every acknowledged record is in the files as it was
// acknowledged, none is there twice, and nothing is there that nobody wrote.
func (w *world) checkLines() error {
	byCause, bySeq := map[string]string{}, map[uint64]bool{}
	for name, text := range w.disk().segments() {
		s := scanner{r: strings.NewReader(text), version: MessagesVersion, visit: func(l *scanned) error {
			if l.standing != intact || l.fields.carried {
				return nil
			}
			f := l.fields.facts()
			if bySeq[f.Seq] {
				return fmt.Errorf("%s: seq %d is there twice", name, f.Seq)
			}
			bySeq[f.Seq] = true
			if f.Cause == "" {
				if f.Type != "event" {
					return fmt.Errorf("%s: a line nobody wrote: %s", name, l.line)
				}
				return nil
			}
			if _, ok := w.attempted[f.Cause]; !ok {
				return fmt.Errorf("%s: a line nobody wrote: %s", name, l.line)
			}
			if old, ok := byCause[f.Cause]; ok {
				return fmt.Errorf("%s: cause %s is there twice: %s and %s", name, f.Cause, old, f.ID)
			}
			byCause[f.Cause] = f.ID
			return nil
		}}
		if _, err := s.scan(0, int64(len(text))); err != nil {
			return err
		}
	}
	for cause, r := range w.acked {
		if byCause[cause] != r.ID {
			return fmt.Errorf("acknowledged record %s (%s) is lost; the log has %q", r.ID, cause, byCause[cause])
		}
	}
	return nil
}

// checkKnown: what is younger than 35 days is found by its cause, however many
// month borders lie between.
func (w *world) checkKnown(l *Log[simRecord]) error {
	cutoff := l.j.last.at.Add(-l.j.tuning.window)
	for cause, r := range w.acked {
		if r.At.Before(cutoff) {
			continue
		}
		got, ok, err := l.Lookup(cause)
		if err != nil || !ok || got.ID != r.ID || got.Payload != r.Payload {
			return fmt.Errorf("look up %s: got %+v, %v, %v, want %+v", cause, got, ok, err, r)
		}
	}
	return nil
}

// segments returns the contents of the log's files.
func (s *simFS) segments() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]string{}
	for name, n := range s.names {
		if name == "messages.jsonl" || strings.HasPrefix(name, "archive/") {
			all[name] = string(n.data)
		}
	}
	return all
}

func show(files map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "== %s\n%s", name, files[name])
	}
	return b.String()
}
