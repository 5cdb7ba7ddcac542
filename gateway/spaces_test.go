package gateway_test

import (
	"testing"

	"outheis/agents"
	"outheis/channels"
	"outheis/gateway"
)

func inSpace(space string) func(*channels.Event) {
	return func(e *channels.Event) { e.Space = space }
}

// A guild or team that is listed opens its chats to those who are listed with it.
// A chat with an entry of its own goes by that, and who is blocked stays so.
func TestDecideInSpaces(t *testing.T) {
	user, blocked := agents.RoleUser, agents.Role("blocked")
	policy := gateway.Policy{Access: map[gateway.AccountID]gateway.Access{mainAccount: {
		People: map[string]agents.Role{"1": agents.RoleAdmin, "3": blocked},
		Spaces: map[string]gateway.Group{
			"S":    {People: map[string]agents.Role{gateway.Everybody: user, "4": blocked, "6": blocked, "3": user}, Unaddressed: true, Commands: []string{"help"}},
			"-2":   {People: map[string]agents.Role{gateway.Everybody: user}},
			"only": {},
		},
		Groups: map[string]gateway.Group{
			"-1": {People: map[string]agents.Role{gateway.Everybody: user, "6": user}},
			"-5": {People: map[string]agents.Role{"5": user}},
		},
	}}}
	for _, c := range []struct {
		name, chat, space, who string
		want                   gateway.Reason
		role                   agents.Role
		edits                  []func(*channels.Event)
	}{
		{"member of a listed space", "-9", "S", "7", gateway.ReasonOK, user, nil},
		{"the account's administrator there", "-9", "S", "1", gateway.ReasonOK, agents.RoleAdmin, nil},
		{"in another space", "-9", "T", "7", gateway.ReasonGroup, "", nil},
		{"in no space", "-9", "", "7", gateway.ReasonGroup, "", nil},
		{"a chat that is called like a space", "S", "", "7", gateway.ReasonGroup, "", nil},
		{"a space that is called like a chat", "-9", "-1", "7", gateway.ReasonGroup, "", nil},
		{"a chat and its space of one id", "-2", "-2", "7", gateway.ReasonOK, user, nil},
		{"a space without people of its own", "-9", "only", "7", gateway.ReasonSender, "", nil},
		{"and the account's there", "-9", "only", "1", gateway.ReasonOK, agents.RoleAdmin, nil},
		{"nobody in particular", "-9", "S", "", gateway.ReasonAnonymous, "", nil},
		{"direct access is not given by a space", "7", "S", "7", gateway.ReasonSender, "", []func(*channels.Event){func(e *channels.Event) { e.Audience = channels.Direct }}},

		{"blocked in the space", "-9", "S", "4", gateway.ReasonBlocked, "", nil},
		{"blocked in the space, in a chat of everybody there", "-1", "S", "4", gateway.ReasonBlocked, "", nil},
		{"blocked in the space, named in the chat", "-1", "S", "6", gateway.ReasonOK, user, nil},
		{"blocked by the account", "-9", "only", "3", gateway.ReasonBlocked, "", nil},
		{"blocked by the account, in a chat of everybody", "-1", "S", "3", gateway.ReasonBlocked, "", nil},
		{"blocked by the account, named in the space", "-9", "S", "3", gateway.ReasonOK, user, nil},

		{"a listed chat goes before its space", "-5", "S", "7", gateway.ReasonSender, "", nil},
		{"and who is listed with it", "-5", "S", "5", gateway.ReasonOK, user, nil},
		{"what is said to others, in the space", "-9", "S", "7", gateway.ReasonOK, user, []func(*channels.Event){overheard}},
		{"what is said to others, in the chat", "-1", "S", "7", gateway.ReasonUnaddressed, user, []func(*channels.Event){overheard}},
		{"a command of the space", "-9", "S", "7", gateway.ReasonOK, user, []func(*channels.Event){command("help", "")}},
		{"a command of the space, in the chat", "-1", "S", "7", gateway.ReasonCommand, user, []func(*channels.Event){command("help", "")}},
	} {
		edits := append([]func(*channels.Event){inGroup(t, c.chat), inSpace(c.space), from(c.who)}, c.edits...)
		if c.who == "" {
			edits = append(edits, actor(channels.System, ""))
		}
		got := gateway.Decide(message(t, edits...), policy, gateway.State{Now: now})
		if got.Reason != c.want || got.Role != c.role {
			t.Errorf("%s: %s, %q; want %s, %q", c.name, got.Reason, got.Role, c.want, c.role)
		}
	}
}

// T7: no kind of event, whatever its text, gives a stranger more than a code, and
// a code comes from nothing but a direct message.
func TestNoEventGivesARole(t *testing.T) {
	for _, how := range []gateway.Pairing{gateway.NoPairing, gateway.PairingInWindow, gateway.PairingAlways} {
		policy := gateway.Policy{Access: map[gateway.AccountID]gateway.Access{mainAccount: {
			People: map[string]agents.Role{"1": agents.RoleAdmin}, Groups: map[string]gateway.Group{"-1": {}}, Pairing: how,
		}}}
		for _, kind := range []channels.Kind{channels.KindMessage, channels.KindEdit, channels.KindDeletion, channels.KindReaction, channels.KindButton, channels.KindCommand, channels.KindMembership, "other"} {
			for _, audience := range []channels.Audience{channels.Direct, channels.Group, channels.Broadcast, ""} {
				for _, word := range []string{"", "start", "stop", "pair", "link", "unlink", "reload"} {
					for _, paired := range []bool{false, true} {
						e := message(t, from("7"), func(e *channels.Event) {
							e.Kind, e.Audience, e.Command, e.Text, e.Button = kind, audience, word, "ABCD-EF23", "pair"
						})
						s := gateway.State{Now: now, Paired: paired, PairingFrom: now, PairingUntil: now.Add(1)}
						got := gateway.Decide(e, policy, s)
						asks := kind == channels.KindMessage || kind == channels.KindCommand
						switch {
						case got.Role == agents.RoleAdmin:
							t.Errorf("%s %q %q paired %v: a stranger is an administrator", kind, audience, word, paired)
						case got.Role != "" && !(paired && audience == channels.Direct):
							t.Errorf("%s %q %q paired %v: a stranger is %s", kind, audience, word, paired, got.Role)
						case got.Reason == gateway.ReasonPairing && (paired || how == gateway.NoPairing || audience != channels.Direct || !asks):
							t.Errorf("%s %q %q paired %v: a code is offered", kind, audience, word, paired)
						}
					}
				}
			}
		}
	}
}
