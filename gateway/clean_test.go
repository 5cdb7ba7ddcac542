package gateway_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"outheis/gateway"
)

func TestCleanKeepsWhatIsRead(t *testing.T) {
	for name, s := range map[string]string{
		"empty":                 "",
		"German":                "Wann ist die Zählerablesung?\n\n\t– „Größe“ §\u00a05",
		"Persian":               "می\u200cخواهم کتاب\u200cها را",
		"Persian with vowels":   "مُ\u200cن",
		"Hindi half form":       "क्\u200dष",
		"Hindi explicit virama": "क्\u200cष",
		"Bengali ya-phalaa":     "র\u200d্য",
		"Sinhala":               "ශ්\u200dරී",
		"Arabic":                "السلام عليكم",
		"Hebrew points":         "שָׁלוֹם",
		"Vietnamese":            "tiếng Việt",
		"Thai":                  "ภาษาไทย",
		"Japanese":              "日本語のテスト",
		"Korean":                "한국어",
		"emoji family":          "👨\u200d👩\u200d👧\u200d👦",
		"emoji skin tone":       "👩🏽\u200d🚀",
		"emoji heart on fire":   "❤\ufe0f\u200d🔥",
		"emoji nodding":         "🙂\u200d↔\ufe0f",
		"pirate flag":           "🏴\u200d☠\ufe0f",
		"national flag":         "🇩🇪",
		"keycap":                "1\ufe0f\u20e3",
		"ideographic variant":   "葛\U000e0100",
		"Arabic number sign":    "\u0600١٢٣",
		"eight marks":           "a" + strings.Repeat("\u0323", 8),
	} {
		if got, want := gateway.Clean(s), norm.NFC.String(s); got != want {
			t.Errorf("%s: Clean(%+q) = %+q", name, want, got)
		}
	}
}

func TestCleanRemovesWhatHides(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"NFC", "Za\u0308hler", "Zähler"},
		{"line ends", "a\r\nb\rc\u2028d\u2029e\u0085f\vg\fh", "a\nb\nc\nd\ne\nf\ng\nh"},
		{"controls", "a\x00b\x1b[31mc\u009bd\x7f", "ab[31mcd"},
		{"bidi override", "a\u202egnp.exe\u202c", "agnp.exe"},
		{"bidi isolates", "\u2066a\u2069\u2067b\u2068", "ab"},
		{"direction marks", "a\u200e\u200f\u061cb", "ab"},
		{"byte order mark", "\ufeffa", "a"},
		{"word joiners", "a\u2060\u2061\u2062\u2063\u2064b", "ab"},
		{"deprecated formats", "a\u206a\u206fb", "ab"},
		{"tags", "a\U000e0041\U000e007fb\U000e0001", "ab"},
		{"Hangul fillers", "a\u115f\u1160\u3164\uffa0b", "ab"},
		{"zero width space", "a\u200bb", "a b"},
		{"soft hyphen", "Zähler\u00adstand", "Zählerstand"},
		{"joiners in Latin", "ad\u200dmi\u200cn", "admin"},
		{"joiners in Cyrillic", "а\u200dб", "аб"},
		{"joiner at an end", "\u200dनमस्ते\u200d", "नमस्ते"},
		{"joiner between emoji and letter", "👩\u200da", "👩a"},
		{"joiners in a row", "می\u200c\u200c\u200cخ", "می\u200cخ"},
		{"hidden bytes in selectors", "👍\ufe0f\ufe00\ufe01\U000e0100\U000e0101", "👍\ufe0f"},
		{"selector behind a blank", "a \ufe0fb", "a b"},
		{"flood of marks", "a" + strings.Repeat("\u0323", 40) + "b", "a" + strings.Repeat("\u0323", 8) + "b"},
		{"grapheme joiner", "a\u034fb", "ab"},
		{"not UTF-8", "a\xff\xc3b", "a\ufffd\ufffdb"},
		{"noncharacter", "a\uffff\ufdd0b", "ab"},
		{"object replacement", "a\ufffcb", "ab"},
		{"annotation", "a\ufff9b\ufffac\ufffbd", "abcd"},
	} {
		want := norm.NFC.String(c.want)
		if got := gateway.Clean(c.in); got != want {
			t.Errorf("%s: Clean(%+q) = %+q, want %+q", c.name, c.in, got, want)
		}
	}
}

// A long run of characters that look ahead is cleaned in one pass: with a look
// at the rest of the run for each of them this would take minutes.
func TestCleanOfLongRuns(t *testing.T) {
	for _, s := range []string{"\u200d", "\u200d\ufe0f", "\u200c\u202e"} {
		if got := gateway.Clean("a" + strings.Repeat(s, 1<<20/len(s)) + "b"); got != "ab" {
			t.Errorf("%q many times: %d bytes are left", s, len(got))
		}
	}
}

// Every code point of the classes of T22 is gone, wherever it stands.
func TestCleanOfEveryCodePoint(t *testing.T) {
	hidden := []*unicode.RangeTable{
		unicode.Bidi_Control,
		{R16: []unicode.Range16{{Lo: 0x2060, Hi: 0x2065, Stride: 1}, {Lo: 0x206a, Hi: 0x206f, Stride: 1}, {Lo: 0xfeff, Hi: 0xfeff, Stride: 1}, {Lo: 0x200b, Hi: 0x200b, Stride: 1}}},
		{R16: []unicode.Range16{{Lo: 0x115f, Hi: 0x1160, Stride: 1}, {Lo: 0x3164, Hi: 0x3164, Stride: 1}, {Lo: 0xffa0, Hi: 0xffa0, Stride: 1}}},
		{R32: []unicode.Range32{{Lo: 0xe0000, Hi: 0xe007f, Stride: 1}}},
	}
	for r := rune(0); r <= 0xe0fff; r++ {
		if r == 0x20000 { // ideographs, and planes without characters
			r = 0xe0000
		}
		bad := unicode.In(r, hidden...) || unicode.Is(unicode.Cc, r) && r != '\n' && r != '\t'
		carriers := []string{"a%b", "%", "मन%मन", "😀%😀", "漢%字"}
		if !bad && !unicode.In(r, unicode.Cf, unicode.M) {
			carriers = carriers[:1]
		}
		for _, carrier := range carriers {
			got := gateway.Clean(strings.Replace(carrier, "%", string(r), 1))
			if bad && strings.ContainsRune(got, r) {
				t.Fatalf("%U survives in %q", r, carrier)
			}
			if !norm.NFC.IsNormalString(got) || !utf8.ValidString(got) {
				t.Fatalf("Clean with %U in %q = %+q, which is not NFC", r, carrier, got)
			}
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"Wie?", "می\u200cخواهم", "👨\u200d👩\u200d👧", "e\u0301\u200d\u0301", "a\u0344\u0344\u0344\u0344\u0344\u0344\u0344\u0344\u0344", "\r\n\xff\u202e\U000e0041", "한\u115f", "葛\U000e0100\U000e0101"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := gateway.Clean(s)
		if again := gateway.Clean(got); again != got {
			t.Errorf("Clean(%+q) = %+q, and once more %+q", s, got, again)
		}
		if !norm.NFC.IsNormalString(got) || !utf8.ValidString(got) {
			t.Errorf("Clean(%+q) = %+q, which is not NFC", s, got)
		}
		for _, r := range got {
			if unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Cc, r) && r != '\n' && r != '\t' {
				t.Errorf("Clean(%+q) = %+q holds %U", s, got, r)
			}
		}
	})
}

func BenchmarkClean(b *testing.B) {
	for name, s := range map[string]string{
		"ascii":  strings.Repeat("What does the manual say about pairing? ", 10),
		"german": strings.Repeat("Was steht im Handbuch über Rückfragen? ", 10),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				gateway.Clean(s)
			}
		})
	}
}
