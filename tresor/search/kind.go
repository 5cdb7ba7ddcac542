package search

import "strings"

// kind is the kind of answer that a question asks for.
type kind int

const (
	kindOther     kind = iota
	kindCount          // wie viele
	kindAmount         // wie hoch
	kindMoney          // was kostet
	kindDuration       // wie lange
	kindSize           // wie groß
	kindLength         // wie lang, in space or time
	kindFrequency      // wie oft
	kindDate           // wann
	kindWho            // wer
	kindWhere          // wo
	kindWhy            // warum
	kindName           // wie heißt
	kindWhich          // welche
	kindHow            // wie ... ich
	kindWhat           // was ist, was heißt
)

// openings returns the question words in folded spelling, with a blank before
// a second word, and the kind that they ask for.
func openings() map[string]kind {
	return map[string]kind{
		"wieviel": kindCount, "wieviele": kindCount, "wie viel": kindCount, "wie viele": kindCount, "wie vielen": kindCount,
		"wie hoch": kindAmount, "wie alt": kindDuration, "wie schwer": kindAmount,
		"was kostet": kindMoney, "was kosten": kindMoney, "wie teur": kindMoney,
		"wie lange": kindDuration, "wie schnell": kindDuration, "wie lang": kindLength,
		"wie gross": kindSize, "wie weit": kindSize, "wie tief": kindSize, "wie breit": kindSize,
		"wie oft": kindFrequency, "wie haufig": kindFrequency,
		"wann": kindDate, "welchem jahr": kindDate, "welches jahr": kindDate, "welchem monat": kindDate,
		"welchem jahrhundert": kindDate, "welches datum": kindDate, "welcher tag": kindDate, "welchem tag": kindDate,
		"welchen tagen": kindDate,
		"wer":           kindWho, "wen": kindWho, "wem": kindWho, "wessen": kindWho,
		"wo": kindWhere, "woher": kindWhere, "wohin": kindWhere,
		"warum": kindWhy, "weshalb": kindWhy, "wieso": kindWhy,
		"wie heisst": kindName, "wie heissen": kindName, "wie hiess": kindName, "wie hiessen": kindName, "wie nennt": kindName,
		"wie nannte": kindName, "wie lautet": kindName,
		"welche": kindWhich, "welcher": kindWhich, "welches": kindWhich, "welchen": kindWhich, "welchem": kindWhich,

		"how many": kindCount, "how much": kindAmount, "how high": kindAmount, "how old": kindDuration, "how heavy": kindAmount,
		"what cost": kindMoney, "how expensive": kindMoney, "how long": kindLength, "how fast": kindDuration,
		"how big": kindSize, "how large": kindSize, "how far": kindSize, "how wide": kindSize, "how deep": kindSize,
		"how often": kindFrequency, "when": kindDate, "what year": kindDate, "which year": kindDate, "what date": kindDate,
		"what day": kindDate, "what time": kindDate, "who": kindWho, "whom": kindWho, "whose": kindWho, "where": kindWhere,
		"why": kindWhy, "which": kindWhich,
	}
}

// kindOf returns what a question asks for: its first question word decides.
// Measure is the index of the word that only completes it, as hoch in "wie
// hoch", or -1.
func kindOf(ts []token) (k kind, measure int) {
	known := openings()
	for i, t := range ts {
		switch t.form {
		case "was", "what", "whats":
			if i+1 < len(ts) {
				switch ts[i+1].form {
				case "ist", "sind", "heisst", "bedeutet", "bedeuten", "meint", "is", "are", "does", "means", "s":
					return kindWhat, -1
				}
			}
		}
		if i+1 < len(ts) {
			if k, ok := known[t.form+" "+ts[i+1].form]; ok {
				return k, i + 1
			}
		}
		if k, ok := known[t.form]; ok {
			return k, -1
		}
		if t.form == "wie" || t.form == "how" {
			for _, u := range ts[i+1 : min(len(ts), i+4)] {
				switch u.form {
				case "ich", "wir", "man", "i", "we", "you", "to":
					return kindHow, -1
				}
			}
		}
	}
	return kindOther, -1
}

// offers are what a text has to offer to the kinds of questions, apart from its
// numbers and names.
type offers struct {
	marks mark
	back  float64 // refers to the text before: 1 with its first word, .5 soon after
}

func offersOf(s string, ts []token, lex *lexicon) offers {
	var o offers
	for i, t := range ts {
		m := lex.marks[t.form]
		if m&place != 0 && i+1 < len(ts) && ts[i+1].upper {
			m |= placed
		}
		if t.number && strings.Contains(t.raw, ":") {
			m |= time
		}
		if t.raw == "Sie" && !t.first {
			m |= advice
		}
		if m&back != 0 && i < 8 {
			if i == 0 {
				o.back = 1
			}
			o.back = max(o.back, .5)
		}
		o.marks |= m
	}
	if strings.Contains(s, "`") {
		o.marks |= advice
	}
	if strings.ContainsAny(s, "€$£") {
		o.marks |= money
	}
	if strings.ContainsAny(s, "„“”\"(«»") {
		o.marks |= quoted
	}
	return o
}

// A slot is what a text offers to the question asked.
type slot struct {
	evidence float64 // 0 to 1: holds an answer of the kind that is asked for
	names    int     // capitalised words that the question does not have
}

func (x *Index) slot(q *query, t *text) slot {
	var s slot
	for _, c := range t.capitals {
		if !q.named[c] {
			s.names++
		}
	}
	amount, year := 0.0, false
	for _, n := range t.numbers {
		if q.named[n] {
			continue
		}
		amount = 1
		stem := x.terms[n].stem
		year = year || len(stem) == 3 || len(stem) == 4 || strings.Contains(stem, "-")
	}
	m := t.offers.marks
	if amount == 0 && m&(cardinal|quantity) != 0 {
		amount = .7
	}
	switch q.kind {
	case kindCount, kindAmount:
		s.evidence = amount
	case kindMoney:
		s.evidence = inUnit(amount, m, money)
	case kindDuration:
		s.evidence = inUnit(amount, m, duration|time)
	case kindSize:
		s.evidence = inUnit(amount, m, size)
	case kindLength:
		s.evidence = inUnit(amount, m, size|duration|time)
	case kindFrequency:
		s.evidence = inUnit(amount, m, duration)
		if m&frequency != 0 {
			s.evidence = 1
		}
	case kindDate:
		switch {
		case year || m&time != 0 && amount == 1:
			s.evidence = 1
		case m&event != 0 && m&duration != 0:
			s.evidence = .7
		case m&(time|frequency) != 0:
			s.evidence = .8
		case m&event != 0:
			s.evidence = .3
		}
	case kindWho:
		if s.names > 0 {
			s.evidence = min(1, .25+.5*float64(s.names))
		}
	case kindWhere:
		if m&placed != 0 {
			s.evidence = .5
		}
		if s.names > 0 {
			s.evidence += .5
		}
	case kindWhy:
		s.evidence = either(m&cause != 0)
	case kindHow:
		s.evidence = either(m&advice != 0)
	case kindWhat:
		if t.subject >= 0 && q.named[t.subject] {
			s.evidence = 1
		}
	case kindName:
		s.evidence = either(m&(naming|quoted) != 0)
	}
	return s
}

func either(cond bool) float64 {
	if cond {
		return 1
	}
	return 0
}

// inUnit weighs an amount by whether the text has a unit of the wanted kind. If
// it has only others, the amount is of something else; if it has none, most
// likely too: "in vier Schritten" is no price.
func inUnit(amount float64, m, want mark) float64 {
	switch {
	case m&want != 0:
		return max(amount, .7)
	case m&(money|duration|size|time) != 0:
		return 0
	}
	return .3 * amount
}

// measures reports whether an answer without evidence of the kind is hardly
// one: those that ask for an amount or a date.
func (k kind) measures() bool { return k >= kindCount && k <= kindDate }

// evidenceWeight is what [slot.evidence] weighs in the score.
func (k kind) evidenceWeight() float64 {
	switch {
	case k.measures(), k == kindWho, k == kindWhy:
		return .5
	case k == kindWhere, k == kindName:
		return .25
	case k == kindHow:
		return .5
	case k == kindWhat:
		return .5
	}
	return 0
}

// nameWeight is what four new names weigh: they are candidates for what the
// question asks for.
func (k kind) nameWeight() float64 {
	switch k {
	case kindWho, kindWhere, kindName, kindWhich:
		return .4
	}
	return .13
}
