package telegram_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"outheis/channels/fakenet/telegram"
)

// The real server overlooks most of this; a bot that does it is wrong all the
// same.
func TestRequestsAreHeldAgainstTheDescription(t *testing.T) {
	b := start(t, telegram.Options{})
	b.s.Say(ada, ada, "hallo")
	keyboard := func(button string) []string {
		return []string{"chat_id", "1001", "text", "x", "reply_markup", `{"inline_keyboard":[[` + button + `]]}`}
	}
	for _, tt := range []struct {
		method string
		args   []string
		want   string // part of the only violation; "" for none
	}{
		{"sendMessage", []string{"chat_id", "1001", "text", "x"}, ""},
		{"sendMessage", []string{"chat_id", "@runde", "text", "x"}, ""},
		{"sendMessage", []string{"text", "x"}, "required parameter chat_id is missing"},
		{"sendMessage", []string{"chat_id", "1001", "text", "x", "colour", "red"}, "unknown parameter colour"},
		{"sendMessage", []string{"chat_id", "1001", "text", "x", "message_thread_id", "eins"}, "message_thread_id is"},
		{"sendMessage", []string{"chat_id", "1001", "text", "x", "protect_content", "maybe"}, "protect_content is"},
		{"sendMessage", []string{"chat_id", "1001", "text", "x", "link_preview_options", `{"disabled":true}`}, "unknown field disabled"},
		{"sendMessage", []string{"chat_id", "1001", "text", "x", "reply_parameters", `{"quote":"x"}`}, "lacks the field message_id"},
		{"sendMessage", []string{"chat_id", "1001", "text", "x", "reply_parameters", `{"message_id":"5"}`}, "message_id is 5, want Integer"},
		{"sendMessage", keyboard(`{"text":"a","callback_data":"b"}`), ""},
		{"sendMessage", keyboard(`{"callback_data":"b"}`), "lacks the field text"},
		{"sendMessage", keyboard(`{"text":"a","callback_data":"` + strings.Repeat("ü", 33) + `"}`), "66 bytes, want 1 to 64"},
		{"setMyCommands", []string{"commands", `[{"command":"a","description":"b"}]`, "scope", `{"type":"all_group_chats"}`}, ""},
		{"setMyCommands", []string{"commands", `[{"command":"a"}]`}, "lacks the field description"},
		{"setMyCommands", []string{"commands", `[{"command":"a","description":"` + strings.Repeat("x", 257) + `"}]`}, "257 characters, want 1 to 256"},
		{"setMyCommands", []string{"commands", `{}`}, "want Array of BotCommand"},
		{"setMyCommands", []string{"commands", `[]`, "scope", `{"type":"everywhere"}`}, "is none of"},
		{"setWebhook", []string{"url", "https://a.example.org", "secret_token", strings.Repeat("x", 257)}, "257 characters"},
	} {
		before := len(b.s.Violations())
		b.call(tt.method, tt.args...)
		found := b.s.Violations()[before:]
		if tt.want == "" && len(found) != 0 || tt.want != "" && (len(found) != 1 || !strings.Contains(found[0], tt.want)) {
			t.Errorf("%s %v: %q, want %q", tt.method, tt.args, found, tt.want)
		}
	}
}

func TestButtonsAreRefused(t *testing.T) {
	b := start(t, telegram.Options{})
	b.s.Say(ada, ada, "hallo")
	send := func(markup string) []string {
		return []string{"chat_id", "1001", "text", "x", "reply_markup", markup}
	}
	one := `{"text":"a","callback_data":"b"}`
	row := "[" + strings.TrimSuffix(strings.Repeat(one+",", 8), ",") + "]"
	for description, markup := range map[string]string{
		"Bad Request: can't parse reply keyboard markup JSON object":                                         `[]`,
		"Bad Request: BUTTON_DATA_INVALID":                                                                   `{"inline_keyboard":[[{"text":"a","callback_data":"` + strings.Repeat("x", 65) + `"}]]}`,
		"Bad Request: can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard": `{"inline_keyboard":[[{"text":"a"}]]}`,
		"Bad Request: can't parse inline keyboard button: Field \"text\" must be non-empty":                  `{"inline_keyboard":[[{"callback_data":"a"}]]}`,
		"Bad Request: REPLY_MARKUP_TOO_LONG":                                                                 `{"inline_keyboard":[` + strings.TrimSuffix(strings.Repeat(row+",", 13), ",") + `]}`,
	} {
		b.wantRefusal(400, description, "sendMessage", send(markup)...)
	}
	if a := b.call("sendMessage", send(`{"inline_keyboard":[`+row+`,[],[`+one+`]]}`)...); !a.OK {
		t.Fatalf("got %+v", a)
	}
	sent := b.s.Sent(ada)
	if len(sent) != 1 || len(sent[0].Buttons) != 2 || len(sent[0].Buttons[0]) != 8 || sent[0].Buttons[1][0].Data != "b" {
		t.Errorf("arrived: %+v", sent)
	}
}

func TestWebhookBringsUpdatesUntilTheyAreTaken(t *testing.T) {
	b := start(t, telegram.Options{})
	var mu sync.Mutex
	var got []string
	refuse := 3
	bot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body := make([]byte, r.ContentLength)
		_, _ = r.Body.Read(body)
		got = append(got, r.Host+r.URL.Path+" "+r.Header.Get("X-Telegram-Bot-Api-Secret-Token")+" "+string(body[:23]))
		if refuse--; refuse >= 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer bot.Close()
	b.s.Proxy(bot.URL)
	b.wantRefusal(400, "Bad Request: bad webhook: An HTTPS URL must be provided for webhook", "setWebhook", "url", "http://a.example.org")
	b.wantRefusal(400, "Bad Request: secret token contains unallowed characters", "setWebhook", "url", "https://a.example.org", "secret_token", "ä")
	if a := b.call("setWebhook", "url", "https://a.example.org/x?by=me", "secret_token", "geheim"); !a.OK {
		t.Fatalf("got %+v", a)
	}
	b.s.Say(ada, ada, "eins")
	b.s.Say(ada, ada, "zwei")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := b.s.AwaitConfirmed(ctx); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(got) != 5 || got[0] != got[3] || got[3] == got[4] || !strings.HasPrefix(got[0], "a.example.org/x geheim {") {
		t.Errorf("brought: %q", got)
	}
	if address, tries := b.s.Webhook(); address == "" || tries != 5 {
		t.Errorf("webhook %q after %d tries", address, tries)
	}
	if a := b.call("deleteWebhook"); !a.OK {
		t.Errorf("got %+v", a)
	}
}

func TestMenusOfScopes(t *testing.T) {
	b := start(t, telegram.Options{})
	b.call("setMyCommands", "commands", `[{"command":"a","description":"alle"}]`)
	b.call("setMyCommands", "commands", `[{"command":"b","description":"direkt"}]`, "scope", `{"type":"all_private_chats"}`, "language_code", "de")
	if got := b.s.Menu("de"); len(got) != 1 || got[0].Command != "b" {
		t.Errorf("menu de: %+v", got)
	}
	if got := b.s.Menu(""); len(got) != 1 || got[0].Command != "a" {
		t.Errorf("default menu: %+v", got)
	}
	if got := b.s.MenuIn("all_group_chats", "de"); got != nil {
		t.Errorf("menu of groups: %+v", got)
	}
	b.wantRefusal(400, "Bad Request: can't parse BotCommandScope: Unsupported type specified", "setMyCommands", "commands", `[]`, "scope", `{"type":"x"}`)
}

func TestMembersAndPromotion(t *testing.T) {
	b := start(t, telegram.Options{Privacy: true})
	bot := b.s.Bot().ID
	status := func() string {
		a := b.call("getChatMember", "chat_id", "-2001", "user_id", fmt.Sprint(bot))
		for _, s := range []string{"administrator", "member", "restricted", "left"} {
			if strings.Contains(string(a.Result), `"status":"`+s+`"`) {
				return s
			}
		}
		return a.Description
	}
	var got []string
	got = append(got, status())
	b.s.Promote(group)
	got = append(got, status())
	b.s.Mute(group, ben)
	got = append(got, status())
	b.s.Kick(group, ben)
	got = append(got, status())
	if want := []string{"member", "administrator", "restricted", "Forbidden: bot was kicked from the group chat"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	b.wantRefusal(400, "Bad Request: invalid user_id specified", "getChatMember", "chat_id", "-2001", "user_id", "5")
}

func TestEphemeralMessagesNeedAPress(t *testing.T) {
	b := start(t, telegram.Options{})
	a := b.call("sendMessage", "chat_id", "-2001", "text", "für alle")
	if !a.OK {
		t.Fatalf("got %+v", a)
	}
	query := b.s.Press(group, ada, b.s.Sent(group)[0].MessageID, "a")
	send := func(receiver, query string) []string {
		return []string{"chat_id", "-2001", "text", "für Ada", "ephemeral_message_parameters", `{"receiver_user_id":` + receiver + `,"callback_query_id":"` + query + `"}`}
	}
	b.wantRefusal(400, "Bad Request: USER_NOT_FOUND", "sendMessage", send("1001", "falsch")...)
	b.wantRefusal(400, "Bad Request: USER_NOT_FOUND", "sendMessage", send("4711", query)...)
	if a := b.call("sendMessage", send("1001", query)...); !a.OK || !strings.Contains(string(a.Result), "ephemeral_message_id") {
		t.Errorf("got %+v", a)
	}
	if last := b.s.Sent(group)[1]; last.Receiver != ada {
		t.Errorf("arrived: %+v", last)
	}
	if v := b.s.Violations(); len(v) != 0 {
		t.Errorf("violations: %v", v)
	}
}
