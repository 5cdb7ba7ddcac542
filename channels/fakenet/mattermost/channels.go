package mattermost

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// readable returns the channel of a call when the bot may read it.
func (s *Server) readable(c *call) (*channel, error) {
	id, err := c.id(s, "channel")
	if err != nil {
		return nil, err
	}
	ch, ok := s.channels[id]
	switch {
	case !ok:
		return nil, unknownChannel(id)
	case !s.mayRead(s.bot.ID, ch):
		return nil, noPermission()
	}
	return ch, nil
}

func (s *Server) getChannel(c *call) (any, error) {
	ch, err := s.readable(c)
	if err != nil {
		return nil, err
	}
	return ch.Channel, nil
}

func (s *Server) getChannelByName(c *call) (any, error) {
	for _, ch := range s.channels {
		if ch.TeamID == c.vars["team"] && ch.Name == c.vars["name"] && s.mayRead(s.bot.ID, ch) {
			return ch.Channel, nil
		}
	}
	return nil, refuse(http.StatusNotFound, "app.channel.get_by_name.missing.app_error", "Channel does not exist.")
}

// getMyChannels lists the channels that the bot is a member of, of one team and
// the direct ones, or of all teams.
func (s *Server) getMyChannels(c *call) (any, error) {
	if err := s.mine(c); err != nil {
		return nil, err
	}
	team := c.vars["team"]
	if t := s.teams[team]; team != "" && (t == nil || !t.members[s.bot.ID]) {
		return nil, noPermission()
	}
	list := []Channel{}
	for _, ch := range s.channels {
		if ch.has(s.bot.ID) && ch.DeleteAt == 0 && (team == "" || ch.TeamID == "" || ch.TeamID == team) {
			list = append(list, ch.Channel)
		}
	}
	slices.SortFunc(list, func(a, b Channel) int { return cmp.Compare(a.ID, b.ID) })
	if len(list) == 0 {
		return nil, refuse(http.StatusNotFound, "app.channel.get_channels.not_found.app_error", "No channels were found.")
	}
	return list, nil
}

func membership(ch *channel, user string) member {
	return member{ChannelID: ch.ID, UserID: user, Roles: "channel_user", SchemeUser: true, NotifyProps: map[string]string{
		"channel_auto_follow_threads": "off", "desktop": "default", "email": "default", "ignore_channel_mentions": "default", "mark_unread": "all", "push": "default"}}
}

func (s *Server) getChannelMembers(c *call) (any, error) {
	ch, err := s.readable(c)
	if err != nil {
		return nil, err
	}
	page, per := c.page(200)
	list := []member{}
	for i, m := range ch.members {
		if i >= page*per && len(list) < per {
			list = append(list, membership(ch, m))
		}
	}
	return list, nil
}

func (s *Server) getChannelMember(c *call) (any, error) {
	ch, err := s.readable(c)
	if err != nil {
		return nil, err
	}
	user, err := c.id(s, "user")
	if err != nil {
		return nil, err
	}
	if !ch.has(user) {
		return nil, refuse(http.StatusNotFound, "app.channel.get_member.missing.app_error", "No channel member found for that user ID and channel ID.")
	}
	return membership(ch, user), nil
}

func (s *Server) getChannelStats(c *call) (any, error) {
	ch, err := s.readable(c)
	if err != nil {
		return nil, err
	}
	return map[string]any{"channel_id": ch.ID, "member_count": len(ch.members), "guest_count": 0, "pinnedpost_count": 0, "files_count": 0}, nil
}

func (s *Server) viewChannel(c *call) (any, error) {
	if err := s.mine(c); err != nil {
		return nil, err
	}
	return map[string]any{"status": "OK", "last_viewed_at_times": map[string]int64{}}, nil
}

func (s *Server) createDirect(c *call) (any, error) {
	var ids []string
	if err := c.decode(&ids, "user_ids"); err != nil || len(ids) != 2 {
		return nil, badBody("user_ids")
	}
	for _, id := range ids {
		if !validID(id) {
			return nil, badBody("user_id")
		}
	}
	if !slices.Contains(ids, s.bot.ID) {
		return nil, noPermission()
	}
	for _, id := range ids {
		if _, ok := s.users[id]; !ok {
			return nil, refuse(http.StatusBadRequest, "api.channel.create_direct_channel.invalid_user.app_error", "Invalid user ID for direct channel creation.")
		}
	}
	return accepted{http.StatusCreated, s.direct(s.bot.ID, ids[0], ids[1]).Channel}, nil
}

func (s *Server) createGroup(c *call) (any, error) {
	var ids []string
	if err := c.decode(&ids, "user_ids"); err != nil || len(ids) == 0 {
		return nil, badBody("user_ids")
	}
	for _, id := range ids {
		if _, ok := s.users[id]; !ok {
			return nil, unknownUser()
		}
	}
	ids = append(ids, s.bot.ID)
	slices.Sort(ids)
	if n := len(slices.Compact(ids)); n < 3 || n > 8 {
		return nil, refuse(http.StatusBadRequest, "api.channel.create_group.bad_size.app_error", "Group message channels must contain at least 3 and no more than 8 users.")
	}
	return accepted{http.StatusCreated, s.group(ids).Channel}, nil
}

func (s *Server) userTyping(c *call) (any, error) {
	if err := s.mine(c); err != nil {
		return nil, err
	}
	var body struct {
		Channel string `json:"channel_id"`
		Parent  string `json:"parent_id"`
	}
	if err := c.decode(&body, "typing_request"); err != nil {
		return nil, err
	}
	ch, ok := s.channels[body.Channel]
	if !ok || !ch.has(s.bot.ID) {
		return nil, noPermission()
	}
	s.noteTyping(body.Channel, body.Parent)
	return statusOK, nil
}

func (s *Server) noteTyping(channelID, root string) {
	if len(s.typing) >= maxRequests {
		s.typing = slices.Clone(s.typing[maxRequests/2:])
	}
	s.typing = append(s.typing, Typing{Channel: channelID, Root: root, At: s.opts.Now()})
	s.wake()
}
