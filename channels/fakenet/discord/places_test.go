package discord_test

import (
	"encoding/json"
	"testing"

	"outheis/channels/fakenet/discord"
)

// A seen message is what tests look at.
type seen struct {
	ID, Content string
	ChannelID   string `json:"channel_id"`
	GuildID     string `json:"guild_id"`
	WebhookID   string `json:"webhook_id"`
	Type        int
	Author      struct {
		ID  string
		Bot bool
	}
	Edited     *string `json:"edited_timestamp"`
	Referenced *seen   `json:"referenced_message"`
	Snapshots  []struct {
		Message struct{ Content string }
	} `json:"message_snapshots"`
}

// message reads the next event of a kind and skips others.
func (k *socket) message(kind string) seen {
	k.t.Helper()
	for {
		p, err := k.next()
		if err != nil {
			k.t.Fatalf("%s did not come: %v", kind, err)
		}
		if p.T != kind {
			continue
		}
		var m seen
		if err := json.Unmarshal(p.D, &m); err != nil {
			k.t.Fatal(err)
		}
		return m
	}
}

func TestThreadsAndForumPosts(t *testing.T) {
	s, w := world(t, discord.Options{})
	c, k := rest(t, s), dial(t, gatewayOf(s))
	k.start(s, guilds|guildMessages|content)
	asked := s.Say(w.channel, w.ada, "Frage?")
	thread := s.OpenThread(w.channel, asked, w.ada, "Antworten")
	if thread != asked {
		t.Errorf("a thread under a message has the id %s, want %s", thread, asked)
	}
	s.Say(thread, w.ben, "im Faden")
	if m := k.message("MESSAGE_CREATE"); m.ID != asked {
		t.Errorf("first came %+v", m)
	}
	if m := k.message("MESSAGE_CREATE"); m.ChannelID != thread || m.GuildID != w.guild {
		t.Errorf("in the thread came %+v", m)
	}
	c.create(thread, `{"content":"Antwort"}`)
	if got := s.Sent(thread); got[0].Parent != w.channel || got[0].Guild != w.guild {
		t.Errorf("a person finds %+v", got)
	}
	post := s.OpenPost(w.forum, w.ada, "Titel", "Wie geht das?")
	if r := c.call("GET", "/channels/"+post, ""); r.body["parent_id"] != w.forum || r.body["type"] != 11.0 || r.body["owner_id"] != w.ada {
		t.Errorf("the forum post is %s", r.raw)
	}
	if r := c.call("GET", "/channels/"+post+"/messages/"+post, ""); r.body["content"] != "Wie geht das?" {
		t.Errorf("its first message is %s", r.raw)
	}
	s.Archive(post, false)
	c.create(post, `{"content":"geht noch"}`)
	private := s.OpenPrivateThread(w.channel, w.ada, "geheim")
	if r := c.call("GET", "/channels/"+private, ""); r.status != 403 {
		t.Errorf("a private thread without us got %d", r.status)
	}
	s.Say(private, w.ada, "<@"+s.Bot().ID+"> komm")
	if r := c.call("GET", "/channels/"+private, ""); r.status != 200 {
		t.Errorf("a private thread after the mention got %d %s", r.status, r.raw)
	}
	if r := c.call("GET", "/guilds/"+w.guild+"/threads/active", ""); len(r.body["threads"].([]any)) < 2 {
		t.Errorf("active threads are %s", r.raw)
	}
}

func TestKindsOfMessage(t *testing.T) {
	s, w := world(t, discord.Options{})
	other := s.AddUser(discord.User{Username: "anderer", Bot: true}).ID
	s.Join(w.guild, other)
	k := dial(t, gatewayOf(s))
	k.start(s, guilds|guildMessages|content)
	first := s.Say(w.channel, w.ada, "eins")
	k.message("MESSAGE_CREATE")
	s.Post(discord.Line{Channel: w.channel, From: w.ben, Text: "dazu", ReplyTo: first})
	if m := k.message("MESSAGE_CREATE"); m.Type != 19 || m.Referenced == nil || m.Referenced.Content != "eins" {
		t.Errorf("a reply came as %+v", m)
	}
	s.Post(discord.Line{Channel: w.channel, From: w.ben, Text: "fremdes Wort", Forward: true})
	if m := k.message("MESSAGE_CREATE"); m.Content != "" || m.Snapshots[0].Message.Content != "fremdes Wort" {
		t.Errorf("a forwarded message came as %+v", m)
	}
	s.Post(discord.Line{Channel: w.channel, Webhook: "77", Text: "vom Haken"})
	if m := k.message("MESSAGE_CREATE"); m.WebhookID != "77" || !m.Author.Bot {
		t.Errorf("a webhook's message came as %+v", m)
	}
	s.Say(w.channel, other, "piep")
	if m := k.message("MESSAGE_CREATE"); !m.Author.Bot || m.WebhookID != "" {
		t.Errorf("a bot's message came as %+v", m)
	}
	s.Post(discord.Line{Channel: w.channel, From: w.ben, Type: 7})
	if m := k.message("MESSAGE_CREATE"); m.Type != 7 {
		t.Errorf("a system message came as %+v", m)
	}
	s.Touch(w.channel, first)
	if m := k.message("MESSAGE_UPDATE"); m.Edited != nil || m.Content != "eins" {
		t.Errorf("a touched message came as %+v", m)
	}
	s.Edit(w.channel, first, "zwei")
	if m := k.message("MESSAGE_UPDATE"); m.Edited == nil || m.Content != "zwei" {
		t.Errorf("an edited message came as %+v", m)
	}
	s.Delete(w.channel, first)
	if m := k.message("MESSAGE_DELETE"); m.ID != first {
		t.Errorf("a deletion came as %+v", m)
	}
}

func TestGuildsComeAndGo(t *testing.T) {
	s, w := world(t, discord.Options{})
	k := dial(t, gatewayOf(s))
	k.start(s, guilds)
	gone := func(unavailable bool) {
		t.Helper()
		var g struct{ Unavailable bool }
		if p := k.want(0, "GUILD_DELETE"); json.Unmarshal(p.D, &g) != nil || g.Unavailable != unavailable {
			t.Errorf("the guild went as %s", p.D)
		}
	}
	s.Outage(w.guild, true)
	gone(true)
	s.Outage(w.guild, false)
	k.want(0, "GUILD_CREATE")
	s.Kick(w.guild)
	gone(false)
	s.Invite(w.guild)
	k.want(0, "GUILD_CREATE")
}
