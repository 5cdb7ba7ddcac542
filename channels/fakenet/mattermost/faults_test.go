package mattermost_test

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/mattermost/mattermost/server/public/model"

	"outheis/channels/fakenet/mattermost"
)

func TestFaultsOfCalls(t *testing.T) {
	for _, tt := range []struct {
		name    string
		fault   mattermost.Fault
		status  int // 0: the connection ends
		arrived int
	}{
		{"cut before", mattermost.Fault{Kind: mattermost.CutBefore}, 0, 0},
		{"cut after", mattermost.Fault{Kind: mattermost.CutAfter}, 0, 1},
		{"too many", mattermost.Fault{Kind: mattermost.TooMany, RetryAfter: 1500 * time.Millisecond}, 429, 0},
		{"refused", mattermost.Fault{Kind: mattermost.Refuse, Status: 403, ID: "api.context.permissions.app_error", Message: "nein"}, 403, 0},
		{"garbage", mattermost.Fault{Kind: mattermost.Garbage, Body: `{"id":`}, 200, 1},
		{"maintenance", mattermost.Fault{Kind: mattermost.Page, Status: 503, Body: "<html>"}, 503, 0},
		{"page after", mattermost.Fault{Kind: mattermost.PageAfter, Status: 504, Body: "<html>"}, 504, 1},
		{"redirect", mattermost.Fault{Kind: mattermost.Redirect, Location: "http://127.0.0.1:9/"}, 302, 0},
		{"late", mattermost.Fault{Kind: mattermost.Late, Delay: 5 * time.Millisecond}, 201, 1},
		{"byte by byte", mattermost.Fault{Kind: mattermost.Trickle, Delay: 100 * time.Microsecond}, 201, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, w := world(t, mattermost.Options{})
			c := rest(t, s)
			tt.fault.Route, tt.fault.Channel = mattermost.CreatePost, w.channel
			s.Fault(tt.fault)
			c.create(s.Direct(w.ada), `"message":"anderswo"`)
			r, err := c.try("POST", "/api/v4/posts", `{"channel_id":"`+w.channel+`","message":"x"}`)
			if (err != nil) != (tt.status == 0) || r.status != tt.status {
				t.Errorf("got %d %s, %v; want %d", r.status, r.raw, err, tt.status)
			}
			if tt.name == "too many" && (r.header.Get("Retry-After") != "2" || r.raw != "limit exceeded") {
				t.Errorf("429 is %v %s", r.header, r.raw)
			}
			if got := len(s.Sent(w.channel)); got != tt.arrived {
				t.Errorf("%d posts arrived, want %d", got, tt.arrived)
			}
			c.create(w.channel, `"message":"danach"`)
			if got := s.Requests(mattermost.CreatePost); len(got) != 3 || got[2].Status != 201 || got[1].Status != tt.status {
				t.Errorf("requests %+v", got)
			}
		})
	}
}

func TestRateLimit(t *testing.T) {
	now := time.Now()
	s, _ := world(t, mattermost.Options{RatePerSecond: 10, RateBurst: 2, Now: func() time.Time { return now }})
	c := rest(t, s)
	for i := range 3 {
		if r := c.call("GET", "/users/me", ""); r.status != 200 || r.header.Get("X-RateLimit-Limit") != "3" {
			t.Errorf("call %d got %d %v", i, r.status, r.header)
		}
	}
	if r := c.call("GET", "/users/me", ""); r.status != 429 || r.header.Get("Retry-After") != "1" || r.header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("the fourth got %d %v", r.status, r.header)
	}
	now = now.Add(100 * time.Millisecond)
	if r := c.call("GET", "/users/me", ""); r.status != 200 {
		t.Errorf("after the wait it got %d", r.status)
	}
}

// dial opens a websocket without any library for Mattermost.
func dial(t *testing.T, s *mattermost.Server, token string) *websocket.Conn {
	t.Helper()
	ws, _, err := websocket.DefaultDialer.DialContext(t.Context(), strings.Replace(s.URL(), "http:", "ws:", 1)+"/api/v4/websocket", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	if err := ws.WriteJSON(map[string]any{"seq": 1, "action": "authentication_challenge", "data": map[string]any{"token": token}}); err != nil {
		t.Fatal(err)
	}
	return ws
}

// silent checks that nothing comes.
func silent(t *testing.T, ws *websocket.Conn) {
	t.Helper()
	if err := ws.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	_, raw, err := ws.ReadMessage()
	var ne net.Error
	if !errors.As(err, &ne) || !ne.Timeout() {
		t.Errorf("something came: %s, %v", raw, err)
	}
}

// drain reads what begins a connection: hello, the answer, the status.
func drain(t *testing.T, ws *websocket.Conn) {
	t.Helper()
	for range 3 {
		if _, _, err := ws.ReadMessage(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWebsocketsThatDoNotWork(t *testing.T) {
	t.Run("a wrong token", func(t *testing.T) {
		s, _ := world(t, mattermost.Options{})
		ws := dial(t, s, "falsch")
		if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseAbnormalClosure) {
			t.Errorf("it ended with %v, want 1006", err)
		}
	})
	t.Run("no token", func(t *testing.T) {
		s, _ := world(t, mattermost.Options{AuthTimeout: 10 * time.Millisecond})
		ws, _, err := websocket.DefaultDialer.Dial(strings.Replace(s.URL(), "http:", "ws:", 1)+"/api/v4/websocket", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer ws.Close()
		if _, _, err := ws.ReadMessage(); err == nil {
			t.Error("it stays open")
		}
	})
	t.Run("half open", func(t *testing.T) {
		s, w := world(t, mattermost.Options{})
		ws := dial(t, s, s.Token())
		drain(t, ws)
		s.Freeze()
		pongs := 0
		ws.SetPongHandler(func(string) error { pongs++; return nil })
		if err := ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		s.Say(w.channel, w.ada, "hört wer?")
		silent(t, ws)
		if pongs != 0 || s.Connected() != 0 {
			t.Errorf("%d pongs came and %d websockets work", pongs, s.Connected())
		}
	})
	t.Run("the bot is switched off and on", func(t *testing.T) {
		s, w := world(t, mattermost.Options{})
		c := rest(t, s)
		ws := dial(t, s, s.Token())
		drain(t, ws)
		s.Disable(true)
		if r := c.call("GET", "/users/me", ""); r.status != 401 {
			t.Errorf("the bot got %d, want 401", r.status)
		}
		s.Disable(false)
		if r := c.call("GET", "/users/me", ""); r.status != 200 {
			t.Errorf("the bot got %d, want 200", r.status)
		}
		s.Say(w.channel, w.ada, "hört wer?")
		silent(t, ws)
	})
	t.Run("refused and closed", func(t *testing.T) {
		s, _ := world(t, mattermost.Options{})
		s.RefuseConnects(1, 502)
		if _, resp, err := websocket.DefaultDialer.Dial(strings.Replace(s.URL(), "http:", "ws:", 1)+"/api/v4/websocket", nil); err == nil || resp.StatusCode != 502 {
			t.Errorf("got %v", err)
		}
		ws := dial(t, s, s.Token())
		drain(t, ws)
		s.CloseSockets(1001, "")
		if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, 1001) {
			t.Errorf("it ended with %v, want 1001", err)
		}
		s.HangConnects(1)
		hang := make(chan error, 1)
		go func() {
			_, _, err := websocket.DefaultDialer.Dial(strings.Replace(s.URL(), "http:", "ws:", 1)+"/api/v4/websocket", nil)
			hang <- err
		}()
		if err := s.AwaitSockets(within(t, 5*time.Second), "a dial that hangs", func(st mattermost.SocketStats) bool { return st.Refused == 2 }); err != nil {
			t.Fatal(err)
		}
		if err := s.Upgrade("11.2.0"); err != nil {
			t.Fatal(err)
		}
		select {
		case <-hang:
		case <-time.After(5 * time.Second):
			t.Error("the dial hangs on")
		}
		ws = dial(t, s, s.Token())
		_, raw, err := ws.ReadMessage()
		if err != nil || !strings.Contains(string(raw), `"server_version":"11.2.0.`) {
			t.Errorf("after the upgrade came %s, %v", raw, err)
		}
	})
}

func TestFaultsOfEvents(t *testing.T) {
	s, w := world(t, mattermost.Options{EditOnReaction: true})
	ws := listen(t, s)
	next(t, ws, model.WebsocketEventStatusChange)
	id := s.Post(mattermost.Line{Channel: w.channel, From: w.ada, Text: "mit Datei", Files: []mattermost.File{{Name: "a.txt", Data: []byte("a")}}})
	if e, p := posted(t, ws, model.WebsocketEventPosted); len(p.FileIds) != 1 || e.GetData()["otherFile"] != "true" {
		t.Errorf("a file came as %+v", p)
	}
	s.HideFiles(1)
	s.Post(mattermost.Line{Channel: w.channel, From: w.ada, Text: "ohne Datei", Files: []mattermost.File{{Name: "a.txt", Data: []byte("a")}}})
	if _, p := posted(t, ws, model.WebsocketEventPosted); len(p.FileIds) != 0 || len(s.History(w.channel)[1].FileIDs) != 1 {
		t.Errorf("hidden files came as %+v", p)
	}
	s.React(w.ben, id, "smile")
	if _, p := posted(t, ws, model.WebsocketEventPostEdited); p.EditAt != 0 || !p.HasReactions {
		t.Errorf("a reaction came as %+v", p)
	}
	s.Lose(1)
	s.Say(w.channel, w.ada, "verloren")
	s.SkipSequence(2)
	s.Say(w.channel, w.ada, "da")
	s.Repeat(1)
	first, p := posted(t, ws, model.WebsocketEventPosted)
	again, _ := posted(t, ws, model.WebsocketEventPosted)
	if p.Message != "da" || first.GetSequence() != again.GetSequence() {
		t.Errorf("%q came with the numbers %d and %d", p.Message, first.GetSequence(), again.GetSequence())
	}
	s.Kick(w.channel, s.Bot().ID, w.ada)
	if e := next(t, ws, model.WebsocketEventUserRemoved); e.GetData()["channel_id"] != w.channel || e.GetBroadcast().UserId != s.Bot().ID {
		t.Errorf("the removal came as %v", e.GetData())
	}
	s.Join(w.channel, s.Bot().ID, w.ada)
	next(t, ws, model.WebsocketEventUserAdded)
	if _, p := posted(t, ws, model.WebsocketEventPosted); p.Type != model.PostTypeAddToChannel || p.GetProp("addedUserId") != s.Bot().ID {
		t.Errorf("the join was told as %+v", p)
	}
	s.Rename(w.channel, "Anders")
	if e := next(t, ws, model.WebsocketEventChannelUpdated); !strings.Contains(e.GetData()["channel"].(string), `"display_name":"Anders"`) {
		t.Errorf("the new name came as %v", e.GetData())
	}
	s.Archive(w.channel, w.ada)
	next(t, ws, model.WebsocketEventChannelDeleted)
	s.InjectEvent("config_changed", map[string]any{}, "")
	next(t, ws, model.WebsocketEventConfigChanged)
}
