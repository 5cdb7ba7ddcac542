package discord_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"outheis/channels/fakenet/discord"
)

func TestPlain(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"Vier Wochen.", "Vier Wochen."},
		{"**fett** und *schräg* und _auch_ und __unter__ und ~~weg~~ und ||geheim||", "fett und schräg und auch und unter und weg und geheim"},
		{"***beides***", "beides"},
		{"**fett *und schräg***", "fett und schräg"},
		{"# Titel\n## Zwei\n-# klein\n> zitiert\n- Punkt", "Titel\nZwei\nklein\nzitiert\n- Punkt"},
		{">>> alles\n> hier", "alles\n> hier"},
		{"snake_case_name und 2 * 3 * 4", "snake_case_name und 2 * 3 * 4"},
		{`\*kein\* Mark \_so\_`, "*kein* Mark _so_"},
		{"`code *x*` und ``a ` b``", "code *x* und a ` b"},
		{"vor\n```go\nx := *p\n```\nnach", "vor\nx := *p\nnach"},
		{"```\neinfach\n```", "einfach"},
		{"```offen", "```offen"},
		{"[Gesetz](https://beispiel.example/a_b_c) und <https://beispiel.example/x>", "Gesetz und https://beispiel.example/x"},
		{"https://beispiel.example/a_b_c_d", "https://beispiel.example/a_b_c_d"},
		{"Hallo <@1001> und <@&5>", "Hallo <@1001> und <@&5>"},
		{"a ** b", "a ** b"},
	} {
		if got := discord.Plain(tt.in); got != tt.want {
			t.Errorf("%q reads %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	for _, seed := range []string{"**a** _b_ `c` [d](https://e.example)", "```go\nx\n```", `\*`, ">>> a\n# b", "😀**😀**", "___", "||a||"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := discord.Plain(in)
		if utf8.ValidString(in) && !utf8.ValidString(out) {
			t.Errorf("%q lost a character: %q", in, out)
		}
		if len(out) > len(in) {
			t.Errorf("%q grew to %q", in, out)
		}
		if !strings.ContainsAny(in, "`*_~|#>\\[<-") && out != in {
			t.Errorf("%q has no mark and reads %q", in, out)
		}
	})
}
