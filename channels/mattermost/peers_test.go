//go:build peers

package mattermost_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"outheis/channels/channeltest"
	"outheis/test/peers"
)

// A realServer makes worlds on one real server.
type realServer struct {
	m               *peers.Mattermost
	ada, ben, robot *peers.Account
	worlds          atomic.Int64
}

func startReal(t *testing.T, settings ...string) *realServer {
	t.Helper()
	m := peers.Start(t, settings...)
	return &realServer{m: m, ada: m.Person(t, "ada", "Ada", "Beispiel"), ben: m.Person(t, "ben", "Ben", ""), robot: m.Bot(t, "robot")}
}

func of(a *peers.Account) somebody { return somebody{a.ID, a.Name, a.Token, a.URL} }

// world makes a bot of its own, with chats.
func (r *realServer) world(t *testing.T) *world {
	t.Helper()
	i := r.worlds.Add(1)
	bot := r.m.Bot(t, fmt.Sprintf("auskunft%d", i))
	group := r.m.NewChannel(t, r.m.Team, fmt.Sprintf("runde%d", i), "P", r.ada, r.ben, r.robot, bot)
	forum := r.m.NewChannel(t, r.m.Team, fmt.Sprintf("forum%d", i), "O", r.ada, r.ben, bot)
	w := &world{
		admin: of(r.m.Admin), ada: of(r.ada), ben: of(r.ben), robot: of(r.robot), bot: of(bot), team: r.m.Team,
		place: map[channeltest.Place]spot{
			channeltest.AdaDirect: {channel: r.ada.Direct(t, bot)},
			channeltest.BenDirect: {channel: r.ben.Direct(t, bot)},
			channeltest.InGroup:   {channel: group},
			channeltest.TopicOne:  {channel: forum, root: r.ben.Post(t, forum, "", "Eins").ID},
			channeltest.TopicTwo:  {channel: forum, root: r.ben.Post(t, forum, "", "Zwei").ID},
		},
	}
	w.revoke = func() error {
		var tokens []struct{ ID string }
		if err := r.m.Admin.Do(http.MethodGet, "/users/"+bot.ID+"/tokens", nil, &tokens); err != nil {
			return err
		}
		return r.m.Admin.Do(http.MethodPost, "/users/tokens/revoke", map[string]string{"token_id": tokens[0].ID}, nil)
	}
	w.block = func() error {
		restrict := func(to string) error {
			return r.m.Admin.Do(http.MethodPut, "/config/patch", map[string]any{"TeamSettings": map[string]string{"RestrictDirectMessage": to}}, nil)
		}
		t.Cleanup(func() {
			if err := restrict("any"); err != nil {
				t.Error(err)
			}
		})
		if err := restrict("team"); err != nil {
			return err
		}
		return r.m.Admin.Do(http.MethodDelete, "/teams/"+r.m.Team+"/members/"+bot.ID, nil, nil)
	}
	return w
}

// The contract, held over the real server: its REST interface, its websocket,
// its idea of who may do what.
func TestChannelKeepsTheContractOnTheRealServer(t *testing.T) {
	r := startReal(t)
	channeltest.Run(t, channeltest.Harness{
		New:   func(t *testing.T) channeltest.Network { return newNetwork(t, r.world(t)) },
		Lacks: lacks(),
	})
}
