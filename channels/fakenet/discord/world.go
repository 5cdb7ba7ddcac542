package discord

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// A person is a user with what the bot cannot see.
type person struct {
	User
	dm       string // id of the direct channel with the bot
	dmClosed bool
}

// A guild is a server of people.
type guild struct {
	id, name    string
	owner       string
	roles       []*Role // the first is @everyone
	members     map[string]*Member
	order       []string // of the members
	joined      time.Time
	unavailable bool // an outage
	away        bool // the bot is not in it
}

// A channel is a place of messages.
type channel struct {
	Channel
	messages map[string]*stored
	order    []string // of message ids, oldest first
	nonces   map[string]nonce
	thread   map[string]time.Time // members of a thread
}

// A stored message, with what only the server knows.
type stored struct {
	Message
	reactions map[string][]string // emoji to users
	order     []string            // of emoji
	only      string              // the one person who sees an ephemeral message
	sent      *Sent
	editsOld  int // edits later than an hour after it was written
}

type nonce struct {
	message string
	at      time.Time
}

// epoch is the beginning of Discord's time, in Unix milliseconds.
const epoch = 1420070400000

// newID returns the next id: the time, and a counter within the millisecond.
// The caller holds mu.
func (s *Server) newID() string {
	id := (s.opts.Now().UnixMilli() - epoch) << 22
	s.lastID = max(id, s.lastID+1)
	return strconv.FormatInt(s.lastID, 10)
}

// snowflake returns an id as a number, to compare it; 0 when it is none.
func snowflake(id string) int64 {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// AddUser adds a person or another bot; a zero ID or name is made up.
func (s *Server) AddUser(u User) User {
	s.mu.Lock()
	defer s.mu.Unlock()
	u.ID = cmp.Or(u.ID, s.newID())
	u.Username = cmp.Or(u.Username, "person")
	u.Discriminator = cmp.Or(u.Discriminator, "0")
	u.Locale = cmp.Or(u.Locale, "en-US")
	s.users[u.ID] = &person{User: u}
	return u
}

// everyone is what members of a new guild may do.
const everyone = ViewChannel | SendMessages | EmbedLinks | AttachFiles | ReadMessageHistory | AddReactions |
	UseApplicationCommand | CreatePublicThreads | SendMessagesInThreads

// AddGuild adds a guild with the bot and members in it, and a managed role of
// the bot that bears its name. The first member owns it. An empty id is made
// up. A bot that is connected gets GUILD_CREATE.
func (s *Server) AddGuild(id, name string, members ...string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id = cmp.Or(id, s.newID())
	g := &guild{id: id, name: cmp.Or(name, "Server"), members: make(map[string]*Member), joined: s.opts.Now().UTC()}
	g.roles = append(g.roles, &Role{ID: id, Name: "@everyone", Permissions: everyone})
	managed := &Role{ID: s.newID(), Name: s.bot.Username, Position: 1, Managed: true, Mentionable: true, Tags: &roleTags{BotID: s.bot.ID}}
	g.roles = append(g.roles, managed)
	s.guilds[id] = g
	s.enroll(g, s.bot.ID, managed.ID)
	for _, m := range members {
		s.enroll(g, m)
		g.owner = cmp.Or(g.owner, m)
	}
	s.announceGuild(g)
	return id
}

// announceGuild tells the bot about a guild that it is in.
func (s *Server) announceGuild(g *guild) {
	s.dispatchEach(intentGuilds, "GUILD_CREATE", func(se *session) any { return s.guildCreate(g, se.intents) })
}

func (s *Server) enroll(g *guild, user string, roles ...string) *Member {
	u := s.mustUser(user).User
	m := &Member{User: &u, Roles: append([]string{}, roles...), JoinedAt: s.opts.Now().UTC()}
	g.members[user] = m
	g.order = append(g.order, user)
	return m
}

// AddRole adds a role with no permissions of its own to a guild, gives it to
// members, and returns its id.
func (s *Server) AddRole(guildID, name string, mentionable bool, members ...string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.mustGuild(guildID)
	r := &Role{ID: s.newID(), Name: name, Position: len(g.roles), Mentionable: mentionable}
	g.roles = append(g.roles, r)
	for _, m := range members {
		s.mustMember(g, m).Roles = append(g.members[m].Roles, r.ID)
	}
	s.dispatch(intentGuilds, "GUILD_ROLE_CREATE", map[string]any{"guild_id": g.id, "role": r})
	return r.ID
}

// BotRole returns the id of the bot's managed role in a guild.
func (s *Server) BotRole(guildID string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mustGuild(guildID).roles[1].ID
}

// AddChannel adds a channel of the given type to a guild and returns its id;
// an empty id is made up.
func (s *Server) AddChannel(guildID, id, name string, kind int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.mustGuild(guildID)
	c := s.addChannel(Channel{ID: cmp.Or(id, s.newID()), Type: kind, GuildID: g.id, Name: name, Position: len(s.channels)})
	s.dispatch(intentGuilds, "CHANNEL_CREATE", s.show(c))
	return c.ID
}

func (s *Server) addChannel(c Channel) *channel {
	added := &channel{Channel: c, messages: make(map[string]*stored), nonces: make(map[string]nonce)}
	s.channels[c.ID] = added
	return added
}

// Direct returns the id of the direct channel between a person and the bot.
func (s *Server) Direct(user string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.direct(s.mustUser(user)).ID
}

func (s *Server) direct(p *person) *channel {
	if p.dm == "" {
		c := s.addChannel(Channel{ID: s.newID(), Type: DM, Recipients: []User{p.User}})
		p.dm = c.ID
	}
	return s.channels[p.dm]
}

// Permit sets what a role or member may do in a channel beyond or short of its
// roles; id is the one of a role, a member, or the guild for @everyone.
func (s *Server) Permit(channelID, id string, allow, deny Permission) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.mustChannel(channelID)
	kind := 0
	if _, ok := s.users[id]; ok {
		kind = 1
	}
	c.Overwrites = slices.DeleteFunc(c.Overwrites, func(o Overwrite) bool { return o.ID == id })
	c.Overwrites = append(c.Overwrites, Overwrite{ID: id, Type: kind, Allow: allow, Deny: deny})
	s.dispatch(intentGuilds, "CHANNEL_UPDATE", s.show(c))
}

// DeleteChannel removes a channel or thread and what is in it.
func (s *Server) DeleteChannel(channelID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.mustChannel(channelID)
	delete(s.channels, c.ID)
	kind := "CHANNEL_DELETE"
	if c.isThread() {
		kind = "THREAD_DELETE"
	}
	s.dispatch(intentGuilds, kind, s.show(c))
}

// show returns c as the API shows it. The caller holds mu.
func (s *Server) show(c *channel) Channel {
	shown := c.Channel
	shown.Overwrites = slices.Clone(c.Overwrites)
	shown.Recipients = slices.Clone(c.Recipients)
	if len(c.order) > 0 {
		last := c.order[len(c.order)-1]
		shown.LastMessageID = &last
	}
	if c.isThread() {
		messages, members := len(c.order), len(c.thread)
		shown.MessageCount, shown.TotalSent, shown.MemberCount = &messages, &messages, &members
		meta := *c.ThreadMetadata
		shown.ThreadMetadata = &meta
		shown.ThreadMember = nil
		if at, ok := c.thread[s.bot.ID]; ok {
			shown.ThreadMember = &threadMember{ID: c.ID, UserID: s.bot.ID, JoinTimestamp: at}
		}
	}
	return shown
}

func (c *channel) isThread() bool { return c.Type == PublicThread || c.Type == PrivateThread }

// isDirect reports whether c is outside of guilds.
func (c *channel) isDirect() bool { return c.GuildID == "" }

// guildCreate is what GUILD_CREATE holds. Without the intents for members and
// presences it names no member but the bot.
func (s *Server) guildCreate(g *guild, intents int) map[string]any {
	if g.unavailable {
		return map[string]any{"id": g.id, "unavailable": true}
	}
	channels, threads := []Channel{}, []Channel{}
	for _, c := range s.sortedChannels() {
		if c.GuildID != g.id || !s.may(s.bot.ID, c, ViewChannel) && c.isThread() {
			continue
		}
		if c.isThread() {
			if !c.ThreadMetadata.Archived {
				threads = append(threads, s.show(c))
			}
			continue
		}
		channels = append(channels, s.show(c))
	}
	members := []*Member{}
	for _, id := range g.order {
		if id == s.bot.ID || intents&(intentMembers|intentPresences) != 0 {
			m := *g.members[id]
			members = append(members, &m)
		}
	}
	shown := s.showGuild(g)
	for name, v := range map[string]any{
		"joined_at": g.joined, "large": false, "unavailable": false, "member_count": len(g.members),
		"members": members, "channels": channels, "threads": threads,
		"presences": []any{}, "voice_states": []any{}, "stage_instances": []any{}, "guild_scheduled_events": []any{}, "soundboard_sounds": []any{},
	} {
		shown[name] = v
	}
	return shown
}

// showGuild returns g as GET /guilds/{guild} does.
func (s *Server) showGuild(g *guild) map[string]any {
	roles := []*Role{}
	for _, r := range g.roles {
		copied := *r
		roles = append(roles, &copied)
	}
	return map[string]any{
		"id": g.id, "name": g.name, "icon": nil, "owner_id": g.owner, "roles": roles, "emojis": []any{}, "stickers": []any{},
		"features": []string{}, "preferred_locale": "de", "afk_channel_id": nil, "afk_timeout": 300, "system_channel_id": nil,
		"system_channel_flags": 0, "rules_channel_id": nil, "public_updates_channel_id": nil, "verification_level": 0,
		"default_message_notifications": 1, "explicit_content_filter": 0, "mfa_level": 0, "nsfw_level": 0, "premium_tier": 0,
		"description": nil, "banner": nil, "splash": nil, "discovery_splash": nil, "vanity_url_code": nil, "application_id": nil, "region": "deprecated",
		"widget_enabled": false, "premium_progress_bar_enabled": false, "max_members": 500000, "nsfw": false,
		"home_header": nil, "widget_channel_id": nil, "max_presences": nil, "max_stage_video_channel_users": 50, "max_video_channel_users": 25,
		"premium_subscription_count": 0, "safety_alerts_channel_id": nil, "incidents_data": nil,
	}
}

// sortedChannels returns all channels by their ids.
func (s *Server) sortedChannels() []*channel {
	var all []*channel
	for _, c := range s.channels {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *channel) int { return cmp.Compare(snowflake(a.ID), snowflake(b.ID)) })
	return all
}

// mustUser and its kind stop a test that names something it did not add.
func (s *Server) mustUser(id string) *person {
	p, ok := s.users[id]
	if !ok {
		panic(fmt.Sprintf("fake discord: no user %q was added", id))
	}
	return p
}

func (s *Server) mustGuild(id string) *guild {
	g, ok := s.guilds[id]
	if !ok {
		panic(fmt.Sprintf("fake discord: no guild %q was added", id))
	}
	return g
}

func (s *Server) mustMember(g *guild, id string) *Member {
	m, ok := g.members[id]
	if !ok {
		panic(fmt.Sprintf("fake discord: %q is no member of guild %q", id, g.id))
	}
	return m
}

func (s *Server) mustChannel(id string) *channel {
	c, ok := s.channels[id]
	if !ok {
		panic(fmt.Sprintf("fake discord: no channel %q was added", id))
	}
	return c
}

func (s *Server) mustMessage(channelID, id string) (*channel, *stored) {
	c := s.mustChannel(channelID)
	m, ok := c.messages[id]
	if !ok {
		panic(fmt.Sprintf("fake discord: no message %q in channel %q", id, channelID))
	}
	return c, m
}
