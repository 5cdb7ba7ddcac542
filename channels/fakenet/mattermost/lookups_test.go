package mattermost_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mattermost/mattermost/server/public/model"

	"outheis/channels/fakenet/mattermost"
)

// Client4 reads the answers into its own types; what it cannot read fails.
func TestClient4LooksAround(t *testing.T) {
	s, w := world(t, mattermost.Options{})
	c, ctx := library(t, s), t.Context()
	own := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	u, _, err := c.GetUser(ctx, w.ada, "")
	own(err)
	byName, _, err := c.GetUserByUsername(ctx, "ada", "")
	own(err)
	byIDs, _, err := c.GetUsersByIds(ctx, []string{w.ben, w.ada})
	own(err)
	byNames, _, err := c.GetUsersByUsernames(ctx, []string{"ben"})
	own(err)
	if u.Username != "ada" || u.Locale != "de" || byName.Id != w.ada || len(byIDs) != 2 || len(byNames) != 1 {
		t.Errorf("users %+v, %+v, %d, %d", u, byName, len(byIDs), len(byNames))
	}
	teams, _, err := c.GetTeamsForUser(ctx, "me", "")
	own(err)
	team, _, err := c.GetTeam(ctx, w.team, "")
	own(err)
	named, _, err := c.GetTeamByName(ctx, "werk", "")
	own(err)
	if len(teams) != 1 || team.Name != "werk" || named.Id != w.team {
		t.Errorf("teams %+v, %+v, %+v", teams, team, named)
	}
	direct, _, err := c.CreateDirectChannel(ctx, s.Bot().ID, w.ada)
	own(err)
	group, _, err := c.CreateGroupChannel(ctx, []string{w.ada, w.ben})
	own(err)
	if direct.Id != s.Direct(w.ada) || direct.Type != model.ChannelTypeDirect || group.Id != s.Group(w.ada, w.ben) || group.Type != model.ChannelTypeGroup {
		t.Errorf("channels %+v, %+v", direct, group)
	}
	mine, _, err := c.GetChannelsForTeamForUser(ctx, w.team, "me", false, "")
	own(err)
	if len(mine) != 3 {
		t.Errorf("%d channels, want 3", len(mine))
	}
	byChannelName, _, err := c.GetChannelByName(ctx, "allgemein", w.team, "")
	own(err)
	members, _, err := c.GetChannelMembers(ctx, w.channel, 0, 100, "")
	own(err)
	member, _, err := c.GetChannelMember(ctx, w.channel, s.Bot().ID, "")
	own(err)
	stats, _, err := c.GetChannelStats(ctx, w.channel, "", false)
	own(err)
	if byChannelName.Id != w.channel || len(members) != 3 || member.UserId != s.Bot().ID || stats.MemberCount != 3 {
		t.Errorf("channel %+v with %d members, %+v, %+v", byChannelName, len(members), member, stats)
	}
	config, _, err := c.GetOldClientConfig(ctx, "")
	own(err)
	if config["MaxPostSize"] != "16383" || config["Version"] != "11.1.0" {
		t.Errorf("config %v", config)
	}
	if status, _, err := c.GetPing(ctx); err != nil || status != model.StatusOk {
		t.Errorf("ping %q, %v", status, err)
	}
	statuses, _, err := c.GetUsersStatusesByIds(ctx, []string{w.ada})
	own(err)
	status, _, err := c.GetUserStatus(ctx, "me", "")
	own(err)
	if statuses[0].UserId != w.ada || status.Status != "online" {
		t.Errorf("statuses %+v, %+v", statuses, status)
	}
	root := s.Post(mattermost.Line{Channel: w.channel, From: w.ada, Text: "mit Datei", Files: []mattermost.File{{Name: "a.txt", Data: []byte("a")}}})
	s.Reply(w.channel, w.ben, root, "dazu")
	thread, _, err := c.GetPostThread(ctx, root, "", false)
	own(err)
	if len(thread.Order) != 2 || thread.Posts[root].ReplyCount != 1 {
		t.Errorf("thread %+v", thread)
	}
	infos, _, err := c.GetFileInfosForPost(ctx, root, "")
	own(err)
	info, _, err := c.GetFileInfo(ctx, infos[0].Id)
	own(err)
	if info.Name != "a.txt" || info.Size != 1 {
		t.Errorf("file %+v", info)
	}
	s.RemoveFile(info.Id)
	if _, _, err := c.GetFile(ctx, info.Id); err == nil {
		t.Error("a file that is gone can be read")
	}
	reaction := &model.Reaction{UserId: s.Bot().ID, PostId: root, EmojiName: "eyes"}
	_, _, err = c.SaveReaction(ctx, reaction)
	own(err)
	s.React(w.ada, root, "eyes")
	s.Unreact(w.ada, root, "eyes")
	if list, _, err := c.GetReactions(ctx, root); err != nil || len(list) != 1 || len(s.Reactions(root)["eyes"]) != 1 {
		t.Errorf("reactions %+v, %v", list, err)
	}
	_, err = c.DeleteReaction(ctx, reaction)
	own(err)
	_, err = c.PublishUserTyping(ctx, s.Bot().ID, model.TypingRequest{ChannelId: w.channel, ParentId: root})
	own(err)
	if got := s.Typing(w.channel); len(got) != 1 || got[0].Root != root {
		t.Errorf("typing %+v", got)
	}
	if wrong := s.Violations(); len(wrong) > 0 {
		t.Errorf("violations %v", wrong)
	}
}

func TestClient4ManagesCommands(t *testing.T) {
	s, w := world(t, mattermost.Options{Commands: true})
	c, ctx := library(t, s), t.Context()
	made, _, err := c.CreateCommand(ctx, &model.Command{TeamId: w.team, Trigger: "frage", Method: "P", URL: "http://127.0.0.1:9/"})
	if err != nil || made.Token == "" {
		t.Fatalf("made %+v, %v", made, err)
	}
	if _, resp, err := c.CreateCommand(ctx, &model.Command{TeamId: w.team, Trigger: "frage", Method: "P", URL: "http://127.0.0.1:9/"}); err == nil || resp.StatusCode != 400 {
		t.Errorf("the same trigger got %v", err)
	}
	made.AutoComplete, made.AutoCompleteDesc = true, "fragt"
	if changed, _, err := c.UpdateCommand(ctx, made); err != nil || changed.AutoCompleteDesc != "fragt" || changed.Token != made.Token {
		t.Errorf("changed %+v, %v", changed, err)
	}
	token, _, err := c.RegenCommandToken(ctx, made.Id)
	if err != nil || token == made.Token || s.Commands(w.team)[0].Token != token {
		t.Errorf("token %q, %v", token, err)
	}
	if list, _, err := c.ListCommands(ctx, w.team, true); err != nil || len(list) != 1 {
		t.Errorf("commands %+v, %v", list, err)
	}
	if got, _, err := c.GetCommandById(ctx, made.Id); err != nil || got.Trigger != "frage" {
		t.Errorf("command %+v, %v", got, err)
	}
	if _, err := c.DeleteCommand(ctx, made.Id); err != nil || len(s.Commands(w.team)) != 0 {
		t.Errorf("%v; left %+v", err, s.Commands(w.team))
	}
}

func TestStandingOfTheBot(t *testing.T) {
	s, w := world(t, mattermost.Options{Ephemeral: true, NoEdits: time.Nanosecond})
	c, ws := rest(t, s), listen(t, s)
	id := c.create(w.channel, `"message":"eins"`)
	moment(t, s.History(w.channel)[0].CreateAt+1)
	if r := c.call("PUT", "/posts/"+id+"/patch", `{"message":"zwei"}`); r.status != 400 || r.body["id"] != "api.post.update_post.permissions_time_limit.app_error" {
		t.Errorf("a late edit got %d %s", r.status, r.raw)
	}
	s.MuteChannel(w.channel, true)
	if r := c.call("POST", "/posts", `{"channel_id":"`+w.channel+`","message":"x"}`); r.status != 403 {
		t.Errorf("in a channel without the right it got %d", r.status)
	}
	s.MuteChannel(w.channel, false)
	if r := c.call("POST", "/posts/ephemeral", `{"user_id":"`+w.ada+`","post":{"channel_id":"`+w.channel+`","message":"nur du"}}`); r.status != 201 || s.Seen(w.ada)[0].Text != "nur du" {
		t.Errorf("for one person it got %d %s", r.status, r.raw)
	}
	s.Touch(id)
	if _, p := posted(t, ws, model.WebsocketEventPostEdited); p.EditAt != 0 || p.Message != "eins" {
		t.Errorf("a touched post came as %+v", p)
	}
	s.Type(w.channel, w.ada, "")
	next(t, ws, model.WebsocketEventTyping)
	s.LeaveTeam(w.team)
	next(t, ws, model.WebsocketEventLeaveTeam)
	if r := c.call("POST", "/posts", `{"channel_id":"`+w.channel+`","message":"x"}`); r.status != 403 {
		t.Errorf("outside of the team it got %d", r.status)
	}
	s.JoinTeam(w.team)
	next(t, ws, model.WebsocketEventAddedToTeam)
	s.Revoke()
	if r := c.call("GET", "/users/me", ""); r.status != 401 {
		t.Errorf("a revoked token got %d", r.status)
	}
	s.Restore()
	if r := c.call("GET", "/users/me", ""); r.status != 200 {
		t.Errorf("a restored token got %d", r.status)
	}
}

func TestMoreFaultsOfWebsockets(t *testing.T) {
	s, w := world(t, mattermost.Options{Ping: 5 * time.Millisecond})
	ws := dial(t, s, s.Token())
	drain(t, ws)
	s.SlowSockets(100 * time.Microsecond)
	s.Say(w.channel, w.ada, "langsam")
	if _, raw, err := ws.ReadMessage(); err != nil || !strings.Contains(string(raw), "langsam") {
		t.Errorf("slowly came %s, %v", raw, err)
	}
	s.SlowSockets(0)
	s.Inject("{")
	if _, raw, err := ws.ReadMessage(); err != nil || string(raw) != "{" {
		t.Errorf("injected came %s, %v", raw, err)
	}
	for action, want := range map[string]string{"nix": "bad_action", "": "no_action", "get_statuses": `"status":"OK"`, "ping": "pong"} {
		if err := ws.WriteJSON(map[string]any{"seq": 2, "action": action}); err != nil {
			t.Fatal(err)
		}
		if _, raw, err := ws.ReadMessage(); err != nil || !strings.Contains(string(raw), want) || !strings.Contains(string(raw), `"seq_reply":2`) {
			t.Errorf("%q was answered with %s, %v", action, raw, err)
		}
	}
	s.Mute()
	s.Say(w.channel, w.ada, "stumm")
	pinged := make(chan struct{}, 100)
	ws.SetPingHandler(func(string) error {
		select {
		case pinged <- struct{}{}:
		default:
		}
		return nil
	})
	silent(t, ws)
	if len(pinged) == 0 {
		t.Error("a mute websocket is not pinged")
	}
	s.FreezeConnects(1)
	silent(t, dial(t, s, s.Token()))
	s.Fault(mattermost.Fault{Kind: mattermost.Refuse, Status: 500, Times: -1})
	s.RefuseConnects(-1, 503)
	s.ClearFaults()
	drain(t, dial(t, s, s.Token()))
	if r := rest(t, s).call("GET", "/users/me", ""); r.status != 200 || s.Calls(mattermost.GetUser) != 1 {
		t.Errorf("got %d, %d calls", r.status, s.Calls(mattermost.GetUser))
	}
}

func TestOldPostsAreForgotten(t *testing.T) {
	s, w := world(t, mattermost.Options{Keep: 5})
	c := rest(t, s)
	for i := range 30 {
		c.create(w.channel, fmt.Sprintf(`"message":"%d"`, i))
	}
	sent, err := s.AwaitSent(within(t, 5*time.Second), w.channel, 5)
	if err != nil || len(sent) > 10 || sent[len(sent)-1].Text != "29" || len(s.History(w.channel)) > 10 {
		t.Errorf("%d posts are remembered, %v", len(sent), err)
	}
}
