package tresor

import (
	"regexp"
	"slices"
	"strings"

	engine "outheis/tresor"
)

// held is the share of a word from which on a claim itself, or the title of its
// page, has it; what only a neighbouring claim has lies below.
const held = .8

// A likeness says whether two claims of different Tresore speak of the same.
type likeness int

const (
	different likeness = iota // of something else, as far as the question goes
	unsure
	same
)

// liken compares the claims that two Tresore have for one part of a question:
// does narrow speak of all that wide speaks of? It is decided by the words of
// both, in these steps.
//
//  1. A word of the question that wide covers must be covered by narrow as well;
//     else they are different.
//  2. Only a claim that is in force can be the same: one of a page that is aktiv
//     and not in contradiction with another.
//  3. They are the same if narrow also has every other content word of wide, but
//     for numbers, dates and rhythms, which may differ: nothing that wide says
//     would get lost.
//  4. They are also the same if the question asks who, where or how, and exactly
//     one such word of wide is replaced in narrow: the one that is asked for.
//
// Everything else is unsure, and both are shown.
func (c *composition) liken(text string, wide, narrow *entry) likeness {
	for i, w := range wide.assessment.Words {
		if wide.fit.Covered[i] < held {
			continue
		}
		at := slices.IndexFunc(narrow.assessment.Words, func(o engine.Word) bool { return o.Text == w.Text })
		if at < 0 || narrow.fit.Covered[at] < held {
			return different
		}
	}
	if narrow.fit.Page.Status != "aktiv" || narrow.disputed {
		return unsure
	}
	lost, ok := c.lacking(wide, narrow)
	switch {
	case !ok:
		return unsure
	case len(lost) == 0:
		return same
	case len(lost) > 1 || !asksForThing(text) || !slices.Equal(amounts(wide.fit.Claim.Text), amounts(narrow.fit.Claim.Text)):
		return unsure
	}
	if instead, ok := c.lacking(narrow, wide); ok && len(instead) > 0 {
		return same
	}
	return unsure
}

// lacking returns the content words of a claim that another one lacks, numbers
// and dates aside. It fails if the other claim does not show when the first is
// looked up in its Tresor.
func (c *composition) lacking(of, in *entry) (lost []string, ok bool) {
	a := c.lookUp(in.tresor, of.fit.Claim.Text)
	at := slices.IndexFunc(a.Fits, func(f engine.Fit) bool { return f.Claim.ID == in.fit.Claim.ID })
	if at < 0 {
		return nil, false
	}
	for i, w := range a.Words {
		if a.Fits[at].Covered[i] < held && !isAmount(w.Text) {
			lost = append(lost, w.Text)
		}
	}
	return lost, true
}

// lookUp assesses the text of a claim in a Tresor, once.
func (c *composition) lookUp(t Tresor, text string) engine.Assessment {
	key := t.ID + "\x00" + text
	a, known := c.looked[key]
	if !known {
		a = t.Snapshot.Assess(text, engine.AssessOptions{Limit: reviewed})
		c.looked[key] = a
	}
	return a
}

// contradict reports whether two claims that speak of the same say different
// things: other numbers, or one of them denies, or a word stands for another.
func (c *composition) contradict(a, b *entry) bool {
	ta, tb := a.fit.Claim.Text, b.fit.Claim.Text
	if !slices.Equal(amounts(ta), amounts(tb)) || denies(ta) != denies(tb) {
		return true
	}
	lost, _ := c.lacking(a, b)
	instead, _ := c.lacking(b, a)
	return len(lost) > 0 && len(instead) > 0
}

// asksForThing finds questions whose answer is a word and no number.
var asksForThing = regexp.MustCompile(`(?i)^(?:\pL+\s+)?(?:wer|wem|wen|wessen|wo|woher|wohin|womit|wodurch|worin|woran|wofür|wogegen|worüber|who|whom|whose|where)\b|^(?:wie|how)\s+(?:wird|werden|ist|sind|muss|müssen|soll|sollen|kann|können|is|are|do|does|must)\b`).MatchString

var (
	numberWord = regexp.MustCompile(`^(?:und|ein|zwei|zwo|drei|vier|fünf|fuenf|sech|sechs|sieb|sieben|acht|neun|zehn|elf|zwölf|zwoelf|zwan|zig|ßig|ssig|hundert|tausend)+$`)
	// otherAmounts are words that stand for a number, a date or a rhythm.
	otherAmounts = " null halb halbe halben dutzend million millionen milliarde milliarden" +
		" montag montags dienstag dienstags mittwoch mittwochs donnerstag donnerstags freitag freitags samstag samstags sonnabend sonntag sonntags" +
		" januar februar märz maerz april mai juni juli august september oktober november dezember" +
		" täglich taeglich wöchentlich woechentlich monatlich vierteljährlich vierteljaehrlich halbjährlich halbjaehrlich jährlich jaehrlich stündlich stuendlich" +
		" one two three four five six seven eight nine ten eleven twelve hundred thousand half dozen" +
		" monday tuesday wednesday thursday friday saturday sunday january february march may june july october december" +
		" hourly daily weekly monthly quarterly yearly "
)

// isAmount reports whether a word is a number, or stands for one, for a date or
// for a rhythm.
func isAmount(word string) bool {
	word = strings.ToLower(word)
	return strings.ContainsAny(word, "0123456789") || strings.Contains(otherAmounts, " "+word+" ") || word != "und" && word != "ein" && numberWord.MatchString(word)
}

// amounts returns the amounts of a text, sorted, each once; "22:00" is "22".
func amounts(text string) []string {
	var all []string
	for _, w := range words(text) {
		if isAmount(w) && strings.Trim(w, "0") != "" {
			all = append(all, w)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// denials are words that turn a sentence into its contrary.
const denials = " nicht nichts nie niemals kein keine keinen keinem keiner keines ohne verboten untersagt unzulässig not no never none without forbidden prohibited "

func denies(text string) bool {
	return slices.ContainsFunc(words(text), func(w string) bool { return strings.Contains(denials, " "+w+" ") })
}
