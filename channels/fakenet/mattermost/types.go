package mattermost

import "encoding/json"

// A User is an account.
type User struct {
	ID          string            `json:"id"`
	CreateAt    int64             `json:"create_at"`
	UpdateAt    int64             `json:"update_at"`
	DeleteAt    int64             `json:"delete_at"`
	Username    string            `json:"username"`
	AuthData    string            `json:"auth_data"`
	AuthService string            `json:"auth_service"`
	Email       string            `json:"email"`
	Nickname    string            `json:"nickname"`
	FirstName   string            `json:"first_name"`
	LastName    string            `json:"last_name"`
	Position    string            `json:"position"`
	Roles       string            `json:"roles"`
	Locale      string            `json:"locale"`
	Timezone    map[string]string `json:"timezone"`
	RemoteID    *string           `json:"remote_id,omitempty"`
	IsBot       bool              `json:"is_bot,omitempty"`
	NoWelcome   bool              `json:"disable_welcome_email"`
}

type team struct {
	ID              string  `json:"id"`
	CreateAt        int64   `json:"create_at"`
	UpdateAt        int64   `json:"update_at"`
	DeleteAt        int64   `json:"delete_at"`
	DisplayName     string  `json:"display_name"`
	Name            string  `json:"name"`
	Description     string  `json:"description"`
	Email           string  `json:"email"`
	Type            string  `json:"type"`
	CompanyName     string  `json:"company_name"`
	AllowedDomains  string  `json:"allowed_domains"`
	InviteID        string  `json:"invite_id"`
	AllowOpenInvite bool    `json:"allow_open_invite"`
	SchemeID        *string `json:"scheme_id"`
	Constrained     *bool   `json:"group_constrained"`
	PolicyID        *string `json:"policy_id"`
	CloudLimits     bool    `json:"cloud_limits_archived"`
	members         map[string]bool
}

// The types of channel.
const (
	Open    = "O"
	Private = "P"
	Direct  = "D"
	Group   = "G"
)

// A Channel is a channel as the API shows it.
type Channel struct {
	ID              string  `json:"id"`
	CreateAt        int64   `json:"create_at"`
	UpdateAt        int64   `json:"update_at"`
	DeleteAt        int64   `json:"delete_at"`
	TeamID          string  `json:"team_id"`
	Type            string  `json:"type"`
	DisplayName     string  `json:"display_name"`
	Name            string  `json:"name"`
	Header          string  `json:"header"`
	Purpose         string  `json:"purpose"`
	LastPostAt      int64   `json:"last_post_at"`
	TotalMsgCount   int64   `json:"total_msg_count"`
	ExtraUpdateAt   int64   `json:"extra_update_at"`
	CreatorID       string  `json:"creator_id"`
	SchemeID        *string `json:"scheme_id"`
	Props           any     `json:"props"`
	Constrained     *bool   `json:"group_constrained"`
	Shared          *bool   `json:"shared"`
	TotalRootCount  int64   `json:"total_msg_count_root"`
	PolicyID        *string `json:"policy_id"`
	LastRootPostAt  int64   `json:"last_root_post_at"`
	BannerInfo      any     `json:"banner_info"`
	PolicyEnforced  bool    `json:"policy_enforced"`
	DefaultCategory string  `json:"default_category_name"`
}

// A Post is a post as the API shows it.
type Post struct {
	ID            string         `json:"id"`
	CreateAt      int64          `json:"create_at"`
	UpdateAt      int64          `json:"update_at"`
	EditAt        int64          `json:"edit_at"`
	DeleteAt      int64          `json:"delete_at"`
	IsPinned      bool           `json:"is_pinned"`
	UserID        string         `json:"user_id"`
	ChannelID     string         `json:"channel_id"`
	RootID        string         `json:"root_id"`
	OriginalID    string         `json:"original_id"`
	Message       string         `json:"message"`
	Type          string         `json:"type"`
	Props         map[string]any `json:"props"`
	Hashtags      string         `json:"hashtags"`
	FileIDs       []string       `json:"file_ids"`
	PendingPostID string         `json:"pending_post_id"`
	HasReactions  bool           `json:"has_reactions,omitempty"`
	RemoteID      *string        `json:"remote_id,omitempty"`
	ReplyCount    int64          `json:"reply_count"`
	LastReplyAt   int64          `json:"last_reply_at"`
	Participants  any            `json:"participants"`
	Metadata      *metadata      `json:"metadata,omitempty"`
}

type metadata struct {
	Embeds    []embed    `json:"embeds,omitempty"`
	Files     []FileInfo `json:"files,omitempty"`
	Reactions []Reaction `json:"reactions,omitempty"`
}

type embed struct {
	Type string `json:"type"`
}

// A FileInfo describes a file.
type FileInfo struct {
	ID          string          `json:"id"`
	UserID      string          `json:"user_id"`
	PostID      string          `json:"post_id,omitempty"`
	ChannelID   string          `json:"channel_id"`
	CreateAt    int64           `json:"create_at"`
	UpdateAt    int64           `json:"update_at"`
	DeleteAt    int64           `json:"delete_at"`
	Name        string          `json:"name"`
	Extension   string          `json:"extension"`
	Size        int64           `json:"size"`
	MIME        string          `json:"mime_type"`
	MiniPreview json.RawMessage `json:"mini_preview"`
	RemoteID    string          `json:"remote_id"`
	Archived    bool            `json:"archived"`
}

// A Reaction is an emoji that a user shows at a post.
type Reaction struct {
	UserID    string `json:"user_id"`
	PostID    string `json:"post_id"`
	EmojiName string `json:"emoji_name"`
	CreateAt  int64  `json:"create_at"`
	UpdateAt  int64  `json:"update_at"`
	DeleteAt  int64  `json:"delete_at"`
	RemoteID  string `json:"remote_id"`
	ChannelID string `json:"channel_id"`
}

// A Command is a slash command.
type Command struct {
	ID               string `json:"id"`
	Token            string `json:"token"`
	CreateAt         int64  `json:"create_at"`
	UpdateAt         int64  `json:"update_at"`
	DeleteAt         int64  `json:"delete_at"`
	CreatorID        string `json:"creator_id"`
	TeamID           string `json:"team_id"`
	Trigger          string `json:"trigger"`
	Method           string `json:"method"`
	Username         string `json:"username"`
	IconURL          string `json:"icon_url"`
	AutoComplete     bool   `json:"auto_complete"`
	AutoCompleteDesc string `json:"auto_complete_desc"`
	AutoCompleteHint string `json:"auto_complete_hint"`
	DisplayName      string `json:"display_name"`
	Description      string `json:"description"`
	URL              string `json:"url"`
	PluginID         string `json:"plugin_id"`
}

type member struct {
	ChannelID          string            `json:"channel_id"`
	UserID             string            `json:"user_id"`
	Roles              string            `json:"roles"`
	LastViewedAt       int64             `json:"last_viewed_at"`
	MsgCount           int64             `json:"msg_count"`
	MentionCount       int64             `json:"mention_count"`
	MentionCountRoot   int64             `json:"mention_count_root"`
	UrgentMentionCount int64             `json:"urgent_mention_count"`
	MsgCountRoot       int64             `json:"msg_count_root"`
	NotifyProps        map[string]string `json:"notify_props"`
	LastUpdateAt       int64             `json:"last_update_at"`
	SchemeGuest        bool              `json:"scheme_guest"`
	SchemeUser         bool              `json:"scheme_user"`
	SchemeAdmin        bool              `json:"scheme_admin"`
	ExplicitRoles      string            `json:"explicit_roles"`
}
