package store

import (
	"io"
	"slices"
	"strings"
	"time"
)

// A replay reads the lines of a segment and builds from them what the log
// holds in memory. It changes nothing.
type replay struct {
	version int
	causes  *causes
	copy    *causeFile               // of the causes; may be nil
	after   time.Time                // causes of lines before it are left out
	follow  func(f Facts, off int64) // nil when nobody asks for open lines
	foreign []span                   // what others are known to have written
	begins  bool                     // the next line is the segment's first

	// What was found.

	last    stamp
	first   time.Time    // of the first intact line
	header  *segmentNote // nil in a log's first segment
	headed  time.Time    // when the header was written
	bytes   int64
	lines   int64
	legacy  int64
	newer   int64
	altered int64
	places  []place // what is wrong, in the order of the file, up to maxFound
	known   []place // what an earlier start wrote down
	notices []notice
	atBytes []byte
}

// maxFound bounds the memory for a log that is damaged all over.
const maxFound = 10_000

// A notice is a line of the log that says what others wrote before it.
type notice struct {
	off   int64
	spans []span
}

// replaySegment reads [from, to) of r into a replay that fresh makes. It reads
// twice when only later lines say which of the earlier ones are foreign.
// unended says that the last line has no LF and is complete.
func replaySegment(r io.ReaderAt, from, to int64, unended bool, fresh func() *replay) (*replay, error) {
	p := fresh()
	if err := p.read(r, from, to, unended); err != nil {
		return nil, err
	}
	spans := foreignSpans(p.notices)
	if len(spans) == 0 {
		return p, nil
	}
	p = fresh()
	p.foreign = append(slices.Clip(p.foreign), spans...)
	return p, p.read(r, from, to, unended)
}

// foreignSpans returns the spans of all notices but those that stand
// themselves in what a later notice calls foreign. A notice can only speak of
// what stands before it.
func foreignSpans(notices []notice) []span {
	var spans []span
	for _, n := range slices.Backward(notices) {
		if inSpan(spans, n.off) {
			continue
		}
		for _, s := range n.spans {
			if s.At >= 0 && s.Len > 0 && s.At <= n.off-s.Len {
				spans = append(spans, s)
			}
		}
	}
	return spans
}

func (p *replay) read(r io.ReaderAt, from, to int64, unended bool) error {
	p.begins = from == 0
	s := scanner{r: r, version: p.version, visit: p.visit}
	tail, err := s.scan(from, to)
	p.bytes = tail - from
	if err != nil || !unended || tail == to {
		return err
	}
	line := make([]byte, to-tail)
	if _, err := io.ReadFull(io.NewSectionReader(r, tail, to-tail), line); err != nil {
		return err
	}
	return s.visitLine(tail, line)
}

func (p *replay) visit(l *scanned) error {
	p.lines++
	if inSpan(p.foreign, l.off) {
		return nil // written down already
	}
	switch l.standing {
	case intact:
		p.take(l)
	case legacy:
		p.legacy++
	case newer:
		p.newer++
		if isSealed(l.line) {
			p.count(l)
		}
	default:
		if l.standing == altered {
			p.altered++
		}
		p.found(place{Kind: l.standing.String(), At: l.off, Len: l.length})
	}
	return nil
}

// take gives an intact line its effects.
func (p *replay) take(l *scanned) {
	f := &l.fields
	own := string(f.typ) == "event" && (string(f.intent) == intentDamage || string(f.intent) == intentSegment)
	if own && string(f.intent) == intentDamage {
		p.readDamage(l)
	}
	if !f.carried && !p.count(l) {
		p.found(place{Kind: kindRepeat, At: l.off, Len: l.length})
		return
	}
	if own && p.lines == 1 {
		p.readHeader(l)
	}
	if p.first.IsZero() && !f.carried {
		p.first = f.time()
	}
	if len(f.cause) > 0 && (p.after.IsZero() || !f.time().Before(p.after)) {
		hash := p.causes.hash(f.cause)
		p.causes.add(hash, l.off)
		p.copy.add(hash, l.off)
	}
	if p.follow != nil {
		p.follow(f.facts(), l.off)
	}
}

// count follows the seq and reports whether it is a new one.
func (p *replay) count(l *scanned) bool {
	f := &l.fields
	switch {
	case f.seq <= p.last.seq:
		return false
	case p.begins:
		p.begins = false // a log may begin anywhere when its archives are gone
	case f.seq > p.last.seq+1:
		p.missing(l.off, p.last.seq+1, f.seq-1)
	}
	p.last.seq = f.seq
	p.last.id = max(p.last.id, parseID(f.id))
	p.atBytes = append(p.atBytes[:0], f.at...)
	return true
}

// stamp returns the stamp of the last line.
func (p *replay) stamp() stamp {
	if len(p.atBytes) > 0 {
		f := fields{at: p.atBytes}
		if t := f.time(); t.After(p.last.at) {
			p.last.at = t
		}
	}
	return p.last
}

// found notes a place; neighbours of the same kind become one.
func (p *replay) found(q place) {
	if n := len(p.places); n > 0 {
		last := &p.places[n-1]
		if last.Kind == q.Kind && last.Missing == nil && q.At <= last.At+last.Len+2 {
			last.Len = q.At + q.Len - last.At
			return
		}
	}
	if len(p.places) < maxFound {
		p.places = append(p.places, q)
	}
}

// missing notes that the lines from one seq to another are not there. They are
// most likely what the damage right before held.
func (p *replay) missing(off int64, from, to uint64) {
	if n := len(p.places); n > 0 {
		last := &p.places[n-1]
		if last.Kind != kindRepeat && last.Missing == nil && off <= last.At+last.Len+2 {
			last.Missing = &[2]uint64{from, to}
			return
		}
	}
	if len(p.places) < maxFound {
		p.places = append(p.places, place{Kind: kindGap, At: off, Missing: &[2]uint64{from, to}})
	}
}

func (p *replay) readDamage(l *scanned) {
	var n damageNote
	if notePayload(l.line, &n) != nil {
		return
	}
	var spans []span
	for _, q := range n.Places {
		if q.Kind == kindForeign {
			spans = append(spans, span{q.At, q.Len})
		}
		p.known = append(p.known, q)
	}
	if len(spans) > 0 {
		p.notices = append(p.notices, notice{l.off, spans})
	}
}

func (p *replay) readHeader(l *scanned) {
	var n segmentNote
	if notePayload(l.line, &n) == nil && strings.HasPrefix(n.Prev, "archive/") {
		p.header, p.headed = &n, l.fields.time()
	}
}

// unknown returns the places that no earlier start wrote down.
func (p *replay) unknown() []place { return slices.DeleteFunc(slices.Clone(p.places), p.isKnown) }

func (p *replay) isKnown(q place) bool {
	return slices.ContainsFunc(p.known, func(k place) bool { return k.covers(q) })
}
