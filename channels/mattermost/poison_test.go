package mattermost_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"outheis/channels"
	"outheis/channels/channeltest"
	fake "outheis/channels/fakenet/mattermost"
)

// What the server cannot tell about one message holds up neither its chat nor
// others, and is said.
func TestMessageThatTheServerCannotServeHoldsUpNothing(t *testing.T) {
	for name, fault := range map[string]fake.Fault{
		"damaged row":   {Kind: fake.Refuse, Route: fake.GetPost, Status: 500, ID: "app.post.get.app_error", Message: "x", Times: -1},
		"proxy's page":  {Kind: fake.Page, Route: fake.GetPost, Status: 502, Times: -1},
		"not supported": {Kind: fake.Page, Route: fake.GetPost, Status: 405, Times: -1},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, fake.Options{})
			root := r.s.Post(fake.Line{Channel: r.direct, From: r.ada, Text: "alt", At: time.Now().Add(-48 * time.Hour).UnixMilli()})
			c, events := r.start()
			r.s.Fault(fault)
			r.s.Reply(r.direct, r.ada, root, "im Thread")
			want := []string{"im Thread"}
			for i := range 100 { // more than a lane holds
				s := fmt.Sprint("danach ", i)
				r.s.Say(r.direct, r.ada, s)
				want = append(want, s)
			}
			texts(t, events, want...)
			if h := c.Health(); h.State != channels.Yellow || h.Reason == "" || h.Remedy == "" {
				t.Errorf("health %+v, want yellow and why", h)
			}
			// A second one of that thread does not wait as long.
			calls := r.s.Calls(fake.GetPost)
			r.s.Reply(r.direct, r.ada, root, "noch einmal")
			texts(t, events, "noch einmal")
			if n := r.s.Calls(fake.GetPost) - calls; n != 1 {
				t.Errorf("asked %d times for what was given up, want once", n)
			}
		})
	}
}

// An outage is no reason to deliver messages without their threads.
func TestOutageIsWaitedOutWithTheThread(t *testing.T) {
	r := newRig(t, fake.Options{})
	root := r.s.Post(fake.Line{Channel: r.group, From: r.people[channeltest.Ben], Text: "alt", At: time.Now().Add(-48 * time.Hour).UnixMilli()})
	_, events := r.start()
	r.s.Fault(fake.Fault{Kind: fake.Page, Route: fake.GetUser, Status: 503, Times: 20})
	r.s.Fault(fake.Fault{Kind: fake.Page, Route: fake.GetPost, Status: 503, Times: 20})
	r.s.Reply(r.group, r.ada, root, "@auskunft im Thread")
	if e := next(t, events); e.Quoted != "alt" {
		t.Errorf("the thread's beginning is missing: %+v", e)
	}
}

// An event that makes the program panic is tried again and then skipped; what
// is behind it comes.
func TestPanicEndsNeitherTheProcessNorTheChat(t *testing.T) {
	r := newRig(t, fake.Options{})
	c := r.open()
	ctx, cancel := context.WithCancel(t.Context())
	got, result := make(chan string, 10), make(chan error, 1)
	var tries atomic.Int32
	go func() {
		result <- c.Run(ctx, func(_ context.Context, e channels.Event) error {
			if e.Text == "bumm" {
				tries.Add(1)
				panic("invented mistake")
			}
			got <- e.Text
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
	r.s.Say(r.direct, r.ada, "bumm")
	r.s.Say(r.direct, r.ada, "danach")
	if text := next(t, got); text != "danach" {
		t.Errorf("delivered %q", text)
	}
	if n := tries.Load(); n != channels.MaxStrikes {
		t.Errorf("tried %d times, want %d", n, channels.MaxStrikes)
	}
	if h := c.Health(); h.State != channels.Yellow {
		t.Errorf("health %+v, want yellow", h)
	}
	r.s.CutSockets()
	r.s.Say(r.direct, r.ada, "nach der Unterbrechung")
	if text := next(t, got); text != "nach der Unterbrechung" || tries.Load() != channels.MaxStrikes {
		t.Errorf("delivered %q, %d tries: it came again", text, tries.Load())
	}
}
