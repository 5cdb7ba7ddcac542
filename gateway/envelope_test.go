package gateway_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"outheis/agents"
	"outheis/channels"
	"outheis/gateway"
	"outheis/store"
)

// full is an envelope in which every field is set.
func full(t testing.TB) gateway.Envelope {
	t.Helper()
	answer, err := echo(t.Context(), agents.Request{Text: "Wann?"})
	if err != nil {
		t.Fatal(err)
	}
	e := gateway.Envelope{
		Head: store.Head{V: 2, Seq: 7, ID: "0440764559995719680", At: store.NewTime(now)}, Conversation: "conv_5b1e90a7c2d4", Cause: "net/main/u:1",
		From: gateway.From{User: &gateway.User{Channel: "net", Account: "main", Identity: "7", Name: "Ole", Mixed: true}},
		To:   "tresor", Type: gateway.TypeRequest, Intent: "notice", ReplyTo: "0440764559995719679", Priority: gateway.PriorityNormal,
		Payload: gateway.Payload{
			Text: "Wann?", Raw: "sha256:00", Message: "11", Address: address(t, "7", "8"), Audience: channels.Direct, Space: "500", Role: agents.RoleUser, Lang: "de",
			Scope: "handbuch", Asked: now, Unread: "photo", Notice: gateway.ReasonQuota, Name: "x", Until: now,
			Answer: &answer, Failure: &gateway.Failure{Status: agents.StatusFailed, Code: "failed", Text: "x", Incident: "A1B2C"},
			Ref: "0440764559995719680", Part: 1, Try: 2, Key: "k-1", Remote: "99", Class: channels.Gone, Markup: true, After: 3000,
			Moved: address(t, "-100", ""), Error: "x", End: gateway.EndSent,
			Files: []gateway.KeptFile{{File: channels.File{Ref: "r", Name: "a.pdf", MIME: "application/pdf", Size: 3}, Blob: store.Blob{Hash: "ab", Size: 3}, Lost: gateway.FileFailed}},
			Mark:  gateway.MarkDown, Why: "wrong", Number: 2, By: gateway.ByButton, Event: "net/main/u:2",
			Origin: "net/main/u:1", Edits: []string{"99"},
		},
	}
	if err := json.Unmarshal([]byte(`{"parts":[{"text":"<b>x</b>","plain":"x","mode":"HTML"}]}`), &e.Payload.Reply); err != nil {
		t.Fatal(err)
	}
	e.Payload.Instead = e.Payload.Reply
	return e
}

func TestEnvelopeRoundTrip(t *testing.T) {
	want := full(t)
	v := reflect.ValueOf(want.Payload)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("the test leaves %s empty", v.Type().Field(i).Name)
		}
	}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got gateway.Envelope
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(got)
	if err != nil || !bytes.Equal(again, b) {
		t.Errorf("read back and written again: %v\n%s\nwant\n%s", err, again, b)
	}
	for _, member := range []string{`"text":"Wann?"`, `"parts":[`, `"ref":"0440764559995719680"`, `"address":{"channel":"net"`} {
		if !strings.Contains(string(b), member) {
			t.Errorf("payload lacks %s: %s", member, b)
		}
	}
	empty, err := json.Marshal(gateway.Envelope{Type: gateway.TypeEvent})
	if err != nil || !bytes.HasSuffix(empty, []byte(`"from":{},"type":"event","payload":{}}`)) {
		t.Errorf("an empty envelope is written as %s, %v", empty, err)
	}
}

// Whatever stands in a line, reading it does not fail badly, and what was read
// is written and read again as the same.
func FuzzEnvelope(f *testing.F) {
	b, err := json.Marshal(full(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	for _, s := range []string{
		`{"v":2,"type":"request","to":"dispatcher","from":{"user":{"channel":"signal"}},"payload":{"text":"alt"},"timestamp":1809153660.112}`,
		`{"payload":{"address":null,"answer":null,"parts":null}}`, `{"payload":{"answer":{"status":"ok"}}}`, `{"payload":7}`, `{"at":12}`, `[]`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var e gateway.Envelope
		if json.Unmarshal(line, &e) != nil {
			return
		}
		b, err := json.Marshal(e)
		if err != nil {
			return // as an answer that says nothing
		}
		var again gateway.Envelope
		if err := json.Unmarshal(b, &again); err != nil {
			t.Fatalf("%s\nis written as\n%s\nand not read: %v", line, b, err)
		}
		b2, err := json.Marshal(again)
		if err != nil || !bytes.Equal(b, b2) {
			t.Errorf("%s\nis written as\n%s\nand then as\n%s, %v", line, b, b2, err)
		}
	})
}

// An open line that is no usable request is left alone.
func TestUnusableOpenLines(t *testing.T) {
	inWorld(t, echo, func(t *testing.T, w *world) {})
	q := newMemory()
	if _, err := q.AppendAll(t.Context(), []gateway.Envelope{{Cause: "a", Type: gateway.TypeRequest}, {Cause: "b", Type: gateway.TypeRequest, To: "dispatcher", Payload: gateway.Payload{Text: "ohne Adresse"}}}); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, q, echo)
	w.start()
	w.end()
	if len(w.net.all()) != 0 || q.openCount() != 2 {
		t.Errorf("sent %q, %d open", w.net.seen(""), q.openCount())
	}
}
