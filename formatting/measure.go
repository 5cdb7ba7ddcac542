package formatting

import (
	"strconv"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// A Measure is the unit in which a network counts the length of a text. Each
// of them is additive: a text is as long as its pieces together, wherever it
// is cut between two code points.
type Measure int

// The measures that networks use; spec/channels.md section 6.
const (
	Runes        Measure = iota // code points: Discord, Mattermost
	Bytes                       // bytes of UTF-8: Signal
	UTF16                       // UTF-16 code units: offsets of entities
	RunesOrUTF16                // the larger of both: Telegram, which documents neither
)

// Of returns the length of s.
func (m Measure) Of(s string) int {
	switch m {
	case Bytes:
		return len(s)
	case UTF16, RunesOrUTF16: // UTF-16 is never the smaller one
		n := 0
		for _, r := range s {
			n++
			if r > 0xFFFF {
				n++
			}
		}
		return n
	default:
		return utf8.RuneCountInString(s)
	}
}

// ofBytes is Of for UTF-8 in bytes.
func (m Measure) ofBytes(s []byte) int {
	switch m {
	case Bytes:
		return len(s)
	case UTF16, RunesOrUTF16:
		n := 0
		for len(s) > 0 {
			r, size := utf8.DecodeRune(s)
			if n++; r > 0xFFFF {
				n++
			}
			s = s[size:]
		}
		return n
	default:
		return utf8.RuneCount(s)
	}
}

// String returns the unit's name.
func (m Measure) String() string {
	switch m {
	case Runes:
		return "code points"
	case Bytes:
		return "bytes"
	case UTF16:
		return "UTF-16 units"
	case RunesOrUTF16:
		return "code points or UTF-16 units"
	default:
		return "Measure(" + strconv.Itoa(int(m)) + ")"
	}
}

// clip returns the longest beginning of s that is at most n units long and
// ends at the border of a grapheme cluster.
func (m Measure) clip(s string, n int) string {
	if m.Of(s) <= n {
		return s
	}
	end, state := 0, -1
	for rest := s; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if n -= m.Of(cluster); n < 0 {
			break
		}
		end += len(cluster)
	}
	return s[:end]
}

// cells returns how many columns of a monospaced grid s takes.
func cells(s string) int {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7E {
			return uniseg.StringWidth(s)
		}
	}
	return len(s)
}
