package mattermost_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
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

// A side is the other side of the network: a server, its people, and a bot and
// chats made for one case. Its methods end the test when something fails.
type side interface {
	url() string
	// bot returns our account.
	bot() (id, name, token string)
	at(channeltest.Place) spot
	person(channeltest.Sender) (id string)

	post(from channeltest.Sender, at spot, text string, files []channeltest.Attachment) string
	// command gives a slash command whose address is url; token is that of the
	// command.
	command(from channeltest.Sender, at spot, name, text, url string, token func(string))
	edit(id, text string)
	touch(id string)
	react(id string, show bool)
	press(id, action string)
	remove(id string)
	// ours returns what the bot posted to a channel and is still there, oldest
	// first.
	ours(channel string) []shown
	close(at spot, c channeltest.Closure)
	revoke()
}

// A spot is a channel, and a thread in it or "".
type spot struct{ channel, root string }

// shown is a post of ours as people get it.
type shown struct {
	id, root, text string
	actions        []button
	files          []channeltest.Attachment
}

// button is one below a post.
type button struct{ id, name string }

// A network is a side as the suite wants it, seen through a proxy.
type network struct {
	channeltest.Lacking
	side
	t      *testing.T
	proxy  *proxy
	cursor channeltest.Cursor
	listen string

	mu       sync.Mutex // guards the fields below
	leaks    []string
	spoken   map[string]string // channel by post, of what people wrote
	released int
	tokens   []string // of slash commands
	last     channels.Channel
}

func newNetwork(t *testing.T, w side) *network {
	t.Helper()
	n := &network{t: t, side: w, spoken: make(map[string]string)}
	evil := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.leaks = append(n.leaks, fmt.Sprintf("%s %s %v", r.Method, r.URL, r.Header))
	}))
	t.Cleanup(evil.Close)
	n.proxy = newProxy(t, w.url(), n.token, evil.URL)
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
		Account: account, Token: n.token, URL: n.proxy.url(), Cursor: &n.cursor, Log: log, Timeout: time.Second, Ping: 2 * time.Second, Probe: 500 * time.Millisecond,
		Listen: n.listen, PublicURL: "http://" + n.listen + "/mm", CommandToken: n.commandToken,
		Retry: channels.Backoff{Min: time.Millisecond, Max: 50 * time.Millisecond}, Limits: &channels.Limits{},
	}
}

func (n *network) token() string {
	_, _, token := n.bot()
	return token
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

func (n *network) Secrets() []string { return []string{n.token()} }

func (n *network) Name() (string, string) { return mattermost.Kind, account }

func (n *network) Cursor() *channeltest.Cursor { return &n.cursor }

func (n *network) Say(l channeltest.Line) string {
	at := n.at(l.At)
	_, me, _ := n.bot()
	text := strings.NewReplacer("{me}", "@"+me, "{other}", "@"+me+".test").Replace(l.Text)
	if l.Command != "" {
		to := map[string]string{"me": "@" + me + " ", "other": "@" + me + ".test "}[l.For]
		if l.For == "" {
			n.awaitCalls()
			n.command(l.From, at, l.Command, text, "http://"+n.listen+"/mm/command", func(token string) {
				n.mu.Lock()
				defer n.mu.Unlock()
				n.tokens = append(n.tokens, token)
			})
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
	id := n.post(l.From, at, text, files)
	if l.From != channeltest.Robot {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.spoken[id] = at.channel
	}
	return id
}

// onePixel is a picture.
var onePixel = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82")

func (n *network) Edit(_ channeltest.Place, id, text string) { n.edit(id, text) }

func (n *network) Touch(_ channeltest.Place, id string) { n.touch(id) }

func (n *network) React(_ channeltest.Place, id, emoji string) { n.react(id, emoji != "") }

func (n *network) Press(at channeltest.Place, id, button string) {
	n.awaitCalls()
	for _, p := range n.ours(n.at(at).channel) {
		for _, a := range p.actions {
			if p.id != id || n.buttonOf(a) != button {
				continue
			}
			n.press(id, a.id)
			n.mu.Lock()
			n.released++
			n.mu.Unlock()
			return
		}
	}
	n.t.Errorf("no button %s under %s", button, id)
}

// buttonOf returns which button of ours an action is.
func (n *network) buttonOf(a button) string {
	n.proxy.mu.Lock()
	defer n.proxy.mu.Unlock()
	return n.proxy.buttons[a.id]
}

// awaitCalls waits until the adapter takes what the server sends to it.
func (n *network) awaitCalls() {
	ctx, cancel := context.WithTimeout(n.t.Context(), 10*time.Second)
	defer cancel()
	if err := n.AwaitListening(ctx); err != nil {
		n.t.Error(err)
	}
}

func (n *network) Released() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.released
}

func (n *network) Delete(_ channeltest.Place, id string) { n.remove(id) }

func (n *network) Malform(count int) {
	random := rand.New(rand.NewPCG(1, uint64(count)))
	for i := range count {
		n.proxy.inject(malformed(random, i, n.at(channeltest.AdaDirect).channel, n.person(channeltest.Ada)))
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
	for _, p := range n.ours(s.channel) {
		if s.root != "" && p.root != s.root {
			continue
		}
		a := channeltest.Arrived{Remote: p.id, Text: visible(p.text), Marked: strings.Contains(p.text, "**"), Files: p.files}
		for _, b := range p.actions {
			a.Buttons = append(a.Buttons, formatting.Button{ID: n.buttonOf(b), Label: b.name})
		}
		all = append(all, a)
	}
	return all
}

func (n *network) AwaitTyping(ctx context.Context, at channeltest.Place, count int) error {
	s := n.at(at)
	return n.await(ctx, "typing", func() bool {
		n.proxy.mu.Lock()
		defer n.proxy.mu.Unlock()
		got := 0
		for _, one := range n.proxy.typed {
			if one == (typed(s)) {
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

func (n *network) Close(at channeltest.Place, c channeltest.Closure) { n.close(n.at(at), c) }

func (n *network) Revoke() { n.revoke() }

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
