package discord_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"outheis/channels/fakenet/discord"
)

// onlyTo sends every request to one host, whatever it was meant for.
type onlyTo struct {
	base string
	rt   *http.Transport
}

func (o onlyTo) RoundTrip(r *http.Request) (*http.Response, error) {
	u, err := url.Parse(o.base)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host, r.Host = u.Scheme, u.Host, u.Host
	return o.rt.RoundTrip(r)
}

// library is a session of discordgo, a client that nobody of us wrote.
func library(t *testing.T, s *discord.Server, intents discordgo.Intent) *discordgo.Session {
	t.Helper()
	d, err := discordgo.New("Bot " + s.Token())
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	d.Client = &http.Client{Transport: onlyTo{s.URL(), transport}, Timeout: 5 * time.Second}
	d.Dialer = &websocket.Dialer{HandshakeTimeout: 5 * time.Second}
	d.SyncEvents = true
	d.Identify.Intents = intents
	d.ShouldRetryOnRateLimit = false
	t.Cleanup(transport.CloseIdleConnections)
	return d
}

// open connects d and closes it at the end of the test.
func open(t *testing.T, d *discordgo.Session) {
	t.Helper()
	if err := d.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
}

func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func receive[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(5 * time.Second):
		t.Fatalf("%s did not come", what)
		panic("unreachable")
	}
}

func TestDiscordgoReadsAndWrites(t *testing.T) {
	s, w := world(t, discord.Options{})
	d := library(t, s, discordgo.IntentsAllWithoutPrivileged|discordgo.IntentsMessageContent)
	guilds, messages := make(chan *discordgo.GuildCreate, 1), make(chan *discordgo.MessageCreate, 10)
	d.AddHandler(func(_ *discordgo.Session, g *discordgo.GuildCreate) { guilds <- g })
	d.AddHandler(func(_ *discordgo.Session, m *discordgo.MessageCreate) { messages <- m })
	open(t, d)

	g := receive(t, guilds, "the guild")
	if g.ID != w.guild || len(g.Roles) != 2 || g.Roles[1].Managed == false || len(g.Channels) != 2 {
		t.Errorf("guild %s has roles %v and %d channels", g.ID, g.Roles, len(g.Channels))
	}
	id := s.Say(w.channel, w.ada, "Wie lang ist die Frist?")
	m := receive(t, messages, "the message")
	if m.ID != id || m.Content != "Wie lang ist die Frist?" || m.GuildID != w.guild || m.Member == nil || m.Author.ID != w.ada {
		t.Errorf("message %+v", m.Message)
	}
	sent, err := d.ChannelMessageSendComplex(w.channel, &discordgo.MessageSend{
		Content: "**Vier** Wochen, <@" + w.ada + ">", Reference: m.Reference(),
		AllowedMentions: &discordgo.MessageAllowedMentions{Parse: []discordgo.AllowedMentionType{}},
		Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
			discordgo.Button{Label: "Beleg", CustomID: "beleg:1", Style: discordgo.SecondaryButton}}}},
		Files: []*discordgo.File{{Name: "frist.txt", ContentType: "text/plain", Reader: strings.NewReader("vier")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if sent.ReferencedMessage == nil || sent.ReferencedMessage.ID != id || len(sent.Attachments) != 1 || len(sent.Components) != 1 {
		t.Errorf("sent %+v", sent)
	}
	got := s.Sent(w.channel)
	if len(got) != 1 || got[0].ReplyTo != id || len(got[0].Pings) != 0 || got[0].Buttons[0].ID != "beleg:1" || string(got[0].Files[0].Data) != "vier" {
		t.Errorf("a person finds %+v", got)
	}
	if own := receive(t, messages, "the own message"); own.ID != sent.ID {
		t.Errorf("own message %s, want %s", own.ID, sent.ID)
	}
}

// The library takes a second to close a connection, so one test holds all.
func TestDiscordgoResumesAndStartsAnew(t *testing.T) {
	s, w := world(t, discord.Options{})
	d := library(t, s, discordgo.IntentsAllWithoutPrivileged|discordgo.IntentsMessageContent)
	messages := make(chan string, 10)
	d.AddHandler(func(_ *discordgo.Session, m *discordgo.MessageCreate) { messages <- m.Content })
	open(t, d)
	s.Say(w.channel, w.ada, "eins")
	if got := receive(t, messages, "the first message"); got != "eins" {
		t.Errorf("got %q", got)
	}
	s.CutGateway()
	s.Say(w.channel, w.ada, "in der Lücke")
	if got := receive(t, messages, "the missed message"); got != "in der Lücke" {
		t.Errorf("got %q", got)
	}
	s.ForgetSessions()
	s.Reconnect()
	if err := s.AwaitGateway(within(t, 8*time.Second), "a new session", func(g discord.GatewayStats) bool { return g.Ready == 2 }); err != nil {
		t.Fatal(err)
	}
	s.Say(w.channel, w.ada, "zwei")
	if got := receive(t, messages, "the next message"); got != "zwei" {
		t.Errorf("got %q", got)
	}
	if g := s.Gateway(); g.Resumed != 1 || g.Invalidated != 1 || g.Identifies != 2 {
		t.Errorf("gateway %+v", g)
	}
}
