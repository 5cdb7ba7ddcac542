package discord_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"outheis/channels/fakenet/discord"
)

// A caller speaks the REST API without any library.
type caller struct {
	t      *testing.T
	s      *discord.Server
	client *http.Client
	token  string
}

func rest(t *testing.T, s *discord.Server) *caller {
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

func (c *caller) try(method, path, kind, body string) (reply, error) {
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.s.URL()+"/api/v10"+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("User-Agent", "DiscordBot (https://beispiel.example, 1)")
	req.Header.Set("Authorization", "Bot "+c.token)
	if body != "" {
		req.Header.Set("Content-Type", kind)
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
	r, err := c.try(method, path, "application/json", body)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return r
}

// create posts a message and returns its id.
func (c *caller) create(channel, body string) string {
	c.t.Helper()
	r := c.call("POST", "/channels/"+channel+"/messages", body)
	if r.status != 200 {
		c.t.Fatalf("create %s: %d %s", body, r.status, r.raw)
	}
	return r.body["id"].(string)
}

func TestErrorsLookLikeDiscords(t *testing.T) {
	s, w := world(t, discord.Options{})
	c := rest(t, s)
	stranger := s.AddUser(discord.User{}).ID
	closed := s.AddUser(discord.User{}).ID
	s.Join(w.guild, closed)
	s.CloseDM(closed, true)
	silent, hidden := s.AddChannel(w.guild, "", "still", discord.GuildText), s.AddChannel(w.guild, "", "versteckt", discord.GuildText)
	s.Permit(silent, w.guild, 0, discord.SendMessages)
	s.Permit(hidden, w.guild, 0, discord.ViewChannel)
	locked := s.OpenThread(w.channel, "", w.ada, "zu")
	s.Archive(locked, true)
	own, foreign := c.create(w.channel, `{"content":"x"}`), s.Say(w.channel, w.ada, "y")
	messages := "/channels/" + w.channel + "/messages"
	for _, tt := range []struct {
		name, method, path, body string
		status                   int
		code                     float64
		want                     string // in the body
	}{
		{"unknown way", "GET", "/nix", "", 404, 0, `{"code":0,"message":"404: Not Found"}`},
		{"wrong method", "PUT", "/users/@me", `{}`, 405, 0, "405: Method Not Allowed"},
		{"no channel", "POST", "/channels/5/messages", `{"content":"x"}`, 404, 10003, "Unknown Channel"},
		{"no id", "POST", "/channels/abc/messages", `{"content":"x"}`, 400, 50035, `Value \"abc\" is not snowflake.`},
		{"empty", "POST", messages, `{"content":" \n "}`, 400, 50006, "Cannot send an empty message"},
		{"too long", "POST", messages, `{"content":"` + strings.Repeat("😀", 2001) + `"}`, 400, 50035,
			`"errors":{"content":{"_errors":[{"code":"BASE_TYPE_MAX_LENGTH","message":"Must be 2000 or fewer in length."}]}}`},
		{"no JSON", "POST", messages, `{`, 400, 50109, "The request body contains invalid JSON."},
		{"wrong type", "POST", messages, `{"content":5}`, 400, 50035, `"content"`},
		{"reply to nothing", "POST", messages, `{"content":"x","message_reference":{"message_id":"5"}}`, 400, 50035, "Unknown message"},
		{"no label", "POST", messages, `{"content":"x","components":[{"type":1,"components":[{"type":2,"style":1,"custom_id":"a"}]}]}`, 400, 50035, "BUTTON_COMPONENT_INVALID"},
		{"same button twice", "POST", messages, `{"content":"x","components":[{"type":1,"components":[{"type":2,"style":1,"label":"a","custom_id":"a"},{"type":2,"style":1,"label":"b","custom_id":"a"}]}]}`,
			400, 50035, `{"components":{"0":{"components":{"1":{"custom_id":{"_errors":[{"code":"COMPONENT_CUSTOM_ID_DUPLICATED"`},
		{"both ways to allow", "POST", messages, `{"content":"x","allowed_mentions":{"parse":["users"],"users":["5"]}}`, 400, 50035, "mutually exclusive"},
		{"content beside the new components", "POST", messages, `{"content":"x","flags":32768,"components":[{"type":10,"content":"y"}]}`, 400, 50035, "IS_COMPONENTS_V2"},
		{"long nonce", "POST", messages, `{"content":"x","nonce":"` + strings.Repeat("n", 26) + `"}`, 400, 50035, "Must be 25 or fewer"},
		{"hidden channel", "POST", "/channels/" + hidden + "/messages", `{"content":"x"}`, 403, 50001, "Missing Access"},
		{"silent channel", "POST", "/channels/" + silent + "/messages", `{"content":"x"}`, 403, 50013, "Missing Permissions"},
		{"forum itself", "POST", "/channels/" + w.forum + "/messages", `{"content":"x"}`, 400, 50008, "non-text"},
		{"closed direct channel", "POST", "/channels/" + s.Direct(closed) + "/messages", `{"content":"x"}`, 403, 50007, "Cannot send messages to this user"},
		{"no guild in common", "POST", "/channels/" + s.Direct(stranger) + "/messages", `{"content":"x"}`, 403, 50007, "Cannot send messages to this user"},
		{"locked thread", "POST", "/channels/" + locked + "/messages", `{"content":"x"}`, 400, 50083, "Thread is archived"},
		{"edit of another's", "PATCH", messages + "/" + foreign, `{"content":"z"}`, 403, 50005, "authored by another user"},
		{"edit of nothing", "PATCH", messages + "/5", `{"content":"z"}`, 404, 10008, "Unknown Message"},
		{"edit to nothing", "PATCH", messages + "/" + own, `{"content":""}`, 400, 50006, "empty message"},
		{"delete of another's", "DELETE", messages + "/" + foreign, "", 403, 50013, "Missing Permissions"},
		{"no emoji", "PUT", messages + "/" + foreign + "/reactions/nix/@me", "", 400, 10014, "Unknown Emoji"},
		{"no user", "POST", "/users/@me/channels", `{"recipient_id":"5"}`, 404, 10013, "Unknown User"},
		{"no interaction", "POST", "/interactions/5/tok/callback", `{"type":5}`, 404, 10062, "Unknown interaction"},
		{"no webhook", "POST", "/webhooks/" + s.Application() + "/tok", `{"content":"x"}`, 401, 50027, "Invalid Webhook Token"},
		{"no guild", "GET", "/guilds/5", "", 404, 10004, "Unknown Guild"},
		{"bad limit", "GET", messages + "?limit=101", "", 400, 50035, "between 1 and 100"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c.t = t
			r := c.call(tt.method, tt.path, tt.body)
			if r.status != tt.status || r.body["code"] != tt.code || !strings.Contains(r.raw, tt.want) {
				t.Errorf("got %d %s, want %d with code %v and %q", r.status, r.raw, tt.status, tt.code, tt.want)
			}
		})
	}
	c.t = t
	c.token = "FAKE.other"
	if r := c.call("GET", "/users/@me", ""); r.status != 401 || r.raw != `{"code":0,"message":"401: Unauthorized"}` {
		t.Errorf("a wrong token got %d %s", r.status, r.raw)
	}
	if n := s.Invalid(); n == 0 {
		t.Error("refusals do not count towards the ban")
	}
}

func TestTheLimitCountsCodePoints(t *testing.T) {
	s, w := world(t, discord.Options{})
	c := rest(t, s)
	c.create(w.channel, `{"content":"`+strings.Repeat("😀", 2000)+`"}`)
	if got := len([]rune(s.Sent(w.channel)[0].Content)); got != 2000 {
		t.Errorf("a message has %d code points, want 2000", got)
	}
}

func TestNonceMakesOneMessage(t *testing.T) {
	now := time.Now()
	s, w := world(t, discord.Options{Now: func() time.Time { return now }})
	c := rest(t, s)
	first := c.create(w.channel, `{"content":"a","nonce":"k1","enforce_nonce":true}`)
	if again := c.create(w.channel, `{"content":"a","nonce":"k1","enforce_nonce":true}`); again != first {
		t.Errorf("the same nonce made %s, want %s", again, first)
	}
	if other := c.create(w.channel, `{"content":"a","nonce":"k1"}`); other == first {
		t.Error("a nonce without enforce_nonce is not enforced")
	}
	now = now.Add(10 * time.Minute)
	if late := c.create(w.channel, `{"content":"a","nonce":"k1","enforce_nonce":true}`); late == first {
		t.Error("a nonce is remembered for minutes only")
	}
	if got := s.Sent(w.channel); len(got) != 3 || got[0].Nonce != "k1" {
		t.Errorf("a person finds %+v", got)
	}
}

func TestMentionsThatNotify(t *testing.T) {
	s, w := world(t, discord.Options{})
	c := rest(t, s)
	role, quiet := s.AddRole(w.guild, "team", true, w.ada), s.AddRole(w.guild, "rest", false)
	s.Grant(w.guild, s.Bot().ID)
	asked := s.Say(w.channel, w.ada, "frage")
	text := fmt.Sprintf("<@%s> <@!%s> <@&%s> <@&%s> @everyone `<@%s>`", w.ada, w.ben, role, quiet, s.Bot().ID)
	for _, tt := range []struct {
		allowed, want string
	}{
		{"", w.ada + " " + w.ben + " role:" + role},
		{`,"allowed_mentions":{"parse":[]}`, ""},
		{`,"allowed_mentions":{"parse":["users"]}`, w.ada + " " + w.ben},
		{`,"allowed_mentions":{"users":["` + w.ben + `"]}`, w.ben},
		{`,"allowed_mentions":{"parse":["roles"]}`, "role:" + role},
		{`,"allowed_mentions":{"parse":[],"replied_user":true},"message_reference":{"message_id":"` + asked + `"}`, w.ada},
		{`,"allowed_mentions":{"parse":[]},"message_reference":{"message_id":"` + asked + `"}`, ""},
	} {
		c.create(w.channel, `{"content":"`+text+`"`+tt.allowed+`}`)
		sent := s.Sent(w.channel)
		if got := strings.Join(sent[len(sent)-1].Pings, " "); got != tt.want {
			t.Errorf("%s notified %q, want %q", tt.allowed, got, tt.want)
		}
	}
	s.Permit(w.channel, s.Bot().ID, discord.MentionEveryone, 0)
	id := c.create(w.channel, `{"content":"@everyone","allowed_mentions":{"parse":["everyone"]},"flags":4096}`)
	if sent := s.Sent(w.channel); sent[len(sent)-1].Pings[0] != "everyone" || !sent[len(sent)-1].Silent() {
		t.Errorf("a person finds %+v", sent[len(sent)-1])
	}
	c.call("PATCH", "/channels/"+w.channel+"/messages/"+id, `{"content":"<@`+w.ben+`>"}`)
	if sent := s.Sent(w.channel); fmt.Sprint(sent[len(sent)-1].EditPings) != "["+w.ben+"]" {
		t.Errorf("the edit notified %v", sent[len(sent)-1].EditPings)
	}
}

func TestHistory(t *testing.T) {
	s, w := world(t, discord.Options{})
	c := rest(t, s)
	var ids []string
	for i := range 7 {
		ids = append(ids, s.Say(w.channel, w.ada, fmt.Sprint(i)))
	}
	for _, tt := range []struct{ query, want string }{
		{"", "6543210"}, {"?limit=2", "65"}, {"?after=" + ids[1] + "&limit=2", "32"}, {"?after=" + ids[4], "65"},
		{"?before=" + ids[2], "10"}, {"?before=" + ids[5] + "&limit=2", "43"}, {"?after=" + ids[6], ""}, {"?around=" + ids[3] + "&limit=3", "432"},
	} {
		r := c.call("GET", "/channels/"+w.channel+"/messages"+tt.query, "")
		var list []struct{ Content string }
		if err := json.Unmarshal([]byte(r.raw), &list); err != nil {
			t.Fatalf("%s: %v", r.raw, err)
		}
		var got string
		for _, m := range list {
			got += m.Content
		}
		if got != tt.want {
			t.Errorf("%q lists %q, want %q", tt.query, got, tt.want)
		}
	}
}

func TestFiles(t *testing.T) {
	s, w := world(t, discord.Options{MaxFile: 1000})
	c := rest(t, s)
	form := func(size int) (string, string) {
		var b bytes.Buffer
		m := multipart.NewWriter(&b)
		if err := errors.Join(m.WriteField("payload_json", `{"content":"hier","attachments":[{"id":0,"filename":"umlaut ä.txt"}]}`), func() error {
			part, err := m.CreateFormFile("files[0]", "x.txt")
			if err == nil {
				_, err = part.Write(bytes.Repeat([]byte("a"), size))
			}
			return err
		}(), m.Close()); err != nil {
			t.Fatal(err)
		}
		return m.FormDataContentType(), b.String()
	}
	kind, body := form(1001)
	r, err := c.try("POST", "/channels/"+w.channel+"/messages", kind, body)
	if err != nil || r.status != 413 || r.body["code"] != 40005.0 {
		t.Errorf("a large file got %d %s, %v", r.status, r.raw, err)
	}
	kind, body = form(1000)
	if r, err = c.try("POST", "/channels/"+w.channel+"/messages", kind, body); err != nil || r.status != 200 {
		t.Fatalf("got %d %s, %v", r.status, r.raw, err)
	}
	id := s.Post(discord.Line{Channel: w.channel, From: w.ada, Text: "da", Files: []discord.File{{Name: "bericht.pdf", MIME: "application/pdf", Data: []byte("%PDF")}}})
	address := func() string {
		r := c.call("GET", "/channels/"+w.channel+"/messages/"+id, "")
		return r.body["attachments"].([]any)[0].(map[string]any)["url"].(string)
	}
	get := func(u string) (int, string) {
		resp, err := c.client.Get(u)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(raw)
	}
	old := address()
	if status, data := get(old); status != 200 || data != "%PDF" {
		t.Errorf("the file is %d %q", status, data)
	}
	s.ExpireAttachments()
	if status, _ := get(old); status != 404 {
		t.Errorf("an expired address gives %d, want 404", status)
	}
	if status, data := get(address()); status != 200 || data != "%PDF" {
		t.Errorf("the fresh address gives %d %q", status, data)
	}
	if sent := s.Sent(w.channel); len(sent) != 1 || sent[0].Files[0].Name != "umlaut_ä.txt" || len(sent[0].Files[0].Data) != 1000 {
		t.Errorf("a person finds %+v", sent)
	}
}
