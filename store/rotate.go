package store

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
)

// rotation is what decides about the next month's segment.
type rotation struct {
	month  int       // of the hot segment; 0 while it has no line
	at     time.Time // when the hot segment was begun by a rotation
	prev   string    // the segment before; "" when there is none
	failed *reading  // when the last try failed
	next   *nextSegment
}

// rotationRetry is how long a rotation that failed waits for its next try.
const rotationRetry = 10 * time.Minute

// A nextSegment is a rotation between the second step and the third: the
// archive has its name, and the new segment does not have its own yet.
type nextSegment struct {
	file    logFile
	size    int64
	last    stamp
	open    map[string]openLine
	causes  *causes
	lines   int64
	archive string
}

// monthOf numbers the months of a zone.
func monthOf(t time.Time, zone *time.Location) int {
	y, m, _ := t.In(zone).Date()
	return y*12 + int(m) - 1
}

func monthName(month int) string { return fmt.Sprintf("%04d-%02d", month/12, month%12+1) }

// rotateWhenDue begins a new segment with the first append of a new month, and
// finishes a rotation that got stuck. An error means that nothing can be
// appended at present; a rotation that only did not begin is tried again
// later.
func (j *journal) rotateWhenDue(now time.Time, appends bool) error {
	if j.rotation.next != nil {
		return j.enterNext()
	}
	if !appends || !j.rotationDue(now) {
		return nil
	}
	err := j.rotate(now)
	if err != nil {
		at := j.clock.look()
		j.rotation.failed = &at
	}
	j.housekeep(err)
	switch {
	case j.failed != nil:
		return j.failed
	case j.rotation.next != nil:
		return j.degrade(err)
	}
	return nil
}

func (j *journal) rotationDue(now time.Time) bool {
	r := &j.rotation
	at := now
	if at.Before(j.last.at) {
		at = j.last.at
	}
	switch {
	case r.month == 0, monthOf(at, j.zone) <= r.month, j.clock.held():
		return false
	case !r.at.IsZero() && at.Sub(r.at) < j.tuning.rotateEvery:
		return false
	case r.failed != nil && j.clock.passed(*r.failed, j.clock.look()) < rotationRetry:
		return false
	}
	return true
}

// rotate does the three steps of spec/reliability.md §1.6. A crash between any
// two of them is finished or undone by the next start.
func (j *journal) rotate(now time.Time) error {
	if err := j.absorb(); err != nil {
		return err
	}
	// The notes speak of places in the segment that ends here.
	if len(j.notes) > 0 || j.needLF {
		if err := j.write(j.prepare(now, nil)); err != nil {
			return err
		}
	}
	n, err := j.buildNext(now)
	if err != nil {
		return err
	}
	if err := j.fs.renameNew(j.name, n.archive); err != nil {
		return errors.Join(err, n.file.Close(), j.fs.remove(j.nextName()))
	}
	j.rotation.next = n
	return j.enterNext()
}

// buildNext writes the new segment under a name that a start knows to remove:
// the header, and a copy of every open line.
func (j *journal) buildNext(now time.Time) (n *nextSegment, err error) {
	archive, err := j.freeName(j.archiveName(j.rotation.month))
	if err != nil {
		return nil, err
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, io.NewSectionReader(j.hot.r, 0, j.end)); err != nil {
		return nil, err
	}
	note := segmentNote{Prev: archive, LastSeq: j.last.seq, SHA256: hex.EncodeToString(hash.Sum(nil))}
	n = &nextSegment{archive: archive, last: j.last.next(now, j.machine), open: map[string]openLine{}, causes: newCauses()}
	open, hot := j.openLines()
	defer hot.release()
	if err := j.writeNext(n, note, open); err != nil {
		return nil, err
	}
	return n, nil
}

func (j *journal) writeNext(n *nextSegment, header segmentNote, open []openLine) (err error) {
	if err := j.fs.remove(j.nextName()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if n.file, err = j.fs.open(j.nextName(), os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, n.file.Close(), j.fs.remove(j.nextName()))
		}
	}()
	w := bufio.NewWriterSize(n.file, 256<<10)
	put := func(line []byte) error {
		k, err := w.Write(line)
		n.size += int64(k)
		n.lines++
		return err
	}
	if err := put(appendLine(nil, n.last.head(j.version), newNote(intentSegment, header).body)); err != nil {
		return err
	}
	for _, o := range open {
		line, err := j.hot.readOpen(o)
		var damaged *LineError
		if errors.As(err, &damaged) {
			continue // it cannot be executed any more
		}
		if err != nil {
			return err
		}
		var f fields
		scanFields(line, &f)
		o.Offset = n.size
		n.open[o.ID] = o
		if len(f.cause) > 0 {
			n.causes.add(n.causes.hash(f.cause), o.Offset)
		}
		if err := put(appendCarried(nil, line, &f)); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return n.file.Sync()
}

// enterNext does the rest of a rotation whose archive has its name.
func (j *journal) enterNext() error {
	n := j.rotation.next
	if err := j.fs.syncDir("archive"); err != nil {
		return j.fail(err)
	}
	if err := j.fs.rename(j.nextName(), j.name); err != nil {
		return j.degrade(err)
	}
	if err := j.fs.syncDir("."); err != nil {
		return j.fail(err)
	}
	st, err := n.file.stat()
	if err != nil {
		return j.fail(err)
	}
	_ = j.fs.freeze(n.archive) // the next start tries again
	j.adoptNext(n, st)
	j.housekeep(j.saveCheckpoint(false))
	j.sweepCauses()
	return nil
}

// adoptNext makes the new segment the hot one, and the hot one that before.
func (j *journal) adoptNext(n *nextSegment, st fileInfo) {
	old := past{segment: j.hot, archive: n.archive, began: j.rotation.at, prev: j.rotation.prev}
	mark, err := old.copy.save(old.causes)
	if err == nil {
		old.mark = mark // else the next checkpoint writes it anew
	}
	err = errors.Join(err, old.copy.close())
	hot := &segment{name: j.name, id: st.id, size: n.size, r: n.file, closer: n.file, causes: n.causes,
		copy: &causeFile{fs: j.fs, name: j.causesName(st.id)}}
	hot.refs.Store(1)

	j.mu.Lock()
	gone := j.past[min(len(j.past), maxPast-1):]
	j.past = append([]past{old}, j.past[:len(j.past)-len(gone)]...)
	j.hot, j.open, j.spans = hot, n.open, nil
	j.stats.Lines = n.lines
	j.stats.Housekeeping = err
	j.mu.Unlock()
	for _, p := range gone {
		_ = p.release() // it was only read
	}

	j.file, j.end, j.last = n.file, n.size, n.last
	j.rotation = rotation{month: monthOf(n.last.at, j.zone), at: n.last.at, prev: n.archive}
}

// archiveName is where the segment of a month goes.
func (j *journal) archiveName(month int) string {
	return fmt.Sprintf("archive/%s-%s.jsonl", strings.TrimSuffix(j.name, ".jsonl"), monthName(month))
}

// latestArchive returns the newest archive of the log, "" when there is none.
func (j *journal) latestArchive() (string, error) {
	names, err := j.fs.list("archive")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	var latest string
	var month, serial int
	for _, name := range names {
		m, n, ok := j.parseArchive(name)
		if ok && (m > month || m == month && n > serial) {
			latest, month, serial = "archive/"+strings.TrimSuffix(name, ".gz"), m, n
		}
	}
	return latest, nil
}

// parseArchive takes the name of an archive apart: its month, and its number
// among those of the month.
func (j *journal) parseArchive(name string) (month, serial int, ok bool) {
	name, ok = strings.CutPrefix(name, strings.TrimSuffix(j.name, ".jsonl")+"-")
	if !ok {
		return 0, 0, false
	}
	name, ok = strings.CutSuffix(strings.TrimSuffix(name, ".gz"), ".jsonl")
	var year, m int
	serial = 1
	if n, _ := fmt.Sscanf(name, "%4d-%2d-%d", &year, &m, &serial); !ok || n < 2 || m < 1 || m > 12 {
		return 0, 0, false
	}
	return year*12 + m - 1, serial, true
}

// finishRotation puts right what a rotation left that was interrupted.
func (j *journal) finishRotation(found *Recovery) error {
	_, err := j.fs.stat(j.nextName())
	hasNext := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_, err = j.fs.stat(j.name)
	hasHot := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	switch {
	case hasNext && hasHot:
		found.Rotation = "undone"
		return j.fs.remove(j.nextName())
	case hasNext:
		begun, err := j.isBegun(j.nextName())
		if err != nil {
			return err
		}
		if !begun { // it was to stand in for a missing segment
			return j.beginAnew(found)
		}
		found.Rotation = "finished"
		if err := j.fs.syncDir("archive"); err != nil {
			return err
		}
		return errors.Join(j.fs.rename(j.nextName(), j.name), j.fs.syncDir("."))
	case !hasHot:
		return j.beginAnew(found)
	}
	return nil
}

// isBegun reports whether the file name begins with the header of a segment.
func (j *journal) isBegun(name string) (bool, error) {
	f, err := j.fs.open(name, os.O_RDONLY)
	if err != nil {
		return false, err
	}
	line, ok, err := readSealed(f, 0)
	var header fields
	ok = ok && scanFields(line, &header) && string(header.intent) == intentSegment
	return ok, errors.Join(err, f.Close())
}

// beginAnew makes a segment when there is none. When there are archives, whose
// current segment somebody took away, seq and ids go on where they end.
func (j *journal) beginAnew(found *Recovery) error {
	archive, err := j.latestArchive()
	if err != nil {
		return err
	}
	if archive == "" {
		found.New = true
		return nil
	}
	s, err := j.openArchive(archive)
	if err != nil {
		return err
	}
	defer s.release()
	p, err := replaySegment(s.r, 0, s.size, false, func() *replay { return &replay{version: j.version, causes: newCauses()} })
	if err != nil {
		return err
	}
	last := p.stamp()
	n := &nextSegment{archive: archive, last: last.next(j.clock.now(), j.machine), open: map[string]openLine{}, causes: newCauses()}
	if err := j.writeNext(n, segmentNote{Prev: archive, LastSeq: last.seq}, nil); err != nil {
		return err
	}
	found.Rotation = "missing segment"
	return errors.Join(n.file.Close(), j.fs.rename(j.nextName(), j.name), j.fs.syncDir("."))
}
