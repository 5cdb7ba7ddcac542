package store

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
	"unicode/utf8"
)

// Facts is what the log knows of a line without decoding its payload. Ref is
// payload.ref: the record that an event is about.
type Facts struct {
	V            int
	Seq          uint64
	ID           string
	At           time.Time
	Conversation string
	Cause        string
	To           string
	Type         string
	Intent       string
	ReplyTo      string
	Ref          string
}

// fields are the facts as they stand in a line; the slices point into it.
type fields struct {
	v       int
	seq     uint64
	hasSeq  bool
	sealed  bool // there is a key "c"
	carried bool // copied by a rotation
	lossy   bool

	id, at, conversation, cause, to, typ, intent, replyTo, ref []byte
}

// scanFields reads the top-level fields of the JSON object line, and
// payload.ref, without decoding the rest. Like encoding/json it takes the last
// of repeated keys. line must be valid JSON; for other bytes the answer means
// nothing, but it comes.
func scanFields(line []byte, f *fields) bool {
	*f = fields{}
	return scanObject(line, func(key, value []byte) {
		switch string(key) {
		case "v":
			n, _ := scanUint(value)
			f.v = int(min(n, 1<<30))
		case "seq":
			f.seq, f.hasSeq = scanUint(value)
		case "id":
			f.id = scanString(value)
		case "at":
			f.at = scanString(value)
		case "conversation_id":
			f.conversation = scanString(value)
		case "cause":
			f.cause = scanString(value)
		case "to":
			f.to = scanString(value)
		case "type":
			f.typ = scanString(value)
		case "intent":
			f.intent = scanString(value)
		case "reply_to":
			f.replyTo = scanString(value)
		case "payload":
			f.ref = nil
			scanObject(value, func(key, value []byte) {
				if string(key) == "ref" {
					f.ref = scanString(value)
				}
			})
		case "carried":
			f.carried = string(value) == "true"
		case "lossy":
			f.lossy = true
		case "c":
			f.sealed = true
		}
	})
}

// facts copies f out of the line in one allocation for the strings that differ
// from line to line.
func (f *fields) facts() Facts {
	parts := [...][]byte{f.id, f.conversation, f.cause, f.replyTo, f.ref}
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	b := make([]byte, 0, n)
	for _, p := range parts {
		b = append(b, p...)
	}
	all, at := string(b), 0
	next := func(p []byte) string {
		at += len(p)
		return all[at-len(p) : at]
	}
	return Facts{
		V: f.v, Seq: f.seq, At: f.time(),
		ID: next(f.id), Conversation: next(f.conversation), Cause: next(f.cause),
		ReplyTo: next(f.replyTo), Ref: next(f.ref),
		To: intern(f.to), Type: intern(f.typ), Intent: intern(f.intent),
	}
}

// time returns when the line was written; zero when it does not say.
func (f *fields) time() time.Time {
	if len(f.at) == 0 {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, string(f.at))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// intern returns the words that stand in nearly every line without an
// allocation.
func intern(b []byte) string {
	switch string(b) {
	case "":
		return ""
	case "request":
		return "request"
	case "response":
		return "response"
	case "event":
		return "event"
	case "dispatcher":
		return "dispatcher"
	case "transport":
		return "transport"
	case "relay":
		return "relay"
	case "tresor":
		return "tresor"
	case "done":
		return "done"
	case "delivery.try":
		return "delivery.try"
	case "delivery.ok":
		return "delivery.ok"
	}
	return string(b)
}

// scanObject calls visit for each member of the JSON object b with its key,
// unquoted, and the bytes of its value. It reports whether b is one object as
// far as it looked.
func scanObject(b []byte, visit func(key, value []byte)) bool {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != '{' {
		return false
	}
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return skipSpace(b, i+1) == len(b)
	}
	for i < len(b) && b[i] == '"' {
		end := skipString(b, i)
		if end < 0 {
			return false
		}
		key := b[i+1 : end-1]
		if bytes.IndexByte(key, '\\') >= 0 {
			key = scanString(b[i:end])
		}
		if i = skipSpace(b, end); i >= len(b) || b[i] != ':' {
			return false
		}
		i = skipSpace(b, i+1)
		if end = skipValue(b, i); end < 0 {
			return false
		}
		visit(key, b[i:end])
		if i = skipSpace(b, end); i >= len(b) {
			return false
		}
		switch b[i] {
		case ',':
			i = skipSpace(b, i+1)
		case '}':
			return skipSpace(b, i+1) == len(b)
		default:
			return false
		}
	}
	return false
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// skipString returns the index behind the string that begins at b[i], or -1.
func skipString(b []byte, i int) int {
	for j := i + 1; ; {
		k := bytes.IndexByte(b[j:], '"')
		if k < 0 {
			return -1
		}
		j += k
		if backslashes(b[i+1:j])%2 == 0 {
			return j + 1
		}
		j++
	}
}

// skipValue returns the index behind the value that begins at b[i], or -1.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	start := i
	for i < len(b) {
		switch b[i] {
		case ',', '}', ']', ' ', '\t', '\r', '\n':
			if i == start {
				return -1
			}
			return i
		}
		i++
	}
	return i
}

func skipNested(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			if i = skipString(b, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

// scanString returns the content of the JSON string value, or nil when it is
// not a string. Only a string with escapes is copied.
func scanString(value []byte) []byte {
	if len(value) < 2 || value[0] != '"' {
		return nil
	}
	s := value[1 : len(value)-1]
	if bytes.IndexByte(s, '\\') < 0 && utf8.Valid(s) {
		return s
	}
	var out string
	if json.Unmarshal(value, &out) != nil {
		return nil
	}
	return []byte(out)
}

// scanUint reads a whole number without sign.
func scanUint(value []byte) (uint64, bool) {
	if len(value) == 0 || len(value) > 20 || value[0] < '0' || value[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(value), 10, 64)
	if err != nil {
		return 0, false // beyond the range it is the largest number
	}
	return n, true
}
