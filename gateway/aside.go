package gateway

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"outheis/channels"
)

// A Mark is what somebody thinks of an answer.
type Mark string

// The marks.
const (
	MarkUp   Mark = "up"
	MarkDown Mark = "down"
	MarkNone Mark = "none" // taken back
)

// By is how something was said about an answer.
type By string

// The ways to say it.
const (
	ByButton   By = "button"
	ByReaction By = "reaction"
	ByWords    By = "words"
)

// noNumber stands for the number that somebody gives who asks for "Beleg 0".
const noNumber = -1

// The reasons for [MarkDown] that have a button. People may also write their
// own.
const (
	whyWrong      = "wrong"
	whyIncomplete = "incomplete"
	whyOutdated   = "outdated"
	whyOffTopic   = "off_topic"
)

// An aside is what a person says about an answer instead of asking something:
// by a button under it, by a reaction to it, or in words.
type aside struct {
	intent string // intentFeedback or intentEvidence
	by     By
	answer string // the id of the answered request, where a button names it
	mark   Mark
	why    string
	number int    // of the Beleg; 0 for all, noNumber for one that there is never
	beleg  string // its id, where the person said that
	// sure is false for words that are an aside only where there is an answer
	// that they can be about, and a question otherwise.
	sure bool
	// later words mean something only right after MarkDown, or as a reply.
	later bool
}

// The kinds of our buttons: what stands before the colon of their IDs.
const (
	buttonUp       = "up"
	buttonDown     = "down"
	buttonWhy      = "why" // why:id:reason
	buttonEvidence = "ev"
)

// buttonID names a button about the answer to request id, for ever: what it is
// about stands in the log.
func buttonID(kind, id string, more ...string) string {
	return strings.Join(append([]string{kind, id}, more...), ":")
}

// longestAside bounds what is looked at in search of one, in bytes. Own words
// behind a thumb may be as long as any message.
const longestAside = 80

// longestWhy bounds the own words of a person about an answer, in code points.
const longestWhy = 500

// asideOf reads what e says about an answer. It reports false for everything
// else.
func asideOf(e channels.Event) (aside, bool) {
	switch e.Kind {
	case channels.KindButton:
		return pressed(e.Button)
	case channels.KindReaction:
		return reacted(e.Text)
	case channels.KindMessage, channels.KindEdit, channels.KindCommand:
		a, ok := said(e)
		a.by = ByWords
		return a, ok
	}
	return aside{}, false
}

// pressed reads a button. One that is not ours, or somebody's invention, is no
// aside.
func pressed(button string) (aside, bool) {
	kind, rest, _ := strings.Cut(button, ":")
	id, more, _ := strings.Cut(rest, ":")
	if !isID(id) {
		return aside{}, false
	}
	a := aside{intent: intentFeedback, by: ByButton, answer: id, sure: true}
	switch {
	case kind == buttonUp && more == "":
		a.mark = MarkUp
	case kind == buttonDown && more == "":
		a.mark = MarkDown
	case kind == buttonWhy && isReason(more):
		a.mark, a.why = MarkDown, more
	case kind == buttonEvidence:
		n, err := strconv.ParseUint(more, 10, 16)
		if more != "" && (err != nil || more[0] == '0') {
			return aside{}, false
		}
		a.intent, a.number = intentEvidence, int(n)
	default:
		return aside{}, false
	}
	return a, true
}

// isID reports that s may be the id of a line of the log.
func isID(s string) bool {
	return s != "" && len(s) <= 24 && strings.Trim(s, "0123456789") == ""
}

func isReason(s string) bool {
	switch s {
	case whyWrong, whyIncomplete, whyOutdated, whyOffTopic:
		return true
	}
	return false
}

// reacted reads a reaction. Emoji that are no thumbs say nothing.
func reacted(emoji string) (aside, bool) {
	a := aside{intent: intentFeedback, by: ByReaction, sure: true}
	switch thumb(emoji) {
	case MarkUp:
		a.mark = MarkUp
	case MarkDown:
		a.mark = MarkDown
	default:
		a.mark = MarkNone
		return a, strings.TrimSpace(emoji) == ""
	}
	return a, true
}

// thumb reads a thumb, whatever its colour and however the network spells it.
func thumb(s string) Mark {
	switch strings.Trim(bare(s), ":") {
	case "👍", "+1", "thumbsup", "thumbs_up":
		return MarkUp
	case "👎", "-1", "thumbsdown", "thumbs_down":
		return MarkDown
	}
	return ""
}

// bare takes the colour of skin and the selectors of a look out of an emoji.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x1F3FB && r <= 0x1F3FF || r == 0xFE0E || r == 0xFE0F {
			return -1
		}
		return r
	}, strings.TrimSpace(s))
}

// evidenceWords are the ways to ask for evidence, as "Beleg 2 zeigen", "zeig mir
// die Belege", "show source 2", "beleg C-0004".
var evidenceWords = regexp.MustCompile(`^/?(?:(?:bitte )?(?:zeige?n?|show)(?: sie)?(?: mir| me)?(?: bitte)?(?: the| den| die| alle| all)? )?` +
	`(belege?|evidence|quellen?|sources?|citations?)(?: (?:nr\.?|nummer|no\.?|number|#)| #)? ?(\d{1,3}|(?:[^ /]{1,40}/)?c-\d{1,9})?(?: (?:bitte|please))?(?: (?:an)?zeigen)?(?: (?:bitte|please))?$`)

// said reads words, or a command.
func said(e channels.Event) (aside, bool) {
	switch e.Command {
	case commandEvidence:
		if len(e.Text) > longestAside {
			return aside{}, false
		}
		if a, ok := evidence("beleg " + e.Text); ok {
			a.sure = true
			return a, true
		}
		return aside{intent: intentEvidence, sure: true}, strings.TrimSpace(e.Text) == ""
	case "":
	default:
		return aside{}, false
	}
	if a, ok := thumbed(e.Text); ok {
		return a, true
	}
	if len(e.Text) > longestAside {
		return aside{}, false
	}
	words := strings.Join(strings.Fields(strings.ToLower(strings.Trim(e.Text, " \n\t.!"))), " ")
	a := aside{intent: intentFeedback}
	switch words {
	case "gut", "richtig", "hilfreich", "good", "right", "correct", "helpful":
		a.mark = MarkUp
	case "falsch", "wrong", "stimmt nicht":
		a.mark, a.why = MarkDown, whyWrong
	case "schlecht", "nicht hilfreich", "bad", "not helpful":
		a.mark = MarkDown
	case "unvollständig", "incomplete":
		a.mark, a.why, a.later = MarkDown, whyIncomplete, true
	case "veraltet", "outdated":
		a.mark, a.why, a.later = MarkDown, whyOutdated, true
	case "passt nicht", "off topic":
		a.mark, a.why, a.later = MarkDown, whyOffTopic, true
	default:
		return evidence(strings.TrimRight(words, "? "))
	}
	return a, true
}

// thumbed reads a thumb, and what is said behind it: thanks behind one that
// points up, the reason behind one that points down. Whoever says more than that
// asks something.
func thumbed(text string) (aside, bool) {
	text = bare(text)
	end := len(text)
	for _, t := range []string{"👍", "👎", "+1", "-1"} {
		if strings.HasPrefix(text, t) {
			end = len(t)
		}
	}
	mark := thumb(text[:end])
	if mark == "" || len(text) > end && (text[0] == '+' || text[0] == '-') { // "-1 degree" is a number
		return aside{}, false
	}
	a := aside{intent: intentFeedback, mark: mark, sure: true}
	words := strings.Trim(text[end:], " \n\t.,:!–-")
	switch {
	case strings.HasSuffix(words, "?"), mark == MarkUp && !isPolite(words):
		return aside{}, false
	case mark == MarkDown:
		a.why = reason(words)
	}
	return a, true
}

// isPolite reports that words say no more than a thumb that points up does.
func isPolite(words string) bool {
	words = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsMark(r) {
			return unicode.ToLower(r)
		}
		return ' ' // other emoji say nothing either
	}, words)
	for _, w := range strings.Fields(words) {
		switch w {
		case "danke", "dankeschön", "dank", "vielen", "besten", "herzlichen", "lieben", "schön", "sehr", "ganz", "das", "war", "ist", "hat", "mir",
			"geholfen", "gut", "gute", "super", "prima", "toll", "klasse", "perfekt", "spitze", "top", "genau", "richtig", "stimmt", "passt", "alles",
			"klar", "ok", "okay", "hilfreich", "hilft", "ja", "antwort",
			"thanks", "thank", "you", "thx", "very", "much", "so", "many", "great", "good", "nice", "perfect", "helpful", "right", "correct", "that",
			"was", "is", "helped", "me", "yes", "answer", "cool", "excellent":
		default:
			return false
		}
	}
	return true
}

// reason returns the name of a reason, or the person's own words.
func reason(words string) string {
	if words == "" {
		return ""
	}
	if a, ok := said(channels.Event{Text: words}); ok && a.intent == intentFeedback && a.mark == MarkDown && utf8.RuneCountInString(words) < 20 {
		return a.why
	}
	return cut(words, longestWhy)
}

// evidence reads words that ask for evidence.
func evidence(words string) (aside, bool) {
	m := evidenceWords.FindStringSubmatch(strings.ToLower(strings.Join(strings.Fields(words), " ")))
	if m == nil {
		return aside{}, false
	}
	a := aside{intent: intentEvidence, sure: strings.HasPrefix(m[1], "beleg")}
	if n, err := strconv.Atoi(m[2]); err == nil {
		a.number, a.sure = n, a.sure || n > 0
		if n == 0 {
			a.number = noNumber
		}
	} else {
		a.beleg = strings.ToUpper(m[2])
		if i := strings.LastIndexByte(m[2], '/'); i >= 0 {
			a.beleg = m[2][:i] + strings.ToUpper(m[2][i:])
		}
	}
	return a, true
}

// present lets [Decide] see what e is about.
func (s *subject) present(e channels.Event) channels.Event {
	e.Command = ""
	if s.intent == intentEvidence || e.Kind == channels.KindEdit { // an edit says nothing again
		e.Command = commandEvidence
	}
	if s.by != ByWords { // under a message of ours
		e.Addressed = true
	}
	return e
}
