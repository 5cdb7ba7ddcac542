package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// degraded is the state in which the disk does not take records.
type degraded struct {
	err   error // an ErrDegraded
	full  bool
	tried reading
}

// accepts returns why nothing can be appended now. While the disk was full it
// says so without a try, except now and then when there is room again
// (spec/reliability.md §1.2 rule 5).
func (j *journal) accepts() error {
	switch {
	case j.failed != nil:
		return j.failed
	case j.readOnly == ErrReadOnly:
		return ErrReadOnly
	case j.readOnly != nil:
		return fmt.Errorf("%w: %w", ErrReadOnly, j.readOnly)
	case j.degraded == nil:
		return nil
	}
	now := j.clock.look()
	if j.clock.passed(j.degraded.tried, now) < j.tuning.retry {
		return j.degraded.err
	}
	j.degraded.tried = now
	if j.degraded.full && !j.hasRoom() {
		return j.degraded.err
	}
	if len(j.notes) == 0 {
		j.note(intentRepair, repairNote{What: "resumed", At: j.end})
	}
	return nil
}

// hasRoom reports whether enough is free for a try; a small file system need
// not have more free than a part of itself.
func (j *journal) hasRoom() bool {
	free, all, err := j.fs.space()
	return err != nil || free >= min(j.tuning.room, all/16)
}

// undo cuts off what a failed write left behind.
func (j *journal) undo(written int64, cause error) error {
	st, err := j.file.stat()
	if err != nil {
		return j.fail(errors.Join(cause, err))
	}
	// When somebody else appended at the same moment, nothing is cut off: the
	// next append finds these bytes and takes them for foreign ones.
	if written > 0 && st.size == j.end+written {
		if err := j.file.Truncate(j.end); err != nil {
			return j.fail(errors.Join(cause, err))
		}
		if err := j.file.Sync(); err != nil {
			return j.fail(errors.Join(cause, err))
		}
	}
	return j.degrade(cause)
}

// degrade enters the degraded state or stays in it, and returns the error for
// those who wait. On a full disk the ballast makes room to say so in the log.
func (j *journal) degrade(cause error) error {
	if j.failed != nil {
		return j.failed
	}
	first := j.degraded == nil
	j.degraded = &degraded{
		err:   fmt.Errorf("%w: %w", ErrDegraded, cause),
		full:  isFull(cause),
		tried: j.clock.look(),
	}
	if first {
		j.note(intentRepair, repairNote{What: "degraded", Why: reason(cause), At: j.end})
	}
	// While a rotation is stuck the file that is open is an archive.
	if first && j.degraded.full && j.rotation.next == nil && j.fs.remove(j.ballastName()) == nil {
		_ = j.write(j.prepare(j.clock.last.wall, nil)) // else it waits for better times
	}
	if j.failed != nil {
		return j.failed
	}
	return j.degraded.err
}

// reason returns the innermost words of err, without paths.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// resume leaves the degraded state after a write that worked.
func (j *journal) resume() {
	if j.degraded == nil {
		return
	}
	j.degraded = nil
	j.layBallast()
}

// layBallast makes the file that a full disk is relieved of first. Without it
// the log works all the same.
func (j *journal) layBallast() {
	st, err := j.fs.stat(j.ballastName())
	if err == nil && st.size >= int64(j.tuning.ballast) {
		return
	}
	if free, _, err := j.fs.space(); err != nil || free < j.tuning.room {
		return
	}
	f, err := j.fs.open(j.ballastName(), os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return
	}
	b := make([]byte, j.tuning.ballast)
	_, _ = rand.Read(b) // never fails; zeros would be compressed away
	if err = f.Truncate(0); err == nil {
		_, err = f.Write(b)
	}
	if errors.Join(err, f.Close()) != nil {
		_ = j.fs.remove(j.ballastName())
	}
}

// fail stops the log for good: after a failed fsync the kernel has forgotten
// what it did not write, and a second one would report success. A mark tells
// the next process not to trust what it reads back (spec/reliability.md §1.2
// rule 6).
func (j *journal) fail(cause error) error {
	if j.failed != nil {
		return j.failed
	}
	j.failed = fmt.Errorf("%w: %w", ErrFailed, cause)
	f, err := j.fs.open(j.failedName(), os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil { // a name is to be had for nothing
		_ = j.fs.rename(j.checkpointName(), j.failedName())
		return j.failed
	}
	_, _ = f.Write([]byte(reason(cause) + "\n")) // that it is there says enough
	_ = f.Sync()
	_ = f.Close()
	return j.failed
}
