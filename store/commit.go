package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"
)

// A queue is where appends wait for the committer.
type queue struct {
	wake chan struct{} // holds one when there may be work

	mu      sync.Mutex // guards what follows
	waiting []*appending
	closed  bool
}

// An appending is one call of Append or AppendAll.
type appending struct {
	slots []slot
	bytes int
	taken bool          // by the committer; guarded by the queue's mu
	done  chan struct{} // closed when slots and err have their last values
	err   error
}

// A slot is a record on its way into the log.
type slot struct {
	body  []byte
	cause []byte

	head  Head   // as stamped
	known bool   // there is a line with its cause, which is
	line  []byte // this
}

// newSlot checks that body is one that the log can write.
func newSlot(body []byte) (slot, error) {
	var f fields
	switch rest := append([]byte{'{'}, bytes.TrimPrefix(body, []byte(","))...); {
	case len(zeroHead)+len(body)+sealLen+64 > maxLine:
		return slot{}, ErrTooLong
	case !scanFields(rest, &f):
		return slot{}, errors.New("record does not encode as a JSON object")
	case f.sealed, f.hasSeq, f.carried, f.v != 0, f.id != nil, f.at != nil:
		return slot{}, errors.New("record has a field that belongs to the log")
	}
	return slot{body: body, cause: f.cause}, nil
}

// append queues slots as one appending and waits for it.
func (j *journal) append(ctx context.Context, slots []slot) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a := &appending{slots: slots, done: make(chan struct{})}
	for i := range slots {
		a.bytes += len(slots[i].body)
	}
	q := &j.queue
	if !q.add(a) {
		return ErrClosed
	}
	select {
	case <-a.done:
	case <-ctx.Done():
		if q.withdraw(a) {
			return ctx.Err()
		}
		<-a.done
	}
	return a.err
}

func (q *queue) add(a *appending) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.waiting = append(q.waiting, a)
	q.signal()
	return true
}

// withdraw takes a out of the queue and reports whether it still could.
func (q *queue) withdraw(a *appending) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if a.taken {
		return false
	}
	q.waiting = slices.DeleteFunc(q.waiting, func(b *appending) bool { return b == a })
	return true
}

// take returns those whose turn it is, up to the limits of one write, and
// whether the queue is closed for good.
func (q *queue) take(records, size int) (batch []*appending, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for n < len(q.waiting) && (n == 0 || records >= len(q.waiting[n].slots) && size >= q.waiting[n].bytes) {
		a := q.waiting[n]
		a.taken = true
		records -= len(a.slots)
		size -= a.bytes
		n++
	}
	batch = slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	return batch, q.closed
}

// close lets nobody in any more; it answers false when it was closed before.
func (q *queue) close() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.closed = true
	q.signal()
	return true
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// run is the committer. It ends when the queue is closed and empty.
func (j *journal) run() {
	for range j.queue.wake {
		for {
			batch, closed := j.queue.take(j.tuning.batchRecords, j.tuning.batchBytes)
			if len(batch) > 0 {
				j.commit(batch)
				continue
			}
			if closed {
				return
			}
			break
		}
	}
}

// commit writes a batch and releases those who wait for it.
func (j *journal) commit(batch []*appending) {
	err := j.commitAll(batch)
	j.publishState()
	for _, a := range batch {
		if a.err == nil {
			a.err = err
		}
		close(a.done)
	}
	if j.unsettled >= j.tuning.checkpoint && j.failed == nil {
		j.housekeep(j.saveCheckpoint(false))
	}
}

// commitAll does what one group commit is: what is waiting goes into one
// write and one fsync, with no delay added.
func (j *journal) commitAll(batch []*appending) error {
	if err := j.accepts(); err != nil {
		return err
	}
	now, step := j.clock.read()
	if step != 0 {
		j.note(intentClock, clockNote{Step: step.Milliseconds()})
	}
	if err := j.rotateWhenDue(now, len(batch) > 0); err != nil {
		return err
	}
	if err := j.absorb(); err != nil {
		return j.degrade(err)
	}
	w := j.prepare(now, batch)
	if len(w.lines) == 0 {
		return nil
	}
	if err := j.write(w); err != nil {
		return err
	}
	j.resume()
	if w.tangled {
		return j.write(j.prepare(now, nil))
	}
	return nil
}

// A batchWrite is what one group commit writes.
type batchWrite struct {
	buf    []byte
	lines  []newLine
	last   stamp
	notes  int // the first lines are these
	causes map[string]int

	tangled bool // somebody else wrote at the same moment
}

// A newLine is one line of a batchWrite.
type newLine struct {
	from, to int   // in the buffer, without the LF
	off      int64 // in the segment
	facts    Facts
	hash     uint32
	caused   bool
	of       []*appending // who waits for it; none for the log's own lines
}

func (w *batchWrite) line(l newLine) []byte { return w.buf[l.from:l.to] }

// prepare puts the lines of a batch together: first those of the log itself,
// then the records whose cause is not known.
func (j *journal) prepare(now time.Time, batch []*appending) *batchWrite {
	w := &batchWrite{last: j.last, notes: len(j.notes), causes: map[string]int{}}
	if j.needLF {
		w.buf = append(w.buf, '\n')
	}
	for _, n := range j.notes {
		j.put(w, now, n.body)
	}
	for _, a := range batch {
		for i := range a.slots {
			s := &a.slots[i]
			if a.err = j.resolve(w, s, a); a.err != nil {
				break
			}
			if !s.known {
				s.head = j.put(w, now, s.body, a)
			}
		}
	}
	return w
}

// resolve finds the line with the slot's cause, in the log or in this write.
func (j *journal) resolve(w *batchWrite, s *slot, a *appending) error {
	if len(s.cause) == 0 {
		return nil
	}
	if i, ok := w.causes[string(s.cause)]; ok {
		s.known, s.line = true, bytes.Clone(w.line(w.lines[i]))
		w.lines[i].of = append(w.lines[i].of, a)
		return nil
	}
	var err error
	s.line, s.known, err = j.lookup(s.cause)
	return err
}

// put adds one line.
func (j *journal) put(w *batchWrite, now time.Time, body []byte, of ...*appending) Head {
	w.last = w.last.next(now, j.machine)
	h := w.last.head(j.version)
	l := newLine{from: len(w.buf), of: of}
	w.buf = appendLine(w.buf, h, body)
	l.to = len(w.buf) - 1
	l.off = j.end + int64(l.from)
	var f fields
	scanFields(w.line(l), &f)
	l.facts = f.facts()
	if l.caused = len(f.cause) > 0; l.caused {
		l.hash = j.hot.causes.hash(f.cause)
		w.causes[l.facts.Cause] = len(w.lines)
	}
	w.lines = append(w.lines, l)
	return h
}

// write writes and syncs w, and makes it known when it is durable.
func (j *journal) write(w *batchWrite) error {
	n, err := j.file.Write(w.buf)
	if err == nil && n < len(w.buf) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return j.undo(int64(n), err)
	}
	if err := j.file.Sync(); err != nil {
		return j.fail(err)
	}
	j.needLF = false
	size := j.end + int64(len(w.buf))
	if st, err := j.file.stat(); err == nil && st.size != size {
		if err := j.untangle(w, st.size); err != nil {
			return j.fail(err)
		}
		size = st.size
	}
	j.publish(w, size)
	return nil
}

// publish makes the lines of a durable write known; the segment has this size
// now.
func (j *journal) publish(w *batchWrite, size int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, l := range w.lines {
		if l.caused {
			j.hot.causes.add(l.hash, l.off)
			j.hot.copy.add(l.hash, l.off)
		}
		j.follow(l.facts, l.off)
	}
	if j.rotation.month == 0 {
		j.rotation.month = monthOf(w.last.at, j.zone)
	}
	j.notes = j.notes[w.notes:]
	j.last, j.end, j.hot.size = w.last, size, size
	j.unsettled += int64(len(w.lines))
	j.stats.Lines += int64(len(w.lines))
	j.stats.Appended += int64(len(w.lines))
	j.stats.Commits++
}

// follow keeps the list of open lines. It is called with mu held.
func (j *journal) follow(f Facts, off int64) {
	if j.track == nil {
		return
	}
	opens, closes := j.track(f)
	if closes != "" {
		delete(j.open, closes)
	}
	if opens != "" {
		j.open[opens] = openLine{ID: opens, Seq: f.Seq, Offset: off}
	}
}

// publishState copies what the committer knows into the statistics.
func (j *journal) publishState() {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := &j.stats
	s.Bytes, s.Seq, s.At = j.end, j.last.seq, j.last.at
	s.Failed, s.ReadOnly, s.Degraded = j.failed, j.readOnly, nil
	if j.degraded != nil {
		s.Degraded = j.degraded.err
	}
	s.Held, s.Rotated = j.clock.held(), j.rotation.at
}

// housekeep notes the outcome of what the log can do without for a while.
func (j *journal) housekeep(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.stats.Housekeeping = err
}
