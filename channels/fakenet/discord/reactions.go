package discord

import (
	"slices"
	"strings"
)

// parseEmoji reads an emoji of a path: a sign, or a name and an id.
func parseEmoji(e string) emoji {
	if name, id, ok := strings.Cut(e, ":"); ok {
		return emoji{ID: &id, Name: name}
	}
	return emoji{Name: e}
}

func (s *Server) addReaction(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, m, err := s.seenMessage(c)
	if err != nil {
		return nil, err
	}
	e := c.vars["emoji"]
	switch {
	case !isEmoji(e):
		return nil, badRequest(10014, "Unknown Emoji")
	case !ch.isDirect() && !s.may(s.bot.ID, ch, ReadMessageHistory), !ch.isDirect() && len(m.reactions[e]) == 0 && !s.may(s.bot.ID, ch, AddReactions):
		return nil, forbidden(50013, "Missing Permissions")
	case len(m.reactions[e]) == 0 && len(m.order) >= 20:
		return nil, badRequest(30010, "Maximum number of reactions reached (20)")
	}
	s.react(ch, m, s.bot.ID, e, true)
	return nil, nil
}

// isEmoji tells an emoji from plain text, coarsely.
func isEmoji(e string) bool {
	if _, id, ok := strings.Cut(e, ":"); ok {
		return snowflake(id) != 0
	}
	for _, r := range e {
		if r >= 0x203c {
			return true
		}
	}
	return strings.HasSuffix(e, "\u20e3")
}

func (s *Server) removeReaction(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, m, err := s.seenMessage(c)
	if err != nil {
		return nil, err
	}
	if !isEmoji(c.vars["emoji"]) {
		return nil, badRequest(10014, "Unknown Emoji")
	}
	s.react(ch, m, s.bot.ID, c.vars["emoji"], false)
	return nil, nil
}

// react adds or takes a reaction and says so. The caller holds mu.
func (s *Server) react(ch *channel, m *stored, user, e string, on bool) {
	if slices.Contains(m.reactions[e], user) == on {
		return
	}
	if m.reactions == nil {
		m.reactions = make(map[string][]string)
	}
	kind := "MESSAGE_REACTION_ADD"
	if on {
		if len(m.reactions[e]) == 0 {
			m.order = append(m.order, e)
		}
		m.reactions[e] = append(m.reactions[e], user)
	} else {
		kind = "MESSAGE_REACTION_REMOVE"
		m.reactions[e] = slices.DeleteFunc(m.reactions[e], func(u string) bool { return u == user })
		if len(m.reactions[e]) == 0 {
			m.order = slices.DeleteFunc(m.order, func(o string) bool { return o == e })
		}
	}
	body := map[string]any{"user_id": user, "channel_id": ch.ID, "message_id": m.ID, "emoji": parseEmoji(e), "burst": false, "type": 0}
	need := intentDirectReactions
	if on {
		body["message_author_id"] = m.Author.ID
	}
	if !ch.isDirect() {
		need = intentGuildReactions
		body["guild_id"] = ch.GuildID
		if member, ok := s.guilds[ch.GuildID].members[user]; ok && on {
			copied := *member
			body["member"] = copied
		}
		if !s.may(s.bot.ID, ch, ViewChannel) {
			return
		}
	}
	s.dispatch(need, kind, body)
}

func (s *Server) getReactions(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, m, err := s.seenMessage(c)
	if err != nil {
		return nil, err
	}
	list := []User{}
	for _, u := range m.reactions[c.vars["emoji"]] {
		list = append(list, s.users[u].User)
	}
	return list, nil
}
