package mattermost_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"outheis/channels"
	"outheis/channels/channeltest"
	fake "outheis/channels/fakenet/mattermost"
	"outheis/channels/mattermost"
	"outheis/formatting"
)

// quiet is a log that nobody reads.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// run runs c and returns what it delivers and how it ended.
func run(t *testing.T, c channels.Channel) (events chan channels.Event, result chan error) {
	t.Helper()
	events, result, end := runUntil(t, c)
	t.Cleanup(end)
	return events, result
}

// runUntil runs c until end is called.
func runUntil(t *testing.T, c channels.Channel) (events chan channels.Event, result chan error, end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	events, result = make(chan channels.Event, 10000), make(chan error, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		result <- c.Run(ctx, func(_ context.Context, e channels.Event) error {
			events <- e
			return nil
		})
	}()
	return events, result, func() {
		cancel()
		<-done
		if err := c.(channels.Closer).Close(); err != nil {
			t.Error(err)
		}
	}
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

// A rig is an adapter on a fake, without a proxy between them.
type rig struct {
	*fakeSide
	t      *testing.T
	cursor channeltest.Cursor
	opts   mattermost.Options
	ada    string
	direct string
	group  string
}

func newRig(t *testing.T, o fake.Options) *rig {
	t.Helper()
	t.Parallel()
	f := newFake(t, o)
	r := &rig{fakeSide: f, t: t, ada: f.people[channeltest.Ada], direct: f.place[channeltest.AdaDirect].channel, group: f.place[channeltest.InGroup].channel}
	r.opts = mattermost.Options{
		Account: account, Token: f.s.Token, URL: f.s.URL(), Cursor: &r.cursor, Log: quiet(), Timeout: 2 * time.Second, Limits: &channels.Limits{},
		Retry: channels.Backoff{Min: time.Millisecond, Max: 10 * time.Millisecond}, Ping: 400 * time.Millisecond, Probe: 300 * time.Millisecond,
	}
	return r
}

func (r *rig) open() *mattermost.Channel {
	r.t.Helper()
	c, err := mattermost.New(r.opts)
	if err != nil {
		r.t.Fatal(err)
	}
	mattermost.Hasten(c, 50*time.Millisecond)
	return c
}

// start runs a channel and waits until it is green, or yellow for buttons.
func (r *rig) start() (*mattermost.Channel, chan channels.Event) {
	r.t.Helper()
	c := r.open()
	events, _ := run(r.t, c)
	r.eventually("receiving", func() bool {
		h := c.Health()
		return h.State == channels.Green || h.State == channels.Yellow && !h.Received.IsZero()
	})
	return c, events
}

func (r *rig) eventually(what string, ok func() bool) {
	r.t.Helper()
	end, tick := time.NewTimer(10*time.Second), time.NewTicker(2*time.Millisecond)
	defer end.Stop()
	defer tick.Stop()
	for !ok() {
		select {
		case <-end.C:
			r.t.Fatalf("%s did not happen", what)
		case <-tick.C: // nobody tells
		}
	}
}

func address(t *testing.T, chat, thread string) channels.Address {
	t.Helper()
	a, err := channels.NewAddress(mattermost.Kind, account, chat, thread, "")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func words(to channels.Address, s string) channels.Post {
	return channels.Post{To: to, Key: "k:" + s, Body: formatting.Part{Text: s, Plain: s}}
}

func send(t *testing.T, c channels.Channel, p channels.Post) string {
	t.Helper()
	receipt, err := c.Send(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return receipt.Remote
}

func class(t *testing.T, err error, want channels.Class) *channels.SendError {
	t.Helper()
	se := channels.AsSendError(err)
	if se == nil || se.Class != want {
		t.Fatalf("%v, want %s", err, want)
	}
	return se
}

// texts waits for one event each and compares what they say.
func texts(t *testing.T, events chan channels.Event, want ...string) {
	t.Helper()
	for _, w := range want {
		if e := next(t, events); e.Text != w {
			t.Fatalf("%q came, want %q", e.Text, w)
		}
	}
}
