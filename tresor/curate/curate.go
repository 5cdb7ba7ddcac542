// Package curate is what curators do to a Tresor: begin one ([Init]), take in
// sources ([Add]) and write new pages, claims, concepts and the like ([NewPage],
// [NewClaim], …), so that the rules of the format hold after each step.
//
// Every function makes one change: IDs are free and never used before, all files
// that belong together change in one transaction under the write lock, and
// what validation would refuse leaves the Tresor as it was, with a [*Refusal]
// that names the answer to blame. Except for Init a changed Tresor is no longer
// its last release and answers no questions until the next one.
//
// The package asks nobody and prints nothing; that is the command line's. The
// grammar of each file is that of its parser, which writes it too.
package curate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"outheis/tresor"
	"outheis/tresor/internal/check"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/tree"
	"outheis/tresor/internal/txn"
	"outheis/tresor/internal/wording"
)

// A Done is what a change did.
type Done struct {
	ID    string   // of what is new; "" where it has none
	Path  string   // of the file or folder that holds it
	Files []string // everything that changed, in the order in which it was written
	// Notes are what a person should know now, sentences in the language of the
	// options.
	Notes  []string
	Report tresor.Report // of the changed Tresor
}

// A plan is a change in the making: the Tresor as it is, and what is to be
// written.
type plan struct {
	tresor.View
	o       tresor.Options
	targets []txn.Target
	at      map[string]int             // of the written files among the targets
	retired map[string]map[string]bool // by prefix; see once
	hidden  rune                       // that the change would bring in; see isHidden
	done    Done
}

// change runs a change as one transaction. The command is the name in the lock.
func change(ctx context.Context, dir, command string, o tresor.Options, work func(*plan) error) (Done, error) {
	return mend(ctx, dir, command, o, func(*plan, tresor.Finding) bool { return false }, work)
}

// mend is [change] for what also mends a Tresor: the errors that awaited is true
// for do not keep it from its work.
func mend(ctx context.Context, dir, command string, o tresor.Options, awaited func(*plan, tresor.Finding) bool, work func(*plan) error) (Done, error) {
	var p *plan
	report, err := tresor.Change(ctx, dir, command, o, func(v tresor.View) ([]txn.Target, error) {
		p = &plan{View: v, o: o, at: map[string]int{}, retired: map[string]map[string]bool{}}
		if err := p.sound(awaited); err != nil {
			return nil, err
		}
		if err := work(p); err != nil {
			return nil, err
		}
		if p.hidden != 0 {
			return nil, p.refuse("", "CU-84", fmt.Sprintf("U+%04X", p.hidden))
		}
		return p.targets, nil
	})
	if err != nil {
		return Done{}, blamed(err, o)
	}
	for _, t := range p.targets {
		p.done.Files = append(p.done.Files, t.Path)
	}
	p.done.Report = report
	for _, f := range report.Errors {
		switch f.Rule {
		case "QU-1":
			p.note("CU-3", f.Path)
		case "RW-2":
			p.note("CU-5", f.Path)
		}
	}
	return p.done, nil
}

// pending reports whether an error is one that work goes on with: something
// still waits in the quarantine, or a medium for its review.
func pending(f tresor.Finding) bool { return f.Rule == "QU-1" || f.Rule == "MD-18" }

// sound refuses to go on in a Tresor that is broken: IDs could be hidden in what
// cannot be read.
func (p *plan) sound(awaited func(*plan, tresor.Finding) bool) error {
	if !p.Tree.Exists(profil.RegisterFile) && !p.Tree.Exists(profil.TypesFile) {
		return p.refuse("", "CU-4", p.Tree.Root())
	}
	var list []tresor.Finding
	for _, f := range p.Report.Errors {
		if !pending(f) && !awaited(p, f) {
			list = append(list, f)
		}
	}
	if list == nil {
		return nil
	}
	return &Refusal{Text: wording.Say(p.o.Lang, "CU-1", len(list)), Findings: list}
}

func (p *plan) note(key string, args ...any) {
	p.done.Notes = append(p.done.Notes, wording.Say(p.o.Lang, key, args...))
}

// refuse returns a [*Refusal].
func (p *plan) refuse(field, key string, args ...any) error {
	return refuse(p.o, field, key, args...)
}

// add adds a target.
func (p *plan) add(t txn.Target) {
	if t.Kind == txn.Write {
		p.at[t.Path] = len(p.targets)
	}
	p.targets = append(p.targets, t)
}

// write makes a file.
func (p *plan) write(path, content string) {
	p.watch("", content)
	p.add(txn.Target{Path: path, Content: []byte(content), Mode: 0o644})
}

// edit changes a file, as this plan has left it so far. One that is not there is
// empty.
func (p *plan) edit(path string, by func([]byte) ([]byte, error)) error {
	i, planned := p.at[path]
	var b []byte
	var err error
	if planned {
		b = p.targets[i].Content
	} else if p.Tree.Exists(path) {
		if b, err = p.Tree.Read(path, tree.MaxText); err != nil {
			var f check.Findings
			f.Unreadable(check.File(path), err)
			return f.Refused()
		}
	}
	changed, err := by(b)
	p.watch(string(b), string(changed))
	switch {
	case err != nil:
		return err
	case planned:
		p.targets[i].Content = changed
	case string(changed) != string(b):
		t := txn.Target{Path: path, Content: changed, Mode: 0o644}
		if p.Tree.Exists(path) {
			if t.Was, err = p.Tree.Digest(path); err != nil { // of what was read
				return err
			}
		}
		p.add(t)
	}
	return nil
}

// today is the local calendar day.
func (p *plan) today() string { return today(p.o) }

func today(o tresor.Options) string { return now(o).Format("2006-01-02") }

// mentions returns the IDs with a one-letter prefix that s names.
func mentions(kind byte, s string) map[string]bool {
	m := make(map[string]bool)
	for _, id := range profil.Mentions(kind, s, false) {
		m[id] = true
	}
	return m
}

// ids returns the keys of a map in order.
func ids[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

func oneOf(s string, list ...string) bool { return slices.Contains(list, s) }
