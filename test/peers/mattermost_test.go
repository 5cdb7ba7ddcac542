//go:build peers

package peers_test

import (
	"testing"

	"outheis/test/peers"
)

// The harness itself: a fresh server answers, survives a kill, and keeps what
// was written.
func TestServerSurvivesAKill(t *testing.T) {
	m := peers.Start(t)
	ada := m.Person(t, "ada", "Ada", "Beispiel")
	bot := m.Bot(t, "auskunft")
	chat := ada.Direct(t, bot)
	ada.Post(t, chat, "", "vorher")
	m.Kill()
	m.Up(t)
	ada.Post(t, chat, "", "nachher")
	got := bot.Posts(t, chat)
	if len(got) != 2 || got[0].Message != "vorher" || got[1].Message != "nachher" {
		t.Errorf("the chat holds %+v, want vorher and nachher", got)
	}
}
