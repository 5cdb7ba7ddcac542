package formatting

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks is how many combining marks one character may carry. No
// orthography stacks more; what does is meant to cover the lines around it.
const maxMarks = 8

// Clean neutralises what could deceive a reader or steer a terminal
// (spec/reliability.md T22 and T31), and keeps every word:
//
//   - control characters are shown as pictures (ESC as ␛), so no escape
//     sequence survives; of them only line feed and tab stay, CR and the
//     Unicode line ends become line feeds;
//   - bidi controls, the tag block, invisible format characters, Hangul
//     fillers and stray variation selectors are removed; the flags of England,
//     Scotland and Wales, which are made of tags, stay;
//   - a zero-width space becomes a blank; ZWJ and ZWNJ stay between letters or
//     emoji;
//   - a character keeps at most 8 combining marks;
//   - invalid UTF-8 and noncharacters become U+FFFD.
//
// [Render] cleans all that it shows; call Clean for text that goes another way.
func Clean(s string) string {
	if isClean(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	var prev rune // the last rune that was kept, 0 at the start
	marks := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if flag := tagFlag(s[i:]); flag != "" {
			b.WriteString(flag)
			prev, marks = '🏴', 0
			i += len(flag)
			continue
		}
		rest := s[i+size:]
		i += size
		switch {
		case r == '\r':
			if strings.HasPrefix(rest, "\n") {
				continue
			}
			r = '\n'
		case r == '\n' || r == '\t':
		case r == '\v' || r == '\f' || r == 0x85 || r == 0x2028 || r == 0x2029:
			r = '\n'
		case r < 0x20:
			r += 0x2400
		case r == 0x7F:
			r = 0x2421
		case r < 0xA0 && r >= 0x80, isNoncharacter(r):
			r = utf8.RuneError
		case r == 0x200B:
			r = ' '
		case r == 0x200C || r == 0x200D:
			next, _ := utf8.DecodeRuneInString(rest)
			if !joins(prev) || !joins(next) {
				continue
			}
		case isVariationSelector(r):
			if prev == 0 || isVariationSelector(prev) || unicode.IsSpace(prev) {
				continue
			}
		case isInvisible(r):
			continue
		}
		if unicode.In(r, unicode.Mn, unicode.Me) && !isVariationSelector(r) {
			if marks++; marks > maxMarks {
				continue
			}
		} else {
			marks = 0
		}
		b.WriteRune(r)
		prev = r
	}
	return b.String()
}

// isClean reports whether s is made of runes that never need a second look.
func isClean(s string) bool {
	for _, r := range s {
		switch {
		case r >= 0x20 && r < 0x7F || r == '\n' || r == '\t':
		case r >= 0xA0 && r < 0x300 && r != 0xAD:
		case r >= 0x2010 && r <= 0x2027 || r == '€' || r == '→':
		default:
			return false
		}
	}
	return true
}

// tagFlag returns the flag made of tag characters that s begins with, or "".
func tagFlag(s string) string {
	const black = "\U0001F3F4"
	if !strings.HasPrefix(s, black) {
		return ""
	}
	for _, region := range [...]string{"gbeng", "gbsct", "gbwls"} {
		flag := []rune(black)
		for _, c := range region {
			flag = append(flag, 0xE0000+c)
		}
		flag = append(flag, 0xE007F)
		if strings.HasPrefix(s, string(flag)) {
			return string(flag)
		}
	}
	return ""
}

func isNoncharacter(r rune) bool {
	return r&0xFFFE == 0xFFFE || r >= 0xFDD0 && r <= 0xFDEF
}

func isVariationSelector(r rune) bool {
	return r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF
}

// joins reports whether r is something that a joiner may stand beside.
func joins(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.In(r, unicode.So, unicode.Sk, unicode.Sm))
}

// isInvisible reports whether r shows nothing of its own: format characters
// (bidi controls, tags, word joiners, soft hyphens …) and the fillers.
func isInvisible(r rune) bool {
	switch r {
	case 0x115F, 0x1160, 0x3164, 0xFFA0: // Hangul fillers
		return true
	case 0x034F, 0x17B4, 0x17B5: // combining grapheme joiner, Khmer inherent vowels
		return true
	}
	if r >= 0x180B && r <= 0x180F { // Mongolian selectors
		return true
	}
	if r >= 0xE0000 && r <= 0xE0FFF || r >= 0x2060 && r <= 0x206F || r >= 0xFFF0 && r <= 0xFFFB {
		return true
	}
	// Signs that belong to Arabic, Syriac and Kaithi numbers are visible.
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// isBlank reports whether nothing in s would be seen. Networks refuse such a
// message as empty.
func isBlank(s string) bool {
	for _, r := range s {
		if !unicode.IsSpace(r) && !unicode.In(r, unicode.Cc, unicode.Cf) && !isVariationSelector(r) && r != 0x2800 {
			return false
		}
	}
	return true
}
