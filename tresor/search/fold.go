package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold returns the spelling in which words are compared: lower case, ä and ae
// both a (likewise ö and ü), ß and ss both ss, other accents dropped. It loses
// distinctions such as Masse and Maße; the n-grams and the other words of a
// question make up for it.
func fold(word string) string {
	var b strings.Builder
	b.Grow(len(word))
	if !norm.NFC.IsNormalString(word) {
		word = norm.NFC.String(word)
	}
	// before is the letter that was read last, umlaut whether it already stood
	// for a vowel and its e, so that säen keeps the e that is not part of ä.
	before, umlaut := rune(0), false
	var two rune // the one before it
	for _, r := range word {
		r = unicode.ToLower(r)
		if r == 'e' && !umlaut && (before == 'a' || before == 'o' || before == 'u' && !vowelOrQ(two)) {
			two, before, umlaut = before, r, true
			continue
		}
		two, before, umlaut = before, r, r == 'ä' || r == 'ö' || r == 'ü'
		if r < utf8.RuneSelf {
			b.WriteByte(byte(r))
			continue
		}
		foldRune(&b, r)
	}
	return b.String()
}

// vowelOrQ tells the ue of neue, Bauer and Quelle from that of Tuer.
func vowelOrQ(r rune) bool {
	switch r {
	case 'a', 'e', 'i', 'o', 'u', 'ä', 'ö', 'ü', 'y', 'q':
		return true
	}
	return false
}

func foldRune(b *strings.Builder, r rune) {
	switch r {
	case 'ß':
		b.WriteString("ss")
		return
	case 'æ':
		b.WriteByte('a')
		return
	case 'ø', 'œ':
		b.WriteByte('o')
		return
	case 'ł':
		b.WriteByte('l')
		return
	case 'ı':
		b.WriteByte('i')
		return
	}
	if unicode.Is(unicode.Mn, r) {
		return
	}
	var buf [utf8.UTFMax]byte
	decomposed := norm.NFKD.Properties(buf[:utf8.EncodeRune(buf[:], r)]).Decomposition()
	if decomposed == nil {
		b.WriteRune(r)
		return
	}
	for _, d := range string(decomposed) {
		if !unicode.Is(unicode.Mn, d) {
			b.WriteRune(unicode.ToLower(d))
		}
	}
}
