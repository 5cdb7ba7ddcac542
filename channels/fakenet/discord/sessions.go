package discord

import (
	"encoding/json"
	"time"
)

// The intents that the server knows.
const (
	intentGuilds          = 1 << 0
	intentMembers         = 1 << 1
	intentPresences       = 1 << 8
	intentGuildMessages   = 1 << 9
	intentGuildReactions  = 1 << 10
	intentGuildTyping     = 1 << 11
	intentDirectMessages  = 1 << 12
	intentDirectReactions = 1 << 13
	intentDirectTyping    = 1 << 14
	intentMessageContent  = 1 << 15
	allIntents            = (1<<26 - 1) &^ (1<<17 | 1<<18 | 1<<19 | 1<<22 | 1<<23)
	flagContentLimited    = 1 << 19
	flagMembersLimited    = 1 << 15
	identifyPause         = 5 * time.Second
)

type identify struct {
	Token      string `json:"token"`
	Intents    *int   `json:"intents"`
	Compress   bool   `json:"compress"`
	Properties *struct {
		OS string `json:"os"`
	} `json:"properties"`
}

// identify starts a session.
func (c *conn) identify(raw json.RawMessage) {
	s := c.s
	var id identify
	if c.session != nil {
		c.close(closeAlreadyAuthed, "Already authenticated.")
		return
	}
	if json.Unmarshal(raw, &id) != nil || id.Properties == nil {
		c.close(closeDecodeError, "Error while decoding payload.")
		return
	}
	s.stats.Identifies++
	s.wake()
	now := s.opts.Now()
	s.forgetStarts(now)
	limited := s.opts.RateLimits && len(s.started) > 0 && now.Sub(s.started[len(s.started)-1]) < identifyPause
	s.started = append(s.started, now)
	if len(s.started) > s.opts.Starts {
		s.revoked = true // Discord resets the token of a bot that starts over and over
		s.endSessions(closeAuthFailed, "Authentication failed.")
	}
	if !s.knows(id.Token) {
		c.close(closeAuthFailed, "Authentication failed.")
		return
	}
	if id.Intents == nil || *id.Intents&^allIntents != 0 {
		c.close(closeInvalidIntents, "Invalid intent(s).")
		return
	}
	s.stats.Intents = *id.Intents
	if s.opts.WithoutContent && *id.Intents&intentMessageContent != 0 || s.opts.WithoutMembers && *id.Intents&intentMembers != 0 {
		c.close(closeDisallowed, "Disallowed intent(s).")
		return
	}
	if limited {
		c.send(opInvalidSession, false)
		return
	}
	if c.noReady {
		return
	}
	if c.reject != "" {
		c.refuseSession()
		return
	}
	se := &session{id: "fake" + s.newID(), intents: *id.Intents, compress: id.Compress, conn: c}
	s.sessions[se.id] = se
	c.session = se
	s.stats.Ready++
	s.event(se, "READY", s.ready(c))
	if se.intents&intentGuilds != 0 {
		for _, g := range s.sortedGuilds() {
			if !g.away {
				s.event(se, "GUILD_CREATE", s.guildCreate(g, se.intents))
			}
		}
	}
	s.wake()
}

// knows reports whether a token is the bot's. The gateway takes it with and
// without the word in front.
func (s *Server) knows(token string) bool {
	return !s.revoked && (token == s.token || token == "Bot "+s.token)
}

func (s *Server) ready(c *conn) map[string]any {
	guilds := []any{}
	for _, g := range s.sortedGuilds() {
		if !g.away {
			guilds = append(guilds, map[string]any{"id": g.id, "unavailable": true})
		}
	}
	return map[string]any{
		"v": json.RawMessage(c.version), "user": s.me(), "session_id": c.session.id, "session_type": "normal",
		"resume_gateway_url": "ws://" + s.addr + resumePath, "guilds": guilds, "private_channels": []any{},
		"application": map[string]any{"id": s.app, "flags": s.appFlags()}, "relationships": []any{}, "presences": []any{},
		"guild_join_requests": []any{}, "geo_ordered_rtc_regions": []string{}, "auth": map[string]any{}, "user_settings": map[string]any{},
		"_trace": []string{"fake"},
	}
}

// appFlags tells which privileged intents the portal allows.
func (s *Server) appFlags() int {
	flags := flagContentLimited | flagMembersLimited
	if s.opts.WithoutContent {
		flags &^= flagContentLimited
	}
	if s.opts.WithoutMembers {
		flags &^= flagMembersLimited
	}
	return flags
}

// resumeSession continues a session with the events that the client missed.
func (c *conn) resumeSession(raw json.RawMessage) {
	s := c.s
	var r struct {
		Token     string `json:"token"`
		SessionID string `json:"session_id"`
		Seq       int64  `json:"seq"`
	}
	if c.session != nil {
		c.close(closeAlreadyAuthed, "Already authenticated.")
		return
	}
	if json.Unmarshal(raw, &r) != nil {
		c.close(closeDecodeError, "Error while decoding payload.")
		return
	}
	s.stats.Resumes++
	defer s.wake()
	if !s.knows(r.Token) {
		c.close(closeAuthFailed, "Authentication failed.")
		return
	}
	se := s.sessions[r.SessionID]
	switch {
	case se == nil, se.doomed, len(se.replay) > 0 && se.replay[0].seq > r.Seq+1:
		if se != nil {
			delete(s.sessions, se.id)
		}
		s.stats.Invalidated++
		c.send(opInvalidSession, false)
		return
	case r.Seq > se.seq:
		c.close(closeInvalidSeq, "Invalid seq.")
		return
	case c.noReady:
		return
	case c.reject != "":
		c.refuseSession()
		return
	}
	if se.conn != nil {
		se.conn.cut() // the older connection loses it
	}
	se.conn, c.session = c, se
	for _, e := range se.replay {
		if e.seq > r.Seq {
			c.event(e)
		}
	}
	s.stats.Resumed++
	s.event(se, "RESUMED", map[string]any{"_trace": []string{"fake"}})
}

// requestMembers answers opcode 8.
func (c *conn) requestMembers(raw json.RawMessage) {
	var q struct {
		GuildID json.RawMessage `json:"guild_id"`
		UserIDs json.RawMessage `json:"user_ids"`
		Nonce   string          `json:"nonce"`
	}
	if json.Unmarshal(raw, &q) != nil {
		c.close(closeDecodeError, "Error while decoding payload.")
		return
	}
	for _, id := range listOrOne(q.GuildID) {
		g := c.s.guilds[id]
		if g == nil || g.away {
			continue
		}
		wanted := listOrOne(q.UserIDs)
		members, missing := []*Member{}, []string{}
		if wanted == nil {
			wanted = g.order
		}
		for _, u := range wanted {
			if m, ok := g.members[u]; ok {
				copied := *m
				members = append(members, &copied)
			} else {
				missing = append(missing, u)
			}
		}
		c.s.event(c.session, "GUILD_MEMBERS_CHUNK", map[string]any{"guild_id": g.id, "members": members, "not_found": missing,
			"chunk_index": 0, "chunk_count": 1, "nonce": q.Nonce})
	}
}

// listOrOne reads a string or a list of them.
func listOrOne(raw json.RawMessage) []string {
	var one string
	var list []string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}
	}
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// endSessions closes every connection with code. The caller holds mu.
func (s *Server) endSessions(code int, text string) {
	for c := range s.conns {
		c.close(code, text)
	}
	s.sessions = make(map[string]*session)
	s.wake()
}

func (s *Server) forgetStarts(now time.Time) {
	for len(s.started) > 0 && now.Sub(s.started[0]) >= 24*time.Hour {
		s.started = s.started[1:]
	}
}
