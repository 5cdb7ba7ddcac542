package formatting

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// abbreviations are words whose full stop ends no sentence; single letters and
// numbers ("z. B.", "3. Mai") are known without a list.
const abbreviations = " abs abschn allg anm art aufl bd bspw bzgl bzw ca co dgl dr dt ebd etc evtl " +
	"ff gem gez ggf hg hrsg ing inkl insb jh jr kap lfd lit max min mio mr mrs ms mrd nr no nrn od prof rd " +
	"rn sog sr st std str tel tsd usf usw vgl vol vs zit zzgl eg ie al fig sec "

// endsSentence reports whether a sentence ends where before meets after, which
// white space separates. In doubt it says no: a part may then end at a word.
func endsSentence(before, after string) bool {
	if !startsSentence(after) {
		return false
	}
	body, cited := beforeCitations(before)
	body = strings.TrimRight(body, `)"'”’“‘»«›‹`)
	last, size := utf8.DecodeLastRuneInString(body)
	switch last {
	case '!', '?', '…':
		return true
	case '.':
	default:
		return cited && (unicode.IsLetter(last) || unicode.IsDigit(last))
	}
	body = body[:len(body)-size]
	word := body[strings.LastIndexAny(body, " \t\n(/-\u00a0")+1:]
	switch {
	case word == "":
		return false
	case cited:
		return true
	case utf8.RuneCountInString(word) == 1, strings.Trim(word, "0123456789") == "":
		return false
	}
	return !strings.Contains(abbreviations, " "+strings.ToLower(word)+" ")
}

// beforeCitations returns what stands before the marks in brackets at the end
// of s, as in "… zu tragen. [C-0001] [C-0002]", and whether there are any.
func beforeCitations(s string) (string, bool) {
	const longest, most = 64, 8
	cited := false
	for range most {
		if !strings.HasSuffix(s, "]") {
			break
		}
		tail := s[max(0, len(s)-longest):]
		i := strings.LastIndexByte(tail, '[')
		if i < 0 || len(tail)-i == len(s) {
			break
		}
		s = strings.TrimRight(s[:len(s)-len(tail)+i], " ")
		cited = true
	}
	return s, cited
}

func startsSentence(s string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, `([{"'”’“‘„»«›‹`))
	return !unicode.IsLower(r)
}

// ideographicStop returns the length of the full stop that s begins with, in
// the scripts that put no blank behind it.
func ideographicStop(s string) int {
	if s[0] < 0xE3 {
		return 0
	}
	for _, stop := range [...]string{"。", "！", "？"} {
		if strings.HasPrefix(s, stop) {
			return len(stop)
		}
	}
	return 0
}
