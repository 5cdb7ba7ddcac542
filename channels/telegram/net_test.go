package telegram_test

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"outheis/channels"
	"outheis/channels/channeltest"
	fake "outheis/channels/fakenet/telegram"
	"outheis/channels/telegram"
	"outheis/formatting"
)

// The network's people and places.
const (
	account = "haupt"
	ada     = 1001
	ben     = 1002
	robot   = 1003
	group   = -2001
	forum   = -1002002
	secret  = "FAKE-token-of-these-tests-only-00000000"
	botID   = 7123456789
)

// A network is a fake Telegram as the suite wants it.
type network struct {
	channeltest.Lacking
	t     *testing.T
	fake  *fake.Server
	evil  *httptest.Server // where a redirect leads
	topic map[channeltest.Place]int64

	mu    sync.Mutex // guards the fields below
	leaks []string
	group int64
}

func newNetwork(t *testing.T) *network {
	t.Helper()
	return newNetworkOf(t, fake.Options{})
}

// newNetworkOf makes a network of a server with further options.
func newNetworkOf(t *testing.T, o fake.Options) *network {
	t.Helper()
	o.Token, o.Bot = fmt.Sprintf("%d:%s", botID, secret), fake.User{ID: botID, FirstName: "Auskunft", Username: "auskunft_bot"}
	o.ConflictDelay, o.Keep = 10*time.Millisecond, 1000
	s, err := fake.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	n := &network{t: t, fake: s, group: group, topic: make(map[channeltest.Place]int64)}
	n.evil = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.leaks = append(n.leaks, fmt.Sprintf("%s %s Referer %q", r.Method, r.URL, r.Referer()))
	}))
	t.Cleanup(n.evil.Close)
	s.AddUser(fake.User{ID: ada, FirstName: "Ada", LastName: "Beispiel", Username: "ada_beispiel", Language: "de"})
	s.AddUser(fake.User{ID: ben, FirstName: "Ben", Language: "en"})
	s.AddUser(fake.User{ID: robot, FirstName: "Robot", Username: "other_bot", IsBot: true})
	s.AddGroup(fake.Chat{ID: group, Type: "group", Title: "Runde"}, ada, ben, robot)
	s.AddGroup(fake.Chat{ID: forum, Type: "supergroup", Title: "Forum", IsForum: true}, ada, ben)
	n.topic[channeltest.TopicOne] = s.AddTopic(forum, ben, "Eins")
	n.topic[channeltest.TopicTwo] = s.AddTopic(forum, ben, "Zwei")
	return n
}

func (n *network) options(log *slog.Logger) telegram.Options {
	return telegram.Options{
		Account: account, Token: n.fake.Token, APIURL: n.fake.URL(), Log: log, Timeout: slowness * 500 * time.Millisecond,
		Retry: channels.Backoff{Min: time.Millisecond, Max: 20 * time.Millisecond}, Limits: &channels.Limits{},
	}
}

func (n *network) Open(log *slog.Logger) (channels.Channel, error) {
	return telegram.New(n.options(log))
}

func (n *network) Secrets() []string { return []string{secret, url.QueryEscape(n.fake.Token())} }

func (n *network) Name() (string, string) { return telegram.Kind, account }

// at returns the chat and the thread of a place.
func (n *network) at(p channeltest.Place) (chat, thread int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch p {
	case channeltest.AdaDirect:
		return ada, 0
	case channeltest.BenDirect:
		return ben, 0
	case channeltest.InGroup:
		return n.group, 0
	case channeltest.TopicOne, channeltest.TopicTwo:
		return forum, n.topic[p]
	case channeltest.InGeneral:
		return forum, 0
	}
	n.t.Fatalf("unknown place %s", p)
	return 0, 0
}

func number(t *testing.T, s string) int64 {
	t.Helper()
	i, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func (n *network) Say(l channeltest.Line) string {
	chat, thread := n.at(l.At)
	text := strings.NewReplacer("{me}", "@auskunft_bot", "{other}", "@auskunft_bot_dev").Replace(l.Text)
	if l.Command != "" {
		name := map[string]string{"": "", "me": "@auskunft_bot", "other": "@other_bot"}[l.For]
		text = strings.TrimSpace("/" + l.Command + name + " " + text)
	}
	line := fake.Line{Chat: chat, Thread: thread, Text: text, Media: l.Media, Forward: l.Forward, Anonymous: l.From == channeltest.Nobody}
	line.From = map[channeltest.Sender]int64{channeltest.Ada: ada, channeltest.Ben: ben, channeltest.Robot: robot}[l.From]
	if l.ReplyTo != "" {
		line.ReplyTo = number(n.t, l.ReplyTo)
	}
	if len(l.Files) > 0 {
		return n.sayFiles(line, l.Files)
	}
	return fmt.Sprint(n.fake.Post(line))
}

// sayFiles sends files as people do: several as an album, the caption at the
// first.
func (n *network) sayFiles(line fake.Line, files []channeltest.Attachment) string {
	first := ""
	for i, f := range files {
		line.Media, line.File, line.FileName = "document", f.Data, f.Name
		if len(files) > 1 {
			line.Group = fmt.Sprint("album ", len(files))
		}
		if i > 0 {
			line.Text = ""
		}
		id := fmt.Sprint(n.fake.Post(line))
		first = cmp.Or(first, id)
	}
	return first
}

func (n *network) Edit(at channeltest.Place, id, text string) {
	chat, _ := n.at(at)
	n.fake.Edit(chat, number(n.t, id), text, 0)
}

func (n *network) Touch(at channeltest.Place, id string) {
	chat, _ := n.at(at)
	n.fake.Touch(chat, number(n.t, id))
}

func (n *network) React(at channeltest.Place, id, emoji string) {
	chat, _ := n.at(at)
	n.fake.React(chat, ada, number(n.t, id), emoji)
}

func (n *network) Press(at channeltest.Place, id, data string) {
	chat, _ := n.at(at)
	n.fake.Press(chat, ada, number(n.t, id), data)
}

func (n *network) Released() int { return n.fake.AnsweredQueries() }

func (n *network) Delete(at channeltest.Place, id string) {
	chat, _ := n.at(at)
	n.fake.Delete(chat, number(n.t, id))
}

func (n *network) MenuWrites() int {
	return n.fake.Calls("setMyCommands") + n.fake.Calls("deleteMyCommands")
}

func (n *network) Attempts() []time.Time {
	var all []time.Time
	for _, r := range n.fake.Requests("getUpdates") {
		all = append(all, r.At)
	}
	return all
}

func (n *network) Malform(count int) {
	random := rand.New(rand.NewPCG(1, uint64(count)))
	for i := range count {
		n.fake.Inject(func(id int64) string { return malformed(random, i, id) })
	}
}

// malformed returns an update that is none, of one of five kinds: broken
// JSON, wrong types, huge, deep, unknown. Some spoil the whole answer in which
// they come.
func malformed(random *rand.Rand, i int, id int64) string {
	switch {
	case i%250 == 10:
		return fmt.Sprintf(`{"update_id":%d,"message":{"message_id":1,"text":"\ud83d`, id)
	case i%500 == 20:
		return fmt.Sprintf(`{"update_id":%d,"message":%s1%s}`, id, strings.Repeat("[", 11000), strings.Repeat("]", 11000))
	case i%1000 == 999:
		return fmt.Sprintf(`{"update_id":%d,"message":{"x":%q}}`, id, strings.Repeat("x", 17<<20))
	case i%100 == 40:
		return fmt.Sprintf(`{"update_id":%d,"message":{"message_id":5,"date":1,"chat":{"id":1,"type":"private"},"text":{"x":%q}}}`, id, strings.Repeat("y", 1<<18))
	case i%5 == 0:
		return fmt.Sprintf(`{"update_id":%d,"message":{"message_id":5,"from":%s7%s}}`, id, strings.Repeat(`{"a":`, 500), strings.Repeat("}", 500))
	case i%5 == 1:
		return fmt.Sprintf(`{"update_id":%d,"future_thing":{"a":[1,2,{"b":null}]}}`, id)
	}
	wrong := []string{`null`, `true`, `-1`, `1e99`, `"text"`, `[]`, `{}`, `[[1]]`, `"\u0000"`, `9223372036854775808`}
	fields := []string{"message_id", "from", "chat", "date", "text", "entities", "reply_to_message", "sender_chat", "caption", "edit_date", "message_thread_id"}
	field := fields[random.IntN(len(fields))]
	kind := []string{"message", "edited_message", "channel_post", "callback_query", "my_chat_member", "message_reaction"}[random.IntN(6)]
	body := map[string]string{
		"message_id": "5", "date": "1700000000", "chat": `{"id":-77,"type":"group"}`, "from": `{"id":12,"is_bot":true,"first_name":"X"}`,
	}
	body[field] = wrong[random.IntN(len(wrong))]
	var parts []string
	for k, v := range body {
		parts = append(parts, fmt.Sprintf("%q:%s", k, v))
	}
	return fmt.Sprintf(`{"update_id":%d,%q:{%s}}`, id, kind, strings.Join(parts, ","))
}

func (n *network) Unacknowledged() int { return n.fake.Pending() }

func (n *network) AwaitAcknowledged(ctx context.Context) error { return n.fake.AwaitConfirmed(ctx) }

func (n *network) AwaitListening(ctx context.Context) error { return n.fake.AwaitPolling(ctx) }

func (n *network) Arrived(at channeltest.Place) []channeltest.Arrived {
	chat, thread := n.at(at)
	var all []channeltest.Arrived
	for _, m := range n.fake.Sent(chat) {
		if m.Thread == thread && !m.Deleted {
			a := channeltest.Arrived{Remote: fmt.Sprint(m.MessageID), Text: m.Text, Marked: len(m.Entities) > 0}
			for _, row := range m.Buttons {
				for _, b := range row {
					a.Buttons = append(a.Buttons, formatting.Button{ID: b.Data, Label: b.Text})
				}
			}
			if m.File != nil {
				a.Files = append(a.Files, channeltest.Attachment{Name: m.FileName, Data: m.File})
			}
			all = append(all, a)
		}
	}
	return all
}

func (n *network) AwaitTyping(ctx context.Context, at channeltest.Place, count int) error {
	if err := n.fake.AwaitActions(ctx, count); err != nil {
		return err
	}
	chat, thread := n.at(at)
	for _, a := range n.fake.Actions() {
		if a.Chat != chat || a.Thread != thread || a.Action != "typing" {
			return fmt.Errorf("unexpected %+v", a)
		}
	}
	return nil
}

func (n *network) Menu(lang string) []channels.Command {
	var all []channels.Command
	for _, c := range n.fake.MenuIn("all_private_chats", lang) {
		all = append(all, channels.Command{Name: c.Command, About: c.Description})
	}
	return all
}

func (n *network) BreakSend(f channeltest.Fault, times int) {
	n.breakWay([]string{"sendMessage", "editMessageText", "sendDocument", "sendPhoto"}, f, times)
}

func (n *network) BreakReceive(f channeltest.Fault, times int) {
	n.breakWay([]string{"getUpdates"}, f, times)
}

func (n *network) breakWay(methods []string, f channeltest.Fault, times int) {
	broken := fake.Fault{Methods: methods, Times: times}
	switch f {
	case channeltest.CutBefore:
		broken.Kind = fake.CutBefore
	case channeltest.CutAfter:
		broken.Kind = fake.CutAfter
	case channeltest.ServerError:
		broken.Kind, broken.Status, broken.Description = fake.Refuse, 502, "Bad Gateway"
	case channeltest.Garbage:
		broken.Kind, broken.Body = fake.Garbage, "<html>"+n.fake.Token()+"</html>"
	case channeltest.Late:
		broken.Kind, broken.Delay = fake.Late, slowness*600*time.Millisecond
	case channeltest.Slow:
		broken.Kind, broken.Delay = fake.Trickle, 50*time.Microsecond
	case channeltest.Elsewhere:
		broken.Kind, broken.Location = fake.Redirect, n.evil.URL
	case channeltest.WaitChat, channeltest.WaitAccount:
		broken.Kind, broken.RetryAfter = fake.TooMany, int(channeltest.WaitAsked/time.Second)
	case channeltest.SecondClient:
		broken.Kind, broken.Status = fake.Refuse, 409
		broken.Description = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
	default:
		n.t.Fatalf("unknown fault %s", f)
	}
	n.fake.Fault(broken)
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
	chat, _ := n.at(at)
	switch c {
	case channeltest.Blocked:
		n.fake.Block(chat)
	case channeltest.Removed:
		n.fake.Kick(chat, ben)
	case channeltest.Silenced:
		n.fake.Mute(chat, ben)
	}
}

func (n *network) Move() {
	old, _ := n.at(channeltest.InGroup)
	to := n.fake.Upgrade(old, ben)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.group = to
}

func (n *network) Revoke() { n.fake.Revoke() }

func (n *network) Leaks() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]string(nil), n.leaks...)
}

func (n *network) Marked(text string) formatting.Part {
	return formatting.Part{Text: "<b>" + html.EscapeString(text) + "</b>", Plain: text, Mode: "HTML"}
}

func (n *network) Broken(text string) formatting.Part {
	return formatting.Part{Text: "<b>" + text, Plain: text, Mode: "HTML"}
}

// violations fails the test when a request was none that the Bot API describes.
func (n *network) violations() {
	for _, v := range n.fake.Violations() {
		n.t.Errorf("a request is not what the Bot API describes: %s", v)
	}
}

func TestChannelKeepsTheContract(t *testing.T) {
	channeltest.Run(t, channeltest.Harness{
		Lacks: map[channeltest.Ability]string{
			channeltest.Deletions:  "Telegram tells bots nothing about deleted messages",
			channeltest.Cursors:    "Telegram keeps what is not confirmed",
			channeltest.Idempotent: "Telegram knows no key of a message",
			channeltest.Arguments:  "Telegram's menu has names and descriptions only",
		},
		New: func(t *testing.T) channeltest.Network {
			n := newNetwork(t)
			t.Cleanup(n.violations)
			return n
		},
	})
}
