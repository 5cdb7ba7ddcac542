package tresor

import (
	"fmt"
	"strconv"
	"strings"

	"outheis/tresor/internal/check"
)

// Severity is the weight of a [Finding].
type Severity int

// The severities. Only an Error makes a Tresor invalid.
const (
	Error Severity = iota
	Warning
	Hint // probably a slip; no part of the format, so it never shows in a result
)

// A Finding is one thing that validation has to say.
type Finding struct {
	Severity Severity
	Rule     string // of the specification, as "CL-1"; the same in every language
	Label    string // what it is about, as "knowledge/a/b.md:12" or "REGISTER S-0003"; may be empty
	Path     string // of the file, relative to the Tresor; "" where it is about none
	Line     int    // in that file, from 1; 0 where it is about none
	Text     string // the reason and the remedy, in the language of the options
}

// String returns label and text.
func (f Finding) String() string {
	if f.Label == "" {
		return f.Text
	}
	return f.Label + ": " + f.Text
}

func findings(found []check.Finding, severity Severity, o Options) []Finding {
	var list []Finding
	for _, f := range found {
		list = append(list, Finding{Severity: severity, Rule: f.Key, Label: f.Label, Path: f.Path, Line: f.Line, Text: f.In(o.Lang)})
	}
	return list
}

// Beyond returns the findings of list that others does not have, in their order.
// One that only moved to another line is the same one; of equal ones the numbers
// are compared.
func Beyond(list, others []Finding) []Finding {
	n := make(map[Finding]int)
	for _, f := range others {
		n[f.anywhere()]++
	}
	var rest []Finding
	for _, f := range list {
		if k := f.anywhere(); n[k] > 0 {
			n[k]--
		} else {
			rest = append(rest, f)
		}
	}
	return rest
}

// anywhere is f without its line.
func (f Finding) anywhere() Finding {
	if f.Line > 0 {
		f.Label, f.Line = strings.TrimSuffix(f.Label, ":"+strconv.Itoa(f.Line)), 0
	}
	return f
}

// A Report is the result of [Validate].
type Report struct {
	Errors   []Finding // in the order of the checks
	Warnings []Finding
	Hints    []Finding
	Pages    int
	Claims   int // distinct IDs
	Sources  int // rows of the source register
	External int // rows of the register of external sources
}

// OK reports whether there is no error.
func (r Report) OK() bool { return len(r.Errors) == 0 }

// An InvalidError is why a folder is not served.
type InvalidError struct {
	State    State  // VaultBusy, InvalidVault or SnapshotChanged
	Name     string // of the Tresor
	Manifest string // its digest, where it could be read
	Version  string // its release, where the check came that far
	Findings []Finding
	Warnings []Finding
	err      error
}

// Error returns the first finding and how many more there are.
func (e *InvalidError) Error() string {
	switch n := len(e.Findings); n {
	case 0:
		return fmt.Sprintf("tresor: open %s: %s", e.Name, e.State)
	case 1:
		return fmt.Sprintf("tresor: open %s: %s: %s", e.Name, e.State, e.Findings[0])
	default:
		return fmt.Sprintf("tresor: open %s: %s: %s (and %d more)", e.Name, e.State, e.Findings[0], n-1)
	}
}

// Unwrap returns the error of the operating system if the folder itself cannot
// be read, as [io/fs.ErrNotExist].
func (e *InvalidError) Unwrap() error { return e.err }
