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

// liken compares the claims that two Tresore have for one part of a question: do
// they speak of the same? An override that is missed costs a sentence, a wrong one
// hides what holds; so it must be certain. It is decided by the words of both:
//
//  1. A word of the question that wide covers must be covered by narrow as well;
//     else they are different. So they are where narrow is not in force: what is
//     outdated or in review goes before nothing.
//  2. They are the same only if both have the same words in the same order. Names
//     are words like any other: the 3 of "Halle 3" and the A of "Maschine A". Only
//     where narrow says that it is about its own area may it have more.
//  3. One value may differ, if the question asks for just that: an amount with its
//     unit, a date, a rhythm; who it is, of an office that only one has; or
//     whether, where one denies the verb.
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
	if !narrow.inForce() {
		return different
	}
	if narrow.disputed {
		return unsure
	}
	asked := counted(text)
	a, b := read(wide.fit.Claim.Text, asked), read(narrow.fit.Claim.Text, asked)
	b.rest = withoutArea(b.rest, narrow.tresor)
	if a.leans || b.leans {
		return unsure
	}
	if sameWording(a.rest, b.rest) {
		if differ, ok := differing(a, b); ok && (differ == nil || asksForValue(text, *differ, len(a.values))) {
			return same
		}
		return unsure
	}
	if !slices.Equal(a.values, b.values) {
		return unsure
	}
	if denied, ok := deniesVerb(a.rest, b.rest); ok && denied && asksWhether(text) {
		return same
	}
	if of, ok := office(text); ok && a.names(of) && b.names(of) {
		x, y := replacedWords(a.rest, b.rest)
		if isPerson(x, of) && isPerson(y, of) {
			return same
		}
	}
	return unsure
}

// inForce reports whether the page of a claim is.
func (e *entry) inForce() bool { return e.fit.Page.Status == "aktiv" }

// differing returns the only value in which two readings differ, or nil if there
// is none. It fails if they differ in more.
func differing(a, b reading) (*value, bool) {
	if len(a.values) != len(b.values) {
		return nil, false
	}
	var found *value
	for i, v := range a.values {
		switch w := b.values[i]; {
		case v.unit != w.unit || v.text != w.text && found != nil:
			return nil, false
		case v.text != w.text:
			found = &a.values[i]
		}
	}
	return found, true
}

// replacedWords returns what stands in each of two texts where they differ,
// between a beginning and an end that they share.
func replacedWords(a, b []term) (inA, inB []term) {
	for len(a) > 0 && len(b) > 0 && a[0].is(b[0]) {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1].is(b[len(b)-1]) {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}

// deniesVerb reports whether one of two texts is the other with its verb denied.
// A "nicht" elsewhere denies something else: "nicht angemeldete Besucher".
func deniesVerb(a, b []term) (denied, ok bool) {
	for _, pair := range [][2][]term{{a, b}, {b, a}} {
		with, without := pair[0], pair[1]
		for i, t := range with {
			switch {
			case t.key != "nicht" && t.key != "not":
				continue
			case t.key == "nicht" && i != len(with)-2, t.key == "not" && (i == 0 || !has(auxiliaries, with[i-1].key)):
				continue
			}
			if sameWording(slices.Delete(slices.Clone(with), i, i+1), without) {
				return true, true
			}
		}
	}
	return false, false
}

const auxiliaries = " be may must can could shall should will do does "

// withoutArea leaves out where a text says that it is about the own area of its
// Tresor: "im Projekt", "im Projekt Nord" in the Tresor nord.
func withoutArea(text []term, t Tresor) []term {
	own := words(t.ID)
	isOwn := func(i int) bool {
		return i < len(text) && slices.ContainsFunc(own, func(w string) bool { return w == text[i].key })
	}
	kind := map[Scope]string{Projekt: " projekt project ", Fachbereich: " fachbereich department "}[t.Scope]
	for i, p := range text {
		if !has(" im in für for within ", p.key) {
			continue
		}
		end := i + 1
		if end < len(text) && kind != "" && has(kind, text[end].key) {
			end++
		}
		for isOwn(end) {
			end++
		}
		if end == i+1 || end == i+2 && !isOwn(i+1) && end < len(text) && (text[end].upper || isNumber(text[end].key)) {
			continue // another project, or none
		}
		return slices.Delete(slices.Clone(text), i, end)
	}
	return text
}

// What a question asks for.
var (
	asksWhen  = regexp.MustCompile(`(?i)\b(?:wann|when|what time|wie viel uhr|an welche[mn] tag(?:en)?)\b`).MatchString
	asksOften = regexp.MustCompile(`(?i)\b(?:wie (?:oft|häufig)|how often)\b`).MatchString
	asksPrice = regexp.MustCompile(`(?i)\bwas kost|\bwie ?viel kost|\bwie teuer\b|\bhow (?:much|expensive)\b|\bwhat (?:does|do|is)\b.*\b(?:cost|price)\b`).MatchString
	asksLong  = regexp.MustCompile(`(?i)\b(?:wie lang|wie lange|how long)\b`).MatchString
	asksSize  = regexp.MustCompile(`(?i)\b(?:wie (?:hoch|groß|gross|schwer|weit|alt|tief|breit|schnell|stark|warm|kalt|viel)|how (?:high|big|large|heavy|far|old|deep|wide|fast|warm|much))\b`).MatchString
	asksCount = regexp.MustCompile(`(?i)\b(?:wie ?viele?|how many)\s+(\pL+)`)
	// A question without a question word that begins with a verb.
	asksWhether = regexp.MustCompile(`(?i)^(?:und\s+|and\s+)?(?:darf|dürfen|muss|müssen|kann|können|soll|sollen|ist|sind|wird|werden|gilt|hat|haben|gibt|may|must|can|is|are|does|do|should)\b`).MatchString
	// The only holder of an office.
	asksOffice = regexp.MustCompile(`(?i)^(?:wer ist|who is) (?:der|die|das|the) (\pL+)\b`)
)

// counted returns the stem of the noun that a question counts.
func counted(text string) []string {
	if m := asksCount.FindStringSubmatch(text); m != nil {
		return []string{stem(strings.ToLower(m[1]))}
	}
	return nil
}

// asksForValue reports whether a question asks for just that value, of all that a
// claim has.
func asksForValue(text string, v value, all int) bool {
	class := unitClass(v.unit)
	if n := counted(text); n != nil && (n[0] == v.unit || unitClass(n[0]) != "") {
		return n[0] == v.unit
	}
	switch {
	case asksWhen(text):
		return v.unit == "date" || v.unit == "day" || class == "clock" || class == "time"
	case asksOften(text):
		return v.unit == "rhythm" || class == "time" || v.unit == "mal"
	case asksPrice(text):
		return class == "money"
	case asksLong(text):
		return class == "time" || class == "length" || class == "clock"
	}
	return class != "" && all == 1 && asksSize(text)
}

// office returns the office whose holder a question asks for.
func office(text string) (key string, ok bool) {
	if m := asksOffice.FindStringSubmatch(text); m != nil {
		return strings.ToLower(m[1]), true
	}
	return "", false
}

// names reports whether a text speaks of the office as one that only one has.
func (r reading) names(office string) bool {
	return slices.ContainsFunc(r.rest, func(t term) bool { return t.key == office && t.article })
}

// isPerson reports whether words can be a name, with or without a form of
// address.
func isPerson(all []term, office string) bool {
	return len(all) > 0 && len(all) < 3 && !slices.ContainsFunc(all, func(t term) bool {
		return !t.upper || t.key == office || isNumber(t.key) || isNobody(t) || len(t.key) < 2
	})
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
		a = t.Snapshot.Assess(text, engine.AssessOptions{World: c.worlds[t.ID], Limit: reviewed})
		c.looked[key] = a
	}
	return a
}

// An opposition says how a claim stands to another on the same question.
type opposition int

const (
	agrees      opposition = iota // it says the same, or adds something
	mayOppose                     // that is not certain
	contradicts                   // it says something else of the same
)

// oppose compares what somebody noted with what another Tresor says. Nothing is
// taken out for it, so it need not be as certain as [composition.liken].
func (c *composition) oppose(text string, own, other *entry) opposition {
	if max(c.liken(text, other, own), c.liken(text, own, other)) == different {
		return agrees
	}
	asked := counted(text)
	a, b := read(other.fit.Claim.Text, asked), read(own.fit.Claim.Text, asked)
	denied := denies(a.rest) != denies(b.rest)
	if sameWording(withoutDenial(a.rest), withoutDenial(b.rest)) {
		differ, ok := differing(a, b)
		switch {
		case ok && (denied || differ != nil):
			return contradicts
		case ok:
			return agrees
		}
		return mayOppose
	}
	x, y := replacedWords(a.rest, b.rest)
	if slices.ContainsFunc(x, isNobody) != slices.ContainsFunc(y, isNobody) && len(x) > 0 && len(y) > 0 {
		return contradicts
	}
	if !denied && len(x) == 0 && slices.Equal(a.values, b.values) {
		return agrees // own has all of other, and more
	}
	lost, ok := c.lacking(other, own)
	if ok && len(lost) == 0 && !denied && slices.Equal(amounts(other.fit.Claim.Text), amounts(own.fit.Claim.Text)) {
		return agrees
	}
	return mayOppose
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

const (
	// denials are words that turn a sentence into its contrary.
	denials = " nicht nichts nie niemals kein keine keinen keinem keiner keines keinerlei ohne verboten untersagt unzulässig not no never none without forbidden prohibited "
	// nobody are those that stand in the place of an answer.
	nobody = " niemand niemandem niemanden niemandes nirgends nirgendwo nichts keiner keinem keinen keine nobody nowhere nothing none "
)

func isDenial(t term) bool { return has(denials+nobody, t.key) }

func isNobody(t term) bool { return has(nobody, t.key) }

func denies(text []term) bool { return slices.ContainsFunc(text, isDenial) }

func withoutDenial(text []term) []term {
	return slices.DeleteFunc(slices.Clone(text), func(t term) bool { return t.key == "nicht" || t.key == "not" })
}
