package telegram_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"outheis/channels"
	"outheis/channels/telegram"
)

// decode returns the event of an update whose body after the id is given.
func decode(t *testing.T, body string) (channels.Event, bool) {
	t.Helper()
	e, ok, err := telegram.Event([]byte(`{"update_id":900,` + body + `}`))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return e, ok
}

const (
	adaUser = `"from":{"id":11,"is_bot":false,"first_name":"Ada","last_name":"B.","language_code":"de-CH"}`
	inChat  = `"chat":{"id":11,"type":"private"}`
	inGroup = `"chat":{"id":-100,"type":"supergroup","title":"Runde"}`
	inForum = `"chat":{"id":-200,"type":"supergroup","is_forum":true}`
)

func TestEventOfAMessage(t *testing.T) {
	e, ok := decode(t, `"message":{"message_id":5,"date":1700000000,`+adaUser+`,`+inChat+`,"text":"hallo"}`)
	want := channels.Event{
		Kind: channels.KindMessage, Key: "u:7:900", Address: e.Address, Audience: channels.Direct, Message: "5", Text: "hallo", Addressed: true,
		Actor: channels.Actor{ID: "11", Kind: channels.Person, Name: "Ada B.", Locale: "de-CH"}, At: time.Unix(1700000000, 0).UTC(),
	}
	if !ok || !reflect.DeepEqual(e, want) {
		t.Errorf("got %+v, %v\nwant %+v", e, ok, want)
	}
	a := e.Address
	if a.Channel() != "telegram" || a.Account() != "haupt" || a.Chat() != "11" || a.Thread() != "" || a.Private() != "" {
		t.Errorf("address %+v", a)
	}
}

// channels.md T7: is_topic_message tells a topic; message_thread_id alone may be a
// thread of replies.
func TestThreads(t *testing.T) {
	for _, tt := range []struct{ name, fields, chat, thread string }{
		{"a group's thread of replies is no topic", `"message_thread_id":55`, inGroup, ""},
		{"a topic", `"message_thread_id":55,"is_topic_message":true`, inForum, "55"},
		{"General with its id", `"message_thread_id":1,"is_topic_message":true`, inForum, "1"},
		{"General without id", `"x":0`, inForum, "1"},
		{"a reply in General", `"message_thread_id":55`, inForum, "1"},
		{"a topic of a direct chat", `"message_thread_id":9,"is_topic_message":true`, inChat, "9"},
		{"a direct chat", `"message_thread_id":9`, inChat, ""},
	} {
		e, ok := decode(t, `"message":{"message_id":5,"date":1,`+adaUser+`,`+tt.chat+`,`+tt.fields+`,"text":"x"}`)
		if !ok || e.Address.Thread() != tt.thread {
			t.Errorf("%s: thread %q, want %q", tt.name, e.Address.Thread(), tt.thread)
		}
	}
}

func TestActors(t *testing.T) {
	for _, tt := range []struct {
		name, fields string
		want         channels.Actor
	}{
		{"bot", `"from":{"id":9,"is_bot":true,"first_name":"R"}`, channels.Actor{ID: "9", Kind: channels.Bot, Name: "R"}},
		{"anonymous administrator", `"from":{"id":1087968824,"is_bot":true,"first_name":"Group"},"sender_chat":{"id":-100,"title":"Runde","type":"supergroup"},"author_signature":"Chefin"`, channels.Actor{Kind: channels.System, Name: "Chefin"}},
		{"person who writes as a channel", `"from":{"id":136817688,"is_bot":true,"first_name":"Channel"},"sender_chat":{"id":-1007,"title":"Kanal","type":"channel"}`, channels.Actor{Kind: channels.System, Name: "Kanal"}},
		{"linked channel", `"from":{"id":777000,"is_bot":false,"first_name":"Telegram"}`, channels.Actor{Kind: channels.System, Name: "Telegram"}},
		{"nobody", `"x":1`, channels.Actor{Kind: channels.System}},
		{"id zero", `"from":{"id":0,"first_name":"X"}`, channels.Actor{Kind: channels.System, Name: "X"}},
	} {
		e, ok := decode(t, `"message":{"message_id":5,"date":1,`+inGroup+`,`+tt.fields+`,"text":"x"}`)
		if !ok || e.Actor != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.name, e.Actor, tt.want)
		}
	}
}

func TestChannelPostIsBroadcast(t *testing.T) {
	post := `{"message_id":5,"date":1,"edit_date":2,"sender_chat":{"id":-1007,"title":"Kanal","type":"channel"},"chat":{"id":-1007,"type":"channel"},"text":"Neues"}`
	e, ok := decode(t, `"channel_post":`+post)
	if !ok || e.Audience != channels.Broadcast || e.Actor.Kind != channels.System || e.Actor.ID != "" || e.Addressed {
		t.Errorf("got %+v, %v", e, ok)
	}
	e, ok = decode(t, `"edited_channel_post":`+post)
	if !ok || e.Kind != channels.KindEdit || e.Audience != channels.Broadcast {
		t.Errorf("got %+v, %v", e, ok)
	}
}

// channels.md T12.
func TestEditKeys(t *testing.T) {
	edit := func(date int, text string) channels.Event {
		e, ok := decode(t, fmt.Sprintf(`"edited_message":{"message_id":5,"date":1700000000,"edit_date":%d,%s,%s,"text":%q}`, date, adaUser, inChat, text))
		if !ok {
			t.Fatal("no event")
		}
		return e
	}
	first := edit(1700000100, "eins")
	if again := edit(1700000100, "eins"); again.Key != first.Key {
		t.Errorf("the same edit has keys %s and %s", first.Key, again.Key)
	}
	for _, other := range []channels.Event{edit(1700000100, "zwei"), edit(1700000200, "eins")} {
		if other.Key == first.Key {
			t.Errorf("edits %+v and %+v share a key", first, other)
		}
	}
	if !first.At.Equal(time.Unix(1700000100, 0)) || !first.Posted.Equal(time.Unix(1700000000, 0)) {
		t.Errorf("edited %s, posted %s", first.At, first.Posted)
	}
}

func TestQuotesAndReplies(t *testing.T) {
	ours := `"reply_to_message":{"message_id":3,"from":{"id":7,"is_bot":true},"text":"Die Frist endet im Mai."}`
	for _, tt := range []struct {
		name, fields, quoted string
		addressed            bool
	}{
		{"reply to us", ours, "Die Frist endet im Mai.", true},
		{"chosen part", ours + `,"quote":{"text":"im Mai","is_manual":true}`, "im Mai", true},
		{"reply to somebody", `"reply_to_message":{"message_id":3,"from":{"id":12},"caption":"Bild"}`, "Bild", false},
		{"quote from another chat", `"external_reply":{"x":1},"quote":{"text":"von dort"}`, "von dort", false},
		{"start of a topic of ours", `"message_thread_id":3,"is_topic_message":true,"reply_to_message":{"message_id":3,"from":{"id":7},"forum_topic_created":{"name":"x"}}`, "", false},
		{"first message of a topic", `"message_thread_id":3,"is_topic_message":true,"reply_to_message":{"message_id":3,"from":{"id":7},"text":"x"}`, "", false},
		{"damaged reply", `"reply_to_message":5,"quote":[]`, "", false},
	} {
		e, ok := decode(t, `"message":{"message_id":5,"date":1,`+adaUser+`,`+inForum+`,`+tt.fields+`,"text":"und?"}`)
		if !ok || e.Quoted != tt.quoted || e.Addressed != tt.addressed || e.Text != "und?" {
			t.Errorf("%s: quoted %q, addressed %v; want %q, %v", tt.name, e.Quoted, e.Addressed, tt.quoted, tt.addressed)
		}
	}
}

func TestMediaAndServiceMessages(t *testing.T) {
	for _, tt := range []struct{ fields, unsupported string }{
		{`"voice":{"file_id":"x"}`, "voice"},
		{`"animation":{"a":1},"document":{"a":1}`, "animation"},
		{`"venue":{"a":1},"location":{"a":1}`, "venue"},
		{`"live_photo":{"a":1},"photo":[]`, "live_photo"},
		{`"rich_message":{"blocks":[]}`, "rich_message"},
		{`"sticker":{}`, "sticker"},
		{`"pinned_message":{}`, ""},
		{`"new_chat_members":[]`, ""},
		{`"forum_topic_created":{"name":"x"}`, ""},
		{`"future_service_message":{}`, ""},
	} {
		e, ok := decode(t, `"message":{"message_id":5,"date":1,`+adaUser+`,`+inChat+`,`+tt.fields+`}`)
		if ok != (tt.unsupported != "") || e.Unsupported != tt.unsupported {
			t.Errorf("%s: event %v, unsupported %q; want %q", tt.fields, ok, e.Unsupported, tt.unsupported)
		}
	}
}

func TestMembership(t *testing.T) {
	for _, tt := range []struct {
		member string
		want   channels.Change
	}{
		{`{"status":"member"}`, channels.ChangeJoined},
		{`{"status":"administrator"}`, channels.ChangeJoined},
		{`{"status":"restricted","is_member":true,"can_send_messages":true}`, channels.ChangeJoined},
		{`{"status":"restricted","is_member":true,"can_send_messages":false}`, channels.ChangeMuted},
		{`{"status":"restricted","is_member":false}`, channels.ChangeRemoved},
		{`{"status":"left"}`, channels.ChangeRemoved},
		{`{"status":"kicked"}`, channels.ChangeRemoved},
	} {
		e, ok := decode(t, `"my_chat_member":{`+inGroup+`,`+adaUser+`,"date":1700000000,"old_chat_member":{},"new_chat_member":`+tt.member+`}`)
		if !ok || e.Kind != channels.KindMembership || e.Change != tt.want || e.Actor.ID != "11" {
			t.Errorf("%s: got %+v, want %s", tt.member, e, tt.want)
		}
	}
}

// Also in channels.md 2.1: a group becomes a supergroup with another id.
func TestMoveIsToldByBothChats(t *testing.T) {
	for _, body := range []string{
		`"message":{"message_id":5,"date":1,` + adaUser + `,"chat":{"id":-50,"type":"group"},"migrate_to_chat_id":-10050}`,
		`"message":{"message_id":1,"date":1,` + adaUser + `,"chat":{"id":-10050,"type":"supergroup"},"migrate_from_chat_id":-50}`,
	} {
		e, ok := decode(t, body)
		if !ok || e.Change != channels.ChangeMoved || e.Address.Chat() != "-50" || e.Moved.Chat() != "-10050" {
			t.Errorf("%s: got %+v", body, e)
		}
	}
}

func TestButtonUnderAnOldMessage(t *testing.T) {
	e, ok := decode(t, `"callback_query":{"id":"q",`+adaUser+`,"message":{"message_id":3,"date":0,`+inChat+`},"data":"b:2"}`)
	if !ok || e.Kind != channels.KindButton || e.Button != "b:2" || e.Message != "3" || !e.Posted.IsZero() || e.At.IsZero() {
		t.Errorf("got %+v, %v", e, ok)
	}
	if _, ok := decode(t, `"callback_query":{"id":"q",`+adaUser+`,"inline_message_id":"x","data":"b:2"}`); ok {
		t.Error("a button outside of any chat became an event")
	}
}

func TestUpdatesThatAreNone(t *testing.T) {
	for _, raw := range []string{
		`{"update_id":1,"message":5}`, `{"update_id":1,"message":{"message_id":1}}`, `{"update_id":1,"message":{"message_id":0,"chat":{"id":1,"type":"private"}}}`,
		`{"update_id":1,"message":{"message_id":1,"chat":{"id":1,"type":"galaxy"},"text":"x"}}`, `{"update_id":1,"callback_query":{}}`,
		`{"update_id":1,"my_chat_member":{}}`, `{"update_id":1,"message_reaction":{}}`, `{"update_id":"1"}`, `{}`, `[]`, `null`, ``, `{"update_id":-4}`,
	} {
		if e, ok, err := telegram.Event([]byte(raw)); ok || err == nil {
			t.Errorf("%s: got %+v, %v, %v; want an error", raw, e, ok, err)
		}
	}
	if _, ok, err := telegram.Event([]byte(`{"update_id":1,"poll_answer":{}}`)); ok || err != nil {
		t.Errorf("an update of another kind: %v, %v", ok, err)
	}
}

// What is damaged where it does not matter does not cost the question.
func TestDamagedDetailsAreOverlooked(t *testing.T) {
	for _, field := range []string{
		`"entities":"x"`, `"entities":[{"type":5}]`, `"reply_to_message":[]`, `"quote":7`, `"author_signature":{}`, `"forward_origin":null`, `"voice":null`,
		`"caption_entities":{}`, `"entities":null`,
	} {
		e, ok := decode(t, `"message":{"message_id":5,"date":1,`+adaUser+`,`+inChat+`,"text":"hallo",`+field+`}`)
		if !ok || e.Text != "hallo" || e.Unsupported != "" {
			t.Errorf("%s: got %+v, %v", field, e, ok)
		}
	}
}

func TestFirstID(t *testing.T) {
	for _, tt := range []struct {
		body string
		want int64
	}{
		{`{"ok":true,"result":[{"update_id":55,"message":{`, 55},
		{"{ \"ok\" : true, \"result\": [ {\n \"update_id\" : 55", 55},
		{`{"ok":true,"result":[{"message":{"a":`, 0},
		{`{"ok":false,"result":[{"update_id":55`, 0},
		{`<html>"update_id":55</html>`, 0},
		{`{"update_id":55}`, 0},
		{`{"ok":true,"result":[{"update_id":99999999999999999999`, 0},
		{``, 0},
	} {
		got, ok := telegram.FirstID([]byte(tt.body))
		if got != tt.want || ok != (tt.want != 0) {
			t.Errorf("%s: got %d, %v; want %d", tt.body, got, ok, tt.want)
		}
	}
}

// Properties that hold for every byte sequence: no crash, the same event for
// the same bytes, a complete event or none, and none that survives not JSON.
func FuzzUpdate(f *testing.F) {
	files, err := filepath.Glob("testdata/updates/*.json")
	if err != nil || len(files) == 0 {
		f.Fatalf("no samples: %v", err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"update_id":1,"message":{"message_id":1,"date":1,"chat":{"id":1,"type":"private"},"text":"@auskunft_bot 😀","entities":[{"type":"mention","offset":0,"length":13},{"type":"mention","offset":-1,"length":99999999999}]}}`))
	f.Add([]byte(`{"update_id":1,"message":` + strings.Repeat(`{"a":`, 100) + strings.Repeat("}", 100) + `}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, ok, err := telegram.Event(raw)
		again, okAgain, errAgain := telegram.Event(raw)
		if !reflect.DeepEqual(e, again) || ok != okAgain || (err == nil) != (errAgain == nil) {
			t.Fatalf("two events from the same bytes:\n%+v\n%+v", e, again)
		}
		if !ok {
			return
		}
		if err != nil || e.Kind == "" || e.Key == "" || e.Address.IsZero() || e.Audience == "" || e.Actor.Kind == "" || e.At.IsZero() {
			t.Fatalf("incomplete event: %+v, %v", e, err)
		}
		if e.Actor.Kind == channels.System && e.Actor.ID != "" {
			t.Fatalf("unnamed sender with id: %+v", e)
		}
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var back channels.Event
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if back.Key != e.Key || back.Address != e.Address || back.Text != e.Text {
			t.Fatalf("event does not survive JSON:\n got %+v\nwant %+v", back, e)
		}
	})
}

func BenchmarkEvent(b *testing.B) {
	raw := []byte(`{"update_id":900,"message":{"message_id":5,"date":1700000000,` + adaUser + `,` + inGroup +
		`,"text":"@auskunft_bot Wie lange gilt die Frist für den Widerspruch? 😀","entities":[{"type":"mention","offset":0,"length":13}]}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok, err := telegram.Event(raw); !ok || err != nil {
			b.Fatal(ok, err)
		}
	}
}
