package telegram_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"outheis/channels"
	"outheis/channels/channeltest"
	"outheis/channels/telegram"
)

const hookSecret = "FAKE-webhook-secret_of-these-tests-only"

// A hooked network brings updates instead of being asked for them.
type hooked struct {
	*network
	listen string
}

func newHooked(t *testing.T) *hooked {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	h := &hooked{network: newNetwork(t), listen: l.Addr().String()}
	h.fake.Proxy("http://" + h.listen)
	return h
}

func (h *hooked) options(log *slog.Logger) telegram.Options {
	o := h.network.options(log)
	o.Webhook = &telegram.Webhook{URL: "https://bot.example.org/telegram/haupt", Listen: h.listen, Secret: func() string { return hookSecret }}
	return o
}

func (h *hooked) Open(log *slog.Logger) (channels.Channel, error) {
	c, err := telegram.New(h.options(log))
	if err == nil {
		telegram.ProbeEvery(c, 20*time.Millisecond)
	}
	return c, err
}

func (h *hooked) Secrets() []string { return append(h.network.Secrets(), hookSecret) }

func (h *hooked) BreakReceive(f channeltest.Fault, times int) {
	h.breakWay([]string{"webhook"}, f, times)
}

func (h *hooked) AwaitListening(ctx context.Context) error {
	return h.fake.AwaitCalls(ctx, "setWebhook", 1)
}

func (h *hooked) Malform(count int) {
	random := rand.New(rand.NewPCG(1, uint64(count)))
	for i := range count {
		h.fake.Inject(func(id int64) string {
			if i%1000 == 999 {
				return "{" // in place of what is larger than any update of Telegram's
			}
			return malformed(random, i, id)
		})
	}
}

func TestWebhookKeepsTheContract(t *testing.T) {
	const same, own = "the same as with polling, which shows it", "a webhook has no tries to receive"
	channeltest.Run(t, channeltest.Harness{
		New: func(t *testing.T) channeltest.Network {
			h := newHooked(t)
			t.Cleanup(h.violations)
			return h
		},
		Lacks: map[channeltest.Ability]string{
			channeltest.Deletions:  "Telegram tells bots nothing about deleted messages",
			channeltest.Cursors:    "Telegram keeps what is not confirmed",
			channeltest.Idempotent: "Telegram knows no key of a message",
			channeltest.Exclusive:  "a webhook replaces another",
			channeltest.FilesIn:    "Telegram brings the parts of an album one by one; the rest is as with polling",
			channeltest.Attempts:   own, channeltest.Arguments: own, channeltest.Redirects: own, channeltest.RateLimit: same,
			channeltest.Turns: same, channeltest.Typing: same, channeltest.Menu: same, channeltest.Limit: same, channeltest.Markup: same,
			channeltest.FilesOut: same, channeltest.Editing: same, channeltest.Closing: same, channeltest.Checks: same,
		},
	})
}

// post brings something to the webhook, as anybody can.
func (h *hooked) post(t *testing.T, body io.Reader, change func(*http.Request)) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+h.listen+"/telegram/haupt", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Telegram-Bot-Api-Secret-Token", hookSecret)
	if change != nil {
		change(req)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// An endless body of which the server must not read more than it allows.
type endless struct{ read int }

func (e *endless) Read(b []byte) (int, error) {
	e.read += len(b)
	return copy(b, bytes.Repeat([]byte{' '}, len(b))), nil
}

// reliability.md T8: internet → webhook.
func TestWebhookTakesNothingFromStrangers(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	c := open(t, h.options(quiet()))
	events, _ := run(t, c)
	if err := h.AwaitListening(soon(t)); err != nil {
		t.Fatal(err)
	}
	update := `{"update_id":900000001,"message":{"message_id":7,"date":1700000000,"chat":{"id":1001,"type":"private"},"from":{"id":1001,"first_name":"Eva"},"text":"untergeschoben"}}`
	secret := func(values ...string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Del("X-Telegram-Bot-Api-Secret-Token")
			for _, v := range values {
				r.Header.Add("X-Telegram-Bot-Api-Secret-Token", v)
			}
		}
	}
	for _, tt := range []struct {
		name   string
		change func(*http.Request)
		want   int
	}{
		{"no secret", secret(), 401},
		{"an empty secret", secret(""), 401},
		{"a wrong secret", secret("falsch"), 401},
		{"a secret that begins right", secret(hookSecret[:20]), 401},
		{"a secret that ends right", secret("x" + hookSecret), 401},
		{"two secrets", secret(hookSecret, hookSecret), 401},
		{"GET", func(r *http.Request) { r.Method = http.MethodGet }, 405},
		{"a form", func(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }, 415},
	} {
		if got := h.post(t, strings.NewReader(update), tt.change); got != tt.want {
			t.Errorf("%s: status %d, want %d", tt.name, got, tt.want)
		}
	}
	big := &endless{}
	if got := h.post(t, io.LimitReader(big, 10<<20), nil); got != http.StatusRequestEntityTooLarge {
		t.Errorf("10 MiB: status %d, want 413", got)
	}
	if got := h.post(t, strings.NewReader(`{"update_id":`), nil); got != http.StatusOK {
		t.Errorf("nonsense with the secret: status %d, want 200", got)
	}
	h.fake.Say(ada, ada, "echt")
	if e := next(t, events); e.Text != "echt" {
		t.Errorf("an update of a stranger arrived: %+v", e)
	}
	found := false
	for _, f := range c.Check(soon(t)) {
		found = found || strings.Contains(f.Text, "6 Anfragen")
	}
	if !found {
		t.Error("Check does not count the refused requests")
	}
}

// T9 of channels.md: a webhook was answered 200 before the message was stored.
func TestWebhookIsAnsweredAfterStoring(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	c := open(t, h.options(quiet()))
	entered, release := make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- c.Run(ctx, func(ctx context.Context, e channels.Event) error {
			close(entered)
			<-release
			return nil
		})
	}()
	h.fake.Say(ada, ada, "wichtig")
	<-entered
	if n := h.fake.Pending(); n != 1 {
		t.Errorf("%d updates wait while one is being stored, want 1", n)
	}
	close(release)
	if err := h.fake.AwaitConfirmed(soon(t)); err != nil {
		t.Error(err)
	}
	cancel()
	<-done
}

// runUntil runs c until stop is called.
func runUntil(t *testing.T, c *telegram.Channel) (events chan channels.Event, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	events, done := make(chan channels.Event, 1000), make(chan struct{})
	go func() {
		defer close(done)
		_ = c.Run(ctx, func(_ context.Context, e channels.Event) error {
			events <- e
			return nil
		})
	}()
	return events, func() {
		cancel()
		<-done
	}
}

func TestPollAndWebhookTakeOverFromEachOther(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	for i := range 4 {
		o := h.network.options(quiet())
		if i%2 == 1 {
			o = h.options(quiet())
		}
		c := open(t, o)
		telegram.ProbeEvery(c, 20*time.Millisecond)
		events, stop := runUntil(t, c)
		h.fake.Say(ada, ada, fmt.Sprint("Frage ", i))
		if e := next(t, events); e.Text != fmt.Sprint("Frage ", i) {
			t.Errorf("round %d: got %+v", i, e)
		}
		if address, _ := h.fake.Webhook(); (address != "") != (i%2 == 1) {
			t.Errorf("round %d: webhook %q", i, address)
		}
		if err := h.fake.AwaitConfirmed(soon(t)); err != nil {
			t.Fatal(err)
		}
		stop()
		h.fake.Say(ada, ada, fmt.Sprint("dazwischen ", i))
		c = open(t, h.network.options(quiet()))
		events, stop = runUntil(t, c)
		if e := next(t, events); e.Text != fmt.Sprint("dazwischen ", i) {
			t.Errorf("after round %d: got %+v", i, e)
		}
		if err := h.fake.AwaitConfirmed(soon(t)); err != nil {
			t.Fatal(err)
		}
		stop()
	}
}

func TestWebhookThatWasTakenAwayIsSetAgain(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	c := open(t, h.options(quiet()))
	telegram.ProbeEvery(c, 20*time.Millisecond)
	events, _ := run(t, c)
	h.fake.Say(ada, ada, "eins")
	next(t, events)
	// Without the answer that it is stored it would come again.
	if err := h.fake.AwaitConfirmed(soon(t)); err != nil {
		t.Fatal(err)
	}
	resp, err := http.Get(h.fake.URL() + "/bot" + h.fake.Token() + "/deleteWebhook")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	h.fake.Say(ada, ada, "zwei")
	if e := next(t, events); e.Text != "zwei" {
		t.Errorf("got %+v", e)
	}
	if got := c.Health(); got.State != channels.Red || got.Remedy == "" {
		t.Errorf("health %+v, want red: somebody else uses the token", got)
	}
}

// Also when our clock is wrong: Telegram's own says when it failed.
func TestUnreachableWebhookIsRed(t *testing.T) {
	t.Parallel()
	for _, wrong := range []time.Duration{0, 3 * time.Hour, -3 * time.Hour} {
		h := newHooked(t)
		h.fake.Proxy("http://127.0.0.1:1")
		o := h.options(quiet())
		o.Now = func() time.Time { return time.Now().Add(wrong) }
		c := open(t, o)
		telegram.ProbeEvery(c, 20*time.Millisecond)
		events, _ := run(t, c)
		h.fake.Say(ada, ada, "kommt nicht an")
		deadline := soon(t)
		await := func(want channels.State) {
			for c.Health().State != want {
				select {
				case <-deadline.Done():
					t.Fatalf("clock wrong by %s: health %+v, want %s", wrong, c.Health(), want)
				case <-time.After(5 * time.Millisecond): // a probe has nothing to wait on
				}
			}
		}
		await(channels.Red)
		if got := c.Health(); !strings.Contains(got.Reason, "Webhook") || got.Remedy == "" {
			t.Errorf("health %+v", got)
		}
		h.fake.Proxy("http://" + h.listen)
		next(t, events)
		await(channels.Green)
	}
}

func TestWebhookOptionsAreChecked(t *testing.T) {
	secret := func() string { return "x" }
	for name, w := range map[string]telegram.Webhook{
		"http":       {URL: "http://bot.example.org", Listen: ":8080", Secret: secret},
		"query":      {URL: "https://bot.example.org?x=1", Listen: ":8080", Secret: secret},
		"user":       {URL: "https://u:p@bot.example.org", Listen: ":8080", Secret: secret},
		"no listen":  {URL: "https://bot.example.org", Secret: secret},
		"no secret":  {URL: "https://bot.example.org", Listen: ":8080"},
		"no address": {Listen: ":8080", Secret: secret},
	} {
		if _, err := telegram.New(telegram.Options{Account: "a", Token: func() string { return "7:x" }, Webhook: &w}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	h := newHooked(t)
	o := h.options(quiet())
	o.Webhook.Secret = func() string { return "nicht erlaubt" }
	err := open(t, o).Run(soon(t), func(context.Context, channels.Event) error { return nil })
	if se := channels.AsSendError(err); se == nil || se.Class != channels.Misconfigured || se.Remedy == "" {
		t.Errorf("an impossible secret: %v", err)
	}
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	o = h.options(quiet())
	o.Webhook.Listen = busy.Addr().String()
	c := open(t, o)
	err = c.Run(soon(t), func(context.Context, channels.Event) error { return nil })
	if se := channels.AsSendError(err); se == nil || se.Class != channels.Misconfigured || c.Health().State != channels.Red {
		t.Errorf("an address in use: %v, health %+v", err, c.Health())
	}
}
