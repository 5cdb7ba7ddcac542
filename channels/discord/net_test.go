package discord_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"outheis/channels"
	"outheis/channels/channeltest"
	"outheis/channels/discord"
	fake "outheis/channels/fakenet/discord"
	"outheis/channels/fakenet/discord/openapi"
	"outheis/formatting"
)

// The network's people and places.
const (
	account = "haupt"
	ada     = "1001000000000000001"
	ben     = "1001000000000000002"
	robot   = "1001000000000000003"
	botID   = "900000000000000007"
	guild   = "2001000000000000001"
	secret  = "FAKE.token-of-these.tests-only-00000000"
)

// A network is a fake Discord as the suite wants it.
type network struct {
	channeltest.Lacking
	t      *testing.T
	fake   *fake.Server
	evil   *httptest.Server // where a redirect leads
	cursor channeltest.Cursor
	place  map[channeltest.Place]string
	limits *channels.Limits
	past   atomic.Int64  // how far the network's clock is behind
	settle time.Duration // how old a message must be that should have come

	mu    sync.Mutex // guards the fields below
	leaks []string
	other string // an account whose name begins like ours
}

func newNetwork(t *testing.T, o fake.Options) *network {
	t.Helper()
	// The world is older than the first start of an adapter.
	n := &network{t: t, limits: &channels.Limits{}, settle: time.Hour}
	n.past.Store(int64(40 * time.Hour))
	defer n.past.Store(0)
	o.Now = func() time.Time { return time.Now().Add(-time.Duration(n.past.Load())) }
	o.Token, o.Bot = secret, fake.User{ID: botID, Username: "auskunft"}
	s, err := fake.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		for _, v := range s.Violations() {
			t.Errorf("a request is not what Discord describes: %s", v)
		}
		for _, r := range s.Requests("") {
			if r.Route == fake.Download {
				continue
			}
			request := openapi.Request{Method: r.Method, Path: r.Path, Query: r.Query, Header: r.Header, Body: r.Body}
			for _, wrong := range openapi.Check(request) {
				t.Errorf("%s does not fit Discord's OpenAPI document: %s\n%s", r.Route, wrong, r.Body)
			}
		}
	})
	n.fake = s
	n.evil = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.leaks = append(n.leaks, fmt.Sprintf("%s %s Authorization %q", r.Method, r.URL, r.Header.Get("Authorization")))
	}))
	t.Cleanup(n.evil.Close)
	name := "Ada Beispiel"
	s.AddUser(fake.User{ID: ada, Username: "ada_beispiel", GlobalName: &name, Locale: "de"})
	s.AddUser(fake.User{ID: ben, Username: "ben", Locale: "en-US"})
	s.AddUser(fake.User{ID: robot, Username: "robot", Bot: true})
	n.other = s.AddUser(fake.User{Username: "auskunft_dev", Bot: true}).ID
	s.AddGuild(guild, "Runde", ben, ada, robot, n.other)
	forum := s.AddChannel(guild, "", "forum", fake.Forum)
	n.place = map[channeltest.Place]string{
		channeltest.AdaDirect: s.Direct(ada), channeltest.BenDirect: s.Direct(ben),
		channeltest.InGroup:  s.AddChannel(guild, "", "allgemein", fake.GuildText),
		channeltest.TopicOne: s.OpenPost(forum, ben, "Eins", "Eröffnung eins"),
		channeltest.TopicTwo: s.OpenPost(forum, ben, "Zwei", "Eröffnung zwei"),
	}
	return n
}

func (n *network) options(log *slog.Logger) discord.Options {
	return discord.Options{
		Account: account, Token: n.fake.Token, URL: n.fake.URL(), Log: log, Timeout: 1900 * time.Millisecond, Cursor: &n.cursor, People: []string{ada, ben},
		Retry: channels.Backoff{Min: time.Millisecond, Max: 50 * time.Millisecond}, Limits: n.limits,
	}
}

func (n *network) Open(log *slog.Logger) (channels.Channel, error) { return n.open(log) }

func (n *network) open(log *slog.Logger) (*discord.Channel, error) {
	// The fake has to notice that the program before has ended, so that nothing
	// is told to it.
	ctx, cancel := context.WithTimeout(n.t.Context(), time.Second)
	defer cancel()
	if err := n.fake.AwaitDisconnected(ctx); err != nil {
		n.t.Log(err)
	}
	c, err := discord.New(n.options(log))
	if err == nil {
		discord.Hurry(c)
	}
	return c, err
}

func (n *network) Secrets() []string { return []string{secret, url.QueryEscape(secret)} }

func (n *network) Name() (string, string) { return discord.Kind, account }

// at returns the channel of a place.
func (n *network) at(p channeltest.Place) string {
	n.t.Helper()
	id, ok := n.place[p]
	if !ok {
		n.t.Fatalf("unknown place %s", p)
	}
	return id
}

func (n *network) Say(l channeltest.Line) string {
	channel := n.at(l.At)
	from := map[channeltest.Sender]string{channeltest.Ada: ada, channeltest.Ben: ben, channeltest.Robot: robot}[l.From]
	if l.Command != "" && !l.Forward {
		if l.For == "other" {
			return "" // Discord tells only the application that is meant
		}
		var args []string
		if l.Text != "" {
			args = []string{"frage", l.Text}
		}
		n.connected()
		return n.fake.Slash(channel, from, l.Command, args...)
	}
	text := strings.NewReplacer("{me}", "<@"+botID+">", "{other}", "<@"+n.other+">").Replace(l.Text)
	if l.Command != "" {
		text = "/" + l.Command + " " + text
	}
	line := fake.Line{Channel: channel, From: from, Text: text, ReplyTo: l.ReplyTo, Forward: l.Forward}
	for _, f := range l.Files {
		line.Files = append(line.Files, fake.File{Name: f.Name, MIME: "application/pdf", Data: f.Data})
	}
	switch l.Media {
	case "voice":
		line.Files, line.Voice = []fake.File{{Name: "voice-message.ogg", MIME: "audio/ogg", Data: []byte("OggS")}}, true
	case "photo":
		line.Files = []fake.File{{Name: "bild.png", MIME: "image/png", Data: []byte("\x89PNG")}}
	}
	return n.fake.Post(line)
}

// connected waits for a session: Discord tells nobody of a command or a button
// when no session of the bot lives, and says so to the person.
func (n *network) connected() {
	ctx, cancel := context.WithTimeout(n.t.Context(), 5*time.Second)
	defer cancel()
	if err := n.fake.AwaitConnected(ctx); err != nil {
		n.t.Fatal(err)
	}
}

func (n *network) Edit(at channeltest.Place, id, text string) { n.fake.Edit(n.at(at), id, text) }

func (n *network) Touch(at channeltest.Place, id string) { n.fake.Touch(n.at(at), id) }

func (n *network) React(at channeltest.Place, id, emoji string) {
	if emoji == "" {
		for shown := range n.fake.Reactions(n.at(at), id) {
			n.fake.Unreact(n.at(at), ada, id, shown)
		}
		return
	}
	n.fake.React(n.at(at), ada, id, emoji)
}

func (n *network) Press(at channeltest.Place, id, data string) {
	n.connected()
	n.fake.Press(n.at(at), ada, id, data)
}

func (n *network) Delete(at channeltest.Place, id string) { n.fake.Delete(n.at(at), id) }

func (n *network) Released() int {
	released := 0
	for _, r := range n.fake.Requests(fake.AnswerInteraction) {
		if r.Status/100 == 2 {
			released++
		}
	}
	return released
}

func (n *network) Malform(count int) {
	random := rand.New(rand.NewPCG(1, uint64(count)))
	for i := range count {
		malform(n.fake, random, i)
	}
}

func (n *network) Cursor() *channeltest.Cursor { return &n.cursor }

func (n *network) AwaitListening(ctx context.Context) error { return n.fake.AwaitConnected(ctx) }

// reads returns what a person reads of a text with escapes.
func reads(content string) string {
	var b strings.Builder
	for i := 0; i < len(content); i++ {
		if content[i] == '\\' && i+1 < len(content) && strings.IndexByte("\\*_~`|[]<>#-+.()", content[i+1]) >= 0 {
			i++
		}
		b.WriteByte(content[i])
	}
	return b.String()
}

func (n *network) Arrived(at channeltest.Place) []channeltest.Arrived {
	var all []channeltest.Arrived
	for _, m := range n.fake.Sent(n.at(at)) {
		if m.Deleted {
			continue
		}
		a := channeltest.Arrived{Remote: m.ID, Text: m.Text, Marked: strings.Contains(m.Content, "**")}
		for _, b := range m.Buttons {
			a.Buttons = append(a.Buttons, formatting.Button{ID: b.ID, Label: b.Label})
		}
		for _, f := range m.Files {
			a.Files = append(a.Files, channeltest.Attachment{Name: f.Name, Data: f.Data})
		}
		all = append(all, a)
	}
	return all
}

func (n *network) AwaitTyping(ctx context.Context, at channeltest.Place, count int) error {
	if err := n.fake.AwaitCalls(ctx, fake.TriggerTyping, count); err != nil {
		return err
	}
	if got := len(n.fake.Typing(n.at(at))); got < count {
		return fmt.Errorf("%d signs at %s, want %d", got, at, count)
	}
	return nil
}

func (n *network) Menu(lang string) []channels.Command {
	var all []channels.Command
	for _, c := range n.fake.Menu("") {
		cmd := channels.Command{Name: c.Name, About: c.Description}
		if s, ok := c.DescriptionLocale[lang]; ok {
			cmd.About = s
		}
		for _, o := range c.Options {
			cmd.Argument, cmd.ArgumentAbout = o.Name, o.Description
			if s, ok := o.DescriptionLocale[lang]; ok {
				cmd.ArgumentAbout = s
			}
		}
		all = append(all, cmd)
	}
	return all
}

func (n *network) MenuWrites() int { return n.fake.Calls(fake.PutCommands) }

func (n *network) Attempts() []time.Time {
	var all []time.Time
	for _, r := range n.fake.Requests(fake.GetGatewayBot) {
		all = append(all, r.At)
	}
	return all
}

func (n *network) BreakSend(f channeltest.Fault, times int) {
	for _, route := range []string{fake.CreateMessage, fake.EditMessage} {
		n.breakRoute(route, f, times)
	}
}

func (n *network) breakRoute(route string, f channeltest.Fault, times int) {
	broken := fake.Fault{Route: route, Times: times}
	switch f {
	case channeltest.CutBefore:
		broken.Kind = fake.CutBefore
	case channeltest.CutAfter:
		broken.Kind = fake.CutAfter
	case channeltest.ServerError:
		broken.Kind, broken.Status, broken.Body = fake.Page, 502, "<html>Bad Gateway "+n.fake.Token()+"</html>"
	case channeltest.Garbage:
		broken.Kind, broken.Body = fake.Garbage, "<html>"+n.fake.Token()+"</html>"
	case channeltest.Late:
		broken.Kind, broken.Delay = fake.Late, 2200*time.Millisecond
	case channeltest.Slow:
		broken.Kind, broken.Delay = fake.Trickle, 50*time.Microsecond
	case channeltest.Elsewhere:
		broken.Kind, broken.Location = fake.Redirect, n.evil.URL
	case channeltest.WaitChat, channeltest.WaitAccount:
		broken.Kind, broken.RetryAfter, broken.Global = fake.TooMany, channeltest.WaitAsked, f == channeltest.WaitAccount
	default:
		n.t.Fatalf("unknown fault %s", f)
	}
	n.fake.Fault(broken)
}

// BreakReceive breaks the gateway's connection, and what is needed to make it
// again.
func (n *network) BreakReceive(f channeltest.Fault, times int) {
	switch f {
	case channeltest.CutBefore: // the session can be resumed
		if times > 1 {
			n.fake.RefuseConnects(times-1, 502)
		}
	case channeltest.CutAfter: // it cannot, and what happens meanwhile is told by nobody
		n.fake.ForgetSessions()
		if times > 1 {
			n.fake.RefuseConnects(times-1, 502)
		}
	case channeltest.Garbage:
		n.fake.GarbageConnects(times, "<html>"+n.fake.Token()+"</html>")
	case channeltest.Slow:
		n.fake.SlowGateway(time.Nanosecond)
		return
	case channeltest.Late:
		n.fake.Freeze()
		return
	case channeltest.ServerError, channeltest.Elsewhere, channeltest.WaitAccount:
		n.fake.ForgetSessions()
		n.breakRoute(fake.GetGatewayBot, f, times)
	default:
		n.t.Fatalf("unknown fault %s", f)
	}
	n.fake.CutGateway()
}

func (n *network) GoDown() {
	if err := n.fake.Down(); err != nil {
		n.t.Error(err)
	}
}

func (n *network) ComeUp() {
	if err := n.fake.Up(); err != nil {
		n.t.Fatal(err)
	}
}

func (n *network) Close(at channeltest.Place, c channeltest.Closure) {
	switch c {
	case channeltest.Blocked:
		n.fake.CloseDM(ada, true)
	case channeltest.Removed:
		n.fake.Kick(guild)
	case channeltest.Silenced:
		n.fake.Permit(n.at(at), guild, 0, fake.SendMessages)
	}
}

func (n *network) Revoke() { n.fake.Revoke() }

func (n *network) Leaks() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.leaks...)
}

func (n *network) Marked(text string) formatting.Part {
	return formatting.Part{Text: "**" + discord.Escape(text) + "**", Plain: text, Mode: formatting.DiscordMarkdown().Name}
}

func TestChannelKeepsTheContract(t *testing.T) {
	channeltest.Run(t, channeltest.Harness{
		New: func(t *testing.T) channeltest.Network { return newNetwork(t, fake.Options{}) },
		Lacks: map[channeltest.Ability]string{
			channeltest.Acks:      "Discord counts nothing for a bot; the cursor does",
			channeltest.Anonymous: "everybody who writes has an account",
			channeltest.Exclusive: "every session receives everything",
			channeltest.General:   "a forum has no topic without a name",
			channeltest.Markup:    "Discord shows what is no markup as text and refuses none",
			channeltest.Moves:     "a channel keeps its id",
		},
	})
}
