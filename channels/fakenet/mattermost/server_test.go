package mattermost_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/mattermost/mattermost/server/public/model"
	"go.uber.org/goleak"

	"outheis/channels/fakenet/mattermost"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ids are what the world of the tests holds.
type ids struct {
	ada, ben, team, channel string
}

// world starts a server with two people and a channel.
func world(t *testing.T, o mattermost.Options) (*mattermost.Server, ids) {
	t.Helper()
	s, err := mattermost.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	w := ids{
		ada: s.AddUser(mattermost.User{Username: "ada", FirstName: "Ada", Locale: "de"}).ID,
		ben: s.AddUser(mattermost.User{Username: "ben"}).ID,
	}
	w.team = s.AddTeam("Werk", w.ada, w.ben)
	w.channel = s.AddChannel(w.team, "Allgemein", mattermost.Open, w.ada, w.ben)
	return s, w
}

// library is the client that Mattermost's own programs use.
func library(t *testing.T, s *mattermost.Server) *model.Client4 {
	t.Helper()
	c := model.NewAPIv4Client(s.URL())
	c.SetToken(s.Token())
	t.Cleanup(c.HTTPClient.CloseIdleConnections)
	return c
}

// listen opens the websocket of that client; events come on its EventChannel.
func listen(t *testing.T, s *mattermost.Server) *model.WebSocketClient {
	t.Helper()
	ws, err := model.NewWebSocketClient4(strings.Replace(s.URL(), "http:", "ws:", 1), s.Token())
	if err != nil {
		t.Fatal(err)
	}
	ws.Listen()
	t.Cleanup(func() { stop(ws) })
	if err := s.AwaitConnected(within(t, 5*time.Second)); err != nil {
		t.Fatal(err)
	}
	return ws
}

// stop closes the client and waits until its reader has ended.
func stop(ws *model.WebSocketClient) {
	ws.Close()
	for range ws.EventChannel {
	}
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// next returns the next event of a kind and skips others.
func next(t *testing.T, ws *model.WebSocketClient, kind model.WebsocketEventType) *model.WebSocketEvent {
	t.Helper()
	late := time.After(5 * time.Second)
	for {
		select {
		case e, ok := <-ws.EventChannel:
			if !ok {
				t.Fatalf("the websocket ended before %s: %v", kind, ws.ListenError)
			}
			if e.EventType() == kind {
				return e
			}
		case <-late:
			t.Fatalf("%s did not come", kind)
		}
	}
}

// posted returns the post of the next event of a kind.
func posted(t *testing.T, ws *model.WebSocketClient, kind model.WebsocketEventType) (*model.WebSocketEvent, *model.Post) {
	t.Helper()
	e := next(t, ws, kind)
	raw, _ := e.GetData()["post"].(string)
	var p model.Post
	if err := json.Unmarshal([]byte(raw), &p); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return e, &p
}

func TestClient4ReadsAndWrites(t *testing.T) {
	s, w := world(t, mattermost.Options{})
	c, ws := library(t, s), listen(t, s)
	ctx := t.Context()
	me, _, err := c.GetMe(ctx, "")
	if err != nil || me.Id != s.Bot().ID || !me.IsBot {
		t.Fatalf("me is %+v, %v", me, err)
	}
	hello := next(t, ws, model.WebsocketEventHello)
	if hello.GetData()["connection_id"] == "" || !strings.HasPrefix(hello.GetData()["server_version"].(string), "11.1.0") {
		t.Errorf("hello says %v", hello.GetData())
	}
	id := s.Say(w.channel, w.ada, "Wie lang ist die Frist, @beispiel.?")
	e, p := posted(t, ws, model.WebsocketEventPosted)
	if p.Id != id || p.Message != "Wie lang ist die Frist, @beispiel.?" || e.GetData()["channel_type"] != "O" || e.GetData()["sender_name"] != "@ada" ||
		e.GetData()["mentions"] != `["`+me.Id+`"]` || e.GetBroadcast().ChannelId != w.channel {
		t.Errorf("posted %v with %+v", e.GetData(), p)
	}
	up, _, err := c.UploadFile(ctx, []byte("vier"), w.channel, "frist.txt")
	if err != nil {
		t.Fatal(err)
	}
	answer, resp, err := c.CreatePost(ctx, &model.Post{ChannelId: w.channel, RootId: id, Message: "**Vier** Wochen, @ada", FileIds: []string{up.FileInfos[0].Id}, PendingPostId: "k1"})
	if err != nil || resp.StatusCode != 201 || len(answer.FileIds) != 1 || answer.GetProp("from_bot") != "true" {
		t.Fatalf("created %+v, %v", answer, err)
	}
	again, _, err := c.CreatePost(ctx, &model.Post{ChannelId: w.channel, RootId: id, Message: "**Vier** Wochen, @ada", PendingPostId: "k1"})
	if err != nil || again.Id != answer.Id {
		t.Errorf("the same pending id made %+v, %v; want %s", again, err, answer.Id)
	}
	if _, own := posted(t, ws, model.WebsocketEventPosted); own.Id != answer.Id || own.PendingPostId != "k1" {
		t.Errorf("own post came as %+v", own)
	}
	sent := s.Sent(w.channel)
	if len(sent) != 1 || sent[0].Root != id || sent[0].Pings[0] != w.ada || string(sent[0].Files[0].Data) != "vier" {
		t.Errorf("a person finds %+v", sent)
	}
	data, _, err := c.GetFile(ctx, answer.FileIds[0])
	if err != nil || string(data) != "vier" {
		t.Errorf("file %q, %v", data, err)
	}
	s.Edit(id, "Wie lang ist die Kündigungsfrist?")
	if _, p := posted(t, ws, model.WebsocketEventPostEdited); p.EditAt == 0 || p.Message != "Wie lang ist die Kündigungsfrist?" {
		t.Errorf("edited post %+v", p)
	}
	s.React(w.ada, answer.Id, "thumbsup")
	next(t, ws, model.WebsocketEventReactionAdded)
	ws.UserTyping(w.channel, id)
	if r := <-ws.ResponseChannel; r.Status != "OK" {
		t.Errorf("authentication was answered with %+v", r)
	}
	if r := <-ws.ResponseChannel; r.Status != "OK" || len(s.Typing(w.channel)) != 1 {
		t.Errorf("typing was answered with %+v", r)
	}
}

func TestReconnectBringsWhatWasMissed(t *testing.T) {
	s, w := world(t, mattermost.Options{})
	address := strings.Replace(s.URL(), "http:", "ws:", 1)
	dial := func(id string, seq int) *model.WebSocketClient {
		t.Helper()
		ws, err := model.NewReliableWebSocketClientWithDialer(websocket.DefaultDialer, address, s.Token(), id, seq, true)
		if err != nil {
			t.Fatal(err)
		}
		ws.Listen()
		return ws
	}
	ws := dial("", 0)
	id, _ := next(t, ws, model.WebsocketEventHello).GetData()["connection_id"].(string)
	s.Say(w.channel, w.ada, "eins")
	e, _ := posted(t, ws, model.WebsocketEventPosted)
	s.CutSockets()
	stop(ws)
	if err := s.AwaitDisconnected(within(t, 5*time.Second)); err != nil {
		t.Fatal(err)
	}
	s.Say(w.channel, w.ada, "zwei")
	ws = dial(id, int(e.GetSequence())+1)
	if e, p := posted(t, ws, model.WebsocketEventPosted); p.Message != "zwei" || e.GetSequence() != 2 {
		t.Errorf("after the reconnect %q with number %d came", p.Message, e.GetSequence())
	}
	if st := s.Sockets(); st.Resumed != 1 || st.Fresh != 1 {
		t.Errorf("sockets %+v", st)
	}

	// Events that are lost show as another connection.
	s.ForgetConnections()
	s.CutSockets()
	stop(ws)
	s.Say(w.channel, w.ada, "drei")
	ws = dial(id, 3)
	if other := next(t, ws, model.WebsocketEventHello); other.GetData()["connection_id"] == id || other.GetSequence() != 0 {
		t.Errorf("a lost connection began with %+v", other)
	}
	c := library(t, s)
	list, _, err := c.GetPostsAfter(t.Context(), w.channel, s.History(w.channel)[1].ID, 0, 10, "", false, false)
	if err != nil || len(list.Order) != 1 || list.Posts[list.Order[0]].Message != "drei" {
		t.Errorf("history after the gap is %+v, %v", list, err)
	}
	stop(ws)
}
