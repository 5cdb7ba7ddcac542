package discord

// may reports whether a user has all of want in c. In direct channels everybody
// who is there has. The caller holds mu.
func (s *Server) may(user string, c *channel, want Permission) bool {
	return s.permissions(user, c)&want == want
}

// permissions returns what a user may do in c: the roles, then the channel's
// overwrites for @everyone, for the roles, and for the member. A thread has
// those of its parent, and a private one is seen by its members only.
func (s *Server) permissions(user string, c *channel) Permission {
	if c.isDirect() {
		return ^Permission(0)
	}
	g := s.guilds[c.GuildID]
	if g == nil || g.unavailable || g.away && user == s.bot.ID {
		return 0
	}
	m, ok := g.members[user]
	if !ok {
		return 0
	}
	held := g.basePermissions(user, m)
	if held&Administrator != 0 {
		return ^Permission(0)
	}
	place := c
	if c.isThread() {
		if place = s.channels[*c.ParentID]; place == nil {
			return 0
		}
	}
	var allow, deny Permission
	for _, o := range place.Overwrites {
		switch {
		case o.Type == 0 && o.ID == g.id:
			held = held&^o.Deny | o.Allow
		case o.Type == 0:
			for _, r := range m.Roles {
				if r == o.ID {
					allow |= o.Allow
					deny |= o.Deny
				}
			}
		}
	}
	held = held&^deny | allow
	for _, o := range place.Overwrites {
		if o.Type == 1 && o.ID == user {
			held = held&^o.Deny | o.Allow
		}
	}
	if c.Type == PrivateThread && held&ManageThreads == 0 {
		if _, ok := c.thread[user]; !ok {
			return 0
		}
	}
	if held&ViewChannel == 0 {
		return 0
	}
	return held
}

// basePermissions returns what a member may do in a guild without overwrites.
func (g *guild) basePermissions(user string, m *Member) Permission {
	if user == g.owner {
		return ^Permission(0)
	}
	held := g.roles[0].Permissions
	for _, id := range m.Roles {
		for _, r := range g.roles {
			if r.ID == id {
				held |= r.Permissions
			}
		}
	}
	return held
}

// mayWrite checks that the bot may post in c.
func (s *Server) mayWrite(c *channel, files int) error {
	if c.Type == DM {
		p := s.users[c.Recipients[0].ID]
		if p.dmClosed || p.Bot || !s.meet(p.ID) {
			return forbidden(50007, "Cannot send messages to this user")
		}
		return nil
	}
	if !s.may(s.bot.ID, c, ViewChannel) {
		return forbidden(50001, "Missing Access")
	}
	switch {
	case c.Type == Forum || c.Type == Category:
		return badRequest(50008, "Cannot send messages in a non-text channel")
	case c.isThread() && !s.may(s.bot.ID, c, SendMessagesInThreads), !c.isThread() && !s.may(s.bot.ID, c, SendMessages):
		return forbidden(50013, "Missing Permissions")
	case files > 0 && !s.may(s.bot.ID, c, AttachFiles):
		return forbidden(50013, "Missing Permissions")
	case c.isThread() && c.ThreadMetadata.Archived && c.ThreadMetadata.Locked && !s.may(s.bot.ID, c, ManageThreads):
		return badRequest(50083, "Thread is archived")
	case c.isThread() && c.ThreadMetadata.Locked && !s.may(s.bot.ID, c, ManageThreads):
		return forbidden(160005, "This thread is locked")
	}
	return nil
}

// meet reports whether the bot shares a guild with a person.
func (s *Server) meet(user string) bool {
	for _, g := range s.guilds {
		if _, ok := g.members[user]; ok && !g.away {
			return true
		}
	}
	return false
}
