package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"
)

// Head holds the fields of a record that the log stamps when it appends it. A
// record type embeds it as its first field, so that a line begins with v, seq,
// id and at, goes on with the record's own fields, and ends with the seal "c"
// that the log adds.
type Head struct {
	V   int    `json:"v"`   // schema version of the family
	Seq uint64 `json:"seq"` // +1 a record, over all segments
	ID  string `json:"id"`  // 19 digits, in the order of time (spec/outheis.md §2.2)
	At  Time   `json:"at"`  // never before the record before

	standing standing
}

// Untrusted returns why the line that the record was read from must not be
// executed: "legacy" when it is from before the seal or was appended by
// another program, "altered" when it is not what the log wrote. It returns ""
// for a line of our own.
func (h Head) Untrusted() string {
	if h.standing == intact {
		return ""
	}
	return h.standing.String()
}

func (h *Head) head() *Head { return h }

// A record is a pointer to a struct that embeds Head.
type record[T any] interface {
	*T
	head() *Head
}

// LogOptions say what the log needs to know of its records.
type LogOptions struct {
	// Family is the schema family of the records, such as FamilyMessages.
	Family string
	// Track says what a line means for the list of open lines: it opens the
	// line with one id (its own), or closes the one with another; "" for
	// neither. It is called once for each new line and for those read at
	// start, from one goroutine at a time, and must not call the log. Nil
	// tracks nothing.
	Track func(Facts) (opens, closes string)
	// Now is the wall clock; nil is [time.Now].
	Now func() time.Time
	// Zone decides where a month ends; nil is UTC.
	Zone *time.Location
	// Thorough reads every line at start instead of trusting the checkpoint.
	Thorough bool
	// AcceptDamage opens for writing whatever the amount of damage, and writes
	// into the log what was found, so that the next start does not stumble
	// over it again. Only a command of the owner sets it.
	AcceptDamage bool
	// Rescue gets the hex of a torn last line before it is cut off when the
	// quarantine cannot take it because the disk is full; nil is os.Stderr.
	Rescue io.Writer

	fs      logFS // tests put a failing one here
	up      func() time.Duration
	passed  func(from, to reading) time.Duration
	machine *uint64
	tuning  *tuning
}

// An Entry is an open line: a request that no line has closed.
type Entry[T any] struct {
	Rec T
	// Crashes is how often in a row the process died while the line was open.
	// The one that dies over and over by the same line should not run it again.
	Crashes int
}

// A Log is a durable, append-only file of records, one JSON object a line. A
// record is appended once for each cause, and when Append has returned nil it
// survives a crash and a power cut.
//
// Records are appended by the process that holds the human directory and by
// nobody else; it may call every method from any goroutine. What other
// programs append or change is noticed, reported and never executed. The file
// is never read into memory.
//
// The rules are those of spec/reliability.md §1.2 to §1.6.
type Log[T any] struct {
	j    *journal
	head func(*T) *Head
}

// OpenLog opens the log name of h, repairs what a crash left, and reports what
// it found. With a directory or a file system that allows no writing the log
// opens for reading only, and so it does when it is so damaged that its owner
// should look first ([Recovery.ReadOnly]).
//
// Errors: [ErrFailed] when the disk does not take what must be repaired,
// [*UnsafeError] and [*PermissionError] as for every file of the directory.
// T must embed [Head] as its first field.
func OpenLog[T any, P record[T]](h *Human, name string, o LogOptions) (*Log[T], Recovery, error) {
	if o.fs == nil {
		o.fs = humanFS{h}
	}
	return openLog[T, P](name, h.ReadOnly(), o)
}

func openLog[T any, P record[T]](name string, readOnly bool, o LogOptions) (*Log[T], Recovery, error) {
	l := &Log[T]{head: func(r *T) *Head { return P(r).head() }}
	var zero T
	if _, err := encodeBody(&zero); err != nil {
		return nil, Recovery{}, fmt.Errorf("store: open %s: %w", name, err)
	}
	j, found, err := openJournal(name, readOnly, o)
	if err != nil {
		return nil, found, fmt.Errorf("store: open %s: %w", name, err)
	}
	l.j = j
	return l, found, nil
}

// Append appends r, whose Head it fills in, and returns it as it stands in the
// log. When there is a line with the same cause, it returns that one and
// known, and writes nothing; a record without a cause is always written.
//
// Append waits for the disk. When ctx ends before the record's turn has come,
// nothing is written and the error is ctx's; a write that has begun is waited
// for. Other errors: [ErrDegraded] when nothing was written and the caller
// should try again later, [ErrTooLong], [ErrReadOnly], [ErrClosed], and
// [ErrFailed], after which it is unknown whether the record is in the log and
// the process must exit.
func (l *Log[T]) Append(ctx context.Context, r T) (rec T, known bool, err error) {
	recs, slots, err := l.append(ctx, []T{r})
	if err != nil {
		return rec, false, fmt.Errorf("store: append %s: %w", l.j.name, err)
	}
	return recs[0], slots[0].known, nil
}

// AppendAll appends rs in their order with one write, and returns them as they
// stand in the log. Records with a known cause are not written again. The
// errors are those of Append; a crash may leave the first few of them.
func (l *Log[T]) AppendAll(ctx context.Context, rs []T) ([]T, error) {
	if len(rs) == 0 {
		return nil, nil
	}
	recs, _, err := l.append(ctx, rs)
	if err != nil {
		return nil, fmt.Errorf("store: append %d records to %s: %w", len(rs), l.j.name, err)
	}
	return recs, nil
}

func (l *Log[T]) append(ctx context.Context, rs []T) ([]T, []slot, error) {
	recs := append([]T(nil), rs...)
	slots := make([]slot, len(recs))
	for i := range recs {
		*l.head(&recs[i]) = Head{}
		body, err := encodeBody(&recs[i])
		if err != nil {
			return nil, nil, err
		}
		if slots[i], err = newSlot(body); err != nil {
			return nil, nil, err
		}
	}
	if err := l.j.append(ctx, slots); err != nil {
		return nil, nil, err
	}
	for i, s := range slots {
		if !s.known {
			*l.head(&recs[i]) = s.head
			continue
		}
		r, err := l.decode(s.line, intact)
		if err != nil {
			return nil, nil, err
		}
		recs[i] = r
	}
	return recs, slots, nil
}

// Probe returns nil when the log takes records, and otherwise the error that
// Append would return. Like Append it looks at the file first, and puts back
// what somebody removed. It is for a caller that has nothing to append, now and
// then.
func (l *Log[T]) Probe(ctx context.Context) error {
	if err := l.j.append(ctx, nil); err != nil {
		return fmt.Errorf("store: probe %s: %w", l.j.name, err)
	}
	return nil
}

// Lookup returns the record with this cause, from the current segment or the
// last 35 days of those before. ok is false when there is none, or when its
// line has been damaged since.
func (l *Log[T]) Lookup(cause string) (rec T, ok bool, err error) {
	line, ok, err := l.j.lookup([]byte(cause))
	if err == nil && ok {
		rec, err = l.decode(line, intact)
	}
	if err != nil {
		return rec, false, fmt.Errorf("store: look up in %s: %w", l.j.name, err)
	}
	return rec, ok, nil
}

// Open returns the open lines in the order of their seq: those that were found
// at start and those opened since. One that was damaged meanwhile is left out;
// the next start that reads every line reports it.
func (l *Log[T]) Open() []Entry[T] {
	lines, hot := l.j.openLines()
	defer hot.release()
	var entries []Entry[T]
	for _, o := range lines {
		line, err := hot.readOpen(o)
		if err != nil {
			continue
		}
		if rec, err := l.decode(line, intact); err == nil {
			entries = append(entries, Entry[T]{Rec: rec, Crashes: o.Crashes})
		}
	}
	return entries
}

// From yields the records of the current segment whose seq is at least seq, in
// the order of the file, up to the last one that was durable when the loop
// began. Lines that the log does not trust are among them
// ([Head.Untrusted]); those without a seq only when seq is 0.
//
// What cannot be read is yielded as an error, a [*LineError] or ctx's; the
// loop may go on behind a LineError.
func (l *Log[T]) From(ctx context.Context, seq uint64) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		err := l.j.from(ctx, seq, func(s *scanned) error {
			var rec T
			err := l.j.lineError(s)
			if err == nil {
				rec, err = l.decode(s.line, s.standing)
			}
			if err != nil {
				rec, err = none, fmt.Errorf("store: read %s: %w", l.j.name, err)
			}
			if !yield(rec, err) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(none, fmt.Errorf("store: read %s: %w", l.j.name, err))
		}
	}
}

// Stats returns how the log stands now, without touching the disk.
func (l *Log[T]) Stats() LogStats { return l.j.snapshot() }

// Close waits for what is being appended, marks the stop as a clean one and
// closes the files. Later calls return nil; other methods must not be called
// after it, except Append and its kin, which return [ErrClosed].
func (l *Log[T]) Close() error {
	if err := l.j.close(); err != nil {
		return fmt.Errorf("store: close %s: %w", l.j.name, err)
	}
	return nil
}

// decode makes a record of a line, through the migration of its family when it
// is older.
func (l *Log[T]) decode(line []byte, s standing) (rec T, err error) {
	raw, _, err := Upgrade(l.j.family, line)
	if err != nil {
		return rec, err
	}
	if err := json.Unmarshal(raw, &rec); err != nil {
		return rec, err
	}
	h := l.head(&rec)
	h.standing = s
	if h.At.IsZero() && s != intact {
		h.At = legacyTime(line)
	}
	return rec, nil
}

// legacyTime returns the time of a line that has none in our form.
func legacyTime(line []byte) Time {
	var old struct {
		Timestamp Time `json:"timestamp"`
	}
	_ = json.Unmarshal(line, &old) // whatever it says, zero is the answer then
	return old.Timestamp
}
