package discord_test

import (
	"net/http"
	"strings"
	"testing"

	"outheis/channels/fakenet/discord"
)

// One message of the bot, over the socket and back.
func BenchmarkCreateMessage(b *testing.B) {
	s, err := discord.New(discord.Options{Keep: 100})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	s.AddUser(discord.User{ID: "1001"})
	s.AddGuild("2001", "Werk", "1001")
	channel := s.AddChannel("2001", "", "allgemein", discord.GuildText)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	for b.Loop() {
		req, err := http.NewRequest("POST", s.URL()+"/api/v10/channels/"+channel+"/messages", strings.NewReader(`{"content":"**Vier** Wochen."}`))
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Authorization", "Bot "+s.Token())
		req.Header.Set("Content-Type", "application/json")
		resp, err := client.Do(req)
		if err != nil || resp.StatusCode != 200 {
			b.Fatal(resp, err)
		}
		resp.Body.Close()
	}
	if n := len(s.Sent("")); n > 200 {
		b.Errorf("%d messages are remembered, want about 100", n)
	}
}
