package discord_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	fake "outheis/channels/fakenet/discord"
)

// malform sends one event that is none, of one of six kinds: no JSON, no
// dispatch, wrong types, huge, deep, unknown.
func malform(s *fake.Server, random *rand.Rand, i int) {
	switch {
	case i%50 == 10:
		s.Inject(`{"op":0,"t":"MESSAGE_CREATE","d":{"content":"\ud83d`)
	case i%50 == 20:
		s.Inject([]string{`null`, `[]`, `"x"`, `{}`, `{"op":"zero"}`, `{"op":99,"d":7}`, `{"op":0}`, "\x00\xff"}[random.IntN(8)])
	case i%100 == 40:
		s.InjectEvent("MESSAGE_CREATE", map[string]any{"id": "5", "channel_id": "6", "content": map[string]any{"x": strings.Repeat("y", 1<<18)}})
	case i%10 == 0:
		s.InjectEvent("MESSAGE_CREATE", json.RawMessage(`{"id":"5","author":`+strings.Repeat(`{"a":`, 500)+"7"+strings.Repeat("}", 500)+`}`))
	case i%10 == 1:
		s.InjectEvent("FUTURE_THING", map[string]any{"a": []any{1, 2, nil}})
	default:
		kind := []string{
			"MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK", "MESSAGE_REACTION_ADD", "INTERACTION_CREATE",
			"GUILD_CREATE", "GUILD_DELETE", "CHANNEL_CREATE", "THREAD_CREATE", "CHANNEL_DELETE", "THREAD_LIST_SYNC", "GUILD_ROLE_UPDATE",
		}[random.IntN(13)]
		s.InjectEvent(kind, json.RawMessage(wrongBody(random)))
	}
}

// wrongBody is a body of which one field has a wrong form.
func wrongBody(random *rand.Rand) string {
	wrong := []string{`null`, `true`, `-1`, `1e99`, `"text"`, `[]`, `{}`, `[[1]]`, `"\u0000"`, `9223372036854775808`, `"99999999999999999999999"`}
	fields := []string{
		"id", "channel_id", "guild_id", "author", "member", "content", "mentions", "attachments", "type", "referenced_message",
		"message_reference", "edited_timestamp", "emoji", "user_id", "message_id", "data", "token", "roles", "channels", "threads", "ids",
	}
	body := map[string]string{
		"id": `"77"`, "channel_id": `"78"`, "author": `{"id":"12","bot":true,"username":"x"}`, "content": `""`,
		"user_id": `"12"`, "message_id": `"77"`, "emoji": `{"name":"x"}`, "data": `{"name":"x","type":1}`, "type": "2", "unavailable": "true",
	}
	body[fields[random.IntN(len(fields))]] = wrong[random.IntN(len(wrong))]
	var parts []string
	for k, v := range body {
		parts = append(parts, fmt.Sprintf("%q:%s", k, v))
	}
	return "{" + strings.Join(parts, ",") + "}"
}
