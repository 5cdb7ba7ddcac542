package telegram

import (
	"cmp"
	"slices"
)

// A chat is a conversation with its messages.
type chat struct {
	Chat
	admin    bool // the bot is an administrator
	members  map[int64]bool
	topics   map[int64]string // thread id to name
	closed   map[int64]bool   // closed topics
	standing standing
	movedTo  int64
	next     int64 // id of the next message
	messages map[int64]*stored
	order    []int64 // message ids, oldest first
}

// standing is what the bot may do in a chat.
type standing int

const (
	welcome standing = iota
	never            // the person has not written to the bot yet
	blocked          // the person blocked the bot
	deactivated
	kicked
	left
	muted
)

// A stored message, with whom it came from.
type stored struct {
	Message
	byBot bool
	sent  *Sent
}

// AddUser adds a person or another bot; a zero ID or name is made up. The
// person has not written to the bot yet.
func (s *Server) AddUser(u User) User {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u.ID == 0 {
		u.ID = s.newID()
	}
	u.FirstName = cmp.Or(u.FirstName, "Person")
	s.users[u.ID] = &u
	c := s.addChat(Chat{ID: u.ID, Type: "private", FirstName: u.FirstName, Username: u.Username})
	c.standing = never
	c.members[u.ID] = true
	return u
}

// AddGroup adds a group of the given type, "group", "supergroup" or "channel",
// with the bot and members in it. A zero ID is made up.
func (s *Server) AddGroup(c Chat, members ...int64) Chat {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.ID == 0 {
		c.ID = -s.newID()
		if c.Type != "group" {
			c.ID -= 1_000_000_000_000
		}
	}
	c.Title = cmp.Or(c.Title, "Gruppe")
	added := s.addChat(c)
	for _, m := range members {
		added.members[m] = true
	}
	return c
}

// AddTopic adds a topic to a forum and returns its thread id. The topic's
// first message is a service message by user.
func (s *Server) AddTopic(chatID, user int64, name string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.mustChat(chatID)
	m := s.newMessage(c, s.mustUser(user))
	m.TopicCreated = &TopicCreated{Name: name, IconColor: 7322096}
	m.MessageThreadID, m.IsTopicMessage = m.MessageID, true
	c.topics[m.MessageID] = name
	s.publish(c, m, "message")
	return m.MessageID
}

// CloseTopic closes a topic, so that nobody can write in it.
func (s *Server) CloseTopic(chatID, thread int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mustChat(chatID).closed[thread] = true
}

// DeleteTopic removes a topic.
func (s *Server) DeleteTopic(chatID, thread int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.mustChat(chatID).topics, thread)
}

func (s *Server) newID() int64 {
	s.nextID++
	return s.nextID
}

func (s *Server) addChat(c Chat) *chat {
	added := &chat{
		Chat: c, members: make(map[int64]bool), topics: make(map[int64]string), closed: make(map[int64]bool),
		messages: make(map[int64]*stored), next: 1,
	}
	if c.IsForum {
		added.next = 2 // message 1 is the one with which General begins
	}
	s.chats[c.ID] = added
	return added
}

// mustChat and mustUser stop a test that names something it did not add.
func (s *Server) mustChat(id int64) *chat {
	c, ok := s.chats[id]
	if !ok {
		panic("fake telegram: no such chat was added")
	}
	return c
}

func (s *Server) mustUser(id int64) *User {
	u, ok := s.users[id]
	if !ok {
		panic("fake telegram: no such user was added")
	}
	return u
}

// newMessage makes a message of c that is not kept yet.
func (s *Server) newMessage(c *chat, from *User) *stored {
	m := &stored{Message: Message{MessageID: c.next, Date: s.opts.Now().Unix(), Chat: c.Chat}}
	if from != nil {
		u := *from
		m.From = &u
	}
	c.next++
	return m
}

// keep stores m in c, and forgets the oldest beyond Options.Keep.
func (s *Server) keep(c *chat, m *stored) {
	c.messages[m.MessageID] = m
	c.order = append(c.order, m.MessageID)
	if n := len(c.order); s.opts.Keep > 0 && n > 2*s.opts.Keep {
		for _, id := range c.order[:n-s.opts.Keep] {
			delete(c.messages, id)
		}
		c.order = slices.Clone(c.order[n-s.opts.Keep:])
	}
}

// publish stores m and tells the bot about it, unless the bot is not there or
// must not read it.
func (s *Server) publish(c *chat, m *stored, kind string) {
	s.keep(c, m)
	if c.standing == kicked || c.standing == left || !s.mayRead(c, m) {
		s.wake()
		return
	}
	if c.Type == "channel" {
		kind = map[string]string{"message": "channel_post", "edited_message": "edited_channel_post"}[kind]
	}
	s.push(kind, m.Message, keepMessages)
	s.wake()
}

// mayRead applies privacy mode: in groups the bot sees what is meant for it
// and service messages.
func (s *Server) mayRead(c *chat, m *stored) bool {
	if !s.opts.Privacy || c.admin || c.Type == "private" || c.Type == "channel" || m.TopicCreated != nil || m.MigrateTo != 0 || m.MigrateFrom != 0 {
		return true
	}
	if m.ReplyToMessage != nil && m.ReplyToMessage.From != nil && m.ReplyToMessage.From.ID == s.bot.ID {
		return true
	}
	text, entities := m.Text, m.Entities
	if text == "" {
		text, entities = m.Caption, m.CaptionEntities
	}
	for _, e := range entities {
		switch part := slice16(text, e.Offset, e.Length); e.Type {
		case "mention":
			if lower(part) == "@"+lower(s.bot.Username) {
				return true
			}
		case "text_mention":
			if e.User != nil && e.User.ID == s.bot.ID {
				return true
			}
		case "bot_command":
			return true
		}
	}
	return false
}

// slice16 returns a part of text given in UTF-16 units.
func slice16(text string, offset, length int) string {
	var part []rune
	n := 0
	for _, r := range text {
		if n >= offset && n < offset+length {
			part = append(part, r)
		}
		n += units(r)
	}
	return string(part)
}
