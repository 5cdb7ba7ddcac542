package discord_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"outheis/channels/fakenet/discord"
)

// discordgo reads the answers into its own types; what it cannot read fails.
func TestDiscordgoLooksAround(t *testing.T) {
	s, w := world(t, discord.Options{})
	d := library(t, s, 0)
	role := s.AddRole(w.guild, "team", true, w.ada)
	own := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	bot, err := d.GatewayBot()
	own(err)
	if bot.Shards != 1 || bot.SessionStartLimit.Total != 1000 || bot.SessionStartLimit.Remaining != 1000 {
		t.Errorf("gateway %+v", bot)
	}
	me, err := d.User("@me")
	own(err)
	if me.ID != s.Bot().ID || !me.Bot {
		t.Errorf("me is %+v", me)
	}
	app, err := d.Application("@me")
	own(err)
	if app.ID != s.Application() || app.Flags&(1<<19) == 0 {
		t.Errorf("application %+v", app)
	}
	guilds, err := d.UserGuilds(10, "", "", false)
	own(err)
	if len(guilds) != 1 || guilds[0].ID != w.guild {
		t.Errorf("guilds %+v", guilds)
	}
	member, err := d.GuildMember(w.guild, w.ada)
	own(err)
	if member.User.ID != w.ada || member.Roles[0] != role {
		t.Errorf("member %+v", member)
	}
	members, err := d.GuildMembers(w.guild, "", 100)
	own(err)
	channels, err := d.GuildChannels(w.guild)
	own(err)
	roles, err := d.GuildRoles(w.guild)
	own(err)
	if len(members) != 3 || len(channels) != 2 || len(roles) != 3 {
		t.Errorf("%d members, %d channels, %d roles", len(members), len(channels), len(roles))
	}
	dm, err := d.UserChannelCreate(w.ada)
	own(err)
	if dm.ID != s.Direct(w.ada) || dm.Type != discordgo.ChannelTypeDM || dm.Recipients[0].ID != w.ada {
		t.Errorf("direct channel %+v", dm)
	}
	m, err := d.ChannelMessageSend(w.channel, "eins")
	own(err)
	thread, err := d.MessageThreadStart(w.channel, m.ID, "Faden", 60)
	own(err)
	if thread.ID != m.ID || thread.ParentID != w.channel {
		t.Errorf("thread %+v", thread)
	}
	post, err := d.ForumThreadStart(w.forum, "Titel", 60, "Erstes Wort")
	own(err)
	if first, err := d.ChannelMessage(post.ID, post.ID); err != nil || first.Content != "Erstes Wort" {
		t.Errorf("first message of a post %+v, %v", first, err)
	}
	s.Archive(thread.ID, false)
	if old, err := d.ThreadsArchived(w.channel, nil, 10); err != nil || len(old.Threads) != 1 {
		t.Errorf("archived threads %+v, %v", old, err)
	}
	own(d.MessageReactionAdd(w.channel, m.ID, "👍"))
	s.React(w.channel, w.ada, m.ID, "👍")
	if users, err := d.MessageReactions(w.channel, m.ID, "👍", 10, "", ""); err != nil || len(users) != 2 {
		t.Errorf("reactions of %+v, %v", users, err)
	}
	own(d.MessageReactionRemove(w.channel, m.ID, "👍", "@me"))
	if got := s.Reactions(w.channel, m.ID)["👍"]; len(got) != 1 || got[0] != w.ada {
		t.Errorf("reactions %v", got)
	}
	own(d.ChannelTyping(w.channel))
	if len(s.Typing(w.channel)) != 1 || len(s.Typing(w.forum)) != 0 {
		t.Errorf("typing %v", s.Typing(""))
	}
	own(d.ChannelMessageDelete(w.channel, m.ID))
	sent, err := s.AwaitMessage(within(t, 5*time.Second), w.channel, "the deletion", func(m discord.Sent) bool { return m.Deleted })
	own(err)
	if sent.ID != m.ID {
		t.Errorf("deleted %+v", sent)
	}
	own(d.GuildLeave(w.guild))
	if _, err := d.Guild(w.guild); err == nil {
		t.Error("the bot reads a guild that it left")
	}
}

func TestDiscordgoManagesCommands(t *testing.T) {
	s, w := world(t, discord.Options{})
	d := library(t, s, 0)
	d.State.User = &discordgo.User{ID: s.Bot().ID}
	made, err := d.ApplicationCommandCreate(s.Application(), "", &discordgo.ApplicationCommand{Name: "frage", Description: "fragt"})
	if err != nil {
		t.Fatal(err)
	}
	if again, err := d.ApplicationCommandCreate(s.Application(), "", &discordgo.ApplicationCommand{Name: "frage", Description: "fragt anders"}); err != nil || again.ID != made.ID {
		t.Errorf("the same name made %+v, %v", again, err)
	}
	if changed, err := d.ApplicationCommandEdit(s.Application(), "", made.ID, &discordgo.ApplicationCommand{Name: "frag", Description: "fragt"}); err != nil || changed.Name != "frag" {
		t.Errorf("changed %+v, %v", changed, err)
	}
	if got, err := d.ApplicationCommand(s.Application(), "", made.ID); err != nil || got.Name != "frag" {
		t.Errorf("command %+v, %v", got, err)
	}
	if list, err := d.ApplicationCommands(s.Application(), w.guild); err != nil || len(list) != 0 {
		t.Errorf("the guild's commands %+v, %v", list, err)
	}
	if err := d.ApplicationCommandDelete(s.Application(), "", made.ID); err != nil || len(s.Menu("")) != 0 {
		t.Errorf("%v; left %+v", err, s.Menu(""))
	}
}

func TestWhatPeopleDoIsTold(t *testing.T) {
	s, w := world(t, discord.Options{})
	k := dial(t, gatewayOf(s))
	k.start(s, guilds|1<<1|guildMessages|1<<10|1<<11|content)
	m := s.Say(w.channel, w.ada, "eins")
	k.want(0, "MESSAGE_CREATE")
	s.React(w.channel, w.ben, m, "👍")
	k.want(0, "MESSAGE_REACTION_ADD")
	s.Unreact(w.channel, w.ben, m, "👍")
	k.want(0, "MESSAGE_REACTION_REMOVE")
	s.Type(w.channel, w.ben)
	k.want(0, "TYPING_START")
	s.DeleteBulk(w.channel, m)
	k.want(0, "MESSAGE_DELETE_BULK")
	if left := s.History(w.channel); len(left) != 0 {
		t.Errorf("history %+v", left)
	}
	k.send(8, map[string]any{"guild_id": w.guild, "user_ids": []string{w.ada, "5"}, "limit": 0})
	var chunk struct {
		Members []json.RawMessage
		Missing []string `json:"not_found"`
	}
	if p := k.want(0, "GUILD_MEMBERS_CHUNK"); json.Unmarshal(p.D, &chunk) != nil || len(chunk.Members) != 1 || chunk.Missing[0] != "5" {
		t.Errorf("members %s", p.D)
	}
	s.Leave(w.guild, w.ben)
	k.want(0, "GUILD_MEMBER_REMOVE")
	s.Join(w.guild, w.ben)
	k.want(0, "GUILD_MEMBER_ADD")
	s.Grant(w.guild, w.ben, s.AddRole(w.guild, "team", false))
	k.want(0, "GUILD_ROLE_CREATE")
	k.want(0, "GUILD_MEMBER_UPDATE")
	s.DeleteChannel(w.forum)
	k.want(0, "CHANNEL_DELETE")
	s.InjectEvent("NEVER_HEARD_OF", map[string]int{"a": 1})
	k.want(0, "NEVER_HEARD_OF")
	s.Inject("{")
	if _, err := k.next(); err == nil {
		t.Error("what is no JSON was read")
	}
}

func TestFollowupsCanBeReadAndTakenBack(t *testing.T) {
	s, w := world(t, discord.Options{})
	c, k := rest(t, s), dial(t, gatewayOf(s))
	k.start(s, guilds)
	id := s.Slash(w.channel, w.ada, "frage")
	a := k.action()
	if r := c.call("POST", "/interactions/"+a.ID+"/"+a.Token+"/callback?with_response=true", `{"type":4,"data":{"content":"da"}}`); r.status != 200 || r.body["resource"] == nil {
		t.Errorf("an answer with its message got %d %s", r.status, r.raw)
	}
	if act, err := s.AwaitAction(within(t, 5*time.Second), id); err != nil || act.Answer != 4 {
		t.Errorf("action %+v, %v", act, err)
	}
	original := "/webhooks/" + s.Application() + "/" + a.Token + "/messages/@original"
	if r := c.call("GET", original, ""); r.status != 200 || r.body["content"] != "da" {
		t.Errorf("the answer is %d %s", r.status, r.raw)
	}
	if r := c.call("DELETE", original, ""); r.status != 204 || !s.Sent(w.channel)[0].Deleted {
		t.Errorf("taking it back got %d", r.status)
	}
}

// Who causes too many errors in ten minutes is locked out by the proxy in front
// of Discord, which answers no JSON.
func TestTooManyErrorsLockOut(t *testing.T) {
	now := time.Now()
	s, _ := world(t, discord.Options{MaxErrors: 20, Now: func() time.Time { return now }})
	c := rest(t, s)
	c.token = "FAKE.other"
	for range 20 {
		if r := c.call("GET", "/users/@me", ""); r.status != 401 {
			t.Fatalf("got %d", r.status)
		}
	}
	c.token = s.Token()
	if r := c.call("GET", "/users/@me", ""); r.status != 429 || !strings.Contains(r.raw, "1015") || r.header.Get("Retry-After") != "3600" {
		t.Errorf("after %d errors it got %d %s", s.Invalid(), r.status, r.raw)
	}
	now = now.Add(11 * time.Minute)
	if r := c.call("GET", "/users/@me", ""); r.status != 200 {
		t.Errorf("later it got %d %s", r.status, r.raw)
	}
}

func TestLimitsOfOneRoute(t *testing.T) {
	now := time.Now()
	s, w := world(t, discord.Options{Now: func() time.Time { return now }})
	c := rest(t, s)
	s.Limit(discord.TriggerTyping, 1, time.Second)
	for i, want := range []int{204, 429} {
		if r := c.call("POST", "/channels/"+w.channel+"/typing", ""); r.status != want {
			t.Errorf("call %d got %d, want %d", i, r.status, want)
		}
	}
	s.Fault(discord.Fault{Kind: discord.Refuse, Status: 500, Message: "x", Times: -1})
	s.ClearFaults()
	if r := c.call("GET", "/users/"+w.ada, ""); r.status != 200 || r.body["username"] != "ada" {
		t.Errorf("a user is %d %s", r.status, r.raw)
	}
}

func TestOldMessagesAreForgotten(t *testing.T) {
	s, w := world(t, discord.Options{Keep: 5})
	c := rest(t, s)
	for i := range 30 {
		c.create(w.channel, fmt.Sprintf(`{"content":"%d"}`, i))
	}
	sent, err := s.AwaitSent(within(t, 5*time.Second), w.channel, 5)
	if err != nil || len(sent) > 10 || sent[len(sent)-1].Text != "29" || len(s.History(w.channel)) > 10 {
		t.Errorf("%d messages are remembered, %v", len(sent), err)
	}
}
