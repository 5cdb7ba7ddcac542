package mattermost

import (
	"encoding/json"
	"time"

	"outheis/channels"
)

// Hasten sets how often the cursor is saved, and lets each connection that
// stood make the waits short again.
func Hasten(c *Channel, d time.Duration) { c.saveEvery, c.steady = d, 0 }

// TypeEvery sets how long a sign that somebody types is left alone.
func TypeEvery(c *Channel, d time.Duration) { c.typeEvery = d }

// Covers reports whether a kept cursor covers a post.
func Covers(raw []byte, channel, post string) bool {
	var kept marksJSON
	if json.Unmarshal(raw, &kept) != nil || kept.Chats[channel] == nil {
		return false
	}
	one := kept.Chats[channel]
	_, ok := one.Keys["p:"+post]
	return ok || one.From > 0 // keys of a flood are not all kept
}

// Read takes a text apart for an account.
func Read(text, name string) (rest string, mentioned bool) {
	r := read(text, name)
	return r.text, r.mentioned
}

// Harmless breaks mentions of everybody.
func Harmless(s string) string { return harmless(s) }

// Escape returns Markdown that shows a text as it is.
func Escape(s string) string { return escape(s) }

// SafeText makes a text from outside fit for a log.
func SafeText(s, token string) string { return safeText(s, token) }

// Decode reads a message of the websocket and the post in it, and makes an
// event of it for the account with the id me.
func Decode(raw []byte, me string) (channels.Event, bool, error) {
	f, err := decode(raw)
	if err != nil {
		return channels.Event{}, false, err
	}
	p, err := parsePost(f.text("post"))
	if err != nil {
		return channels.Event{}, false, err
	}
	r := reader{account: "haupt", me: user{ID: me, Username: "auskunft"}, now: func() time.Time { return time.Unix(1_800_000_000, 0) }}
	if !r.concern(p) {
		return channels.Event{}, false, nil
	}
	return r.event(telling{
		post: p, channel: channel{ID: p.ChannelID, Type: f.text("channel_type"), TeamID: f.text("team_id")},
		author: user{ID: p.UserID, Username: f.text("sender_name")}, mentions: parseMentions(f.text("mentions")), edited: f.event == "post_edited",
	})
}

// SelfTested reports whether buttons work.
func SelfTested(c *Channel) bool { return c.callback.works.Load() }

// Sign returns the context of a button as the server gets it.
func Sign(c *Channel, chat, post, button string) any { return c.sign(chat, post, button) }

// Hash names a post of ours for the server.
func Hash(c *Channel, p channels.Post) string { return c.hash(p) }

// Former returns what a cursor keeps of one that was not understood.
func Former(raw []byte) []byte {
	var kept marksJSON
	if json.Unmarshal(raw, &kept) != nil {
		return nil
	}
	return kept.Former
}
