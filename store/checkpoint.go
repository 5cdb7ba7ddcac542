package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
)

// A checkpoint is what a start needs to know of the lines before Offset, so
// that it reads only those behind. It is a cache except for how often the
// process died with each open line.
type checkpoint struct {
	V       int        `json:"v"`
	Segment uint64     `json:"segment"` // id of the file
	Offset  int64      `json:"offset"`
	Begin   uint32     `json:"begin"`  // checksum of the first bytes of the file
	Before  uint32     `json:"before"` // and of those before Offset
	Clean   bool       `json:"clean"`  // the log was closed, nothing follows
	Seq     uint64     `json:"seq"`
	ID      string     `json:"id"`
	At      Time       `json:"at"`
	Lines   int64      `json:"lines"`
	Month   int        `json:"month"`
	Rotated Time       `json:"rotated"`
	Open    []openLine `json:"open"`
	Foreign []span     `json:"foreign,omitempty"`
	Causes  causeMark  `json:"causes"`
	Past    []pastMark `json:"past,omitempty"`
}

// A pastMark is a segment before, as a checkpoint knows it.
type pastMark struct {
	Name   string    `json:"name"`
	ID     uint64    `json:"id"`
	Size   int64     `json:"size"`
	Causes causeMark `json:"causes"`
}

const (
	checkpointVersion = 2
	// checkpointProbe is how much of the file's begin, and of what lies before
	// the offset, a checkpoint is compared with.
	checkpointProbe = 4096
	maxCheckpoint   = 64 << 20
)

// saveCheckpoint writes the checkpoint. Nothing is waiting and everything
// written is durable when it is called.
func (j *journal) saveCheckpoint(clean bool) error {
	open, hot := j.openLines()
	defer hot.release()
	mark, err := hot.copy.save(hot.causes)
	if err != nil {
		return err
	}
	c := checkpoint{
		V: checkpointVersion, Segment: hot.id, Offset: j.end, Clean: clean,
		Seq: j.last.seq, ID: formatID(j.last.id), At: Time{j.last.at},
		Lines: j.stats.Lines, Month: j.rotation.month, Rotated: Time{j.rotation.at},
		Open: open, Foreign: j.spans, Causes: mark,
	}
	if c.Begin, c.Before, err = probe(hot.r, j.end); err != nil {
		return err
	}
	j.forget()
	for _, p := range j.past {
		if p.mark.Name == "" {
			if err := j.savePast(p.segment); err != nil {
				return err
			}
		}
		c.Past = append(c.Past, pastMark{Name: p.archive, ID: p.id, Size: p.size, Causes: p.mark})
	}
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	b = append(appendSeal(b[:len(b)-1], 0), '\n')
	if err := j.fs.writeAtomic(j.checkpointName(), b); err != nil {
		return err
	}
	j.unsettled = 0
	return nil
}

// savePast writes the causes of a segment before, which change no more.
func (j *journal) savePast(s *segment) error {
	f := causeFile{fs: j.fs, name: j.causesName(s.id)}
	mark, err := f.save(s.causes)
	if err != nil {
		return err
	}
	s.mark = mark
	return f.close()
}

// loadCheckpoint returns the last checkpoint, nil when there is none, and
// whether it belongs to the hot segment as that is now. A wrong one costs time,
// never a line.
func (j *journal) loadCheckpoint() (c *checkpoint, fits bool) {
	f, err := j.fs.open(j.checkpointName(), os.O_RDONLY)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	st, err := f.stat()
	if err != nil || st.size > maxCheckpoint {
		return nil, false
	}
	b := make([]byte, st.size)
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, st.size), b); err != nil {
		return nil, false
	}
	b = bytes.TrimSuffix(b, []byte("\n"))
	c = new(checkpoint)
	if !isSealed(b) || json.Unmarshal(b, c) != nil || c.V != checkpointVersion {
		return nil, false
	}
	if c.Segment != j.hot.id || c.Offset < 0 || c.Offset > j.end {
		return c, false
	}
	begin, before, err := probe(j.hot.r, c.Offset)
	return c, err == nil && begin == c.Begin && before == c.Before
}

// probe returns the checksums of the first bytes of r and of those before off.
func probe(r io.ReaderAt, off int64) (begin, before uint32, err error) {
	b := make([]byte, min(off, checkpointProbe))
	if len(b) == 0 {
		return 0, 0, nil
	}
	if _, err := io.ReadFull(io.NewSectionReader(r, 0, off), b); err != nil {
		return 0, 0, err
	}
	begin = checksum(b)
	if _, err := io.ReadFull(io.NewSectionReader(r, off-int64(len(b)), int64(len(b))), b); err != nil {
		return 0, 0, err
	}
	return begin, checksum(b), nil
}

// dropCheckpoint makes sure that no checkpoint calls the log closed that is
// about to be written to.
func (j *journal) dropCheckpoint() error {
	if err := j.fs.remove(j.checkpointName()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return j.fs.syncDir(".")
}

// sweepCauses removes the cause files of segments that are no longer asked.
func (j *journal) sweepCauses() {
	keep := map[string]bool{j.causesName(j.hot.id): true}
	for _, p := range j.past {
		keep[j.causesName(p.id)] = true
	}
	names, err := j.fs.list("cache")
	if err != nil {
		return
	}
	for _, name := range names {
		name = "cache/" + name
		if strings.HasPrefix(name, "cache/"+j.stem()+"-") && strings.HasSuffix(name, ".causes") && !keep[name] {
			_ = j.fs.remove(name) // a cache; the next sweep tries again
		}
	}
}
