package mattermost

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"regexp"
	"slices"
	"strings"
	"time"

	"outheis/channels"
)

// A reader turns what the server tells into events. It has no state: the same
// post gives the same event, whichever way it came.
type reader struct {
	account string
	me      user
	flat    bool
	now     func() time.Time
}

// A telling is a post with what has to be known about it.
type telling struct {
	post    post
	channel channel
	author  user
	root    post // of the thread that the post is in; without an id when unknown
	// mentions are the ids that the server counts as mentioned; nil when it was
	// not said.
	mentions []string
	edited   bool
}

// concern reports whether a post becomes an event: neither our own, nor what
// the server writes itself, as that somebody joined.
func (r reader) concern(p post) bool {
	return p.UserID != r.me.ID && !strings.HasPrefix(p.Type, "system_")
}

// key names the event that a post is: new, or edited at a certain time.
// Reactions, pins and previews also make the server report a post as edited;
// its edit_at and its text then stay as they were.
func key(p post, edited bool) string {
	if edited {
		return fmt.Sprintf("e:%s:%d:%s", p.ID, p.EditAt, short(p.Message)[:8])
	}
	return "p:" + p.ID
}

// event returns the event of a post. It returns false when there is nothing to
// say about it.
func (r reader) event(t telling) (channels.Event, bool, error) {
	p := t.post
	e := channels.Event{Kind: channels.KindMessage, Key: key(p, t.edited), Message: p.ID, At: millis(p.CreateAt, r.now), Space: t.channel.TeamID}
	if t.edited {
		e.Kind, e.Posted = channels.KindEdit, e.At
		e.At = millis(p.EditAt, r.now)
	}
	e.Actor = actor(p, t.author)
	var err error
	if e.Audience, err = audience(t.channel.Type); err != nil {
		return e, false, err
	}
	if e.Address, err = r.address(p, e.Audience); err != nil {
		return e, false, err
	}
	e.Files = files(p)
	e.Unsupported = unsupported(e.Files)
	if p.Message == "" && len(e.Files) == 0 {
		return e, false, nil
	}
	said := read(p.Message, r.me.Username)
	direct := e.Audience == channels.Direct
	e.Text = said.text
	e.Addressed = direct || said.mentioned && among(t.mentions, r.me.ID) || r.follows(t)
	e.Quoted = r.quoted(t)
	if e.Addressed {
		r.command(&e)
	}
	return e, true, nil
}

// among reports whether id is in all, or all is not known.
func among(all []string, id string) bool {
	if all == nil {
		return true
	}
	for _, one := range all {
		if one == id {
			return true
		}
	}
	return false
}

// follows reports whether a post in a thread is meant for us although it does
// not name us: the thread begins with a post of ours, or with one in which the
// same person asked us something.
func (r reader) follows(t telling) bool {
	switch {
	case t.post.RootID == "" || t.root.ID == "":
		return false
	case t.root.UserID == r.me.ID:
		return true
	}
	return t.root.UserID == t.post.UserID && len(mentions(t.root.Message, r.me.Username)) > 0
}

// quoted returns the first post of the thread, unless the person wrote it.
func (r reader) quoted(t telling) string {
	if t.post.RootID == "" || t.root.UserID == t.post.UserID {
		return ""
	}
	return t.root.Message
}

// commandShape is a command as it can be written where the server keeps
// everything for itself that begins with a slash.
var commandShape = regexp.MustCompile(`^!([A-Za-z0-9_]+)(?:\s+|$)`)

// command takes a text apart that begins with "!name".
func (r reader) command(e *channels.Event) {
	m := commandShape.FindStringSubmatch(e.Text)
	if m == nil || len(m[1]) > 32 {
		return
	}
	e.Command, e.Text = strings.ToLower(m[1]), strings.TrimSpace(e.Text[len(m[0]):])
	if e.Kind == channels.KindMessage {
		e.Kind = channels.KindCommand
	}
}

// address says where an answer goes: into the thread that the question is in,
// or into one below the question; in a direct chat, or where that is wanted,
// into the chat.
func (r reader) address(p post, a channels.Audience) (channels.Address, error) {
	thread := p.RootID
	if thread == "" && a != channels.Direct && !r.flat {
		thread = p.ID
	}
	return channels.NewAddress(Kind, r.account, p.ChannelID, thread, "")
}

// audience translates the type of a channel.
func audience(kind string) (channels.Audience, error) {
	switch kind {
	case "D":
		return channels.Direct, nil
	case "G", "O", "P":
		return channels.Group, nil
	}
	return "", errors.New("channel of unknown type")
}

// actor says who wrote a post. Webhooks, plugins and bots write under accounts
// that look like those of people, and mark what they write.
func actor(p post, u user) channels.Actor {
	a := channels.Actor{ID: p.UserID, Kind: channels.Person, Name: u.name(), Locale: u.Locale}
	marks := p.Props.value
	switch {
	case marks.is("from_webhook"):
		a.Kind = channels.Webhook
		if name := marks.text("override_username"); name != "" {
			a.Name = name
		}
	case u.IsBot, marks.is("from_bot"), marks.is("from_plugin"), marks.is("from_oauth_app"), p.Type != "" && p.Type != "me":
		a.Kind = channels.Bot
	}
	return a
}

// files lists what came with a post, in the order in which it was uploaded: the
// server sorts the ids, which are random.
func files(p post) []channels.File {
	known := make(map[string]fileInfo)
	for _, f := range p.Metadata.value.Files {
		known[f.ID] = f
	}
	ids := slices.Clone(p.FileIDs.value)
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(known[a].CreateAt, known[b].CreateAt) })
	var all []channels.File
	for _, id := range ids {
		if isID(id) {
			f := known[id]
			all = append(all, channels.File{Ref: id, Name: f.Name, MIME: f.MIME, Size: f.Size})
		}
	}
	return all
}

// unsupported names the first file's kind.
func unsupported(all []channels.File) string {
	if len(all) == 0 {
		return ""
	}
	kind, _, err := mime.ParseMediaType(all[0].MIME)
	if err != nil {
		return "document"
	}
	switch top, _, _ := strings.Cut(kind, "/"); top {
	case "audio":
		return "voice"
	case "image":
		return "photo"
	case "video":
		return "video"
	}
	return "document"
}

// deletion returns the event that a post was deleted.
func (r reader) deletion(p post, ch channel, u user) (channels.Event, error) {
	e := channels.Event{
		Kind: channels.KindDeletion, Key: "d:" + p.ID, Message: p.ID, Space: ch.TeamID,
		Actor: actor(p, u), At: millis(p.DeleteAt, r.now), Posted: millis(p.CreateAt, r.now),
	}
	return r.placed(e, p, ch)
}

// reaction returns the event that somebody shows an emoji at a post, or no
// longer.
func (r reader) reaction(re reaction, removed bool, name string, p post, ch channel, u user) (channels.Event, error) {
	e := channels.Event{
		Kind: channels.KindReaction, Key: fmt.Sprintf("r:%s:%s:%s:%d", re.PostID, re.UserID, re.Emoji, re.CreateAt), Message: re.PostID, Space: ch.TeamID,
		Actor: channels.Actor{ID: re.UserID, Kind: channels.Person, Name: u.name(), Locale: u.Locale}, At: millis(re.CreateAt, r.now),
	}
	if u.IsBot {
		e.Actor.Kind = channels.Bot
	}
	if removed {
		e.Key, e.At = name, r.now().UTC().Truncate(time.Millisecond)
	} else {
		e.Text = emoji(re.Emoji)
	}
	return r.placed(e, p, ch)
}

// placed fills in where an event belongs that is about a post.
func (r reader) placed(e channels.Event, p post, ch channel) (channels.Event, error) {
	var err error
	if e.Audience, err = audience(ch.Type); err != nil {
		return e, err
	}
	e.Address, err = r.address(p, e.Audience)
	return e, err
}

// membership returns the event that we were taken into a chat or out of it.
func (r reader) membership(name string, change channels.Change, ch channel, by channels.Actor) (channels.Event, error) {
	e := channels.Event{Kind: channels.KindMembership, Key: name, Change: change, Space: ch.TeamID, Actor: by, At: r.now().UTC().Truncate(time.Millisecond)}
	var err error
	if e.Audience, err = audience(ch.Type); err != nil {
		e.Audience = channels.Group // of a chat that is closed to us we may know nothing
	}
	e.Address, err = channels.NewAddress(Kind, r.account, ch.ID, "", "")
	return e, err
}

// parsePost reads a post that comes as JSON in a string.
func parsePost(s string) (post, error) {
	var p post
	if err := json.Unmarshal([]byte(s), &p); err != nil {
		return p, errors.New("post: not JSON of the expected form")
	}
	if !isID(p.ID) || !isID(p.ChannelID) || !isID(p.UserID) || p.RootID != "" && !isID(p.RootID) {
		return p, errors.New("post: without the ids that it needs")
	}
	return p, nil
}

// parseMentions reads the array of ids that comes as JSON in a string; nil
// when there is none.
func parseMentions(s string) []string {
	if s == "" {
		return nil
	}
	ids := []string{}
	if json.Unmarshal([]byte(s), &ids) != nil {
		return nil
	}
	return ids
}

// millis returns a time of the server, or the present where it gives none.
func millis(ms int64, now func() time.Time) time.Time {
	if ms <= 0 || ms > 1<<45 {
		return now().UTC().Truncate(time.Millisecond)
	}
	return time.UnixMilli(ms).UTC()
}
