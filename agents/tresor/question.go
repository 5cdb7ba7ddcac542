package tresor

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxQuestion is the longest question that the engine takes, in code points.
const maxQuestion = 1000

// clean brings a text as people send it into the form of a question: one line,
// valid UTF-8, without control characters and without the marks that reorder
// text.
func clean(text string) string {
	text = strings.ToValidUTF8(text, " ")
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// addressed cuts the name of a Tresor from the beginning of a question, as in
// "@handbuch Wie …".
func addressed(text string, ids []string) (id, rest string) {
	name, rest, _ := strings.Cut(text, " ")
	name, ok := strings.CutPrefix(name, "@")
	if !ok {
		return "", text
	}
	name = strings.TrimRight(name, ":,")
	for _, id := range ids {
		if strings.EqualFold(id, name) {
			return id, strings.TrimSpace(rest)
		}
	}
	return "", text
}

// words returns the words of a text in lower case.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// Words that only greet, and those that only thank or take leave.
const (
	greetings = " hallo hi hey moin servus guten gute tag morgen abend grüß grüss gott dich euch zusammen na du da hello good morning evening day there ping test wie geht es gehts dir ihnen how are you "
	thanks    = " danke dankeschön dank vielen schön sehr merci thanks thank you thx ok okay super prima toll klasse alles klar gut passt tschüss bye goodbye ciao bis bald später dann "
)

// isGreeting reports whether a text does no more than greet.
func isGreeting(text string) bool { return onlyOf(text, greetings) }

// isThanks reports whether a text does no more than thank or take leave.
func isThanks(text string) bool { return onlyOf(text, thanks) }

func onlyOf(text, known string) bool {
	all := words(text)
	for _, w := range all {
		if !strings.Contains(known, " "+w+" ") {
			return false
		}
	}
	return len(all) > 0 && len(all) < 8
}

// asksForMore finds the wish to leave the Bestand.
var asksForMore = regexp.MustCompile(`(?i)(eigene[mn]?|deine[mn]?|allgemeine[mns]?|own|general)\s*(wissen|knowledge)|allgemeinwissen|weltwissen|ignorier|ignore\s|vergiss\s+(alle|deine|die)|ohne\s+(tresor|quelle|beleg)`)

// sentence ends and conjunctions before a question word separate the parts of a
// question.
var (
	sentenceEnd = regexp.MustCompile(`[?!;]+\s*|\pL{3}\.\s+`) // not after "2." or "z. B."
	conjunction = regexp.MustCompile(`(?i)[,\s]+(?:und|sowie|and|oder|or)\s+(?:auch\s+)?((?:in|an|auf|mit|bis|ab|seit|von|für|zu|unter|über|nach|vor|at|on|for|with|until|since)\s+)?(wie|was|wo|woher|wohin|wann|wer|wem|wen|wessen|warum|wieso|weshalb|welche[rsmn]?|how|what|where|when|who|whom|why|which)\b`)
)

// parts splits a question into those that it consists of: at sentence ends and
// where a second question word follows "und". It returns one part for a plain
// question.
func parts(text string) []string {
	var out []string
	for _, s := range sentences(text) {
		for {
			m := conjunction.FindStringSubmatchIndex(s)
			if m == nil {
				break
			}
			at := m[4] // the question word
			if m[2] >= 0 {
				at = m[2] // or its preposition
			}
			out = appendPart(out, s[:m[0]])
			s = s[at:]
		}
		out = appendPart(out, s)
	}
	return out
}

func sentences(text string) []string {
	var out []string
	start := 0
	for _, m := range sentenceEnd.FindAllStringIndex(text, -1) {
		end := m[0]
		for end < m[1] && !strings.ContainsRune("?!;.", rune(text[end])) {
			end++ // the letters before a full stop belong to the sentence
		}
		out = append(out, text[start:end])
		start = m[1]
	}
	return append(out, text[start:])
}

// appendPart adds a part that has words of some length.
func appendPart(out []string, s string) []string {
	s = strings.Trim(s, " ,:-–\"'")
	for _, w := range words(s) {
		if utf8.RuneCountInString(w) > 3 {
			return append(out, s)
		}
	}
	return out
}

// isQuestion reports whether a part asks: it begins with a question word, if
// need be behind a preposition.
var isQuestion = regexp.MustCompile(`(?i)^(?:(?:in|an|auf|mit|bis|ab|seit|von|für|zu|unter|über|nach|vor|at|on|for|with|until|since)\s+)?(?:wie|was|wo|woher|wohin|wann|wer|wem|wen|wessen|warum|wieso|weshalb|welche[rsmn]?|how|what|where|when|who|whom|why|which)\b`).MatchString

// leansBack reports whether a question can only be understood with the one
// before it.
var leansBack = regexp.MustCompile(`(?i)^(?:und|and|aber|but)\s|\b(?:das|dies|dafür|davon|damit|dazu|darin|dabei|dort|es|sie|er|ihn|ihr|ihm|dessen|deren|it|its|they|them|that|there)\b`).MatchString

// names returns the words of a text that are written with a capital letter
// inside a sentence, and what stands in quotes: what a question is about.
func names(text string) string {
	var out []string
	for i, w := range strings.Fields(text) {
		w = strings.Trim(w, ".,;:?!\"'„“”()")
		r, _ := utf8.DecodeRuneInString(w)
		if i > 0 && unicode.IsUpper(r) {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}
