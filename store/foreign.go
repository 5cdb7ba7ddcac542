package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
)

var errTangled = errors.New("another program wrote into the log at the same moment")

func inSpan(spans []span, off int64) bool {
	for _, s := range spans {
		if s.contains(off) {
			return true
		}
	}
	return false
}

// absorb looks at what others did to the file since the last write. What they
// appended is taken as legacy: shown, never executed, whatever it claims to be
// (spec/reliability.md §1.8 D15).
func (j *journal) absorb() error {
	ours, err := j.file.stat()
	if err != nil {
		return err
	}
	named, err := j.fs.stat(j.name)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && named.id != ours.id:
		return j.putBack(err == nil)
	case err != nil:
		return err
	case ours.size > j.end:
		return j.adopt(ours.size)
	case ours.size < j.end:
		return j.shrink(ours.size)
	}
	return nil
}

// adopt takes the bytes up to size into the segment as foreign.
func (j *journal) adopt(size int64) error {
	var lines int64
	s := scanner{r: j.hot.r, version: j.version, visit: func(*scanned) error {
		lines++
		return nil
	}}
	tail, err := s.scan(j.end, size)
	if err != nil {
		return err
	}
	p := place{Kind: kindForeign, At: j.end, Len: size - j.end}
	j.noteDamage(p)
	j.needLF = tail < size

	j.mu.Lock()
	defer j.mu.Unlock()
	j.spans = append(j.spans, span{p.At, p.Len})
	j.end, j.hot.size = size, size
	j.stats.Lines += lines
	j.stats.Foreign++
	return nil
}

// shrink goes on with a file that somebody cut. What was cut off is gone; that
// it is gone is written down.
func (j *journal) shrink(size int64) error {
	var last [1]byte
	if size > 0 {
		if _, err := j.hot.r.ReadAt(last[:], size-1); err != nil {
			return err
		}
	}
	j.noteDamage(place{Kind: kindTruncated, At: size, Len: j.end - size})
	j.needLF = size > 0 && last[0] != '\n'

	j.mu.Lock()
	defer j.mu.Unlock()
	maps.DeleteFunc(j.open, func(_ string, o openLine) bool { return o.Offset >= size })
	// What is appended now must not be taken for what stood there before.
	j.spans = slices.DeleteFunc(slices.Clone(j.spans), func(s span) bool { return s.At >= size })
	for i, s := range j.spans {
		j.spans[i].Len = min(s.Len, size-s.At)
	}
	j.end, j.hot.size = size, size
	j.stats.Damage++
	j.stats.Foreign++
	return nil
}

// putBack restores the log after somebody removed it or put another file in
// its place, as editors do when they save: what was appended since they read
// it would be lost otherwise. Theirs goes into the quarantine.
func (j *journal) putBack(replaced bool) error {
	p := place{Kind: kindReplaced, Len: j.end}
	if replaced {
		name, err := j.freeName("quarantine/" + j.name + "-replaced")
		if err != nil {
			return err
		}
		if err := j.fs.rename(j.name, name); err != nil {
			return err
		}
		p.Quarantine = name
	}
	if err := j.rewrite(); err != nil {
		return err
	}
	j.noteDamage(p)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.stats.Damage++
	j.stats.Foreign++
	return nil
}

// rewrite copies the durable bytes of the hot segment into a new file and puts
// that under its name. Only what went through a new file is known to be on
// disk after an fsync failed.
func (j *journal) rewrite() error {
	if err := j.fs.remove(j.copyName()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := j.fs.open(j.copyName(), os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, io.NewSectionReader(j.hot.r, 0, j.end))
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = j.fs.rename(j.copyName(), j.name)
	}
	if err != nil {
		return errors.Join(err, f.Close(), j.fs.remove(j.copyName()))
	}
	st, err := f.stat()
	if err == nil {
		err = j.fs.syncDir(".")
	}
	if err != nil {
		return j.fail(errors.Join(err, f.Close()))
	}
	j.replaceHot(&segment{name: j.name, id: st.id, size: j.end, r: f, closer: f, causes: j.hot.causes,
		copy: &causeFile{fs: j.fs, name: j.causesName(st.id)}})
	j.file = f
	return nil
}

// replaceHot lets readers finish with the old file and begin with s.
func (j *journal) replaceHot(s *segment) {
	s.refs.Store(1)
	j.mu.Lock()
	old := j.hot
	j.hot = s
	j.mu.Unlock()
	_ = old.release() // it was only read from now on
}

// untangle finds out where the lines of w lie when somebody else wrote into
// the file in the moment of our write. Those that were glued to foreign bytes
// are not there; their callers try again.
func (j *journal) untangle(w *batchWrite, size int64) error {
	index := make(map[uint64]int, len(w.lines))
	for i, l := range w.lines {
		index[l.facts.Seq] = i
	}
	var (
		kept   []newLine
		places []place
		pos    = j.end
	)
	foreign := func(to int64) {
		if to-pos > 1 { // more than the end of a line
			places = append(places, place{Kind: kindForeign, At: pos, Len: to - pos})
		}
	}
	s := scanner{r: j.hot.r, version: j.version, visit: func(l *scanned) error {
		i, ok := index[l.fields.seq]
		if l.standing != intact || !ok || string(l.fields.id) != w.lines[i].facts.ID {
			return nil
		}
		delete(index, l.fields.seq)
		foreign(l.off)
		pos = l.off + l.length + 1
		w.lines[i].off = l.off
		kept = append(kept, w.lines[i])
		return nil
	}}
	tail, err := s.scan(j.end, size)
	if err != nil {
		return err
	}
	foreign(size)
	for _, i := range index {
		for _, a := range w.lines[i].of {
			a.err = fmt.Errorf("%w: %w", ErrDegraded, errTangled)
		}
	}
	w.lines, w.tangled = kept, true
	j.notes, w.notes = j.notes[w.notes:], 0
	j.needLF = tail < size
	j.noteDamage(places...)

	j.mu.Lock()
	defer j.mu.Unlock()
	for _, p := range places {
		j.spans = append(j.spans, span{p.At, p.Len})
	}
	j.stats.Foreign++
	return nil
}
