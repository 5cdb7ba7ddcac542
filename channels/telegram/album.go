package telegram

import (
	"encoding/json"
	"fmt"
	"time"

	"outheis/channels"
)

// Several files that a person sends at once come as messages of their own with
// a group in common, close to each other but not always in one batch. They are
// one question. A batch that may hold only some of an album's parts is
// delivered up to the album and not acknowledged any further; after albumWait
// the rest is asked for again, with all parts that have come since. So nothing
// is kept in memory that Telegram does not keep as well.
//
// A webhook brings a part only after the one before it was acknowledged; there
// every part is a message of its own.

const (
	// albumWait is how long the parts of an album are waited for.
	albumWait = 700 * time.Millisecond
	// albumMost is how many parts an album has at most.
	albumMost = 10
)

// album returns what the parts of an album have in common, or "".
func album(raw []byte, e channels.Event) string {
	if e.Kind != channels.KindMessage && e.Kind != channels.KindCommand || len(e.Files) == 0 {
		return ""
	}
	type part struct {
		Group string `json:"media_group_id"`
	}
	var u struct {
		Message maybe[part] `json:"message"`
		Post    maybe[part] `json:"channel_post"`
	}
	if json.Unmarshal(raw, &u) != nil {
		return ""
	}
	group := u.Message.value.Group + u.Post.value.Group
	if group == "" {
		return ""
	}
	return e.Address.Chat() + "\x00" + group
}

// openAlbum returns the id of the first update that belongs to an album of which
// more parts may come, or 0. Waited names the albums that were waited for.
func openAlbum(all []delivery, waited map[string]bool) int64 {
	first := make(map[string]int64)
	count := make(map[string]int)
	last := make(map[string]string) // the album with which a chat's updates end
	for _, d := range all {
		last[d.event.Address.Chat()] = d.album
		if d.album == "" {
			continue
		}
		if count[d.album]++; first[d.album] == 0 {
			first[d.album] = d.id
		}
	}
	var open int64
	for _, album := range last {
		if album == "" || waited[album] || count[album] >= albumMost {
			continue
		}
		if id := first[album]; open == 0 || id < open {
			open = id
		}
	}
	return open
}

// joinAlbums makes one event of the parts of each album, in the place of the
// first. Its key names the first and the last part: should another set of parts
// be delivered after a restart, it is another event, and no file is lost.
func joinAlbums(all []delivery) []delivery {
	at := make(map[string]int)
	var joined []delivery
	for _, d := range all {
		i, seen := at[d.album]
		if d.album == "" || !seen {
			at[d.album] = len(joined)
			joined = append(joined, d)
			continue
		}
		whole := &joined[i]
		whole.event.Files = append(whole.event.Files, d.event.Files...)
		if whole.event.Text == "" && whole.event.Command == "" && (d.event.Text != "" || d.event.Command != "") {
			whole.event.Text, whole.event.Message = d.event.Text, d.event.Message
			whole.event.Kind, whole.event.Command = d.event.Kind, d.event.Command
		}
		if whole.event.Quoted == "" {
			whole.event.Quoted = d.event.Quoted
		}
		whole.event.Addressed = whole.event.Addressed || d.event.Addressed
		whole.event.Key = fmt.Sprintf("%s-%d", whole.key, d.id)
	}
	return joined
}
