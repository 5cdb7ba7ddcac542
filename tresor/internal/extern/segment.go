package extern

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"outheis/tresor/internal/text"
)

// QuoteForm returns a sentence as an anchor holds it: NFC, with single blanks.
func QuoteForm(s string) string { return text.CollapseSpace(norm.NFC.String(s)) }

// Digest returns the SHA-256 of a sentence's quote form in hex.
func Digest(sentence string) string {
	sum := sha256.Sum256([]byte(QuoteForm(sentence)))
	return hex.EncodeToString(sum[:])
}

// The kinds of block that a sentence can stand in.
const (
	Paragraph = "absatz"
	ListItem  = "listenpunkt"
	TableCell = "tabellenzelle"
	Heading   = "ueberschrift"
	Quote     = "zitat"
)

// A Sentence is a sentence of a document.
type Sentence struct {
	Index int    // from 1, over the whole document
	Block string // kind of the block that it stands in
	Text  string // in quote form, not empty
}

// Sentences splits a Markdown document by satzsegmentierung/v1 (1-format section
// 10). Its rules are frozen with all their oddities, since anchors and catalogues
// count on them (deviation D-24): headings and cells are sentences, code is none,
// inline markup stays. It takes time in proportion to the document.
func Sentences(document string) []Sentence {
	var list []Sentence
	for _, b := range blocks(document) {
		for rest := b.content; rest != ""; {
			var s string
			s, rest = cutSentence(rest)
			if s = QuoteForm(s); s != "" {
				list = append(list, Sentence{len(list) + 1, b.kind, s})
			}
		}
	}
	return list
}

// cutSentence returns the first sentence of a block's content, with its end
// mark, and what follows the whitespace character behind that.
func cutSentence(s string) (sentence, rest string) {
	for i := range len(s) {
		if c := s[i]; c != '.' && c != '!' && c != '?' {
			continue
		}
		end := i + 1
		r, n := utf8.DecodeRuneInString(s[end:])
		if n > 0 && text.IsSpace(r) && endsSentence(s[:i]) {
			return s[:end], s[end+n:]
		}
	}
	return s, ""
}

// endsSentence reports whether the mark behind head ends a sentence: not after an
// abbreviation, a single letter or a number.
func endsSentence(head string) bool {
	last := head
	if i := strings.LastIndexFunc(head, func(r rune) bool { return r == '(' || text.IsSpace(r) }); i >= 0 {
		_, n := utf8.DecodeRuneInString(head[i:])
		last = head[i+n:]
	}
	last = strings.Trim(last, "„»‚'\"")
	if last == "" {
		return true
	}
	if r, n := utf8.DecodeRuneInString(last); n == len(last) || isNumber(last, r) {
		return false
	}
	final, _ := utf8.DecodeLastRuneInString(last)
	return !unicode.Is(unicode.Nd, final) && !isAbbreviation(last)
}

func isNumber(s string, first rune) bool {
	return text.IsAnyDigit(first) && strings.IndexFunc(s, func(r rune) bool { return !text.IsAnyDigit(r) }) < 0
}

// isAbbreviation ignores case; İ is no i, as its lower-case form is two letters.
func isAbbreviation(s string) bool {
	const longest = len("approx") + len("\u212a") // a Kelvin sign is a k
	return len(s) <= 2*longest && abbreviations[strings.ToLower(s)] && !strings.ContainsRune(s, 'İ')
}

// abbreviations is read only.
var abbreviations = func() map[string]bool {
	m := make(map[string]bool)
	for _, a := range strings.Fields(`
		z b u a d h vgl bzw ca etc ff abs nr bspw ggf evtl inkl exkl max min sog usw s vs dr prof ebd bzgl o art lit rn bd
		hrsg aufl approx resp no fig pp cf e i g`) {
		m[a] = true
	}
	return m
}()
