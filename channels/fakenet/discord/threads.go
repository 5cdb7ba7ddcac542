package discord

import (
	"time"
	"unicode/utf8"
)

// startThread opens a thread, under a message when the call names one.
func (s *Server) startThread(c *call) (any, error) {
	var body struct {
		Name    string `json:"name"`
		Type    int    `json:"type"`
		Archive int    `json:"auto_archive_duration"`
		Message *draft `json:"message"`
	}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	if n := utf8.RuneCountInString(body.Name); n < 1 || n > 100 {
		return nil, invalidForm(badLength("name", 1, 100))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, err := s.seen(c)
	if err != nil {
		return nil, err
	}
	switch {
	case ch.isDirect(), ch.isThread():
		return nil, badRequest(50024, "Cannot execute action on this channel type")
	case !s.may(s.bot.ID, ch, CreatePublicThreads):
		return nil, forbidden(50013, "Missing Permissions")
	}
	from := c.vars["message"]
	if from != "" {
		if _, ok := ch.messages[from]; !ok {
			return nil, notFound(10008, "Message")
		}
		if _, ok := s.channels[from]; ok {
			return nil, badRequest(160004, "A thread has already been created for this message")
		}
	}
	kind := PublicThread
	if body.Type == PrivateThread {
		kind = PrivateThread
	}
	if ch.Type == Forum && body.Message == nil {
		return nil, invalidForm(required("message"))
	}
	t := s.openThread(ch, from, s.bot.ID, body.Name, kind)
	if ch.Type == Forum {
		m, err := s.compose(t, body.Message, c.files, "")
		if err != nil {
			delete(s.channels, t.ID)
			return nil, err
		}
		m.ID = t.ID
		s.publish(t, m)
		s.arrive(t, m)
	}
	return accepted{201, s.show(t)}, nil
}

// openThread makes a thread; one under a message has the message's id. The
// caller holds mu.
func (s *Server) openThread(ch *channel, from, by, name string, kind int) *channel {
	id := from
	if id == "" {
		id = s.newID()
	}
	parent := ch.ID
	t := s.addChannel(Channel{ID: id, Type: kind, GuildID: ch.GuildID, Name: name, ParentID: &parent, OwnerID: by,
		ThreadMetadata: &threadMetadata{AutoArchiveDuration: 4320, ArchiveTimestamp: s.opts.Now().UTC()}})
	t.thread = map[string]time.Time{by: s.opts.Now().UTC()}
	if m := ch.messages[from]; m != nil {
		m.Flags |= FlagHasThread
		shown := s.show(t)
		m.Thread = &shown
		s.announce(ch, m, "MESSAGE_UPDATE")
	}
	if s.may(s.bot.ID, t, ViewChannel) {
		shown := s.show(t)
		shown.NewlyCreated = true
		s.dispatch(intentGuilds, "THREAD_CREATE", shown)
	}
	return t
}

func (s *Server) joinThread(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, err := s.seen(c)
	if err != nil {
		return nil, err
	}
	if !ch.isThread() {
		return nil, badRequest(50024, "Cannot execute action on this channel type")
	}
	if ch.ThreadMetadata.Archived {
		return nil, badRequest(50083, "Thread is archived")
	}
	s.joinUser(ch, s.bot.ID)
	return nil, nil
}

// joinUser makes somebody a member of a thread. The caller holds mu.
func (s *Server) joinUser(ch *channel, user string) {
	if _, ok := ch.thread[user]; ok {
		return
	}
	ch.thread[user] = s.opts.Now().UTC()
	if user == s.bot.ID {
		shown := s.show(ch)
		s.dispatch(intentGuilds, "THREAD_CREATE", shown)
		return
	}
	s.dispatch(intentMembers, "THREAD_MEMBERS_UPDATE", map[string]any{"id": ch.ID, "guild_id": ch.GuildID, "member_count": len(ch.thread),
		"added_members": []threadMember{{ID: ch.ID, UserID: user, JoinTimestamp: ch.thread[user]}}})
}

func (s *Server) leaveThread(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, err := s.seen(c)
	if err != nil {
		return nil, err
	}
	if !ch.isThread() {
		return nil, badRequest(50024, "Cannot execute action on this channel type")
	}
	delete(ch.thread, s.bot.ID)
	return nil, nil
}

func (s *Server) getActiveThreads(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, err := s.guild(c)
	if err != nil {
		return nil, err
	}
	return s.threadList(func(t *channel) bool { return t.GuildID == g.id && !t.ThreadMetadata.Archived }), nil
}

func (s *Server) getArchivedThreads(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, err := s.seen(c)
	if err != nil {
		return nil, err
	}
	list := s.threadList(func(t *channel) bool { return *t.ParentID == ch.ID && t.ThreadMetadata.Archived })
	return list, nil
}

// threadList shows the threads that match and that the bot may see.
func (s *Server) threadList(match func(*channel) bool) map[string]any {
	threads, members := []Channel{}, []threadMember{}
	for _, t := range s.sortedChannels() {
		if !t.isThread() || !match(t) || !s.may(s.bot.ID, t, ViewChannel) {
			continue
		}
		shown := s.show(t)
		if shown.ThreadMember != nil {
			members = append(members, *shown.ThreadMember)
		}
		threads = append(threads, shown)
	}
	return map[string]any{"threads": threads, "members": members, "has_more": false}
}

// unarchive wakes a thread in which somebody writes. The caller holds mu.
func (s *Server) unarchive(ch *channel) {
	if ch.isThread() && ch.ThreadMetadata.Archived {
		ch.ThreadMetadata.Archived = false
		s.dispatch(intentGuilds, "THREAD_UPDATE", s.show(ch))
	}
}
