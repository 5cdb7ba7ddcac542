package mattermost

import (
	"regexp"
	"slices"
	"strings"
)

// announcePosted sends "posted" and, in a thread that the bot is part of,
// "thread_updated".
func (s *Server) announcePosted(ch *channel, p *stored) {
	if !ch.has(s.bot.ID) {
		s.wake()
		return
	}
	v := s.view(p)
	v.PendingPostID = p.PendingPostID
	author := s.users[p.UserID]
	data := map[string]any{"channel_display_name": ch.DisplayName, "channel_name": ch.Name, "channel_type": ch.Type,
		"sender_name": "@" + author.Username, "set_online": true, "team_id": ch.TeamID}
	if name, ok := p.Props["override_username"].(string); ok {
		data["sender_name"] = name
	}
	if strings.HasPrefix(p.Type, "system_") {
		data["sender_name"] = "System"
	}
	if ch.Type == Direct {
		data["channel_display_name"] = "@" + author.Username
	}
	if len(p.FileIDs) > 0 {
		data["otherFile"] = "true"
		for _, f := range v.Metadata.Files {
			if strings.HasPrefix(f.MIME, "image/") {
				data["image"] = "true"
			}
		}
		if s.bare > 0 {
			s.bare--
			v.FileIDs, v.Metadata.Files = []string{}, nil
		}
	}
	if p.UserID != s.bot.ID && s.mentionsBot(ch, p) {
		data["mentions"] = string(mustJSON([]string{s.bot.ID}))
	}
	data["post"] = string(mustJSON(v))
	s.event("posted", data, broadcast{ChannelID: ch.ID}, true)
	if s.inThread(ch, p.RootID) {
		root := s.view(s.posts[p.RootID])
		root.Metadata = nil
		thread := map[string]any{"id": p.RootID, "reply_count": v.ReplyCount, "last_reply_at": p.CreateAt, "last_viewed_at": 0,
			"participants": s.participants(ch, p.RootID), "post": root, "unread_replies": 0, "unread_mentions": 0, "is_urgent": false, "delete_at": 0}
		s.event("thread_updated", map[string]any{"previous_unread_mentions": 0, "previous_unread_replies": 0, "thread": string(mustJSON(thread))},
			broadcast{UserID: s.bot.ID, TeamID: ch.TeamID}, true)
	}
}

// participants are those who wrote in a thread.
func (s *Server) participants(ch *channel, root string) []User {
	list := []User{}
	for _, id := range ch.order {
		p := s.posts[id]
		known := func(u User) bool { return u.ID == p.UserID }
		if (p.ID == root || p.RootID == root) && !slices.ContainsFunc(list, known) {
			list = append(list, *s.users[p.UserID])
		}
	}
	return list
}

// inThread reports whether the bot has written or was mentioned in a thread.
func (s *Server) inThread(ch *channel, root string) bool {
	if s.posts[root] == nil {
		return false
	}
	return slices.ContainsFunc(ch.order, func(id string) bool {
		p := s.posts[id]
		return (p.ID == root || p.RootID == root) && (p.UserID == s.bot.ID || s.mentionsBot(ch, p))
	})
}

var (
	codeMark = regexp.MustCompile("(?s)```.*?```|`[^`\n]+`")
	nameMark = regexp.MustCompile(`@[A-Za-z0-9][A-Za-z0-9._-]*`)
)

// names lists the names that a text mentions, in lower case and without the
// at sign; in code there are none.
func names(text string) []string {
	var list []string
	bare := codeMark.ReplaceAllString(text, " ")
	for _, m := range nameMark.FindAllStringIndex(bare, -1) {
		if m[0] > 0 && isWord(bare[m[0]-1]) {
			continue
		}
		list = append(list, strings.ToLower(bare[m[0]+1:m[1]]))
	}
	return list
}

func isWord(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// mentioned lists the users of ch that a text mentions by name, and the words
// "all", "channel" and "here". Of a name with a full stop behind it the full
// stop does not count.
func (s *Server) mentioned(ch *channel, text string) []string {
	var list []string
	add := func(v string) {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	for _, name := range names(text) {
		for {
			if name == "all" || name == "channel" || name == "here" {
				add(name)
				break
			}
			if id := s.named(ch, name); id != "" {
				add(id)
				break
			}
			shorter := strings.TrimRight(name, ".-_")
			if shorter == name {
				break
			}
			name = shorter
		}
	}
	return list
}

func (s *Server) named(ch *channel, name string) string {
	for _, id := range ch.members {
		if u := s.users[id]; u.Username == name {
			return id
		}
	}
	return ""
}

// mentionsBot reports whether a post notifies the bot: by its name, by a word
// for all, or because it is a direct message.
func (s *Server) mentionsBot(ch *channel, p *stored) bool {
	if p.UserID == s.bot.ID {
		return false
	}
	if added, ok := p.Props["addedUserId"].(string); ok && added == s.bot.ID {
		return true
	}
	if strings.HasPrefix(p.Type, "system_") {
		return false
	}
	if ch.Type == Direct || ch.Type == Group {
		return true
	}
	found := s.mentioned(ch, p.Message)
	return slices.ContainsFunc(found, func(v string) bool { return v == s.bot.ID || v == "all" || v == "channel" || v == "here" })
}
