package mattermost

import (
	"fmt"
	"maps"
	"slices"
)

// A Line is what somebody writes; [Server.Post] puts it into a channel.
type Line struct {
	Channel string
	From    string
	Text    string
	// Root is the first post of the thread that the line stands in.
	Root string
	// Props are added: "from_webhook", "from_plugin" and "from_bot" with the
	// value "true" mark what programs post.
	Props map[string]any
	// Type is the type of post, such as "system_join_channel"; empty is a usual
	// post.
	Type string
	// Files come with it.
	Files []File
	// At is the time in Unix milliseconds; 0 is now. Of posts with the same time
	// a list "after" one of them lacks the others.
	At int64
}

// A File is a file that somebody sends.
type File struct {
	Name, MIME string
	Data       []byte
}

// Say makes a person write text and returns the post's id.
func (s *Server) Say(channelID, user, text string) string {
	return s.Post(Line{Channel: channelID, From: user, Text: text})
}

// Reply makes a person write into a thread and returns the post's id.
func (s *Server) Reply(channelID, user, root, text string) string {
	return s.Post(Line{Channel: channelID, From: user, Root: root, Text: text})
}

// Post makes somebody write l and returns the post's id.
func (s *Server) Post(l Line) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.mustChannel(l.Channel)
	u := s.mustUser(l.From)
	p := s.blank(ch, u.ID)
	p.Message, p.RootID, p.Type = l.Text, l.Root, l.Type
	if l.Root != "" {
		if root := s.mustPost(l.Root); root.RootID != "" {
			panic(fmt.Sprintf("fake mattermost: post %q is an answer itself", l.Root))
		}
	}
	if u.IsBot {
		p.addProp("from_bot", "true")
	}
	if l.Props != nil {
		maps.Copy(p.Props, l.Props)
	}
	if l.At != 0 {
		p.CreateAt, p.UpdateAt = l.At, l.At
	}
	for _, f := range l.Files {
		added := s.addFile(ch.ID, u.ID, f.Name, f.MIME, f.Data)
		added.PostID = p.ID
		p.FileIDs = append(p.FileIDs, added.ID)
	}
	s.publish(ch, p)
	return p.ID
}

// Edit changes the text of a post.
func (s *Server) Edit(post, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.mustPost(post)
	s.change(s.channels[p.ChannelID], p, &draft{Message: &text})
}

// Touch reports a post as edited without a change, as the server does when a
// link was looked up or the post was pinned.
func (s *Server) Touch(post string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.mustPost(post)
	s.change(s.channels[p.ChannelID], p, &draft{})
}

// Delete removes a post, with its thread when it is the first one.
func (s *Server) Delete(post string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.mustPost(post)
	s.remove(s.channels[p.ChannelID], p)
}

// React makes a person show an emoji, by its name, at a post.
func (s *Server) React(user, post, emoji string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.react(s.mustPost(post), s.mustUser(user).ID, emoji)
}

// Unreact takes a person's emoji back.
func (s *Server) Unreact(user, post, emoji string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unreact(s.mustPost(post), s.mustUser(user).ID, emoji)
}

// Type shows that a person is typing.
func (s *Server) Type(channelID, user, root string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.mustChannel(channelID)
	s.event("typing", map[string]any{"parent_id": root, "user_id": user}, broadcast{OmitUsers: map[string]bool{user: true}, ChannelID: ch.ID}, ch.has(s.bot.ID))
}

// Join brings somebody into a channel, the bot too; by is who adds them. The
// server writes about it in the channel.
func (s *Server) Join(channelID, user, by string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, u, actor := s.mustChannel(channelID), s.mustUser(user), s.mustUser(by)
	if ch.has(user) {
		return
	}
	ch.members = append(ch.members, user)
	target := broadcast{ChannelID: ch.ID}
	if user == s.bot.ID {
		target.UserID = user
	}
	s.event("user_added", map[string]any{"team_id": ch.TeamID, "user_id": user}, target, ch.has(s.bot.ID))
	p := s.system(ch, by, "system_add_to_channel", fmt.Sprintf("%s added to the channel by %s.", u.Username, actor.Username))
	p.addProp("addedUserId", user)
	p.addProp("addedUsername", u.Username)
	p.addProp("userId", by)
	p.addProp("username", actor.Username)
	s.publish(ch, p)
}

// Kick takes somebody out of a channel, the bot too; by is who does it.
func (s *Server) Kick(channelID, user, by string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, u := s.mustChannel(channelID), s.mustUser(user)
	ch.members = slices.DeleteFunc(ch.members, func(m string) bool { return m == user })
	if user == s.bot.ID {
		s.event("user_removed", map[string]any{"channel_id": ch.ID, "remover_id": by}, broadcast{UserID: user}, true)
	} else {
		s.event("user_removed", map[string]any{"remover_id": by, "user_id": user}, broadcast{ChannelID: ch.ID}, ch.has(s.bot.ID))
	}
	p := s.system(ch, by, "system_remove_from_channel", fmt.Sprintf("@%s removed from the channel.", u.Username))
	p.addProp("removedUserId", user)
	p.addProp("removedUsername", u.Username)
	s.publish(ch, p)
}

// system makes a post of the server itself.
func (s *Server) system(ch *channel, by, kind, text string) *stored {
	p := s.blank(ch, by)
	p.Type, p.Message, p.RemoteID = kind, text, nil
	return p
}

// MuteChannel takes the bot's right to post in a channel, or gives it back.
func (s *Server) MuteChannel(channelID string, muted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mustChannel(channelID).muted = muted
}

// Rename gives a channel another name to show.
func (s *Server) Rename(channelID, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.mustChannel(channelID)
	ch.DisplayName, ch.UpdateAt = name, s.millis()
	s.event("channel_updated", map[string]any{"channel": string(mustJSON(ch.Channel))}, broadcast{ChannelID: ch.ID}, ch.has(s.bot.ID))
}

// Archive archives a channel: it can be read and not written.
func (s *Server) Archive(channelID, by string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.mustChannel(channelID)
	name := s.mustUser(by).Username
	p := s.system(ch, by, "system_channel_deleted", name+" archived the channel.")
	p.addProp("username", name)
	s.publish(ch, p)
	ch.DeleteAt = s.millis()
	s.event("channel_deleted", map[string]any{"channel_id": ch.ID, "delete_at": ch.DeleteAt}, broadcast{ChannelID: ch.ID}, ch.has(s.bot.ID))
}

// LeaveTeam takes the bot out of a team and its channels.
func (s *Server) LeaveTeam(teamID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.teams[teamID].members, s.bot.ID)
	for _, ch := range s.channels {
		if ch.TeamID == teamID {
			ch.members = slices.DeleteFunc(ch.members, func(m string) bool { return m == s.bot.ID })
		}
	}
	s.event("leave_team", map[string]any{"team_id": teamID, "user_id": s.bot.ID}, broadcast{UserID: s.bot.ID}, true)
}

// JoinTeam brings the bot into a team.
func (s *Server) JoinTeam(teamID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.teams[teamID].members[s.bot.ID] = true
	s.event("added_to_team", map[string]any{"team_id": teamID, "user_id": s.bot.ID}, broadcast{UserID: s.bot.ID}, true)
}
