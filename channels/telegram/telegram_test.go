package telegram_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"outheis/channels"
	fake "outheis/channels/fakenet/telegram"
	"outheis/channels/telegram"
	"outheis/formatting"
)

// quiet is a log that nobody reads.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func open(t *testing.T, o telegram.Options) *telegram.Channel {
	t.Helper()
	c, err := telegram.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// run runs c and returns what it delivers and how it ended.
func run(t *testing.T, c *telegram.Channel) (events chan channels.Event, result chan error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	events, result = make(chan channels.Event, 1000), make(chan error, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		result <- c.Run(ctx, func(_ context.Context, e channels.Event) error {
			events <- e
			return nil
		})
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return events, result
}

func next[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(10 * time.Second):
		t.Fatal("nothing came")
	}
	panic("unreachable")
}

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func address(t *testing.T, chat, thread, private string) channels.Address {
	t.Helper()
	a, err := channels.NewAddress(telegram.Kind, account, chat, thread, private)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func words(to channels.Address, s string) channels.Post {
	return channels.Post{To: to, Key: "k", Body: formatting.Part{Text: s, Plain: s}}
}

func TestNewRefusesBadOptions(t *testing.T) {
	token := func() string { return "7:x" }
	for _, tt := range []struct {
		name string
		o    telegram.Options
	}{
		{"no account", telegram.Options{Token: token}},
		{"no token", telegram.Options{Account: "a"}},
		{"negative", telegram.Options{Account: "a", Token: token, Poll: -1}},
		{"no address", telegram.Options{Account: "a", Token: token, APIURL: "bot-api"}},
		{"no scheme", telegram.Options{Account: "a", Token: token, APIURL: "//bot-api.example.org"}},
		{"other scheme", telegram.Options{Account: "a", Token: token, APIURL: "ftp://bot-api.example.org"}},
		{"public without TLS", telegram.Options{Account: "a", Token: token, APIURL: "http://api.telegram.org"}},
		{"public address without TLS", telegram.Options{Account: "a", Token: token, APIURL: "http://93.184.216.34:8081"}},
		{"user", telegram.Options{Account: "a", Token: token, APIURL: "https://u:p@bot-api.example.org"}},
		{"query", telegram.Options{Account: "a", Token: token, APIURL: "https://bot-api.example.org?x=1"}},
	} {
		if _, err := telegram.New(tt.o); err == nil {
			t.Errorf("%s: no error", tt.name)
		} else if !strings.HasPrefix(err.Error(), "telegram: ") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	for _, ok := range []string{"", "https://bot-api.example.org/base/", "http://127.0.0.1:8081", "http://[::1]:8081", "http://10.1.2.3", "http://bot-api:8081", "http://nas.local"} {
		if _, err := telegram.New(telegram.Options{Account: "a", Token: token, APIURL: ok}); err != nil {
			t.Errorf("%s: %v", ok, err)
		}
	}
}

func TestTokenOfWrongFormMakesNoRequest(t *testing.T) {
	n := newNetwork(t)
	for _, token := range []string{"", "undefined", "7:", "7:../getMe?", "7:a/b", "7:%41", "7:a b", "x:abc", "7:" + strings.Repeat("a", 300)} {
		o := n.options(quiet())
		o.Token = func() string { return token }
		c := open(t, o)
		_, err := c.Send(soon(t), words(address(t, "1001", "", ""), "hallo"))
		if se := channels.AsSendError(err); se == nil || se.Class != channels.Misconfigured || se.Remedy == "" {
			t.Errorf("token %q: %v", token, err)
		}
		_, result := run(t, c)
		if se := channels.AsSendError(next(t, result)); se == nil || se.Class != channels.Misconfigured {
			t.Errorf("token %q: Run returned %v", token, se)
		}
	}
	if got := n.fake.Requests(""); len(got) != 0 {
		t.Errorf("%d requests were made", len(got))
	}
}

func TestRequestsSayWhatTheyShould(t *testing.T) {
	n := newNetwork(t)
	c := open(t, n.options(quiet()))
	events, _ := run(t, c)
	id := n.fake.Post(fake.Line{Chat: group, From: ada, Text: "@auskunft_bot wann?"})
	e := next(t, events)
	if _, err := c.Send(soon(t), channels.Post{To: e.Address, Body: formatting.Part{Text: "<b>Mai</b>", Plain: "Mai", Mode: "HTML"}}); err != nil {
		t.Fatal(err)
	}
	n.fake.Post(fake.Line{Chat: forum, From: ada, Text: "allgemein"})
	general := next(t, events)
	if _, err := c.Send(soon(t), words(general.Address, "an alle")); err != nil {
		t.Fatal(err)
	}
	stop := c.Typing(soon(t), general.Address)
	if err := n.fake.AwaitActions(soon(t), 1); err != nil {
		t.Fatal(err)
	}
	stop()
	sent := n.fake.Requests("sendMessage")
	first, second := sent[0].Params, sent[1].Params
	for k, want := range map[string]string{
		"chat_id": "-2001", "text": "<b>Mai</b>", "parse_mode": "HTML", "link_preview_options": `{"is_disabled":true}`,
		"reply_parameters": fmt.Sprintf(`{"message_id":%d,"allow_sending_without_reply":true}`, id), "message_thread_id": "",
	} {
		if first[k] != want {
			t.Errorf("%s is %q, want %q", k, first[k], want)
		}
	}
	if _, ok := second["message_thread_id"]; ok {
		t.Error("General is named when sending")
	}
	if got := n.fake.Actions()[0].Thread; got != 1 {
		t.Errorf("typing is shown in thread %d, want General", got)
	}
	if n.fake.Sent(group)[0].ReplyTo != id {
		t.Error("the answer in a group does not refer to the question")
	}
	updates := n.fake.Requests("getUpdates")
	if p := updates[0].Params; p["timeout"] != "0" || p["limit"] != "100" || p["offset"] != "" {
		t.Errorf("the first request for updates is %v", p)
	}
	if p := updates[1].Params; p["timeout"] != "50" || !strings.Contains(p["allowed_updates"], `"my_chat_member"`) {
		t.Errorf("the second request for updates is %v", p)
	}
	for _, r := range n.fake.Requests("") {
		if r.Header.Get("Referer") != "" || strings.Contains(fmt.Sprint(r.Header), secret) {
			t.Errorf("%s carries %v", r.Method, r.Header)
		}
	}
	if v := n.fake.Violations(); len(v) > 0 {
		t.Errorf("violations: %v", v)
	}
}

func TestProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	n := newNetwork(t)
	for _, k := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "ALL_PROXY"} {
		t.Setenv(k, n.evil.URL)
	}
	t.Setenv("NO_PROXY", "")
	c := open(t, n.options(quiet()))
	events, _ := run(t, c)
	n.fake.Say(ada, ada, "hallo")
	next(t, events)
	if got := n.Leaks(); len(got) > 0 {
		t.Errorf("the proxy was asked: %v", got)
	}
}

func TestPublishedLimitsHold(t *testing.T) {
	l := telegram.PublishedLimits()
	for _, tt := range []struct {
		name   string
		r      channels.Rate
		window time.Duration
		most   int
	}{
		{"account", l.Account, time.Second, 30}, {"group", l.Group, time.Minute, 20},
	} {
		if most := tt.r.Burst + int(tt.window/tt.r.Every); most > tt.most {
			t.Errorf("%s: %d in %s, want at most %d", tt.name, most, tt.window, tt.most)
		}
	}
	if !l.InGroup(address(t, "-100123", "", "")) || l.InGroup(address(t, "123", "", "")) {
		t.Error("groups are not told from direct chats")
	}
}

func TestTypingIsRefreshedAndRefusalEndsIt(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	c := open(t, n.options(quiet()))
	telegram.TypeEvery(c, time.Second)
	n.fake.Say(ada, ada, "hallo")
	stop := c.Typing(t.Context(), address(t, "1001", "", ""))
	if err := n.fake.AwaitActions(soon(t), 2); err != nil { // the second comes after a second
		t.Fatal(err)
	}
	stop()
	c.Typing(t.Context(), address(t, "424242", "", "")) // no such chat
	other, err := channels.NewAddress("andere", account, "1", "", "")
	if err != nil {
		t.Fatal(err)
	}
	c.Typing(t.Context(), other)()
	if err := n.fake.AwaitCalls(soon(t), "sendChatAction", 3); err != nil {
		t.Fatal(err)
	}
}

func TestMenuIsChecked(t *testing.T) {
	n := newNetwork(t)
	c := open(t, n.options(quiet()))
	for _, bad := range []channels.Command{{Name: "Groß", About: "x"}, {Name: "", About: "x"}, {Name: "gut"}, {Name: strings.Repeat("x", 33), About: "x"}} {
		err := c.SetCommands(soon(t), "de", []channels.Command{bad})
		if se := channels.AsSendError(err); se == nil || se.Class != channels.Refused {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if err := c.SetCommands(soon(t), "de-CH", []channels.Command{{Name: "help", About: strings.Repeat("ü", 300)}}); err != nil {
		t.Fatal(err)
	}
	if got := n.fake.MenuIn("all_private_chats", "de"); len(got) != 1 || got[0].Description != strings.Repeat("ü", 256) {
		t.Errorf("menu %+v", got)
	}
	n.GoDown()
	_ = c.SetCommands(soon(t), "", nil) // may find a connection that is being cut
	if se := channels.AsSendError(c.SetCommands(soon(t), "", nil)); se == nil || se.Class != channels.NotSent {
		t.Errorf("without a network: %v", se)
	}
}
