package watch

import (
	"slices"

	"outheis/tresor"
)

// differences returns the findings that only after has, and those that only
// before has, each in its order; see [tresor.Beyond].
func differences(before, after tresor.Report) (found, gone []tresor.Finding) {
	return tresor.Beyond(all(after), all(before)), tresor.Beyond(all(before), all(after))
}

// all returns the findings of a report in the order in which they are printed.
func all(r tresor.Report) []tresor.Finding { return slices.Concat(r.Warnings, r.Errors, r.Hints) }
