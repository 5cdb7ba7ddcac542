package gateway

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxMarks is how many combining marks one letter keeps
// (spec/reliability.md T22).
const maxMarks = 8

// Clean returns a text of a person in the one form in which it is stored,
// compared and shown: valid UTF-8 in NFC with LF line ends, without characters
// that nobody sees but programs read. It removes control characters, bidi
// controls, zero-width characters, the tag block, Hangul fillers and unassigned
// format characters, and cuts floods of combining marks; a zero-width space
// becomes a blank, a byte that is no UTF-8 becomes U+FFFD. A joiner stays where
// a script or an emoji needs it. Cleaning a clean text changes nothing
// (spec/reliability.md T22).
func Clean(s string) string {
	if isPlain(s) {
		return s
	}
	return limitMarks(norm.NFC.String(limitMarks(filter(s))))
}

// isPlain reports that s needs no cleaning, at a glance: it is made of visible
// Latin letters and common punctuation only, all of which is NFC. In doubt it
// says no.
func isPlain(s string) bool {
	for _, r := range s {
		switch {
		case r >= ' ' && r < 0x7f, r == '\n', r == '\t':
		case r >= 0xa0 && r < 0x300 && r != '\u00ad':
		case r >= 0x2010 && r < 0x2028, r >= 0x2030 && r < 0x205f, r == '€':
		default:
			return false
		}
	}
	return true
}

// filter drops and replaces single characters.
func filter(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	prev, base := rune(-1), rune(-1) // the last character that was kept, and the last that is no mark of every script
	next, until := rune(-1), 0       // what follows a joiner, and up to where that is known
	for i, r := range s {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, size = utf8.DecodeRuneInString(s[i:])
		}
		switch r = visible(r); {
		case r < 0:
			continue
		case r == '\n' && i > 0 && s[i-1] == '\r':
			continue // the CR before has become the line end
		case isJoiner(r):
			if i >= until {
				next, until = after(s, i+size)
			}
			if !joins(prev, base, next) {
				continue
			}
		case isSelector(r) && !selects(prev, r):
			continue
		}
		b.WriteRune(r)
		if prev = r; !unicode.Is(unicode.Inherited, r) {
			base = r
		}
	}
	return b.String()
}

// visible returns what r becomes by itself: another character, r, or -1.
func visible(r rune) rune {
	switch r {
	case '\n', '\t':
		return r
	case '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
		return '\n'
	case '\u200b':
		return ' '
	case zwnj, zwj, utf8.RuneError:
		return r
	case '\u034f', // combining grapheme joiner: invisible, and no format character
		'\u115f', '\u1160', '\u3164', '\uffa0', // Hangul fillers
		'\u17b4', '\u17b5', // invisible Khmer vowels
		'\u2065', '\ufffc': // unassigned among the isolates; object replacement
		return -1
	}
	switch {
	case unicode.Is(unicode.Cc, r), isHidden(r):
		return -1
	case r >= 0xe0000 && r <= 0xe0fff && !isSelector(r): // tags, and what is unassigned beside them
		return -1
	case unicode.Is(unicode.Noncharacter_Code_Point, r):
		return -1
	}
	return r
}

// isHidden reports that r is a format character without a shape of its own:
// all of category Cf except the Arabic and Indic signs that enclose a number.
func isHidden(r rune) bool {
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

const (
	zwnj = '\u200c' // zero width non-joiner
	zwj  = '\u200d' // zero width joiner
)

func isJoiner(r rune) bool { return r == zwnj || r == zwj }

// after returns the first character of s from i on that will be kept whatever
// stands beside it, or -1, and where it stands.
func after(s string, i int) (rune, int) {
	for j, r := range s[i:] {
		if isJoiner(r) || isSelector(r) {
			continue
		}
		if r = visible(r); r >= 0 {
			return r, i + j
		}
	}
	return -1, len(s)
}

// joins reports that a joiner between prev, whose letter is base, and next does
// something that a reader sees: between letters (or their marks) of a script
// that joins, or between emoji.
func joins(prev, base, next rune) bool {
	return !isJoiner(prev) && (joining(base) && joining(next) || emoji(prev) && emoji(next))
}

// joining reports that r is a letter or mark of a script in which joiners are
// spelling. In Latin, Greek and Cyrillic they only hide a difference between
// words that look the same, in the scripts of East Asia they mean nothing.
func joining(r rune) bool {
	return r >= 0 && (unicode.IsLetter(r) || unicode.IsMark(r)) &&
		!unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian, unicode.Georgian, unicode.Hebrew,
			unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana, unicode.Common, unicode.Inherited)
}

// emoji reports that r can stand beside a joiner in an emoji: a pictograph, a
// skin tone, or a variation selector behind one.
func emoji(r rune) bool {
	return r >= 0 && (unicode.Is(unicode.So, r) || r >= 0x1f3fb && r <= 0x1f3ff || r == 0xfe0f ||
		r == 0x2194 || r == 0x2195 || r == 0x27a1) // arrows of category Sm in newer emoji
}

// isSelector reports that r is a variation selector.
func isSelector(r rune) bool { return unicode.Is(unicode.Variation_Selector, r) }

// selects reports that a variation selector behind prev chooses a shape. A
// second selector in a row never does: such runs carry hidden bytes.
func selects(prev, r rune) bool {
	switch {
	case prev < 0 || isSelector(prev) || isJoiner(prev):
		return false
	case r == 0xfe0e || r == 0xfe0f: // text or emoji form
		return emoji(prev) || prev >= '0' && prev <= '9' || prev == '#' || prev == '*' || unicode.IsSymbol(prev) || unicode.IsPunct(prev)
	case r >= 0xe0100: // ideographic variation sequences
		return unicode.Is(unicode.Han, prev)
	case r >= 0x180b && r <= 0x180f:
		return unicode.Is(unicode.Mongolian, prev)
	}
	return unicode.IsLetter(prev) || unicode.IsSymbol(prev)
}

// limitMarks cuts each run of combining marks to maxMarks.
func limitMarks(s string) string {
	run, cut := 0, false
	for _, r := range s {
		if !unicode.IsMark(r) {
			run = 0
		} else if run++; run > maxMarks {
			cut = true
			break
		}
	}
	if !cut {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	run = 0
	for _, r := range s {
		if !unicode.IsMark(r) {
			run = 0
		} else if run++; run > maxMarks {
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// cut returns at most n code points of s.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// mixesScripts reports that a word of s is written with letters of several of
// the alphabets that look alike, as in a name that imitates another.
func mixesScripts(s string) bool {
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		var latin, greek, cyrillic bool
		for _, r := range word {
			latin = latin || unicode.Is(unicode.Latin, r)
			greek = greek || unicode.Is(unicode.Greek, r)
			cyrillic = cyrillic || unicode.Is(unicode.Cyrillic, r)
		}
		if latin && greek || latin && cyrillic || greek && cyrillic {
			return true
		}
	}
	return false
}
