package telegram

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

func (s *Server) sendMessage(c *call) (any, error) {
	raw := c.params["text"]
	if raw == "" {
		return nil, badRequest("message text is empty")
	}
	text, entities, err := s.formatted(c, raw, "entities", maxText)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	m, err := s.write(c, raw, text)
	if err != nil {
		return nil, err
	}
	m.Text, m.Entities = text, entities
	if err := s.ephemeral(c, m); err != nil {
		return nil, err
	}
	s.arrive(m)
	return m.Message, nil
}

// formatted parses a text in the mode that the call names and checks its
// length.
func (s *Server) formatted(c *call, raw, entitiesParam string, most int) (string, []Entity, error) {
	if len(raw) > maxRaw {
		return "", nil, badRequest("text is too long")
	}
	text, entities := raw, []Entity(nil)
	switch mode := lower(c.params["parse_mode"]); mode {
	case "", "none":
		if list := c.params[entitiesParam]; list != "" {
			if err := json.Unmarshal([]byte(list), &entities); err != nil {
				return "", nil, badRequest("can't parse entities: expected an Array of MessageEntity")
			}
			for _, e := range entities {
				if e.Offset < 0 || e.Length < 0 || e.Offset+e.Length > utf16Len(text) {
					return "", nil, badRequest("entity beginning at UTF-16 offset %d ends after the end of the text at UTF-16 offset %d", e.Offset, e.Offset+e.Length)
				}
			}
		}
	case "html":
		var err error
		if text, entities, err = parseHTML(raw); err != nil {
			return "", nil, badRequest("can't parse entities: %s", err)
		}
	case "markdown", "markdownv2":
		return "", nil, badRequest("can't parse entities: this server does not know parse_mode %s", c.params["parse_mode"])
	default:
		return "", nil, badRequest("unsupported parse_mode")
	}
	text, entities = clean(text, entities)
	if text == "" && raw != "" {
		return "", nil, badRequest("text must be non-empty")
	}
	n := utf8.RuneCountInString(text)
	if s.opts.CountUTF16 {
		n = utf16Len(text)
	}
	if n > most {
		if most == maxCaption {
			return "", nil, badRequest("message caption is too long")
		}
		return "", nil, badRequest("message is too long")
	}
	return text, withFound(text, entities), nil
}

// write makes the message of a call, without its content; nothing has an
// effect before arrive. The caller holds mu.
func (s *Server) write(c *call, raw, text string) (*stored, error) {
	ch, err := s.target(c)
	if err != nil {
		return nil, err
	}
	if err := s.mayWrite(ch); err != nil {
		return nil, err
	}
	thread, err := ch.thread(c)
	if err != nil {
		return nil, err
	}
	answered, err := ch.answered(c)
	if err != nil {
		return nil, err
	}
	bot := s.bot
	m := s.newMessage(ch, &bot)
	m.byBot = true
	if thread != 0 {
		m.MessageThreadID, m.IsTopicMessage = thread, true
	}
	sent := &Sent{Chat: ch.ID, MessageID: m.MessageID, Thread: thread, Text: text, Raw: raw, ParseMode: c.params["parse_mode"], Params: c.params, At: s.opts.Now()}
	if answered != nil {
		r := answered.Message
		r.ReplyToMessage = nil
		m.ReplyToMessage = &r
		sent.ReplyTo = r.MessageID
	}
	if sent.Buttons, err = buttons(c); err != nil {
		return nil, err
	}
	m.ReplyMarkup = json.RawMessage(c.params["reply_markup"])
	m.sent = sent
	return m, nil
}

// answered returns the message that a call replies to, or nil.
func (ch *chat) answered(c *call) (*stored, error) {
	var p struct {
		MessageID int64 `json:"message_id"`
		Allow     bool  `json:"allow_sending_without_reply"`
	}
	if raw := c.params["reply_parameters"]; raw != "" {
		if err := json.Unmarshal([]byte(raw), &p); err != nil {
			return nil, badRequest("can't parse reply parameters: expected an object")
		}
	} else {
		p.MessageID, p.Allow = c.integer("reply_to_message_id", 0), c.flag("allow_sending_without_reply")
	}
	if p.MessageID == 0 {
		return nil, nil
	}
	m, ok := ch.messages[p.MessageID]
	if !ok && !p.Allow {
		return nil, badRequest("message to be replied not found")
	}
	return m, nil
}

// arrive puts a message of the bot into its chat. The caller holds mu.
func (s *Server) arrive(m *stored) {
	m.sent.Entities = m.Entities
	if m.Document != nil || m.Photo != nil {
		m.sent.Entities = m.CaptionEntities
	}
	if m.Chat.Type == "channel" {
		m.From = nil
	}
	s.keep(s.chats[m.Chat.ID], m)
	if n := s.opts.Keep; n > 0 && len(s.sent) > 2*n {
		s.sent = slices.Clone(s.sent[len(s.sent)-n:])
	}
	s.sent = append(s.sent, m.sent)
	s.arrived[m.Chat.ID]++
	s.arrived[0]++
	s.wake()
}

func (s *Server) editMessageText(c *call) (any, error) {
	raw := c.params["text"]
	if raw == "" {
		return nil, badRequest("message text is empty")
	}
	text, entities, err := s.formatted(c, raw, "entities", maxText)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, err := s.target(c)
	if err != nil {
		return nil, err
	}
	if err := s.mayWrite(ch); err != nil {
		return nil, err
	}
	m, ok := ch.messages[c.integer("message_id", 0)]
	if !ok {
		return nil, badRequest("message to edit not found")
	}
	if !m.byBot {
		return nil, badRequest("message can't be edited")
	}
	rows, err := buttons(c)
	if err != nil {
		return nil, err
	}
	markup := c.params["reply_markup"]
	if m.Text == text && slices.EqualFunc(m.Entities, entities, sameEntity) && string(m.ReplyMarkup) == markup {
		return nil, badRequest("message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message")
	}
	m.Text, m.Entities, m.EditDate = text, entities, s.opts.Now().Unix()
	m.ReplyMarkup = nil
	if markup != "" {
		m.ReplyMarkup = json.RawMessage(markup)
	}
	m.sent.Text, m.sent.Entities, m.sent.Raw = text, entities, raw
	m.sent.Buttons = rows
	m.sent.Edits++
	s.wake()
	return m.Message, nil
}

func sameEntity(a, b Entity) bool {
	return a.Type == b.Type && a.Offset == b.Offset && a.Length == b.Length && a.URL == b.URL && a.Language == b.Language
}

func (s *Server) deleteMessage(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, err := s.target(c)
	if err != nil {
		return nil, err
	}
	id := c.integer("message_id", 0)
	m, ok := ch.messages[id]
	if !ok {
		return nil, badRequest("message to delete not found")
	}
	if !m.byBot && ch.Type != "private" {
		return nil, badRequest("message can't be deleted")
	}
	if m.sent != nil {
		m.sent.Deleted = true
	}
	delete(ch.messages, id)
	s.wake()
	return true, nil
}

// Sent returns the messages that arrived from the bot in a chat, oldest
// first, as they stand now; chat 0 stands for all chats.
func (s *Server) Sent(chatID int64) []Sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sentTo(chatID)
}

func (s *Server) sentTo(chatID int64) []Sent {
	var all []Sent
	for _, m := range s.sent {
		if chatID == 0 || m.Chat == chatID {
			copied := *m
			copied.Entities = slices.Clone(m.Entities)
			all = append(all, copied)
		}
	}
	return all
}

// AwaitSent waits until n messages of the bot have arrived in a chat, and
// returns them, as far as Options.Keep lets them be remembered; chat 0 stands
// for all chats.
func (s *Server) AwaitSent(ctx context.Context, chatID int64, n int) ([]Sent, error) {
	err := s.await(ctx, fmt.Sprintf("%d messages in chat %d", n, chatID), func() bool { return s.arrived[chatID] >= n })
	return s.Sent(chatID), err
}

// Actions returns the last chat actions of the bot, oldest first.
func (s *Server) Actions() []Action {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.actions)
}

// AwaitActions waits until the bot has sent n chat actions since the start.
func (s *Server) AwaitActions(ctx context.Context, n int) error {
	return s.await(ctx, fmt.Sprintf("%d chat actions", n), func() bool { return len(s.actions) >= n })
}
