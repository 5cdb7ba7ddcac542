package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// The families of records, as they are named in messages.
const (
	FamilyMessages     = "messages"
	FamilyInsights     = "insights"
	FamilySessionNotes = "session_notes"
	FamilyTagWeights   = "tag_weights"
	FamilyIndex        = "index"
)

// The schema version that is written today, per family. They stand here and
// nowhere else; every writer stamps its records with them (spec/outheis.md
// §2.9). The configuration is no record: its shapes are its loader's.
const (
	MessagesVersion     = 2
	InsightsVersion     = 1
	SessionNotesVersion = 1
	TagWeightsVersion   = 1
	IndexVersion        = 1
)

// A NewerError means that a record was written by a later outheis.
type NewerError struct {
	Family    string
	Found     int
	Supported int
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("unsupported version: %s record has version %d, this outheis reads up to %d", e.Family, e.Found, e.Supported)
}

// Upgrade returns raw, one JSON object, as an object of the family's current
// version, and the version that it had. A record without "v" has version 0.
//
// A current record is returned as it is, without a copy. An older one goes
// through one step a version; fields that no step knows keep their bytes and
// their place. raw itself and the file that it came from never change. A
// record of a later version is a [*NewerError].
func Upgrade(family string, raw []byte) (out []byte, from int, err error) {
	steps, err := migrations(family)
	if err != nil {
		return nil, 0, err
	}
	if isVersion(raw, len(steps)) {
		return raw, len(steps), nil
	}
	out, from, err = upgrade(family, steps, raw)
	if err != nil {
		return nil, from, fmt.Errorf("store: upgrade %s record: %w", family, err)
	}
	return out, from, nil
}

func upgrade(family string, steps []migration, raw []byte) ([]byte, int, error) {
	o, err := parseObject(raw)
	if err != nil {
		return nil, 0, err
	}
	from, err := o.version()
	switch {
	case err != nil:
		return nil, 0, err
	case from > len(steps):
		return nil, from, &NewerError{Family: family, Found: from, Supported: len(steps)}
	case from == len(steps):
		return raw, from, nil
	}
	for i, step := range steps[from:] {
		if err := step(o); err != nil {
			return nil, from, fmt.Errorf("step %d to %d: %w", from+i, from+i+1, err)
		}
		o.setVersion(from + i + 1)
	}
	return o.encode(), from, nil
}

// isVersion reports at the price of one comparison that raw is of the current
// version. It may answer no when it is.
func isVersion(raw []byte, version int) bool {
	const head = `{"v":`
	if version > 9 || len(raw) < len(head)+2 || string(raw[:len(head)]) != head {
		return false
	}
	return raw[len(head)] == byte('0'+version) && raw[len(head)+1] == ','
}

// A migration changes a record of version n into one of version n+1. It does
// not set the version.
type migration func(*object) error

// migrations returns the steps of a family: the first leads from version 0 to
// 1, and there are as many as the current version says.
func migrations(family string) ([]migration, error) {
	switch family {
	case FamilyMessages:
		return []migration{messages0to1, messages1to2}, nil
	case FamilyInsights, FamilySessionNotes, FamilyTagWeights, FamilyIndex:
		return []migration{stampOnly}, nil
	}
	return nil, fmt.Errorf("store: upgrade: unknown record family %q", family)
}

// stampOnly is the step of families whose records of version 0 differ in
// nothing but the missing version.
func stampOnly(*object) error { return nil }

// messages0to1 turns a sender that is a plain string into an object.
func messages0to1(o *object) error {
	from, ok := o.get("from")
	if !ok || !bytes.HasPrefix(from, []byte(`"`)) {
		return nil
	}
	o.set("from", bytes.Join([][]byte{[]byte(`{"agent":`), from, []byte(`}`)}, nil))
	return nil
}

// messages1to2 gives every message a priority.
func messages1to2(o *object) error {
	if p, ok := o.get("priority"); !ok || string(p) == "null" {
		o.set("priority", []byte(`"normal"`))
	}
	return nil
}

// An object is a JSON object that keeps the order of its members and the
// bytes of their values.
type object struct{ members []member }

type member struct {
	key   string
	value json.RawMessage
}

func parseObject(raw []byte) (*object, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	if t != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	o := new(object)
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{key: key.(string)}
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		o.members = append(o.members, m)
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more than one JSON value")
	}
	return o, nil
}

// get returns the last member of that key, as encoding/json would.
func (o *object) get(key string) (json.RawMessage, bool) {
	for i := len(o.members) - 1; i >= 0; i-- {
		if o.members[i].key == key {
			return o.members[i].value, true
		}
	}
	return nil, false
}

func (o *object) set(key string, value []byte) {
	for i := len(o.members) - 1; i >= 0; i-- {
		if o.members[i].key == key {
			o.members[i].value = value
			return
		}
	}
	o.members = append(o.members, member{key, value})
}

func (o *object) version() (int, error) {
	raw, ok := o.get("v")
	if !ok {
		return 0, nil
	}
	v, err := strconv.Atoi(string(raw))
	if err != nil || v < 0 {
		return 0, fmt.Errorf("version %s is not a whole number", raw)
	}
	return v, nil
}

// setVersion stamps the object; a new stamp goes to the front, where readers
// look first.
func (o *object) setVersion(v int) {
	value := json.RawMessage(strconv.Itoa(v))
	if _, ok := o.get("v"); ok {
		o.set("v", value)
		return
	}
	o.members = append([]member{{"v", value}}, o.members...)
}

func (o *object) encode() []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o.members {
		if i > 0 {
			b.WriteByte(',')
		}
		writeString(&b, m.key)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// writeString writes s as JSON with non-ASCII characters as they are.
func writeString(b *bytes.Buffer, s string) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string into a buffer cannot fail
	b.Truncate(b.Len() - 1)
}
