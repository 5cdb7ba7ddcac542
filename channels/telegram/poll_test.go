package telegram_test

import (
	"context"
	"fmt"
	"io"
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
)

// channels.md T10, and D12 of the reliability tests: two instances with one
// token.
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
// Also in channels.md 2.1: the saved offset of another bot hides all updates.
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

// The server's answers tell whether our clock is right.
func TestHealthTellsOfAWrongClock(t *testing.T) {
	for _, by := range []time.Duration{0, 20 * time.Second, 48 * time.Hour, -3 * time.Hour} {
		n := newNetwork(t)
		o := n.options(quiet())
		o.Now = func() time.Time { return time.Now().Add(by) }
		c := open(t, o)
		run(t, c)
		if err := n.fake.AwaitPolling(soon(t)); err != nil {
			t.Fatal(err)
		}
		want := by
		if by.Abs() < time.Minute {
			want = 0
		}
		if got := c.Health().Ahead; (got - want).Abs() > 5*time.Second {
			t.Errorf("clock wrong by %v: Ahead %v, want %v", by, got, want)
		}
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
