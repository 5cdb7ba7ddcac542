package discord

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
)

// The objects of the API as far as we read them. The library's own types spoil
// a whole message for a component or a time that they do not know. Here a field
// whose form is unexpected counts as absent where the event makes sense without
// it (maybe, present); elsewhere it spoils the event.
type (
	user struct {
		ID         string        `json:"id"`
		Username   maybe[string] `json:"username"`
		GlobalName maybe[string] `json:"global_name"`
		Bot        maybe[bool]   `json:"bot"`
		System     maybe[bool]   `json:"system"`
	}

	member struct {
		User  maybe[*user]    `json:"user"`
		Nick  maybe[string]   `json:"nick"`
		Roles maybe[[]string] `json:"roles"`
	}

	message struct {
		ID           string             `json:"id"`
		ChannelID    string             `json:"channel_id"`
		GuildID      string             `json:"guild_id"`
		Author       *user              `json:"author"`
		Member       maybe[member]      `json:"member"`
		Content      *string            `json:"content"`
		Edited       maybe[*time.Time]  `json:"edited_timestamp"`
		Mentions     maybe[[]user]      `json:"mentions"`
		MentionRoles maybe[[]string]    `json:"mention_roles"`
		Attachments  maybe[attachments] `json:"attachments"`
		Stickers     maybe[list]        `json:"sticker_items"`
		Poll         present            `json:"poll"`
		Embeds       maybe[list]        `json:"embeds"`
		Components   maybe[list]        `json:"components"`
		WebhookID    maybe[string]      `json:"webhook_id"`
		AppID        maybe[string]      `json:"application_id"`
		Type         maybe[int]         `json:"type"`
		Flags        maybe[int64]       `json:"flags"`
		Action       maybe[caused]      `json:"interaction_metadata"`
		Reference    maybe[reference]   `json:"message_reference"`
		Referenced   maybe[*replied]    `json:"referenced_message"`
		Snapshots    maybe[[]snapshot]  `json:"message_snapshots"`
	}

	// list is a list of which only the length matters.
	list []json.RawMessage

	attachments []attachment

	attachment struct {
		ID   string        `json:"id"`
		Name maybe[string] `json:"filename"`
		MIME maybe[string] `json:"content_type"`
		Size maybe[int64]  `json:"size"`
		URL  maybe[string] `json:"url"`
	}

	reference struct {
		Type      int    `json:"type"`
		MessageID string `json:"message_id"`
	}

	// replied is a message that is answered.
	replied struct {
		ID      string `json:"id"`
		Author  *user  `json:"author"`
		Content string `json:"content"`
	}

	snapshot struct {
		Message struct {
			Content     string             `json:"content"`
			Attachments maybe[attachments] `json:"attachments"`
		} `json:"message"`
	}

	deletion struct {
		ID        string   `json:"id"`
		IDs       []string `json:"ids"`
		ChannelID string   `json:"channel_id"`
		GuildID   string   `json:"guild_id"`
	}

	reaction struct {
		UserID    string        `json:"user_id"`
		ChannelID string        `json:"channel_id"`
		MessageID string        `json:"message_id"`
		GuildID   string        `json:"guild_id"`
		Member    maybe[member] `json:"member"`
		Emoji     struct {
			Name string `json:"name"`
		} `json:"emoji"`
	}

	interaction struct {
		ID        string        `json:"id"`
		AppID     string        `json:"application_id"`
		Type      int           `json:"type"`
		Token     string        `json:"token"`
		ChannelID string        `json:"channel_id"`
		GuildID   string        `json:"guild_id"`
		Locale    maybe[string] `json:"locale"`
		Member    maybe[member] `json:"member"`
		User      maybe[*user]  `json:"user"`
		Message   *struct {
			ID string `json:"id"`
		} `json:"message"`
		Channel maybe[room] `json:"channel"`
		Context maybe[int]  `json:"context"`
		Data    struct {
			Name          string          `json:"name"`
			Type          int             `json:"type"`
			CustomID      string          `json:"custom_id"`
			ComponentType int             `json:"component_type"`
			Options       maybe[[]option] `json:"options"`
		} `json:"data"`
	}

	option struct {
		Name    string          `json:"name"`
		Value   any             `json:"value"`
		Options maybe[[]option] `json:"options"`
	}

	// room is a channel or a thread.
	room struct {
		ID      string        `json:"id"`
		Type    maybe[int]    `json:"type"`
		GuildID string        `json:"guild_id"`
		Parent  maybe[string] `json:"parent_id"`
		Last    maybe[string] `json:"last_message_id"`
	}

	role struct {
		ID   string `json:"id"`
		Tags maybe[struct {
			BotID string `json:"bot_id"`
		}] `json:"tags"`
		Permissions maybe[string] `json:"permissions"`
	}

	guild struct {
		ID          string           `json:"id"`
		Name        maybe[string]    `json:"name"`
		Unavailable maybe[bool]      `json:"unavailable"`
		Roles       maybe[[]role]    `json:"roles"`
		Channels    maybe[[]room]    `json:"channels"`
		Threads     maybe[[]room]    `json:"threads"`
		Tier        maybe[int]       `json:"premium_tier"`
		System      maybe[string]    `json:"system_channel_id"`
		Joined      maybe[time.Time] `json:"joined_at"`
	}

	ready struct {
		SessionID string  `json:"session_id"`
		Resume    string  `json:"resume_gateway_url"`
		User      user    `json:"user"`
		Guilds    []guild `json:"guilds"`
		App       struct {
			ID    string       `json:"id"`
			Flags maybe[int64] `json:"flags"`
		} `json:"application"`
	}
)

// named returns how an account is shown, by the name in the guild where there
// is one.
func (u *user) named(nick string) string {
	return cmp.Or(nick, u.GlobalName.value, u.Username.value)
}

// kind returns what a message holds beside its text, or "".
func (m *message) kind() string {
	const voice = 1 << 13
	if m.Flags.value&voice != 0 {
		return "voice"
	}
	if len(m.Attachments.value) > 0 {
		switch family, _, _ := strings.Cut(m.Attachments.value[0].MIME.value, "/"); family {
		case "image":
			return "photo"
		case "video", "audio":
			return family
		}
		return "document"
	}
	switch {
	case len(m.Stickers.value) > 0:
		return "sticker"
	case bool(m.Poll):
		return "poll"
	}
	return ""
}

// present says that a field is there, whatever is in it.
type present bool

// UnmarshalJSON implements [json.Unmarshaler].
func (p *present) UnmarshalJSON(b []byte) error {
	*p = present(!bytes.Equal(b, []byte("null")) && !bytes.Equal(b, []byte("false")))
	return nil
}

// maybe is a field that counts as absent when its form is unexpected.
type maybe[T any] struct{ value T }

// UnmarshalJSON implements [json.Unmarshaler]; it returns no error.
func (m *maybe[T]) UnmarshalJSON(b []byte) error {
	var v T
	if json.Unmarshal(b, &v) == nil {
		m.value = v
	}
	return nil
}

// epoch is when Discord's ids begin to count, in milliseconds.
const epoch = 1420070400000

// errNoID is the fault of what is no id.
var errNoID = errors.New("not an id of Discord")

// parseID reads an id. Ids are numbers that hold the time in which they were
// made and sort by it.
func parseID(s string) (uint64, error) {
	if len(s) == 0 || len(s) > 20 || s[0] < '1' || s[0] > '9' {
		return 0, errNoID
	}
	id, err := strconv.ParseUint(s, 10, 63)
	if err != nil {
		return 0, errNoID
	}
	return id, nil
}

// madeAt returns when something with the id was made.
func madeAt(id uint64) time.Time { return time.UnixMilli(int64(id>>22) + epoch).UTC() }

// idAt returns the smallest id that can be made at t.
func idAt(t time.Time) uint64 {
	ms := t.UnixMilli() - epoch
	if ms <= 0 {
		return 0
	}
	return uint64(ms) << 22
}

func formatID(id uint64) string { return strconv.FormatUint(id, 10) }

// caused is the interaction that a message answers.
type caused struct {
	ID string `json:"id"`
}
