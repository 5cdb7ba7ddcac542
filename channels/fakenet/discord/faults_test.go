package discord_test

import (
	"strings"
	"testing"
	"time"

	"outheis/channels/fakenet/discord"
	"outheis/channels/fakenet/discord/openapi"
)

func TestFaultsOfCalls(t *testing.T) {
	for _, tt := range []struct {
		name    string
		fault   discord.Fault
		status  int // 0: the connection ends
		arrived int
	}{
		{"cut before", discord.Fault{Kind: discord.CutBefore}, 0, 0},
		{"cut after", discord.Fault{Kind: discord.CutAfter}, 0, 1},
		{"too many", discord.Fault{Kind: discord.TooMany, RetryAfter: 1500 * time.Millisecond}, 429, 0},
		{"refused", discord.Fault{Kind: discord.Refuse, Status: 403, Code: 50013, Message: "Missing Permissions"}, 403, 0},
		{"garbage", discord.Fault{Kind: discord.Garbage, Body: `{"id":`}, 200, 1},
		{"page", discord.Fault{Kind: discord.Page, Status: 502, Body: "<html>"}, 502, 0},
		{"page after", discord.Fault{Kind: discord.PageAfter, Status: 504, Body: "<html>"}, 504, 1},
		{"redirect", discord.Fault{Kind: discord.Redirect, Location: "http://127.0.0.1:9/"}, 302, 0},
		{"late", discord.Fault{Kind: discord.Late, Delay: 5 * time.Millisecond}, 200, 1},
		{"byte by byte", discord.Fault{Kind: discord.Trickle, Delay: 100 * time.Microsecond}, 200, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, w := world(t, discord.Options{})
			c := rest(t, s)
			tt.fault.Route, tt.fault.Channel = discord.CreateMessage, w.channel
			s.Fault(tt.fault)
			if r := c.call("GET", "/users/@me", ""); r.status != 200 {
				t.Errorf("another route got %d", r.status)
			}
			r, err := c.try("POST", "/channels/"+w.channel+"/messages", "application/json", `{"content":"x"}`)
			if (err != nil) != (tt.status == 0) || r.status != tt.status {
				t.Errorf("got %d %s, %v; want %d", r.status, r.raw, err, tt.status)
			}
			if tt.name == "too many" && (r.header.Get("Retry-After") != "2" || r.body["retry_after"] != 1.5 || r.body["global"] != false || r.header.Get("X-RateLimit-Scope") != "user") {
				t.Errorf("429 is %v %s", r.header, r.raw)
			}
			if got := len(s.Sent(w.channel)); got != tt.arrived {
				t.Errorf("%d messages arrived, want %d", got, tt.arrived)
			}
			c.create(w.channel, `{"content":"danach"}`)
			if got := s.Requests(discord.CreateMessage); len(got) != 2 || got[1].Status != 200 || got[0].Status != tt.status {
				t.Errorf("requests %+v", got)
			}
		})
	}
}

func TestRateLimits(t *testing.T) {
	now := time.Now()
	s, w := world(t, discord.Options{RateLimits: true, Now: func() time.Time { return now }})
	c := rest(t, s)
	path := "/channels/" + w.channel + "/messages"
	for i := range 5 {
		r := c.call("POST", path, `{"content":"x"}`)
		if want := []string{"4", "3", "2", "1", "0"}[i]; r.status != 200 || r.header.Get("X-RateLimit-Remaining") != want || r.header.Get("X-RateLimit-Bucket") == "" {
			t.Errorf("call %d got %d %v", i, r.status, r.header)
		}
	}
	if r := c.call("POST", path, `{"content":"x"}`); r.status != 429 || r.body["retry_after"] != 5.0 || r.header.Get("X-RateLimit-Global") != "" {
		t.Errorf("the sixth got %d %s", r.status, r.raw)
	}
	if r := c.call("POST", "/channels/"+s.Direct(w.ada)+"/messages", `{"content":"x"}`); r.status != 200 {
		t.Errorf("another channel got %d %s", r.status, r.raw)
	}
	now = now.Add(5 * time.Second)
	if r := c.call("POST", path, `{"content":"x"}`); r.status != 200 {
		t.Errorf("after the wait it got %d %s", r.status, r.raw)
	}
	for range 60 {
		if r := c.call("GET", "/channels/"+w.channel, ""); r.status == 429 {
			if r.body["global"] != true || r.header.Get("X-RateLimit-Global") != "true" || r.header.Get("X-RateLimit-Scope") != "global" {
				t.Errorf("the global limit is %v %s", r.header, r.raw)
			}
			return
		}
	}
	t.Error("60 calls in a second are within the limit of the bot")
}

func TestDownAndUp(t *testing.T) {
	s, w := world(t, discord.Options{})
	c := rest(t, s)
	hang := make(chan error, 1)
	s.Fault(discord.Fault{Kind: discord.Hang, Route: discord.GetMe})
	go func() {
		_, err := c.try("GET", "/users/@me", "", "")
		hang <- err
	}()
	if err := s.AwaitCalls(within(t, 5*time.Second), discord.GetMe, 1); err != nil {
		t.Fatal(err)
	}
	if err := s.Down(); err != nil {
		t.Fatal(err)
	}
	if err := receive(t, hang, "the end of a call"); err == nil {
		t.Error("a call survived the end of the network")
	}
	if _, err := c.try("GET", "/users/@me", "", ""); err == nil {
		t.Error("the network is down and answers")
	}
	if err := s.Up(); err != nil {
		t.Fatal(err)
	}
	c.create(w.channel, `{"content":"wieder da"}`)
	s.Revoke()
	if r := c.call("GET", "/users/@me", ""); r.status != 401 {
		t.Errorf("a revoked token got %d", r.status)
	}
	s.Restore()
	s.Kick(w.guild)
	if r := c.call("POST", "/channels/"+w.channel+"/messages", `{"content":"x"}`); r.status != 403 || r.body["code"] != 50001.0 {
		t.Errorf("after the kick it got %d %s", r.status, r.raw)
	}
}

// What discordgo sends is what Discord describes, but for two empty fields that
// it adds to each message.
func TestTheDocumentKnowsDiscordgosRequests(t *testing.T) {
	s, w := world(t, discord.Options{})
	d := library(t, s, 0)
	if _, err := d.ChannelMessageSend(w.channel, "Hallo"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.ChannelMessages(w.channel, 10, "", "5", ""); err != nil {
		t.Fatal(err)
	}
	if err := d.ChannelTyping(w.channel); err != nil {
		t.Fatal(err)
	}
	if _, err := d.UserChannelCreate(w.ada); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Requests("") {
		for _, wrong := range openapi.Check(openapi.Request{Method: r.Method, Path: r.Path, Query: r.Query, Header: r.Header, Body: r.Body}) {
			if !strings.HasSuffix(wrong, "sticker_ids is null, want array") {
				t.Error(wrong)
			}
		}
	}
	if wrong := s.Violations(); len(wrong) > 0 {
		t.Errorf("violations %v", wrong)
	}
}
