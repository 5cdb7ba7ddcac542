package mattermost_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"outheis/channels/mattermost"
)

// channels.md M8: the whole name counts, outside of code only, and nothing
// else of the text is changed.
func TestMentionsAreTakenOut(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		mentioned  bool
	}{
		{"@bot wann?", "wann?", true},
		{"  @Bot, wann?", "wann?", true},
		{"@bot: wann?", "wann?", true},
		{"@bot", "", true},
		{"@bot.", ".", true},
		{"wann, @bot?", "wann?", true},
		{"wann ist Ostern? @bot", "wann ist Ostern?", true},
		{"(@bot) wann?", "() wann?", true},
		{"_@bot_ wann?", "__ wann?", true},
		{"a_@bot wann?", "a_@bot wann?", false},
		{"@bot.test wann?", "@bot.test wann?", false},
		{"@bot-dev wann?", "@bot-dev wann?", false},
		{"@bot_2 wann?", "@bot_2 wann?", false},
		{"@botanik wann?", "@botanik wann?", false},
		{"frag a@bot.example", "frag a@bot.example", false},
		{"a@bot", "a@bot", false},
		{"`@bot wann?`", "`@bot wann?`", false},
		{"`` `@bot` `` ja", "`` `@bot` `` ja", false},
		{"`offen @bot", "`offen", true},
		{"```\n@bot  x\n```\nwas?", "```\n@bot  x\n```\nwas?", false},
		{"~~~go\n@bot\n~~~", "~~~go\n@bot\n~~~", false},
		{"```\n@bot\n``\n@bot", "```\n@bot\n``\n@bot", false}, // the block never ends
		{"@bot was tut\n```\nif  x {\n\t\ty  }\n```", "was tut\n```\nif  x {\n\t\ty  }\n```", true},
		{"ü@bot", "ü@bot", false},
		{"日本@bot", "日本@bot", false},
		{"👋 @bot wann?", "👋 wann?", true},
		{"", "", false},
	} {
		got, mentioned := mattermost.Read(tt.text, "bot")
		if got != tt.want || mentioned != tt.mentioned {
			t.Errorf("%q: %q and %v, want %q and %v", tt.text, got, mentioned, tt.want, tt.mentioned)
		}
	}
}

// callsEverybody is what the server takes for a mention of everybody, once it
// has read entities and escapes.
var callsEverybody = regexp.MustCompile(`(?i)@(all|channel|here)`)

func TestMassMentionsAreBroken(t *testing.T) {
	for _, s := range []string{
		"@all", "@channel!", "@HERE.", "x:@all", "_@here_", "**@all**", "\\@all", "&#64;all", "&commat;all", "&#x40;channel", "@&#97;ll", "@a&#108;l", "&#0064;here",
		"`@all`", "@all@channel@here", "info@all.example", "[x](y)@all", "@All\n@Channel",
	} {
		got := mattermost.Harmless(s)
		if got == s || callsEverybody.MatchString(got) || strings.ReplaceAll(got, "\u2060", "") != s {
			t.Errorf("%q became %q", s, got)
		}
	}
	for _, s := range []string{"", "@ada", "@al", "a @ll", "Kanal", "@ all", "@hier", "m@chan.example"} {
		if got := mattermost.Harmless(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"@", "all", "here", "channel", "&#64;", "&#97;", "\\", "A", " ", "`", "l", "x", "\u2060"})).Draw(t, "s"), "")
		if got := mattermost.Harmless(s); callsEverybody.MatchString(got) {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

func TestEscapedTextShowsAsItIs(t *testing.T) {
	for in, want := range map[string]string{
		"Die Frist endet am 2. Mai.":    "Die Frist endet am 2. Mai.",
		"*nicht* _fett_ `x`":            "\\*nicht\\* \\_fett\\_ \\`x\\`",
		"# kein Titel\n- keine":         "\\# kein Titel\n\\- keine",
		"1. kein Punkt":                 "1\\. kein Punkt",
		"snake_case_name":               "snake_case_name",
		"siehe https://a.example/x_y*z": "siehe https://a.example/x_y*z",
		":smile: um 12:30 Uhr":          "\\:smile: um 12:30 Uhr",
		"a | b":                         "a \\| b",
		"&lt; bleibt":                   "\\&lt; bleibt",
	} {
		if got := mattermost.Escape(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		got := mattermost.Escape(s)
		if utf8.ValidString(s) && strings.ReplaceAll(got, "\\", "") != strings.ReplaceAll(s, "\\", "") {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"@bot x", "`@bot`", "```\n@bot\n```", "@bot.test", "~~~\n", "````", "  @bot,:@bot"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, mentioned := mattermost.Read(s, "bot")
		if len(got) > len(s) {
			t.Errorf("%q grew to %q", s, got)
		}
		if !mentioned && got != strings.TrimSpace(s) {
			t.Errorf("%q became %q without a mention", s, got)
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"event":"posted","data":{"channel_type":"D","mentions":"[\"aaaaaaaaaaaaaaaaaaaaaaaaaa\"]","post":"{\"id\":\"bbbbbbbbbbbbbbbbbbbbbbbbbb\",\"channel_id\":\"cccccccccccccccccccccccccc\",\"user_id\":\"dddddddddddddddddddddddddd\",\"message\":\"@auskunft !hilfe x\",\"create_at\":1700000000000,\"props\":{\"from_bot\":\"true\"},\"file_ids\":[\"eeeeeeeeeeeeeeeeeeeeeeeeee\"],\"metadata\":{\"files\":[{\"id\":\"eeeeeeeeeeeeeeeeeeeeeeeeee\",\"name\":\"a\",\"mime_type\":\"audio/ogg\",\"size\":3}]}}"},"broadcast":{},"seq":3}`))
	f.Add([]byte(`{"event":"post_edited","data":{"post":"{}"},"seq":1e9}`))
	f.Add([]byte(`{"status":"OK","seq_reply":1}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, ok, err := mattermost.Decode(raw, strings.Repeat("m", 26))
		if err != nil || !ok {
			return
		}
		if e.Key == "" || e.Address.IsZero() || e.Actor.Kind == "" || e.Audience == "" || e.At.IsZero() {
			t.Errorf("incomplete event %+v of %q", e, raw)
		}
	})
}
