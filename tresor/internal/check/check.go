// Package check holds what validation says: findings, each about a place in the
// Tresor and worded in the language of whoever reads it.
package check

import (
	"strconv"

	"outheis/tresor/internal/wording"
)

// Where is what a finding is about.
type Where struct {
	Label string // as it is printed; the same in every language
	Path  string // of the file
	Line  int    // in the file, from 1, or 0
}

// File is a file as a whole.
func File(path string) Where { return Where{Label: wording.Printable(path), Path: path} }

// Line is a line of a file.
func Line(path string, n int) Where {
	return Where{Label: wording.Printable(path) + ":" + strconv.Itoa(n), Path: path, Line: n}
}

// Field is a part of w, whose label it continues: ".worlds", "[3]".
func (w Where) Field(name string) Where {
	w.Label += wording.Printable(name)
	return w
}

// Item is the element of the list w with the given position, from 1.
func (w Where) Item(n int) Where { return w.Field("[" + strconv.Itoa(n) + "]") }

// On is w with a line that its label does not show.
func (w Where) On(line int) Where {
	w.Line = line
	return w
}

// A Finding is one thing that validation has to say. Key of the sentence is the
// rule of the specification.
type Finding struct {
	Where
	wording.Sentence
}

// Findings collects what is found, in the order of the checks.
type Findings struct {
	Errors   []Finding
	Warnings []Finding
	Hints    []Finding // what the reference says nothing about; never part of a result
}

// maxFindings bounds each list: a hostile file could give millions.
const maxFindings = 10_000

// Error adds an error by a rule.
func (f *Findings) Error(w Where, rule string, args ...any) { add(&f.Errors, w, rule, args) }

// Warn adds a warning by a rule.
func (f *Findings) Warn(w Where, rule string, args ...any) { add(&f.Warnings, w, rule, args) }

// Hint adds a hint by a rule.
func (f *Findings) Hint(w Where, rule string, args ...any) { add(&f.Hints, w, rule, args) }

func add(list *[]Finding, w Where, rule string, args []any) {
	switch n := len(*list); {
	case n < maxFindings:
		*list = append(*list, Finding{w, wording.Sentence{Key: rule, Args: args}})
	case n == maxFindings:
		*list = append(*list, Finding{Where{Path: w.Path}, wording.Sentence{Key: "MX-1", Args: []any{maxFindings}}})
	}
}

// Reason is a sentence that stands within another one.
func Reason(key string, args ...any) wording.Sentence {
	return wording.Sentence{Key: key, Args: args}
}
