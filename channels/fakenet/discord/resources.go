package discord

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (s *Server) getGateway(*call) (any, error) {
	return map[string]any{"url": "ws://" + s.addr + gatewayPath}, nil
}

func (s *Server) getGatewayBot(*call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.opts.Now()
	s.forgetStarts(now)
	after := int64(0)
	if len(s.started) > 0 {
		after = s.started[0].Add(24 * time.Hour).Sub(now).Milliseconds()
	}
	return map[string]any{"url": "ws://" + s.addr + gatewayPath, "shards": 1, "session_start_limit": map[string]any{
		"total": s.opts.Starts, "remaining": max(0, s.opts.Starts-len(s.started)), "reset_after": after, "max_concurrency": 1}}, nil
}

// me is the bot's account as the bot itself sees it.
func (s *Server) me() map[string]any {
	return map[string]any{"id": s.bot.ID, "username": s.bot.Username, "discriminator": s.bot.Discriminator, "global_name": nil, "avatar": nil,
		"bot": true, "verified": true, "mfa_enabled": true, "email": nil, "flags": 0, "public_flags": 0, "bio": "", "banner": nil, "accent_color": nil, "locale": "en-US"}
}

func (s *Server) getMe(*call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.me(), nil
}

func (s *Server) getUser(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.users[c.vars["user"]]
	if !ok {
		return nil, notFound(10013, "User")
	}
	return p.User, nil
}

func (s *Server) getApplication(*call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]any{"id": s.app, "name": s.bot.Username, "icon": nil, "description": "", "bot_public": false, "bot_require_code_grant": false,
		"verify_key": strings.Repeat("0", 64), "flags": s.appFlags(), "bot": s.bot, "hook": true, "summary": "", "type": nil,
		"flags_new": strconv.Itoa(s.appFlags()), "role_connections_verification_url": nil, "approximate_user_install_count": 0,
		"approximate_user_authorization_count": 0, "explicit_content_filter": 0, "team": nil, "eligible_oauth2_scopes": []string{},
		"approximate_guild_count": len(s.sortedGuilds()), "interactions_endpoint_url": nil, "redirect_uris": []string{}, "owner": User{
			ID: "1", Username: "team1", Discriminator: "0000"}}, nil
}

func (s *Server) sortedGuilds() []*guild {
	var all []*guild
	for _, g := range s.guilds {
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b *guild) int { return cmp.Compare(snowflake(a.id), snowflake(b.id)) })
	return all
}

func (s *Server) getMyGuilds(*call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []any{}
	for _, g := range s.sortedGuilds() {
		if !g.away {
			list = append(list, map[string]any{"id": g.id, "name": g.name, "icon": nil, "banner": nil, "owner": false,
				"permissions": g.basePermissions(s.bot.ID, g.members[s.bot.ID]), "features": []string{}})
		}
	}
	return list, nil
}

// guild returns the guild of a call.
func (s *Server) guild(c *call) (*guild, error) {
	g := s.guilds[c.vars["guild"]]
	switch {
	case g == nil:
		return nil, notFound(10004, "Guild")
	case g.away:
		return nil, forbidden(50001, "Missing Access")
	}
	return g, nil
}

func (s *Server) leaveGuild(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, err := s.guild(c)
	if err != nil {
		return nil, notFound(10004, "Guild")
	}
	s.depart(g)
	return nil, nil
}

func (s *Server) getGuild(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, err := s.guild(c)
	if err != nil {
		return nil, err
	}
	return s.showGuild(g), nil
}

func (s *Server) getGuildChannels(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, err := s.guild(c)
	if err != nil {
		return nil, err
	}
	list := []Channel{}
	for _, ch := range s.sortedChannels() {
		if ch.GuildID == g.id && !ch.isThread() {
			list = append(list, s.show(ch))
		}
	}
	return list, nil
}

func (s *Server) getGuildRoles(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, err := s.guild(c)
	if err != nil {
		return nil, err
	}
	return s.showGuild(g)["roles"], nil
}

func (s *Server) getMember(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, err := s.guild(c)
	if err != nil {
		return nil, err
	}
	m, ok := g.members[c.vars["user"]]
	if !ok {
		return nil, notFound(10007, "Member")
	}
	copied := *m
	return &copied, nil
}

// getMembers lists members by their ids, for bots with the members intent.
func (s *Server) getMembers(c *call) (any, error) {
	limit, err := c.number("limit", 1)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	g, err := s.guild(c)
	if err != nil {
		return nil, err
	}
	if s.opts.WithoutMembers {
		return nil, forbidden(50001, "Missing Access")
	}
	ids := slices.Clone(g.order)
	slices.SortFunc(ids, func(a, b string) int { return cmp.Compare(snowflake(a), snowflake(b)) })
	list := []*Member{}
	for _, id := range ids {
		if snowflake(id) > snowflake(c.r.URL.Query().Get("after")) && len(list) < limit {
			copied := *g.members[id]
			list = append(list, &copied)
		}
	}
	return list, nil
}

func (s *Server) createDM(c *call) (any, error) {
	var body struct {
		Recipient string `json:"recipient_id"`
	}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.users[body.Recipient]
	switch {
	case snowflake(body.Recipient) == 0:
		return nil, invalidForm(notSnowflake("recipient_id", body.Recipient))
	case !ok:
		return nil, notFound(10013, "User")
	case p.ID == s.bot.ID:
		return nil, badRequest(50007, "Cannot send messages to this user")
	}
	return s.show(s.direct(p)), nil
}

// seen returns the channel of a call when the bot may see it.
func (s *Server) seen(c *call) (*channel, error) {
	id := c.vars["channel"]
	if snowflake(id) == 0 {
		return nil, invalidForm(notSnowflake("channel_id", id))
	}
	ch := s.channels[id]
	if ch == nil {
		return nil, notFound(10003, "Channel")
	}
	if !s.may(s.bot.ID, ch, ViewChannel) {
		return nil, forbidden(50001, "Missing Access")
	}
	return ch, nil
}

// seenMessage returns the message of a call.
func (s *Server) seenMessage(c *call) (*channel, *stored, error) {
	ch, err := s.seen(c)
	if err != nil {
		return nil, nil, err
	}
	m := ch.messages[c.vars["message"]]
	if m == nil || m.only != "" {
		return nil, nil, notFound(10008, "Message")
	}
	return ch, m, nil
}

func (s *Server) getChannel(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, err := s.seen(c)
	if err != nil {
		return nil, err
	}
	return s.show(ch), nil
}

func (s *Server) triggerTyping(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, err := s.seen(c)
	if err != nil {
		return nil, err
	}
	if err := s.mayWrite(ch, 0); err != nil {
		return nil, err
	}
	if len(s.typing) >= maxRequests {
		s.typing = slices.Clone(s.typing[maxRequests/2:])
	}
	s.typing = append(s.typing, Typing{Channel: ch.ID, At: s.opts.Now()})
	s.wake()
	return nil, nil
}
