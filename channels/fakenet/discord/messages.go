package discord

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	maxContent     = 2000 // code points
	maxNonce       = 25
	maxFiles       = 10
	maxComponents  = 40 // of components in a message
	maxOldEdits    = 5
	oldEditsAfter  = time.Hour
	messageDefault = 0
	messageReply   = 19
	messageCommand = 20
)

// A draft is the body of what creates or changes a message.
type draft struct {
	Content         *string          `json:"content"`
	TTS             bool             `json:"tts"`
	Nonce           json.RawMessage  `json:"nonce"`
	EnforceNonce    bool             `json:"enforce_nonce"`
	Embeds          *[]any           `json:"embeds"`
	AllowedMentions *allowedMentions `json:"allowed_mentions"`
	Reference       *struct {
		Reference
		FailIfNotExists *bool `json:"fail_if_not_exists"`
	} `json:"message_reference"`
	Components  json.RawMessage `json:"components"`
	Flags       *int            `json:"flags"`
	Attachments *[]struct {
		ID          any    `json:"id"`
		Filename    string `json:"filename"`
		Description string `json:"description"`
	} `json:"attachments"`
}

func (s *Server) createMessage(c *call) (any, error) {
	var d draft
	if err := c.decode(&d); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, err := s.seen(c)
	if err != nil {
		return nil, err
	}
	if err := s.mayWrite(ch, len(c.files)); err != nil {
		return nil, err
	}
	key, err := nonceOf(d.Nonce)
	if err != nil {
		return nil, err
	}
	if known, ok := ch.nonces[key]; ok && key != "" && d.EnforceNonce && s.opts.Now().Sub(known.at) < s.opts.NonceWindow {
		if m := ch.messages[known.message]; m != nil {
			return s.view(m), nil
		}
	}
	m, err := s.compose(ch, &d, c.files, "")
	if err != nil {
		return nil, err
	}
	m.Nonce = d.Nonce
	s.unarchive(ch)
	if ch.isThread() {
		s.joinUser(ch, s.bot.ID)
	}
	if key != "" {
		ch.nonces[key] = nonce{m.ID, s.opts.Now()}
	}
	s.publish(ch, m)
	s.arrive(ch, m)
	return s.view(m), nil
}

// nonceOf reads a nonce, which is a string or a whole number.
func nonceOf(raw json.RawMessage) (string, error) {
	var text string
	var n int64
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return "", nil
	case json.Unmarshal(raw, &text) == nil:
		if utf8.RuneCountInString(text) > maxNonce {
			return "", invalidForm(tooLong("nonce", maxNonce))
		}
		return text, nil
	case json.Unmarshal(raw, &n) == nil:
		return fmt.Sprint(n), nil
	}
	return "", invalidForm(fieldError{"nonce", "NONCE_TYPE_INVALID_TYPE", "Nonce must be a string or an integer."})
}

// compose makes a message of the bot that is not published yet. Only is the
// person who alone sees it, or "".
func (s *Server) compose(ch *channel, d *draft, files []upload, only string) (*stored, error) {
	m := &stored{Message: s.blank(ch, s.bot), only: only}
	if d.Flags != nil {
		m.Flags = *d.Flags & (FlagSuppressEmbeds | FlagEphemeral | FlagSilent | FlagVoice | FlagComponentsV2)
		if only == "" {
			m.Flags &^= FlagEphemeral
		}
	}
	if err := s.fill(m, d, files); err != nil {
		return nil, err
	}
	if d.Reference != nil && d.Reference.MessageID != "" {
		if err := s.refer(ch, m, d); err != nil {
			return nil, err
		}
	}
	if m.Content == "" && len(m.Attachments) == 0 && len(m.Embeds) == 0 && (len(m.Components) <= 2 || m.Flags&FlagComponentsV2 == 0) {
		return nil, badRequest(50006, "Cannot send an empty message")
	}
	s.resolve(ch, m, d.AllowedMentions)
	return m, nil
}

// blank returns a message with nothing in it.
func (s *Server) blank(ch *channel, author User) Message {
	return Message{
		ID: s.newID(), ChannelID: ch.ID, Author: author, Timestamp: s.opts.Now().UTC(), Mentions: []mentioned{}, MentionRoles: []string{},
		Attachments: []Attachment{}, Embeds: []any{}, Components: json.RawMessage("[]"),
	}
}

// fill puts the parts of d that are given into m, after checking them all.
func (s *Server) fill(m *stored, d *draft, files []upload) error {
	var wrong []fieldError
	v2 := m.Flags&FlagComponentsV2 != 0
	if d.Content != nil {
		content := strings.TrimSpace(*d.Content)
		switch {
		case !utf8.ValidString(content):
			wrong = append(wrong, fieldError{"content", "STRING_TYPE_CONVERT", "The string is not valid UTF-8."})
		case utf8.RuneCountInString(content) > maxContent:
			wrong = append(wrong, tooLong("content", maxContent))
		case v2 && content != "":
			wrong = append(wrong, fieldError{"content", "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
				"The 'content' field cannot be used when using MessageFlags.IS_COMPONENTS_V2"})
		}
		m.Content = content
	}
	if d.Embeds != nil {
		if len(*d.Embeds) > 10 {
			wrong = append(wrong, tooLong("embeds", 10))
		}
		m.Embeds = append([]any{}, *d.Embeds...)
	}
	wrong = append(wrong, d.AllowedMentions.check()...)
	if len(d.Components) > 0 && string(d.Components) != "null" {
		wrong = append(wrong, checkComponents(d.Components, v2)...)
		m.Components = withIDs(d.Components)
	}
	if len(files) > maxFiles {
		wrong = append(wrong, tooLong("attachments", maxFiles))
	}
	if len(wrong) > 0 {
		return invalidForm(wrong...)
	}
	if d.Attachments != nil {
		m.Attachments = slices.DeleteFunc(m.Attachments, func(a Attachment) bool {
			for _, kept := range *d.Attachments {
				if fmt.Sprint(kept.ID) == a.ID {
					return false
				}
			}
			return true
		})
	}
	for i, f := range files {
		name := f.name
		if d.Attachments != nil {
			for _, a := range *d.Attachments {
				if fmt.Sprint(a.ID) == fmt.Sprint(i) && f.field == fmt.Sprintf("files[%d]", i) && a.Filename != "" {
					name = a.Filename
				}
			}
		}
		m.Attachments = append(m.Attachments, s.attach(m.ChannelID, name, f.mime, f.data))
	}
	return nil
}

// refer makes m a reply.
func (s *Server) refer(ch *channel, m *stored, d *draft) error {
	r := d.Reference
	answered, ok := ch.messages[r.MessageID]
	if r.ChannelID != "" && r.ChannelID != ch.ID {
		return invalidForm(fieldError{"message_reference", "REPLIES_CANNOT_REFERENCE_OTHER_CHANNEL", "Cannot reply to a message in a different channel"})
	}
	if !ch.isDirect() && !s.may(s.bot.ID, ch, ReadMessageHistory) {
		return badRequest(160002, "Cannot reply without permission to read message history")
	}
	if !ok {
		if r.FailIfNotExists == nil || *r.FailIfNotExists {
			return invalidForm(fieldError{"message_reference", "MESSAGE_REFERENCE_UNKNOWN_MESSAGE", "Unknown message"})
		}
		return nil
	}
	if answered.Type != messageDefault && answered.Type != messageReply && answered.Type != messageCommand {
		return invalidForm(fieldError{"message_reference", "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE", "Cannot reply to a system message"})
	}
	s.quote(ch, &m.Message, answered)
	return nil
}

// quote notes in m what it answers.
func (s *Server) quote(ch *channel, m *Message, answered *stored) {
	m.Type = messageReply
	m.Reference = &Reference{MessageID: answered.ID, ChannelID: ch.ID, GuildID: ch.GuildID}
	m.referencedMessage = answered.ID
}

func (s *Server) editMessage(c *call) (any, error) {
	var d draft
	if err := c.decode(&d); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, m, err := s.seenMessage(c)
	if err != nil {
		return nil, err
	}
	if m.Author.ID != s.bot.ID {
		return nil, forbidden(50005, "Cannot edit a message authored by another user")
	}
	if err := s.mayWrite(ch, len(c.files)); err != nil {
		return nil, err
	}
	return s.change(ch, m, &d, c.files)
}

// change edits a message of the bot.
func (s *Server) change(ch *channel, m *stored, d *draft, files []upload) (any, error) {
	if s.opts.Now().Sub(m.Timestamp) > oldEditsAfter {
		if m.editsOld >= maxOldEdits {
			return nil, &apiError{status: 429, code: 30046, message: "Maximum number of edits to messages older than 1 hour reached. Try again later",
				limit: &limitError{60, false, "shared"}}
		}
		m.editsOld++
	}
	next := *m
	next.Attachments = slices.Clone(m.Attachments)
	if d.Flags != nil {
		if m.Flags&FlagComponentsV2 != 0 && *d.Flags&FlagComponentsV2 == 0 {
			return nil, invalidForm(fieldError{"flags", "MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG", "The IS_COMPONENTS_V2 flag cannot be removed"})
		}
		next.Flags = m.Flags&^FlagSuppressEmbeds | *d.Flags&(FlagSuppressEmbeds|FlagComponentsV2)
	}
	if err := s.fill(&next, d, files); err != nil {
		return nil, err
	}
	if next.Content == "" && len(next.Attachments) == 0 && len(next.Embeds) == 0 && next.Flags&FlagComponentsV2 == 0 {
		return nil, badRequest(50006, "Cannot send an empty message")
	}
	if d.Content != nil {
		s.resolve(ch, &next, d.AllowedMentions)
	}
	now := s.opts.Now().UTC()
	next.EditedTimestamp = &now
	next.Flags &^= FlagLoading
	*m = next
	if m.only == "" {
		s.announce(ch, m, "MESSAGE_UPDATE")
	}
	s.noteEdit(m)
	return s.view(m), nil
}

func (s *Server) deleteMessage(c *call) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch, m, err := s.seenMessage(c)
	if err != nil {
		return nil, err
	}
	if m.Author.ID != s.bot.ID && (ch.isDirect() || !s.may(s.bot.ID, ch, ManageMessages)) {
		if ch.isDirect() {
			return nil, forbidden(50003, "Cannot execute action on a DM channel")
		}
		return nil, forbidden(50013, "Missing Permissions")
	}
	s.remove(ch, m)
	return nil, nil
}

// remove deletes a message and says so.
func (s *Server) remove(ch *channel, m *stored) {
	delete(ch.messages, m.ID)
	ch.order = slices.DeleteFunc(ch.order, func(id string) bool { return id == m.ID })
	if m.sent != nil {
		m.sent.Deleted = true
	}
	body := map[string]any{"id": m.ID, "channel_id": ch.ID}
	need := intentDirectMessages
	if !ch.isDirect() {
		body["guild_id"] = ch.GuildID
		need = intentGuildMessages
	}
	if m.only == "" && (ch.isDirect() || s.may(s.bot.ID, ch, ViewChannel)) {
		s.dispatch(need, "MESSAGE_DELETE", body)
	}
	s.wake()
}
