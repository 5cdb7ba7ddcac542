package telegram

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"outheis/channels"
)

// personMark stands, in the private part of an address, between the message
// that is answered and the person who pressed a button under it.
const personMark = " "

// general is the thread id of a forum's first topic. Messages in it carry no
// thread id, and must not when they are sent; only chat actions may.
const general = 1

// Accounts that stand in for somebody whom Telegram does not name.
const (
	serviceAccount   = 777000     // posts of the linked channel
	anonymousAdmin   = 1087968824 // administrators who stay unnamed
	channelInDisplay = 136817688  // people who write as their channel
)

// A reader turns updates into events. It has no state: the same update gives
// the same event, whenever it comes.
type reader struct {
	account string
	me      user
	now     func() time.Time
}

// event returns the event that an update is about. It returns false when the
// update is of no concern, and an error when it cannot be understood. Key is
// the same for the same update, also when another bot with its own count of
// updates takes the account's place.
func (r reader) event(id int64, raw []byte) (e channels.Event, ok bool, err error) {
	var u update
	if err := json.Unmarshal(raw, &u); err != nil {
		return e, false, fmt.Errorf("decode: %w", err)
	}
	switch {
	case u.Message != nil:
		e, ok, err = r.message(u.Message)
	case u.EditedMessage != nil:
		e, ok, err = r.edit(u.EditedMessage)
	case u.ChannelPost != nil:
		e, ok, err = r.message(u.ChannelPost)
	case u.EditedChannelPost != nil:
		e, ok, err = r.edit(u.EditedChannelPost)
	case u.CallbackQuery != nil:
		e, ok, err = r.button(u.CallbackQuery)
	case u.MyChatMember != nil:
		e, ok, err = r.membership(u.MyChatMember)
	case u.MessageReaction != nil:
		e, ok, err = r.reaction(u.MessageReaction)
	}
	if e.Key == "" {
		e.Key = fmt.Sprintf("u:%d:%d", r.me.ID, id)
	}
	return e, ok && err == nil, err
}

// message reads a new message: text, command, media, or the move of a group.
func (r reader) message(m *message) (channels.Event, bool, error) {
	e, err := r.begin(m)
	if err != nil {
		return e, false, err
	}
	if m.MigrateTo != 0 || m.MigrateFrom != 0 {
		return r.move(e, m)
	}
	said, ok := r.content(&e, m)
	if !ok {
		return e, false, nil
	}
	e.Kind = channels.KindMessage
	if e.Command = said.command; e.Command != "" {
		e.Kind = channels.KindCommand
	}
	return e, true, nil
}

// edit reads a message that was changed. Telegram says the same when it added a
// link preview or a reaction: such a message has no date of an edit, or the
// text and the date of one that was told before. Its key is made of both, so
// that only a new text or a new date makes a new event.
func (r reader) edit(m *message) (channels.Event, bool, error) {
	e, err := r.begin(m)
	if err != nil || m.EditDate <= 0 {
		return e, false, err
	}
	said, ok := r.content(&e, m)
	if !ok {
		return e, false, nil
	}
	e.Kind, e.Command = channels.KindEdit, said.command
	e.Posted, e.At = e.At, r.time(m.EditDate)
	sum := sha256.Sum256([]byte(m.Text + "\x00" + m.Caption))
	e.Key = fmt.Sprintf("e:%d:%d:%d:%d:%x", r.me.ID, m.Chat.ID, m.ID, m.EditDate, sum[:6])
	return e, true, nil
}

// begin fills what all events about a message have in common.
func (r reader) begin(m *message) (channels.Event, error) {
	if m.Chat == nil || m.Chat.ID == 0 || m.ID <= 0 {
		return channels.Event{}, errors.New("message without chat or id")
	}
	e := channels.Event{Message: strconv.FormatInt(m.ID, 10), At: r.time(m.Date), Actor: actor(m)}
	var err error
	if e.Audience, err = audience(m.Chat); err != nil {
		return e, err
	}
	e.Address, err = r.address(m)
	return e, err
}

// content fills the text of e and everything that tells to whom it was said.
// It returns false when there is nothing to say it about: service messages,
// and commands for another bot.
func (r reader) content(e *channels.Event, m *message) (reading, bool) {
	text, marks := m.Text, m.Entities.value
	if text == "" {
		text, marks = m.Caption, m.CaptionEnts.value
	}
	e.Unsupported, e.Files = m.media.name(), m.media.files()
	if text == "" && e.Unsupported == "" {
		return reading{}, false
	}
	said := read(text, marks, r.me)
	direct := e.Audience == channels.Direct
	if m.Forward {
		// Somebody else said it: it is neither a question nor a command, and
		// mentions nobody.
		e.Quoted, e.Unsupported = text, cmp.Or(e.Unsupported, "forward")
		e.Addressed = direct
		return reading{}, true
	}
	if said.foreign && !direct {
		return reading{}, false
	}
	e.Text = said.text
	e.Quoted, e.Replied = quoted(m), repliedID(m)
	e.Addressed = direct || said.mentioned || said.command != "" || r.repliedTo(m)
	return said, true
}

// quoted returns what the message answers: the part that the person chose, or
// the whole.
func quoted(m *message) string {
	if q := m.Quote.value.Text; q != "" {
		return q
	}
	if startsTopic(m) {
		return ""
	}
	return cmp.Or(m.ReplyTo.value.Text, m.ReplyTo.value.Caption)
}

// repliedID returns the id of the message that m answers.
func repliedID(m *message) string {
	if m.ReplyTo.value.ID <= 0 || startsTopic(m) {
		return ""
	}
	return strconv.FormatInt(m.ReplyTo.value.ID, 10)
}

// repliedTo reports whether the message answers one of ours.
func (r reader) repliedTo(m *message) bool {
	from := m.ReplyTo.value.From
	return from != nil && from.ID == r.me.ID && r.me.ID != 0 && !startsTopic(m)
}

// startsTopic reports whether the message only seems to answer another: in a
// topic every message refers to the one with which the topic began.
func startsTopic(m *message) bool {
	reply := m.ReplyTo.value
	return bool(reply.TopicCreated) || m.InTopic && reply.ID == m.Thread
}

// actor returns who wrote m.
func actor(m *message) channels.Actor {
	if m.SenderChat != nil || m.From == nil {
		a := channels.Actor{Kind: channels.System, Name: m.Signature.value}
		if a.Name == "" && m.SenderChat != nil {
			a.Name = m.SenderChat.Title
		}
		return a
	}
	return account(m.From)
}

// account returns a user as an actor.
func account(u *user) channels.Actor {
	a := channels.Actor{
		ID: strconv.FormatInt(u.ID, 10), Kind: channels.Person,
		Name: strings.TrimSpace(u.FirstName + " " + u.LastName), Locale: u.Language,
	}
	switch {
	case u.ID == serviceAccount || u.ID == anonymousAdmin || u.ID == channelInDisplay || u.ID <= 0:
		return channels.Actor{Kind: channels.System, Name: a.Name}
	case u.IsBot:
		a.Kind = channels.Bot
	}
	return a
}

// address returns where an answer to m goes. In chats of several people it
// names the message, so that the answer refers to it.
func (r reader) address(m *message) (channels.Address, error) {
	thread, private := "", ""
	if m.InTopic && m.Thread > 0 {
		thread = strconv.FormatInt(m.Thread, 10)
	} else if m.Chat.IsForum {
		thread = strconv.Itoa(general)
	}
	if m.Chat.Type != "private" {
		private = strconv.FormatInt(m.ID, 10)
	}
	return r.place(m.Chat.ID, thread, private)
}

func (r reader) place(chat int64, thread, private string) (channels.Address, error) {
	return channels.NewAddress(Kind, r.account, strconv.FormatInt(chat, 10), thread, private)
}

func audience(c *chat) (channels.Audience, error) {
	switch c.Type {
	case "private":
		return channels.Direct, nil
	case "group", "supergroup":
		return channels.Group, nil
	case "channel":
		return channels.Broadcast, nil
	}
	return "", errors.New("chat of unknown type")
}

// move reads that a group became a supergroup, which has another id. Both
// chats are told; either message is enough.
func (r reader) move(e channels.Event, m *message) (channels.Event, bool, error) {
	from, to := m.Chat.ID, m.MigrateTo
	if m.MigrateFrom != 0 {
		from, to = m.MigrateFrom, m.Chat.ID
	}
	e.Kind, e.Change = channels.KindMembership, channels.ChangeMoved
	var err error
	if e.Address, err = r.place(from, "", ""); err != nil {
		return e, false, err
	}
	e.Moved, err = r.place(to, "", "")
	return e, true, err
}

// button reads that somebody pressed a button under one of our messages.
func (r reader) button(q *callback) (channels.Event, bool, error) {
	if q.From == nil || q.ID == "" {
		return channels.Event{}, false, errors.New("button without sender or id")
	}
	if q.Message == nil || q.Message.Chat == nil {
		return channels.Event{}, false, nil // a message in a chat that we do not see
	}
	e, err := r.begin(q.Message)
	if err != nil {
		return e, false, err
	}
	e.Kind, e.Actor, e.Button, e.Addressed = channels.KindButton, account(q.From), q.Data, true
	if a := e.Address; a.Private() != "" && e.Actor.Kind == channels.Person {
		// Who pressed, for an answer to this person alone.
		if e.Address, err = r.place(q.Message.Chat.ID, a.Thread(), a.Private()+personMark+e.Actor.ID); err != nil {
			return e, false, err
		}
	}
	e.At, e.Posted = r.now().UTC().Truncate(time.Second), e.At
	if q.Message.Date == 0 { // the message is too old for Telegram to show it
		e.Posted = time.Time{}
	}
	return e, true, nil
}

// membership reads what became of our account in a chat.
func (r reader) membership(m *membership) (channels.Event, bool, error) {
	if m.Chat == nil || m.Chat.ID == 0 || m.From == nil {
		return channels.Event{}, false, errors.New("membership without chat or sender")
	}
	e := channels.Event{Kind: channels.KindMembership, Actor: account(m.From), At: r.time(m.Date)}
	switch m.New.Status {
	case "creator", "administrator", "member":
		e.Change = channels.ChangeJoined
	case "restricted":
		e.Change = channels.ChangeMuted
		if m.New.MayWrite {
			e.Change = channels.ChangeJoined
		}
		if m.New.IsMember != nil && !*m.New.IsMember {
			e.Change = channels.ChangeRemoved
		}
	case "left", "kicked":
		e.Change = channels.ChangeRemoved
	default:
		return e, false, errors.New("unknown membership")
	}
	var err error
	if e.Audience, err = audience(m.Chat); err != nil {
		return e, false, err
	}
	e.Address, err = r.place(m.Chat.ID, "", "")
	return e, true, err
}

// reaction reads which emoji somebody shows at a message.
func (r reader) reaction(m *reaction) (channels.Event, bool, error) {
	if m.Chat == nil || m.Chat.ID == 0 || m.MessageID <= 0 {
		return channels.Event{}, false, errors.New("reaction without chat or message")
	}
	e := channels.Event{Kind: channels.KindReaction, Message: strconv.FormatInt(m.MessageID, 10), At: r.time(m.Date)}
	e.Actor = channels.Actor{Kind: channels.System}
	if m.User != nil {
		e.Actor = account(m.User)
	}
	for _, one := range m.New {
		if e.Text = cmp.Or(one.Emoji, one.Type); e.Text != "" {
			break
		}
	}
	var err error
	if e.Audience, err = audience(m.Chat); err != nil {
		return e, false, err
	}
	e.Address, err = r.place(m.Chat.ID, "", "")
	return e, true, err
}

// time returns a time of the network, or the present where it gives none.
func (r reader) time(unix int64) time.Time {
	if unix <= 0 || unix > 1<<40 {
		return r.now().UTC().Truncate(time.Second)
	}
	return time.Unix(unix, 0).UTC()
}
