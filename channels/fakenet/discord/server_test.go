package discord_test

import (
	"testing"

	"go.uber.org/goleak"

	"outheis/channels/fakenet/discord"
)

// discordgo waits for none of its goroutines and may still try to reconnect
// after Close.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/bwmarrin/discordgo.(*Session).reconnect"),
		goleak.IgnoreAnyFunction("github.com/bwmarrin/discordgo.(*Session).heartbeat"),
		goleak.IgnoreAnyFunction("github.com/bwmarrin/discordgo.(*Session).listen"))
}

// ids are what the world of the tests holds.
type ids struct {
	ada, ben, guild, channel, forum string
}

// world starts a server with two people, a guild, a text channel and a forum.
func world(t *testing.T, o discord.Options) (*discord.Server, ids) {
	t.Helper()
	s, err := discord.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	w := ids{ada: "1001", ben: "1002", guild: "2001", channel: "3001", forum: "3002"}
	s.AddUser(discord.User{ID: w.ada, Username: "ada", Locale: "de"})
	s.AddUser(discord.User{ID: w.ben, Username: "ben"})
	s.AddGuild(w.guild, "Werk", w.ada, w.ben)
	s.AddChannel(w.guild, w.channel, "allgemein", discord.GuildText)
	s.AddChannel(w.guild, w.forum, "fragen", discord.Forum)
	return s, w
}
