package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"time"
	"unicode/utf8"
)

const (
	// maxLine is the longest line that is appended, in bytes without its LF.
	// Longer text belongs into a blob (spec/reliability.md §1.4).
	maxLine = 256 << 10
	// maxRead is the longest line that is read: what older programs wrote was
	// up to 1 MiB. Longer ones are skipped and reported.
	maxRead = 1 << 20

	sealStart = `,"c":"`
	sealEnd   = `"}`
	sealLen   = len(sealStart) + 8 + len(sealEnd)

	carriedMark = `,"carried":true`
	lossyMark   = `,"lossy":true`

	// lineStart begins every line that we write.
	lineStart = `{"v":`
)

// castagnoli is the polynomial of the seal; the table never changes.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// updateSum returns the checksum of b behind bytes whose checksum is sum.
func updateSum(sum uint32, b []byte) uint32 { return crc32.Update(sum, castagnoli, b) }

// appendSeal closes the JSON object b, whose last brace is still missing, with
// the checksum over all bytes before it.
func appendSeal(b []byte, start int) []byte {
	sum := checksum(b[start:])
	b = append(b, sealStart...)
	for shift := 28; shift >= 0; shift -= 4 {
		b = append(b, "0123456789abcdef"[sum>>shift&15])
	}
	return append(b, sealEnd...)
}

// isSealed reports whether line ends with the right checksum. It damages no
// trust to say what it is not: a checksum shows damage, not who wrote the line.
func isSealed(line []byte) bool {
	n := len(line) - sealLen
	if n < 1 || string(line[n:n+len(sealStart)]) != sealStart || string(line[len(line)-len(sealEnd):]) != sealEnd {
		return false
	}
	sum, ok := parseSum(line[n+len(sealStart) : len(line)-len(sealEnd)])
	return ok && sum == checksum(line[:n])
}

func parseSum(b []byte) (sum uint32, ok bool) {
	for _, c := range b {
		switch {
		case '0' <= c && c <= '9':
			sum = sum<<4 | uint32(c-'0')
		case 'a' <= c && c <= 'f':
			sum = sum<<4 | uint32(c-'a'+10)
		default:
			return 0, false
		}
	}
	return sum, len(b) == 8
}

// appendLine appends to b the complete line of a record: the stamped head, the
// body as encodeBody made it, the seal and LF.
func appendLine(b []byte, h Head, body []byte) []byte {
	start := len(b)
	b = append(b, lineStart...)
	b = strconv.AppendInt(b, int64(h.V), 10)
	b = append(b, `,"seq":`...)
	b = strconv.AppendUint(b, h.Seq, 10)
	b = append(b, `,"id":"`...)
	b = append(b, h.ID...)
	b = append(b, `","at":"`...)
	b = h.At.AppendFormat(b, timeLayout)
	b = append(b, '"')
	b = append(b, body[:len(body)-1]...)
	return append(appendSeal(b, start), '\n')
}

// appendCarried appends the sealed line with the mark that it was copied from
// the segment before, keeping every other byte.
func appendCarried(b, line []byte, f *fields) []byte {
	start := len(b)
	b = append(b, line[:len(line)-sealLen]...)
	if !f.carried {
		b = append(b, carriedMark...)
	}
	return append(appendSeal(b, start), '\n')
}

// zeroHead is how encoding/json begins a record whose Head is zero.
const zeroHead = `{"v":0,"seq":0,"id":"","at":"0001-01-01T00:00:00.000Z"`

var errHeadNotFirst = errors.New("record does not embed store.Head as its first field")

// encodeBody encodes rec, whose Head is zero, and returns what follows the
// head: ",…}" or "}". Controls and the characters at which other programs
// break lines are escaped. Bytes that are not UTF-8 become U+FFFD, and the
// record says so with "lossy":true.
func encodeBody(rec any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(rec); err != nil {
		return nil, err
	}
	b, ok := bytes.CutPrefix(bytes.TrimSuffix(buf.Bytes(), []byte("\n")), []byte(zeroHead))
	if !ok || len(b) == 0 || b[0] != ',' && b[0] != '}' {
		return nil, errHeadNotFirst
	}
	lossy := hasReplacement(b)
	if !utf8.Valid(b) { // only what a json.RawMessage brought along
		b, lossy = bytes.ToValidUTF8(b, []byte(`\ufffd`)), true
	}
	b = escapeBreaks(b)
	if lossy {
		b = append(append(b[:len(b)-1:len(b)-1], lossyMark...), '}')
	}
	return b, nil
}

// hasReplacement reports whether encoding/json replaced bytes of a string: it
// writes the escape then, and never for a real U+FFFD.
func hasReplacement(b []byte) bool {
	const escape = `\ufffd`
	for at := 0; ; {
		i := bytes.Index(b[at:], []byte(escape))
		if i < 0 {
			return false
		}
		i += at
		if backslashes(b[:i])%2 == 0 {
			return true
		}
		at = i + len(escape)
	}
}

// backslashes counts the backslashes at the end of b.
func backslashes(b []byte) int {
	n := 0
	for n < len(b) && b[len(b)-1-n] == '\\' {
		n++
	}
	return n
}

// escapeBreaks escapes what encoding/json leaves literal: DEL, the C1 controls
// with U+0085, and U+2028 and U+2029 inside a json.RawMessage. All of them can
// only stand inside a string.
func escapeBreaks(b []byte) []byte {
	if bytes.IndexByte(b, 0x7F) < 0 && bytes.IndexByte(b, 0xC2) < 0 && bytes.IndexByte(b, 0xE2) < 0 {
		return b
	}
	out := make([]byte, 0, len(b)+16)
	for i := 0; i < len(b); {
		if b[i] < 0x7F {
			out = append(out, b[i])
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r <= 0x9F || r == 0x2028 || r == 0x2029 {
			out = fmt.Appendf(out, `\u%04x`, r)
		} else {
			out = append(out, b[i:i+n]...)
		}
		i += n
	}
	return out
}

// timeLayout is RFC 3339 in UTC with exactly milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z"

// A Time is a point in time as the log writes it: RFC 3339, UTC, milliseconds.
type Time struct{ time.Time }

// NewTime returns t in UTC, cut to milliseconds.
func NewTime(t time.Time) Time { return Time{t.UTC().Truncate(time.Millisecond)} }

// MarshalJSON implements [json.Marshaler].
func (t Time) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, len(timeLayout)+2), '"')
	return append(t.UTC().AppendFormat(b, timeLayout), '"'), nil
}

// UnmarshalJSON implements [json.Unmarshaler]. Besides our own form it reads
// RFC 3339 with any offset and seconds since 1970, as older records have them.
func (t *Time) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	if s, ok := bytes.CutPrefix(b, []byte(`"`)); ok {
		p, err := time.Parse(time.RFC3339Nano, string(bytes.TrimSuffix(s, []byte(`"`))))
		if err != nil {
			return err
		}
		*t = Time{p.UTC()}
		return nil
	}
	secs, err := strconv.ParseFloat(string(b), 64)
	if err != nil || secs < 0 || secs > 1<<36 {
		return fmt.Errorf("%.40q is no time", b)
	}
	*t = Time{time.UnixMilli(int64(secs * 1000)).UTC()}
	return nil
}

// epochMilli is the zero of the ids: 2024-01-01 in milliseconds since 1970
// (spec/outheis.md §2.2).
const epochMilli = 1704067200000

// formatID writes an id as 19 digits, so that the order of the strings is the
// order of the numbers.
func formatID(id uint64) string {
	var b [19]byte
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = byte('0' + id%10)
		id /= 10
	}
	return string(b[:])
}

// parseID reads an id; 0 when s is none.
func parseID(s []byte) uint64 {
	id, err := strconv.ParseUint(string(s), 10, 63)
	if err != nil {
		return 0
	}
	return id
}
