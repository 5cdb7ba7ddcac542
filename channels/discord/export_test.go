package discord

import (
	"context"
	"encoding/json"
	"log/slog"
	"strconv"
	"time"

	"outheis/channels"
)

// MostActions is how many interactions wait for an answer.
const MostActions = mostActions

// Hurry shortens the waits of a channel that tests must not wait for.
func Hurry(c *Channel) {
	c.times.save = 100 * time.Millisecond
	c.times.probe = 200 * time.Millisecond
	c.times.greet = 2 * time.Second
	c.times.identify = time.Millisecond
	c.times.spread = 0
	c.times.steady = 0
}

// Settle sets how old a message must be that should have come by itself.
func Settle(c *Channel, d time.Duration) { c.times.settle = d }

// ProbeEvery sets how often a channel looks at its own application.
func ProbeEvery(c *Channel, d time.Duration) { c.times.probe = d }

// TypeEvery sets how long a sign that somebody types is left alone.
func TypeEvery(c *Channel, d time.Duration) { c.times.typing = d }

// Escape returns a text that Discord shows as it stands.
func Escape(s string) string { return escape(s) }

// Nonce returns what Discord knows a post by.
func Nonce(p channels.Post) string { return nonce(p) }

// CheckAPI checks an address of the API.
func CheckAPI(s string) (string, error) { return checkAPI(s) }

// Mentioned is a user in a text's list of mentions.
type Mentioned struct{ ID, Name string }

// Read takes a text apart for the account 7 whose role is 70.
func Read(text string, users []Mentioned, roles ...string) (string, bool) {
	m := mentions{me: "7", role: "70", roles: roles}
	for _, u := range users {
		m.users = append(m.users, user{ID: u.ID, Username: maybe[string]{u.Name}})
	}
	r := m.read(text)
	return r.text, r.mentioned
}

// Decoded returns the events that one dispatch of the gateway can become, for
// the account 7 in a guild whose role of ours is 70.
func Decoded(kind string, raw []byte) []channels.Event {
	r := reader{account: "haupt", me: "7", role: "70", now: func() time.Time { return time.Unix(1_800_000_000, 0) }}
	var all []channels.Event
	for _, at := range []place{{kind: 1}, {guild: "5"}, {guild: "5", kind: 11, parent: "6"}} {
		all = append(all, decode(r, kind, raw, at)...)
	}
	return all
}

func decode(r reader, kind string, raw []byte, at place) []channels.Event {
	var all []channels.Event
	keep := func(e channels.Event, ok bool, err error) {
		if ok && err == nil {
			all = append(all, e)
		}
	}
	switch kind {
	case "message", "edit":
		if m, _, err := decodeMessage(raw); err == nil {
			if kind == "edit" {
				keep(r.edit(m, at))
			} else {
				keep(r.message(m, at))
			}
		}
	case "reaction":
		var v reaction
		if decodeInto(raw, &v) {
			keep(r.reaction(&v, "s:1", true, at))
		}
	case "interaction":
		var v interaction
		if decodeInto(raw, &v) {
			keep(r.interaction(&v, at))
		}
	case "deletion":
		var v deletion
		if decodeInto(raw, &v) {
			keep(r.deletion(v.ChannelID, v.ID, at))
		}
	}
	return all
}

func decodeInto(raw []byte, v any) bool { return json.Unmarshal(raw, v) == nil }

// CatchUps returns how many of n are carried out that a channel is asked for
// while the first of them is at work.
func CatchUps(ctx context.Context, n int) int {
	l := newLanes(ctx, slog.New(slog.DiscardHandler))
	begun, goOn := make(chan struct{}, n), make(chan struct{})
	for i := range n {
		l.fill("1", func(context.Context) {
			begun <- struct{}{}
			<-goOn
		})
		if i == 0 {
			<-begun
		}
	}
	close(goOn)
	l.wait()
	return 1 + len(begun)
}

// RaisedTo returns to where the floor rises at a time when one message came.
func RaisedTo(t time.Time, came uint64) uint64 {
	m := newMarks()
	m.floor = 1
	m.came("1", false, came)
	m.stored("1", false, came)
	m.raise(t)
	return m.floor
}

// KeptActions returns the first of n interactions that can be answered after the
// last came, and how many can.
func KeptActions(ctx context.Context, n int, start time.Time) (first, kept int) {
	var a actions
	at := func(i int) time.Time { return start.Add(time.Duration(i) * time.Millisecond) }
	for i := range n {
		a.settle(a.put(strconv.Itoa(i), "t", at(i)), true)
	}
	first = -1
	for i := range n {
		if a.take(ctx, strconv.Itoa(i), "k", at(n)) != "" {
			if first < 0 {
				first = i
			}
			kept++
		}
	}
	return first, kept
}
