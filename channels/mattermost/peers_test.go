//go:build peers

package mattermost_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"outheis/channels/channeltest"
	"outheis/test/peers"
)

// A realServer makes sides on one real server.
type realServer struct {
	m               *peers.Mattermost
	ada, ben, robot *peers.Account
	sides           atomic.Int64
}

func startReal(t *testing.T, settings ...string) *realServer {
	t.Helper()
	m := peers.Start(t, settings...)
	return &realServer{m: m, ada: m.Person(t, "ada", "Ada", "Beispiel"), ben: m.Person(t, "ben", "Ben", ""), robot: m.Bot(t, "robot")}
}

// somebody is an account on a server.
type somebody struct {
	id, name, token, url string
	client               *http.Client
}

// do calls the REST interface as that account.
func (a somebody) do(method, path string, in, out any) error {
	raw, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return a.raw(method, path, "application/json", bytes.NewReader(raw), out)
}

func (a somebody) raw(method, path, kind string, body io.Reader, out any) error {
	req, err := http.NewRequest(method, a.url+"/api/v4"+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Authorization", "Bearer "+a.token)
	resp, err := a.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s as %s: %d %s", method, path, a.name, resp.StatusCode, answer)
	}
	if b, ok := out.(*[]byte); ok {
		*b = answer
		return nil
	}
	if out != nil {
		return json.Unmarshal(answer, out)
	}
	return nil
}

// A realSide is a bot of its own on a real server, with chats.
type realSide struct {
	t      *testing.T
	r      *realServer
	admin  somebody
	people map[channeltest.Sender]somebody
	me     somebody
	place  map[channeltest.Place]spot

	mu      sync.Mutex // guards authors
	authors map[string]somebody
}

// side makes a bot of its own, with chats.
func (r *realServer) side(t *testing.T) *realSide {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 16}
	t.Cleanup(transport.CloseIdleConnections)
	of := func(a *peers.Account) somebody {
		return somebody{a.ID, a.Name, a.Token, a.URL, &http.Client{Transport: transport, Timeout: 20 * time.Second}}
	}
	i := r.sides.Add(1)
	bot := r.m.Bot(t, fmt.Sprintf("auskunft%d", i))
	group := r.m.NewChannel(t, r.m.Team, fmt.Sprintf("runde%d", i), "P", r.ada, r.ben, r.robot, bot)
	forum := r.m.NewChannel(t, r.m.Team, fmt.Sprintf("forum%d", i), "O", r.ada, r.ben, bot)
	return &realSide{
		t: t, r: r, admin: of(r.m.Admin), me: of(bot), authors: make(map[string]somebody),
		people: map[channeltest.Sender]somebody{channeltest.Ada: of(r.ada), channeltest.Ben: of(r.ben), channeltest.Robot: of(r.robot)},
		place: map[channeltest.Place]spot{
			channeltest.AdaDirect: {channel: r.ada.Direct(t, bot)},
			channeltest.BenDirect: {channel: r.ben.Direct(t, bot)},
			channeltest.InGroup:   {channel: group},
			channeltest.TopicOne:  {channel: forum, root: r.ben.Post(t, forum, "", "Eins").ID},
			channeltest.TopicTwo:  {channel: forum, root: r.ben.Post(t, forum, "", "Zwei").ID},
		},
	}
}

func (s *realSide) must(a somebody, method, path string, in, out any) {
	s.t.Helper()
	if err := a.do(method, path, in, out); err != nil {
		s.t.Error(err)
		panic(err)
	}
}

func (s *realSide) url() string                          { return s.r.m.URL }
func (s *realSide) bot() (id, name, token string)        { return s.me.id, s.me.name, s.me.token }
func (s *realSide) at(p channeltest.Place) spot          { return s.place[p] }
func (s *realSide) person(who channeltest.Sender) string { return s.people[who].id }
func (s *realSide) touch(id string) {
	s.must(s.author(id), http.MethodPost, "/posts/"+id+"/pin", nil, nil)
}
func (s *realSide) remove(id string) { s.must(s.admin, http.MethodDelete, "/posts/"+id, nil, nil) }

func (s *realSide) author(id string) somebody {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.authors[id]
}

func (s *realSide) post(from channeltest.Sender, at spot, text string, files []channeltest.Attachment) string {
	a := s.people[from]
	var ids []string
	for _, f := range files {
		ids = append(ids, s.upload(a, at.channel, f))
	}
	var made struct{ ID string }
	s.must(a, http.MethodPost, "/posts", map[string]any{"channel_id": at.channel, "root_id": at.root, "message": text, "file_ids": ids}, &made)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.authors[made.ID] = a
	return made.ID
}

func (s *realSide) upload(from somebody, channel string, f channeltest.Attachment) string {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	form.WriteField("channel_id", channel)
	part, err := form.CreateFormFile("files", f.Name)
	if err != nil {
		s.t.Fatal(err)
	}
	part.Write(f.Data)
	form.Close()
	var said struct {
		Infos []struct{ ID string } `json:"file_infos"`
	}
	if err := from.raw(http.MethodPost, "/files", form.FormDataContentType(), &body, &said); err != nil {
		s.t.Fatal(err)
	}
	return said.Infos[0].ID
}

func (s *realSide) command(from channeltest.Sender, at spot, name, text, url string, token func(string)) {
	var all []struct{ ID, Trigger, URL string }
	s.must(s.admin, http.MethodGet, "/commands?custom_only=true&team_id="+s.r.m.Team, nil, &all)
	known := false
	for _, c := range all {
		if c.Trigger == name && c.URL == url {
			known = true
		} else if c.Trigger == name { // of an earlier case
			s.must(s.admin, http.MethodDelete, "/commands/"+c.ID, nil, nil)
		}
	}
	if !known {
		var made struct{ Token string }
		s.must(s.admin, http.MethodPost, "/commands", map[string]string{"team_id": s.r.m.Team, "trigger": name, "method": "P", "url": url}, &made)
		token(made.Token)
	}
	s.must(s.people[from], http.MethodPost, "/commands/execute", map[string]string{
		"channel_id": at.channel, "root_id": at.root, "team_id": s.r.m.Team, "command": strings.TrimSpace("/" + name + " " + text),
	}, nil)
}

func (s *realSide) edit(id, text string) {
	s.must(s.author(id), http.MethodPut, "/posts/"+id+"/patch", map[string]string{"message": text}, nil)
}

func (s *realSide) react(id string, show bool) {
	ada := s.people[channeltest.Ada]
	if !show {
		s.must(ada, http.MethodDelete, "/users/"+ada.id+"/posts/"+id+"/reactions/+1", nil, nil)
		return
	}
	s.must(ada, http.MethodPost, "/reactions", map[string]string{"user_id": ada.id, "post_id": id, "emoji_name": "+1"}, nil)
}

func (s *realSide) press(id, action string) {
	s.must(s.people[channeltest.Ada], http.MethodPost, "/posts/"+id+"/actions/"+action, struct{}{}, nil)
}

func (s *realSide) ours(channel string) []shown {
	type posted struct {
		ID, Message string
		UserID      string   `json:"user_id"`
		RootID      string   `json:"root_id"`
		FileIDs     []string `json:"file_ids"`
		Props       struct {
			Attachments []struct {
				Actions []struct{ ID, Name string }
			}
		}
	}
	var all []shown
	for page := 0; ; page++ {
		var list struct {
			Order []string
			Posts map[string]posted
		}
		s.must(s.admin, http.MethodGet, fmt.Sprintf("/channels/%s/posts?per_page=200&page=%d", channel, page), nil, &list)
		for _, id := range list.Order {
			p := list.Posts[id]
			if p.UserID != s.me.id {
				continue
			}
			one := shown{id: p.ID, root: p.RootID, text: p.Message}
			for _, a := range p.Props.Attachments {
				for _, b := range a.Actions {
					one.actions = append(one.actions, button{b.ID, b.Name})
				}
			}
			for _, f := range p.FileIDs {
				one.files = append(one.files, s.file(f))
			}
			all = append([]shown{one}, all...)
		}
		if len(list.Order) < 200 {
			return all
		}
	}
}

func (s *realSide) file(id string) channeltest.Attachment {
	var info struct{ Name string }
	s.must(s.admin, http.MethodGet, "/files/"+id+"/info", nil, &info)
	var data []byte
	if err := s.admin.raw(http.MethodGet, "/files/"+id, "", nil, &data); err != nil {
		s.t.Fatal(err)
	}
	return channeltest.Attachment{Name: info.Name, Data: data}
}

func (s *realSide) close(at spot, c channeltest.Closure) {
	switch c {
	case channeltest.Blocked: // nobody blocks; but direct chats can be kept within teams
		restrict := func(to string) {
			s.must(s.admin, http.MethodPut, "/config/patch", map[string]any{"TeamSettings": map[string]string{"RestrictDirectMessage": to}}, nil)
		}
		restrict("team")
		s.t.Cleanup(func() { restrict("any") })
		s.must(s.admin, http.MethodDelete, "/teams/"+s.r.m.Team+"/members/"+s.me.id, nil, nil)
	case channeltest.Removed:
		s.must(s.admin, http.MethodDelete, "/channels/"+at.channel+"/members/"+s.me.id, nil, nil)
	case channeltest.Silenced: // who may write is moderated with a licence only
		s.must(s.admin, http.MethodDelete, "/channels/"+at.channel, nil, nil)
	}
}

func (s *realSide) revoke() {
	var tokens []struct{ ID string }
	s.must(s.admin, http.MethodGet, "/users/"+s.me.id+"/tokens", nil, &tokens)
	s.must(s.admin, http.MethodPost, "/users/tokens/revoke", map[string]string{"token_id": tokens[0].ID}, nil)
}

// The contract, held over the real server: its REST interface, its websocket,
// its idea of who may do what.
func TestChannelKeepsTheContractOnTheRealServer(t *testing.T) {
	r := startReal(t)
	channeltest.Run(t, channeltest.Harness{
		New:   func(t *testing.T) channeltest.Network { return newNetwork(t, r.side(t)) },
		Lacks: lacks(),
		Slow:  true,
	})
}
