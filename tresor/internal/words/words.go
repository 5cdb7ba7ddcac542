// Package words normalises text for matching by hybrid-local/v1: what a
// question, a claim, a title, a tag and a label are compared by (4-retrieval
// section 1). Normalised text never becomes evidence.
//
// The normal form is lower-case words of letters and numbers with one blank
// between them, umlauts written out: "Gültig ab: 5 €" becomes "gueltig ab 5".
package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"outheis/tresor/internal/text"
)

// Norm returns the normal form of s. Norm(Norm(s)) is Norm(s).
func Norm(s string) string {
	if !isPlain(s) {
		s = fold(norm.NFKC.String(s))
	}
	return join(s)
}

// join writes the words of s, which is folded or plain.
func join(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	gap := false
	for _, r := range s {
		if !isWordRune(r) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte(' ')
		}
		gap = false
		switch {
		case r >= 'A' && r <= 'Z':
			b.WriteByte(byte(r) + 'a' - 'A')
		case r < utf8.RuneSelf:
			b.WriteByte(byte(r))
		case r == 'ä' || r == 'Ä':
			b.WriteString("ae")
		case r == 'ö' || r == 'Ö':
			b.WriteString("oe")
		case r == 'ü' || r == 'Ü':
			b.WriteString("ue")
		case r == 'ß':
			b.WriteString("ss")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isPlain reports whether s is of ASCII, umlauts and the punctuation of German
// alone, which join folds by itself: nearly every sentence is.
func isPlain(s string) bool {
	for _, r := range s {
		if r < utf8.RuneSelf {
			continue
		}
		switch r {
		case 'ä', 'ö', 'ü', 'Ä', 'Ö', 'Ü', 'ß', '§', '€', '–', '—', '„', '“', '”', '‚', '‘', '’', '»', '«', '…':
		default:
			return false
		}
	}
	return true
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// fold is full case folding. The 86 Cherokee letters that x/text lower-cases are
// kept: they are the folded ones (deviation D-12).
func fold(s string) string {
	fold := cases.Fold()
	if !strings.ContainsFunc(s, isCherokee) {
		return fold.String(s)
	}
	var b strings.Builder
	for s != "" {
		i := strings.IndexFunc(s, isCherokee)
		if i < 0 {
			i = len(s)
		}
		b.WriteString(fold.String(s[:i]))
		s = s[i:]
		if s != "" {
			r, n := utf8.DecodeRuneInString(s)
			b.WriteRune(r)
			s = s[n:]
		}
	}
	return b.String()
}

func isCherokee(r rune) bool { return r >= 0x13a0 && r <= 0x13f5 }

// Words splits normalised text at its blanks.
func Words(normalised string) []string {
	if normalised == "" {
		return nil
	}
	return strings.Split(normalised, " ")
}

// Tokens returns those of the words of normalised text that count in matching,
// in order, with repetitions: no stop words, and of at least two characters or
// all digits.
func Tokens(words []string) []string {
	var tokens []string
	for _, w := range words {
		if !stopWords[w] && (utf8.RuneCountInString(w) >= 2 || allDigits(w)) {
			tokens = append(tokens, w)
		}
	}
	return tokens
}

// HasPhrase reports whether the words of needle stand side by side in hay; both
// are normalised. An empty needle is nowhere.
func HasPhrase(hay, needle string) bool {
	if needle == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(hay[from:], needle)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(needle)
		if (start == 0 || hay[start-1] == ' ') && (end == len(hay) || hay[end] == ' ') {
			return true
		}
		from = start + 1
	}
}

// allDigits reports whether s is digits and nothing else.
func allDigits(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return !text.IsAnyDigit(r) }) < 0
}

// stopWords is read only. "für" is missing from it on purpose: words read
// "fuer", so the list of the format never matches it (deviation D-25).
var stopWords = func() map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(`
		aber als auch auf aus bei das dem den der des die ein eine einer eines hat ich im in ist mit nach oder
		sich sind und von vor was welche welcher wie wo zu zum zur
		a an and are for from how in is of on or the to what which with`) {
		m[w] = true
	}
	return m
}()
