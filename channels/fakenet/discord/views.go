package discord

import (
	"encoding/json"
	"slices"
)

// view returns m as the REST API shows it to the bot.
func (s *Server) view(m *stored) Message {
	return s.viewAs(m, !s.opts.WithoutContent)
}

// viewAs returns m with its content, or without when the bot may not read it:
// in guilds it may read what it wrote and what mentions it. The caller holds mu.
func (s *Server) viewAs(m *stored, content bool) Message {
	v := m.Message
	ch := s.channels[m.ChannelID]
	v.Attachments = []Attachment{}
	for _, a := range m.Attachments {
		v.Attachments = append(v.Attachments, s.sign(m.ChannelID, a))
	}
	v.Reactions = nil
	for _, e := range m.order {
		if users := m.reactions[e]; len(users) > 0 {
			v.Reactions = append(v.Reactions, reaction{Count: len(users), Details: map[string]int{"normal": len(users), "burst": 0}, Colors: []string{}, Me: slices.Contains(users, s.bot.ID), Emoji: parseEmoji(e)})
		}
	}
	if m.referencedMessage != "" {
		v.Referenced = json.RawMessage("null")
		if ch != nil {
			if r := ch.messages[m.referencedMessage]; r != nil {
				inner := s.viewAs(&stored{Message: without(r.Message)}, content)
				v.Referenced = mustJSON(inner)
			}
		}
	}
	if content || ch == nil || ch.isDirect() || m.Author.ID == s.bot.ID || mentions(&m.Message, s.bot.ID) {
		return v
	}
	v.Content, v.Embeds, v.Attachments, v.Components, v.Snapshots = "", []any{}, []Attachment{}, json.RawMessage("[]"), nil
	return v
}

// without returns m without what it answers, as a referenced message is shown.
func without(m Message) Message {
	m.referencedMessage = ""
	m.Referenced = nil
	return m
}

func mentions(m *Message, user string) bool {
	return slices.ContainsFunc(m.Mentions, func(u mentioned) bool { return u.ID == user })
}

// publish stores m and tells the bot, when it may see the channel.
func (s *Server) publish(ch *channel, m *stored) {
	ch.messages[m.ID] = m
	ch.order = append(ch.order, m.ID)
	s.forget(ch)
	if m.only == "" {
		s.announce(ch, m, "MESSAGE_CREATE")
	}
}

// forget drops the oldest messages beyond Options.Keep.
func (s *Server) forget(ch *channel) {
	n := len(ch.order) - s.opts.Keep
	if s.opts.Keep == 0 || n < s.opts.Keep {
		return
	}
	for _, id := range ch.order[:n] {
		delete(ch.messages, id)
	}
	ch.order = slices.Clone(ch.order[n:])
	s.sent = slices.Clone(s.sent[max(0, len(s.sent)-s.opts.Keep):])
	for key, known := range ch.nonces {
		if s.opts.Now().Sub(known.at) >= s.opts.NonceWindow {
			delete(ch.nonces, key)
		}
	}
}

// announce sends a message event in the gateway's form.
func (s *Server) announce(ch *channel, m *stored, kind string) {
	need := intentDirectMessages
	if !ch.isDirect() {
		need = intentGuildMessages
		if !s.may(s.bot.ID, ch, ViewChannel) {
			s.wake()
			return
		}
	}
	s.dispatchEach(need, kind, func(se *session) any {
		v := s.viewAs(m, se.intents&intentMessageContent != 0)
		v.ChannelType = &ch.Type
		if ch.isDirect() {
			return v
		}
		v.GuildID = ch.GuildID
		g := s.guilds[ch.GuildID]
		if a, ok := g.members[m.Author.ID]; ok && m.WebhookID == "" {
			member := *a
			member.User = nil
			v.Member = &member
		}
		v.Mentions = slices.Clone(v.Mentions)
		for i, u := range v.Mentions {
			if a, ok := g.members[u.ID]; ok {
				member := *a
				member.User = nil
				v.Mentions[i].Member = &member
			}
		}
		return v
	})
}
