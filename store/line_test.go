package store

import (
	"bytes"
	"encoding/json"
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestSealIsOverAllBytesBeforeIt(t *testing.T) {
	line := strings.TrimSuffix(sealedLine(7, "tg:1", "ä"), "\n")
	before, sum, ok := strings.Cut(line, `,"c":"`)
	if !ok || !strings.HasSuffix(sum, `"}`) || len(sum) != 10 {
		t.Fatalf("got %s, want a seal at the end", line)
	}
	// The reckoning of a reader that knows nothing of us.
	if got, want := sum[:8], crc32.Checksum([]byte(before), crc32.MakeTable(crc32.Castagnoli)); got != hex8(want) {
		t.Errorf("got %s, want %s", got, hex8(want))
	}
	for i := range line {
		b := []byte(line)
		if b[i] ^= 1; isSealed(b) {
			t.Errorf("byte %d changed and still sealed: %s", i, b)
		}
	}
	for _, s := range []string{"", "{}", `,"c":"00000000"}`, `{"a":1,"c":"ABCDEF01"}`, `{"a":1,"c":"abc"}`} {
		if isSealed([]byte(s)) {
			t.Errorf("%q is sealed", s)
		}
	}
}

func hex8(n uint32) string {
	b := make([]byte, 0, 8)
	for shift := 28; shift >= 0; shift -= 4 {
		b = append(b, "0123456789abcdef"[n>>shift&15])
	}
	return string(b)
}

// TestEncodedLinesAreReadBack: whatever a text holds, a record is one line of
// valid JSON without characters at which programs break lines, and what is
// read back is what was written.
func TestEncodedLinesAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := simRecord{
			Cause:   rapid.String().Draw(t, "cause"),
			Type:    rapid.SampledFrom([]string{"request", "response", "event"}).Draw(t, "type"),
			Payload: simPayload{Text: rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.RuneFrom([]rune("\u0000\n\r\u007f\u0085\u009b\u2028\u2029\ufffd\\\"<&äß😀")))).Draw(t, "text")},
		}
		body, err := encodeBody(&r)
		if err != nil {
			t.Fatal(err)
		}
		s := stamp{seq: rapid.Uint64().Draw(t, "seq"), id: 5, at: time.UnixMilli(1809153660112).UTC()}
		line := appendLine([]byte("before"), s.head(2), body)[len("before"):]
		text := strings.TrimSuffix(string(line), "\n")
		if strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 || r >= 0x7F && r < 0xA0 || r == 0x2028 || r == 0x2029 }) {
			t.Fatalf("a control in %q", text)
		}
		var f fields
		if classify([]byte(text), 2, &f) != intact || f.lossy {
			t.Fatalf("not intact: %s", text)
		}
		var got simRecord
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		r.Head = s.head(2)
		if got != r || f.facts().Cause != r.Cause || f.seq != s.seq {
			t.Fatalf("got %+v, want %+v", got, r)
		}
		carried := appendCarried(nil, []byte(text), &f)
		if classify(bytes.TrimSuffix(carried, []byte("\n")), 2, &f) != intact || !f.carried {
			t.Fatalf("not carried: %s", carried)
		}
		if again := appendCarried(nil, bytes.TrimSuffix(carried, []byte("\n")), &f); !bytes.Equal(again, carried) {
			t.Fatalf("carried twice: %s", again)
		}
	})
}

func TestTimesOfOlderRecords(t *testing.T) {
	want := time.Date(2027, 5, 1, 6, 41, 0, 112_000_000, time.UTC)
	for _, s := range []string{`"2027-05-01T06:41:00.112Z"`, `"2027-05-01T08:41:00.112+02:00"`, `1809153660.112`} {
		var got Time
		if err := json.Unmarshal([]byte(s), &got); err != nil || !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("%s: got %v, %v", s, got, err)
		}
	}
	for _, s := range []string{`"gestern"`, `-1`, `1e300`, `true`} {
		var got Time
		if err := json.Unmarshal([]byte(s), &got); err == nil {
			t.Errorf("%s: got %v, want an error", s, got)
		}
	}
	if b, err := json.Marshal(NewTime(want.Add(300 * time.Microsecond))); err != nil || string(b) != `"2027-05-01T06:41:00.112Z"` {
		t.Errorf("got %s, %v", b, err)
	}
}

// FuzzScanLine compares the scanner of top-level fields with encoding/json.
func FuzzScanLine(f *testing.F) {
	f.Add([]byte(strings.TrimSuffix(sealedLine(7, "tg:1", "ä"), "\n")))
	f.Add([]byte(`{"\u0063ause":"a\"b","payload":{"x":{"ref":1},"ref":"r"},"seq":18446744073709551615,"v":-1}`))
	f.Add([]byte(` {"cause":"a","cause":null,"to":["}"],"type":"\ud800","payload":[],"c":{}} `))
	f.Add([]byte(`{"payload":{"ref":"a"},"payload":{"ref":["b"]},"seq":1.0,"carried":true}`))
	f.Add([]byte(`{}`))
	f.Add([]byte(`{"a":"\\","at":"2026-11-30T14:03:11.482Z"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var got fields
		ok := scanFields(line, &got)
		var want map[string]json.RawMessage
		if json.Unmarshal(line, &want) != nil || want == nil {
			return // it only had to come back
		}
		if !ok {
			t.Fatalf("not scanned: %s", line)
		}
		facts := got.facts()
		text := func(m map[string]json.RawMessage, key string) string {
			var s string
			if v := m[key]; len(v) > 0 && v[0] == '"' {
				_ = json.Unmarshal(v, &s)
			}
			return s
		}
		var payload map[string]json.RawMessage
		_ = json.Unmarshal(want["payload"], &payload)
		for name, pair := range map[string][2]string{
			"id": {facts.ID, text(want, "id")}, "conversation_id": {facts.Conversation, text(want, "conversation_id")},
			"cause": {facts.Cause, text(want, "cause")}, "to": {facts.To, text(want, "to")}, "type": {facts.Type, text(want, "type")},
			"intent": {facts.Intent, text(want, "intent")}, "reply_to": {facts.ReplyTo, text(want, "reply_to")},
			"payload.ref": {facts.Ref, text(payload, "ref")},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s: got %q, want %q", name, pair[0], pair[1])
			}
		}
		var seq uint64
		if json.Unmarshal(want["seq"], &seq) != nil {
			seq = 0
		}
		if facts.Seq != seq && !strings.ContainsAny(string(want["seq"]), "eE.") {
			t.Errorf("seq: got %d, want %d", facts.Seq, seq)
		}
	})
}

// FuzzSalvage looks for sealed lines in any bytes around them.
func FuzzSalvage(f *testing.F) {
	f.Add([]byte("abc"), []byte(`{"v":`), uint8(1))
	f.Add([]byte(`{"v":2,"c":"00000000"}`), []byte(`,"c":"`), uint8(9))
	f.Fuzz(func(t *testing.T, before, after []byte, n uint8) {
		if len(before)+len(after) > 100_000 || bytes.ContainsAny(before, "\n") || bytes.ContainsAny(after, "\n") {
			return
		}
		line := strings.TrimSuffix(sealedLine(uint64(n), "cause", "text"), "\n")
		glued := string(before) + line + string(after)
		if !isBlank(before) && json.Valid([]byte(glued)) {
			return // it is a part of an object of somebody else
		}
		found := false
		s := scanner{r: strings.NewReader(glued + "\n"), version: 2, visit: func(l *scanned) error {
			if l.standing == intact && string(l.line) == line {
				found = true
				got, ok, err := readSealed(strings.NewReader(glued+"\n"), l.off)
				if err != nil || !ok || string(got) != line {
					t.Errorf("read at %d: got %q, %v, %v", l.off, got, ok, err)
				}
			}
			return nil
		}}
		if _, err := s.scan(0, int64(len(glued))+1); err != nil {
			t.Fatal(err)
		}
		// Unless the bytes around it make it a part of something sealed.
		if !found && !isSealed([]byte(glued)) {
			t.Errorf("not found in %q", glued)
		}
	})
}
