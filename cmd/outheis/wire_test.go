package main

import (
	"testing"

	"outheis/agents"
	"outheis/channels"
	"outheis/config"
	"outheis/gateway"
)

// A channel that has the id of its guild, as #general of old guilds of Discord,
// opens that channel and no other; the guild is opened where the configuration says
// so, and then with the channel of its id.
func TestSpacesAreOpenedOnlyWhenSaid(t *testing.T) {
	const guild, other, person = "223456789012345678", "323456789012345678", "123456789012345678"
	for _, c := range []struct {
		space    bool
		chat, in string
		want     gateway.Reason
	}{
		{false, guild, guild, gateway.ReasonOK},
		{false, other, guild, gateway.ReasonGroup},
		{true, guild, guild, gateway.ReasonOK},
		{true, other, guild, gateway.ReasonOK},
		{true, other, other, gateway.ReasonGroup},
		{true, guild, "", gateway.ReasonGroup},
	} {
		account := config.Account{Channel: "discord", Name: "main", Enabled: true, Groups: []config.GroupAccess{{
			ID: guild, Space: c.space, People: []config.Person{{ID: config.Everybody, Role: config.RoleUser}},
		}}}
		policy := gateway.Policy{Access: map[gateway.AccountID]gateway.Access{{Channel: "discord", Account: "main"}: access(account)}}
		to, err := channels.NewAddress("discord", "main", c.chat, "", "")
		if err != nil {
			t.Fatal(err)
		}
		got := gateway.Decide(channels.Event{
			Kind: channels.KindMessage, Address: to, Space: c.in, Audience: channels.Group, Addressed: true, Text: "Wann?",
			Actor: channels.Actor{Kind: channels.Person, ID: person},
		}, policy, gateway.State{})
		if got.Reason != c.want || got.Reason == gateway.ReasonOK && got.Role != agents.RoleUser {
			t.Errorf("space %v, chat %s of %s: %s as %q, want %s", c.space, c.chat, c.in, got.Reason, got.Role, c.want)
		}
	}
}
