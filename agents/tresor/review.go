package tresor

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"outheis/agents"
	"outheis/config/texts"
	engine "outheis/tresor"
)

// An exchange is one question being answered.
type exchange struct {
	t       *texts.Texts
	text    string
	turns   []agents.Turn
	several bool // citations name their Tresor
}

// A result is what a Tresor has for a question.
type result struct {
	tresor  Tresor
	whole   engine.Assessment
	covered []part // with at least one claim
	gaps    []string
}

// A part is a part of the question and the claims that cover it.
type part struct {
	assessment engine.Assessment
	fits       []engine.Fit
}

// best returns the claim that covers a part of the question best.
func (r *result) best() engine.Fit {
	return slices.MaxFunc(r.covered, func(a, b part) int { return better(a.fits[0], b.fits[0]) }).fits[0]
}

// better compares claims by how well they cover what is asked.
func better(a, b engine.Fit) int {
	return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Coverage, b.Coverage))
}

// askAll asks the Tresore that are available.
func (e *exchange) askAll(ctx context.Context, asked []Tresor) (results []*result, missing []Tresor, err error) {
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
	question, world := e.text, ""
	if earlier, id, ok := chosenWorld(t.Snapshot, e.text, e.turns); ok {
		question, world = earlier, id
	}
	assess := func(text string) engine.Assessment {
		return t.Snapshot.Assess(text, engine.AssessOptions{World: world, Limit: reviewed})
	}
	r := &result{tresor: t, whole: assess(question)}
	switch r.whole.Query.State {
	case engine.CandidatesFound, engine.NoCandidates:
	default:
		return r
	}
	if named := e.named(t.Snapshot, r.whole); len(named) > 0 {
		r.covered = []part{{r.whole, named}}
		return r
	}
	if all := parts(question); len(all) > 1 {
		r.byParts(all, assess)
	}
	if len(r.covered) == 0 && r.whole.Covered() {
		r.covered, r.gaps = []part{{r.whole, fitting(r.whole)}}, nil
	}
	if len(r.covered) == 0 {
		r.followUp(question, e.turns, assess)
	}
	if len(r.covered) == 0 {
		r.gaps = nil
	}
	return r
}

// byParts answers each part of a question by itself. A part that leans on the
// ones before it is read with what they name.
func (r *result) byParts(all []string, assess func(string) engine.Assessment) {
	about := ""
	asks := slices.ContainsFunc(all, isQuestion)
	for i, text := range all {
		if asks && !isQuestion(text) {
			about = strings.TrimSpace(about + " " + names(text)) // tells, and asks nothing
			continue
		}
		a := assess(text)
		if !a.Covered() && i > 0 && about != "" {
			if with := assess(text + " " + about); coversOwn(with, a) {
				a = with
			}
		}
		switch {
		case a.Covered():
			r.covered = append(r.covered, part{a, fitting(a)})
		case isQuestion(text) && len(a.Words) > 0 && (len(a.Fits) == 0 || a.Fits[0].Value < sureGap):
			r.gaps = append(r.gaps, text)
		}
		about = strings.TrimSpace(about + " " + names(text))
	}
}

// followUp reads a question that leans on the one before it together with what
// that one named. Earlier answers give no facts: what they said is not looked
// at.
func (r *result) followUp(text string, turns []agents.Turn, assess func(string) engine.Assessment) {
	if len(turns) == 0 || !leansBack(text) {
		return
	}
	about := names(turns[len(turns)-1].Question)
	if about == "" {
		return
	}
	if a := assess(text + " " + about); coversOwn(a, r.whole) {
		r.covered = []part{{a, fitting(a)}}
	}
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

// chosenWorld recognises the answer to a question back: it names a Begriffswelt
// for the question before. The question may also name one itself.
func chosenWorld(s *engine.Snapshot, text string, turns []agents.Turn) (question, world string, ok bool) {
	if len(turns) == 0 || turns[len(turns)-1].Answer.Status() != agents.StatusAmbiguous {
		return "", "", false
	}
	said := " " + strings.Join(words(text), " ") + " "
	for _, w := range s.Worlds() {
		if strings.Contains(said, " "+strings.Join(words(w.Name), " ")+" ") || strings.Contains(said, " "+strings.Join(words(w.ID), " ")+" ") {
			return clean(turns[len(turns)-1].Question), w.ID, true
		}
	}
	return "", "", false
}
