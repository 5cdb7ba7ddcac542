package words_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"outheis/tresor/internal/words"
)

// D-12: Cherokee and the dotted I are folded as the format does.
func TestNorm(t *testing.T) {
	for in, want := range map[string]string{
		"":                              "",
		"  Was gilt -- hier? ":          "was gilt hier",
		"Gültig ab: 5 €":                "gueltig ab 5",
		"Straße STRASSE ẞ":              "strasse strasse ss",
		"A\u0308pfel":                   "aepfel",
		"İstanbul":                      "i stanbul",
		"ŉ":                             "ʼn",
		"ﬁn ①":                          "fin 1",
		"x²":                            "x2",
		"½":                             "1 2",
		"\u13a0\u13f5 \uab70":           "\u13a0\u13f5 \u13a0",
		"e\u0301té":                     "été",
		"a\u0323\u0332b":                "ạ b",
		"Σίσυφος":                       "σίσυφοσ",
		"C-0001":                        "c 0001",
		"tab\tund\u00a0geschützt\u200b": "tab und geschuetzt",
	} {
		if got := words.Norm(in); got != want {
			t.Errorf("Norm(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestNormIsStable(t *testing.T) {
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if r == 0xd800 {
			r = 0xe000
		}
		once := words.Norm(string(r))
		if twice := words.Norm(once); twice != once {
			t.Errorf("%U: %q, then %q", r, once, twice)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		once := words.Norm(s)
		if twice := words.Norm(once); twice != once {
			t.Errorf("%q: %q, then %q", s, once, twice)
		}
	})
}

// The ranking joins normalised pieces instead of normalising the joined text.
func TestNormOfJoinedTextIsJoinedNorm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		want := strings.Trim(words.Norm(a)+" "+words.Norm(b), " ")
		if got := words.Norm(a + " " + b); got != want {
			t.Errorf("Norm(%q + blank + %q) = %q, want %q", a, b, got, want)
		}
	})
}

// The short cut for plain text gives what all of Unicode gives.
func TestShortCut(t *testing.T) {
	var alphabet []rune
	for r := rune(0); r < 0x180; r++ {
		alphabet = append(alphabet, r)
	}
	alphabet = append(alphabet, []rune("äöüÄÖÜß§€–—„“”‚‘’»«…ẞ\u0308\u2028\ufeff\ufffd")...)
	text := rapid.StringOf(rapid.SampledFrom(alphabet))
	rapid.Check(t, func(t *rapid.T) {
		s := text.Draw(t, "s")
		if got, want := words.Norm(s), words.NormAny(s); got != want {
			t.Errorf("Norm(%q) = %q, want %q", s, got, want)
		}
	})
	for _, r := range alphabet {
		for _, s := range []string{string(r), "a" + string(r) + "b"} {
			if got, want := words.Norm(s), words.NormAny(s); got != want {
				t.Errorf("Norm(%q) = %q, want %q", s, got, want)
			}
		}
	}
}

func TestTokens(t *testing.T) {
	for in, want := range map[string][]string{
		"Was gilt für die Schutzbrille in Halle 3?": {"gilt", "fuer", "schutzbrille", "halle", "3"},
		"die der das":       {},
		"a b 7 x1":          {"7", "x1"},
		"Wie wie WO":        {},
		"laser Laser LASER": {"laser", "laser", "laser"},
		"❶ ⅷ":               {"❶", "viii"},
		"":                  {},
	} {
		if got := words.Tokens(words.Words(words.Norm(in))); !slices.Equal(got, want) {
			t.Errorf("Tokens(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestHasPhrase(t *testing.T) {
	tests := []struct {
		hay, needle string
		want        bool
	}{
		{"a bc d", "bc", true}, {"a bc d", "b", false}, {"a bc d", "c d", false}, {"a bc d", "bc d", true}, {"a bc d", "a", true},
		{"a bc d", "d", true}, {"a bc d", "", false}, {"", "a", false}, {"", "", false},
		{"aa a", "a", true}, {"aab ab", "ab", true}, {"abab ab", "abab ab", true},
	}
	for _, tt := range tests {
		if got := words.HasPhrase(tt.hay, tt.needle); got != tt.want {
			t.Errorf("HasPhrase(%q, %q) = %v", tt.hay, tt.needle, got)
		}
	}
}

func TestHasPhraseIsPaddedContains(t *testing.T) {
	word := rapid.StringOfN(rapid.SampledFrom([]rune("ab")), 1, 3, -1)
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(word, 0, 6).Draw(t, "words"), " ")
	})
	rapid.Check(t, func(t *rapid.T) {
		hay, needle := text.Draw(t, "hay"), text.Draw(t, "needle")
		want := needle != "" && strings.Contains(" "+hay+" ", " "+needle+" ")
		if got := words.HasPhrase(hay, needle); got != want {
			t.Errorf("HasPhrase(%q, %q) = %v", hay, needle, got)
		}
	})
}

func BenchmarkNorm(b *testing.B) {
	const s = "Im linken Teil des Plans ist ein Notausgang Nord eingezeichnet, der täglich geprüft werden muss. § 7 Abs. 2"
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		words.Norm(s)
	}
}
