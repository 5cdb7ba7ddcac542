package telegram

import (
	"fmt"
	"slices"
)

// A Line is what somebody writes; [Server.Post] puts it into a chat.
type Line struct {
	// Chat is the chat; for a direct chat it is the person's id.
	Chat int64
	// From is the person or bot who writes. It is ignored with Anonymous.
	From int64
	Text string
	// Media is "voice", "sticker", "photo", "video", "audio" or "document";
	// Text is then the caption.
	Media string
	// File is the content of Media, named FileName.
	File     []byte
	FileName string
	// Group joins messages to an album: those with the same one are shown as
	// one.
	Group string
	// Thread is the topic; 0 and 1 are General in a forum.
	Thread int64
	// ReplyTo is the message that this one answers, Quote the part of it that
	// the person chose by hand.
	ReplyTo int64
	Quote   string
	// Forward makes the line a forwarded one; its text is somebody else's.
	Forward bool
	// Anonymous makes it a message of an administrator who stays unnamed.
	Anonymous bool
	// Entities are added to those that the server finds by itself.
	Entities []Entity
	// At is the time of the message in Unix seconds; 0 is now.
	At int64
}

// anonymousAdmin is the account that the server shows in place of an
// administrator who stays unnamed.
var anonymousAdmin = User{ID: 1087968824, IsBot: true, FirstName: "Group", Username: "GroupAnonymousBot"}

// Say makes a person write text and returns the message's id.
func (s *Server) Say(chatID, user int64, text string) int64 {
	return s.Post(Line{Chat: chatID, From: user, Text: text})
}

// Post makes somebody write l and returns the message's id.
func (s *Server) Post(l Line) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.mustChat(l.Chat)
	var from *User
	if c.Type != "channel" && !l.Anonymous {
		from = s.mustUser(l.From)
	}
	if c.standing == never || c.standing == blocked {
		c.standing = welcome
	}
	m := s.newMessage(c, from)
	if l.At != 0 {
		m.Date = l.At
	}
	if c.Type == "channel" || l.Anonymous {
		sender := c.Chat
		m.SenderChat = &sender
	}
	if l.Anonymous {
		u := anonymousAdmin
		m.From = &u
	}
	s.place(c, m, l)
	s.fill(m, l)
	s.publish(c, m, "message")
	return m.MessageID
}

// place sets the topic and the message that m answers.
func (s *Server) place(c *chat, m *stored, l Line) {
	if l.Thread > 1 {
		m.MessageThreadID, m.IsTopicMessage = l.Thread, true
		if first := c.messages[l.Thread]; first != nil {
			r := first.Message
			m.ReplyToMessage = &r
		}
	}
	if l.Forward {
		m.ForwardOrigin = &Origin{Type: "user", Date: m.Date - 60, User: &User{ID: 9, FirstName: "Dritte"}}
	}
	if l.ReplyTo == 0 {
		return
	}
	answered, ok := c.messages[l.ReplyTo]
	if !ok {
		panic("fake telegram: no such message to reply to")
	}
	r := answered.Message
	r.ReplyToMessage = nil
	m.ReplyToMessage = &r
	// Outside of forums the server names the thread of replies as well, and
	// only is_topic_message tells a topic.
	if c.Type == "supergroup" && l.Thread <= 1 {
		m.MessageThreadID = l.ReplyTo
	}
	if l.Quote != "" {
		m.Quote = &Quote{Text: l.Quote, IsManual: true}
	}
}

// fill sets the content of m.
func (s *Server) fill(m *stored, l Line) {
	text, entities := l.Text, slices.Concat(findEntities(l.Text), l.Entities)
	sortEntities(entities)
	if l.Media == "" {
		m.Text, m.Entities = text, entities
		return
	}
	m.Caption, m.CaptionEntities, m.MediaGroupID = text, entities, l.Group
	f := File{FileID: fmt.Sprintf("%s-%d", l.Media, m.MessageID), FileUniqueID: fmt.Sprintf("u%d", m.MessageID), FileSize: 1000}
	if l.File != nil {
		f = s.addFile(l.FileName, l.File).File
	}
	switch l.Media {
	case "voice":
		f.Duration, f.MIMEType = 3, "audio/ogg"
		m.Voice = &f
	case "sticker":
		f.Width, f.Height = 512, 512
		m.Sticker = &f
	case "photo":
		f.FileName, f.Width, f.Height = "", 800, 600
		small := f
		small.FileID, small.Width, small.Height, small.FileSize = f.FileID+"-small", 80, 60, f.FileSize/10
		m.Photo = []File{small, f}
	case "video":
		m.Video = &f
	case "audio":
		m.Audio = &f
	case "document":
		if f.FileName == "" {
			f.FileName = "bericht.pdf"
		}
		m.Document = &f
	default:
		panic("fake telegram: unknown media " + l.Media)
	}
}

// Edit changes the text of a message, at the time at in Unix seconds or now
// when it is 0.
func (s *Server) Edit(chatID, message int64, text string, at int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.mustChat(chatID)
	m, ok := c.messages[message]
	if !ok {
		panic("fake telegram: no such message to edit")
	}
	if at == 0 {
		at = s.opts.Now().Unix()
	}
	m.EditDate = at
	if m.Caption != "" {
		m.Caption, m.CaptionEntities = text, findEntities(text)
	} else {
		m.Text, m.Entities = text, findEntities(text)
	}
	if s.mayRead(c, m) {
		kind := "edited_message"
		if c.Type == "channel" {
			kind = "edited_channel_post"
		}
		s.push(kind, m.Message, keepMessages)
	}
}

// Touch reports a message as edited without any change, as the server does when
// a link preview or a reaction was added.
func (s *Server) Touch(chatID, message int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.mustChat(chatID)
	m, ok := c.messages[message]
	if !ok {
		panic("fake telegram: no such message to touch")
	}
	if s.mayRead(c, m) {
		kind := "edited_message"
		if c.Type == "channel" {
			kind = "edited_channel_post"
		}
		s.push(kind, m.Message, keepMessages)
	}
}

// React makes a person show emoji at a message; "" takes it back.
func (s *Server) React(chatID, user, message int64, emoji string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := reactionUpdated{Chat: s.mustChat(chatID).Chat, MessageID: message, User: s.mustUser(user),
		Date: s.opts.Now().Unix(), Old: []reaction{}, New: []reaction{}}
	if emoji != "" {
		r.New = append(r.New, reaction{Type: "emoji", Emoji: emoji})
	}
	s.push("message_reaction", r, keepMessages)
}

// Press makes a person press a button of the bot's message that carries data.
// It returns the id of the query.
func (s *Server) Press(chatID, user, message int64, data string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.mustChat(chatID)
	q := callbackQuery{ID: fmt.Sprintf("q%d", s.queue.next), From: *s.mustUser(user), ChatInstance: "1", Data: data}
	if m, ok := c.messages[message]; ok {
		copied := m.Message
		q.Message = &copied
	}
	s.queries[q.ID] = false
	s.push("callback_query", q, keepQueries)
	return q.ID
}

// Answered reports whether the bot has answered the query of a pressed button.
func (s *Server) Answered(query string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queries[query]
}

// AnsweredQueries returns how many pressed buttons the bot has answered.
func (s *Server) AnsweredQueries() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, answered := range s.queries {
		if answered {
			n++
		}
	}
	return n
}

// Delete removes a message from a chat, as a person does. Bots are not told.
func (s *Server) Delete(chatID, message int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.mustChat(chatID)
	if m := c.messages[message]; m != nil && m.sent != nil {
		m.sent.Deleted = true
	}
	delete(c.messages, message)
	s.wake()
}

// Block makes a person block the bot; writing again ends it.
func (s *Server) Block(user int64) {
	s.stand(user, user, blocked, "member", "kicked")
}

// Deactivate removes a person's account.
func (s *Server) Deactivate(user int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mustChat(user).standing = deactivated
}

// Kick removes the bot from a group.
func (s *Server) Kick(chatID, by int64) {
	s.stand(chatID, by, kicked, "member", "kicked")
}

// Mute takes the bot's right to write in a group.
func (s *Server) Mute(chatID, by int64) {
	s.stand(chatID, by, muted, "member", "restricted")
}

// Invite brings the bot into a group, or back.
func (s *Server) Invite(chatID, by int64) {
	s.stand(chatID, by, welcome, "left", "member")
}

func (s *Server) stand(chatID, by int64, to standing, before, after string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.mustChat(chatID)
	c.standing = to
	s.push("my_chat_member", memberUpdated{
		Chat: c.Chat, From: *s.mustUser(by), Date: s.opts.Now().Unix(),
		OldMember: member{s.bot, before}, NewMember: member{s.bot, after},
	}, keepMessages)
}

// Upgrade turns a group into a supergroup and returns its new id.
func (s *Server) Upgrade(chatID, by int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.mustChat(chatID)
	next := old.Chat
	next.ID, next.Type = -(1_000_000_000_000 + s.newID()), "supergroup"
	c := s.addChat(next)
	c.members = old.members
	old.movedTo = next.ID
	from := s.mustUser(by)
	to := s.newMessage(old, from)
	to.MigrateTo = next.ID
	s.publish(old, to, "message")
	arrived := s.newMessage(c, from)
	arrived.MigrateFrom = chatID
	s.publish(c, arrived, "message")
	return next.ID
}
