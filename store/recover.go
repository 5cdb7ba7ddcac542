package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// A Recovery is what OpenLog found and did (spec/reliability.md §1.5).
type Recovery struct {
	New        bool // there was no log
	Checkpoint bool // a checkpoint was used; else every line was read
	Clean      bool // the process before closed the log
	// Lines and Bytes were read now.
	Lines int64
	Bytes int64
	// Open is how many lines are open.
	Open int
	// Torn are unfinished last lines. They were never acknowledged.
	Torn []Torn
	// Damage are the places that are not as the log wrote them, Known those of
	// them that an earlier start found already.
	Damage []Damage
	Known  []Damage
	// Legacy and Altered lines are shown and never executed; Newer ones are
	// of a later version and left alone.
	Legacy  int64
	Altered int64
	Newer   int64
	// ClockStep is how far the clock is from the last line when that is odd.
	ClockStep time.Duration
	// Rotation is what became of an interrupted rotation: "", "finished",
	// "undone", or "missing segment" when somebody took the segment away.
	Rotation string
	// Rewritten says that an fsync had failed and that the log was copied into
	// a new file.
	Rewritten bool
	// ReadOnly is why the log takes no records: ErrReadOnly, or a
	// *TooDamagedError; nil when it does.
	ReadOnly error
	Duration time.Duration
}

// A Damage is a place of a segment that is not as the log wrote it.
type Damage struct {
	// Kind is "malformed", "altered", "gap" (lines are missing), "repeat" (a
	// seq that was there before) or one of what others did while the log was
	// in use: "foreign", "truncated", "replaced".
	Kind   string
	Offset int64
	Length int64
	// MissingFrom and MissingTo are the seqs that are not there; 0 for none.
	MissingFrom, MissingTo uint64
	// Quarantine is the file with a copy; the bytes themselves stay.
	Quarantine string
}

func (p place) damage() Damage {
	d := Damage{Kind: p.Kind, Offset: p.At, Length: p.Len, Quarantine: p.Quarantine}
	if p.Missing != nil {
		d.MissingFrom, d.MissingTo = p.Missing[0], p.Missing[1]
	}
	return d
}

// openJournal opens and repairs the log and starts its committer.
func openJournal(name string, readOnly bool, o LogOptions) (*journal, Recovery, error) {
	var found Recovery
	j, err := newJournal(name, readOnly, o)
	if err != nil {
		return nil, found, err
	}
	start := j.clock.look()
	if err := j.recover(o, &found); err != nil {
		if j.hot != nil {
			err = errors.Join(err, j.releaseAll())
		}
		return nil, found, err
	}
	found.Duration = j.clock.passed(start, j.clock.look())
	found.ReadOnly = j.readOnly
	found.Open = len(j.open)
	j.publishState()
	j.wg.Go(j.run)
	return j, found, nil
}

// recover does R0 to R9. It can be interrupted anywhere and begun again, and
// done twice it changes nothing the second time.
func (j *journal) recover(o LogOptions, found *Recovery) error {
	if err := j.openHot(found); err != nil {
		return err
	}
	if err := j.distrust(found); err != nil {
		return err
	}
	saved, fits := j.loadCheckpoint()
	found.Clean = found.New || fits && saved.Clean
	size := j.end
	if err := j.repairTail(found); err != nil {
		return err
	}
	if j.readOnly == nil {
		if err := errors.Join(j.file.Sync(), j.fs.syncDir(".")); err != nil {
			return j.fail(err)
		}
	}
	var trusted *checkpoint
	if fits && !o.Thorough {
		trusted = saved
	}
	p, err := j.replayHot(trusted, j.foreignSince(saved, fits, size, found), found)
	if err != nil {
		return err
	}
	if err := j.loadPast(trusted); err != nil {
		return err
	}
	j.countCrashes(saved, found.Clean)
	j.report(p, o.AcceptDamage, found)
	found.ClockStep = j.clock.start(j.last.at)
	if j.readOnly != nil {
		return nil
	}
	return j.beginWriting(found)
}

// beginWriting writes the checkpoint that says that the log is in use (R9) and
// the lines about what was found.
func (j *journal) beginWriting(found *Recovery) error {
	if found.ClockStep != 0 {
		j.note(intentClock, clockNote{found.ClockStep.Milliseconds()})
	}
	if err := j.saveCheckpoint(false); err != nil {
		j.housekeep(err)
		// One that calls the log closed would make foreign lines of ours.
		if err := j.dropCheckpoint(); err != nil {
			return fmt.Errorf("remove the old checkpoint: %w", err)
		}
	}
	j.sweepCauses()
	j.layBallast()
	if err := j.commitAll(nil); err != nil && !errors.Is(err, ErrDegraded) {
		return err
	}
	return nil
}

// foreignSince returns the spans of the hot segment that are known to be
// others' from the checkpoint: those that it lists, and whatever follows it
// when the log had been closed.
func (j *journal) foreignSince(c *checkpoint, fits bool, size int64, found *Recovery) []span {
	if !fits {
		return nil
	}
	spans := c.Foreign
	if c.Clean && size > c.Offset && j.end > c.Offset {
		p := place{Kind: kindForeign, At: c.Offset, Len: j.end - c.Offset}
		spans = append(spans, span{p.At, p.Len})
		found.Damage = append(found.Damage, p.damage())
		j.noteDamage(p)
	}
	return spans
}

// openHot opens the segment that is written to (R0).
func (j *journal) openHot(found *Recovery) error {
	flag := os.O_RDONLY
	if j.readOnly == nil {
		flag = os.O_RDWR | os.O_CREATE | os.O_APPEND
		if err := j.fs.remove(j.copyName()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := j.finishRotation(found); err != nil {
			return err
		}
	}
	f, err := j.fs.open(j.name, flag)
	if errors.Is(err, fs.ErrNotExist) && j.readOnly != nil {
		found.New = true
		j.hot = &segment{name: j.name, r: bytes.NewReader(nil), closer: io.NopCloser(nil), causes: newCauses(), copy: new(causeFile)}
		j.hot.refs.Store(1)
		return nil
	}
	if err != nil {
		return err
	}
	st, err := f.stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	j.file, j.end = f, st.size
	j.hot = &segment{name: j.name, id: st.id, size: st.size, r: f, closer: f,
		copy: &causeFile{fs: j.fs, name: j.causesName(st.id)}}
	j.hot.refs.Store(1)
	return nil
}

// distrust copies the log into a new file when an fsync failed before: what is
// read from the old one may never have reached the disk, and only a new file
// makes the kernel write it (R3).
func (j *journal) distrust(found *Recovery) error {
	_, err := j.fs.stat(j.failedName())
	if errors.Is(err, fs.ErrNotExist) || j.readOnly != nil {
		return nil
	}
	if err != nil {
		return err
	}
	if err := j.rewrite(); err != nil {
		return err
	}
	found.Rewritten = true
	if err := j.fs.remove(j.failedName()); err != nil {
		return err
	}
	return j.fs.syncDir(".")
}

// replayHot reads the hot segment, from the checkpoint on when there is one
// (R2, R6), and returns what is wrong with it.
func (j *journal) replayHot(c *checkpoint, given []span, found *Recovery) (*replay, error) {
	fresh := func() *replay {
		j.open = map[string]openLine{}
		j.hot.causes = newCauses()
		j.hot.causes.reserve(j.end / 512) // lines are shorter than that
		return &replay{version: j.version, causes: j.hot.causes, copy: j.hot.copy, foreign: given, follow: j.follow}
	}
	p, err := j.replayTail(c, given)
	if err != nil {
		return nil, err
	}
	if p != nil && len(p.notices) == 0 {
		found.Checkpoint = true
		j.rotation.month, j.rotation.at = c.Month, c.Rotated.Time
		if len(c.Past) > 0 {
			j.rotation.prev = c.Past[0].Name
		}
		j.stats.Lines = c.Lines
	} else {
		if err := j.hot.copy.close(); err != nil {
			return nil, err
		}
		if p, err = replaySegment(j.hot.r, 0, j.end, j.needLF, fresh); err != nil {
			return nil, err
		}
		if p.header != nil {
			j.rotation.prev, j.rotation.at = p.header.Prev, p.headed
		}
	}
	if j.rotation.month == 0 && !p.first.IsZero() {
		j.rotation.month = monthOf(p.first, j.zone)
	}
	j.last = p.stamp()
	j.hot.size = j.end
	j.spans = p.foreign
	j.stats.Lines += p.lines
	j.stats.Torn = len(found.Torn)
	found.Lines, found.Bytes = p.lines, p.bytes
	found.Legacy, found.Altered, found.Newer = p.legacy, p.altered, p.newer
	return p, nil
}

// replayTail reads what follows the checkpoint c. It returns nil when c, or the
// causes that it vouches for, cannot be used.
func (j *journal) replayTail(c *checkpoint, given []span) (*replay, error) {
	if c == nil {
		return nil, nil
	}
	loaded, file, err := loadCauses(j.fs, c.Causes, j.readOnly == nil)
	if err != nil {
		return nil, nil
	}
	if file != nil {
		j.hot.copy = file
	}
	j.hot.causes = loaded
	for _, o := range c.Open {
		j.open[o.ID] = o
	}
	p := &replay{version: j.version, causes: loaded, copy: j.hot.copy, foreign: given, follow: j.follow,
		last: stamp{seq: c.Seq, id: parseID([]byte(c.ID)), at: c.At.Time}}
	return p, p.read(j.hot.r, c.Offset, j.end, j.needLF)
}

// countCrashes counts for each open line that the process died once more with
// it, unless the log was closed.
func (j *journal) countCrashes(c *checkpoint, clean bool) {
	before := map[string]int{}
	if c != nil {
		for _, o := range c.Open {
			before[o.ID] = o.Crashes
		}
	}
	for id, o := range j.open {
		switch {
		case clean:
			o.Crashes = 0
		case j.readOnly != nil:
			o.Crashes = before[id]
		default:
			o.Crashes = before[id] + 1
		}
		j.open[id] = o
	}
}

// report judges what is wrong with the segment, keeps copies and queues the
// lines that say so.
func (j *journal) report(p *replay, accept bool, found *Recovery) {
	places := p.unknown()
	j.stats.Damage = len(p.places)
	var bad TooDamagedError
	for _, q := range places {
		if q.Kind == malformed.String() {
			bad.Places++
			bad.Bytes += q.Len
		}
	}
	if !accept && (bad.Places > j.tuning.maxPlaces || bad.Bytes > j.tuning.maxDamage) {
		j.readOnly = &bad
	}
	for i := range places {
		q := &places[i]
		if q.Kind == malformed.String() && j.readOnly == nil && i < maxCopies {
			// Without room for a copy the bytes still are where they were.
			q.Quarantine, _ = j.quarantine(j.hot.r, j.name, q.At, q.Len)
		}
		found.Damage = append(found.Damage, q.damage())
	}
	for _, q := range p.places {
		if p.isKnown(q) {
			found.Known = append(found.Known, q.damage())
		}
	}
	if j.readOnly == nil {
		j.noteDamage(places...)
	}
}

// maxCopies bounds what goes into the quarantine at one start.
const maxCopies = 1000
