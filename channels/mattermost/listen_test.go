package mattermost_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"outheis/channels"
	fake "outheis/channels/fakenet/mattermost"
)

// Who has no right token fills no log and brings in no long body.
func TestStrangersFillNoLog(t *testing.T) {
	r := newRig(t, fake.Options{})
	r.listening()
	var log counted
	r.opts.Log = slog.New(slog.NewTextHandler(&log, nil))
	r.start()
	for i := range 100 {
		resp, err := http.PostForm(r.opts.PublicURL+"/command", url.Values{"token": {fmt.Sprint("erfunden", i)}})
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized {
			t.Fatalf("status %d, want 401", resp.StatusCode)
		}
	}
	if n := strings.Count(log.String(), "refused"); n != 1 {
		t.Errorf("%d lines about refused requests, want 1:\n%s", n, log.String())
	}
	resp, err := http.Post(r.opts.PublicURL+"/action", "application/json", strings.NewReader(`{"user_id":"`+strings.Repeat("x", 64<<10)+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusBadRequest {
		t.Errorf("a press of 64 KiB: status %d, want 400", resp.StatusCode)
	}
}

// A slash command does not overtake the message before it.
func TestCommandComesBehindTheMessageBefore(t *testing.T) {
	r := newRig(t, fake.Options{})
	r.listening()
	cmd := r.s.AddCommand(r.team, "stop", r.opts.PublicURL+"/command")
	r.opts.CommandToken = func() string { return cmd.Token }
	c := r.open()
	ctx, cancel := context.WithCancel(t.Context())
	entered, release, got, result := make(chan struct{}), make(chan struct{}), make(chan string, 10), make(chan error, 1)
	go func() {
		result <- c.Run(ctx, func(_ context.Context, e channels.Event) error {
			if e.Text == "eine lange Frage" {
				close(entered)
				<-release
			}
			if e.Kind == channels.KindMessage || e.Kind == channels.KindCommand {
				got <- e.Text + e.Command
			}
			return nil
		})
	}()
	t.Cleanup(func() {
		cancel()
		<-result
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	r.eventually("connecting", func() bool { return c.Health().State == channels.Green })
	r.s.Say(r.direct, r.ada, "eine lange Frage")
	next(t, entered)
	ran := make(chan struct{})
	go func() {
		defer close(ran)
		r.s.Run(r.team, r.direct, "", r.ada, "/stop")
	}()
	select {
	case s := <-got:
		t.Errorf("%q overtook the message", s)
	case <-time.After(300 * time.Millisecond):
	}
	close(release)
	for _, want := range []string{"eine lange Frage", "stop"} {
		if s := next(t, got); s != want {
			t.Errorf("%q came, want %q", s, want)
		}
	}
	<-ran
}

// counted is a log in memory.
type counted struct {
	mu sync.Mutex // guards b
	b  strings.Builder
}

func (c *counted) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.b.Write(p)
}

func (c *counted) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.b.String()
}
