package mattermost_test

import (
	"testing"

	"github.com/mattermost/mattermost/server/public/model"

	"outheis/channels/fakenet/mattermost"
)

// One post of the bot, over the socket and back, by Mattermost's own client.
func BenchmarkCreatePost(b *testing.B) {
	s, err := mattermost.New(mattermost.Options{Keep: 100})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	channel := s.AddChannel(s.AddTeam("Werk"), "Allgemein", mattermost.Open)
	c := model.NewAPIv4Client(s.URL())
	c.SetToken(s.Token())
	defer c.HTTPClient.CloseIdleConnections()
	for b.Loop() {
		if _, _, err := c.CreatePost(b.Context(), &model.Post{ChannelId: channel, Message: "**Vier** Wochen."}); err != nil {
			b.Fatal(err)
		}
	}
	if n := len(s.Sent("")); n > 200 {
		b.Errorf("%d posts are remembered, want about 100", n)
	}
}
