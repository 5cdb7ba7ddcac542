package curate

import (
	"context"
	"strings"

	"outheis/tresor"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
	"outheis/tresor/internal/txn"
)

// A Type is a new page type: the answers to the five questions that a curator is
// asked before there is one, word by word.
type Type struct {
	Name           string
	Beschreibung   string // what it is
	Kriterien      string // by what it is recognised
	Besonderheiten string // peculiarities of taking it in and of answering
	PflichtExtra   string // what its claims must say
	GraphRolle     string // its role in the graph
	// Relations are types of relation that come with it; there may be none.
	Relations []string
}

// NewType adds a page type to the registry and writes the onboarding into the
// log, in the same transaction.
func NewType(ctx context.Context, dir string, t Type, o tresor.Options) (Done, error) {
	return change(ctx, dir, "new", o, func(p *plan) error {
		fields := map[string]string{"beschreibung": t.Beschreibung, "kriterien": t.Kriterien, "besonderheiten": t.Besonderheiten,
			"pflicht_extra": t.PflichtExtra, "graph_rolle": t.GraphRolle}
		for _, name := range profil.TypeFields() {
			if fields[name] = text.Trim(fields[name]); fields[name] == "" {
				return p.refuse(columns()[name], "CU-40")
			}
		}
		switch {
		case !profil.IsTypeName(t.Name):
			return p.refuse("", "CU-41", t.Name, proposal(t.Name, "typ"))
		case p.Bestand.Types.Fields[t.Name] != nil:
			return p.refuse("", "CU-42", t.Name)
		}
		for _, name := range t.Relations {
			if !isUsableRelation(name) {
				return p.refuse("relation-type", "CU-43", name)
			}
		}
		err := p.edit(profil.TypesFile, func(b []byte) ([]byte, error) {
			b, err := profil.AddType(b, t.Name, fields)
			for _, name := range t.Relations {
				if err == nil {
					b, err = profil.AddRelationType(b, name)
				}
			}
			return b, err
		})
		if err != nil {
			return err
		}
		p.done.ID, p.done.Path = t.Name, profil.TypesFile
		says := "Typ " + t.Name
		for _, name := range profil.TypeFields() {
			says += " — " + name + ": " + fields[name]
		}
		if len(t.Relations) > 0 {
			says += " — Relationstypen: " + strings.Join(t.Relations, ", ")
		}
		return p.log("onboarding", says)
	})
}

// isUsableRelation reports whether a type of relation can be declared and then
// used: the entry of a page knows no digits (deviation D-16).
func isUsableRelation(name string) bool {
	return profil.IsRelationType(name) && !strings.ContainsAny(name, "0123456789")
}

// logGiven adds an entry that an ID is given, by which it is remembered when it is
// deleted; of is what it comes from.
func (p *plan) logGiven(what, of string) error {
	return p.log("update", what+" angelegt ("+of+")")
}

// log adds an entry to log.md.
func (p *plan) log(action, says string) error {
	for i := range p.targets {
		if p.targets[i].Kind == txn.Append { // a file changes once in a transaction
			line, err := p.LogLine(action, says)
			p.targets[i].Content = append(append(p.targets[i].Content, '\n'), line...)
			return err
		}
	}
	t, err := p.LogEntry(action, says)
	if err != nil {
		return err
	}
	p.add(t)
	return nil
}
