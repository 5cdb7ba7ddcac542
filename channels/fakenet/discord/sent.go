package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// A Sent is a message of the bot, as a person finds it.
type Sent struct {
	ID      string
	Channel string
	// Parent is the channel of a thread, Guild the guild; empty in direct ones.
	Parent, Guild string
	// Content is the Markdown, Text what a person reads of it.
	Content, Text string
	Buttons       []Button
	Components    json.RawMessage
	Flags         int
	// Pings lists whom the message notified when it came: user ids, "role:" and
	// an id, "everyone". EditPings is the same for later edits.
	Pings, EditPings []string
	// ReplyTo is the message that it answers.
	ReplyTo string
	Files   []File
	// Only is the person who alone sees an ephemeral answer.
	Only string
	// Interaction is the id of the command or button that it answers.
	Interaction string
	Nonce       string
	At          time.Time
	// Edits counts the changes by the bot; Deleted says that it is gone.
	Edits   int
	Deleted bool
}

// Silent reports whether the message came without sound and banner.
func (m Sent) Silent() bool { return m.Flags&FlagSilent != 0 }

// arrive notes a message of the bot. The caller holds mu.
func (s *Server) arrive(ch *channel, m *stored) {
	if m.sent == nil {
		m.sent = &Sent{ID: m.ID, Channel: ch.ID, Guild: ch.GuildID, At: m.Timestamp, Only: m.only, Pings: pings(&m.Message)}
		if ch.ParentID != nil {
			m.sent.Parent = *ch.ParentID
		}
		if m.Interaction != nil {
			m.sent.Interaction = m.Interaction.ID
		}
		m.sent.Nonce, _ = nonceOf(m.Nonce)
		m.sent.ReplyTo = m.referencedMessage
		s.sent = append(s.sent, m.sent)
	}
	s.copyShown(m)
	s.wake()
}

// noteEdit notes that the bot changed its message. The caller holds mu.
func (s *Server) noteEdit(m *stored) {
	if m.sent != nil {
		m.sent.Edits++
		m.sent.EditPings = append(m.sent.EditPings, pings(&m.Message)...)
		s.copyShown(m)
	}
	s.wake()
}

// copyShown copies what a person sees now.
func (s *Server) copyShown(m *stored) {
	t := m.sent
	var texts []string
	t.Content, t.Components, t.Flags = m.Content, m.Components, m.Flags
	t.Buttons, texts = buttons(m.Components)
	t.Text = Plain(m.Content)
	for _, more := range texts {
		if t.Text != "" {
			t.Text += "\n"
		}
		t.Text += Plain(more)
	}
	t.Files = nil
	for _, a := range m.Attachments {
		if f := s.files[a.ID]; f != nil {
			t.Files = append(t.Files, File{Name: a.Filename, MIME: a.ContentType, Data: f.data})
		}
	}
}

// Sent returns what the bot sent to a channel, or everywhere for "", oldest
// first, in its present form. What was deleted is there, marked.
func (s *Server) Sent(channelID string) []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sentTo(channelID)
}

func (s *Server) sentTo(channelID string) []Sent {
	var list []Sent
	for _, m := range s.sent {
		if channelID == "" || m.Channel == channelID {
			copied := *m
			copied.Buttons = slices.Clone(m.Buttons)
			list = append(list, copied)
		}
	}
	return list
}

// AwaitSent waits until the bot has sent n messages to a channel, or everywhere
// for "", and returns all of them.
func (s *Server) AwaitSent(ctx context.Context, channelID string, n int) ([]Sent, error) {
	var list []Sent
	err := s.await(ctx, fmt.Sprintf("%d messages", n), func() bool {
		list = s.sentTo(channelID)
		return len(list) >= n
	})
	return list, err
}

// AwaitMessage waits until ok is true of one of the bot's messages in a
// channel, or anywhere for "", and returns it. It sees edits too. Ok is called
// with a lock held and must not call the server.
func (s *Server) AwaitMessage(ctx context.Context, channelID, what string, ok func(Sent) bool) (Sent, error) {
	var found Sent
	err := s.await(ctx, what, func() bool {
		for _, m := range s.sentTo(channelID) {
			if ok(m) {
				found = m
				return true
			}
		}
		return false
	})
	return found, err
}

// AwaitAction waits until the bot has answered an interaction.
func (s *Server) AwaitAction(ctx context.Context, id string) (Action, error) {
	err := s.await(ctx, "an answer to interaction "+id, func() bool { return s.actions[id] != nil && s.actions[id].answer != 0 })
	if err != nil {
		return Action{}, err
	}
	return s.Action(id), nil
}

// Reactions returns who shows which emoji at a message.
func (s *Server) Reactions(channelID, message string) map[string][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, m := s.mustMessage(channelID, message)
	all := make(map[string][]string)
	for e, users := range m.reactions {
		if len(users) > 0 {
			all[e] = slices.Clone(users)
		}
	}
	return all
}

// History returns the messages of a channel as everybody there sees them,
// oldest first; those for one person only are left out.
func (s *Server) History(channelID string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Message
	ch := s.mustChannel(channelID)
	for _, id := range ch.order {
		if m := ch.messages[id]; m.only == "" {
			list = append(list, s.viewAs(m, true))
		}
	}
	return list
}
