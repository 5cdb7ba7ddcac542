package telegram_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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

func TestSafeText(t *testing.T) {
	const token = "7123456789:FAKE-token-of-these-tests-only-00000000"
	for _, s := range []string{
		"Post \"https://api.telegram.org/bot" + token + "/getMe\": EOF",
		"x" + url.QueryEscape(token) + "x", token, "secret FAKE-token-of-these-tests-only-00000000 alone",
		"another 111111111:FAKE-another-token-that-is-not-ours", "zeile\nzeile\x1b[31m", strings.Repeat("ü", 1000), "",
		"NzEyMzQ1Njc4OTpGQUtFLXRva2VuLW9mLXRoZXNlLXRlc3RzLW9ubHktMDAwMDAwMDA=",
	} {
		got := telegram.SafeText(s, token)
		if strings.Contains(got, "FAKE") || strings.Contains(got, "RkFLR") || strings.Contains(got, "GQUtF") || strings.ContainsAny(got, "\n\x1b") || len(got) > 210 || got == "" {
			t.Errorf("SafeText(%q) = %q", s, got)
		}
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

// D12 of the reliability tests: two instances with one token.
func TestTwoInstancesWithOneToken(t *testing.T) {
	n := newNetwork(t)
	var mu sync.Mutex
	got := make(map[string]int)
	arrived := make(chan struct{}, 1000)
	var health []*telegram.Channel
	for range 2 {
		c := open(t, n.options(quiet()))
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = c.Run(ctx, func(_ context.Context, e channels.Event) error {
				mu.Lock()
				got[e.Text]++
				mu.Unlock()
				arrived <- struct{}{}
				return nil
			})
		}()
		t.Cleanup(func() {
			cancel()
			<-done
		})
		health = append(health, c)
	}
	const messages = 30
	for i := range messages {
		n.fake.Say(ada, ada, fmt.Sprint(i))
		next(t, arrived)
	}
	deadline := soon(t)
	if err := n.fake.AwaitConfirmed(deadline); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	for i := range messages {
		if got[fmt.Sprint(i)] == 0 {
			t.Errorf("message %d is lost", i)
		}
	}
	mu.Unlock()
	for !slices.ContainsFunc(health, func(c *telegram.Channel) bool { return c.Health().State == channels.Red }) {
		select {
		case <-deadline.Done():
			t.Fatal("nobody says that another instance polls")
		case <-time.After(5 * time.Millisecond): // a probe has nothing to wait on
		}
	}
}

// The bot behind a configuration is replaced by another with lower update ids.
func TestAnotherBotStartsAnew(t *testing.T) {
	n := newNetwork(t)
	c := open(t, n.options(quiet()))
	events, _ := run(t, c)
	n.fake.Say(ada, ada, "eins")
	first := next(t, events)
	n.fake.ReplaceBot(fake.User{ID: 7000000222, Username: "neuer_bot", FirstName: "Neu"}, "7000000222:FAKE-another-token-for-tests-0000", 5)
	n.fake.Say(ada, ada, "zwei")
	second := next(t, events)
	if second.Text != "zwei" || second.Key != "u:7000000222:5" || first.Key == second.Key {
		t.Errorf("got %+v after %+v", second, first)
	}
}

// After a week without updates the ids start again at random.
func TestLowerUpdateIDsAreSeen(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	o := n.options(quiet())
	o.Poll = time.Second
	c := open(t, o)
	events, _ := run(t, c)
	n.fake.Say(ada, ada, "eins")
	next(t, events)
	// One empty answer has to come before, as it does in a week.
	if err := n.fake.AwaitConfirmed(soon(t)); err != nil {
		t.Fatal(err)
	}
	if err := n.fake.AwaitCalls(soon(t), "getUpdates", n.fake.Calls("getUpdates")+1); err != nil {
		t.Fatal(err)
	}
	n.fake.SkipUpdates(1000)
	n.fake.Say(ada, ada, "zwei")
	if e := next(t, events); e.Text != "zwei" || e.Key != fmt.Sprintf("u:%d:1000", botID) {
		t.Errorf("got %+v", e)
	}
}

func TestChangedTokenCountsAtOnce(t *testing.T) {
	n := newNetwork(t)
	var token atomic.Pointer[string]
	old := n.fake.Token()
	token.Store(&old)
	o := n.options(quiet())
	asked := make(chan struct{}, 100)
	o.Token = func() string {
		select {
		case asked <- struct{}{}:
		default:
		}
		return *token.Load()
	}
	c := open(t, o)
	events, _ := run(t, c)
	n.fake.Say(ada, ada, "eins")
	next(t, events)
	changed := fmt.Sprintf("%d:FAKE-new-token-after-rotation-00000", botID)
	token.Store(&changed)
	n.fake.ReplaceBot(n.fake.Bot(), changed, 900_000_000)
	n.fake.Say(ada, ada, "zwei")
	if e := next(t, events); e.Text != "zwei" {
		t.Errorf("got %+v", e)
	}
}

func TestWebhookIsNamed(t *testing.T) {
	n := newNetwork(t)
	resp, err := http.PostForm(n.fake.URL()+"/bot"+n.fake.Token()+"/setWebhook", url.Values{"url": {"https://hook.example.org/x"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	c := open(t, n.options(quiet()))
	events, _ := run(t, c)
	n.fake.Say(ada, ada, "eins")
	if err := n.fake.AwaitCalls(soon(t), "getUpdates", 3); err != nil {
		t.Fatal(err)
	}
	if h := c.Health(); h.State != channels.Red || !strings.Contains(h.Reason, "Webhook") || h.Remedy == "" {
		t.Errorf("health %+v", h)
	}
	resp, err = http.PostForm(n.fake.URL()+"/bot"+n.fake.Token()+"/deleteWebhook", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if e := next(t, events); e.Text != "eins" {
		t.Errorf("got %+v", e)
	}
}

func TestPressedButtonIsReleased(t *testing.T) {
	n := newNetwork(t)
	c := open(t, n.options(quiet()))
	events, _ := run(t, c)
	id := n.fake.Say(ada, ada, "hallo")
	next(t, events)
	query := n.fake.Press(ada, ada, id, "b:1")
	next(t, events)
	if err := n.fake.AwaitCalls(soon(t), "answerCallbackQuery", 1); err != nil {
		t.Fatal(err)
	}
	if err := n.fake.AwaitConfirmed(soon(t)); err != nil {
		t.Fatal(err)
	}
	if !n.fake.Answered(query) {
		t.Error("the button still waits")
	}
}

// Health is judged by what is received, on the clock.
func TestHealthOnTheClock(t *testing.T) {
	n := newNetwork(t)
	var shift atomic.Int64
	o := n.options(quiet())
	o.Now = func() time.Time { return time.Now().Add(time.Duration(shift.Load())) }
	c := open(t, o)
	if got := c.Health().State; got != channels.Starting {
		t.Errorf("before Run: %s", got)
	}
	events, _ := run(t, c)
	n.fake.Say(ada, ada, "hallo")
	next(t, events)
	if err := n.fake.AwaitConfirmed(soon(t)); err != nil {
		t.Fatal(err)
	}
	if err := n.fake.AwaitPolling(soon(t)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		after time.Duration
		want  channels.State
	}{
		{0, channels.Green}, {55 * time.Second, channels.Green}, {70 * time.Second, channels.Yellow}, {101 * time.Second, channels.Red},
	} {
		shift.Store(int64(tt.after))
		h := c.Health()
		if h.State != tt.want || (h.State != channels.Green) != (h.Reason != "" && h.Remedy != "") {
			t.Errorf("after %s of silence: %+v, want %s", tt.after, h, tt.want)
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
	n.fake.Say(ada, ada, "hallo")
	stop := c.Typing(t.Context(), address(t, "1001", "", ""))
	if err := n.fake.AwaitActions(soon(t), 2); err != nil { // the second comes after 4 s
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
	if got := n.fake.Menu("de"); len(got) != 1 || got[0].Description != strings.Repeat("ü", 256) {
		t.Errorf("menu %+v", got)
	}
	n.GoDown()
	_ = c.SetCommands(soon(t), "", nil) // may find a connection that is being cut
	if se := channels.AsSendError(c.SetCommands(soon(t), "", nil)); se == nil || se.Class != channels.NotSent {
		t.Errorf("without a network: %v", se)
	}
}

func BenchmarkIntake(b *testing.B) {
	s, err := fake.New(fake.Options{Keep: 100})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	s.AddUser(fake.User{ID: ada, FirstName: "Ada"})
	c, err := telegram.New(telegram.Options{Account: account, Token: s.Token, APIURL: s.URL()})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithCancel(context.Background())
	got, done := make(chan struct{}, 1000), make(chan error, 1)
	go func() {
		done <- c.Run(ctx, func(context.Context, channels.Event) error {
			got <- struct{}{}
			return nil
		})
	}()
	b.ReportAllocs()
	for b.Loop() {
		for range 100 {
			s.Say(ada, ada, "Wie lange gilt die Frist für den Widerspruch?")
		}
		for range 100 {
			<-got
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/update")
	cancel()
	<-done
}

func BenchmarkSend(b *testing.B) {
	s, err := fake.New(fake.Options{Keep: 100})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	s.AddUser(fake.User{ID: ada, FirstName: "Ada"})
	s.Say(ada, ada, "hallo")
	c, err := telegram.New(telegram.Options{Account: account, Token: s.Token, APIURL: s.URL(), Limits: &channels.Limits{}})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	to, err := channels.NewAddress(telegram.Kind, account, fmt.Sprint(ada), "", "")
	if err != nil {
		b.Fatal(err)
	}
	p := channels.Post{To: to, Body: formatting.Part{Text: "Die <b>Frist</b> endet am 2. Mai.", Plain: "Die Frist endet am 2. Mai.", Mode: "HTML"}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Send(b.Context(), p); err != nil {
			b.Fatal(err)
		}
	}
}
