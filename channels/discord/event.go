package discord

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"outheis/channels"
)

// The types of interaction and component that become events.
const (
	interactionCommand   = int(discordgo.InteractionApplicationCommand)
	interactionComponent = int(discordgo.InteractionMessageComponent)
	commandByName        = int(discordgo.ChatApplicationCommand)
	componentButton      = int(discordgo.ButtonComponent)
)

// forwarded is the type of a reference to a message that is passed on.
const forwarded = int(discordgo.MessageReferenceTypeForward)

// A reader turns what the gateway and the API say into events. It has no state:
// the same message gives the same event, wherever it comes from.
type reader struct {
	account string
	me      string // our account
	role    string // the role of the guild that is ours alone
	now     func() time.Time
}

// errForm is the fault of an object that is not what it should be.
var errForm = errors.New("unknown form")

// decodeMessage reads a message as far as is needed to put it in order.
func decodeMessage(raw []byte) (*message, uint64, error) {
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, 0, errForm
	}
	id, err := parseID(m.ID)
	if err != nil {
		return nil, 0, err
	}
	if _, err := parseID(m.ChannelID); err != nil {
		return nil, 0, err
	}
	return &m, id, nil
}

// isWords reports whether people write messages of this type; the others are
// the network's own: joins, pins, the beginning of a thread.
func (m *message) isWords() bool {
	switch discordgo.MessageType(m.Type.value) {
	case discordgo.MessageTypeDefault, discordgo.MessageTypeReply, discordgo.MessageTypeChatInputCommand, discordgo.MessageTypeContextMenuCommand:
		return true
	}
	return false
}

// message reads a new message. It returns false for what is of no concern: our
// own messages, the network's, and those in which there is nothing.
func (r reader) message(m *message, at place) (channels.Event, bool, error) {
	e, ok, err := r.begin(m, at)
	if err != nil || !ok {
		return e, false, err
	}
	e.Kind = channels.KindMessage
	e.Key = "m:" + m.ChannelID + ":" + m.ID
	return e, r.content(&e, m, at), nil
}

// edit reads a message that was changed. Discord reports also that it has added
// a preview; then the time of the edit is missing, or the same as before. The key
// is made of what is the same then.
func (r reader) edit(m *message, at place) (channels.Event, bool, error) {
	if m.Edited.value == nil || m.Content == nil {
		return channels.Event{}, false, nil
	}
	e, ok, err := r.begin(m, at)
	if err != nil || !ok || !r.content(&e, m, at) {
		return e, false, err
	}
	e.Kind = channels.KindEdit
	e.Posted, e.At = e.At, m.Edited.value.UTC()
	sum := sha256.Sum256([]byte(*m.Content))
	e.Key = fmt.Sprintf("e:%s:%s:%d:%x", m.ChannelID, m.ID, e.At.UnixMilli(), sum[:6])
	return e, true, nil
}

// begin fills what all events about a message have in common.
func (r reader) begin(m *message, at place) (channels.Event, bool, error) {
	id, err := parseID(m.ID)
	if err != nil {
		return channels.Event{}, false, err
	}
	if m.Author == nil {
		return channels.Event{}, false, errForm
	}
	if m.Author.ID == r.me || !m.isWords() {
		return channels.Event{}, false, nil
	}
	private := replyTo + m.ID
	if at.direct() {
		private = asked + m.ID
	}
	a, err := r.address(m.ChannelID, at, private)
	if err != nil {
		return channels.Event{}, false, err
	}
	return channels.Event{
		Address: a, Audience: at.audience(), Space: at.guild, Message: m.ID, At: madeAt(id), Actor: m.actor(),
	}, true, nil
}

// content fills the text of e and everything that tells to whom it was said. It
// returns false when there is nothing in it.
func (r reader) content(e *channels.Event, m *message, at place) bool {
	text := ""
	if m.Content != nil {
		text = *m.Content
	}
	e.Unsupported = m.kind()
	e.Files = files(m.ChannelID, m.ID, m.Attachments.value)
	direct := at.direct()
	if m.Reference.value.Type == forwarded {
		// Somebody else said it: it is neither a question nor a command, and
		// mentions nobody.
		var said []string
		for _, s := range m.Snapshots.value {
			said = append(said, s.Message.Content)
		}
		e.Quoted, e.Unsupported = strings.Join(said, "\n"), cmp.Or(e.Unsupported, "forward")
		e.Addressed = direct
		return true
	}
	if text == "" && e.Unsupported == "" {
		return false
	}
	said := mentions{me: r.me, role: r.role, users: m.Mentions.value, roles: m.MentionRoles.value}.read(text)
	e.Text = said.text
	answered := m.Referenced.value
	if answered != nil {
		e.Quoted, e.Replied = answered.Content, m.Reference.value.MessageID
	}
	toUs := answered != nil && answered.Author != nil && answered.Author.ID == r.me
	e.Addressed = direct || said.mentioned || toUs
	return true
}

// empty reports whether a message came without what it must have: its text is
// withheld from us.
func (m *message) empty() bool {
	return m.Content != nil && *m.Content == "" && m.kind() == "" && len(m.Embeds.value) == 0 && len(m.Components.value) == 0 &&
		m.Reference.value.Type != forwarded && m.isWords() && m.Author != nil && !m.Author.Bot.value && m.WebhookID.value == ""
}

// actor returns who wrote m.
func (m *message) actor() channels.Actor {
	// What an application answers by an interaction comes with a webhook's id,
	// which is its own.
	if m.WebhookID.value != "" && m.WebhookID.value != m.AppID.value {
		return channels.Actor{ID: m.Author.ID, Kind: channels.Webhook, Name: m.Author.Username.value}
	}
	return account(m.Author, m.Member.value.Nick.value)
}

// account returns a user as an actor.
func account(u *user, nick string) channels.Actor {
	if u == nil || u.ID == "" || u.System.value {
		return channels.Actor{Kind: channels.System}
	}
	a := channels.Actor{ID: u.ID, Kind: channels.Person, Name: u.named(nick)}
	if u.Bot.value {
		a.Kind = channels.Bot
	}
	return a
}

// What the private part of an address begins with.
const (
	replyTo  = "m:" // the message that an answer refers to
	asked    = "q:" // the message that is answered without referring to it
	answerTo = "i:" // the interaction that waits for an answer
)

// address returns where an answer goes.
func (r reader) address(channel string, at place, private string) (channels.Address, error) {
	chat, thread := channel, ""
	if at.thread() && at.parent != "" {
		chat, thread = at.parent, channel
	}
	return channels.NewAddress(Kind, r.account, chat, thread, private)
}

func (p place) audience() channels.Audience {
	switch {
	case p.direct() && p.kind != discordgo.ChannelTypeGroupDM:
		return channels.Direct
	case p.kind == discordgo.ChannelTypeGuildNews:
		return channels.Broadcast
	}
	return channels.Group
}

// deletion reads that a message was deleted. Discord does not say by whom.
func (r reader) deletion(channel, id string, at place) (channels.Event, bool, error) {
	if _, err := parseID(id); err != nil {
		return channels.Event{}, false, err
	}
	a, err := r.address(channel, at, "")
	return channels.Event{
		Kind: channels.KindDeletion, Key: "d:" + channel + ":" + id, Address: a, Audience: at.audience(), Space: at.guild,
		Message: id, Actor: channels.Actor{Kind: channels.System}, At: r.clock(),
	}, true, err
}

// reaction reads that somebody showed an emoji at a message, or took it back.
// Key names the event, of which Discord says neither an id nor a time.
func (r reader) reaction(v *reaction, key string, added bool, at place) (channels.Event, bool, error) {
	for _, id := range []string{v.UserID, v.MessageID, v.ChannelID} {
		if _, err := parseID(id); err != nil {
			return channels.Event{}, false, err
		}
	}
	if v.UserID == r.me {
		return channels.Event{}, false, nil
	}
	private := ""
	if !at.direct() {
		private = replyTo + v.MessageID
	}
	a, err := r.address(v.ChannelID, at, private)
	if err != nil {
		return channels.Event{}, false, err
	}
	e := channels.Event{
		Kind: channels.KindReaction, Key: key, Address: a, Audience: at.audience(), Space: at.guild, Message: v.MessageID, At: r.clock(),
		Actor: channels.Actor{ID: v.UserID, Kind: channels.Person},
	}
	if u := v.Member.value.User.value; u != nil && u.ID == v.UserID {
		e.Actor = account(u, v.Member.value.Nick.value)
	}
	if added {
		e.Text = cmp.Or(v.Emoji.Name, "?")
	}
	return e, true, nil
}

// interaction reads a slash command or a pressed button.
func (r reader) interaction(v *interaction, at place) (channels.Event, bool, error) {
	id, err := parseID(v.ID)
	if err != nil {
		return channels.Event{}, false, err
	}
	if _, err := parseID(v.ChannelID); err != nil {
		return channels.Event{}, false, err
	}
	who := v.User.value
	if u := v.Member.value.User.value; u != nil {
		who = u
	}
	if who == nil || v.Token == "" {
		return channels.Event{}, false, errForm
	}
	e := channels.Event{
		Key: "i:" + v.ID, Audience: at.audience(), Space: at.guild, Message: v.ID, At: madeAt(id), Addressed: true,
		Actor: account(who, v.Member.value.Nick.value),
	}
	e.Actor.Locale = v.Locale.value
	private := answerTo + v.ID
	switch {
	case v.Type == interactionCommand && v.Data.Type == commandByName && v.Data.Name != "":
		e.Kind, e.Command = channels.KindCommand, strings.ToLower(v.Data.Name)
		e.Text = strings.TrimSpace(strings.Join(arguments(v.Data.Options.value, 0), " "))
	case v.Type == interactionComponent && v.Data.ComponentType == componentButton && v.Message != nil:
		if _, err := parseID(v.Message.ID); err != nil {
			return e, false, err
		}
		e.Kind, e.Button, e.Message = channels.KindButton, v.Data.CustomID, v.Message.ID
		private = ""
		if !at.direct() {
			private = replyTo + v.Message.ID
		}
	default:
		return e, false, nil
	}
	e.Address, err = r.address(v.ChannelID, at, private)
	return e, true, err
}

// arguments returns the values of a command's options, in their order.
func arguments(options []option, depth int) []string {
	var all []string
	for _, o := range options {
		switch v := o.Value.(type) {
		case string:
			all = append(all, v)
		case float64, bool:
			all = append(all, fmt.Sprint(v))
		}
		if depth < 3 {
			all = append(all, arguments(o.Options.value, depth+1)...)
		}
	}
	return all
}

// membership tells what became of us in a channel.
func (r reader) membership(channel, key string, at place, change channels.Change) (channels.Event, error) {
	a, err := r.address(channel, at, "")
	return channels.Event{
		Kind: channels.KindMembership, Key: key + ":" + channel, Address: a, Audience: at.audience(), Space: at.guild,
		Actor: channels.Actor{Kind: channels.System}, Change: change, At: r.clock(),
	}, err
}

// files returns the attachments of a message. Their addresses work for
// everybody who has them, so that what is kept is where they stand.
func files(channel, message string, list attachments) []channels.File {
	var all []channels.File
	for _, a := range list {
		if _, err := parseID(a.ID); err != nil {
			continue
		}
		all = append(all, channels.File{
			Ref: channel + "/" + message + "/" + a.ID, Name: a.Name.value, MIME: a.MIME.value, Size: max(0, a.Size.value),
		})
	}
	return slices.Clip(all)
}

func (r reader) clock() time.Time { return r.now().UTC().Truncate(time.Millisecond) }
