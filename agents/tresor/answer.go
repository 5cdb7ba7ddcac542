package tresor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"outheis/agents"
	"outheis/config/texts"
	engine "outheis/tresor"
)

const (
	reviewed  = engine.MaxLimit // claims that are looked at more closely
	sureGap   = .35             // below this decision value a part of a question is surely not covered
	worthNear = .2              // from this decision value on a claim is near the question
	mostNear  = 3               // claims that are named as near
)

// Answer answers r from the Bestand. A question that cannot be put to a Tresor
// is asked back. A Tresor that is not available gives an [*agents.Error] with
// [agents.StatusUnavailable], unless another covers the question.
func (a *Agent) Answer(ctx context.Context, r agents.Request) (agents.Answer, error) {
	if err := ctx.Err(); err != nil {
		return agents.Answer{}, err
	}
	t := texts.For(r.Lang)
	all := *a.current.Load()
	if len(all) > 0 {
		if all = readableBy(all, r); len(all) == 0 {
			return agents.Answer{}, &agents.Error{Status: agents.StatusDenied, Text: t.Say("answer.denied"), Err: errNoAudience}
		}
	}
	ids := idsOf(all)
	text := clean(r.Text)
	scope := strings.TrimPrefix(r.Scope, "@")
	if scope == "" {
		scope, text = addressed(text, ids)
	}
	asked, several := choose(all, scope)
	switch {
	case len(all) == 0:
		return agents.Answer{}, &agents.Error{Status: agents.StatusUnavailable, Text: t.Say("answer.no_tresor"), Err: errors.New("no Tresor is loaded")}
	case len(asked) == 0:
		return agents.Ask(t.Say("answer.unknown_scope", scope, quoted(t, ids))), nil
	case isThanks(text):
		return agents.Ask(t.Say("answer.thanks")), nil
	case text == "" || isGreeting(text):
		return agents.Ask(t.Say("answer.greeting", quoted(t, idsOf(asked)))), nil
	case len([]rune(text)) > engine.MaxQuestion:
		return agents.Ask(t.Say("answer.too_long", engine.MaxQuestion)), nil
	}

	named, unknown := qualified(text, ids)
	var notHere []string
	for _, name := range unknown {
		notHere = append(notHere, t.Say("answer.unknown_scope", name, quoted(t, ids)))
	}
	if named != nil {
		asked = slices.DeleteFunc(slices.Clone(all), func(t Tresor) bool { _, ok := named[t.ID]; return !ok })
		several = len(all) > 1
	} else if len(unknown) > 0 {
		if text = withoutUnknown(text, unknown); text == "" {
			return agents.Ask(strings.Join(notHere, " ")), nil
		}
	}
	e := newExchange(t, text, r.Turns, asked, several)
	e.byTresor = named
	results, missing, err := e.askAll(ctx, asked)
	if err != nil {
		return agents.Answer{}, err
	}
	if spread := e.spread(results); spread != nil {
		one, _, err := spread.askAll(ctx, asked)
		if err != nil {
			return agents.Answer{}, err
		}
		if slices.ContainsFunc(one, func(r *result) bool { return len(r.found) > 0 }) {
			e, results = spread, one
		}
	}
	if slices.ContainsFunc(results, func(r *result) bool { return len(r.found) > 0 }) {
		answer, err := e.compose(results, missing)
		if err != nil {
			return agents.Answer{}, err
		}
		return answer.WithNotes(notHere...), nil
	}
	// Nothing is covered. To say so, every Tresor must have been reviewed.
	if len(missing) > 0 {
		return agents.Answer{}, e.unavailable(missing, results)
	}
	for _, res := range results {
		if len(res.ambiguities()) > 0 {
			return e.askBack(res), nil
		}
	}
	for _, res := range results {
		if res.whole.Query.State == engine.InvalidQuery {
			return agents.Ask(t.Say("answer.invalid", strings.Join(res.whole.Query.Errors, "; "))), nil
		}
	}
	if !slices.ContainsFunc(results, func(r *result) bool { return len(r.whole.Words) > 0 }) {
		return agents.Ask(t.Say("answer.unclear")), nil
	}
	return e.abstain(results).WithNotes(notHere...), nil
}

// choose returns the Tresore that a question goes to, and whether citations
// name theirs.
func choose(all []Tresor, scope string) (asked []Tresor, several bool) {
	ordinary := 0
	for _, t := range all {
		if !t.OnRequest {
			ordinary++
		}
	}
	for _, t := range all {
		switch {
		case scope != "" && strings.EqualFold(t.ID, scope):
			return []Tresor{t}, ordinary > 1 || t.OnRequest && ordinary > 0
		case scope == "" && (!t.OnRequest || ordinary == 0):
			asked = append(asked, t)
		}
	}
	return asked, len(asked) > 1
}

// askBack asks which Begriffswelt is meant.
func (e *exchange) askBack(r *result) agents.Answer {
	var lines []string
	for _, amb := range r.ambiguities() {
		lines = append(lines, e.t.Say("answer.ambiguous", asSpelled(amb), e.meanings(r, amb)))
	}
	return agents.Ask(strings.Join(lines, " "))
}

// meanings lists what an ambiguous expression stands for in a Tresor.
func (e *exchange) meanings(r *result, amb engine.Ambiguity) string {
	var options []string
	for _, c := range amb.Concepts {
		name := c.World
		for _, w := range r.tresor.Snapshot.Worlds() {
			if w.ID == c.World {
				name = w.Name
			}
		}
		options = append(options, e.t.Say("answer.world", name, c.Preferred))
	}
	return strings.Join(options, ", ")
}

// asSpelled returns the ambiguous expression as its concept spells it.
func asSpelled(a engine.Ambiguity) string {
	plain := strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss")
	for _, label := range append([]string{a.Concepts[0].Preferred}, a.Concepts[0].Aliases...) {
		if plain.Replace(strings.Join(words(label), " ")) == a.Phrase {
			return label
		}
	}
	return a.Phrase
}

// abstain says "Nicht im Bestand" for the whole question.
func (e *exchange) abstain(results []*result) agents.Answer {
	compared := 0
	type pointer struct {
		agents.Pointer
		value float64
	}
	var near []pointer
	var gaps, searched []string
	for _, r := range results {
		compared += r.whole.Compared
		searched = append(searched, nameOf(e.t, r.tresor))
		if len(r.whole.Named) > 0 {
			gaps = append(gaps, r.whole.Named...)
			continue
		}
		for _, f := range r.whole.Fits[:min(len(r.whole.Fits), mostNear)] {
			if f.Value >= worthNear {
				near = append(near, pointer{agents.Pointer{ID: e.cite(r.tresor, f.Claim.ID), Text: f.Claim.Text, Page: f.Page.Path}, f.Value})
			}
		}
	}
	if e.ownParts() && len(gaps) == 0 {
		for _, s := range e.segments {
			if s.own {
				gaps = append(gaps, s.text)
			}
		}
	} else {
		slices.Sort(gaps)
		gaps = slices.Compact(gaps)
	}
	slices.SortStableFunc(near, func(a, b pointer) int { return cmp.Compare(b.value, a.value) })
	answer := agents.NichtImBestand(compared, gaps...)
	for _, p := range near[:min(len(near), mostNear)] {
		answer = answer.WithNearest(p.Pointer)
	}
	if e.several {
		answer = answer.WithNotes(e.t.Say("answer.searched", strings.Join(searched, ", ")))
	}
	if asksForMore.MatchString(e.text) {
		answer = answer.WithNotes(e.t.Say("answer.closed_world"))
	}
	return answer
}

// unavailable is the failure of Tresore that could not be asked. What the others
// say does not make up for them.
func (e *exchange) unavailable(missing []Tresor, results []*result) error {
	var sentences []string
	var causes []error
	for _, m := range missing {
		var invalid *engine.InvalidError
		switch {
		case errors.As(m.Err, &invalid) && invalid.State == engine.VaultBusy:
			sentences = append(sentences, e.t.Say("answer.busy", m.ID))
		case errors.Is(m.Err, ErrSlow):
			sentences = append(sentences, e.t.Say("answer.slow", m.ID))
		default:
			sentences = append(sentences, e.t.Say("answer.unavailable", m.ID))
		}
		causes = append(causes, fmt.Errorf("Tresor %s: %w", m.ID, m.Err))
	}
	var silent []string
	for _, r := range results {
		if !r.asksBack() {
			silent = append(silent, nameOf(e.t, r.tresor))
		}
	}
	if len(silent) > 0 {
		sentences = append(sentences, e.t.Say("answer.silent", strings.Join(silent, ", ")))
	}
	return &agents.Error{Status: agents.StatusUnavailable, Text: strings.Join(sentences, " "), Err: errors.Join(causes...)}
}

// cite returns the ID that a claim is cited by.
func (e *exchange) cite(t Tresor, id string) string {
	if e.several {
		return t.ID + "/" + id
	}
	return id
}

func idsOf(all []Tresor) []string {
	ids := make([]string, len(all))
	for i, t := range all {
		ids[i] = t.ID
	}
	return ids
}

// quoted lists names in the quotation marks of the language.
func quoted(t *texts.Texts, names []string) string {
	all := make([]string, len(names))
	for i, n := range names {
		all[i] = t.Say("answer.quoted", n)
	}
	return strings.Join(all, ", ")
}
