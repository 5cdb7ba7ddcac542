package main

import (
	"fmt"
	"maps"

	"outheis/agents"
	"outheis/channels"
	"outheis/config"
	"outheis/formatting"
	"outheis/gateway"
	"outheis/relay"
)

// accounts makes the channels that the configuration switches on.
func (w wiring) accounts() ([]gateway.Account, error) {
	var all []gateway.Account
	for _, a := range w.c.Accounts() {
		if !a.Enabled {
			continue
		}
		account, err := w.account(a.Channel, a.Name)
		if err != nil {
			return nil, err
		}
		all = append(all, account)
	}
	return all, nil
}

// account makes one channel.
func (w wiring) account(kind, name string) (gateway.Account, error) {
	for _, n := range networks() {
		if n.kind != kind {
			continue
		}
		channel, err := n.open(w.of(kind, name))
		if err != nil {
			return gateway.Account{}, fmt.Errorf("%s/%s: %w", kind, name, err)
		}
		return gateway.Account{Name: name, Channel: channel}, nil
	}
	return gateway.Account{}, fmt.Errorf("%s/%s: no such network", kind, name)
}

// settings says what of the configuration the gateway works by.
func (p *program) settings(c config.Config, accounts []gateway.Account, topics []gateway.Topic) gateway.Settings {
	s := gateway.Settings{
		Policy: gateway.Policy{Access: make(map[gateway.AccountID]gateway.Access), Limits: limits(c)},
		Routing: gateway.Routing{
			Default: defaultAgent(c), Threshold: c.Dispatcher.Routing.Threshold,
			Keywords: maps.Clone(c.Dispatcher.Routing.Keywords), Mentions: mentions(c, topics),
		},
		Lang: c.Human.Language, Zone: c.Human.Location(), Topics: topics, Timeout: c.Dispatcher.RequestTimeout,
	}
	for _, a := range c.Accounts() {
		if a.Enabled {
			s.Policy.Access[gateway.AccountID{Channel: a.Channel, Account: a.Name}] = access(a)
		}
	}
	s.Admins = admins(c, accounts)
	return s
}

// The roles of agents that are named here.
const (
	tresorAgent = "tresor"
	relayAgent  = "relay"
)

// defaultAgent answers what is addressed to nobody.
func defaultAgent(c config.Config) string {
	if c.Agents[tresorAgent].Enabled {
		return tresorAgent
	}
	return ""
}

func limits(c config.Config) gateway.Limits {
	return gateway.Limits{
		MaxText: c.Dispatcher.MaxMessageChars,
		Burst:   c.Limits.PerUser.Burst, Window: c.Limits.PerUser.Window, Daily: c.Limits.PerUser.Daily,
		PerPair: c.Limits.PerBot.Burst, PairTime: c.Limits.PerBot.Window, Mute: c.Limits.PerBot.Mute,
		Mailbox: c.Limits.Waiting, Open: c.Limits.Open, MaxAge: c.Dispatcher.BacklogMaxAge,
	}
}

// mentions are the names behind an @: the Tresore, the names that the
// configuration gives the agents, and the agents that are not built yet.
func mentions(c config.Config, topics []gateway.Topic) map[string]gateway.Route {
	all := make(map[string]gateway.Route)
	for role, a := range c.Agents {
		agent := ""
		if (role == tresorAgent || role == relayAgent) && c.Agents[tresorAgent].Enabled {
			agent = tresorAgent // the relay hands what is not addressed to the Tresore
		}
		for _, name := range []string{role, a.Name} {
			if name != "" {
				all[name] = gateway.Route{Agent: agent}
			}
		}
	}
	for _, t := range topics {
		if t.Mention != "" {
			all[t.Mention] = gateway.Route{Agent: tresorAgent, Scope: t.Mention}
		}
	}
	return all
}

func access(a config.Account) gateway.Access {
	to := gateway.Access{
		People: people(a.People), Programs: a.Bots, Pairing: pairingOf(a.Pairing),
		Groups: make(map[string]gateway.Group), Spaces: make(map[string]gateway.Group),
	}
	for _, g := range a.Groups {
		group := gateway.Group{
			People: people(g.People), Anonymous: g.Anonymous, Unaddressed: !g.Addressed, Commands: g.Commands,
		}
		if g.Space { // said by the operator: a guild of Discord can have a channel of its own id
			to.Spaces[g.ID] = group
		} else {
			to.Groups[g.ID] = group
		}
	}
	return to
}

func pairingOf(when string) gateway.Pairing {
	switch when {
	case config.PairingWindow:
		return gateway.PairingInWindow
	case config.PairingAlways:
		return gateway.PairingAlways
	}
	return gateway.NoPairing
}

// people gives each id its role. A blocked person has one that the gateway
// refuses everywhere.
func people(list []config.Person) map[string]agents.Role {
	roles := make(map[string]agents.Role, len(list))
	for _, person := range list {
		roles[person.ID] = agents.Role(person.Role)
	}
	return roles
}

// admins are the direct chats of the administrators, where the network lets us
// find them.
func admins(c config.Config, accounts []gateway.Account) []gateway.Admin {
	var all []gateway.Admin
	for _, a := range c.Accounts() {
		for _, account := range accounts {
			finder, ok := account.Channel.(channels.Finder)
			if !ok || account.Channel.Kind() != a.Channel || account.Name != a.Name {
				continue
			}
			for _, person := range a.People {
				if person.Role != config.RoleAdmin {
					continue
				}
				if to, err := finder.Direct(person.ID); err == nil {
					all = append(all, gateway.Admin{Address: to, Lang: c.Human.Language})
				}
			}
		}
	}
	return all
}

// looks are how replies look to programs on this machine.
func looks(lang string) map[string]relay.Target {
	return map[string]relay.Target{
		"":      {Profile: formatting.Terminal(formatting.TerminalOptions{}), Lang: lang},
		"color": {Profile: formatting.Terminal(formatting.TerminalOptions{Color: true}), Lang: lang},
	}
}
