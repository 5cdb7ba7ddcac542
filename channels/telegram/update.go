package telegram

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// The types of the Bot API as far as we read them. The library's own types
// know no topics. A field whose form is unexpected counts as absent where the
// event makes sense without it (maybe, present); elsewhere it spoils the
// update.
type (
	update struct {
		Message           *message    `json:"message"`
		EditedMessage     *message    `json:"edited_message"`
		ChannelPost       *message    `json:"channel_post"`
		EditedChannelPost *message    `json:"edited_channel_post"`
		CallbackQuery     *callback   `json:"callback_query"`
		MyChatMember      *membership `json:"my_chat_member"`
		MessageReaction   *reaction   `json:"message_reaction"`
	}

	user struct {
		ID        int64  `json:"id"`
		IsBot     bool   `json:"is_bot"`
		FirstName string `json:"first_name"`
		LastName  string `json:"last_name"`
		Username  string `json:"username"`
		Language  string `json:"language_code"`
	}

	chat struct {
		ID      int64  `json:"id"`
		Type    string `json:"type"`
		Title   string `json:"title"`
		IsForum bool   `json:"is_forum"`
	}

	message struct {
		ID          int64           `json:"message_id"`
		Thread      int64           `json:"message_thread_id"`
		InTopic     bool            `json:"is_topic_message"`
		From        *user           `json:"from"`
		SenderChat  *chat           `json:"sender_chat"`
		Signature   maybe[string]   `json:"author_signature"`
		Date        int64           `json:"date"`
		EditDate    int64           `json:"edit_date"`
		Chat        *chat           `json:"chat"`
		Text        string          `json:"text"`
		Entities    maybe[entities] `json:"entities"`
		Caption     string          `json:"caption"`
		CaptionEnts maybe[entities] `json:"caption_entities"`
		ReplyTo     maybe[replied]  `json:"reply_to_message"`
		Quote       maybe[quote]    `json:"quote"`
		Forward     present         `json:"forward_origin"`
		MediaGroup  string          `json:"media_group_id"`
		MigrateTo   int64           `json:"migrate_to_chat_id"`
		MigrateFrom int64           `json:"migrate_from_chat_id"`
		media
	}

	entities []entity

	// replied is a message that is answered.
	replied struct {
		ID           int64   `json:"message_id"`
		From         *user   `json:"from"`
		Text         string  `json:"text"`
		Caption      string  `json:"caption"`
		TopicCreated present `json:"forum_topic_created"`
	}

	quote struct {
		Text string `json:"text"`
	}

	callback struct {
		ID      string   `json:"id"`
		From    *user    `json:"from"`
		Message *message `json:"message"`
		Data    string   `json:"data"`
	}

	membership struct {
		Chat *chat `json:"chat"`
		From *user `json:"from"`
		Date int64 `json:"date"`
		New  struct {
			Status   string `json:"status"`
			IsMember *bool  `json:"is_member"`
			MayWrite bool   `json:"can_send_messages"`
		} `json:"new_chat_member"`
	}

	reaction struct {
		Chat      *chat `json:"chat"`
		MessageID int64 `json:"message_id"`
		User      *user `json:"user"`
		Date      int64 `json:"date"`
		New       []struct {
			Type  string `json:"type"`
			Emoji string `json:"emoji"`
		} `json:"new_reaction"`
	}
)

// media are the contents that we cannot turn into text.
type media struct {
	Animation  present  `json:"animation"`
	Audio      attached `json:"audio"`
	Checklist  present  `json:"checklist"`
	Contact    present  `json:"contact"`
	Dice       present  `json:"dice"`
	Document   attached `json:"document"`
	Game       present  `json:"game"`
	Giveaway   present  `json:"giveaway"`
	Invoice    present  `json:"invoice"`
	LivePhoto  present  `json:"live_photo"`
	Location   present  `json:"location"`
	PaidMedia  present  `json:"paid_media"`
	Photo      photos   `json:"photo"`
	Poll       present  `json:"poll"`
	Rich       present  `json:"rich_message"`
	Sticker    present  `json:"sticker"`
	Story      present  `json:"story"`
	Venue      present  `json:"venue"`
	Video      attached `json:"video"`
	VideoNote  attached `json:"video_note"`
	Voice      attached `json:"voice"`
	WebAppData present  `json:"web_app_data"`
}

// name returns what the message holds beside text, or "". Some contents are
// accompanied by an older one for clients that do not know them; those come
// first.
func (m *media) name() string {
	for _, one := range []struct {
		is   present
		name string
	}{
		{m.Animation, "animation"}, {m.LivePhoto, "live_photo"}, {m.Venue, "venue"},
		{m.Audio.present, "audio"}, {m.Checklist, "checklist"}, {m.Contact, "contact"}, {m.Dice, "dice"}, {m.Document.present, "document"},
		{m.Game, "game"}, {m.Giveaway, "giveaway"}, {m.Invoice, "invoice"}, {m.Location, "location"}, {m.PaidMedia, "paid_media"},
		{present(len(m.Photo) > 0), "photo"}, {m.Poll, "poll"}, {m.Rich, "rich_message"}, {m.Sticker, "sticker"}, {m.Story, "story"},
		{m.Video.present, "video"}, {m.VideoNote.present, "video_note"}, {m.Voice.present, "voice"}, {m.WebAppData, "web_app_data"},
	} {
		if one.is {
			return one.name
		}
	}
	return ""
}

// fileInfo is a file of a message.
type fileInfo struct {
	ID   string `json:"file_id"`
	Name string `json:"file_name"`
	MIME string `json:"mime_type"`
	Size int64  `json:"file_size"`
}

// An attached is a file that is there; what is said about it may be damaged.
type attached struct {
	present
	file fileInfo
}

// UnmarshalJSON implements [json.Unmarshaler]; it returns no error.
func (a *attached) UnmarshalJSON(b []byte) error {
	if err := a.present.UnmarshalJSON(b); err != nil || !bool(a.present) {
		return err
	}
	var m maybe[fileInfo]
	err := m.UnmarshalJSON(b)
	a.file = m.value
	return err
}

// photos are the sizes in which a photo is there, or one that is damaged.
type photos []fileInfo

// UnmarshalJSON implements [json.Unmarshaler]; it returns no error.
func (p *photos) UnmarshalJSON(b []byte) error {
	var is present
	if err := is.UnmarshalJSON(b); err != nil || !bool(is) {
		return err
	}
	var sizes []fileInfo
	if json.Unmarshal(b, &sizes) != nil || len(sizes) == 0 {
		sizes = []fileInfo{{}}
	}
	*p = sizes
	return nil
}

// largest returns the size with the most bytes.
func (p photos) largest() fileInfo {
	var most fileInfo
	for _, one := range p {
		if most.ID == "" || one.Size > most.Size {
			most = one
		}
	}
	return most
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

// errNoID is the fault of an update that cannot be acknowledged.
var errNoID = errors.New("update without an id")

// updateID returns the id of an update whose rest may be anything.
func updateID(raw []byte) (int64, error) {
	var u struct {
		ID *int64 `json:"update_id"`
	}
	if json.Unmarshal(raw, &u) == nil && u.ID != nil && *u.ID > 0 {
		return *u.ID, nil
	}
	return 0, errNoID
}

var idInBytes = regexp.MustCompile(`"update_id"\s*:\s*([0-9]{1,18})\b`)

// firstID finds the id of the only update in an answer that is no JSON. The
// answer must at least begin like one of the Bot API; what a login page or a
// proxy says must not cost an update.
func firstID(body []byte) (int64, bool) {
	head := strings.Join(strings.Fields(string(body[:min(len(body), 64)])), "")
	if !strings.HasPrefix(head, `{"ok":true,"result":[{`) {
		return 0, false
	}
	m := idInBytes.FindSubmatch(body)
	if m == nil {
		return 0, false
	}
	id, err := strconv.ParseInt(string(m[1]), 10, 64)
	return id, err == nil && id > 0
}
