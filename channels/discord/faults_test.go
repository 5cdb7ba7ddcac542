package discord_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"outheis/channels"
	"outheis/channels/channeltest"
	"outheis/channels/discord"
	fake "outheis/channels/fakenet/discord"
	"outheis/formatting"
)

// A session is a channel that runs against a fake.
type session struct {
	t      *testing.T
	n      *network
	c      *discord.Channel
	log    *journal
	events chan channels.Event
	ended  chan error
	stop   func()
}

// A journal keeps what was logged.
type journal struct {
	mu sync.Mutex
	b  strings.Builder
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(p)
}

// count returns how often s was logged.
func (j *journal) count(s string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Count(j.b.String(), s)
}

// run starts a channel on n; change, unless nil, sees its options first, and in
// every event.
func run(t *testing.T, n *network, change func(*discord.Options), in channels.Deliver) *session {
	t.Helper()
	s := &session{t: t, n: n, log: &journal{}, events: make(chan channels.Event, 1000), ended: make(chan error, 1)}
	o := n.options(slog.New(slog.NewTextHandler(s.log, nil)))
	if change != nil {
		change(&o)
	}
	c, err := discord.New(o)
	if err != nil {
		t.Fatal(err)
	}
	discord.Hurry(c)
	discord.Settle(c, n.settle)
	s.c = c
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.ended <- c.Run(ctx, func(ctx context.Context, e channels.Event) error {
			if in != nil {
				if err := in(ctx, e); err != nil {
					return err
				}
			}
			s.events <- e
			return nil
		})
	}()
	s.stop = sync.OnceFunc(func() {
		cancel()
		<-done
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if s.log.count(secret) > 0 {
			t.Error("the token was logged")
		}
	})
	t.Cleanup(s.stop)
	return s
}

// connected waits until the channel receives.
func (s *session) connected() *session {
	s.t.Helper()
	s.health(channels.Green)
	return s
}

func (s *session) next() channels.Event {
	s.t.Helper()
	select {
	case e := <-s.events:
		return e
	case <-time.After(10 * time.Second):
		s.t.Fatal("no event came")
		panic("unreachable")
	}
}

// say makes Ada write in the group and returns the event.
func (s *session) say(text string) channels.Event {
	s.t.Helper()
	s.n.fake.Say(s.n.at(channeltest.InGroup), ada, text)
	return s.next()
}

// health waits for a state.
func (s *session) health(want channels.State) channels.Health {
	s.t.Helper()
	var h channels.Health
	s.await(fmt.Sprint("health ", want), func() bool { h = s.c.Health(); return h.State == want })
	if want == channels.Red && (h.Reason == "" || h.Remedy == "") {
		s.t.Errorf("red without a reason or a remedy: %+v", h)
	}
	return h
}

func (s *session) await(what string, ok func() bool) {
	s.t.Helper()
	deadline := time.After(10 * time.Second)
	for !ok() {
		select {
		case <-deadline:
			s.t.Fatalf("%s did not come; health %+v, gateway %+v", what, s.c.Health(), s.n.fake.Gateway())
		case <-time.After(2 * time.Millisecond): // nothing tells of it
		}
	}
}

// send posts and fails the test unless it arrives.
func (s *session) send(p channels.Post) string {
	s.t.Helper()
	r, err := s.c.Send(s.t.Context(), p)
	if err != nil {
		s.t.Fatal(err)
	}
	return r.Remote
}

func words(to channels.Address, key, text string) channels.Post {
	return channels.Post{To: to, Key: key, Body: formatting.Part{Text: text, Plain: text, Mode: "markdown"}}
}

// channels.md D1: each part of a long answer is valid by itself and fits.
func TestLongCodeStaysWhole(t *testing.T) {
	s := run(t, newNetwork(t, fake.Options{}), nil, nil)
	to := s.say("lang").Address
	doc := formatting.Document{Blocks: []formatting.Block{formatting.CodeBlock{Lang: "go", Text: strings.Repeat("fmt.Println(\"Zeile 😀\")\n", 400)}}}
	parts := formatting.Render(doc, s.c.Profile())
	for i, part := range parts {
		s.send(channels.Post{To: to, Key: fmt.Sprint("code", i), Body: part})
	}
	lines := 0
	for _, m := range s.n.fake.Sent("") {
		if n := len([]rune(m.Content)); n > 2000 {
			t.Errorf("a part has %d characters", n)
		}
		if n := strings.Count(m.Content, "```"); n != 2 {
			t.Errorf("a part has %d fences: %q", n, m.Content)
		}
		lines += strings.Count(m.Content, "fmt.Println")
	}
	if lines != 400 || len(parts) < 4 {
		t.Errorf("%d lines arrived in %d parts, want 400", lines, len(parts))
	}
}

// channels.md D2: the account, its nickname form and its own role are us; other
// roles are not, also those that we have.
func TestEveryFormOfMentionIsUs(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	other := n.fake.AddRole(guild, "Auskunft", true, botID)
	s := run(t, n, nil, nil).connected()
	for _, tt := range []struct {
		text, want string
		addressed  bool
	}{
		{"<@" + botID + "> wann?", "wann?", true},
		{"<@!" + botID + "> wann?", "wann?", true},
		{"<@&" + n.fake.BotRole(guild) + "> wann?", "wann?", true},
		{"<@&" + other + "> wann?", "<@&" + other + "> wann?", false},
		{"`<@" + botID + ">` so geht es", "`<@" + botID + ">` so geht es", false},
		{"@everyone wann?", "@everyone wann?", false},
		{"wann, <@" + ben + ">?", "wann, @ben?", false},
	} {
		if e := s.say(tt.text); e.Text != tt.want || e.Addressed != tt.addressed {
			t.Errorf("%q: text %q, addressed %v, want %q, %v", tt.text, e.Text, e.Addressed, tt.want, tt.addressed)
		}
	}
}

// channels.md D3: in a thread only what is directed at us is; channel and thread
// are told apart.
func TestThreadMessagesAreNotOurs(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	s := run(t, n, nil, nil).connected()
	group := n.at(channeltest.InGroup)
	first := s.say("<@" + botID + "> eine Frage")
	thread := n.fake.OpenThread(group, first.Message, ada, "Frage")
	n.fake.Say(thread, ben, "unter uns")
	e := s.next()
	if e.Addressed || e.Address.Chat() != group || e.Address.Thread() != thread || e.Space != guild {
		t.Errorf("in the thread: %+v", e)
	}
	ours := s.send(words(e.Address, "k", "eine Antwort"))
	n.fake.Post(fake.Line{Channel: thread, From: ben, Text: "und dann?", ReplyTo: ours})
	if e := s.next(); !e.Addressed || e.Quoted != "eine Antwort" || e.Replied != ours {
		t.Errorf("a reply to us: %+v", e)
	}
}

// channels.md D4: a hundred commands at most, in one request and only when they
// changed; and chat goes on when Discord takes none.
func TestCommandsAreSetOnce(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	var many []channels.Command
	for i := range 101 {
		many = append(many, channels.Command{Name: fmt.Sprint("befehl_", i), About: "etwas", Argument: "Ihre Fräge", ArgumentAbout: "worum es geht", Everywhere: i%2 == 0})
	}
	for start := range 2 {
		s := run(t, n, nil, nil).connected()
		for _, locale := range []string{"", "de", "en"} {
			if err := s.c.SetCommands(t.Context(), locale, many); err != nil {
				t.Fatal(err)
			}
		}
		if start == 0 {
			n.fake.Fault(fake.Fault{Kind: fake.Refuse, Route: fake.PutCommands, Status: 400, Code: 30034, Message: "Max number of daily application command creates has been reached (200)"})
			changed := append([]channels.Command{{Name: "neu", About: "neu"}}, many...)
			if se := channels.AsSendError(s.c.SetCommands(t.Context(), "", changed)); se == nil || se.Class != channels.Refused {
				t.Errorf("the refused menu: %v, want refused", se)
			}
			if err := s.c.SetCommands(t.Context(), "", many); err != nil {
				t.Error(err)
			}
		}
		if e := s.say("geht noch"); e.Text != "geht noch" {
			t.Errorf("chat stopped: %+v", e)
		}
		s.stop()
	}
	menu := n.fake.Menu("")
	if len(menu) != 100 || menu[0].Options[0].Name != "ihre_fraege" {
		t.Errorf("%d commands, first %+v", len(menu), menu[0])
	}
	if got := n.fake.Calls(fake.PutCommands); got != 4 { // three languages, one refusal
		t.Errorf("the menu was written %d times, want 4", got)
	}
}

func TestCommandsOfAGuild(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	s := run(t, n, func(o *discord.Options) { o.Guilds = []string{guild} }, nil)
	commands := []channels.Command{{Name: "start", About: "Begrüßung"}, {Name: "tresor", About: "Frage", Everywhere: true}}
	for range 2 {
		if err := s.c.SetCommands(t.Context(), "", commands); err != nil {
			t.Fatal(err)
		}
	}
	if menu := n.fake.Menu(guild); len(menu) != 1 || menu[0].Name != "tresor" || n.fake.Calls(fake.PutGuildCommands) != 1 || len(n.fake.Menu("")) != 0 {
		t.Errorf("menu of the guild %+v, written %d times", menu, n.fake.Calls(fake.PutGuildCommands))
	}
}

// channels.md D5: a command is stored, then acknowledged as answered later, and
// the answer takes that place. What comes after it is a message of its own.
func TestCommandIsAnsweredLater(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	var early sync.Map
	s := run(t, n, nil, func(_ context.Context, e channels.Event) error {
		if e.Kind == channels.KindCommand {
			early.Store(n.fake.Action(e.Message).Answer, true)
		}
		return nil
	}).connected()
	group := n.at(channeltest.InGroup)
	id := n.fake.Slash(group, ada, "tresor", "frage", "Frist?")
	e := s.next()
	if e.Kind != channels.KindCommand || e.Command != "tresor" || e.Text != "Frist?" || e.Actor.Locale != "de" || !e.Addressed {
		t.Errorf("event %+v", e)
	}
	if strings.Contains(fmt.Sprintf("%+v", e), "aW50ZXJhY3Rpb24") {
		t.Errorf("the interaction's token is in the event: %+v", e)
	}
	first := s.send(words(e.Address, "k1", "Am 2. Mai. @everyone"))
	second := s.send(words(e.Address, "k2", "Und noch etwas."))
	again := s.send(words(e.Address, "k1", "Am 2. Mai. @everyone"))
	if _, ok := early.Load(0); !ok {
		t.Error("the command was acknowledged before it was stored")
	}
	a := n.fake.Action(id)
	if a.Answer != 5 || a.Original != first || second == first || again != first {
		t.Errorf("action %+v, messages %s, %s and again %s", a, first, second, again)
	}
	if sent := n.fake.Sent(group); len(sent) != 2 || len(sent[0].Pings)+len(sent[0].EditPings) > 0 {
		t.Errorf("sent %+v", sent)
	}
}

// channels.md D5: after its time, or after a restart, the answer to a command is
// a message.
func TestLateAnswerToACommandIsAMessage(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	s := run(t, n, nil, nil).connected()
	group := n.at(channeltest.InGroup)
	n.fake.Slash(group, ada, "tresor")
	e := s.next()
	n.past.Store(int64(-16 * time.Minute)) // of the network's clock
	if id := s.send(words(e.Address, "k1", "spät")); id == "" {
		t.Error("no message")
	}
	n.fake.Slash(group, ada, "tresor")
	e = s.next()
	s.stop()
	s = run(t, n, nil, nil)
	s.send(words(e.Address, "k2", "nach dem Neustart"))
	var texts []string
	for _, m := range n.fake.Sent(group) {
		if m.Interaction == "" && !m.Deleted {
			texts = append(texts, m.Content)
		}
	}
	if got := strings.Join(texts, "|"); got != "spät|nach dem Neustart" {
		t.Errorf("messages %q", got)
	}
}

// channels.md D5: a command has three seconds and does not wait for messages that
// were missed.
func TestCommandDoesNotWaitForMissedMessages(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	s := run(t, n, nil, nil).connected()
	group := n.at(channeltest.InGroup)
	s.say("vorher")
	s.stop()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := n.fake.AwaitDisconnected(ctx); err != nil {
		t.Fatal(err)
	}
	n.fake.Say(group, ada, "verpasst")
	n.fake.Fault(fake.Fault{Kind: fake.Hang, Route: fake.GetMessages, Channel: group})
	asked := n.fake.Calls(fake.GetMessages)
	s = run(t, n, nil, nil)
	s.await("catching up", func() bool { return n.fake.Calls(fake.GetMessages) >= asked+3 }) // two direct channels and the group
	id := n.fake.Slash(group, ada, "tresor", "frage", "Frist?")
	if e := s.next(); e.Kind != channels.KindCommand {
		t.Errorf("first came %+v", e)
	}
	if a, err := n.fake.AwaitAction(ctx, id); err != nil || a.Answer != 5 || a.Failed {
		t.Errorf("action %+v, %v", a, err)
	}
	if e := s.next(); e.Text != "verpasst" {
		t.Errorf("then came %+v", e)
	}
}

// channels.md D6: no way out mentions anybody.
func TestNothingMentionsAnybody(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	n.fake.Permit(n.at(channeltest.InGroup), botID, fake.MentionEveryone, 0)
	s := run(t, n, nil, nil).connected()
	loud := "@everyone @here <@" + ada + "> <@&" + n.fake.BotRole(guild) + ">"
	to := s.say("hallo").Address
	remote := s.send(words(to, "k1", loud))
	if err := s.c.Edit(t.Context(), words(to, "k2", loud+" !"), remote); err != nil {
		t.Fatal(err)
	}
	plain := words(to, "k3", loud)
	plain.Plain = true
	s.send(plain)
	if _, err := s.c.SendFile(t.Context(), words(to, "k4", loud), text("a.txt", "x")); err != nil {
		t.Fatal(err)
	}
	n.fake.Slash(n.at(channeltest.InGroup), ada, "tresor")
	s.send(words(s.next().Address, "k5", loud))
	for _, m := range n.fake.Sent("") {
		if len(m.Pings)+len(m.EditPings) > 0 {
			t.Errorf("%q notified %v, later %v", m.Content, m.Pings, m.EditPings)
		}
	}
	bodies := 0
	for _, route := range []string{fake.CreateMessage, fake.EditMessage, fake.EditFollowup} {
		for _, r := range n.fake.Requests(route) {
			bodies++
			var b struct {
				Mentions struct {
					Parse *[]string `json:"parse"`
				} `json:"allowed_mentions"`
			}
			if err := json.Unmarshal(r.Body, &b); err != nil || b.Mentions.Parse == nil || len(*b.Mentions.Parse) > 0 {
				t.Errorf("%s: %s", r.Route, r.Body)
			}
		}
	}
	if bodies != 5 {
		t.Errorf("%d messages were written, want 5", bodies)
	}
}

func text(name, s string) channels.Upload {
	return channels.Upload{Name: name, MIME: "text/plain", Size: int64(len(s)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader([]byte(s))), nil
	}}
}

// channels.md D7: programs are told from people, and we do not hear ourselves.
func TestProgramsAreToldFromPeople(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	s := run(t, n, nil, nil).connected()
	to := s.say("hallo").Address
	s.send(words(to, "k", "von uns"))
	group := n.at(channeltest.InGroup)
	n.fake.Post(fake.Line{Channel: group, From: ada, Text: "joined", Type: 7})
	n.fake.Say(group, robot, "Fehler")
	n.fake.Post(fake.Line{Channel: group, From: ben, Text: "Meldung", Webhook: "3001000000000000001"})
	if e := s.next(); e.Actor.Kind != channels.Bot || e.Actor.ID != robot {
		t.Errorf("a bot is %+v", e.Actor)
	}
	if e := s.next(); e.Actor.Kind != channels.Webhook {
		t.Errorf("a webhook is %+v", e.Actor)
	}
}

// channels.md D8: what is repeated, by a resumed session or by catching up, is
// delivered once.
func TestRepeatedMessagesComeOnce(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	s := run(t, n, nil, nil).connected()
	for i := range 20 {
		s.say(fmt.Sprint(i))
	}
	n.fake.Repeat(20)
	n.fake.CutGateway()
	s.await("resuming", func() bool { return n.fake.Gateway().Resumed > 0 })
	n.fake.Repeat(20)
	n.fake.ForgetSessions()
	n.fake.CutGateway()
	n.fake.Say(n.at(channeltest.InGroup), ada, "in der Lücke")
	if e := s.next(); e.Text != "in der Lücke" {
		t.Errorf("%q came again", e.Text)
	}
	s.await("a new session", func() bool { return n.fake.Gateway().Ready == 2 })
	n.fake.Repeat(3)
	if e := s.say("Schluss"); e.Text != "Schluss" {
		t.Errorf("%q came again", e.Text)
	}
}

// channels.md D10: a file that the server finds too large is refused, and the
// text goes on.
func TestTooLargeFileForTheServer(t *testing.T) {
	n := newNetwork(t, fake.Options{MaxFile: 1000})
	s := run(t, n, nil, nil).connected()
	to := s.say("schick").Address
	s.send(words(to, "k1", "Hier kommt die Datei."))
	_, err := s.c.SendFile(t.Context(), words(to, "k2", ""), text("a.txt", strings.Repeat("x", 5000)))
	if se := channels.AsSendError(err); se == nil || se.Class != channels.Refused {
		t.Errorf("SendFile = %v, want refused", err)
	}
	s.send(words(to, "k3", "Sie war zu groß."))
	if got := len(n.fake.Sent("")); got != 2 {
		t.Errorf("%d messages arrived, want 2", got)
	}
}

// channels.md D11: a table is a block of code when it is narrow, and rows
// otherwise.
func TestTablesAreReadable(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	s := run(t, n, nil, nil).connected()
	to := s.say("Tabelle").Address
	cell := func(s string) []formatting.Inline { return []formatting.Inline{formatting.Text(s)} }
	for i, wide := range []int{1, 80} {
		doc := formatting.Document{Blocks: []formatting.Block{formatting.Table{
			Head: [][]formatting.Inline{cell("Frist"), cell("漢字")},
			Rows: [][][]formatting.Inline{{cell(strings.Repeat("x", wide)), cell("drei")}},
		}}}
		for j, part := range formatting.Render(doc, s.c.Profile()) {
			s.send(channels.Post{To: to, Key: fmt.Sprint(i, j), Body: part})
		}
	}
	sent := n.fake.Sent("")
	if len(sent) != 2 || !strings.Contains(sent[0].Content, "```") || strings.Contains(sent[1].Content, "```") || strings.Contains(sent[1].Content, "|") {
		t.Errorf("tables are %+v", sent)
	}
}

// channels.md D12: without the message content intent the account goes on with
// what it may see; health names the page, and it is reported once.
func TestMissingContentIntentIsNamed(t *testing.T) {
	n := newNetwork(t, fake.Options{WithoutContent: true})
	s := run(t, n, nil, nil)
	h := s.health(channels.Red)
	s.await("a session without contents", func() bool { return n.fake.Connected() == 1 && n.fake.Gateway().Ready == 1 })
	if h = s.health(channels.Red); !strings.Contains(h.Remedy, "/applications/"+botID+"/bot") {
		t.Errorf("health is %+v, want the portal's page", h)
	}
	if e := s.say("<@" + botID + "> wann?"); !e.Addressed || e.Text != "wann?" {
		t.Errorf("a mention became %+v", e)
	}
	n.fake.Say(n.at(channeltest.AdaDirect), ada, "direkt")
	if e := s.next(); e.Text != "direkt" {
		t.Errorf("a direct message became %+v", e)
	}
	n.fake.CutGateway()
	s.await("resuming", func() bool { return n.fake.Gateway().Resumed > 0 })
	if got := s.log.count("message contents are withheld"); got != 1 {
		t.Errorf("it was reported %d times, want once", got)
	}
}

// channels.md D12: texts that stay empty are noticed, once.
func TestEmptyTextsAreNamed(t *testing.T) {
	n := newNetwork(t, fake.Options{})
	s := run(t, n, nil, nil).connected()
	for i := range 6 {
		n.fake.InjectEvent("MESSAGE_CREATE", map[string]any{
			"id": fmt.Sprint(1577097277695066112 + i), "channel_id": n.at(channeltest.InGroup), "guild_id": guild, "content": "",
			"author": map[string]any{"id": ada, "username": "ada"}, "type": 0, "timestamp": "2026-11-30T12:00:00Z",
		})
	}
	if h := s.health(channels.Red); !strings.Contains(h.Remedy, "discord.com/developers") {
		t.Errorf("health is %+v", h)
	}
	if got := s.log.count("message contents are withheld"); got != 1 {
		t.Errorf("it was reported %d times, want once", got)
	}
	s.say("mit Text")
	s.health(channels.Green)
}
