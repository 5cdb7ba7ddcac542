package tresor

import (
	"cmp"
	"strings"

	"outheis/config/texts"
	engine "outheis/tresor"
)

// A Scope is the area that a Tresor holds for (spec/tresor/8-answering.md §3).
type Scope string

// The scopes. A Tresor without one overrides nothing and is not overridden.
const (
	NoScope      Scope = ""
	Organisation Scope = "organisation"
	Fachbereich  Scope = "fachbereich"
	Projekt      Scope = "projekt"
	Persoenlich  Scope = "persoenlich"
)

// ScopeOf is [engine.ScopeOf]; a name of another kind gives NoScope.
func ScopeOf(folder string) Scope { return Scope(engine.ScopeOf(folder)) }

// rank orders the scopes that override, the widest first; 0 for those that do
// not.
func (s Scope) rank() int {
	switch s {
	case Organisation:
		return 1
	case Fachbereich:
		return 2
	case Projekt:
		return 3
	}
	return 0
}

// overrides reports whether a Tresor of scope s goes before one of scope wider
// where both speak of the same.
func (s Scope) overrides(wider Scope) bool { return wider.rank() > 0 && s.rank() > wider.rank() }

// inOrder compares Tresore by the order in which they stand in an answer: the
// narrower area first, then those without one, then what is personal; of one
// scope by name. It does not depend on the configuration.
func inOrder(a, b Tresor) int {
	place := func(t Tresor) int {
		switch {
		case t.Scope == Persoenlich:
			return 1
		case t.Scope.rank() == 0:
			return 0
		}
		return -t.Scope.rank()
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), strings.Compare(a.ID, b.ID))
}

// nameOf is how an answer names a Tresor: by its id, and its scope if it has one.
func nameOf(t *texts.Texts, one Tresor) string {
	name := t.Say("answer.quoted", one.ID)
	switch one.Scope {
	case Organisation:
		return name + " (" + t.Say("answer.scope_organisation") + ")"
	case Fachbereich:
		return name + " (" + t.Say("answer.scope_fachbereich") + ")"
	case Projekt:
		return name + " (" + t.Say("answer.scope_projekt") + ")"
	case Persoenlich:
		return name + " (" + t.Say("answer.scope_persoenlich") + ")"
	}
	return name
}
