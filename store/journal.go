package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A journal is the part of a Log that does not know the record's type: it
// moves lines. One goroutine, the committer, owns the writing; what readers
// share with it stands below mu.
type journal struct {
	name    string // such as "messages.jsonl"
	family  string
	version int // that is written, and the latest that is read
	track   func(Facts) (opens, closes string)
	zone    *time.Location
	machine uint64
	rescue  io.Writer
	fs      logFS
	tuning  tuning

	queue queue
	wg    sync.WaitGroup // the committer

	// Owned by the committer, and before it by recovery.

	clock     clock
	file      logFile // the hot segment; nil when read only
	end       int64   // its durable length
	last      stamp
	needLF    bool   // somebody left the last line without an end
	notes     []note // lines of the log's own that wait to be written
	unsettled int64  // lines since the last checkpoint
	readOnly  error  // why nothing is written
	failed    error  // the fsync that failed
	degraded  *degraded
	rotation  rotation

	mu    sync.RWMutex // guards what follows
	hot   *segment
	past  []past // the newest first; see maxPast
	open  map[string]openLine
	spans []span // of the hot segment that others wrote
	stats LogStats
}

// A tuning holds the sizes and intervals, so that tests can make them small.
type tuning struct {
	batchRecords int           // that one write takes at most
	batchBytes   int           // likewise
	checkpoint   int64         // lines between two checkpoints
	retry        time.Duration // between two tries of a disk that was full
	room         uint64        // free bytes before a full disk is tried again
	ballast      int           // bytes given up when the disk is full
	rotateEvery  time.Duration // at most
	window       time.Duration // of the segment before that is searched for causes
	maxDamage    int64         // bytes of damage with which a log still opens for writing
	maxPlaces    int           // likewise
}

func defaultTuning() tuning {
	return tuning{
		batchRecords: 1024,
		batchBytes:   1 << 20,
		checkpoint:   8192,
		retry:        30 * time.Second,
		room:         64 << 20,
		ballast:      1 << 20,
		rotateEvery:  24 * time.Hour,
		window:       35 * 24 * time.Hour,
		maxDamage:    64 << 10,
		maxPlaces:    10,
	}
}

// LogStats are the figures of a log for status reports. They are about the
// current segment and the time since it was opened.
type LogStats struct {
	Lines    int64 // of the segment, whatever their standing
	Bytes    int64
	Seq      uint64 // of the last record
	At       time.Time
	Open     int // lines that no line closed
	Damage   int // places that were found damaged, altered or missing
	Torn     int // unfinished last lines that were cut off
	Foreign  int // times that another program wrote into the file
	Appended int64
	Commits  int64 // writes, each with one fsync
	Rotated  time.Time
	// Degraded is why the log takes no records at present, and Failed why it
	// never will again in this process; nil when it does.
	Degraded error
	Failed   error
	ReadOnly error
	// Held says that the clock leapt ahead and has not proved itself yet:
	// nothing should expire or fall due by it.
	Held bool
	// Housekeeping is why the last checkpoint or rotation failed; the log works
	// without, but starts slower or grows.
	Housekeeping error
}

// A segment is one file of the log with the index of its causes. Size and
// causes of the hot one are guarded by the journal's mu.
type segment struct {
	name   string
	id     uint64 // of the file
	size   int64  // what is durable
	r      io.ReaderAt
	closer io.Closer
	causes *causes
	copy   *causeFile // of the causes; written only while the segment is hot
	mark   causeMark  // of the copy, as of the last checkpoint
	refs   atomic.Int32
}

// A past is a segment before the hot one.
type past struct {
	*segment
	archive string
	// began is the time of the rotation that began it, after which nothing was
	// appended to the segment before it, whose name is prev; zero and "" when
	// there is none.
	began time.Time
	prev  string
}

// maxPast is how many segments before the hot one are searched for causes.
// Months are shorter than the time that a cause is known: on the first of March
// one of the thirtieth of January is.
const maxPast = 2

// An openLine is a line that was opened and not closed.
type openLine struct {
	ID      string `json:"id"`
	Seq     uint64 `json:"seq"`
	Offset  int64  `json:"at"`
	Crashes int    `json:"crashes,omitempty"`
}

// A span is a run of bytes of a segment.
type span struct {
	At  int64 `json:"at"`
	Len int64 `json:"len"`
}

func (s span) contains(off int64) bool { return s.At <= off && off < s.At+s.Len }

func newJournal(name string, readOnly bool, o LogOptions) (*journal, error) {
	steps, err := migrations(o.Family)
	if err != nil {
		return nil, err
	}
	j := &journal{
		name: name, family: o.Family, version: len(steps), track: o.Track, zone: o.Zone,
		rescue: o.Rescue, fs: o.fs, tuning: defaultTuning(),
		clock: clock{now: o.Now, up: o.up, passed: o.passed},
		queue: queue{wake: make(chan struct{}, 1)},
		open:  map[string]openLine{},
	}
	if readOnly {
		j.readOnly = ErrReadOnly
	}
	if j.zone == nil {
		j.zone = time.UTC
	}
	if j.rescue == nil {
		j.rescue = os.Stderr
	}
	if j.clock.now == nil {
		j.clock.now = time.Now
	}
	if j.clock.up == nil {
		j.clock.up = uptime
	}
	if j.clock.passed == nil {
		j.clock.passed = passed
	}
	if o.tuning != nil {
		j.tuning = *o.tuning
	}
	if j.machine = machineID(); o.machine != nil {
		j.machine = *o.machine
	}
	return j, nil
}

// stem returns the first part of the names of the files beside the log. The
// specification calls those of messages.jsonl queue.
func (j *journal) stem() string {
	s := strings.TrimSuffix(path.Base(j.name), ".jsonl")
	if s == "messages" {
		return "queue"
	}
	return s
}

func (j *journal) checkpointName() string { return j.stem() + ".ckpt" }
func (j *journal) failedName() string     { return "." + j.stem() + "-failed" }
func (j *journal) ballastName() string    { return "cache/" + j.stem() + ".ballast" }
func (j *journal) nextName() string       { return j.name + ".next" }
func (j *journal) copyName() string       { return tempPrefix + path.Base(j.name) }

func (j *journal) causesName(segment uint64) string {
	return fmt.Sprintf("cache/%s-%x.causes", j.stem(), segment)
}

// acquire keeps the files of the segments open until they are released; some
// are nil.
func (j *journal) acquire() (all [1 + maxPast]*segment) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	all[0] = j.hot
	for i, p := range j.past {
		all[1+i] = p.segment
	}
	for _, s := range all[:1+len(j.past)] {
		s.refs.Add(1)
	}
	return all
}

// release gives a segment back; the last one closes its file.
func (s *segment) release() error {
	if s == nil || s.refs.Add(-1) > 0 {
		return nil
	}
	return errors.Join(s.closer.Close(), s.copy.close())
}

// lookup returns the line with this cause.
func (j *journal) lookup(cause []byte) (line []byte, ok bool, err error) {
	if len(cause) == 0 {
		return nil, false, nil
	}
	for _, s := range j.acquire() {
		if s == nil {
			break
		}
		defer s.release()
		hash := s.causes.hash(cause)
		j.mu.RLock()
		offs := s.causes.candidates(hash)
		j.mu.RUnlock()
		for _, off := range offs {
			line, ok, err := readSealed(s.r, off)
			if err != nil {
				return nil, false, err
			}
			var f fields
			if ok && scanFields(line, &f) && bytes.Equal(f.cause, cause) {
				return line, true, nil
			}
		}
	}
	return nil, false, nil
}

// openLines returns the open lines in the order of their seq, and the segment
// in which they stand, to be released.
func (j *journal) openLines() ([]openLine, *segment) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	j.hot.refs.Add(1)
	return slices.SortedFunc(maps.Values(j.open), func(a, b openLine) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID))
	}), j.hot
}

// readOpen reads an open line back. The error is a LineError when it is no
// longer what it was.
func (s *segment) readOpen(o openLine) ([]byte, error) {
	line, ok, err := readSealed(s.r, o.Offset)
	if err != nil {
		return nil, err
	}
	var f fields
	if !ok || !scanFields(line, &f) || string(f.id) != o.ID {
		return nil, &LineError{Segment: s.name, Offset: o.Offset, Kind: malformed.String()}
	}
	return line, nil
}

// from visits the lines of the hot segment with at least this seq.
func (j *journal) from(ctx context.Context, seq uint64, visit func(*scanned) error) error {
	j.mu.RLock()
	hot, size, spans := j.hot, j.hot.size, slices.Clone(j.spans)
	hot.refs.Add(1)
	j.mu.RUnlock()
	defer hot.release()

	at, err := j.bisect(hot.r, size, spans, func(f *fields) bool { return f.seq < seq })
	if err != nil {
		return err
	}
	s := scanner{r: hot.r, version: j.version, visit: func(l *scanned) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if l.standing == intact && inSpan(spans, l.off) {
			l.standing = legacy
		}
		if l.standing != malformed && l.fields.seq < seq {
			return nil
		}
		return visit(l)
	}}
	_, err = s.scan(at, size)
	return err
}

// bisect returns the offset of a line before which all are early, except those
// that were carried over: their place is the segment's head.
func (j *journal) bisect(r io.ReaderAt, size int64, spans []span, early func(*fields) bool) (int64, error) {
	var lo, hi int64 = 0, size
	for hi-lo > 64<<10 {
		var found scanned
		mid := lo + (hi-lo)/2
		s := scanner{r: r, version: j.version, buf: make([]byte, 16<<10), visit: func(l *scanned) error {
			if l.standing != intact || l.fields.carried || inSpan(spans, l.off) {
				return nil
			}
			found = *l
			return errStop
		}}
		_, err := s.scan(mid, hi)
		switch {
		case errors.Is(err, errStop) && early(&found.fields):
			lo = found.off
		case errors.Is(err, errStop), err == nil:
			hi = mid
		default:
			return 0, err
		}
	}
	return lo, nil
}

// lineError returns why a line cannot be decoded; nil when it can.
func (j *journal) lineError(s *scanned) error {
	if s.standing != malformed {
		return nil
	}
	return &LineError{Segment: j.name, Offset: s.off, Length: s.length, Kind: s.standing.String()}
}

func (j *journal) snapshot() LogStats {
	j.mu.RLock()
	defer j.mu.RUnlock()
	s := j.stats
	s.Open = len(j.open)
	return s
}

// close ends the committer and writes the last checkpoint.
func (j *journal) close() error {
	if !j.queue.close() {
		return nil
	}
	j.wg.Wait()
	if j.readOnly == nil && j.failed == nil {
		_ = j.commitAll(nil) // a last look at what others did to the file
	}
	var err error
	if j.readOnly == nil && j.failed == nil {
		err = j.saveCheckpoint(true)
	}
	return errors.Join(err, j.releaseAll())
}

func (j *journal) releaseAll() error {
	err := j.hot.release()
	for _, p := range j.past {
		err = errors.Join(err, p.release())
	}
	return err
}
