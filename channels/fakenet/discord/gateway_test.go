package discord_test

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"outheis/channels/fakenet/discord"
)

// A socket is a gateway client without any library for Discord.
type socket struct {
	t  *testing.T
	ws *websocket.Conn
}

type packet struct {
	Op int             `json:"op"`
	D  json.RawMessage `json:"d"`
	S  int64           `json:"s"`
	T  string          `json:"t"`
}

func dial(t *testing.T, address string) *socket {
	t.Helper()
	ws, _, err := websocket.DefaultDialer.DialContext(t.Context(), address+"?v=10&encoding=json", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	return &socket{t, ws}
}

func gatewayOf(s *discord.Server) string {
	return strings.Replace(s.URL(), "http:", "ws:", 1) + "/gateway"
}

func (k *socket) send(op int, d any) {
	k.t.Helper()
	if err := k.ws.WriteJSON(map[string]any{"op": op, "d": d}); err != nil {
		k.t.Fatal(err)
	}
}

func (k *socket) next() (packet, error) {
	if err := k.ws.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
		k.t.Fatal(err)
	}
	kind, raw, err := k.ws.ReadMessage()
	if err != nil {
		return packet{}, err
	}
	if kind == websocket.BinaryMessage {
		z, err := zlib.NewReader(bytes.NewReader(raw))
		if err != nil {
			return packet{}, err
		}
		if raw, err = io.ReadAll(z); err != nil {
			return packet{}, err
		}
	}
	var p packet
	return p, json.Unmarshal(raw, &p)
}

// want reads the next packet, which has to be of this kind.
func (k *socket) want(op int, kind string) packet {
	k.t.Helper()
	p, err := k.next()
	if err != nil {
		k.t.Fatalf("%d %s did not come: %v", op, kind, err)
	}
	if p.Op != op || p.T != kind {
		k.t.Fatalf("got %d %s %s, want %d %s", p.Op, p.T, p.D, op, kind)
	}
	return p
}

// wantClose reads until the connection is closed with a code.
func (k *socket) wantClose(code int) {
	k.t.Helper()
	for {
		_, err := k.next()
		var closed *websocket.CloseError
		switch {
		case err == nil:
		case errors.As(err, &closed) && closed.Code == code:
			return
		default:
			k.t.Fatalf("the connection ended with %v, want code %d", err, code)
		}
	}
}

func identify(s *discord.Server, intents int) map[string]any {
	return map[string]any{"token": s.Token(), "intents": intents, "properties": map[string]string{"os": "linux", "browser": "t", "device": "t"}}
}

const (
	guilds        = 1 << 0
	guildMessages = 1 << 9
	directs       = 1 << 12
	content       = 1 << 15
)

// start identifies and reads READY and the guild.
func (k *socket) start(s *discord.Server, intents int) (session, address string) {
	k.t.Helper()
	k.want(10, "")
	k.send(2, identify(s, intents))
	p := k.want(0, "READY")
	var ready struct {
		SessionID string `json:"session_id"`
		Resume    string `json:"resume_gateway_url"`
		Guilds    []struct {
			ID          string
			Unavailable bool
		}
	}
	if err := json.Unmarshal(p.D, &ready); err != nil {
		k.t.Fatal(err)
	}
	if len(ready.Guilds) != 1 || !ready.Guilds[0].Unavailable {
		k.t.Errorf("READY has guilds %+v", ready.Guilds)
	}
	if intents&guilds != 0 {
		k.want(0, "GUILD_CREATE")
	}
	return ready.SessionID, ready.Resume
}

func (k *socket) text(kind string) string {
	k.t.Helper()
	p := k.want(0, kind)
	var m struct{ Content string }
	if err := json.Unmarshal(p.D, &m); err != nil {
		k.t.Fatal(err)
	}
	return m.Content
}

func TestResumeBringsWhatWasMissed(t *testing.T) {
	s, w := world(t, discord.Options{})
	k := dial(t, gatewayOf(s))
	session, address := k.start(s, guilds|guildMessages|content)
	s.Say(w.channel, w.ada, "eins")
	p := k.want(0, "MESSAGE_CREATE")
	s.CutGateway()
	if _, err := k.next(); err == nil {
		t.Error("the connection survived the cut")
	}
	s.Say(w.channel, w.ada, "zwei")

	k = dial(t, address)
	k.want(10, "")
	k.send(6, map[string]any{"token": s.Token(), "session_id": session, "seq": p.S})
	if got := k.text("MESSAGE_CREATE"); got != "zwei" {
		t.Errorf("missed message %q, want zwei", got)
	}
	k.want(0, "RESUMED")
	s.Say(w.channel, w.ada, "drei")
	if got := k.text("MESSAGE_CREATE"); got != "drei" {
		t.Errorf("next message %q, want drei", got)
	}
	if g := s.Gateway(); g.Resumed != 1 || g.ResumeURL != 1 || g.Identifies != 1 {
		t.Errorf("gateway %+v", g)
	}
}

func TestSessionsThatCannotBeResumed(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(*discord.Server, *socket)
	}{
		{"forgotten", func(s *discord.Server, _ *socket) { s.ForgetSessions(); s.CutGateway() }},
		{"ended by the client with 1000", func(s *discord.Server, k *socket) {
			_ = k.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""), time.Now().Add(time.Second))
		}},
		{"closed with 1001", func(s *discord.Server, _ *socket) { s.CloseGateway(1001, "") }},
		{"too many events missed", func(s *discord.Server, _ *socket) {
			s.CutGateway()
			for range 10 {
				s.Say("3001", "1001", "x")
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := world(t, discord.Options{Replay: 5})
			k := dial(t, gatewayOf(s))
			session, address := k.start(s, guilds|guildMessages)
			tt.end(s, k)
			if _, err := k.next(); err == nil {
				t.Error("the connection survived")
			}
			if err := s.AwaitDisconnected(within(t, 5*time.Second)); err != nil {
				t.Fatal(err)
			}
			k = dial(t, address)
			k.want(10, "")
			k.send(6, map[string]any{"token": s.Token(), "session_id": session, "seq": 2})
			if p := k.want(9, ""); string(p.D) != "false" {
				t.Errorf("invalid session says %s, want false", p.D)
			}
			k.send(2, identify(s, guilds)) // the same connection takes a new start
			k.want(0, "READY")
		})
	}
}

func TestCloseCodes(t *testing.T) {
	unknown := 1 << 30
	for _, tt := range []struct {
		name string
		opts discord.Options
		send func(*discord.Server, *socket)
		want int
	}{
		{"wrong token", discord.Options{}, func(s *discord.Server, k *socket) {
			id := identify(s, 0)
			id["token"] = "FAKE.another"
			k.send(2, id)
		}, 4004},
		{"revoked", discord.Options{}, func(s *discord.Server, k *socket) { s.Revoke() }, 4004},
		{"unknown intents", discord.Options{}, func(s *discord.Server, k *socket) { k.send(2, identify(s, unknown)) }, 4013},
		{"intents that the portal forbids", discord.Options{WithoutContent: true}, func(s *discord.Server, k *socket) { k.send(2, identify(s, content)) }, 4014},
		{"events before identify", discord.Options{}, func(s *discord.Server, k *socket) { k.send(3, nil) }, 4003},
		{"no JSON", discord.Options{}, func(s *discord.Server, k *socket) {
			if err := k.ws.WriteMessage(websocket.TextMessage, []byte("{")); err != nil {
				k.t.Fatal(err)
			}
		}, 4002},
		{"twice", discord.Options{}, func(s *discord.Server, k *socket) { k.send(2, identify(s, 0)); k.send(2, identify(s, 0)) }, 4005},
		{"unknown opcode", discord.Options{}, func(s *discord.Server, k *socket) { k.send(2, identify(s, 0)); k.send(77, nil) }, 4001},
		{"too many frames", discord.Options{}, func(s *discord.Server, k *socket) {
			for range 121 {
				k.send(1, nil)
			}
		}, 4008},
		{"more starts than a day has", discord.Options{Starts: -1}, func(s *discord.Server, k *socket) { k.send(2, identify(s, 0)) }, 4004},
		{"no heartbeat", discord.Options{Heartbeat: 20 * time.Millisecond}, func(s *discord.Server, k *socket) {}, 4009},
		{"on request", discord.Options{}, func(s *discord.Server, k *socket) { s.CloseGateway(4000, "Unknown error.") }, 4000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, _ := world(t, tt.opts)
			k := dial(t, gatewayOf(s))
			k.want(10, "")
			tt.send(s, k)
			k.wantClose(tt.want)
		})
	}
}

func TestContentNeedsTheIntent(t *testing.T) {
	s, w := world(t, discord.Options{})
	bare, full := dial(t, gatewayOf(s)), dial(t, gatewayOf(s))
	bare.start(s, guilds|guildMessages|directs)
	full.start(s, guilds|guildMessages|directs|content)
	own := s.BotRole(w.guild)
	for _, tt := range []struct {
		channel, text, bare string
	}{
		{w.channel, "hallo", ""},
		{w.channel, "<@" + s.Bot().ID + "> hallo", "<@" + s.Bot().ID + "> hallo"},
		{w.channel, "<@!" + s.Bot().ID + "> hallo", "<@!" + s.Bot().ID + "> hallo"},
		{w.channel, "<@&" + own + "> hallo", ""},
		{s.Direct(w.ada), "hallo", "hallo"},
	} {
		s.Say(tt.channel, w.ada, tt.text)
		if got := full.text("MESSAGE_CREATE"); got != tt.text {
			t.Errorf("with the intent %q came as %q", tt.text, got)
		}
		if got := bare.text("MESSAGE_CREATE"); got != tt.bare {
			t.Errorf("without the intent %q came as %q, want %q", tt.text, got, tt.bare)
		}
	}
}

func TestEventsFollowIntentsAndPermissions(t *testing.T) {
	s, w := world(t, discord.Options{})
	k := dial(t, gatewayOf(s))
	k.start(s, directs)
	s.Say(w.channel, w.ada, "in der Gruppe")
	s.Say(s.Direct(w.ada), w.ada, "allein")
	if got := k.text("MESSAGE_CREATE"); got != "allein" {
		t.Errorf("got %q", got)
	}
	k = dial(t, gatewayOf(s))
	k.start(s, guildMessages|content)
	s.Permit(w.channel, w.guild, 0, discord.ViewChannel)
	s.Say(w.channel, w.ada, "geheim")
	s.Permit(w.channel, s.BotRole(w.guild), discord.ViewChannel, 0)
	s.Say(w.channel, w.ada, "offen")
	if got := k.text("MESSAGE_CREATE"); got != "offen" {
		t.Errorf("got %q", got)
	}
}

func TestMembersNeedTheIntent(t *testing.T) {
	s, _ := world(t, discord.Options{})
	for intents, want := range map[int]int{guilds: 1, guilds | 1<<1: 3} {
		k := dial(t, gatewayOf(s))
		k.want(10, "")
		k.send(2, identify(s, intents))
		k.want(0, "READY")
		var g struct {
			Members []json.RawMessage
			Count   int `json:"member_count"`
		}
		if p := k.want(0, "GUILD_CREATE"); json.Unmarshal(p.D, &g) != nil || len(g.Members) != want || g.Count != 3 {
			t.Errorf("with the intents %d came %d members of %d, want %d", intents, len(g.Members), g.Count, want)
		}
	}
}

func TestGatewayFaults(t *testing.T) {
	s, w := world(t, discord.Options{})
	k := dial(t, gatewayOf(s))
	k.start(s, guilds|guildMessages|content)
	s.AskHeartbeat()
	k.want(1, "")
	k.send(1, 3)
	k.want(11, "")
	s.Lose(1)
	s.Say(w.channel, w.ada, "verloren")
	s.Say(w.channel, w.ada, "da")
	s.Repeat(1)
	for range 2 {
		if got := k.text("MESSAGE_CREATE"); got != "da" {
			t.Errorf("got %q, want da", got)
		}
	}
	s.SlowGateway(100 * time.Microsecond)
	s.Say(w.channel, w.ada, "langsam")
	if got := k.text("MESSAGE_CREATE"); got != "langsam" {
		t.Errorf("got %q, want langsam", got)
	}
	s.SlowGateway(0)
	s.Reconnect()
	k.want(7, "")
	s.Invalidate(true)
	if p := k.want(9, ""); string(p.D) != "true" {
		t.Errorf("invalid session says %s", p.D)
	}
	s.Mute()
	s.Say(w.channel, w.ada, "stumm")
	k.send(1, 3)
	k.want(11, "")
	s.Freeze()
	k.send(1, 3)
	if s.Connected() != 0 {
		t.Error("a frozen connection counts as connected")
	}
	s.CutGateway()
	if p, err := k.next(); err == nil {
		t.Errorf("a frozen connection brought %+v", p)
	}
}

func TestConnectsAreRefused(t *testing.T) {
	s, _ := world(t, discord.Options{})
	s.RefuseConnects(1, 503)
	_, resp, err := websocket.DefaultDialer.Dial(gatewayOf(s)+"?v=10&encoding=json", nil)
	if err == nil || resp == nil || resp.StatusCode != 503 {
		t.Fatalf("got %v, want 503", err)
	}
	s.CloseConnects(1, 4000, "")
	dial(t, gatewayOf(s)).wantClose(4000)
	s.GarbageConnects(1, "<html>")
	if p, err := dial(t, gatewayOf(s)).next(); err == nil {
		t.Errorf("garbage was read as %+v", p)
	}
	s.WithholdReady(1)
	k := dial(t, gatewayOf(s))
	k.want(10, "")
	k.send(2, identify(s, 0))
	k.send(1, nil)
	k.want(11, "")
	s.HangConnects(1)
	k = dial(t, gatewayOf(s))
	if err := s.Down(); err != nil {
		t.Fatal(err)
	}
	if _, err := k.next(); err == nil {
		t.Error("the network is down and something came")
	}
	if err := s.Up(); err != nil {
		t.Fatal(err)
	}
	dial(t, gatewayOf(s)).start(s, guilds)
}
