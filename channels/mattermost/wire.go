package mattermost

import (
	"bytes"
	"encoding/json"
)

// The types of the REST interface (version 4) and of the websocket as far as
// we read them. A field whose form is unexpected counts as absent where the
// rest makes sense without it (maybe).
type (
	user struct {
		ID        string `json:"id"`
		Username  string `json:"username"`
		FirstName string `json:"first_name"`
		LastName  string `json:"last_name"`
		Nickname  string `json:"nickname"`
		Locale    string `json:"locale"`
		IsBot     bool   `json:"is_bot"`
		DeleteAt  int64  `json:"delete_at"`
	}

	channel struct {
		ID         string `json:"id"`
		TeamID     string `json:"team_id"`
		Type       string `json:"type"`
		Name       string `json:"name"`
		DeleteAt   int64  `json:"delete_at"`
		LastPostAt int64  `json:"last_post_at"`
	}

	team struct {
		ID       string `json:"id"`
		Name     string `json:"name"`
		DeleteAt int64  `json:"delete_at"`
	}

	post struct {
		ID        string          `json:"id"`
		CreateAt  int64           `json:"create_at"`
		EditAt    int64           `json:"edit_at"`
		DeleteAt  int64           `json:"delete_at"`
		UserID    string          `json:"user_id"`
		ChannelID string          `json:"channel_id"`
		RootID    string          `json:"root_id"`
		Message   string          `json:"message"`
		Type      string          `json:"type"`
		Props     maybe[props]    `json:"props"`
		FileIDs   maybe[[]string] `json:"file_ids"`
		Metadata  maybe[metadata] `json:"metadata"`
	}

	props map[string]json.RawMessage

	metadata struct {
		Files []fileInfo `json:"files"`
	}

	fileInfo struct {
		ID       string `json:"id"`
		CreateAt int64  `json:"create_at"`
		Name     string `json:"name"`
		MIME     string `json:"mime_type"`
		Size     int64  `json:"size"`
	}

	postList struct {
		Order []string                   `json:"order"`
		Posts map[string]json.RawMessage `json:"posts"`
	}

	reaction struct {
		UserID   string `json:"user_id"`
		PostID   string `json:"post_id"`
		Emoji    string `json:"emoji_name"`
		CreateAt int64  `json:"create_at"`
	}

	// press is what the server sends when a button is pressed.
	press struct {
		UserID    string           `json:"user_id"`
		ChannelID string           `json:"channel_id"`
		TeamID    string           `json:"team_id"`
		PostID    string           `json:"post_id"`
		TriggerID string           `json:"trigger_id"`
		Context   maybe[signature] `json:"context"`
	}
)

// keyProp is the name under which a post of ours keeps the hash of its key.
const keyProp = "outheis_key"

// attachmentsProp is the name under which buttons stand.
const attachmentsProp = "attachments"

// is reports whether a mark such as from_bot is set.
func (p props) is(name string) bool {
	raw := bytes.TrimSpace(p[name])
	return string(raw) == `"true"` || string(raw) == "true"
}

// text returns a property that is a string, or "".
func (p props) text(name string) string {
	var s string
	if json.Unmarshal(p[name], &s) != nil {
		return ""
	}
	return s
}

// hasAction reports whether a button of that id stands under the post.
func (p props) hasAction(id string) bool {
	var all []struct {
		Actions []struct {
			ID string `json:"id"`
		} `json:"actions"`
	}
	if json.Unmarshal(p[attachmentsProp], &all) != nil {
		return false
	}
	for _, a := range all {
		for _, one := range a.Actions {
			if one.ID == id {
				return true
			}
		}
	}
	return false
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

// isID reports whether s looks like an id of the server: 26 letters and digits.
func isID(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return len(s) == 26
}
