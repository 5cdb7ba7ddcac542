package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// A causeFile is the copy of a segment's causes on disk: a header with the
// salt, then one entry of 12 bytes a line, in the order in which they came. It
// is a cache. It is believed only as far as a checkpoint vouches for its
// length and checksum, and whatever goes wrong with it costs nothing but the
// time to read the segment again.
type causeFile struct {
	fs      logFS
	name    string
	f       logFile // nil before the first save and after a failure
	size    int64   // bytes written
	sum     uint32  // checksum over them
	pending []byte  // entries that are not written yet
}

// A causeMark is how a checkpoint vouches for a cause file.
type causeMark struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
	Sum  uint32 `json:"sum"`
}

const (
	causeMagic  = "outheis causes 1\n"
	causeHeader = len(causeMagic) + saltLen
	causeEntry  = 12
	causeBlock  = 64 << 10 // how much is read and written at once
)

func appendCause(b []byte, hash uint32, off int64) []byte {
	b = binary.LittleEndian.AppendUint32(b, hash)
	return binary.LittleEndian.AppendUint64(b, uint64(off))
}

// add notes one more entry. A nil causeFile takes none. Before the first save there is no file, and that
// one writes the whole table.
func (c *causeFile) add(hash uint32, off int64) {
	if c != nil && c.f != nil {
		c.pending = appendCause(c.pending, hash, off)
	}
}

// save makes everything that was added durable and returns the mark of it. all
// is the table that the file is a copy of.
func (c *causeFile) save(all *causes) (causeMark, error) {
	var err error
	if c.f == nil {
		err = c.create(all)
	} else {
		err = c.write(c.pending)
	}
	if err == nil {
		err = c.f.Sync()
	}
	if err != nil {
		return causeMark{}, c.fail(err)
	}
	c.pending = c.pending[:0]
	return causeMark{Name: c.name, Size: c.size, Sum: c.sum}, nil
}

// create begins the file anew with all entries of the table.
func (c *causeFile) create(all *causes) error {
	c.size, c.sum = 0, 0
	f, err := c.fs.open(c.name, os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	c.f = f
	if err := f.Truncate(0); err != nil {
		return err
	}
	b := append(make([]byte, 0, causeBlock+causeEntry), causeMagic...)
	b = append(b, all.salt[:]...)
	for hash, off := range all.all() {
		if b = appendCause(b, hash, off); len(b) >= causeBlock {
			if err := c.write(b); err != nil {
				return err
			}
			b = b[:0]
		}
	}
	return c.write(b)
}

func (c *causeFile) write(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	if _, err := c.f.Write(b); err != nil {
		return err
	}
	c.size += int64(len(b))
	c.sum = updateSum(c.sum, b)
	return nil
}

// fail gives the file up; the next save begins a new one.
func (c *causeFile) fail(err error) error {
	err = errors.Join(fmt.Errorf("write %s: %w", c.name, err), c.close())
	c.pending = nil
	return err
}

func (c *causeFile) close() error {
	if c.f == nil {
		return nil
	}
	f := c.f
	c.f = nil
	return f.Close()
}

var errStaleCauses = errors.New("does not match its checkpoint")

// loadCauses reads the cause file that mark vouches for. With write it goes on
// as the file of the segment, cut to what the mark covers.
func loadCauses(fs logFS, mark causeMark, write bool) (*causes, *causeFile, error) {
	flag := os.O_RDONLY
	if write {
		flag = os.O_RDWR | os.O_APPEND
	}
	f, err := fs.open(mark.Name, flag)
	if err != nil {
		return nil, nil, err
	}
	c, err := readCauses(f, mark)
	if err == nil && write {
		err = f.Truncate(mark.Size)
	}
	if err != nil || !write {
		return c, nil, errors.Join(err, f.Close())
	}
	return c, &causeFile{fs: fs, name: mark.Name, f: f, size: mark.Size, sum: mark.Sum}, nil
}

func readCauses(f logFile, mark causeMark) (*causes, error) {
	if mark.Size < int64(causeHeader) || (mark.Size-int64(causeHeader))%causeEntry != 0 {
		return nil, errStaleCauses
	}
	r := io.NewSectionReader(f, 0, mark.Size)
	head := make([]byte, causeHeader)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(head, []byte(causeMagic)) {
		return nil, errStaleCauses
	}
	c := new(causes)
	c.reserve((mark.Size - int64(causeHeader)) / causeEntry)
	copy(c.salt[:], head[len(causeMagic):])
	sum := updateSum(0, head)
	buf := make([]byte, causeBlock/causeEntry*causeEntry)
	for left := mark.Size - int64(causeHeader); left > 0; {
		b := buf[:min(left, int64(len(buf)))]
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, err
		}
		sum = updateSum(sum, b)
		left -= int64(len(b))
		for ; len(b) > 0; b = b[causeEntry:] {
			off := binary.LittleEndian.Uint64(b[4:])
			if off >= 1<<offsetBits-1 {
				return nil, errStaleCauses
			}
			c.add(binary.LittleEndian.Uint32(b), int64(off))
		}
	}
	if sum != mark.Sum {
		return nil, errStaleCauses
	}
	return c, nil
}
