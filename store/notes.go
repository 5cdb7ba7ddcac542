package store

import (
	"encoding/json"
	"fmt"
)

// The intents of the lines that the log writes about itself.
const (
	intentDamage  = "damage"
	intentRepair  = "repair"
	intentClock   = "clock"
	intentSegment = "segment"
)

// A note is a line of the log about itself that waits to be written before the
// next record.
type note struct{ body []byte }

// noteBody has the fields of a record in their order (design: architecture.md,
// records).
type noteBody struct {
	Head
	Conversation string            `json:"conversation_id"`
	From         map[string]string `json:"from"`
	To           string            `json:"to"`
	Type         string            `json:"type"`
	Intent       string            `json:"intent"`
	Payload      any               `json:"payload"`
	Priority     string            `json:"priority"`
}

// note queues a line about the log.
func (j *journal) note(intent string, payload any) {
	j.notes = append(j.notes, newNote(intent, payload))
}

func newNote(intent string, payload any) note {
	body, err := encodeBody(noteBody{
		Conversation: "system", From: map[string]string{"agent": "store"}, To: "dispatcher",
		Type: "event", Intent: intent, Payload: payload, Priority: "normal",
	})
	if err != nil {
		panic(fmt.Sprintf("store: encode a %s event: %v", intent, err)) // our own types
	}
	return note{body}
}

// A clockNote says that somebody set the clock.
type clockNote struct {
	Step int64 `json:"step_ms"`
}

// A repairNote says what was done to the file's end.
type repairNote struct {
	What       string `json:"what"` // "torn", "degraded", "resumed"
	Why        string `json:"why,omitempty"`
	At         int64  `json:"at"`
	Bytes      int64  `json:"bytes"` // cut off
	Quarantine string `json:"quarantine,omitempty"`
}

// A damageNote lists places of the segment in which it stands.
type damageNote struct {
	Places []place `json:"places"`
}

// The kinds of place, besides the standings.
const (
	kindGap       = "gap"       // lines are missing
	kindRepeat    = "repeat"    // a seq that was there before
	kindForeign   = "foreign"   // another program wrote
	kindTruncated = "truncated" // another program cut the file
	kindReplaced  = "replaced"  // another program put a file in place of ours
)

// A place is where a segment is not as the log wrote it.
type place struct {
	Kind       string     `json:"kind"`
	At         int64      `json:"at"`
	Len        int64      `json:"len"`
	Missing    *[2]uint64 `json:"seq_missing,omitempty"` // first and last
	Quarantine string     `json:"quarantine,omitempty"`
}

// covers reports whether p is about the same and at least as much.
func (p place) covers(q place) bool {
	return p.Kind == q.Kind && p.At <= q.At && q.At+q.Len <= p.At+p.Len
}

// placesPerNote keeps the lines about damage short.
const placesPerNote = 200

func (j *journal) noteDamage(places ...place) {
	for len(places) > 0 {
		n := min(len(places), placesPerNote)
		j.note(intentDamage, damageNote{places[:n]})
		places = places[n:]
	}
}

// A segmentNote is the first line of every segment but the first.
type segmentNote struct {
	Prev    string `json:"prev"`
	LastSeq uint64 `json:"prev_last_seq"`
	SHA256  string `json:"prev_sha256,omitempty"`
}

// notePayload decodes the payload of a line of the log about itself.
func notePayload(line []byte, payload any) error {
	return json.Unmarshal(line, &struct {
		Payload any `json:"payload"`
	}{payload})
}
