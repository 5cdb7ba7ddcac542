package discord

import (
	"slices"
	"time"
)

// A Line is what somebody writes; [Server.Post] puts it into a channel.
type Line struct {
	Channel string
	// From is the person or bot who writes.
	From string
	// Text may hold mentions in Discord's form: <@id>, <@&role>, @everyone.
	Text string
	// ReplyTo is the message that this one answers, NoPing a reply whose author
	// switched the mention off.
	ReplyTo string
	NoPing  bool
	// Forward makes the line a forwarded one: the text is somebody else's and
	// stands in message_snapshots.
	Forward bool
	// Webhook makes it the post of a webhook with this id.
	Webhook string
	// Type is the type of message, such as 7 for "joined the server"; 0 is a
	// usual message.
	Type int
	// Sticker adds a sticker of this name.
	Sticker string
	// Files come with it.
	Files []File
	// Voice makes the first file a voice message.
	Voice bool
	// At is when it was written; zero is now.
	At time.Time
}

// A File is a file that a person sends.
type File struct {
	Name, MIME string
	Data       []byte
}

// Say makes a person write text and returns the message's id.
func (s *Server) Say(channelID, user, text string) string {
	return s.Post(Line{Channel: channelID, From: user, Text: text})
}

// Post makes somebody write l and returns the message's id.
func (s *Server) Post(l Line) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.mustChannel(l.Channel)
	s.unarchive(ch)
	author := User{ID: l.Webhook, Username: "Webhook", Discriminator: "0000", Bot: true}
	if l.Webhook == "" {
		author = s.mustUser(l.From).User
	}
	m := &stored{Message: s.blank(ch, author)}
	m.WebhookID, m.Content, m.Type = l.Webhook, l.Text, l.Type
	if !l.At.IsZero() {
		m.Timestamp = l.At.UTC()
	}
	for _, f := range l.Files {
		a := s.attach(ch.ID, f.Name, f.MIME, f.Data)
		if l.Voice {
			a.DurationSecs, a.Waveform = 3, "AAAA"
			m.Flags |= FlagVoice
		}
		m.Attachments = append(m.Attachments, a)
	}
	if l.Sticker != "" {
		m.StickerItems = []stickerItem{{ID: s.newID(), Name: l.Sticker, FormatType: 1}}
	}
	if l.ReplyTo != "" {
		_, answered := s.mustMessage(l.Channel, l.ReplyTo)
		s.quote(ch, &m.Message, answered)
	}
	var allowed *allowedMentions
	if l.NoPing {
		allowed = &allowedMentions{Parse: []string{"users", "roles", "everyone"}}
	}
	if l.Forward {
		m.Content = ""
		m.Reference = &Reference{Type: 1, MessageID: s.newID(), ChannelID: ch.ID, GuildID: ch.GuildID}
		var sn snapshot
		sn.Message.Content, sn.Message.Timestamp = l.Text, m.Timestamp
		sn.Message.Mentions, sn.Message.Attachments, sn.Message.Embeds = []User{}, m.Attachments, []any{}
		sn.Message.Roles, sn.Message.Components = []string{}, []any{}
		m.Snapshots = []snapshot{sn}
		m.Attachments = []Attachment{}
	}
	s.resolve(ch, m, allowed)
	if ch.isThread() && l.Webhook == "" {
		s.joinUser(ch, author.ID)
		if mentions(&m.Message, s.bot.ID) {
			s.joinUser(ch, s.bot.ID)
		}
	}
	s.publish(ch, m)
	return m.ID
}

// Edit changes the text of a message.
func (s *Server) Edit(channelID, message, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, m := s.mustMessage(channelID, message)
	now := s.opts.Now().UTC()
	m.Content, m.EditedTimestamp = text, &now
	s.resolve(ch, m, nil)
	s.announce(ch, m, "MESSAGE_UPDATE")
}

// Touch reports a message as updated without an edit, as Discord does when it
// has looked up a link or when the message is pinned.
func (s *Server) Touch(channelID, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, m := s.mustMessage(channelID, message)
	s.announce(ch, m, "MESSAGE_UPDATE")
}

// Delete removes a message.
func (s *Server) Delete(channelID, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, m := s.mustMessage(channelID, message)
	s.remove(ch, m)
}

// DeleteBulk removes messages in one event.
func (s *Server) DeleteBulk(channelID string, messages ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.mustChannel(channelID)
	for _, id := range messages {
		delete(ch.messages, id)
		ch.order = slices.DeleteFunc(ch.order, func(o string) bool { return o == id })
	}
	s.dispatch(intentGuildMessages, "MESSAGE_DELETE_BULK", map[string]any{"ids": messages, "channel_id": ch.ID, "guild_id": ch.GuildID})
}

// React makes a person show an emoji at a message.
func (s *Server) React(channelID, user, message, emoji string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, m := s.mustMessage(channelID, message)
	s.react(ch, m, s.mustUser(user).ID, emoji, true)
}

// Unreact takes a person's emoji back.
func (s *Server) Unreact(channelID, user, message, emoji string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, m := s.mustMessage(channelID, message)
	s.react(ch, m, s.mustUser(user).ID, emoji, false)
}

// Type shows that a person is typing.
func (s *Server) Type(channelID, user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.mustChannel(channelID)
	body := map[string]any{"channel_id": ch.ID, "user_id": s.mustUser(user).ID, "timestamp": s.opts.Now().Unix()}
	need := intentDirectTyping
	if !ch.isDirect() {
		need = intentGuildTyping
		body["guild_id"] = ch.GuildID
		copied := *s.mustMember(s.guilds[ch.GuildID], user)
		body["member"] = copied
	}
	s.dispatch(need, "TYPING_START", body)
}

// OpenThread makes a person open a thread in a channel, under a message when
// one is named, and returns its id. The bot is not a member yet, and reads it.
func (s *Server) OpenThread(channelID, message, user, name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.openThread(s.mustChannel(channelID), message, s.mustUser(user).ID, name, PublicThread).ID
}

// OpenPrivateThread makes a person open a private thread and returns its id;
// the bot sees it once somebody mentions it there.
func (s *Server) OpenPrivateThread(channelID, user, name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.openThread(s.mustChannel(channelID), "", s.mustUser(user).ID, name, PrivateThread).ID
}

// OpenPost makes a person open a post in a forum. The post is a thread, and the
// id of its first message is the thread's.
func (s *Server) OpenPost(forumID, user, title, text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.openThread(s.mustChannel(forumID), "", s.mustUser(user).ID, title, PublicThread)
	m := &stored{Message: s.blank(t, s.users[user].User)}
	m.ID, m.Content = t.ID, text
	s.resolve(t, m, nil)
	if mentions(&m.Message, s.bot.ID) {
		s.joinUser(t, s.bot.ID)
	}
	s.publish(t, m)
	return t.ID
}

// Archive closes a thread; somebody who writes opens it again, unless locked.
func (s *Server) Archive(threadID string, locked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := s.mustChannel(threadID)
	ch.ThreadMetadata.Archived, ch.ThreadMetadata.Locked = true, locked
	s.dispatch(intentGuilds, "THREAD_UPDATE", s.show(ch))
}

// Join brings a person into a guild.
func (s *Server) Join(guildID, user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.mustGuild(guildID)
	m := *s.enroll(g, user)
	s.dispatch(intentMembers, "GUILD_MEMBER_ADD", struct {
		GuildID string `json:"guild_id"`
		Member
	}{g.id, m})
}

// Leave takes a person out of a guild.
func (s *Server) Leave(guildID, user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.mustGuild(guildID)
	delete(g.members, user)
	g.order = slices.DeleteFunc(g.order, func(id string) bool { return id == user })
	s.dispatch(intentMembers, "GUILD_MEMBER_REMOVE", map[string]any{"guild_id": g.id, "user": s.mustUser(user).User})
}

// Grant gives a member roles of its guild, and takes all others.
func (s *Server) Grant(guildID, user string, roles ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.mustGuild(guildID)
	m := s.mustMember(g, user)
	m.Roles = append([]string{}, roles...)
	copied := *m
	need := intentMembers
	if user == s.bot.ID {
		need = 0 // about itself the bot hears without the intent
	}
	s.dispatch(need, "GUILD_MEMBER_UPDATE", struct {
		GuildID string `json:"guild_id"`
		Member
	}{g.id, copied})
}

// Kick removes the bot from a guild.
func (s *Server) Kick(guildID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.depart(s.mustGuild(guildID))
}

func (s *Server) depart(g *guild) {
	g.away = true
	s.dispatch(intentGuilds, "GUILD_DELETE", map[string]any{"id": g.id})
}

// Invite brings the bot back into a guild.
func (s *Server) Invite(guildID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.mustGuild(guildID)
	g.away, g.unavailable = false, false
	g.joined = s.opts.Now().UTC()
	s.announceGuild(g)
}

// Outage makes a guild unavailable, or available again.
func (s *Server) Outage(guildID string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.mustGuild(guildID)
	g.unavailable = on
	if on {
		s.dispatch(intentGuilds, "GUILD_DELETE", map[string]any{"id": g.id, "unavailable": true})
		return
	}
	s.announceGuild(g)
}

// CloseDM makes a person refuse direct messages of the bot, or take them again.
func (s *Server) CloseDM(user string, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mustUser(user).dmClosed = closed
}

// Typing is the bot's sign that it writes; it shows for ten seconds.
type Typing struct {
	Channel string
	At      time.Time
}

// Typing returns the bot's signs that it writes, oldest first.
func (s *Server) Typing(channelID string) []Typing {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Typing
	for _, t := range s.typing {
		if channelID == "" || t.Channel == channelID {
			list = append(list, t)
		}
	}
	return list
}
