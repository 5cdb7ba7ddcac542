package watch

import (
	"slices"
	"strconv"
	"strings"

	"outheis/tresor"
)

// differences returns the findings that only after has, and those that only
// before has, each in its order. A finding that only moved to another line is
// none; of equal ones the numbers are compared.
func differences(before, after tresor.Report) (found, gone []tresor.Finding) {
	return without(all(after), all(before)), without(all(before), all(after))
}

// all returns the findings of a report in the order in which they are printed.
func all(r tresor.Report) []tresor.Finding { return slices.Concat(r.Warnings, r.Errors, r.Hints) }

// without returns the findings of list that others does not have.
func without(list, others []tresor.Finding) []tresor.Finding {
	n := map[string]int{}
	for _, f := range others {
		n[key(f)]++
	}
	var rest []tresor.Finding
	for _, f := range list {
		if k := key(f); n[k] > 0 {
			n[k]--
		} else {
			rest = append(rest, f)
		}
	}
	return rest
}

// key is what makes a finding the same after lines were added before it.
func key(f tresor.Finding) string {
	label := f.Label
	if f.Line > 0 {
		label = strings.TrimSuffix(label, ":"+strconv.Itoa(f.Line))
	}
	return strconv.Itoa(int(f.Severity)) + "\x00" + f.Rule + "\x00" + label + "\x00" + f.Text
}
