package mattermost_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mattermost/mattermost/server/public/model"

	"outheis/channels/fakenet/mattermost"
)

// A caller speaks the REST API without any library.
type caller struct {
	t      *testing.T
	s      *mattermost.Server
	client *http.Client
	token  string
}

func rest(t *testing.T, s *mattermost.Server) *caller {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &caller{t, s, &http.Client{Transport: transport, Timeout: 5 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}, s.Token()}
}

// A reply is an answer of the API.
type reply struct {
	status int
	header http.Header
	raw    string
	body   map[string]any
}

func (c *caller) try(method, path, body string) (reply, error) {
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.s.URL()+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	r := reply{status: resp.StatusCode, header: resp.Header, raw: strings.TrimSpace(string(raw))}
	_ = json.Unmarshal(raw, &r.body) // lists and pages stay in raw
	return r, err
}

func (c *caller) call(method, path, body string) reply {
	c.t.Helper()
	r, err := c.try(method, "/api/v4"+path, body)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return r
}

// create posts and returns the id.
func (c *caller) create(channel, more string) string {
	c.t.Helper()
	r := c.call("POST", "/posts", `{"channel_id":"`+channel+`",`+more+`}`)
	if r.status != 201 {
		c.t.Fatalf("post %s: %d %s", more, r.status, r.raw)
	}
	return r.body["id"].(string)
}

// The expectations are what a real server 11.1.0 answered.
func TestErrorsLookLikeTheServers(t *testing.T) {
	s, w := world(t, mattermost.Options{})
	c := rest(t, s)
	private := s.AddChannel(w.team, "Privat", mattermost.Private)
	s.Kick(private, s.Bot().ID, w.ada)
	archived := s.AddChannel(w.team, "Alt", mattermost.Open)
	s.Archive(archived, w.ada)
	root := s.Say(w.channel, w.ada, "wurzel")
	answer := s.Reply(w.channel, w.ada, root, "antwort")
	gone := c.create(w.channel, `"message":"weg"`)
	if r := c.call("DELETE", "/posts/"+gone, ""); r.raw != `{"status":"OK"}` {
		t.Fatalf("delete got %d %s", r.status, r.raw)
	}
	unknown := strings.Repeat("z", 26)
	post := func(channel, more string) string { return `{"channel_id":"` + channel + `",` + more + `}` }
	for _, tt := range []struct {
		name, method, path, body string
		status                   int
		id                       string
	}{
		{"unknown way", "GET", "/nix", "", 404, "api.context.404.app_error"},
		{"wrong method", "POST", "/users/me", "{}", 404, "api.context.404.app_error"},
		{"no id", "GET", "/users/xx", "", 400, "api.context.invalid_url_param.app_error"},
		{"no user", "GET", "/users/" + unknown, "", 404, "app.user.missing_account.const"},
		{"no channel", "GET", "/channels/" + unknown, "", 404, "app.channel.get.existing.app_error"},
		{"another's channel", "GET", "/channels/" + private, "", 403, "api.context.permissions.app_error"},
		{"no JSON", "POST", "/posts", "{", 400, "api.context.invalid_body_param.app_error"},
		{"post nowhere", "POST", "/posts", `{"message":"x"}`, 403, "api.context.permissions.app_error"},
		{"post elsewhere", "POST", "/posts", post(private, `"message":"x"`), 403, "api.context.permissions.app_error"},
		{"post in the archive", "POST", "/posts", post(archived, `"message":"x"`), 400, "api.post.create_post.can_not_post_to_deleted.error"},
		{"answer to an answer", "POST", "/posts", post(w.channel, `"message":"x","root_id":"`+answer+`"`), 400, "api.post.create_post.root_id.app_error"},
		{"answer to nothing", "POST", "/posts", post(w.channel, `"message":"x","root_id":"`+unknown+`"`), 400, "api.post.create_post.root_id.app_error"},
		{"answer to what is gone", "POST", "/posts", post(w.channel, `"message":"x","root_id":"`+gone+`"`), 400, "api.post.create_post.root_id.app_error"},
		{"too long", "POST", "/posts", post(w.channel, `"message":"`+strings.Repeat("ä", 16384)+`"`), 400, "model.post.is_valid.message_length.app_error"},
		{"too many files", "POST", "/posts", post(w.channel, `"message":"x","file_ids":["a","b","c","d","e","f","g","h","i","j","k"]`), 400, "model.post.is_valid.file_ids.app_error"},
		{"edit of another's", "PUT", "/posts/" + root + "/patch", `{"message":"x"}`, 403, "api.context.permissions.app_error"},
		{"edit of what is gone", "PUT", "/posts/" + gone + "/patch", `{"message":"x"}`, 403, "api.context.permissions.app_error"},
		{"edit under another id", "PUT", "/posts/" + root, `{"id":"` + answer + `","message":"x"}`, 400, "api.context.invalid_body_param.app_error"},
		{"get what is gone", "GET", "/posts/" + gone, "", 404, "app.post.get.app_error"},
		{"delete another's", "DELETE", "/posts/" + root, "", 403, "api.context.permissions.app_error"},
		{"no file", "GET", "/files/" + unknown, "", 404, "app.file_info.get.app_error"},
		{"no emoji", "POST", "/reactions", `{"user_id":"` + s.Bot().ID + `","post_id":"` + root + `","emoji_name":"gibtsnicht"}`, 404, "app.emoji.get_by_name.no_result"},
		{"reaction of another", "POST", "/reactions", `{"user_id":"` + w.ada + `","post_id":"` + root + `","emoji_name":"smile"}`, 403, "api.reaction.save_reaction.user_id.app_error"},
		{"direct with nobody", "POST", "/channels/direct", `["` + s.Bot().ID + `","` + unknown + `"]`, 400, "api.channel.create_direct_channel.invalid_user.app_error"},
		{"direct of others", "POST", "/channels/direct", `["` + w.ada + `","` + w.ben + `"]`, 403, "api.context.permissions.app_error"},
		{"commands", "GET", "/commands?team_id=" + w.team, "", 403, "api.context.permissions.app_error"},
		{"ephemeral", "POST", "/posts/ephemeral", `{"user_id":"` + w.ada + `","post":{"channel_id":"` + w.channel + `","message":"x"}}`, 403, "api.context.permissions.app_error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c.t = t
			r := c.call(tt.method, tt.path, tt.body)
			if r.status != tt.status || r.body["id"] != tt.id || r.body["status_code"] != float64(tt.status) || r.body["message"] == "" {
				t.Errorf("got %d %s, want %d %s", r.status, r.raw, tt.status, tt.id)
			}
		})
	}
	c.t = t
	c.token = "falsch"
	if r := c.call("GET", "/users/me", ""); r.status != 401 || r.body["message"] != "Invalid or expired session, please login again." {
		t.Errorf("a wrong token got %d %s", r.status, r.raw)
	}
}

func TestTheLimitCountsRunes(t *testing.T) {
	s, w := world(t, mattermost.Options{})
	rest(t, s).create(w.channel, `"message":"`+strings.Repeat("😀", 16383)+`"`)
	if got := len([]rune(s.Sent(w.channel)[0].Text)); got != 16383 {
		t.Errorf("a post has %d runes", got)
	}
}

func TestHistory(t *testing.T) {
	s, w := world(t, mattermost.Options{})
	c := library(t, s)
	var ids []string
	for i := range 7 {
		ids = append(ids, s.Say(w.channel, w.ada, fmt.Sprint(i)))
	}
	read := func(l *model.PostList, _ *model.Response, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var all string
		for _, id := range l.Order {
			all += l.Posts[id].Message
		}
		return all
	}
	ctx := t.Context()
	for _, tt := range []struct{ name, got, want string }{
		{"all", read(c.GetPostsForChannel(ctx, w.channel, 0, 100, "", false, false)), "6543210"},
		{"first page", read(c.GetPostsForChannel(ctx, w.channel, 0, 3, "", false, false)), "654"},
		{"second page", read(c.GetPostsForChannel(ctx, w.channel, 1, 3, "", false, false)), "321"},
		{"after", read(c.GetPostsAfter(ctx, w.channel, ids[1], 0, 2, "", false, false)), "32"},
		{"after, second page", read(c.GetPostsAfter(ctx, w.channel, ids[1], 1, 2, "", false, false)), "54"},
		{"after nothing", read(c.GetPostsAfter(ctx, w.channel, strings.Repeat("z", 26), 0, 2, "", false, false)), ""},
		{"before", read(c.GetPostsBefore(ctx, w.channel, ids[5], 0, 2, "", false, false)), "43"},
		{"since", read(c.GetPostsSince(ctx, w.channel, s.History(w.channel)[4].CreateAt, false)), "65"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s lists %q, want %q", tt.name, tt.got, tt.want)
		}
	}
	// Since shows edits and deletions, and keeps the former texts without words.
	at := s.History(w.channel)[6].UpdateAt + 1
	moment(t, at)
	s.Edit(ids[0], "neu")
	s.Delete(ids[1])
	list, _, err := c.GetPostsSince(ctx, w.channel, at-1, false)
	if err != nil || len(list.Order) != 3 {
		t.Fatalf("since lists %+v, %v", list, err)
	}
	if p := list.Posts[ids[1]]; p.DeleteAt == 0 || p.Message != "" {
		t.Errorf("a deleted post is %+v", p)
	}
	if p := list.Posts[ids[0]]; p.EditAt == 0 || p.Message != "neu" {
		t.Errorf("an edited post is %+v", p)
	}
	// Posts of one moment: the list after one of them lacks the others.
	same := s.History(w.channel)[5].CreateAt + 1000
	first := s.Post(mattermost.Line{Channel: w.channel, From: w.ada, Text: "a", At: same})
	s.Post(mattermost.Line{Channel: w.channel, From: w.ada, Text: "b", At: same})
	if got := read(c.GetPostsAfter(ctx, w.channel, first, 0, 10, "", false, false)); got != "" {
		t.Errorf("after lists %q", got)
	}
}

// moment waits until the clock has passed a time in Unix milliseconds.
func moment(t *testing.T, at int64) {
	t.Helper()
	for time.Now().UnixMilli() <= at {
		select {
		case <-time.After(time.Millisecond):
		case <-t.Context().Done():
			t.Fatal("the test ended")
		}
	}
}

func TestEdits(t *testing.T) {
	s, w := world(t, mattermost.Options{})
	c, ws := rest(t, s), listen(t, s)
	id := c.create(w.channel, `"message":"eins"`)
	if r := c.call("PUT", "/posts/"+id+"/patch", `{"message":"zwei"}`); r.status != 200 || r.body["edit_at"] == 0.0 || r.body["props"].(map[string]any)["from_bot"] != "true" {
		t.Errorf("a patch got %d %s", r.status, r.raw)
	}
	edited := s.History(w.channel)[0].EditAt
	if r := c.call("PUT", "/posts/"+id+"/patch", `{"message":"zwei"}`); r.status != 200 || r.body["edit_at"] != float64(edited) {
		t.Errorf("the same patch got %d %s", r.status, r.raw)
	}
	// Both came as edits: nothing but edit_at tells them apart.
	for range 2 {
		if _, p := posted(t, ws, model.WebsocketEventPostEdited); p.Message != "zwei" || p.EditAt != edited {
			t.Errorf("edited post %+v", p)
		}
	}
	if r := c.call("PUT", "/posts/"+id, `{"id":"`+id+`","message":"drei"}`); r.status != 200 || len(r.body["props"].(map[string]any)) != 0 {
		t.Errorf("an update without props got %d %s", r.status, r.raw)
	}
	if got := s.Sent(w.channel); got[0].Text != "drei" || got[0].Edits != 3 {
		t.Errorf("a person finds %+v", got)
	}
}

func TestMentions(t *testing.T) {
	s, w := world(t, mattermost.Options{Bot: mattermost.User{Username: "hab"}})
	ws := listen(t, s)
	for _, tt := range []struct {
		text string
		want bool
	}{
		{"hallo", false}, {"@hab hallo", true}, {"hallo @HAB", true}, {"@hab. und", true}, {"@hab.test", false}, {"@haben", false},
		{"`@hab`", false}, {"```\n@hab\n```", false}, {"post@hab.example", false}, {"@channel", true}, {"@all", true}, {"@here", true}, {"(@hab)", true},
	} {
		s.Say(w.channel, w.ada, tt.text)
		e, _ := posted(t, ws, model.WebsocketEventPosted)
		if _, got := e.GetData()["mentions"]; got != tt.want {
			t.Errorf("%q mentions the bot: %t, want %t", tt.text, got, tt.want)
		}
	}
	s.Say(s.Direct(w.ada), w.ada, "unter uns")
	if e, _ := posted(t, ws, model.WebsocketEventPosted); e.GetData()["mentions"] == nil || e.GetData()["channel_type"] != "D" || e.GetData()["team_id"] != "" {
		t.Errorf("a direct post came as %v", e.GetData())
	}
	s.Say(s.Group(w.ada, w.ben), w.ada, "zu dritt")
	if e, _ := posted(t, ws, model.WebsocketEventPosted); e.GetData()["channel_type"] != "G" || e.GetData()["channel_display_name"] != "ada, ben, hab" {
		t.Errorf("a group post came as %v", e.GetData())
	}
}
