package discord_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"outheis/channels"
	"outheis/channels/discord"
)

func TestMentionsAreTakenOut(t *testing.T) {
	us, ben := discord.Mentioned{ID: "7", Name: "auskunft"}, discord.Mentioned{ID: "8", Name: "ben"}
	for _, tt := range []struct {
		in    string
		users []discord.Mentioned
		roles []string
		want  string
		us    bool
	}{
		{"<@7> wann?", []discord.Mentioned{us}, nil, "wann?", true},
		{"<@7>: wann?", []discord.Mentioned{us}, nil, "wann?", true},
		{"<@!7><@7> wann?", []discord.Mentioned{us}, nil, "wann?", true},
		{"<@7> <@8> wann?", []discord.Mentioned{us, ben}, nil, "@ben wann?", true},
		{"<@8> fragt <@7>, wann?", []discord.Mentioned{us, ben}, nil, "@ben fragt, wann?", true},
		{"<@&70> wann?", nil, []string{"70"}, "wann?", true},
		{"<@&71> wann?", nil, []string{"71"}, "<@&71> wann?", false},
		{"<@&70> wann?", nil, nil, "<@&70> wann?", false},
		{"<@7> wann?", nil, nil, "<@7> wann?", false}, // Discord says that nobody is mentioned
		{"`<@7>` wann?", []discord.Mentioned{us}, nil, "`<@7>` wann?", false},
		{"```\n<@7>\n``` <@7> wann?", []discord.Mentioned{us}, nil, "```\n<@7>\n``` wann?", true},
		{"` <@7> wann?", []discord.Mentioned{us}, nil, "` wann?", true},
		{"<@007> <@> <@x>", []discord.Mentioned{us}, nil, "<@007> <@> <@x>", false},
	} {
		if got, us := discord.Read(tt.in, tt.users, tt.roles...); got != tt.want || us != tt.us {
			t.Errorf("%q becomes %q, %v, want %q, %v", tt.in, got, us, tt.want, tt.us)
		}
	}
}

func TestEscapedTextIsNoMarkup(t *testing.T) {
	for in, want := range map[string]string{
		"*nicht* _fett_ `x` ~~a~~ ||b||": "\\*nicht\\* \\_fett\\_ \\`x\\` \\~\\~a\\~\\~ \\|\\|b\\|\\|",
		"> kein Zitat":                   "\\> kein Zitat",
		"# kein Titel\n-# klein":         "\\# kein Titel\n\\-# klein",
		"- eins\n1. zwei":                "\\- eins\n1\\. zwei",
		"2 - 1 und 1. Mai":               "2 - 1 und 1. Mai",
		"https://a.example/x_y_z*":       "https://a.example/x_y_z*",
		"[a](https://b.example)":         "\\[a](https://b.example)",
		"<@7> <#8> <t:1:R>":              "\\<@7> \\<#8> \\<t:1:R>",
		`C:\x`:                           `C:\\x`,
	} {
		if got := discord.Escape(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		if got := reads(discord.Escape(s)); !strings.Contains(s, "http") && !strings.Contains(s, `\`) && got != s {
			t.Fatalf("%q reads %q", s, got)
		}
	})
}

func TestErrorsHoldNoSecretAndNoText(t *testing.T) {
	for in, bad := range map[string]string{
		"Get https://x/" + secret + ": refused":                         secret,
		"webhooks/1/aW50ZXJhY3Rpb24.GhIjKl.AbCdEfGhIjKlMnOpQrStUvWx/x":  "AbCdEfGhIjKlMnOpQrStUvWx",
		`Value "meine geheime Frage" is not snowflake.`:                 "geheime",
		"zwei\nZeilen\u202eund":                                         "\n",
		strings.Repeat("A", 90):                                         strings.Repeat("A", 60),
		strings.Repeat("ä ", 400) + "Ende":                              "Ende",
		"token " + strings.Repeat("x", 70) + " in einer langen Adresse": strings.Repeat("x", 60),
	} {
		got := channels.Scrub(in, secret)
		if strings.Contains(got, bad) || got == "" || !utf8.ValidString(got) || len(got) > 210 {
			t.Errorf("%q becomes %q", in, got)
		}
	}
}

func TestAddressesOfTheAPI(t *testing.T) {
	for in, want := range map[string]string{
		"":                              "https://discord.com/api/v10",
		"https://proxy.example":         "https://proxy.example/api/v10",
		"https://proxy.example/dc/v10/": "https://proxy.example/dc/v10",
		"http://127.0.0.1:8080":         "http://127.0.0.1:8080/api/v10",
		"http://proxy":                  "http://proxy/api/v10",
	} {
		if got, err := discord.CheckAPI(in); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"http://discord.example", "ftp://x", "https://u:p@x", "https://x/?a=b", "discord.com", "https://", ":"} {
		if got, err := discord.CheckAPI(in); err == nil {
			t.Errorf("%q was accepted as %q", in, got)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	token := func() string { return secret }
	for name, o := range map[string]discord.Options{
		"no account": {Token: token},
		"no token":   {Account: account},
		"bad url":    {Account: account, Token: token, URL: "http://discord.example"},
		"bad guild":  {Account: account, Token: token, Guilds: []string{"Runde"}},
		"bad person": {Account: account, Token: token, People: []string{"@ada"}},
		"negative":   {Account: account, Token: token, CatchUpMessages: -1},
	} {
		if _, err := discord.New(o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// Discord reports previews as updates; only a new text is an edit.
func TestMessageOfAnEdit(t *testing.T) {
	raw := `{"id":"1577097277695066112","channel_id":"6","guild_id":"5","author":{"id":"12","username":"ada"},"content":"neu","edited_timestamp":%s,"type":0}`
	if got := discord.Decoded("edit", []byte(fmt.Sprintf(raw, "null"))); len(got) != 0 {
		t.Errorf("an update that is no edit became %+v", got)
	}
	one := discord.Decoded("edit", []byte(fmt.Sprintf(raw, `"2026-11-30T12:00:00.000000+00:00"`)))
	two := discord.Decoded("edit", []byte(fmt.Sprintf(raw, `"2026-11-30T12:00:01.000000+00:00"`)))
	if len(one) != 3 || one[0].Key == two[0].Key || one[0].Kind != channels.KindEdit || one[0].Posted.IsZero() {
		t.Errorf("edits %+v and %+v", one, two)
	}
}

// An unknown component spoils no message, and a thread's message goes to its
// channel.
func TestUnknownPartsSpoilNothing(t *testing.T) {
	raw := `{"id":"1577097277695066112","channel_id":"9","author":{"id":"12","username":7,"global_name":"Ada"},"content":"da",
		"components":[{"type":99,"x":[]}],"embeds":"none","timestamp":"yesterday","member":[],"mentions":{},"attachments":[{"id":"x"}],"flags":"a"}`
	got := discord.Decoded("message", []byte(raw))
	if len(got) != 3 || got[0].Text != "da" || got[0].Actor.Name != "Ada" {
		t.Fatalf("events %+v", got)
	}
	if a := got[2].Address; a.Chat() != "6" || a.Thread() != "9" {
		t.Errorf("address in a thread is %+v", a)
	}
}

// Whatever comes, an event is complete or there is none.
func FuzzDecode(f *testing.F) {
	for _, seed := range []struct{ kind, raw string }{
		{"message", `{"id":"1577097277695066112","channel_id":"6","author":{"id":"12"},"content":"<@7> wann?","mentions":[{"id":"7"}]}`},
		{"message", `{"id":"1","channel_id":"6","author":{"id":"12"},"content":"","attachments":[{"id":"3","filename":"a","size":-1}],"flags":8192}`},
		{"message", `{"id":"1","channel_id":"6","author":{"id":"12"},"content":"","message_reference":{"type":1},"message_snapshots":[{"message":{"content":"x"}}]}`},
		{"edit", `{"id":"1","channel_id":"6","author":{"id":"12","bot":true},"content":"x","edited_timestamp":"2026-11-30T12:00:00Z"}`},
		{"reaction", `{"user_id":"12","channel_id":"6","message_id":"1","emoji":{"name":"👍"}}`},
		{"interaction", `{"id":"1","channel_id":"6","type":2,"token":"t","user":{"id":"12"},"data":{"type":1,"name":"tresor","options":[{"name":"a","value":"b"}]}}`},
		{"interaction", `{"id":"1","channel_id":"6","type":3,"token":"t","user":{"id":"12"},"message":{"id":"4"},"data":{"component_type":2,"custom_id":"x"}}`},
		{"deletion", `{"id":"1","channel_id":"6"}`},
	} {
		f.Add(seed.kind, []byte(seed.raw))
	}
	f.Fuzz(func(t *testing.T, kind string, raw []byte) {
		for _, e := range discord.Decoded(kind, raw) {
			if e.Kind == "" || e.Key == "" || e.Actor.Kind == "" || e.Audience == "" || e.At.IsZero() || e.Address.IsZero() || e.Message == "" {
				t.Fatalf("incomplete event %+v", e)
			}
			if e.Actor.ID == "7" {
				t.Fatalf("our own event %+v", e)
			}
			b, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			var back channels.Event
			if err := json.Unmarshal(b, &back); err != nil || back.Address != e.Address || back.Key != e.Key {
				t.Fatalf("%s came back as %+v, %v", b, back, err)
			}
		}
	})
}

// Whatever is written, taking mentions out neither panics nor adds words.
func FuzzMentions(f *testing.F) {
	f.Add("<@7>, wann? `<@7>` <@!8> <@&70>")
	f.Add("``` <@7>")
	f.Fuzz(func(t *testing.T, s string) {
		got, us := discord.Read(s, []discord.Mentioned{{ID: "7", Name: "auskunft"}, {ID: "8", Name: "ben"}}, "70")
		if !us && !strings.Contains(s, "<@") && got != strings.TrimSpace(s) {
			t.Fatalf("%q becomes %q", s, got)
		}
		if len(got) > len(s) {
			t.Fatalf("%q grows to %q", s, got)
		}
	})
}
