package gateway

import (
	"errors"

	"outheis/agents"
	"outheis/channels"
)

// errNotAdmitted means that whoever asked may not ask any more.
var errNotAdmitted = errors.New("the person may not ask any more")

// standingOf looks up again, in the settings that are in force now, whether the
// author of an admitted request may still ask, and as what: never as more than when
// they asked. A request can have waited for hours (spec/reliability.md T5, T6).
func (g *Gateway) standingOf(req *Envelope) (agents.Role, bool) {
	p, u := &req.Payload, req.From.User
	if u == nil || p.Address.Channel() == LocalChannel {
		return p.Role, true
	}
	access, known := g.settings.Load().Policy.Access[accountOf(p.Address)]
	e := channels.Event{
		Kind: channels.KindMessage, Address: p.Address, Audience: p.Audience, Space: p.Space,
		Actor: channels.Actor{Kind: channels.Person, ID: u.Identity},
	}
	if u.Program {
		e.Actor.Kind = channels.Bot
	}
	paired := known && g.roster.view().paired[identityOf(e)]
	role, reason := principal(e, access, paired, false)
	if reason != ReasonOK {
		return "", false
	}
	if p.Role != agents.RoleAdmin {
		role = p.Role
	}
	return role, true
}
