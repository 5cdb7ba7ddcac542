package store

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"iter"
	"slices"
)

// causes maps the causes of a segment's lines to the offsets of the lines, in
// 8 to 24 bytes a line. It keeps a hash of 32 bits of each cause, so an answer
// is a candidate that the caller confirms by reading the line.
//
// The hash is salted, because causes hold what strangers choose: without the
// salt they could choose thousands with the same hash.
type causes struct {
	salt   [saltLen]byte
	shards [256]shard // by the first 8 bits of the hash; each grows by itself
	n      int
}

const saltLen = 16

// A shard is a table with linear probing. A slot is 0 when free, otherwise the
// remaining 24 bits of the hash above 40 bits of offset+1.
type shard struct {
	slots []uint64
	n     int
}

const offsetBits = 40

func newCauses() *causes {
	c := new(causes)
	_, _ = rand.Read(c.salt[:]) // never fails
	return c
}

// reserve makes room for n causes in a table that is empty, so that it need not
// grow step by step.
func (c *causes) reserve(n int64) {
	if n < 4096 {
		return
	}
	size := 8
	for 3*int64(size)*int64(len(c.shards)) < 4*n {
		size *= 2
	}
	for i := range c.shards {
		c.shards[i].slots = make([]uint64, size)
	}
}

// hash returns the hash of cause under the table's salt.
func (c *causes) hash(cause []byte) uint32 {
	var stack [128]byte
	b := append(append(stack[:0], c.salt[:]...), cause...)
	sum := sha256.Sum256(b)
	return binary.LittleEndian.Uint32(sum[:4])
}

// add notes that a line at off has a cause with this hash.
func (c *causes) add(hash uint32, off int64) {
	c.shards[hash>>24].add(uint64(hash&0xFFFFFF), uint64(off)+1)
	c.n++
}

func (s *shard) add(tag, value uint64) {
	if 4*(s.n+1) > 3*len(s.slots) {
		old := s.slots
		s.slots = make([]uint64, max(8, 2*len(old)))
		for _, slot := range old {
			if slot != 0 {
				s.put(slot)
			}
		}
	}
	s.put(tag<<offsetBits | value)
	s.n++
}

func (s *shard) put(slot uint64) {
	mask := uint64(len(s.slots) - 1)
	i := slot >> offsetBits & mask
	for s.slots[i] != 0 {
		i = (i + 1) & mask
	}
	s.slots[i] = slot
}

// candidates returns the offsets of the lines whose cause may have this hash,
// the first in the segment first. It is nearly always none or one.
func (c *causes) candidates(hash uint32) []int64 {
	var offs []int64
	s, tag := &c.shards[hash>>24], uint64(hash&0xFFFFFF)
	if s.n == 0 {
		return nil
	}
	mask := uint64(len(s.slots) - 1)
	for i := tag & mask; s.slots[i] != 0; i = (i + 1) & mask {
		if s.slots[i]>>offsetBits == tag {
			offs = append(offs, int64(s.slots[i]&(1<<offsetBits-1))-1)
		}
	}
	slices.Sort(offs)
	return offs
}

// all yields every hash with its offset, in no order.
func (c *causes) all() iter.Seq2[uint32, int64] {
	return func(yield func(uint32, int64) bool) {
		for i := range c.shards {
			for _, slot := range c.shards[i].slots {
				hash := uint32(i)<<24 | uint32(slot>>offsetBits)
				if slot != 0 && !yield(hash, int64(slot&(1<<offsetBits-1))-1) {
					return
				}
			}
		}
	}
}
