package mattermost_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"math/rand/v2"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"outheis/channels"
	"outheis/channels/channeltest"
	"outheis/channels/mattermost"
	"outheis/formatting"
)

const account = "haupt"

func discard() *log.Logger { return log.New(io.Discard, "", 0) }

// somebody is an account on a server.
type somebody struct{ id, name, token, url string }

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
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 20 * time.Second}
	resp, err := client.Do(req)
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

// A world is a server with people, and a bot and chats made for one case.
type world struct {
	admin, ada, ben, robot, bot somebody
	team                        string
	place                       map[channeltest.Place]spot
	revoke                      func() error
	block                       func() error // closes Ada's direct chat
}

// A spot is a channel, and a thread in it or "".
type spot struct{ channel, root string }

// A network is a world as the suite wants it, seen through a proxy.
type network struct {
	channeltest.Lacking
	t      *testing.T
	w      *world
	proxy  *proxy
	cursor channeltest.Cursor
	listen string

	mu       sync.Mutex // guards the fields below
	leaks    []string
	authors  map[string]somebody
	spoken   map[string]string // channel by post, of what people wrote
	released int
	tokens   []string // of slash commands
	last     channels.Channel
}

func newNetwork(t *testing.T, w *world) *network {
	t.Helper()
	n := &network{t: t, w: w, authors: make(map[string]somebody), spoken: make(map[string]string)}
	evil := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.leaks = append(n.leaks, fmt.Sprintf("%s %s %v", r.Method, r.URL, r.Header))
	}))
	t.Cleanup(evil.Close)
	n.proxy = newProxy(t, w.bot.url, func() string { return w.bot.token }, evil.URL)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n.listen = l.Addr().String()
	l.Close()
	return n
}

func (n *network) options(log *slog.Logger) mattermost.Options {
	return mattermost.Options{
		Account: account, Token: func() string { return n.w.bot.token }, URL: n.proxy.url(), Cursor: &n.cursor, Log: log, Timeout: time.Second,
		Listen: n.listen, PublicURL: "http://" + n.listen + "/mm", CommandToken: n.commandToken,
		Retry: channels.Backoff{Min: time.Millisecond, Max: 20 * time.Millisecond}, Limits: &channels.Limits{},
	}
}

func (n *network) commandToken() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(n.tokens, " ")
}

func (n *network) Open(log *slog.Logger) (channels.Channel, error) {
	c, err := mattermost.New(n.options(log))
	if err != nil {
		return nil, err
	}
	mattermost.Hasten(c, 100*time.Millisecond)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last = c
	return c, nil
}

func (n *network) Secrets() []string { return []string{n.w.bot.token} }

func (n *network) Name() (string, string) { return mattermost.Kind, account }

func (n *network) Cursor() *channeltest.Cursor { return &n.cursor }

func (n *network) at(p channeltest.Place) spot {
	s, ok := n.w.place[p]
	if !ok {
		n.t.Fatalf("unknown place %s", p)
	}
	return s
}

func (n *network) who(s channeltest.Sender) somebody {
	switch s {
	case channeltest.Ben:
		return n.w.ben
	case channeltest.Robot:
		return n.w.robot
	}
	return n.w.ada
}

// must ends the test unless a call succeeds.
func (n *network) must(a somebody, method, path string, in, out any) {
	if err := a.do(method, path, in, out); err != nil {
		n.t.Helper()
		n.t.Error(err)
		panic(err)
	}
}

func (n *network) Say(l channeltest.Line) string {
	at, from := n.at(l.At), n.who(l.From)
	text := strings.NewReplacer("{me}", "@"+n.w.bot.name, "{other}", "@"+n.w.bot.name+".test").Replace(l.Text)
	if l.Command != "" {
		to := map[string]string{"me": "@" + n.w.bot.name + " ", "other": "@" + n.w.bot.name + ".test "}[l.For]
		if l.For == "" {
			n.command(from, at, l.Command, text)
			return ""
		}
		text = strings.TrimSpace(to + "!" + l.Command + " " + text)
	}
	files := l.Files
	switch l.Media {
	case "voice":
		files = []channeltest.Attachment{{Name: "aufnahme.mp3", Data: []byte("ID3\x03\x00\x00\x00\x00\x00\x00invented")}}
	case "photo":
		files = []channeltest.Attachment{{Name: "bild.png", Data: onePixel}}
	}
	var ids []string
	for _, f := range files {
		ids = append(ids, n.upload(from, at.channel, f))
	}
	return n.post(from, at, text, ids)
}

// post writes and remembers who did.
func (n *network) post(from somebody, at spot, text string, files []string) string {
	var made struct{ ID string }
	n.must(from, http.MethodPost, "/posts", map[string]any{"channel_id": at.channel, "root_id": at.root, "message": text, "file_ids": files}, &made)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.authors[made.ID] = from
	n.spoken[made.ID] = at.channel
	return made.ID
}

// onePixel is a picture.
var onePixel = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82")

func (n *network) upload(from somebody, channel string, f channeltest.Attachment) string {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	form.WriteField("channel_id", channel)
	part, err := form.CreateFormFile("files", f.Name)
	if err != nil {
		n.t.Fatal(err)
	}
	part.Write(f.Data)
	form.Close()
	var said struct {
		Infos []struct{ ID string } `json:"file_infos"`
	}
	if err := from.raw(http.MethodPost, "/files", form.FormDataContentType(), &body, &said); err != nil {
		n.t.Fatal(err)
	}
	return said.Infos[0].ID
}

// command gives a slash command, which is registered when it is used first.
func (n *network) command(from somebody, at spot, name, text string) {
	var all []struct{ ID, Trigger, Token, URL string }
	n.must(n.w.admin, http.MethodGet, "/commands?custom_only=true&team_id="+n.w.team, nil, &all)
	known := false
	for _, c := range all {
		if c.Trigger == name && c.URL == "http://"+n.listen+"/mm/command" {
			known = true
		} else if c.Trigger == name {
			n.must(n.w.admin, http.MethodDelete, "/commands/"+c.ID, nil, nil)
		}
	}
	if !known {
		var made struct{ Token string }
		n.must(n.w.admin, http.MethodPost, "/commands", map[string]string{
			"team_id": n.w.team, "trigger": name, "method": "P", "url": "http://" + n.listen + "/mm/command",
		}, &made)
		n.mu.Lock()
		n.tokens = append(n.tokens, made.Token)
		n.mu.Unlock()
	}
	n.must(from, http.MethodPost, "/commands/execute", map[string]string{
		"channel_id": at.channel, "root_id": at.root, "team_id": n.w.team, "command": strings.TrimSpace("/" + name + " " + text),
	}, nil)
}

func (n *network) author(id string) somebody {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.authors[id]
}

func (n *network) Edit(_ channeltest.Place, id, text string) {
	n.must(n.author(id), http.MethodPut, "/posts/"+id+"/patch", map[string]string{"message": text}, nil)
}

func (n *network) Touch(_ channeltest.Place, id string) {
	n.must(n.author(id), http.MethodPost, "/posts/"+id+"/pin", nil, nil)
}

func (n *network) React(_ channeltest.Place, id, emoji string) {
	if emoji == "" {
		n.must(n.w.ada, http.MethodDelete, "/users/"+n.w.ada.id+"/posts/"+id+"/reactions/+1", nil, nil)
		return
	}
	n.must(n.w.ada, http.MethodPost, "/reactions", map[string]string{"user_id": n.w.ada.id, "post_id": id, "emoji_name": "+1"}, nil)
}

func (n *network) Press(_ channeltest.Place, id, button string) {
	ctx, cancel := context.WithTimeout(n.t.Context(), 10*time.Second)
	defer cancel()
	if err := n.AwaitListening(ctx); err != nil {
		n.t.Error(err)
		return
	}
	for _, a := range n.actions(n.fetch(id)) {
		if a.ID == button {
			n.must(n.w.ada, http.MethodPost, "/posts/"+id+"/actions/"+a.Words, struct{}{}, nil)
			n.mu.Lock()
			n.released++
			n.mu.Unlock()
			return
		}
	}
	n.t.Errorf("no button %s under %s", button, id)
}

func (n *network) Released() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.released
}

func (n *network) Delete(_ channeltest.Place, id string) {
	n.must(n.w.admin, http.MethodDelete, "/posts/"+id, nil, nil)
}

// shown is a post as people get it.
type shown struct {
	ID, Message string
	UserID      string   `json:"user_id"`
	RootID      string   `json:"root_id"`
	EditAt      int64    `json:"edit_at"`
	FileIDs     []string `json:"file_ids"`
	Props       struct {
		Key         string `json:"outheis_key"`
		Attachments []struct {
			Actions []struct{ ID, Name string }
		}
	}
}

func (n *network) fetch(id string) shown {
	var p shown
	n.must(n.w.admin, http.MethodGet, "/posts/"+id, nil, &p)
	return p
}

// actions returns the buttons below a post; Words is the id of the action.
func (n *network) actions(p shown) []formatting.Button {
	n.proxy.mu.Lock()
	defer n.proxy.mu.Unlock()
	var all []formatting.Button
	for _, a := range p.Props.Attachments {
		for _, one := range a.Actions {
			all = append(all, formatting.Button{ID: n.proxy.buttons[one.ID], Label: one.Name, Words: one.ID})
		}
	}
	return all
}

func (n *network) Malform(count int) {
	random := rand.New(rand.NewPCG(1, uint64(count)))
	for i := range count {
		n.proxy.inject(malformed(random, i, n.w.place[channeltest.AdaDirect].channel, n.w.ada.id))
	}
}

// malformed returns a message of the websocket that is none.
func malformed(random *rand.Rand, i int, channel, person string) string {
	switch {
	case i%250 == 10:
		return `{"event":"posted","data":{"post":"{\"id\":\"\ud83d`
	case i%500 == 20:
		return `{"event":"posted","data":` + strings.Repeat("[", 11000) + strings.Repeat("]", 11000) + `}`
	case i%500 == 99:
		return fmt.Sprintf(`{"event":"posted","data":{"post":%q}}`, strings.Repeat("x", 5<<20))
	case i%100 == 40:
		return fmt.Sprintf(`{"event":"posted","broadcast":{"channel_id":%q},"data":{"post":%q,"channel_type":"D"}}`, channel,
			fmt.Sprintf(`{"id":%q,"channel_id":%q,"user_id":%q,"message":{"x":%q}}`, strings.Repeat("q", 26), channel, person, strings.Repeat("y", 1<<16)))
	case i%5 == 0:
		return `{"event":"posted","data":{"post":` + strings.Repeat(`{"a":`, 500) + "7" + strings.Repeat("}", 501) + "}"
	case i%5 == 1:
		return `{"event":"future_thing","data":{"a":[1,2,{"b":null}]},"broadcast":{}}`
	}
	wrong := []string{`null`, `true`, `-1`, `1e99`, `"text"`, `[]`, `{}`, `[[1]]`, `"\u0000"`, `9223372036854775808`}
	event := []string{"posted", "post_edited", "post_deleted", "reaction_added", "reaction_removed", "user_added", "user_removed", "channel_deleted"}[random.IntN(8)]
	body := map[string]string{
		"id": `"short"`, "channel_id": fmt.Sprintf("%q", channel), "user_id": fmt.Sprintf("%q", person), "create_at": "1700000000000", "message": `"x"`, "props": "{}", "file_ids": "[]",
	}
	fields := []string{"id", "channel_id", "user_id", "create_at", "message", "props", "file_ids", "root_id", "edit_at", "metadata"}
	body[fields[random.IntN(len(fields))]] = wrong[random.IntN(len(wrong))]
	var parts []string
	for k, v := range body {
		parts = append(parts, fmt.Sprintf("%q:%s", k, v))
	}
	post, _ := json.Marshal("{" + strings.Join(parts, ",") + "}")
	return fmt.Sprintf(`{"event":%q,"data":{"post":%s,"reaction":%s,"channel_type":%s,"mentions":%s,"user_id":%s},"broadcast":{"channel_id":%q}}`,
		event, post, wrong[random.IntN(len(wrong))], wrong[random.IntN(len(wrong))], wrong[random.IntN(len(wrong))], wrong[random.IntN(len(wrong))], channel)
}

func (n *network) Unacknowledged() int {
	raw, err := n.cursor.Load()
	if err != nil {
		n.t.Fatal(err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	missing := 0
	for post, channel := range n.spoken {
		if !mattermost.Covers(raw, channel, post) {
			missing++
		}
	}
	return missing
}

func (n *network) AwaitAcknowledged(ctx context.Context) error {
	return n.await(ctx, "acknowledging", func() bool { return n.Unacknowledged() == 0 })
}

func (n *network) await(ctx context.Context, what string, ok func() bool) error {
	for !ok() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
	return nil
}

func (n *network) AwaitListening(ctx context.Context) error {
	n.mu.Lock()
	c := n.last.(channels.Prober)
	n.mu.Unlock()
	return n.await(ctx, "listening", func() bool { return c.Health().State == channels.Green })
}

// escaped is an escaped sign.
var escaped = regexp.MustCompile(`\\([!-/:-@\[-` + "`" + `{-~])`)

// visible returns what people read of a text without markup.
func visible(s string) string { return escaped.ReplaceAllString(s, "$1") }

func (n *network) Arrived(at channeltest.Place) []channeltest.Arrived {
	s := n.at(at)
	var all []channeltest.Arrived
	for page := 0; ; page++ {
		var list struct {
			Order []string
			Posts map[string]shown
		}
		n.must(n.w.admin, http.MethodGet, fmt.Sprintf("/channels/%s/posts?per_page=200&page=%d", s.channel, page), nil, &list)
		for _, id := range list.Order {
			p := list.Posts[id]
			if p.UserID != n.w.bot.id || s.root != "" && p.RootID != s.root {
				continue
			}
			a := channeltest.Arrived{Remote: p.ID, Text: visible(p.Message), Marked: strings.Contains(p.Message, "**")}
			for _, b := range n.actions(p) {
				a.Buttons = append(a.Buttons, formatting.Button{ID: b.ID, Label: b.Label})
			}
			for _, f := range p.FileIDs {
				a.Files = append(a.Files, n.file(f))
			}
			all = append([]channeltest.Arrived{a}, all...)
		}
		if len(list.Order) < 200 {
			return all
		}
	}
}

func (n *network) file(id string) channeltest.Attachment {
	var info struct{ Name string }
	n.must(n.w.admin, http.MethodGet, "/files/"+id+"/info", nil, &info)
	var data []byte
	if err := n.w.admin.raw(http.MethodGet, "/files/"+id, "", nil, &data); err != nil {
		n.t.Fatal(err)
	}
	return channeltest.Attachment{Name: info.Name, Data: data}
}

func (n *network) AwaitTyping(ctx context.Context, at channeltest.Place, count int) error {
	s := n.at(at)
	return n.await(ctx, "typing", func() bool {
		n.proxy.mu.Lock()
		defer n.proxy.mu.Unlock()
		got := 0
		for _, one := range n.proxy.typed {
			if one == (typed{s.channel, s.root}) {
				got++
			}
		}
		return got >= count
	})
}

func (n *network) Attempts() []time.Time {
	n.proxy.mu.Lock()
	defer n.proxy.mu.Unlock()
	return append([]time.Time(nil), n.proxy.attempts...)
}

func (n *network) BreakSend(f channeltest.Fault, times int) {
	n.proxy.mu.Lock()
	defer n.proxy.mu.Unlock()
	for range times {
		n.proxy.send = append(n.proxy.send, f)
	}
}

func (n *network) BreakReceive(f channeltest.Fault, times int) {
	n.proxy.mu.Lock()
	for range times {
		n.proxy.receive = append(n.proxy.receive, f)
	}
	n.proxy.mu.Unlock()
	n.proxy.cut()
}

func (n *network) GoDown() { n.proxy.down() }

func (n *network) ComeUp() { n.proxy.up(n.proxy.address) }

func (n *network) Close(at channeltest.Place, c channeltest.Closure) {
	s := n.at(at)
	var err error
	switch c {
	case channeltest.Blocked:
		err = n.w.block()
	case channeltest.Removed:
		err = n.w.admin.do(http.MethodDelete, "/channels/"+s.channel+"/members/"+n.w.bot.id, nil, nil)
	case channeltest.Silenced:
		err = n.w.admin.do(http.MethodDelete, "/channels/"+s.channel, nil, nil)
	}
	if err != nil {
		n.t.Fatal(err)
	}
}

func (n *network) Revoke() {
	if err := n.w.revoke(); err != nil {
		n.t.Fatal(err)
	}
}

func (n *network) Leaks() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.leaks...)
}

func (n *network) Marked(text string) formatting.Part {
	return formatting.Part{Text: "**" + text + "**", Plain: text, Mode: "markdown"}
}

// lacks is what no Mattermost can do.
func lacks() map[channeltest.Ability]string {
	return map[channeltest.Ability]string{
		channeltest.General:   "threads have no first one without a name",
		channeltest.Anonymous: "everybody has a name",
		channeltest.Replies:   "an answer belongs to a thread, not to a message",
		channeltest.Forwards:  "a link to a message is passed on, not its text",
		channeltest.Moves:     "channels keep their ids",
		channeltest.Exclusive: "an account may be connected many times",
		channeltest.Markup:    "no markup is refused",
		channeltest.Menu:      "slash commands are registered by an administrator",
		channeltest.ChatWaits: "the server limits accounts, not chats",
	}
}

// secretForm is how a token may be written in an address.
func secretForm(token string) string { return url.QueryEscape(token) }

func (n *network) socketCount() int {
	n.proxy.mu.Lock()
	defer n.proxy.mu.Unlock()
	return len(n.proxy.sockets)
}
