package mattermost

import (
	"cmp"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A channel is a place of posts.
type channel struct {
	Channel
	members []string
	order   []string // of post ids, by their time
	muted   bool     // the bot may read and not write
}

// A stored post, with what only the server knows.
type stored struct {
	Post
	reactions []Reaction
	// actions are the buttons by their ids, with what clients do not see.
	actions map[string]action
	replies int64 // in the thread that it begins
	sent    *Sent
}

type pending struct {
	post string
	at   time.Time
}

func (s *Server) addUser(u User) *User {
	now := s.millis()
	u.ID = cmp.Or(u.ID, s.newID("usr"))
	u.Username = cmp.Or(u.Username, "person")
	u.Locale = cmp.Or(u.Locale, "en")
	u.Roles = cmp.Or(u.Roles, "system_user")
	u.Email = cmp.Or(u.Email, u.Username+"@beispiel.example")
	u.CreateAt, u.UpdateAt = cmp.Or(u.CreateAt, now), cmp.Or(u.UpdateAt, now)
	u.Timezone = map[string]string{"automaticTimezone": "", "manualTimezone": "", "useAutomaticTimezone": "true"}
	if !u.IsBot {
		u.RemoteID = new(string)
	}
	s.users[u.ID] = &u
	return &u
}

// AddUser adds a person or another bot; a zero ID or name is made up. An ID has
// 26 characters.
func (s *Server) AddUser(u User) User {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.addUser(u)
}

// AddTeam adds a team with the bot and members in it, and returns its id.
func (s *Server) AddTeam(name string, members ...string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.millis()
	t := &team{ID: s.newID("tea"), Name: strings.ToLower(name), DisplayName: name, Type: Open, CreateAt: now, UpdateAt: now,
		InviteID: s.newID("inv"), members: map[string]bool{s.bot.ID: true}}
	for _, m := range members {
		t.members[s.mustUser(m).ID] = true
	}
	s.teams[t.ID] = t
	return t.ID
}

// AddChannel adds a channel of the type [Open] or [Private] to a team, with the
// bot and members in it, and returns its id.
func (s *Server) AddChannel(teamID, name, kind string, members ...string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.teams[teamID]; !ok {
		panic(fmt.Sprintf("fake mattermost: no team %q was added", teamID))
	}
	c := s.addChannel(Channel{TeamID: teamID, Name: strings.ToLower(name), DisplayName: name, Type: kind}, append([]string{s.bot.ID}, members...))
	return c.ID
}

func (s *Server) addChannel(c Channel, members []string) *channel {
	now := s.millis()
	c.ID, c.CreateAt, c.UpdateAt = s.newID("cha"), now, now
	added := &channel{Channel: c}
	for _, m := range members {
		if id := s.mustUser(m).ID; !slices.Contains(added.members, id) {
			added.members = append(added.members, id)
		}
	}
	s.channels[c.ID] = added
	return added
}

// Direct returns the id of the direct channel between a person and the bot; it
// opens one where there is none.
func (s *Server) Direct(user string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.direct(user, s.mustUser(user).ID, s.bot.ID).ID
}

// direct finds or opens the direct channel of two users.
func (s *Server) direct(by, a, b string) *channel {
	name := min(a, b) + "__" + max(a, b)
	for _, c := range s.channels {
		if c.Type == Direct && c.Name == name {
			return c
		}
	}
	shared := false
	c := s.addChannel(Channel{Type: Direct, Name: name, CreatorID: by, Shared: &shared}, []string{a, b})
	s.event("direct_added", map[string]any{"creator_id": by, "teammate_id": s.bot.ID}, broadcast{ChannelID: c.ID}, c.has(s.bot.ID))
	return c
}

// Group returns the id of the group channel of the bot and several people.
func (s *Server) Group(people ...string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.group(append([]string{s.bot.ID}, people...)).ID
}

func (s *Server) group(ids []string) *channel {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	sum := sha1.Sum([]byte(strings.Join(ids, "")))
	name := hex.EncodeToString(sum[:])
	var names []string
	for _, id := range ids {
		names = append(names, s.mustUser(id).Username)
	}
	slices.Sort(names)
	for _, c := range s.channels {
		if c.Type == Group && c.Name == name {
			return c
		}
	}
	shared := false
	c := s.addChannel(Channel{Type: Group, Name: name, DisplayName: strings.Join(names, ", "), Shared: &shared}, ids)
	s.event("group_added", map[string]any{"teammate_ids": string(mustJSON(ids))}, broadcast{ChannelID: c.ID, UserID: s.bot.ID}, c.has(s.bot.ID))
	return c
}

func (c *channel) has(user string) bool { return slices.Contains(c.members, user) }

// mayRead reports whether a user may read c: members may, and everybody of the
// team reads open channels.
func (s *Server) mayRead(user string, c *channel) bool {
	if c.has(user) {
		return true
	}
	t := s.teams[c.TeamID]
	return c.Type == Open && t != nil && t.members[user]
}

// mustUser and its kind stop a test that names something it did not add.
func (s *Server) mustUser(id string) *User {
	u, ok := s.users[id]
	if !ok {
		panic(fmt.Sprintf("fake mattermost: no user %q was added", id))
	}
	return u
}

func (s *Server) mustChannel(id string) *channel {
	c, ok := s.channels[id]
	if !ok {
		panic(fmt.Sprintf("fake mattermost: no channel %q was added", id))
	}
	return c
}

func (s *Server) mustPost(id string) *stored {
	p, ok := s.posts[id]
	if !ok || p.DeleteAt != 0 {
		panic(fmt.Sprintf("fake mattermost: there is no post %q", id))
	}
	return p
}
