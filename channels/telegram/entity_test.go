package telegram_test

import (
	"strings"
	"testing"
	"unicode/utf16"

	"outheis/channels/telegram"
)

// channels.md T5.
func TestSliceCountsUTF16(t *testing.T) {
	for _, tt := range []struct {
		text           string
		offset, length int
		want           string
		ok             bool
	}{
		{"abc", 0, 3, "abc", true},
		{"abc", 1, 1, "b", true},
		{"😀😀 @bot", 5, 4, "@bot", true},
		{"漢字 @bot", 3, 4, "@bot", true},
		{"שלום @bot", 5, 4, "@bot", true},
		{"👨‍👩‍👧 @bot", 9, 4, "@bot", true},
		{"e\u0301 @bot", 3, 4, "@bot", true},
		{"😀", 0, 2, "😀", true},
		{"😀", 0, 1, "", false}, // cuts a pair
		{"😀", 1, 1, "", false},
		{"a😀b", 2, 2, "", false},
		{"abc", 3, 1, "", false},
		{"abc", 2, 2, "", false},
		{"abc", -1, 2, "", false},
		{"abc", 0, 0, "", false},
		{"abc", 0, -1, "", false},
		{"abc", 1 << 62, 1 << 62, "", false},
		{"abc", 1, 1<<63 - 1, "", false},
		{"", 0, 1, "", false},
		{"a\xffb", 1, 1, "\xff", true},
	} {
		got, ok := telegram.Slice(tt.text, tt.offset, tt.length)
		if got != tt.want || ok != tt.ok {
			t.Errorf("Slice(%q, %d, %d) = %q, %v; want %q, %v", tt.text, tt.offset, tt.length, got, ok, tt.want, tt.ok)
		}
	}
}

func FuzzSlice(f *testing.F) {
	f.Add("😀😀 @bot", 5, 4)
	f.Add("abc", 1, -5)
	f.Add("a\xff😀", 2, 1)
	f.Add("👨‍👩‍👧‍👦", 3, 2)
	f.Fuzz(func(t *testing.T, text string, offset, length int) {
		got, ok := telegram.Slice(text, offset, length)
		units := utf16.Encode([]rune(text))
		if !ok {
			if got != "" {
				t.Fatalf("Slice(%q, %d, %d) = %q beside false", text, offset, length, got)
			}
			return
		}
		if offset < 0 || length <= 0 || offset+length > len(units) {
			t.Fatalf("Slice(%q, %d, %d) accepts a range outside of %d units", text, offset, length, len(units))
		}
		if want := utf16.Decode(units[offset : offset+length]); string([]rune(got)) != string(want) {
			t.Fatalf("Slice(%q, %d, %d) = %q, want %q", text, offset, length, got, string(want))
		}
		if !strings.Contains(text, got) {
			t.Fatalf("Slice(%q, %d, %d) = %q, which the text does not hold", text, offset, length, got)
		}
	})
}

// channels.md T6: only entities mention somebody; names in code, in addresses and
// in longer names do not, and commands may be for another bot.
func TestRead(t *testing.T) {
	const id, name = 7, "auskunft_bot"
	mention := func(offset, length int) telegram.Entity {
		return telegram.Entity{Type: "mention", Offset: offset, Length: length}
	}
	command := func(offset, length int) telegram.Entity {
		return telegram.Entity{Type: "bot_command", Offset: offset, Length: length}
	}
	for _, tt := range []struct {
		name     string
		text     string
		entities []telegram.Entity
		want     telegram.Reading
	}{
		{"plain", "  wann?  ", nil, telegram.Reading{Text: "wann?"}},
		{"name without entity", "@auskunft_bot wann?", nil, telegram.Reading{Text: "@auskunft_bot wann?"}},
		{"leading mention", "@auskunft_bot wann?", []telegram.Entity{mention(0, 13)}, telegram.Reading{Text: "wann?", Mentioned: true}},
		{"other letters", "@Auskunft_Bot: wann?", []telegram.Entity{mention(0, 13)}, telegram.Reading{Text: "wann?", Mentioned: true}},
		{"twice", "@auskunft_bot @auskunft_bot, wann?", []telegram.Entity{mention(0, 13), mention(14, 13)}, telegram.Reading{Text: "wann?", Mentioned: true}},
		{"in the middle", "wann, @auskunft_bot?", []telegram.Entity{mention(6, 13)}, telegram.Reading{Text: "wann?", Mentioned: true}},
		{"between words", "wann ist @auskunft_bot Ostern, @auskunft_bot, und wo?", []telegram.Entity{mention(9, 13), mention(31, 13)}, telegram.Reading{Text: "wann ist Ostern, und wo?", Mentioned: true}},
		{"on a line of its own", "wann?\n@auskunft_bot", []telegram.Entity{mention(6, 13)}, telegram.Reading{Text: "wann?", Mentioned: true}},
		{"in front and behind", "@auskunft_bot wann @auskunft_bot", []telegram.Entity{mention(0, 13), mention(19, 13)}, telegram.Reading{Text: "wann", Mentioned: true}},
		{"nothing else", "@auskunft_bot, @auskunft_bot", []telegram.Entity{mention(0, 13), mention(15, 13)}, telegram.Reading{Mentioned: true}},
		{"in a command", "/tresor Frist @auskunft_bot Mai", []telegram.Entity{command(0, 7), mention(14, 13)}, telegram.Reading{Command: "tresor", Text: "Frist Mai", Mentioned: true}},
		{"longer name", "@auskunft_bot_dev wann?", []telegram.Entity{mention(0, 17)}, telegram.Reading{Text: "@auskunft_bot_dev wann?"}},
		{"entity of wrong length", "@auskunft_bot_dev wann?", []telegram.Entity{mention(0, 16)}, telegram.Reading{Text: "@auskunft_bot_dev wann?"}},
		{"by id", "Auskunft wann?", []telegram.Entity{telegram.Mention(0, 8, id)}, telegram.Reading{Text: "wann?", Mentioned: true}},
		{"by another id", "Auskunft wann?", []telegram.Entity{telegram.Mention(0, 8, 8)}, telegram.Reading{Text: "Auskunft wann?"}},
		{"inside code", "`@auskunft_bot`", []telegram.Entity{{Type: "code", Offset: 0, Length: 15}}, telegram.Reading{Text: "`@auskunft_bot`"}},
		{"out of range", "kurz", []telegram.Entity{mention(2, 13), command(-3, 9), mention(1<<40, 1)}, telegram.Reading{Text: "kurz"}},
		{"command", "/tresor Frist", []telegram.Entity{command(0, 7)}, telegram.Reading{Command: "tresor", Text: "Frist"}},
		{"command in capitals", "/START", []telegram.Entity{command(0, 6)}, telegram.Reading{Command: "start"}},
		{"command for us", "/help@Auskunft_bot mehr", []telegram.Entity{command(0, 18)}, telegram.Reading{Command: "help", Text: "mehr"}},
		{"command for another", "/help@other_bot mehr", []telegram.Entity{command(0, 15)}, telegram.Reading{Foreign: true, Text: "/help@other_bot mehr"}},
		{"command later", "und /help", []telegram.Entity{command(4, 5)}, telegram.Reading{Text: "und /help"}},
		{"command after mention", "@auskunft_bot /help x", []telegram.Entity{mention(0, 13), command(14, 5)}, telegram.Reading{Mentioned: true, Command: "help", Text: "x"}},
		{"command with lines", "/tresor\nFrist\nMai", []telegram.Entity{command(0, 7)}, telegram.Reading{Command: "tresor", Text: "Frist\nMai"}},
		{"empty command", "/@auskunft_bot", []telegram.Entity{command(0, 14)}, telegram.Reading{Text: "/@auskunft_bot"}},
		{"after emoji", "😀 @auskunft_bot wann?", []telegram.Entity{mention(3, 13)}, telegram.Reading{Mentioned: true, Text: "😀 wann?"}},
		{"emoji after mention", "@auskunft_bot😀", []telegram.Entity{mention(0, 13)}, telegram.Reading{Mentioned: true, Text: "😀"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := telegram.Read(tt.text, tt.entities, id, name); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}
