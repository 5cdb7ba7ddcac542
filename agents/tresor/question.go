package tresor

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean brings a text as people send it into the form of a question: one line,
// valid UTF-8, without control characters and without the marks that reorder
// text. Items of a list, and questions with a line of their own, are parted by a
// semicolon where nothing else parts them.
func clean(text string) string {
	text = strings.ToValidUTF8(text, " ")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\r', r == '\u2028', r == '\u2029':
			return '\n'
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, text)
	var b strings.Builder
	last := byte(0)
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.Join(strings.Fields(line), " ")
		item := listItem.FindString(line)
		if line = line[len(item):]; line == "" {
			continue
		}
		if b.Len() > 0 {
			if (item != "" || isQuestion(line)) && !strings.ContainsRune("?!;.:,", rune(last)) {
				b.WriteByte(';')
			}
			b.WriteByte(' ')
		}
		b.WriteString(line)
		last = line[len(line)-1]
	}
	return b.String()
}

// listItem is what an item of a list begins with.
var listItem = regexp.MustCompile(`^(?:[0-9]{1,2}[.)]|[-*•–])\s+`)

// qualified finds claims, sources and concepts that a question names with their
// Tresor, as in "hafen/C-0002". It returns what is left of the question for each
// Tresor that is named so: without the names of Tresore, and without what
// belongs to another one. It returns nil where none is named so; "hafen: C-0002"
// names one that is there. Unknown are the names that are not among ids, each
// once.
func qualified(text string, ids []string) (own map[string]string, unknown []string) {
	known := func(name string) int {
		return slices.IndexFunc(ids, func(id string) bool { return strings.EqualFold(id, name) })
	}
	for _, m := range qualifiedID.FindAllStringSubmatch(text, -1) {
		switch at := known(m[1]); {
		case isID(m[1]): // "C-0001/C-0002" lists two
		case at >= 0:
			if own == nil {
				own = make(map[string]string)
			}
			own[ids[at]] = ""
		case m[2] == "/" && !slices.Contains(unknown, m[1]):
			unknown = append(unknown, m[1])
		}
	}
	for id := range own {
		rest := qualifiedID.ReplaceAllStringFunc(text, func(s string) string {
			m := qualifiedID.FindStringSubmatch(s)
			switch {
			case isID(m[1]):
				return s
			case strings.EqualFold(m[1], id):
				return m[3]
			case m[2] != "/" && known(m[1]) < 0:
				return s
			}
			return ""
		})
		own[id] = strings.Join(strings.Fields(rest), " ")
	}
	return own, unknown
}

var (
	qualifiedID = regexp.MustCompile(`([^\s/()\[\],:;"„“@]+)(\s*/\s*|:\s*)([CSBcsb]-[0-9]{4})\b`)
	isID        = regexp.MustCompile(`^[CSBcsb]-[0-9]{4}$`).MatchString
)

// withoutUnknown leaves out the parts of a message that name something of a
// Tresor that is not there. It returns "" if no part is left.
func withoutUnknown(text string, unknown []string) string {
	var left []string
	for _, s := range parts(text) {
		names := slices.ContainsFunc(qualifiedID.FindAllStringSubmatch(s.text, -1), func(m []string) bool { return slices.Contains(unknown, m[1]) })
		if !names && s.asks() {
			left = append(left, s.text+"?")
		}
	}
	return strings.Join(left, " ")
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

// A segment is one part of a question.
type segment struct {
	text string
	// own is set for a sentence with a question mark beside others: a question
	// that gets its own answer, or abstention.
	own bool
}

// asks reports whether a segment is to be answered, and does not only tell what
// the others are about.
func (s segment) asks() bool { return s.own || isQuestion(s.text) }

// parts splits a question into those that it consists of: at sentence ends and
// where a second question word follows "und". It returns at most one part for a
// plain question.
func parts(text string) []segment {
	var out []segment
	questions := 0
	for _, s := range sentences(text) {
		first := len(out)
		for {
			m := conjunction.FindStringSubmatchIndex(s.text)
			if m == nil {
				break
			}
			at := m[4] // the question word
			if m[2] >= 0 {
				at = m[2] // or its preposition
			}
			out = appendQuestions(out, segment{s.text[:m[0]], s.own})
			s.text = s.text[at:]
		}
		out = appendQuestions(out, s)
		if s.own && len(out) > first {
			questions++
		}
	}
	if questions < 2 {
		for i := range out {
			out[i].own = false
		}
	}
	return out
}

// appendQuestions adds a part, and apart what follows in it behind a comma as a
// question of its own: with its verb in second place, as in "Was kostet Parken,
// wer ist Ersthelfer". With its verb at the end it belongs to what is before.
func appendQuestions(out []segment, s segment) []segment {
	for isQuestion(strings.TrimSpace(s.text)) {
		m := afterComma.FindStringSubmatchIndex(s.text)
		if m == nil || strings.Contains(notVerbs, " "+s.text[m[4]:m[5]]+" ") {
			break
		}
		out = appendPart(out, segment{s.text[:m[0]], s.own})
		s.text = s.text[m[2]:]
	}
	return appendPart(out, s)
}

var afterComma = regexp.MustCompile(`,\s+((?:(?:[Ii]n|[Aa]n|[Aa]uf|[Mm]it|[Bb]is|[Aa]b|[Ss]eit|[Vv]on|[Ff]ür|[Zz]u)\s+)?(?:[Ww]ie(?:\s+(?:viele?|alt|lang|lange|hoch|oft|groß|schwer|weit|teuer|breit|tief|schnell))?|[Ww]as|[Ww]o|[Ww]oher|[Ww]ohin|[Ww]ann|[Ww]er|[Ww]em|[Ww]en|[Ww]arum|[Ww]eshalb|[Ww]elche[rsmn]?|[Hh]ow(?:\s+(?:many|much|old|long|high|often))?|[Ww]hat|[Ww]here|[Ww]hen|[Ww]ho|[Ww]hy|[Ww]hich)(?:\s+\p{Lu}\pL*)?\s+(\p{Ll}+(?:t|en)|sind|war|darf|muss|kann|soll|is|are|does|do|can|must|may))\s+[^\s,]`)

const notVerbs = " gut nicht jetzt dort mit seit oft selbst sonst erst meist zuerst den einen keinen meinen deinen unseren ihren gegen wegen neben zwischen that but not at it "

// enumerated returns a question once for each of the things that it lists:
// "Was kostet Parken und Benzin" asks twice. It returns nil if it lists none.
func enumerated(s segment) []segment {
	m := enumeration.FindStringIndex(s.text)
	if m == nil || !s.asks() {
		return nil
	}
	var out []segment
	for _, item := range itemEnd.Split(s.text[m[0]:m[1]], -1) {
		out = append(out, segment{s.text[:m[0]] + item + s.text[m[1]:], s.own})
	}
	return out
}

var (
	enumeration = regexp.MustCompile(`(?:\b(?:der|die|das|den|dem|the)\s+)?\p{Lu}[\pL-]+(?:,\s+(?:(?:der|die|das|den|dem|the)\s+)?\p{Lu}[\pL-]+)*,?\s+(?:und|sowie|and)\s+(?:(?:der|die|das|den|dem|the)\s+)?\p{Lu}[\pL-]+`)
	itemEnd     = regexp.MustCompile(`,?\s+(?:und|sowie|and)\s+|,\s+`)
)

// withoutRepeats leaves out the sentences of a text that it has said before.
func withoutRepeats(text string) string {
	var said []string
	var b strings.Builder
	keep := func(piece string) {
		w := strings.Join(words(piece), " ")
		if w == "" || !slices.Contains(said, w) {
			b.WriteString(piece)
		}
		said = append(said, w)
	}
	start := 0
	for _, m := range sentenceEnd.FindAllStringIndex(text, -1) {
		keep(text[start:m[1]])
		start = m[1]
	}
	keep(text[start:])
	return strings.TrimSpace(b.String())
}

// sentences splits a text at the ends of sentences; own says that a question
// mark is there.
func sentences(text string) []segment {
	var out []segment
	start := 0
	for _, m := range sentenceEnd.FindAllStringIndex(text, -1) {
		end := m[0]
		for end < m[1] && !strings.ContainsRune("?!;.", rune(text[end])) {
			end++ // the letters before a full stop belong to the sentence
		}
		out = append(out, segment{text[start:end], strings.Contains(text[end:m[1]], "?")})
		start = m[1]
	}
	return append(out, segment{text: text[start:]})
}

// appendPart adds a part that has words of some length and does more than greet,
// unless it is there.
func appendPart(out []segment, s segment) []segment {
	s.text = strings.Trim(s.text, " ,:-–\"'")
	if isGreeting(s.text) || isThanks(s.text) || slices.ContainsFunc(out, func(o segment) bool { return strings.EqualFold(o.text, s.text) }) {
		return out
	}
	for _, w := range words(s.text) {
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
