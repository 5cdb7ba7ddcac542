package discord

import (
	"encoding/json"
	"strconv"
	"time"
)

// A User is an account.
type User struct {
	ID            string  `json:"id"`
	Username      string  `json:"username"`
	Discriminator string  `json:"discriminator"` // "0" for people, four digits for bots
	GlobalName    *string `json:"global_name"`
	Avatar        *string `json:"avatar"`
	Bot           bool    `json:"bot,omitempty"`
	System        bool    `json:"system,omitempty"`
	PublicFlags   int     `json:"public_flags"`
	Flags         int     `json:"flags"`
	PrimaryGuild  any     `json:"primary_guild"` // nil
	// Locale is the language of the person's client; it travels with
	// interactions only.
	Locale string `json:"-"`
}

// A Role is a role of a guild.
type Role struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	Color       int        `json:"color"`
	Hoist       bool       `json:"hoist"`
	Position    int        `json:"position"`
	Permissions Permission `json:"permissions"`
	Managed     bool       `json:"managed"`
	Mentionable bool       `json:"mentionable"`
	Flags       int        `json:"flags"`
	Tags        *roleTags  `json:"tags,omitempty"`
	Colors      colors     `json:"colors"`
	Icon        *string    `json:"icon"`
	Emoji       *string    `json:"unicode_emoji"`
}

type colors struct {
	Primary   int  `json:"primary_color"`
	Secondary *int `json:"secondary_color"`
	Tertiary  *int `json:"tertiary_color"`
}

type roleTags struct {
	BotID string `json:"bot_id,omitempty"`
}

// A Permission is a set of permissions; in JSON it is a decimal string.
type Permission uint64

// The permissions that the server checks.
const (
	Administrator         Permission = 1 << 3
	AddReactions          Permission = 1 << 6
	ViewChannel           Permission = 1 << 10
	SendMessages          Permission = 1 << 11
	ManageMessages        Permission = 1 << 13
	EmbedLinks            Permission = 1 << 14
	AttachFiles           Permission = 1 << 15
	ReadMessageHistory    Permission = 1 << 16
	MentionEveryone       Permission = 1 << 17
	UseApplicationCommand Permission = 1 << 31
	ManageThreads         Permission = 1 << 34
	CreatePublicThreads   Permission = 1 << 35
	SendMessagesInThreads Permission = 1 << 38
)

// MarshalJSON implements [json.Marshaler].
func (p Permission) MarshalJSON() ([]byte, error) {
	return json.Marshal(strconv.FormatUint(uint64(p), 10))
}

// An Overwrite changes the permissions of a role (Type 0) or a member (Type 1)
// in one channel.
type Overwrite struct {
	ID    string     `json:"id"`
	Type  int        `json:"type"`
	Allow Permission `json:"allow"`
	Deny  Permission `json:"deny"`
}

// The types of channel.
const (
	GuildText     = 0
	DM            = 1
	GuildVoice    = 2
	GroupDM       = 3
	Category      = 4
	Announcement  = 5
	PublicThread  = 11
	PrivateThread = 12
	Forum         = 15
)

// A Member is a user in a guild.
type Member struct {
	User        *User       `json:"user,omitempty"`
	Nick        *string     `json:"nick"`
	Avatar      *string     `json:"avatar"`
	Roles       []string    `json:"roles"`
	JoinedAt    time.Time   `json:"joined_at"`
	Deaf        bool        `json:"deaf"`
	Mute        bool        `json:"mute"`
	Flags       int         `json:"flags"`
	Pending     bool        `json:"pending"`
	Banner      *string     `json:"banner"`
	Premium     *time.Time  `json:"premium_since"`
	Timeout     *time.Time  `json:"communication_disabled_until"`
	Permissions *Permission `json:"permissions,omitempty"`
}

// A Message is a message as the API shows it.
type Message struct {
	ID                string          `json:"id"`
	ChannelID         string          `json:"channel_id"`
	GuildID           string          `json:"guild_id,omitempty"` // gateway only
	Author            User            `json:"author"`
	Member            *Member         `json:"member,omitempty"` // gateway only
	Content           string          `json:"content"`
	Timestamp         time.Time       `json:"timestamp"`
	EditedTimestamp   *time.Time      `json:"edited_timestamp"`
	TTS               bool            `json:"tts"`
	MentionEveryone   bool            `json:"mention_everyone"`
	Mentions          []mentioned     `json:"mentions"`
	MentionRoles      []string        `json:"mention_roles"`
	Attachments       []Attachment    `json:"attachments"`
	Embeds            []any           `json:"embeds"`
	Reactions         []reaction      `json:"reactions,omitempty"`
	Nonce             json.RawMessage `json:"nonce,omitempty"`
	Pinned            bool            `json:"pinned"`
	WebhookID         string          `json:"webhook_id,omitempty"`
	Type              int             `json:"type"`
	ApplicationID     string          `json:"application_id,omitempty"`
	Reference         *Reference      `json:"message_reference,omitempty"`
	Flags             int             `json:"flags"`
	Referenced        json.RawMessage `json:"referenced_message,omitempty"`
	Snapshots         []snapshot      `json:"message_snapshots,omitempty"`
	Interaction       *messageAction  `json:"interaction_metadata,omitempty"`
	Thread            *Channel        `json:"thread,omitempty"`
	Components        json.RawMessage `json:"components"`
	StickerItems      []stickerItem   `json:"sticker_items,omitempty"`
	ChannelType       *int            `json:"channel_type,omitempty"` // gateway only
	referencedMessage string
}

type mentioned struct {
	User
	Member *Member `json:"member,omitempty"` // gateway only
}

type reaction struct {
	Count   int            `json:"count"`
	Details map[string]int `json:"count_details"`
	Colors  []string       `json:"burst_colors"`
	Me      bool           `json:"me"`
	Emoji   emoji          `json:"emoji"`
	MeBurst bool           `json:"me_burst"`
}

type emoji struct {
	ID   *string `json:"id"`
	Name string  `json:"name"`
}

// A Reference is what a message answers, or forwards when Type is 1.
type Reference struct {
	Type      int    `json:"type"`
	MessageID string `json:"message_id,omitempty"`
	ChannelID string `json:"channel_id,omitempty"`
	GuildID   string `json:"guild_id,omitempty"`
}

type snapshot struct {
	Message struct {
		Content     string       `json:"content"`
		Timestamp   time.Time    `json:"timestamp"`
		Edited      *time.Time   `json:"edited_timestamp"`
		Type        int          `json:"type"`
		Flags       int          `json:"flags"`
		Mentions    []User       `json:"mentions"`
		Attachments []Attachment `json:"attachments"`
		Embeds      []any        `json:"embeds"`
		Roles       []string     `json:"mention_roles"`
		Components  []any        `json:"components"`
	} `json:"message"`
}

type messageAction struct {
	ID     string            `json:"id"`
	Type   int               `json:"type"`
	User   User              `json:"user"`
	Owners map[string]string `json:"authorizing_integration_owners"`
	// Name and Kind belong to commands, Under to buttons.
	Name  string `json:"name,omitempty"`
	Kind  int    `json:"command_type,omitempty"`
	Under string `json:"interacted_message_id,omitempty"`
}

type stickerItem struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	FormatType int    `json:"format_type"`
}

// An Attachment is a file of a message.
type Attachment struct {
	ID          string `json:"id"`
	Filename    string `json:"filename"`
	Description string `json:"description,omitempty"`
	ContentType string `json:"content_type,omitempty"`
	Size        int64  `json:"size"`
	URL         string `json:"url"`
	ProxyURL    string `json:"proxy_url"`
	// Flags is 4 for a voice message's part of a remix; DurationSecs and
	// Waveform are set for voice messages.
	DurationSecs float64 `json:"duration_secs,omitempty"`
	Waveform     string  `json:"waveform,omitempty"`
}

// The message flags that the server knows.
const (
	FlagSuppressEmbeds = 1 << 2
	FlagHasThread      = 1 << 5
	FlagEphemeral      = 1 << 6
	FlagLoading        = 1 << 7
	FlagSilent         = 1 << 12
	FlagVoice          = 1 << 13
	FlagComponentsV2   = 1 << 15
)

// A Channel is a channel or thread as the API shows it.
type Channel struct {
	ID             string          `json:"id"`
	Type           int             `json:"type"`
	GuildID        string          `json:"guild_id,omitempty"`
	Name           string          `json:"name,omitempty"`
	Topic          *string         `json:"topic,omitempty"`
	Position       int             `json:"position"`
	ParentID       *string         `json:"parent_id"`
	Overwrites     []Overwrite     `json:"permission_overwrites,omitempty"`
	LastMessageID  *string         `json:"last_message_id"`
	NSFW           bool            `json:"nsfw,omitempty"`
	RateLimit      int             `json:"rate_limit_per_user"`
	Flags          int             `json:"flags"`
	Recipients     []User          `json:"recipients,omitempty"`
	OwnerID        string          `json:"owner_id,omitempty"`
	MessageCount   *int            `json:"message_count,omitempty"`
	TotalSent      *int            `json:"total_message_sent,omitempty"`
	MemberCount    *int            `json:"member_count,omitempty"`
	ThreadMetadata *threadMetadata `json:"thread_metadata,omitempty"`
	ThreadMember   *threadMember   `json:"member,omitempty"`
	NewlyCreated   bool            `json:"newly_created,omitempty"`
}

type threadMetadata struct {
	Archived            bool      `json:"archived"`
	AutoArchiveDuration int       `json:"auto_archive_duration"`
	ArchiveTimestamp    time.Time `json:"archive_timestamp"`
	Locked              bool      `json:"locked"`
}

type threadMember struct {
	ID            string    `json:"id,omitempty"`
	UserID        string    `json:"user_id,omitempty"`
	JoinTimestamp time.Time `json:"join_timestamp"`
	Flags         int       `json:"flags"`
}
