package tresor

import (
	"context"
	"slices"
	"strings"

	"outheis/agents"
	"outheis/config/texts"
	engine "outheis/tresor"
)

// An exchange is one question being answered.
type exchange struct {
	t        *texts.Texts
	text     string // as it was asked
	question string // what is answered: text, or the question before it
	segments []segment
	byTresor map[string]string // the question for each Tresor that it names, or nil
	worlds   map[string]string // by Tresor: the Begriffswelt that was chosen
	turns    []agents.Turn
	several  bool // citations name their Tresor
}

// newExchange prepares a question for the Tresore that are asked.
func newExchange(t *texts.Texts, text string, turns []agents.Turn, asked []Tresor, several bool) *exchange {
	e := &exchange{t: t, text: text, question: text, turns: turns, several: several, worlds: make(map[string]string)}
	for _, one := range asked {
		if one.Snapshot == nil {
			continue
		}
		if earlier, world, ok := chosenWorld(one.Snapshot, text, turns); ok {
			e.question, e.worlds[one.ID] = earlier, world
		}
	}
	e.question = withoutRepeats(e.question)
	if e.segments = parts(e.question); len(e.segments) < 2 {
		e.segments = []segment{{text: e.question}}
	}
	return e
}

// ownParts reports whether the message consists of several questions, each with
// an answer of its own.
func (e *exchange) ownParts() bool {
	return slices.ContainsFunc(e.segments, func(s segment) bool { return s.own })
}

// wholeQuestion is the place of what covers the question only as a whole, behind
// its segments.
func (e *exchange) wholeQuestion() int { return len(e.segments) }

// A result is what a Tresor has for a question.
type result struct {
	tresor Tresor
	whole  engine.Assessment
	found  []part         // the covered parts, each with at least one claim
	open   map[int]remain // by segment: what was looked for and not found
	// unclear is what is ambiguous in parts that were not reviewed for it.
	unclear []engine.Ambiguity
}

// A part is a part of the question and the claims of a Tresor that cover it.
type part struct {
	segment    int
	assessment engine.Assessment
	fits       []engine.Fit
	byID       bool // they are asked for by their ID
}

// A remain says how sure it is that a part of a question is not covered.
type remain int

const (
	unreviewed remain = iota + 1 // it is ambiguous
	perhaps
	surely
)

// asksBack reports whether the Tresor could not be reviewed, because the
// question is ambiguous there.
func (r *result) asksBack() bool { return len(r.whole.Ambiguous) > 0 && len(r.found) == 0 }

// ambiguities returns what kept the Tresor from being reviewed for the question,
// or for a part of it.
func (r *result) ambiguities() []engine.Ambiguity {
	if r.asksBack() {
		return r.whole.Ambiguous
	}
	return r.unclear
}

// spread returns the exchange with the parts that nothing covers taken apart
// into the things that they list; nil if there are none.
func (e *exchange) spread(results []*result) *exchange {
	covered := func(at int) bool {
		return slices.ContainsFunc(results, func(r *result) bool {
			return r.open[at] == unreviewed || slices.ContainsFunc(r.found, func(p part) bool { return p.segment == at })
		})
	}
	if e.byTresor != nil || covered(e.wholeQuestion()) || slices.ContainsFunc(results, (*result).asksBack) {
		return nil
	}
	next := *e
	next.segments = nil
	for i, s := range e.segments {
		if things := enumerated(s); len(things) > 0 && !covered(i) {
			next.segments = append(next.segments, things...)
		} else {
			next.segments = append(next.segments, s)
		}
	}
	if len(next.segments) == len(e.segments) {
		return nil
	}
	return &next
}

// askAll asks the Tresore that are available, and returns what they have in the
// order of an answer.
func (e *exchange) askAll(ctx context.Context, asked []Tresor) (results []*result, missing []Tresor, err error) {
	asked = slices.Clone(asked)
	slices.SortStableFunc(asked, inOrder)
	for _, t := range asked {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if t.Snapshot == nil {
			missing = append(missing, t)
			continue
		}
		results = append(results, e.ask(t))
	}
	return results, missing, nil
}

// ask reviews the Bestand of one Tresor.
func (e *exchange) ask(t Tresor) *result {
	assess := func(text string) engine.Assessment {
		return t.Snapshot.Assess(text, engine.AssessOptions{World: e.worlds[t.ID], Limit: reviewed})
	}
	question := e.question
	if own, ok := e.byTresor[t.ID]; ok {
		question = own
	}
	r := &result{tresor: t, whole: assess(question), open: make(map[int]remain)}
	switch r.whole.Query.State {
	case engine.CandidatesFound, engine.NoCandidates:
	case engine.Ambiguous:
		if len(e.segments) > 1 { // other parts may not be
			r.byParts(e.segments, assess)
		}
		return r
	default:
		return r
	}
	if named := e.named(t.Snapshot, r.whole); len(named) > 0 {
		r.found = []part{{e.wholeQuestion(), r.whole, named, true}}
		return r
	}
	if len(e.segments) > 1 {
		r.byParts(e.segments, assess)
	}
	if len(r.found) > 0 {
		return r
	}
	at := e.wholeQuestion()
	if len(e.segments) == 1 {
		at = 0
	}
	if r.whole.Covered() {
		r.found = []part{{at, r.whole, fitting(r.whole), false}}
	} else if a, ok := followUp(question, r.whole, e.turns, assess); ok {
		r.found = []part{{at, a, fitting(a), false}}
	}
	return r
}

// byParts answers each part of a question by itself. A part that leans on the
// ones before it is read with what they name.
func (r *result) byParts(all []segment, assess func(string) engine.Assessment) {
	about := ""
	asks := slices.ContainsFunc(all, segment.asks)
	for i, s := range all {
		if asks && !s.asks() {
			about = strings.TrimSpace(about + " " + names(s.text)) // tells, and asks nothing
			continue
		}
		a := assess(s.text)
		if len(a.Ambiguous) > 0 {
			for _, amb := range a.Ambiguous {
				if !slices.ContainsFunc(r.unclear, func(o engine.Ambiguity) bool { return o.Phrase == amb.Phrase }) {
					r.unclear = append(r.unclear, amb)
				}
			}
			r.open[i] = unreviewed
			continue
		}
		if !a.Covered() && i > 0 && about != "" {
			if with := assess(s.text + " " + about); coversOwn(with, a) {
				a = with
			}
		}
		switch {
		case a.Covered():
			r.found = append(r.found, part{i, a, fitting(a), false})
		case !s.asks() || len(a.Words) == 0:
		case len(a.Fits) == 0 || a.Fits[0].Value < sureGap:
			r.open[i] = surely
		default:
			r.open[i] = perhaps
		}
		about = strings.TrimSpace(about + " " + names(s.text))
	}
}

// followUp reads a question that leans on the one before it together with what
// that one named. Earlier answers give no facts: what they said is not looked
// at.
func followUp(text string, own engine.Assessment, turns []agents.Turn, assess func(string) engine.Assessment) (engine.Assessment, bool) {
	if len(turns) == 0 || !leansBack(text) {
		return engine.Assessment{}, false
	}
	about := names(turns[len(turns)-1].Question)
	if about == "" {
		return engine.Assessment{}, false
	}
	a := assess(text + " " + about)
	return a, coversOwn(a, own)
}

// coversOwn reports whether the best claim for a completed question also covers
// the words of the question itself.
func coversOwn(completed, own engine.Assessment) bool {
	if !completed.Covered() || len(own.Words) == 0 {
		return false
	}
	var need, covered float64
	for i, w := range completed.Words {
		if slices.ContainsFunc(own.Words, func(o engine.Word) bool { return o.Text == w.Text }) {
			need += w.Need
			covered += w.Need * completed.Fits[0].Covered[i]
		}
	}
	return need > 0 && covered/need >= .6
}

// chosenWorld recognises the answer to a question back, or to a remark that a
// part of the question before is ambiguous: it names a Begriffswelt, and under a
// remark nothing else.
func chosenWorld(s *engine.Snapshot, text string, turns []agents.Turn) (question, world string, ok bool) {
	if len(turns) == 0 {
		return "", "", false
	}
	before := turns[len(turns)-1]
	question = clean(before.Question)
	said := " " + strings.Join(words(text), " ") + " "
	for _, w := range s.Worlds() {
		for _, name := range []string{w.Name, w.ID} {
			rest, other, found := strings.Cut(said, " "+strings.Join(words(name), " ")+" ")
			if !found {
				continue
			}
			if before.Answer.Status() == agents.StatusAmbiguous || onlyFills(rest+" "+other) && ambiguousIn(s, question, w.ID) {
				return question, w.ID, true
			}
		}
	}
	return "", "", false
}

// onlyFills reports whether words say nothing beside a choice.
func onlyFills(text string) bool {
	return !slices.ContainsFunc(words(text), func(w string) bool {
		return !strings.Contains(" ich meine den die das der dem im in bitte also ja na klar i mean the in please ", " "+w+" ")
	})
}

// ambiguousIn reports whether a part of a question is ambiguous between the
// Begriffswelt and others.
func ambiguousIn(s *engine.Snapshot, question, world string) bool {
	for _, p := range append(parts(question), segment{text: question}) {
		for _, amb := range s.Assess(p.text, engine.AssessOptions{Limit: 1}).Ambiguous {
			if slices.ContainsFunc(amb.Concepts, func(c engine.Concept) bool { return c.World == world }) {
				return true
			}
		}
	}
	return false
}

// gaps returns the parts of the question that no Tresor covers: those that are
// not in the Bestand, and those for which that is not certain. What an
// unreviewed Tresor may cover is never certain.
func (e *exchange) gaps(results []*result, reviewedAll bool) (sure, open []string) {
	for _, r := range results {
		if slices.ContainsFunc(r.found, func(p part) bool { return p.segment == e.wholeQuestion() }) {
			return nil, nil
		}
	}
	for i, s := range e.segments {
		least, missed := surely, false
		for _, r := range results {
			if slices.ContainsFunc(r.found, func(p part) bool { return p.segment == i }) {
				missed = false
				break
			}
			if remains := r.open[i]; remains > 0 {
				missed = true
				least = min(least, remains)
			}
		}
		switch {
		case !missed, least == unreviewed: // what is ambiguous is named as such
		case reviewedAll && (least == surely || s.own):
			sure = append(sure, s.text)
		default:
			open = append(open, s.text)
		}
	}
	return sure, open
}
