package store

import (
	"bytes"
	"fmt"
	"io"
)

// A Torn is an unfinished last line that was cut off at start.
type Torn struct {
	Offset int64
	Bytes  int64
	// Quarantine is the file with what was cut off; "" when it held nothing, or
	// when the disk was full and LogOptions.Rescue got it.
	Quarantine string
}

// repairTail gives the segment an end that lines can be appended to
// (spec/reliability.md §1.5 R4). A last line that is complete but for its LF
// gets one; what a torn write left goes into the quarantine.
func (j *journal) repairTail(found *Recovery) error {
	from, err := lastLine(j.hot.r, j.end)
	if err != nil || from == j.end {
		return err
	}
	fragment := make([]byte, min(j.end-from, maxRead))
	if _, err := io.ReadFull(io.NewSectionReader(j.hot.r, from, int64(len(fragment))), fragment); err != nil {
		return err
	}
	whole := lastSealed(fragment)
	cut := from + int64(whole)
	if cut < j.end {
		t := Torn{Offset: cut, Bytes: j.end - cut}
		found.Torn = append(found.Torn, t)
		if j.readOnly != nil {
			return nil
		}
		if err := j.cutTail(&found.Torn[len(found.Torn)-1], fragment[whole:]); err != nil {
			return err
		}
	}
	if j.readOnly != nil {
		return nil
	}
	if whole > 0 {
		switch _, err := j.file.Write([]byte{'\n'}); {
		case err == nil:
			j.end++
		case isFull(err):
			j.needLF = true
		default:
			return err
		}
	}
	if err := j.file.Sync(); err != nil {
		return j.fail(err)
	}
	return nil
}

// cutTail saves the bytes behind t.Offset, whose first are fragment, and cuts
// them off.
func (j *journal) cutTail(t *Torn, fragment []byte) error {
	n := t.Bytes
	if int64(len(fragment)) == n {
		fragment = bytes.TrimRight(fragment, "\x00 \t\r")
		n = int64(len(fragment))
	}
	if n > 0 {
		name, err := j.quarantine(j.hot.r, j.name, t.Offset, n)
		switch {
		case err == nil:
			t.Quarantine = name
		case isFull(err):
			if err := j.rescued(t.Offset, fragment); err != nil {
				return fmt.Errorf("no place for a torn line: %w", err)
			}
		default:
			return fmt.Errorf("quarantine a torn line: %w", err)
		}
	}
	if err := j.file.Truncate(t.Offset); err != nil {
		return err
	}
	j.end = t.Offset
	j.note(intentRepair, repairNote{What: "torn", At: t.Offset, Bytes: t.Bytes, Quarantine: t.Quarantine})
	return nil
}

// lastSealed returns where the last sealed line in b ends; 0 when none is.
func lastSealed(b []byte) int {
	last := 0
	for last < len(b) {
		start, end := findSealed(b[last:])
		if start == end {
			break
		}
		last += end
	}
	return last
}

// lastLine returns where the bytes behind the last LF before size begin.
func lastLine(r io.ReaderAt, size int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for end := size; end > 0; {
		b := buf[:min(end, int64(len(buf)))]
		end -= int64(len(b))
		if _, err := io.ReadFull(io.NewSectionReader(r, end, int64(len(b))), b); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
			return end + int64(i) + 1, nil
		}
	}
	return 0, nil
}
