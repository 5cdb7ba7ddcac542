package register

import (
	"iter"
	"strings"

	"outheis/tresor/internal/check"
	"outheis/tresor/internal/profil"
	"outheis/tresor/internal/text"
)

type row struct {
	where check.Where
	cells []string
}

// rows yields the table rows whose first cell begins with an ID of the kind,
// exactly spelled "| S-". A row that only looks like one is not read; it gives a
// hint (deviation D-14).
func rows(path, kind, s string, f *check.Findings) iter.Seq[row] {
	return func(yield func(row) bool) {
		prefix := "| " + kind + "-"
		for i, line := range strings.Split(s, "\n") {
			line = text.Trim(line)
			if line == "" || line[0] != '|' {
				continue
			}
			r := row{check.Line(path, i+1), cells(line)}
			if !strings.HasPrefix(line, prefix) {
				if profil.IsID(kind, r.cells[0]) {
					f.Hint(r.where, "RG-6", prefix)
				}
				continue
			}
			if !yield(r) {
				return
			}
		}
	}
}

// cells splits a table row; a pipe cannot be escaped.
func cells(line string) []string {
	list := strings.Split(strings.Trim(line, "|"), "|")
	for i := range list {
		list[i] = text.Trim(list[i])
	}
	return list
}
