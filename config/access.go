package config

// An Account is who may ask one account of a channel, and where.
type Account struct {
	Channel string // kind: telegram, discord or mattermost
	Name    string
	Enabled bool
	People  []Person // by their own id; Everybody stands for all others in direct chats
	Groups  []GroupAccess
	Bots    []string // ids of programs that get answers
	Pairing string   // when a stranger who writes directly gets a code for the owner
}

// GroupAccess is who may ask in one group: its own People, and those of the
// account except Everybody.
type GroupAccess struct {
	ID, Name  string
	Space     bool     // not a chat, but all chats of a guild or team
	Addressed bool     // only what is addressed to us is answered
	People    []Person // Everybody stands for all members
	Anonymous bool
	Commands  []string
}

// Accounts returns the effective policy of all accounts of all channels. The
// owner's own terminal needs no permission and is not among them.
func (c Config) Accounts() []Account {
	var all []Account
	for _, s := range c.Channels.bots() {
		common := s.common()
		a := Account{
			Channel: s.kind(), Name: common.Name, Enabled: common.Enabled,
			People: common.Allowed, Bots: common.Bots, Pairing: common.Pairing,
		}
		for _, g := range common.Groups {
			a.Groups = append(a.Groups, GroupAccess{
				ID: g.ID, Name: g.Name, Space: g.Space, Addressed: g.Mention != MentionAlways, People: g.Allowed,
				Anonymous: g.Anonymous, Commands: g.Commands,
			})
		}
		all = append(all, a)
	}
	return all
}

// A Sentence is a key of the texts area "config" and its arguments.
type Sentence struct {
	Key  string
	Args []any
}

// Describe tells the policy of a in sentences, the first of which names the
// account.
func (a Account) Describe() []Sentence {
	account := a.Channel + "/" + a.Name
	if !a.Enabled {
		return []Sentence{{"config.access_off", []any{account}}}
	}
	all := []Sentence{{"config.access_account", []any{account}}}
	all = append(all, describePeople(a.People, "config.access_direct", "config.access_direct_all")...)
	if nobodyIn(a.People) {
		all = append(all, Sentence{"config.access_direct_nobody", nil})
	}
	switch a.Pairing {
	case PairingWindow:
		all = append(all, Sentence{"config.access_pairing_window", nil})
	case PairingAlways:
		all = append(all, Sentence{"config.access_pairing", nil})
	}
	for _, g := range a.Groups {
		all = append(all, g.describe(a)...)
	}
	if len(a.Groups) == 0 {
		all = append(all, Sentence{"config.access_no_groups", nil})
	}
	if n := len(a.Bots); n > 0 {
		all = append(all, Sentence{"config.access_bots", []any{n}})
	}
	return all
}

func (g GroupAccess) describe(a Account) []Sentence {
	name := g.Name
	if name == "" {
		name = g.ID
	}
	people := append([]Person(nil), g.People...)
	for _, p := range a.People {
		if p.ID != Everybody && !hasID(g.People, p.ID) {
			people = append(people, p)
		}
	}
	all := describePeople(people, "config.access_group", "config.access_group_all", name)
	if nobodyIn(people) {
		all = append(all, Sentence{"config.access_group_nobody", []any{name}})
	} else if g.Addressed {
		all = append(all, Sentence{"config.access_group_mention", []any{name}})
	} else {
		all = append(all, Sentence{"config.access_group_always", []any{name}})
	}
	if g.Space {
		all = append(all, Sentence{"config.access_group_space", []any{name}})
	}
	if g.Anonymous {
		all = append(all, Sentence{"config.access_group_anonymous", []any{name}})
	}
	return all
}

// describePeople counts who may ask: how many by their id, of whom how many
// are administrators, and whether everybody. The count is the first argument.
func describePeople(people []Person, some, everybody string, args ...any) []Sentence {
	users, admins, blocked, open := 0, 0, 0, false
	for _, p := range people {
		switch {
		case p.Role == RoleBlocked:
			blocked++
		case p.ID == Everybody:
			open = true
		case p.Role == RoleAdmin:
			admins++
		default:
			users++
		}
	}
	var all []Sentence
	if open {
		all = append(all, Sentence{everybody, args})
	} else if users+admins > 0 {
		all = append(all, Sentence{some, append([]any{users + admins}, args...)})
	}
	if admins > 0 {
		all = append(all, Sentence{"config.access_admins", []any{admins}})
	}
	if blocked > 0 {
		all = append(all, Sentence{"config.access_blocked", []any{blocked}})
	}
	return all
}

func nobodyIn(people []Person) bool {
	for _, p := range people {
		if p.Role != RoleBlocked {
			return false
		}
	}
	return true
}

func hasID(people []Person, id string) bool {
	for _, p := range people {
		if p.ID == id {
			return true
		}
	}
	return false
}
