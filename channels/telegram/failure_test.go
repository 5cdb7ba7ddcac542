package telegram_test

import (
	"errors"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"outheis/channels"
	fake "outheis/channels/fakenet/telegram"
	"outheis/channels/telegram"
	"outheis/formatting"
)

// Everything that Telegram refuses, by its own words.
func TestRefusals(t *testing.T) {
	n := newNetwork(t)
	c := open(t, n.options(quiet()))
	marked := formatting.Part{Text: "<b>eins</b>", Plain: "eins", Mode: "HTML"}
	long := formatting.Part{Text: strings.Repeat("<b>x</b>", 5000), Plain: strings.Repeat("x", 4096), Mode: "HTML"}
	tooLong := formatting.Part{Text: strings.Repeat("<b>x</b>", 5000), Plain: strings.Repeat("x", 5000), Mode: "HTML"}
	plain := formatting.Part{Text: "eins", Plain: "eins"}
	for _, tt := range []struct {
		code        int
		description string
		body        formatting.Part
		class       channels.Class
		markup      bool
		remedy      bool
	}{
		{400, "Bad Request: can't parse entities: Unsupported start tag \"x\" at byte offset 3", marked, channels.Refused, true, false},
		{400, "Bad Request: can't parse entities: Unsupported start tag \"x\" at byte offset 3", plain, channels.Refused, false, false},
		{400, "Bad Request: ENTITIES_TOO_LONG", marked, channels.Refused, true, false},
		{400, "Bad Request: message is too long", long, channels.Refused, true, false},
		{400, "Bad Request: text is too long", long, channels.Refused, true, false},
		{400, "Bad Request: message is too long", tooLong, channels.Refused, false, false},
		{400, "Bad Request: message text is empty", plain, channels.Refused, false, false},
		{400, "Bad Request: chat not found", plain, channels.Gone, false, true},
		{400, "Bad Request: PEER_ID_INVALID", plain, channels.Gone, false, true},
		{400, "Bad Request: message thread not found", plain, channels.Gone, false, true},
		{400, "Bad Request: TOPIC_CLOSED", plain, channels.Gone, false, true},
		{400, "Bad Request: not enough rights to send text messages to the chat", plain, channels.Gone, false, true},
		{400, "Bad Request: CHAT_WRITE_FORBIDDEN", plain, channels.Gone, false, true},
		{400, "Bad Request: need administrator rights in the channel chat", plain, channels.Gone, false, true},
		{400, "Bad Request: something new", marked, channels.Refused, false, false},
		{400, "Logged out", plain, channels.Misconfigured, false, true},
		{401, "Unauthorized", plain, channels.Misconfigured, false, true},
		{403, "Forbidden: bot was blocked by the user", plain, channels.Gone, false, true},
		{403, "Forbidden: bot was kicked from the supergroup chat", plain, channels.Gone, false, true},
		{403, "Forbidden: bot is not a member of the channel chat", plain, channels.Gone, false, true},
		{403, "Forbidden: user is deactivated", plain, channels.Gone, false, true},
		{403, "Forbidden: bot can't initiate conversation with a user", plain, channels.Gone, false, true},
		{403, "Forbidden: bot can't send messages to bots", plain, channels.Gone, false, true},
		{404, "Not Found", plain, channels.Misconfigured, false, true},
		{404, "Not Found: method not found", plain, channels.Refused, false, false},
		{413, "Request Entity Too Large", plain, channels.Refused, false, false},
		{421, "Misdirected Request: unallowed token specified", plain, channels.Misconfigured, false, true},
		{500, "Internal Server Error", plain, channels.Unsure, false, false},
		{502, "Bad Gateway", plain, channels.Unsure, false, false},
		{504, "Gateway Timeout", plain, channels.Unsure, false, false},
	} {
		n.fake.Fault(fake.Fault{Kind: fake.Refuse, Method: "sendMessage", Status: tt.code, Description: tt.description})
		_, err := c.Send(soon(t), channels.Post{To: address(t, "1001", "", ""), Body: tt.body})
		se := channels.AsSendError(err)
		if se == nil || se.Class != tt.class || se.Markup != tt.markup || (se.Remedy != "") != tt.remedy || !se.Moved.IsZero() {
			t.Errorf("%d %s: got %+v, want class %s, markup %v", tt.code, tt.description, se, tt.class, tt.markup)
		}
	}
}

// What answers in front of the server is not the server.
func TestStrangersAnswer(t *testing.T) {
	n := newNetwork(t)
	n.fake.Say(ada, ada, "hallo")
	c := open(t, n.options(quiet()))
	for _, tt := range []struct {
		f    fake.Fault
		want channels.Class
	}{
		{fake.Fault{Kind: fake.Page, Status: 403, Body: "<html>Forbidden by policy</html>"}, channels.NotSent},
		{fake.Fault{Kind: fake.Page, Status: 404, Body: "<html>no such page</html>"}, channels.NotSent},
		{fake.Fault{Kind: fake.Page, Status: 407, Body: "proxy"}, channels.NotSent},
		{fake.Fault{Kind: fake.Page, Status: 502, Body: "<html>Bad Gateway</html>"}, channels.Unsure},
		{fake.Fault{Kind: fake.Page, Status: 200, Body: "<html>Please log in</html>"}, channels.Unsure},
		{fake.Fault{Kind: fake.Page, Status: 200, Body: "{}"}, channels.Unsure},
		{fake.Fault{Kind: fake.Page, Status: 200, Body: `{"ok":true}`}, channels.Unsure},
		{fake.Fault{Kind: fake.Page, Status: 200, Body: `{"ok":true,"result":{"message_id":[]}}`}, channels.Unsure},
		{fake.Fault{Kind: fake.Page, Status: 200, Body: `{"ok":true,"result":true}`}, channels.Unsure},
		{fake.Fault{Kind: fake.Page, Status: 200, Body: ""}, channels.Unsure},
		{fake.Fault{Kind: fake.Page, Status: 200, Body: strings.Repeat("x", 2<<20)}, channels.Unsure},
		{fake.Fault{Kind: fake.TooMany, RetryAfter: 0}, channels.RetryAfter},
	} {
		tt.f.Method = "sendMessage"
		n.fake.Fault(tt.f)
		_, err := c.Send(soon(t), words(address(t, "1001", "", ""), "hallo"))
		if se := channels.AsSendError(err); se == nil || se.Class != tt.want {
			t.Errorf("%d %.40q: got %v, want %s", tt.f.Status, tt.f.Body, err, tt.want)
		}
	}
}

func TestErrorsHoldNothingOfTheMessage(t *testing.T) {
	n := newNetwork(t)
	n.fake.Say(ada, ada, "hallo")
	c := open(t, n.options(quiet()))
	_, err := c.Send(soon(t), channels.Post{To: address(t, "1001", "", ""), Body: formatting.Part{Text: "<geheimes-wort>", Plain: "x", Mode: "HTML"}})
	if err == nil || strings.Contains(err.Error(), "geheimes") || !strings.Contains(err.Error(), "can't parse entities") {
		t.Errorf("got %v", err)
	}
}

func TestErrorsHoldNoSecret(t *testing.T) {
	const token = "7123456789:FAKE-token-of-these-tests-only-00000000"
	for _, s := range []string{
		"Post \"https://api.telegram.org/bot" + token + "/getMe\": EOF",
		"x" + url.QueryEscape(token) + "x", token, "secret FAKE-token-of-these-tests-only-00000000 alone",
		"another 111111111:FAKE-another-token-that-is-not-ours", "zeile\nzeile\x1b[31m", strings.Repeat("ü", 1000), "",
		"NzEyMzQ1Njc4OTpGQUtFLXRva2VuLW9mLXRoZXNlLXRlc3RzLW9ubHktMDAwMDAwMDA=",
	} {
		got := channels.Scrub(s, token)
		if strings.Contains(got, "FAKE") || strings.Contains(got, "RkFLR") || strings.Contains(got, "GQUtF") || strings.ContainsAny(got, "\n\x1b") || len(got) > 210 || got == "" {
			t.Errorf("Scrub(%q) = %q", s, got)
		}
	}
}

func TestWaitScope(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	n.fake.Say(ada, ada, "hallo")
	n.fake.Say(ben, ben, "hallo")
	var shift atomic.Int64
	o := n.options(quiet())
	o.Now = func() time.Time { return time.Now().Add(time.Duration(shift.Load())) }
	refused := func(c *telegram.Channel, chat string) channels.Scope {
		t.Helper()
		n.fake.Fault(fake.Fault{Kind: fake.TooMany, Method: "sendMessage", RetryAfter: 1})
		_, err := c.Send(soon(t), words(address(t, chat, "", ""), "x"))
		var se *channels.SendError
		if !errors.As(err, &se) || se.Class != channels.RetryAfter || se.After != time.Second {
			t.Fatalf("got %v", err)
		}
		return se.Scope
	}
	c := open(t, o)
	if got := refused(c, "1001"); got != channels.ScopeChat {
		t.Errorf("the first chat: %s", got)
	}
	shift.Store(int64(time.Minute))
	if got := refused(c, "1002"); got != channels.ScopeChat {
		t.Errorf("a second chat, when the first may write again: %s", got)
	}
	if got := refused(open(t, o), "1001"); got != channels.ScopeChat {
		t.Errorf("another account: %s", got)
	}
	shift.Store(int64(time.Minute - time.Second)) // the pacer lets a second pass before
	if got := refused(c, "1001"); got != channels.ScopeAccount {
		t.Errorf("two chats at once: %s", got)
	}
}
