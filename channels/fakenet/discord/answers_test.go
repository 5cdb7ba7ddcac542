package discord_test

import (
	"strings"
	"testing"

	"outheis/channels/fakenet/discord"
	"outheis/channels/fakenet/discord/openapi"
)

// The answers of the stand-in have every field that Discord's document asks for,
// with the right types. Some have more, which Discord's are known to have too;
// the document does not know that a message can forward another.
func TestAnswersAreAsDiscordDescribesThem(t *testing.T) {
	s, w := world(t, discord.Options{})
	c, k := rest(t, s), dial(t, gatewayOf(s))
	k.start(s, guilds)
	s.Post(discord.Line{Channel: w.channel, From: w.ada, Text: "Datei", Files: []discord.File{{Name: "a.txt", Data: []byte("a")}}})
	asked := s.Say(w.channel, w.ada, "hallo <@"+s.Bot().ID+">")
	s.React(w.channel, w.ada, asked, "👍")
	s.OpenThread(w.channel, asked, w.ada, "Faden")
	s.Post(discord.Line{Channel: w.channel, From: w.ben, Text: "dazu", ReplyTo: asked})
	s.Post(discord.Line{Channel: w.channel, From: w.ben, Text: "fremd", Forward: true})
	s.Slash(w.channel, w.ada, "frage")
	a := k.action()
	app, at := "/applications/"+s.Application(), "/channels/"+w.channel
	hook := "/webhooks/" + s.Application() + "/" + a.Token
	for _, tt := range []struct{ method, path, body string }{
		{"GET", "/gateway", ""}, {"GET", "/gateway/bot", ""}, {"GET", "/users/@me", ""}, {"GET", "/users/" + w.ada, ""}, {"GET", "/users/@me/guilds", ""},
		{"POST", "/users/@me/channels", `{"recipient_id":"` + w.ada + `"}`}, {"GET", "/applications/@me", ""},
		{"GET", at, ""}, {"GET", "/channels/" + asked, ""}, {"GET", "/channels/" + w.forum, ""}, {"GET", "/channels/" + s.Direct(w.ada), ""},
		{"POST", at + "/messages", `{"content":"x","nonce":"n","message_reference":{"message_id":"` + asked + `"},"components":[{"type":1,"components":[{"type":2,"style":1,"label":"a","custom_id":"a"}]}]}`},
		{"GET", at + "/messages", ""}, {"GET", at + "/messages/" + asked, ""}, {"POST", at + "/typing", ""}, {"POST", at + "/threads", `{"name":"neu","type":11}`},
		{"PUT", at + "/messages/" + asked + "/reactions/👀/@me", ""}, {"GET", at + "/messages/" + asked + "/reactions/👀", ""},
		{"GET", "/guilds/" + w.guild, ""}, {"GET", "/guilds/" + w.guild + "/channels", ""}, {"GET", "/guilds/" + w.guild + "/roles", ""},
		{"GET", "/guilds/" + w.guild + "/threads/active", ""}, {"GET", "/guilds/" + w.guild + "/members/" + w.ada, ""}, {"GET", "/guilds/" + w.guild + "/members?limit=5", ""},
		{"PUT", app + "/commands", `[{"name":"frage","description":"fragt","options":[{"type":3,"name":"text","description":"die Frage"}]}]`}, {"GET", app + "/commands", ""},
		{"POST", "/interactions/" + a.ID + "/" + a.Token + "/callback?with_response=true", `{"type":5}`},
		{"PATCH", hook + "/messages/@original", `{"content":"da"}`}, {"GET", hook + "/messages/@original", ""}, {"POST", hook + "?wait=true", `{"content":"mehr"}`},
	} {
		r := c.call(tt.method, tt.path, tt.body)
		path, _, _ := strings.Cut(tt.path, "?")
		for _, wrong := range openapi.CheckAnswer(tt.method, path, r.status, []byte(r.raw)) {
			if !strings.HasSuffix(wrong, "is no field that Discord describes") && !strings.HasSuffix(wrong, "message_reference.type is 1, want one of [0]") {
				t.Error(wrong)
			}
		}
	}
}
