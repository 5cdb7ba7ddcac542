package formatting_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"outheis/formatting"
)

func TestClean(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "Straße, 3 € – „gut“…", "Straße, 3 € – „gut“…"},
		{"escape sequences", "\x1b[31mrot\x1b]8;;http://x\x07y\u009b2J", "␛[31mrot␛]8;;http://x␇y\ufffd2J"},
		{"delete and null", "a\x7fb\x00c", "a␡b␀c"},
		{"line ends", "a\r\nb\rc\u2028d\u2029e\u0085f\vg\fh", "a\nb\nc\nd\ne\nf\ng\nh"},
		{"tab", "a\tb", "a\tb"},
		{"bidi", "\u202eab\u202c\u2066c\u2069\u200e\u200f\u061cd", "abcd"},
		{"zero width", "a\u200bb\u2060c\ufeffd\u00ade", "a bcde"},
		{"tags", "a\U000E0001\U000E0041\U000E007Fb", "ab"},
		{"flags of tags", "🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F!", "🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F!"},
		{"tags behind a flag", "🏴\U000E0067\U000E0062\U000E0041", "🏴"},
		{"fillers", "a\u3164b\u115fc\uffa0d", "abcd"},
		{"Persian", "می\u200cخواهم", "می\u200cخواهم"},
		{"Hindi", "क्\u200dष नमस्ते", "क्\u200dष नमस्ते"},
		{"family", "👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"},
		{"heart on fire", "❤\ufe0f\u200d🔥", "❤\ufe0f\u200d🔥"},
		{"nodding", "🙂\u200d↔\ufe0f", "🙂\u200d↔\ufe0f"},
		{"stray joiners", "\u200da \u200d b\u200c", "a  b"},
		{"selectors", "\ufe0fa\ufe0f\ufe0f\U000E0100\U000E0101", "a\ufe0f"},
		{"marks", "Z" + strings.Repeat("\u0301", 20) + "a\u0301", "Z" + strings.Repeat("\u0301", 8) + "a\u0301"},
		{"invalid", "a\xffb\xc3", "a\ufffdb\ufffd"},
		{"noncharacters", "a\ufffeb\ufdd0c\U0010FFFF", "a\ufffdb\ufffdc\ufffd"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := formatting.Clean(test.in); got != test.want {
				t.Errorf("Clean(%q)\n got %q\nwant %q", test.in, got, test.want)
			}
		})
	}
}

func TestCleanEveryCodePoint(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		got := formatting.Clean("a" + string(r) + "b")
		if strings.IndexFunc(got, deceives) >= 0 {
			t.Errorf("%U gives %q", r, got)
		}
		if !strings.HasPrefix(got, "a") || !strings.HasSuffix(got, "b") {
			t.Errorf("%U eats its neighbours: %q", r, got)
		}
		if visible := unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsPunct(r) || unicode.Is(unicode.Sc, r); visible &&
			!unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) && got != "a"+string(r)+"b" {
			t.Errorf("%U was not kept: %q", r, got)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\u202eb\x1b[0m")
	f.Add("👩\u200d👩\u200d👧 \xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := formatting.Clean(s)
		if !utf8.ValidString(got) || strings.IndexFunc(got, deceives) >= 0 {
			t.Errorf("Clean(%q) = %q", s, got)
		}
		if again := formatting.Clean(got); again != got {
			t.Errorf("Clean is not stable: %q, then %q", got, again)
		}
	})
}
