package telegram

import (
	"time"

	"outheis/channels"
)

// Entity is an entity of a message, for tests.
type Entity = entity

// Slice returns what an entity covers.
func Slice(text string, offset, length int) (string, bool) {
	return newSpans(text).slice(entity{Offset: offset, Length: length})
}

// Reading is what a text says beside its words.
type Reading struct {
	Text, Command      string
	Mentioned, Foreign bool
}

// Read takes a text apart for a bot.
func Read(text string, entities []Entity, id int64, name string) Reading {
	r := read(text, entities, user{ID: id, Username: name})
	return Reading{r.text, r.command, r.mentioned, r.foreign}
}

// Mention returns an entity of the kind text_mention.
func Mention(offset, length int, id int64) Entity {
	return entity{Type: "text_mention", Offset: offset, Length: length, User: &user{ID: id}}
}

// Event decodes an update for the bot 7 named auskunft_bot.
func Event(raw []byte) (channels.Event, bool, error) {
	id, err := updateID(raw)
	if err != nil {
		return channels.Event{}, false, err
	}
	r := reader{account: "haupt", me: user{ID: 7, Username: "auskunft_bot"}, now: func() time.Time { return time.Unix(1_800_000_000, 0) }}
	return r.event(id, raw)
}

// FirstID finds the id in an answer that is no JSON.
func FirstID(body []byte) (int64, bool) { return firstID(body) }

// ProbeEvery sets how often it is looked how the webhook stands.
func ProbeEvery(c *Channel, d time.Duration) { c.probe = d }

// WaitForAlbums sets how long the parts of an album are waited for.
func WaitForAlbums(c *Channel, d time.Duration) { c.album = d }

// TypeEvery sets how long a sign that somebody types is left alone.
func TypeEvery(c *Channel, d time.Duration) { c.every = d }

// Rich makes a rich message of a part in the HTML parse mode.
func Rich(part string) (string, bool) { return rich(part) }
