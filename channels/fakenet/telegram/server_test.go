package telegram_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"outheis/channels/fakenet/telegram"
)

const (
	ada   = 1001
	ben   = 1002
	group = -2001
	forum = -1002002
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A bot is a client without any library.
type bot struct {
	t      *testing.T
	s      *telegram.Server
	client *http.Client
}

func start(t *testing.T, o telegram.Options) *bot {
	t.Helper()
	if o.ConflictDelay == 0 {
		o.ConflictDelay = time.Millisecond
	}
	s, err := telegram.New(o)
	if err != nil {
		t.Fatal(err)
	}
	b := &bot{t: t, s: s, client: &http.Client{
		Transport:     &http.Transport{},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	t.Cleanup(func() {
		b.client.CloseIdleConnections()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	s.AddUser(telegram.User{ID: ada, FirstName: "Ada", Language: "de"})
	s.AddUser(telegram.User{ID: ben, FirstName: "Ben"})
	s.AddGroup(telegram.Chat{ID: group, Type: "group", Title: "Runde"}, ada, ben)
	s.AddGroup(telegram.Chat{ID: forum, Type: "supergroup", Title: "Forum", IsForum: true}, ada, ben)
	return b
}

// An answer is the envelope of a response.
type answer struct {
	Status      int
	OK          bool
	Result      json.RawMessage
	ErrorCode   int `json:"error_code"`
	Description string
	Parameters  struct {
		RetryAfter int   `json:"retry_after"`
		MigrateTo  int64 `json:"migrate_to_chat_id"`
	}
}

func (b *bot) method(name string) string { return b.s.URL() + "/bot" + b.s.Token() + "/" + name }

// try calls a method with pairs of names and values.
func (b *bot) try(ctx context.Context, method string, args ...string) (answer, error) {
	form := url.Values{}
	for i := 0; i < len(args); i += 2 {
		form.Set(args[i], args[i+1])
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.method(method), strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return b.do(req)
}

func (b *bot) do(req *http.Request) (answer, error) {
	resp, err := b.client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}, err
	}
	a := answer{Status: resp.StatusCode}
	if err := json.Unmarshal(raw, &a); err != nil {
		return a, fmt.Errorf("%s: %w", raw, err)
	}
	return a, nil
}

// call calls a method that has to answer.
func (b *bot) call(method string, args ...string) answer {
	b.t.Helper()
	a, err := b.try(b.t.Context(), method, args...)
	if err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	return a
}

// updates returns the updates from an offset on, without waiting.
func (b *bot) updates(args ...string) []map[string]json.RawMessage {
	b.t.Helper()
	a := b.call("getUpdates", args...)
	var list []map[string]json.RawMessage
	if err := json.Unmarshal(a.Result, &list); err != nil {
		b.t.Fatalf("getUpdates: %+v: %v", a, err)
	}
	return list
}

func (b *bot) wantRefusal(code int, description, method string, args ...string) answer {
	b.t.Helper()
	a := b.call(method, args...)
	if a.OK || a.Status != code || a.ErrorCode != code || a.Description != description {
		b.t.Errorf("%s %v: got %d %q, want %d %q", method, args, a.ErrorCode, a.Description, code, description)
	}
	return a
}

func TestTokens(t *testing.T) {
	b := start(t, telegram.Options{})
	for _, tt := range []struct {
		path        string
		code        int
		description string
	}{
		{"/bot" + b.s.Token() + "/getMe", 200, ""},
		{"/bot" + b.s.Token() + "/GETME", 200, ""},
		{"/bot" + b.s.Token() + "x/getMe", 401, "Unauthorized"},
		{"/bot7:wrong/getMe", 401, "Unauthorized"},
		{"/botwrong/getMe", 404, "Not Found"},
		{"/bot0:x/getMe", 404, "Not Found"},
		{"/", 404, "Not Found"},
		{"/bot" + b.s.Token() + "/", 404, "Not Found"},
		{"/bot" + b.s.Token() + "/flyToTheMoon", 404, "Not Found: method not found"},
	} {
		req, err := http.NewRequest(http.MethodGet, b.s.URL()+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := b.do(req)
		if err != nil || a.Status != tt.code || a.Description != tt.description {
			t.Errorf("%s: got %d %q, %v; want %d %q", tt.path, a.Status, a.Description, err, tt.code, tt.description)
		}
	}
	b.s.Revoke()
	b.wantRefusal(401, "Unauthorized", "getMe")
}

func TestParametersInAllForms(t *testing.T) {
	b := start(t, telegram.Options{})
	b.s.Say(ada, ada, "hallo")
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for k, v := range map[string]string{"chat_id": "1001", "text": "vier"} {
		if err := w.WriteField(k, v); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	for _, tt := range []struct{ query, kind, body string }{
		{"?chat_id=1001&text=eins", "", ""},
		{"", "application/x-www-form-urlencoded", "chat_id=1001&text=zwei"},
		{"", "application/json; charset=utf-8", `{"chat_id":1001,"text":"drei","link_preview_options":{"is_disabled":true}}`},
		{"", w.FormDataContentType(), form.String()},
	} {
		req, err := http.NewRequest(http.MethodPost, b.method("sendMessage")+tt.query, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", tt.kind)
		if a, err := b.do(req); err != nil || !a.OK {
			t.Errorf("%+v: got %+v, %v", tt, a, err)
		}
	}
	if got := len(b.s.Sent(ada)); got != 4 {
		t.Errorf("%d messages arrived, want 4", got)
	}
	if v := b.s.Violations(); len(v) != 0 {
		t.Errorf("violations: %v", v)
	}
	b.call("sendMessage", "chat_id", "1001", "text", "x", "colour", "red", "disable_notification", "perhaps")
	b.call("sendMessage", "text", "x")
	if v := b.s.Violations(); len(v) != 3 {
		t.Errorf("violations: %v, want 3", v)
	}
}

func TestSendingIsRefused(t *testing.T) {
	b := start(t, telegram.Options{})
	topic := b.s.AddTopic(forum, ada, "Eins")
	closed := b.s.AddTopic(forum, ada, "Zwei")
	b.s.CloseTopic(forum, closed)
	b.s.AddUser(telegram.User{ID: 1003, IsBot: true})
	b.s.Say(ada, ada, "hallo")
	for _, tt := range []struct {
		code        int
		description string
		args        []string
	}{
		{400, "Bad Request: message text is empty", []string{"chat_id", "1001"}},
		{400, "Bad Request: text must be non-empty", []string{"chat_id", "1001", "text", " \n "}},
		{400, "Bad Request: text must be non-empty", []string{"chat_id", "1001", "text", "<b> </b>", "parse_mode", "HTML"}},
		{400, "Bad Request: chat_id is empty", []string{"text", "x"}},
		{400, "Bad Request: chat not found", []string{"text", "x", "chat_id", "42"}},
		{400, "Bad Request: chat not found", []string{"text", "x", "chat_id", "@niemand"}},
		{400, "Bad Request: chat not found", []string{"text", "x", "chat_id", "abc"}},
		{403, "Forbidden: bot can't initiate conversation with a user", []string{"text", "x", "chat_id", "1002"}},
		{403, "Forbidden: bot can't send messages to bots", []string{"text", "x", "chat_id", "1003"}},
		{400, "Bad Request: message thread not found", []string{"text", "x", "chat_id", fmt.Sprint(forum), "message_thread_id", "1"}},
		{400, "Bad Request: message thread not found", []string{"text", "x", "chat_id", fmt.Sprint(forum), "message_thread_id", "999"}},
		{400, "Bad Request: TOPIC_CLOSED", []string{"text", "x", "chat_id", fmt.Sprint(forum), "message_thread_id", fmt.Sprint(closed)}},
		{400, "Bad Request: message to be replied not found", []string{"text", "x", "chat_id", "1001", "reply_parameters", `{"message_id":99}`}},
		{400, "Bad Request: unsupported parse_mode", []string{"text", "x", "chat_id", "1001", "parse_mode", "RTF"}},
		{400, "Bad Request: can't parse entities: Can't find end tag corresponding to start tag \"b\"", []string{"text", "<b>x", "chat_id", "1001", "parse_mode", "html"}},
		{400, "Bad Request: message is too long", []string{"text", strings.Repeat("a", 4097), "chat_id", "1001"}},
		{400, "Bad Request: text is too long", []string{"text", strings.Repeat("<b></b>", 6000), "chat_id", "1001", "parse_mode", "HTML"}},
	} {
		b.wantRefusal(tt.code, tt.description, "sendMessage", tt.args...)
	}
	if got := len(b.s.Sent(0)); got != 0 {
		t.Errorf("%d messages arrived all the same", got)
	}
	for _, args := range [][]string{
		{"text", "x", "chat_id", fmt.Sprint(forum), "message_thread_id", fmt.Sprint(topic)},
		{"text", "x", "chat_id", "1001", "reply_parameters", `{"message_id":99,"allow_sending_without_reply":true}`},
		{"text", strings.Repeat("😀", 4096), "chat_id", "1001"},
	} {
		if a := b.call("sendMessage", args...); !a.OK {
			t.Errorf("%.80v: %+v", args, a)
		}
	}
	b.s.Block(ada)
	b.wantRefusal(403, "Forbidden: bot was blocked by the user", "sendMessage", "chat_id", "1001", "text", "x")
	b.s.Deactivate(ada)
	b.wantRefusal(403, "Forbidden: user is deactivated", "sendMessage", "chat_id", "1001", "text", "x")
	b.s.Mute(group, ben)
	b.wantRefusal(400, "Bad Request: not enough rights to send text messages to the chat", "sendMessage", "chat_id", "-2001", "text", "x")
	b.s.Kick(group, ben)
	b.wantRefusal(403, "Forbidden: bot was kicked from the group chat", "sendMessage", "chat_id", "-2001", "text", "x")
}

func TestCountingInUTF16(t *testing.T) {
	b := start(t, telegram.Options{CountUTF16: true})
	b.s.Say(ada, ada, "hallo")
	b.wantRefusal(400, "Bad Request: message is too long", "sendMessage", "chat_id", "1001", "text", strings.Repeat("😀", 2049))
	if a := b.call("sendMessage", "chat_id", "1001", "text", strings.Repeat("😀", 2048)); !a.OK {
		t.Errorf("got %+v", a)
	}
}

func TestEditAndDelete(t *testing.T) {
	b := start(t, telegram.Options{})
	theirs := b.s.Say(ada, ada, "hallo")
	b.call("sendMessage", "chat_id", "1001", "text", "eins")
	id := fmt.Sprint(b.s.Sent(ada)[0].MessageID)
	b.wantRefusal(400, "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
		"editMessageText", "chat_id", "1001", "message_id", id, "text", "eins")
	b.wantRefusal(400, "Bad Request: message to edit not found", "editMessageText", "chat_id", "1001", "message_id", "99", "text", "x")
	b.wantRefusal(400, "Bad Request: message can't be edited", "editMessageText", "chat_id", "1001", "message_id", fmt.Sprint(theirs), "text", "x")
	b.call("editMessageText", "chat_id", "1001", "message_id", id, "text", "<i>zwei</i>", "parse_mode", "HTML")
	if m := b.s.Sent(ada)[0]; m.Text != "zwei" || m.Edits != 1 || len(m.Entities) != 1 {
		t.Errorf("got %+v", m)
	}
	b.call("deleteMessage", "chat_id", "1001", "message_id", id)
	b.wantRefusal(400, "Bad Request: message to delete not found", "deleteMessage", "chat_id", "1001", "message_id", id)
	if !b.s.Sent(ada)[0].Deleted {
		t.Error("the message is not deleted")
	}
}

func TestCommands(t *testing.T) {
	b := start(t, telegram.Options{})
	if a := b.call("setMyCommands", "commands", `[{"command":"/start","description":"Beginn"}]`, "language_code", "de"); !a.OK {
		t.Fatalf("got %+v", a)
	}
	if got := b.s.Menu("de"); len(got) != 1 || got[0].Command != "start" {
		t.Errorf("menu %+v", got)
	}
	var many []string
	for i := range 101 {
		many = append(many, fmt.Sprintf(`{"command":"c%d","description":"x"}`, i))
	}
	b.wantRefusal(400, "Bad Request: BOT_COMMANDS_TOO_MUCH", "setMyCommands", "commands", "["+strings.Join(many, ",")+"]")
	b.wantRefusal(400, "Bad Request: BOT_COMMAND_INVALID", "setMyCommands", "commands", `[{"command":"Ä","description":"x"}]`)
	b.wantRefusal(400, "Bad Request: BOT_COMMAND_DESCRIPTION_INVALID", "setMyCommands", "commands", `[{"command":"a","description":""}]`)
	b.wantRefusal(400, "Bad Request: invalid language code specified", "setMyCommands", "commands", `[]`, "language_code", "deu")
	b.call("deleteMyCommands", "language_code", "de")
	if a := b.call("getMyCommands", "language_code", "de"); string(a.Result) != "[]" {
		t.Errorf("got %s", a.Result)
	}
}

func TestFiles(t *testing.T) {
	b := start(t, telegram.Options{})
	b.s.Say(ada, ada, "hallo")
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	if err := w.WriteField("chat_id", "1001"); err != nil {
		t.Fatal(err)
	}
	part, err := w.CreateFormFile("document", "bericht.txt")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write([]byte("Inhalt")); err != nil {
		t.Fatal(err)
	}
	w.Close()
	req, err := http.NewRequest(http.MethodPost, b.method("sendDocument"), &form)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", w.FormDataContentType())
	a, err := b.do(req)
	if err != nil || !a.OK {
		t.Fatalf("got %+v, %v", a, err)
	}
	var m telegram.Message
	if err := json.Unmarshal(a.Result, &m); err != nil {
		t.Fatal(err)
	}
	var f telegram.File
	if err := json.Unmarshal(b.call("getFile", "file_id", m.Document.FileID).Result, &f); err != nil {
		t.Fatal(err)
	}
	resp, err := b.client.Get(b.s.URL() + "/file/bot" + b.s.Token() + "/" + f.FilePath)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); err != nil || string(got) != "Inhalt" {
		t.Errorf("got %q, %v", got, err)
	}
	big := b.s.AddFile("gross.bin", make([]byte, 20<<20+1))
	b.wantRefusal(400, "Bad Request: file is too big", "getFile", "file_id", big)
	b.wantRefusal(400, "Bad Request: wrong file_id or the file is temporarily unavailable", "getFile", "file_id", "x")
	b.wantRefusal(400, "Bad Request: there is no document in the request", "sendDocument", "chat_id", "1001")
}

func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		name    string
		f       telegram.Fault
		arrived int
		broken  bool // no answer in the API's form
		code    int
	}{
		{"too many", telegram.Fault{Kind: telegram.TooMany, RetryAfter: 3}, 0, false, 429},
		{"refuse", telegram.Fault{Kind: telegram.Refuse, Status: 500, Description: "Internal Server Error"}, 0, false, 500},
		{"cut before", telegram.Fault{Kind: telegram.CutBefore}, 0, true, 0},
		{"cut after", telegram.Fault{Kind: telegram.CutAfter}, 1, true, 0},
		{"late", telegram.Fault{Kind: telegram.Late, Delay: time.Millisecond}, 1, false, 200},
		{"garbage", telegram.Fault{Kind: telegram.Garbage, Body: "<html>"}, 1, true, 0},
		{"page", telegram.Fault{Kind: telegram.Page, Status: 502, Body: "<html>"}, 0, true, 0},
		{"redirect", telegram.Fault{Kind: telegram.Redirect, Location: "http://127.0.0.1:1/"}, 0, true, 0},
		{"trickle", telegram.Fault{Kind: telegram.Trickle, Delay: time.Microsecond}, 1, false, 200},
		{"hang", telegram.Fault{Kind: telegram.Hang}, 0, true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := start(t, telegram.Options{})
			b.s.Say(ada, ada, "hallo")
			tt.f.Method, tt.f.Chat = "sendMessage", ada
			b.s.Fault(tt.f)
			if a := b.call("sendMessage", "chat_id", "-2001", "text", "anderer Chat"); !a.OK {
				t.Errorf("another chat: %+v", a)
			}
			ctx, cancel := context.WithCancel(t.Context())
			if tt.f.Kind == telegram.Hang {
				ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
			}
			defer cancel()
			a, err := b.try(ctx, "sendMessage", "chat_id", "1001", "text", "eins")
			if (err != nil) != tt.broken || !tt.broken && a.Status != tt.code {
				t.Errorf("got %+v, %v", a, err)
			}
			if tt.f.Kind == telegram.TooMany && (a.Parameters.RetryAfter != 3 || a.Description != "Too Many Requests: retry after 3") {
				t.Errorf("got %+v", a)
			}
			if got := len(b.s.Sent(ada)); got != tt.arrived {
				t.Errorf("%d messages arrived, want %d", got, tt.arrived)
			}
			if a := b.call("sendMessage", "chat_id", "1001", "text", "zwei"); !a.OK {
				t.Errorf("the next call: %+v", a)
			}
		})
	}
}

func TestDownAndUp(t *testing.T) {
	b := start(t, telegram.Options{})
	b.s.Say(ada, ada, "hallo")
	b.call("getMe")
	if err := b.s.Down(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.try(t.Context(), "getMe"); err == nil {
		t.Error("the server answers while it is down")
	}
	if err := b.s.Up(); err != nil {
		t.Fatal(err)
	}
	if got := b.updates(); len(got) != 1 {
		t.Errorf("%d updates after the outage, want 1", len(got))
	}
}

func TestQueries(t *testing.T) {
	b := start(t, telegram.Options{})
	id := b.s.Say(ada, ada, "hallo")
	q := b.s.Press(ada, ada, id, "x")
	if a := b.call("answerCallbackQuery", "callback_query_id", q); !a.OK || !b.s.Answered(q) {
		t.Errorf("got %+v", a)
	}
	b.wantRefusal(400, "Bad Request: query is too old and response timeout expired or query ID is invalid", "answerCallbackQuery", "callback_query_id", q)
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	b := start(t, telegram.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := b.s.AwaitSent(ctx, ada, 1); err == nil {
		t.Error("no error")
	}
}
