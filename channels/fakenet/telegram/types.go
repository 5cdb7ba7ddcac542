package telegram

import (
	"encoding/json"
	"time"
)

// The types of the Bot API as far as the server speaks them. Field names and
// meanings are those of the API; what the server has no use for is left out.
type (
	// User is a person or a bot.
	User struct {
		ID        int64  `json:"id"`
		IsBot     bool   `json:"is_bot"`
		FirstName string `json:"first_name"`
		LastName  string `json:"last_name,omitempty"`
		Username  string `json:"username,omitempty"`
		Language  string `json:"language_code,omitempty"`
	}

	// Chat is a conversation: "private", "group", "supergroup" or "channel".
	Chat struct {
		ID        int64  `json:"id"`
		Type      string `json:"type"`
		Title     string `json:"title,omitempty"`
		Username  string `json:"username,omitempty"`
		FirstName string `json:"first_name,omitempty"`
		IsForum   bool   `json:"is_forum,omitempty"`
	}

	// Entity is a special part of a text; Offset and Length count UTF-16 units.
	Entity struct {
		Type          string `json:"type"`
		Offset        int    `json:"offset"`
		Length        int    `json:"length"`
		URL           string `json:"url,omitempty"`
		User          *User  `json:"user,omitempty"`
		Language      string `json:"language,omitempty"`
		CustomEmojiID string `json:"custom_emoji_id,omitempty"`
		UnixTime      int64  `json:"unix_time,omitempty"`
	}

	// Message is a message as the API shows it.
	Message struct {
		MessageID       int64           `json:"message_id"`
		MessageThreadID int64           `json:"message_thread_id,omitempty"`
		From            *User           `json:"from,omitempty"`
		SenderChat      *Chat           `json:"sender_chat,omitempty"`
		Date            int64           `json:"date"`
		EditDate        int64           `json:"edit_date,omitempty"`
		Chat            Chat            `json:"chat"`
		ForwardOrigin   *Origin         `json:"forward_origin,omitempty"`
		IsTopicMessage  bool            `json:"is_topic_message,omitempty"`
		ReplyToMessage  *Message        `json:"reply_to_message,omitempty"`
		Quote           *Quote          `json:"quote,omitempty"`
		AuthorSignature string          `json:"author_signature,omitempty"`
		Text            string          `json:"text,omitempty"`
		Entities        []Entity        `json:"entities,omitempty"`
		Caption         string          `json:"caption,omitempty"`
		CaptionEntities []Entity        `json:"caption_entities,omitempty"`
		MediaGroupID    string          `json:"media_group_id,omitempty"`
		Document        *File           `json:"document,omitempty"`
		Voice           *File           `json:"voice,omitempty"`
		Video           *File           `json:"video,omitempty"`
		Audio           *File           `json:"audio,omitempty"`
		Photo           []File          `json:"photo,omitempty"`
		Sticker         *File           `json:"sticker,omitempty"`
		TopicCreated    *TopicCreated   `json:"forum_topic_created,omitempty"`
		MigrateTo       int64           `json:"migrate_to_chat_id,omitempty"`
		MigrateFrom     int64           `json:"migrate_from_chat_id,omitempty"`
		EphemeralID     int64           `json:"ephemeral_message_id,omitempty"`
		Rich            json.RawMessage `json:"rich_message,omitempty"`
		ReplyMarkup     json.RawMessage `json:"reply_markup,omitempty"`
	}

	// Origin says whence a message was forwarded.
	Origin struct {
		Type string `json:"type"`
		Date int64  `json:"date"`
		User *User  `json:"sender_user,omitempty"`
	}

	// Quote is the part of a message that a reply quotes.
	Quote struct {
		Text     string `json:"text"`
		Position int    `json:"position"`
		IsManual bool   `json:"is_manual,omitempty"`
	}

	// File is a file that the server keeps.
	File struct {
		FileID       string `json:"file_id"`
		FileUniqueID string `json:"file_unique_id"`
		FileName     string `json:"file_name,omitempty"`
		MIMEType     string `json:"mime_type,omitempty"`
		FileSize     int64  `json:"file_size,omitempty"`
		FilePath     string `json:"file_path,omitempty"`
		Width        int    `json:"width,omitempty"`
		Height       int    `json:"height,omitempty"`
		Duration     int    `json:"duration,omitempty"`
	}

	// TopicCreated is the service message with which a topic begins.
	TopicCreated struct {
		Name      string `json:"name"`
		IconColor int    `json:"icon_color"`
	}

	// Command is an entry of the bot's menu.
	Command struct {
		Command     string `json:"command"`
		Description string `json:"description"`
	}

	member struct {
		User   User   `json:"user"`
		Status string `json:"status"`
	}

	memberUpdated struct {
		Chat      Chat   `json:"chat"`
		From      User   `json:"from"`
		Date      int64  `json:"date"`
		OldMember member `json:"old_chat_member"`
		NewMember member `json:"new_chat_member"`
	}

	reactionUpdated struct {
		Chat      Chat       `json:"chat"`
		MessageID int64      `json:"message_id"`
		User      *User      `json:"user,omitempty"`
		Date      int64      `json:"date"`
		Old       []reaction `json:"old_reaction"`
		New       []reaction `json:"new_reaction"`
	}

	reaction struct {
		Type  string `json:"type"`
		Emoji string `json:"emoji"`
	}

	callbackQuery struct {
		ID           string   `json:"id"`
		From         User     `json:"from"`
		Message      *Message `json:"message,omitempty"`
		ChatInstance string   `json:"chat_instance"`
		Data         string   `json:"data,omitempty"`
	}
)

// Sent is a message that arrived from the bot.
type Sent struct {
	Chat      int64
	MessageID int64
	Thread    int64
	ReplyTo   int64
	Text      string   // what a person reads
	Entities  []Entity // its formatting
	Raw       string   // the text as the bot sent it
	ParseMode string
	// File is what came with it, of the kind "document" or "photo".
	File               []byte
	FileName, FileKind string
	// Rich is the HTML of a rich message.
	Rich string
	// Receiver is who alone sees an ephemeral message; 0 for all others.
	Receiver int64
	// Buttons are the rows of the inline keyboard as it stands now.
	Buttons [][]Button
	// Params are all parameters of the request.
	Params  map[string]string
	Edits   int
	Deleted bool
	At      time.Time
}

// Button is a button of an inline keyboard.
type Button struct {
	Text string `json:"text"`
	Data string `json:"callback_data,omitempty"`
	URL  string `json:"url,omitempty"`
}

// Action is a chat action, such as typing, that arrived from the bot.
type Action struct {
	Chat, Thread int64
	Action       string
	At           time.Time
}
